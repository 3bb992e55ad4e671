"""Log-count ratios of naive Bayes, and how far to believe them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deciban.losses import Floats, Logistic
from deciban.penalties import L2
from deciban.solvers import Limits, Problem, newton
from deciban.solvers.problem import whole

# So many examples say what naive Bayes is worth.
_ENOUGH = 4096


def class_counts(problem: Problem, repetition: Floats) -> Floats:
    """Return (2, d) Σ f of the examples with y = +1 and of those with y = −1, each as often as `repetition` (N,)
    says."""
    sides = (problem.y > 0.0, problem.y < 0.0)  # one by one, which takes less than both at once
    return np.concatenate([problem.combination(np.where(side, repetition, 0.0)) for side in sides])


def log_count_ratios(counts: Floats, alpha: float) -> Floats:
    """Return r (d,) = log (p/‖p‖₁)/(q/‖q‖₁) for p, q = `counts` (2, d) + alpha.

    >>> log_count_ratios(np.array([[3.0, 1.0], [1.0, 3.0]]), 1.0).round(3).tolist()
    [0.693, -0.693]
    """
    p, q = counts + alpha
    r: Floats = np.log(p) - np.log(p.sum()) - (np.log(q) - np.log(q.sum()))
    return r


def worth(X: Any, y: Floats, repetition: Floats, counts: Floats, alpha: float, hashed: NDArray[np.uint64]) -> float:
    """Return κ ≥ 0: of r·f as evidence, the share to believe; `hashed` (N,) are hashes of the rows.

    Naive Bayes is overconfident, the more so the longer the texts. Each of about 4,096 examples is scored by the counts
    of all others (it is taken out of p and q, exactly); κ₀ is the slope of the logistic regression of y on these scores
    z. The same examples score higher by counts that they are part of, and it is those scores that the model learns
    from: κ = κ₀ · sd(z) / sd(f·r).
    """
    for divisor in divisors_of_sample(float(repetition.sum())):
        kept = np.flatnonzero(hashed % np.uint64(divisor) == 0)
        if len(np.unique(y[kept])) == 2:
            break
    return worth_of_sample(X[kept], y[kept], repetition[kept], counts, alpha)


def divisors_of_sample(n: float) -> Iterator[int]:
    """Yield by what the hashes of rows are divided of which about 4,096 are to be drawn, or more and more.

    >>> list(divisors_of_sample(1e6))
    [244, 15, 1]
    """
    divisor = max(1, round(min(n / _ENOUGH, 2.0**62)))  # hashes have 64 bits
    while divisor > 1:
        yield divisor
        divisor //= 16
    yield 1


def worth_of_sample(X: Any, y: Floats, repetition: Floats, counts: Floats, alpha: float) -> float:
    """Return κ, as these examples tell it."""
    f = sparse.csr_array(X, dtype=np.float64)
    own = np.minimum(repetition, 1.0)
    length = np.asarray(f.sum(axis=1)).ravel()
    p, q = counts + alpha
    total = np.log(p.sum() - (y > 0.0) * own * length) - np.log(q.sum() - (y < 0.0) * own * length)
    z = _evidence(f, y, own, p, q, alpha) - length * total
    inside = f @ log_count_ratios(counts, alpha)
    if not np.ptp(z) > 0.0 or not np.ptp(inside) > 0.0:
        return 0.0
    spread = float(z.std())
    posed = Problem((z / spread)[:, None], y, repetition, Logistic(), L2(1e-3))
    slope = float(whole(newton.solve(posed, Limits(1e-8, 100))).w[0, 0]) / spread
    return max(0.0, slope) * spread / float(inside.std())


def _evidence(f: Any, y: Floats, own: Floats, p: Floats, q: Floats, alpha: float) -> Floats:
    """Return (N,) Σ_j f_ij·log(p_j/q_j) without example i itself, which p or q has `own` times, by its side.

    Where all examples take the same from every count, as presence in texts does, and columns are fewer than values, the
    logarithms are those of columns.
    """

    def ratio(p: Floats, q: Floats, of_p: Any, of_q: Any) -> Floats:
        less: Floats = np.log(np.maximum(p - of_p, alpha)) - np.log(np.maximum(q - of_q, alpha))
        return less

    row, up = np.repeat(np.arange(len(y)), np.diff(f.indptr)), y > 0.0
    taken = own[row] * f.data
    if len(taken) > len(p) and taken.min() == taken.max():
        z: Floats = np.where(up, f @ ratio(p, q, taken[0], 0.0), f @ ratio(p, q, 0.0, taken[0]))
        return z
    each = ratio(p[f.indices], q[f.indices], up[row] * taken, ~up[row] * taken)
    return np.asarray(np.bincount(row, f.data * each, minlength=len(y)), dtype=np.float64)
