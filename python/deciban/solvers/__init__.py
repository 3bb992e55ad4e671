"""Solvers: each takes a `Problem` and `Limits` and returns a `Solution`; none prints, warns, or loses what it has.

A solver is a module with a NAME, `refusal(problem)`, which says in one sentence what a problem lacks for it, and
`solve(problem, limits, start, seed)`. `auto` takes the first row of `TABLE` that fits; `choose` tells which and why.
"""

from __future__ import annotations

from collections.abc import Sequence

from deciban.threads import on_threads

from . import dual_coordinate
from .auto import TABLE, Choice, choose, decision_table, limits_of_ascent, or_what_follows, solve_by_choice
from .catalogue import BY_NAME, CATALOGUE, Solver, refusal, run_on_merged
from .descent import Descent
from .limits import Watch
from .lone import Gathered
from .problem import Limits, Problem, Solution, Status, Step
from .reduction import Centred, Merged, Siblings

# Fewer problems of the same examples are solved one by one.
_SIDE_BY_SIDE = 3


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
    problem = problem.written_out()
    centred = Centred.of(problem)
    if centred is not None:
        return centred.solve(lambda near, known: _solve(near, limits, solver, known, seed), start)
    return _solve(problem, limits, solver, start, seed)


def _solve(problem: Problem, limits: Limits, solver: str | Solver, start: Solution | None, seed: int) -> Solution:
    if not isinstance(solver, str):
        return run_on_merged(solver, problem, limits, start, seed)
    if solver == "auto":
        return solve_by_choice(problem, limits, start, seed)
    if solver not in BY_NAME:
        known = ", ".join(repr(each) for each in ("auto", *BY_NAME))
        raise ValueError(f"solver must be one of {known}, got {solver!r}")
    return run_on_merged(BY_NAME[solver], problem, limits, start, seed)


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
    merged = _merged_for_dual_ascent(problems, solver, limits)
    if merged is None:
        pairs = zip(problems, starts, strict=True)
        return [solve(problem, limits, solver, start, seed) for problem, start in pairs]
    few = [each.problem for each in merged]
    known = [None if start is None else each.inward(start) for each, start in zip(merged, starts, strict=True)]
    ascent = limits_of_ascent(few[0], limits) if solver == "auto" else limits
    found = _ascend_each(few, ascent, known, seed)
    if solver == "auto":
        found = [or_what_follows(each, own, limits, seed) for each, own in zip(few, found, strict=True)]
    return [each.outward(own) for each, own in zip(merged, found, strict=True)]


def _ascend_each(few: list[Problem], limits: Limits, starts: list[Solution | None], seed: int) -> list[Solution]:
    """Return what dual ascent makes of problems of the same rows, whose lone columns are gathered once for all."""
    gathered = Gathered.of_each(few)
    if gathered is None:
        return dual_coordinate.solve_each(few, limits, starts, seed)
    inside = [None if start is None else each.inward(start) for each, start in zip(gathered, starts, strict=True)]
    found = dual_coordinate.solve_each([each.problem for each in gathered], limits, inside, seed)
    return [each.outward(own) for each, own in zip(gathered, found, strict=True)]


def ascend_together(problems: Sequence[Problem], solver: str | Solver, limits: Limits) -> bool:
    """Return whether dual ascent may solve siblings side by side, each row that is read serving all."""
    first = problems[0]
    known = isinstance(first.siblings, Siblings) and first.siblings.have(first)
    known = known and isinstance(first.loss, dual_coordinate.TOGETHER)
    if solver not in ("auto", dual_coordinate.NAME) or not known or len(problems) < _SIDE_BY_SIDE:
        return False
    if refusal(dual_coordinate, first) is not None or Centred.of(first) is not None:
        return False
    return solver != "auto" or choose(first, limits).name == dual_coordinate.NAME


def _merged_for_dual_ascent(problems: Sequence[Problem], solver: str | Solver, limits: Limits) -> list[Merged] | None:
    """Return siblings merged, if dual ascent solves them side by side; else None."""
    if not ascend_together(problems, solver, limits):
        return None
    merged = [Merged.of_problem(each) for each in problems]
    chosen = solver != "auto" or choose(merged[0].problem, limits).name == dual_coordinate.NAME
    return merged if chosen and all(each.problem.rows is merged[0].problem.rows for each in merged) else None


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
