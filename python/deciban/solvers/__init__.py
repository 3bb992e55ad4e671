"""Solvers: each takes a `Problem` and `Limits` and returns a `Solution`; none prints, warns, or loses what it has.

A solver is a module with a NAME, `refusal(problem)`, which says in one sentence what a problem lacks for it, and
`solve(problem, limits, start, seed)`. `auto` takes the first row of `TABLE` that fits; `choose` tells which and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from . import dual_coordinate, newton
from .problem import Limits, Problem, Solution, Status, Step
from .watch import Watch

CATALOGUE: tuple[ModuleType, ...] = (newton, dual_coordinate)

_BY_NAME = {solver.NAME: solver for solver in CATALOGUE}


@dataclass(frozen=True)
class Choice:
    """The solver that `auto` takes, and the sentence that says why."""

    name: str
    why: str


def choose(problem: Problem) -> Choice:
    """What `auto` takes for this problem."""
    raise NotImplementedError


def solve(
    problem: Problem, limits: Limits, solver: str = "auto", start: Solution | None = None, seed: int = 0
) -> Solution:
    """The optimum by the solver of that name; ValueError where it cannot solve the problem."""
    name = choose(problem).name if solver == "auto" else solver
    if name not in _BY_NAME:
        known = ", ".join(repr(each) for each in ("auto", *_BY_NAME))
        raise ValueError(f"solver must be one of {known}, got {solver!r}")
    refused = _BY_NAME[name].refusal(problem)
    if refused:
        raise ValueError(f"solver {name!r} {refused}")
    solution: Solution = _BY_NAME[name].solve(problem, limits, start, seed)
    return solution


__all__ = ["CATALOGUE", "Choice", "Limits", "Problem", "Solution", "Status", "Step", "Watch", "choose", "solve"]
