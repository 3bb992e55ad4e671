"""The ε-insensitive loss as two hinges, for solvers of piecewise linear losses of two lines.

max(0, |y − s| − ε)  =  max(0, 1 − (s + o))  +  max(0, 1 + (s + o')),      o = 1 − (y − ε),   o' = −1 − (y + ε)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix, vstack

from deciban.losses import EpsilonInsensitive, Hinge

from .problem import Limits, Problem, Solution


def solve_as_hinges(
    problem: Problem, limits: Limits, seed: int, solve: Callable[[Problem, Limits, Solution | None, int], Solution]
) -> Solution:
    """Return the solution of a problem with the loss 'epsilon_insensitive', which `solve` finds as one of hinges."""
    assert isinstance(problem.loss, EpsilonInsensitive)
    y, epsilon, N = problem.y, problem.loss.epsilon, len(problem.y)
    given = np.zeros(N) if problem.offset is None else problem.offset
    doubled = replace(
        problem,
        rows=_twice(problem),
        y=np.repeat([1.0, -1.0], N),
        c=np.append(problem.c, problem.c),
        loss=Hinge(),
        offset=np.append(1.0 - (y - epsilon) + given, -1.0 - (y + epsilon) + given),
    )
    found = solve(doubled, limits, None, seed)
    return found if found.dual is None else replace(found, dual=found.dual[:N] + found.dual[N:])


def _twice(problem: Problem) -> object:
    if not problem.sparse:
        return np.concatenate([problem.rows, problem.rows])
    X = csr_matrix(problem.rows[:3], shape=problem.shape)
    X = vstack([X, X], format="csr")
    index = problem.rows[1].dtype
    return X.data, X.indices.astype(index), X.indptr.astype(problem.rows[2].dtype), problem.rows[3]
