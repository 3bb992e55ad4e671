"""Many classes, each against each: votes of the pairs, and probabilities that agree with the votes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deciban.losses import Floats
from deciban.scores.pairwise import pairs_of_classes

# So many decisions are counted at once.
_NUMBERS = 1 << 16


def pairs(C: int) -> list[tuple[int, int]]:
    """Return (0, 1), (0, 2), …, (C − 2, C − 1): in this order stand the machines; the first class is the positive one.

    >>> pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(C), 2))


def decisions(f: Floats, C: int) -> Floats:
    """Return (N, C) votes of the pairs f (N, C(C−1)/2), and less than half a vote that tells equal ones apart.

        F_c = Σ_k 1{f_ck ≥ 0} + m_c / (3 (|m_c| + 1)),      m_c = Σ_k f_ck,      f_kc = −f_ck

    >>> decisions(np.array([[1.0, -2.0, 2.0]]), 3).round(3).tolist()
    [[0.833, 1.167, 1.0]]
    """
    result, own = np.empty((len(f), C)), pairs_of_classes(C)
    first = np.arange(C - 1) >= np.arange(C)[:, None]  # the class is the first of the pair with its n-th other one
    rows = max(1, _NUMBERS // own.size)
    for i in range(0, len(f), rows):
        signed = f[i : i + rows, own]
        np.negative(signed, out=signed, where=~first)
        votes = ((signed > 0.0) | (first & (signed == 0.0))).sum(axis=2)
        sums = np.add.accumulate(signed, axis=2)[:, :, -1]  # one after the other, of few rows and of many
        result[i : i + rows] = votes + sums / (3.0 * (np.abs(sums) + 1.0))
    return result


def couple(logits: Floats, winner: NDArray[np.intp], C: int) -> Floats:
    """Return (N, C) probabilities from the log-odds of each pair, no class above the winner of the votes.

        min over p of   Σ_c Σ_k≠c (r_kc p_c − r_ck p_k)²   with   Σ p_c = 1,      r_ck = 1/(1 + e^(−logit_ck))

    (Wu, Lin & Weng, J. Mach. Learn. Res. 5, 2004, second method), one system of C equations a row. Where votes and
    probabilities disagree, the winner and those above it share what they have.

    >>> couple(np.array([[1.0, 2.0, 1.0]]), np.array([0]), 3).round(3).tolist()
    [[0.665, 0.245, 0.09]]
    """
    p = np.empty((len(logits), C))
    rows = max(1, (1 << 20) // (C * C))
    for i in range(0, len(logits), rows):
        p[i : i + rows] = _couple(logits[i : i + rows], C)
    return np.asarray(np.exp(agree_with_votes(np.log(p), winner)))


def _shares(logits: Floats, C: int) -> Floats:
    """Return (N, C, C) r_ck, what the machine of c and k gives c."""
    r = np.zeros((len(logits), C, C))
    with np.errstate(over="ignore"):
        for k, (i, j) in enumerate(pairs(C)):
            r[:, i, j] = 1.0 / (1.0 + np.exp(-logits[:, k]))
            r[:, j, i] = 1.0 / (1.0 + np.exp(logits[:, k]))
    return r


def _couple(logits: Floats, C: int) -> Floats:
    r = np.clip(_shares(logits, C), 1e-7, 1.0 - 1e-7) * (1.0 - np.eye(C))
    bordered = np.ones((len(logits), C + 1, C + 1))
    bordered[:, :C, :C] = -r.transpose(0, 2, 1) * r
    bordered[:, np.arange(C), np.arange(C)] = np.square(r).sum(axis=1)
    bordered[:, C, C] = 0.0
    right = np.zeros((len(logits), C + 1, 1))
    right[:, C] = 1.0
    p = np.maximum(np.linalg.solve(bordered, right)[:, :C, 0], 1e-15)
    result: Floats = p / p.sum(axis=1, keepdims=True)
    return result


def couple_in_steps(logits: Floats, C: int) -> Floats:
    """Return (N, C) the same probabilities as LIBSVM finds them: by the paper's second algorithm until no condition
    fails by 0.005/C, and whoever wins the votes.

    >>> couple_in_steps(np.array([[1.0, 2.0, 1.0]]), 3).round(2).tolist()
    [[0.67, 0.24, 0.09]]
    """
    r = np.clip(_shares(logits, C), 1e-7, 1.0 - 1e-7) * (1.0 - np.eye(C))
    Q = -r.transpose(0, 2, 1) * r
    Q[:, np.arange(C), np.arange(C)] = np.square(r).sum(axis=1)
    p = np.full((len(logits), C), 1.0 / C)
    left = np.arange(len(logits))
    for _ in range(max(100, C)):
        q, own = p[left], Q[left]
        Qp = np.einsum("nij,nj->ni", own, q)
        value = (q * Qp).sum(axis=1)
        going = np.abs(Qp - value[:, None]).max(axis=1, initial=0.0) >= 0.005 / C
        left, q, own, Qp, value = left[going], q[going], own[going], Qp[going], value[going]
        if not len(left):
            break
        for t in range(C):
            step = (value - Qp[:, t]) / own[:, t, t]
            q[:, t] += step
            whole = 1.0 + step
            value = (value + step * (step * own[:, t, t] + 2.0 * Qp[:, t])) / whole**2
            Qp = (Qp + step[:, None] * own[:, t]) / whole[:, None]
            q = q / whole[:, None]
        p[left] = q
    return p


def agree_with_votes(logs: Floats, winner: NDArray[np.intp]) -> Floats:
    """Return log probabilities (N, C) with the winner's the largest: it and those above it get the log of their mean,
    the winner a grain more."""
    own = np.take_along_axis(logs, winner[:, None], axis=1)
    above = logs >= own
    for i in np.flatnonzero(above.sum(axis=1) > 1):
        mean = np.log(np.exp(logs[i, above[i]]).mean())
        logs[i, above[i]] = mean + np.log1p(-1e-9)
        logs[i, winner[i]] = mean + np.log1p(1e-9 * (above[i].sum() - 1))
    return logs
