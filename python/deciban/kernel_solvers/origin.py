"""Machines of the linear kernel whose rows are far from the origin, solved about the middle of the rows.

Where Σ β = 0, a shift of all rows changes no score but by a constant, which b takes up; inner products of rows that
are far from the origin have no digits left for how the rows differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from deciban.inner_product import dot
from deciban.kernels import Linear
from deciban.kernels.evaluation import linear_weights

from .problem import KernelProblem, KernelSolution

# The middle is far where its square is so many times the mean square of the distances from it.
_FAR = 16.0


def about_the_middle(problem: KernelProblem) -> tuple[KernelProblem, Callable[[KernelSolution], KernelSolution]]:
    """Return the problem of the rows less their middle, where that is far and does not matter, and what makes a
    solution of it one of the problem given."""
    X = problem.X
    if not isinstance(problem.kernel, Linear) or not isinstance(X, np.ndarray) or problem.sums.sum() or not X.size:
        return problem, lambda solution: solution
    first = X[0].astype(np.float64)
    away = X - first
    offset = away.mean(axis=0, dtype=np.float64)
    middle = first + offset
    spread = float(np.square(away).sum(dtype=np.float64)) / len(X) - dot(offset, offset)
    if not dot(middle, middle) > _FAR * spread > 0.0:
        return problem, lambda solution: solution

    def own(solution: KernelSolution) -> KernelSolution:
        of_rows = problem.of_rows(solution.beta)
        held = np.flatnonzero(of_rows)
        shift = dot(linear_weights(X[held], of_rows[held, None])[0], middle) if len(held) else 0.0
        gradient = None if solution.gradient is None else solution.gradient + shift
        return replace(solution, b=solution.b - shift, gradient=gradient)

    return replace(problem, X=away - offset), own
