"""Coordinate descent with working sets.

    min over w, b of   Σ c_i ℓ(y_i, x_i·w + b) + λ₁‖w‖₁ + ½λ₂‖w‖²,     ℓ smooth, λ₁ + λ₂ > 0 or all w_j ≥ 0

Steps of Newton's method that keep the penalty as it is (Yuan, Ho & Lin, JMLR 13, 2012, Algorithm 3; Lee, Sun &
Saunders, SIAM Journal on Optimization 24, 2014), each over the weights that are not zero and the worst offenders among
the others (Massias, Gramfort & Salmon, ICML 2018), with extrapolation (Bertrand & Massias, AISTATS 2021). The loops are
the core's (`crates/core/src/solve/coordinate.rs`).

Cost: an iteration reads X once for the slopes of all columns, and the columns of the working set a few times.
"""

from __future__ import annotations

import numpy as np

from deciban import _core
from deciban.losses import Huber, Logistic, Squared, SquaredEpsilonInsensitive, SquaredHinge

from .problem import Limits, Problem, Solution
from .watch import Watch

NAME = "coordinate"
EXACT = True
NONNEGATIVE = True
# The answer depends, within the tolerance, on how many examples there are: one with a weight, or its repetitions.
ORDERED = True
LOSSES = (Logistic, Squared, SquaredHinge, Huber, SquaredEpsilonInsensitive)


def refusal(problem: Problem) -> str | None:
    """What the problem lacks, or None."""
    if problem.K != 1 or not isinstance(problem.loss, LOSSES):
        return f"needs a smooth loss of one score, which {problem.loss.name!r} is not"
    if not (problem.penalty.l1 or problem.penalty.l2 or problem.penalty.nonnegative):
        return f"needs a penalty of some strength, which {problem.penalty.name!r} is not"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """The optimum; `start` may bring weights to begin from."""
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
        tol=limits.tol,
        max_iter=limits.max_iter,
        null=problem.null,
        floor=problem.floor,
        watch=watch,
        n_jobs=problem.n_jobs,
    )
    return Solution(w[None, :], np.array([b]), watch.ended(ending), iterations, NAME, dual, tuple(watch.trace))
