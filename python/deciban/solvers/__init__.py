"""Solvers: each takes a `Problem` and `Limits` and returns a `Solution`; none prints, warns, or loses what it has.

A solver is a module with a NAME, `refusal(problem)`, which says in one sentence what a problem lacks for it, and
`solve(problem, limits, start, seed)`. `auto` takes the first row of `TABLE` that fits; `choose` tells which and why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Protocol

from deciban.losses import Logistic
from deciban.threads import on_threads

from . import (
    closed_form,
    coordinate,
    crammer_singer,
    descent,
    dual_coordinate,
    hessian,
    interior_point,
    linear_programme,
    newton,
    perceptron,
    reweighted,
    smoothing,
)
from .descent import Descent
from .limits import Watch
from .problem import Limits, Problem, Solution, Status, Step, price_of_errors
from .reduction import Centred, Merged, Siblings, Turned

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

_BY_NAME = {solver.NAME: solver for solver in CATALOGUE}


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


@dataclass(frozen=True)
class Choice:
    """The solver that `auto` takes, with the reason.

    Parameters
    ----------
    name : str
        Name of the solver.
    why : str
        The reason, in one sentence.

    Examples
    --------
    >>> Choice("newton", "a smooth loss without a penalty").name
    'newton'
    """

    name: str
    why: str


# Iterations that the interior point method may take; where fewer are allowed, somebody wants no optimum.
# Numbers of dense rows beyond which descent over coordinates takes them as they come.
_LONG = 1 << 24
_STEPS = 50
# Fewer problems of the same examples are solved one by one.
_SIDE_BY_SIDE = 3


def _has_corners(problem: Problem) -> bool:
    return bool(problem.penalty.l1) or problem.penalty.nonnegative


TABLE: tuple[tuple[str, str, Callable[[Problem], bool]], ...] = (
    (closed_form.NAME, "a squared loss without kinks: one system of equations", lambda _: True),
    (crammer_singer.NAME, "many scores learnt together, the largest of which counts", lambda problem: problem.K > 1),
    (newton.NAME, "many scores learnt together, no kinks", lambda problem: problem.K > 1),
    (
        newton.NAME,
        f"a smooth loss and at most {hessian.DIRECT:,} features: the Hessian is cheap",
        lambda problem: problem.shape[1] <= hessian.DIRECT,
    ),
    (
        interior_point.NAME,
        f"a piecewise linear loss, a square in the penalty too small for dual ascent, at most {hessian.DIRECT:,} "
        "features: some 20 steps",
        lambda problem: problem.shape[1] < problem.shape[0] and interior_point.is_quicker(problem),
    ),
    (
        newton.NAME,
        "the logistic loss of one problem: few conjugate gradients, whatever C is",
        lambda problem: isinstance(problem.loss, Logistic) and problem.siblings is None,
    ),
    (dual_coordinate.NAME, "the penalty 'l2': each example's dual has a closed step", lambda _: True),
    (coordinate.NAME, "a smooth loss and a penalty with corners: most weights are 0", _has_corners),
    (newton.NAME, "a smooth loss without a penalty", lambda _: True),
    (linear_programme.NAME, "piecewise linear loss and penalty", lambda _: True),
    (interior_point.NAME, "a piecewise linear loss, a penalty with corners and a square", lambda _: True),
)
"""What `auto` goes through, top to bottom: a solver, why, and for which problems; those it cannot solve are passed."""


def decision_table() -> str:
    """Return the table of solvers and problems, by which `auto` chooses, as text.

    Returns
    -------
    str
        A numbered line for each row of `TABLE`.

    Examples
    --------
    >>> print(decision_table().splitlines()[0])
    1. closed-form: a squared loss without kinks: one system of equations
    """
    return "\n".join(f"{k}. {name}: {why}" for k, (name, why, _) in enumerate(TABLE, 1))


def choose(problem: Problem) -> Choice:
    """Choose the solver of a problem: the first row of `TABLE` that suits it.

    Parameters
    ----------
    problem : Problem
        The problem.

    Returns
    -------
    Choice
        The solver and the reason.

    Raises
    ------
    ValueError
        If no solver can minimise it; the message has the reason of each.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban import losses, penalties
    >>> rows = np.array([[0.0], [1.0], [2.0]])
    >>> choose(Problem(rows, np.ones(3), np.ones(3), losses.Squared(), penalties.L2())).name
    'closed-form'
    """
    for name, why, suits in TABLE:
        if suits(problem) and refusal(_BY_NAME[name], problem) is None:
            return Choice(name, why)
    reasons = "; ".join(f"{solver.NAME!r} {refusal(solver, problem)}" for solver in CATALOGUE)
    raise ValueError(f"no solver minimises {problem.loss.name!r} with {problem.penalty.name!r}: {reasons}")


def refusal(solver: Any, problem: Problem) -> str | None:
    """Return what the problem lacks for the solver, or None. Few know of weights that may not be below 0: these say so
    by `NONNEGATIVE`."""
    if problem.penalty.nonnegative and not getattr(solver, "NONNEGATIVE", False):
        return "knows no bounds of weights: weights ≥ 0 need the solver 'coordinate' and a smooth loss"
    found: str | None = solver.refusal(problem)
    return found


@on_threads
def solve(
    problem: Problem, limits: Limits, solver: str | Solver = "auto", start: Solution | None = None, seed: int = 0
) -> Solution:
    """Minimise a problem, and return the best weights.

    Parameters
    ----------
    problem : Problem
        The problem.
    limits : Limits
        When to stop.
    solver : str or Solver, default="auto"
        A name in `CATALOGUE`, a solver with settings of its own, or "auto" for the choice of `TABLE`.
    start : Solution, optional
        Where to start.
    seed : int, default=0
        Seed of solvers that draw at random.

    Returns
    -------
    Solution
        Weights, intercepts, and how the solver ended.

    Raises
    ------
    ValueError
        If the solver is unknown, or cannot solve the problem.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban import losses, penalties
    >>> rows = np.array([[0.0], [1.0], [2.0]])
    >>> problem = Problem(rows, np.array([1.0, 3.0, 5.0]), np.ones(3), losses.Squared(), penalties.NoPenalty())
    >>> solve(problem, Limits()).w.round(6).tolist()
    [[2.0]]
    """
    centred = Centred.of(problem)
    if centred is not None:
        return centred.outward(_solve(centred.problem, limits, solver, centred.inward(start), seed))
    return _solve(problem, limits, solver, start, seed)


def _solve(problem: Problem, limits: Limits, solver: str | Solver, start: Solution | None, seed: int) -> Solution:
    if not isinstance(solver, str):
        return _by(solver, problem, limits, start, seed)
    if solver == "auto":
        return _by_choice(problem, limits, start, seed)
    if solver not in _BY_NAME:
        known = ", ".join(repr(each) for each in ("auto", *_BY_NAME))
        raise ValueError(f"solver must be one of {known}, got {solver!r}")
    return _by(_BY_NAME[solver], problem, limits, start, seed)


def _by_choice(problem: Problem, limits: Limits, start: Solution | None, seed: int) -> Solution:
    """Solve by the solver of the table; where order matters to it, the examples that differ.

    A weight must not choose another solver than the repetitions that it means.
    """
    solver = _BY_NAME[choose(problem).name]
    if not _is_sorted_for(solver, problem):
        return _by(solver, problem, limits, start, seed)
    merged = Merged.of_problem(problem)
    few, solver = merged.problem, _BY_NAME[choose(merged.problem).name]
    known = merged.inward(start)
    if solver is not dual_coordinate:
        return merged.outward(_run(solver, few, limits, known, seed))
    found = dual_coordinate.solve(few, _of_ascent(few, limits), known, seed)
    return merged.outward(_or_by_interior_points(few, found, limits, seed))


def _is_sorted_for(solver: Solver, problem: Problem) -> bool:
    """Return whether the solver sees equal examples as one, and all in the order of their values: what it returns hangs
    on it. To descent over columns it is worth less than the sort takes where dense rows are many: rounding changes."""
    long = solver is coordinate and not problem.sparse and problem.shape[0] * problem.shape[1] > _LONG
    return getattr(solver, "ORDERED", False) and not long


def _gives_way(few: Problem, limits: Limits) -> bool:
    """Return whether the interior point method may follow where dual ascent does not end."""
    return few.shape[1] < few.shape[0] and limits.max_iter >= _STEPS and refusal(interior_point, few) is None


def _of_ascent(few: Problem, limits: Limits) -> Limits:
    """Return the limits of dual ascent: of cheap errors it ends soon or late, and late is after `interior_point`."""
    soon = min(limits.max_iter, interior_point.PASSES)
    cheap = soon < limits.max_iter and 0.0 < price_of_errors(few) < interior_point.CHEAP
    return replace(limits, max_iter=soon) if cheap and _gives_way(few, limits) else limits


def _or_by_interior_points(few: Problem, found: Solution, limits: Limits, seed: int) -> Solution:
    """Return what dual ascent found; of problems far worse than their price tells, which no rule sees beforehand, what
    the interior point method does."""
    late = found.status is Status.EXHAUSTED and _gives_way(few, limits)
    return interior_point.solve(few, limits, None, seed) if late else found


@on_threads
def solve_each(
    problems: Sequence[Problem], limits: Limits, solver: str | Solver, starts: Sequence[Solution | None], seed: int
) -> list[Solution]:
    """Minimise problems that differ in their targets alone, at most `dual_coordinate.LANES`.

    Parameters
    ----------
    problems : sequence of Problem
        The problems, which are `reduction.Siblings`.
    limits : Limits
        When to stop, of each.
    solver : str or Solver
        As for `solve`.
    starts : sequence of Solution or None
        Where each starts.
    seed : int
        Seed of solvers that draw at random.

    Returns
    -------
    list of Solution
        What `solve` returns for each, within the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban import losses, penalties
    >>> from deciban.solvers.reduction import Siblings
    >>> rows, c = np.array([[-1.0], [1.0], [2.0]]), np.ones(3)
    >>> targets = [np.array([1.0, -1.0, -1.0]), np.array([-1.0, -1.0, 1.0]), np.array([-1.0, 1.0, 1.0])]
    >>> each = [Problem(rows, y, c, losses.SquaredHinge(), penalties.L2()) for y in targets]
    >>> found = solve_each(Siblings.join(each), Limits(), "dual-coordinate", [None] * 3, 0)
    >>> all(np.allclose(one.w, solve(other, Limits()).w, atol=1e-3) for one, other in zip(found, each))
    True
    """
    merged = _merged_for_dual_ascent(problems, solver)
    if merged is None:
        pairs = zip(problems, starts, strict=True)
        return [solve(problem, limits, solver, start, seed) for problem, start in pairs]
    inward = [each.inward(start) for each, start in zip(merged, starts, strict=True)]
    ascent = _of_ascent(merged[0].problem, limits) if solver == "auto" else limits
    found = dual_coordinate.solve_each([each.problem for each in merged], ascent, inward, seed)
    if solver == "auto":
        found = [
            _or_by_interior_points(each.problem, own, limits, seed) for each, own in zip(merged, found, strict=True)
        ]
    return [each.outward(own) for each, own in zip(merged, found, strict=True)]


def _merged_for_dual_ascent(problems: Sequence[Problem], solver: str | Solver) -> list[Merged] | None:
    """Return siblings merged, if dual ascent solves them side by side; else None."""
    first = problems[0]
    known = isinstance(first.siblings, Siblings) and isinstance(first.loss, dual_coordinate.TOGETHER)
    if solver not in ("auto", dual_coordinate.NAME) or not known or len(problems) < _SIDE_BY_SIDE:
        return None
    if refusal(dual_coordinate, first) is not None or Centred.of(first) is not None:
        return None
    if solver == "auto" and choose(first).name != dual_coordinate.NAME:
        return None
    merged = [Merged.of_problem(each) for each in problems]
    chosen = solver != "auto" or choose(merged[0].problem).name == dual_coordinate.NAME
    return merged if chosen and all(each.problem.rows is merged[0].problem.rows for each in merged) else None


def _by(solver: Any, problem: Problem, limits: Limits, start: Solution | None, seed: int) -> Solution:
    refused = refusal(solver, problem)
    if refused:
        raise ValueError(f"solver {solver.NAME!r} {refused}")
    if _is_sorted_for(solver, problem):
        merged = Merged.of_problem(problem)
        return merged.outward(_run(solver, merged.problem, limits, merged.inward(start), seed))
    return _run(solver, problem, limits, start, seed)


def _run(solver: Any, problem: Problem, limits: Limits, start: Solution | None, seed: int) -> Solution:
    """Return what a solver makes of the problem; one that solves systems of d equations sees few rows turned."""
    turned = Turned.of(problem) if getattr(solver, "CUBIC", False) else None
    if turned is not None:
        return turned.outward(solver.solve(turned.problem, limits, turned.inward(start), seed))
    solution: Solution = solver.solve(problem, limits, start, seed)
    return solution


__all__ = [
    "CATALOGUE",
    "TABLE",
    "Choice",
    "Descent",
    "Limits",
    "Problem",
    "Solution",
    "Solver",
    "Status",
    "Step",
    "Watch",
    "choose",
    "decision_table",
    "solve",
    "solve_each",
]
