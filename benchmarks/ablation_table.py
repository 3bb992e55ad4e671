"""Records of ablation.py as tables: a row for each step left out, a column for each disguise."""

from __future__ import annotations

from statistics import mean
from typing import Any

VIEWS = ("content", "whole")
SHOWN = {"content": 5.0, "whole": 1.0}
"""Changes of at least so many points are shown in a short table."""


def share(found: dict[str, Any], view: str, form: str) -> float:
    """The share of spam that is caught in a form, in per cent, the mean of the corpora."""
    return 100.0 * float(mean(corpus[view]["caught"][form] for corpus in found.values()))


def area(found: dict[str, Any], view: str) -> float:
    """(1 − ROCA)% of mail as it came, the mean of the corpora."""
    return float(mean(corpus[view]["as_it_came"]["one_minus_roca_percent"] for corpus in found.values()))


def forms(record: dict[str, Any]) -> list[str]:
    """The forms of spam that were tried."""
    return list(next(iter(record["all"].values()))[VIEWS[0]]["caught"])


def changes(record: dict[str, Any], view: str, step: str) -> dict[str, float]:
    """By how many points more or less is caught without a step, by form."""
    without = record["without"][step]
    return {form: share(without, view, form) - share(record["all"], view, form) for form in forms(record)}


def cells(record: dict[str, Any]) -> list[list[str]]:
    """A short table: for each step the forms in which its loss tells, all spam as it came, and (1 − ROCA)%."""
    head = ["Left out"]
    rows = [["nothing"], *([step] for step in record["without"])]
    for view, least in SHOWN.items():
        of = {"content": "content alone", "whole": "whole messages"}[view]
        head += [f"{of}: disguises, {least:.0f} or more", "any spam", "(1 − ROCA)%"]
        rows[0] += ["", f"{share(record['all'], view, 'any spam'):.1f} %", f"{area(record['all'], view):.3f}"]
        for row, (step, without) in zip(rows[1:], record["without"].items(), strict=True):
            change = changes(record, view, step)
            told = [(each, form) for form, each in change.items() if abs(each) >= least and form != "any spam"]
            shown = ", ".join(f"{form} {signed(each)}" for each, form in sorted(told))
            row += [shown, signed(change["any spam"]), f"{area(without, view):.3f}"]
    return [head, *rows]


def signed(change: float) -> str:
    """A change with its sign, to a tenth of a point."""
    return f"{change:+.1f}".replace("-", "−") if abs(change) >= 0.05 else "0"


def plain(record: dict[str, Any], view: str) -> str:
    """The whole table, with numbers for names of forms."""
    names = forms(record)
    lines = [f"{view}: points caught more or less, mean of the corpora; and (1 - ROCA)%"]
    lines += [f"  {number:2} {name}" for number, name in enumerate(names)]
    head = "".join(f"{number:7}" for number in range(len(names)))
    lines.append(f"{'':26}{head}   1-ROCA")
    everything = "".join(f"{share(record['all'], view, name):7.1f}" for name in names)
    lines.append(f"{'all steps':26}{everything} {area(record['all'], view):8.4f}")
    for step, without in record["without"].items():
        changed = "".join(f"{change:+7.1f}" for change in changes(record, view, step).values())
        lines.append(f"{step:26}{changed} {area(without, view) - area(record['all'], view):+8.4f}")
    return "\n".join(lines)
