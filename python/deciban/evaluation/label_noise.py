"""How many labels are wrong beyond what the features leave open, and which."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban.calibration.scaling import Scaling, fit_scaling

Floats = NDArray[np.float64]

_ROUNDS, _NEAR = 100, 1e-6
_STARTS = (0.01, 0.2)


class LabelNoise(NamedTuple):
    """The share of labels that are wrong, and (N,) the probability that each is."""

    share: float
    wrong: Floats


def label_noise(log_p: Floats, y: NDArray[np.intp], weight: Floats) -> LabelNoise:
    """Estimate which labels y (N,), indices of C classes, are wrong, by out-of-fold log p(c | x) (N, C) and weight
    (N,).

        P(y | x) = (1 − γ) q_y(x) + γ/(C − 1) · (1 − q_y(x)),      q = softmax(A log p(c | x) + b_c)

    q is what the features tell of the true label, and γ the share of labels that are another one, whatever the
    features: the likelihood tells the two apart, as what the features leave open is contradicted where q is near ½, and
    wrong labels are contradicted wherever q is near 0 or 1. Copas, Binary regression models for contaminated data, J.
    R. Stat. Soc. B 50, 1988; by the EM algorithm, with one wrong label and one right one more than there are,
    from few and from many, each end by its likelihood. An error
    that the features leave open at the same rate everywhere cannot be told from wrong labels.

    >>> log_p = np.log(np.tile([[0.99, 0.01], [0.01, 0.99]], (100, 1)))
    >>> found = label_noise(log_p, np.array([0, 1] * 99 + [1, 1]), np.ones(200))
    >>> int(found.wrong.argmax()), bool(found.wrong[198] > 0.5)
    (198, True)
    """
    values, modes = zip(*(_climb(log_p, y, weight, gamma) for gamma in _STARTS), strict=True)
    mass = np.exp(np.array(values) - max(values))
    mass /= mass.sum()
    share = float(mass @ np.array([each.share for each in modes]))
    return LabelNoise(share, np.einsum("m,mn->n", mass, np.array([each.wrong for each in modes])))


def _climb(log_p: Floats, y: NDArray[np.intp], weight: Floats, gamma: float) -> tuple[float, LabelNoise]:
    """Return the local maximum above a share, and its log likelihood with the prior of γ."""
    N, C = log_p.shape
    rows, total = np.arange(N), float(weight.sum())
    line, wrong, value = Scaling(1.0, (0.0,) * C), np.zeros(N), -np.inf
    for _ in range(_ROUNDS):
        z = line(log_p)
        q = np.exp(z - z.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        true = q * (gamma / (C - 1))
        true[rows, y] = q[rows, y] * (1.0 - gamma)
        seen = true.sum(axis=1, keepdims=True)
        true /= seen
        wrong, value = 1.0 - true[rows, y], float(weight @ np.log(seen[:, 0]) + np.log(gamma) + np.log1p(-gamma))
        before, gamma = gamma, (float(weight @ wrong) + 1.0) / (total + 2.0)
        if abs(gamma - before) < _NEAR:
            break
        line = fit_scaling(log_p, y, weight, lambda *_, true=true: true) or line
    return value, LabelNoise(float(weight @ wrong) / total, wrong)
