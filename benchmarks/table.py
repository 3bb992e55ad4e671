"""What is printed: medians and least of every side, ratios, floors, where our time goes, goals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from goals import AboveFloor, Outcome, Results
from kinds import Contest, Share
from measure import middle
from problems import Problem


def problem(
    asked: Problem,
    contest: Contest,
    results: Results,
    ratios: dict[str, dict[str, Any]],
    floors: Sequence[AboveFloor],
    where: Sequence[Share],
    goals: Sequence[Outcome],
) -> str:
    """The report of one problem."""
    runs = len(results["deciban"])
    parts = [f"\n{asked.name}: {asked.title}", f"  {_data(contest)}; {runs} run{'s' * (runs != 1)} of each, in turn"]
    parts += _indented(_medians(results))
    parts += _indented(_ratios(ratios))
    parts += [_floor(floor) for floor in floors]
    parts += [f"  {note}" for note in contest.notes]
    parts += ["  where our time goes (one more run):"]
    parts += _indented(_rows([[f"  {step}", f"{1000 * seconds:.1f} ms"] for step, seconds in where]))
    parts += [f"  {'reached    ' if one.reached else 'NOT REACHED'}  {one.goal}: {one.came}" for one in goals]
    return "\n".join(parts)


def summary(judged: dict[str, list[Outcome]], unfinished: dict[str, str]) -> str:
    """Every goal in one list, and what was not run and why (the first line of it)."""
    rows = [
        ["reached" if one.reached else "NOT REACHED", name, one.goal, one.came]
        for name, outcomes in judged.items()
        for one in outcomes
    ]
    reached = sum(row[0] == "reached" for row in rows)
    parts = [f"\n{reached} of {len(rows)} goals reached"] if rows else []
    parts += _indented(_rows(rows))
    parts += [f"  {why.splitlines()[0]}" for why in unfinished.values()]
    return "\n".join(parts)


def _data(contest: Contest) -> str:
    parts = []
    for part in ("train", "test"):
        count, size = contest.items[part], contest.bytes[part]
        amount = f"{size / 1e6:.3g} MB" if size >= 1e6 else f"{size / 1e3:.3g} kB"
        parts.append(f"{part}: {count:,} item{'s' * (count != 1)}, {amount}")
    return ", ".join(parts)


def _medians(results: Results) -> list[str]:
    names = list(results["deciban"][0])
    rows = [["median (least)", *names]]
    for side, runs in results.items():
        cells = (f"{_number(middle(runs, name))} ({_number(min(run[name] for run in runs))})" for name in names)
        rows.append([side, *cells])
    return _rows(_turned(rows))


def _ratios(ratios: dict[str, dict[str, Any]]) -> list[str]:
    rows = [["theirs ÷ ours", *next(iter(ratios.values()))]]
    for rival, measures in ratios.items():
        cells = (f"{times(r['value'])} ({times(r['low'])} to {times(r['high'])})" for r in measures.values())
        rows.append([rival, *cells])
    return ["", *_rows(_turned(rows))]


def _floor(floor: AboveFloor) -> str:
    return (
        f"  floor of {floor.measure} ({floor.work}, {floor.rate / 1e9:g} G{floor.unit}/s a core): "
        f"{1000 * floor.floor_one_s:.1f} ms on one core, {1000 * floor.floor_all_s:.1f} ms on all; "
        f"ours is {floor.times_one:.1f} × and {floor.times_all:.1f} × that"
    )


def times(value: float) -> str:
    """A ratio, as it is printed."""
    return f"{value:.1f} ×" if value >= 1 else f"{value:.2g} ×"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) >= 1 else f"{value:.4f}"


def _turned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _rows(rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]
