"""What was reached: goals against medians, as data that the table prints and the record keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinds import Contest
from measure import Numbers, middle, ratio
from problems import Agrees, Below, Faster, Goal, Problem

Results = dict[str, list[Numbers]]


@dataclass(frozen=True)
class Outcome:
    """One goal and what came."""

    goal: str
    came: str
    reached: bool


@dataclass(frozen=True)
class AboveFloor:
    """Our median beside what the machine allows on one core and on all."""

    measure: str
    work: str
    rate: float
    unit: str
    floor_one_s: float
    floor_all_s: float
    times_one: float
    times_all: float


def outcome(goal: Goal, results: Results) -> Outcome:
    """Judge one goal."""
    if isinstance(goal, Agrees):
        apart = middle(results[goal.rival], "apart")
        return Outcome(f"answers at most {goal.most:g} from {goal.rival}'s", f"{apart:.2g}", apart <= goal.most)
    ours = results["deciban"]
    mine = middle(ours, goal.measure)
    if isinstance(goal, Below):
        return Outcome(f"{goal.measure} below {goal.limit:g}", f"{mine:.4g}", mine < goal.limit)
    theirs = results[goal.rival]
    if isinstance(goal, Faster):
        found = ratio(ours, theirs, goal.measure)
        return Outcome(
            f"{goal.measure} at least {goal.times:g} × {goal.rival}",
            f"{found.value:.2f} × ({found.low:.2f} to {found.high:.2f})",
            found.value >= goal.times,
        )
    other = middle(theirs, goal.measure)
    reached = mine >= other if goal.better == "higher" else mine <= other
    return Outcome(f"{goal.measure} no worse than {goal.rival}", f"{mine:.5g} against {other:.5g}", reached)


def outcomes(problem: Problem, results: Results) -> list[Outcome]:
    """Judge every goal of a problem."""
    return [outcome(goal, results) for goal in problem.goals]


def above_floors(problem: Problem, contest: Contest, results: Results, cores: int) -> list[AboveFloor]:
    """How far above each floor we are."""
    found = []
    for floor in problem.floors:
        amount, unit = (contest.bytes[floor.corpus], "B") if floor.flop is None else (floor.flop, "FLOP")
        one = amount / floor.rate
        mine = middle(results["deciban"], floor.measure)
        found.append(
            AboveFloor(floor.measure, floor.work, floor.rate, unit, one, one / cores, mine / one, mine * cores / one)
        )
    return found


def ratios(results: Results) -> dict[str, dict[str, Any]]:
    """Theirs ÷ ours of every time, for every rival: of the medians, least and most of single pairs."""
    ours = results["deciban"]
    times = [name for name in ours[0] if name.endswith(("_s", "_ms")) and not name.endswith("_per_s")]
    return {
        rival: {name: vars(ratio(ours, theirs, name)) for name in times}
        for rival, theirs in results.items()
        if rival != "deciban"
    }
