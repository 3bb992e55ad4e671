"""The solvers that there are, and how one of them is run."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Protocol

from . import (
    closed_form,
    coordinate,
    crammer_singer,
    descent,
    dual_coordinate,
    interior_point,
    linear_programme,
    newton,
    perceptron,
    reweighted,
    smoothing,
)
from .condensed import Condensed
from .lone import Gathered
from .problem import Limits, Problem, Solution
from .reduction import Merged, Reduction, Turned

CATALOGUE: tuple[ModuleType, ...] = (
    closed_form,
    newton,
    dual_coordinate,
    coordinate,
    reweighted,
    smoothing,
    interior_point,
    linear_programme,
    descent,
    crammer_singer,
    perceptron,
)

BY_NAME = {solver.NAME: solver for solver in CATALOGUE}

# Numbers of dense rows beyond which descent over coordinates takes them as they come.
_LONG = 1 << 24


class Solver(Protocol):
    """A solver: a module, or an object with settings of its own such as `Descent(batch=32)`.

    Attributes
    ----------
    NAME : str
        Name of the solver.
    EXACT : bool
        Whether it reaches any tolerance, given time.

    Examples
    --------
    >>> from deciban.solvers import CATALOGUE
    >>> "newton" in [solver.NAME for solver in CATALOGUE]
    True
    """

    NAME: str
    # Whether it reaches any tolerance, given time.
    EXACT: bool

    def refusal(self, problem: Problem) -> str | None:
        """Return what the problem lacks for this solver.

        Parameters
        ----------
        problem : Problem
            The problem.

        Returns
        -------
        str or None
            The reason for a refusal; None where there is none.
        """

    def solve(self, problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
        """Minimise the problem, and return the best weights found.

        Parameters
        ----------
        problem : Problem
            The problem.
        limits : Limits
            When to stop.
        start : Solution, optional
            Where to start.
        seed : int, default=0
            Seed of solvers that draw at random.

        Returns
        -------
        Solution
            Weights, intercepts, and how the solver ended.
        """


def refusal(solver: Any, problem: Problem) -> str | None:
    """Return what the problem lacks for the solver, or None. Few know of weights that may not be below 0: these say so
    by `NONNEGATIVE`."""
    if problem.penalty.nonnegative and not getattr(solver, "NONNEGATIVE", False):
        return "knows no bounds of weights: weights ≥ 0 need the solver 'coordinate' and a smooth loss"
    found: str | None = solver.refusal(problem)
    return found


def run_on_merged(solver: Any, problem: Problem, limits: Limits, start: Solution | None, seed: int) -> Solution:
    """Return what a solver makes of the problem; where order matters to it, of the examples that differ."""
    refused = refusal(solver, problem)
    if refused:
        raise ValueError(f"solver {solver.NAME!r} {refused}")
    if not is_sorted_for(solver, problem):
        return run(solver, problem, limits, start, seed)
    return Merged.of_problem(problem).solve(lambda few, known: run(solver, few, limits, known, seed), start)


def is_sorted_for(solver: Any, problem: Problem) -> bool:
    """Return whether the solver sees equal examples as one, and all in the order of their values: what it returns hangs
    on it. To descent over columns it is worth less than the sort takes where dense rows are many or condensed: rounding
    changes."""
    (N, d), by_columns = problem.shape, solver is coordinate and not problem.sparse
    long = by_columns and (N * d > _LONG or Condensed.suits(problem))
    return getattr(solver, "ORDERED", False) and not long


def run(solver: Any, problem: Problem, limits: Limits, start: Solution | None, seed: int) -> Solution:
    """Return what a solver makes of the problem; one that solves systems of d equations sees few rows turned, one that
    goes over rows sees their lone columns gathered, one that goes over columns sees least squares condensed."""
    seen: Reduction | None = Turned.of(problem) if getattr(solver, "CUBIC", False) else None
    if seen is None and getattr(solver, "BY_ROWS", False):
        seen = Gathered.of(problem)
    if seen is None and solver is coordinate:
        seen = Condensed.of(problem, limits)
    if seen is not None:
        return seen.solve(lambda fewer, known: solver.solve(fewer, limits, known, seed), start)
    solution: Solution = solver.solve(problem, limits, start, seed)
    return solution
