"""Coordinate descent with working sets.

    min over w, b of   Σ c_i ℓ(y_i, x_i·w + b) + λ₁‖w‖₁ + ½λ₂‖w‖²,     ℓ smooth, λ₁ + λ₂ > 0 or all w_j ≥ 0

Steps of Newton's method that keep the penalty as it is (Yuan, Ho & Lin, JMLR 13, 2012, Algorithm 3; Lee, Sun &
Saunders, SIAM Journal on Optimization 24, 2014), each over the weights that are not zero and the worst offenders among
the others (Massias, Gramfort & Salmon, ICML 2018), with extrapolation (Bertrand & Massias, AISTATS 2021). The loops are
the core's (`crates/core/src/solve/coordinate.rs`).

Cost: an iteration reads X once for the slopes of all columns, and the columns of the working set a few times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deciban import _core
from deciban.losses import Huber, Logistic, Squared, SquaredEpsilonInsensitive, SquaredHinge

from .limits import Watch
from .problem import Limits, Problem, Solution

NAME = "coordinate"
EXACT = True
NONNEGATIVE = True
# The answer depends, within the tolerance, on how many examples there are: one with a weight, or its repetitions.
ORDERED = True
# At tolerances so tight the weights matter, not only the objective; numbers to add and multiply for that, at most.
_TIGHT, _MOST = 1e-10, 1 << 28
LOSSES = (Logistic, Squared, SquaredHinge, Huber, SquaredEpsilonInsensitive)


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    if problem.K != 1 or not isinstance(problem.loss, LOSSES):
        return f"needs a smooth loss of one score, which {problem.loss.name!r} is not"
    if not (problem.penalty.l1 or problem.penalty.l2 or problem.penalty.nonnegative):
        return f"needs a penalty of some strength, which {problem.penalty.name!r} is not"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum; `start` may bring weights to begin from."""
    watch = Watch(limits)
    w, b, dual, iterations, ending = _core.coordinate(
        problem.rows,
        problem.y,
        problem.c,
        problem.loss.name,
        delta=getattr(problem.loss, "delta", 1.0),
        l1=problem.penalty.l1,
        l2=problem.penalty.l2,
        nonnegative=problem.penalty.nonnegative,
        intercept=problem.intercept,
        offset=problem.offset,
        start=None if start is None else np.ascontiguousarray(start.w[0]),
        seed=seed,
        **watch.limits_for_core(problem),
    )
    found = Solution(w[None, :], np.array([b]), watch.ended(ending), iterations, NAME, dual, tuple(watch.trace))
    return _on_support(problem, found) if limits.tol <= _TIGHT else found


def _on_support(problem: Problem, found: Solution) -> Solution:
    """Return least squares of non-negative weights with one exact step over those above 0, where it stays among them.

    Falls of P below its rounding leave weights that matter little to about 1e-8. Cost: O(N·m²) for m weights.
    """
    support = np.flatnonzero(found.w[0] > 0.0)
    wanted = isinstance(problem.loss, Squared) and problem.penalty.nonnegative and not problem.penalty.l1
    if not wanted or not len(support) or len(problem.y) * len(support) ** 2 > _MOST:
        return found
    if isinstance(problem.rows, tuple):
        from scipy.sparse import csr_array

        *parts, d = problem.rows
        X = csr_array(tuple(parts), shape=(len(problem.y), d))[:, support].toarray()
    else:
        X = problem.rows[:, support]
    X = np.asarray(X, dtype=np.float64)
    A = np.column_stack([X, np.ones(len(X))]) if problem.intercept else X
    s = problem.scores(found.w, found.b)
    l2 = np.r_[np.full(len(support), problem.penalty.l2), np.zeros(int(problem.intercept))]
    now = np.r_[found.w[0, support], found.b if problem.intercept else []]
    slope = A.T @ (problem.c * problem.loss.slope(problem.y, s)) + l2 * now
    step = np.linalg.lstsq((A.T * problem.c) @ A + np.diag(l2), -slope, rcond=None)[0]
    after = now + step
    if not np.isfinite(after).all() or (after[: len(support)] <= 0.0).any():
        return found
    w, b = found.w.copy(), found.b.copy()
    w[0, support] = after[: len(support)]
    if problem.intercept:
        b[0] = after[-1]
    rise = problem.primal(w, problem.scores(w, b)) - problem.primal(found.w, s)
    return replace(found, w=w, b=b) if rise <= 1e-14 * abs(problem.null) else found
