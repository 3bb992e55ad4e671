"""Writes docs/linear.md: every linear model on real data, beside scikit-learn's counterpart.

python docs/linear.py

The data are read from where the benchmarks read theirs; without them nothing is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judging import Found, Judged, Row, ratio, write
from linear_cases import IMAGES, ITERATIONS, NUMBERS, PASSES, REVIEWS, SETS
from linear_prose import INTRODUCTION, READING


def took(judged: Judged | None) -> str:
    """Seconds to fit and to predict together."""
    if judged is None:
        return ""
    seconds = sum(judged.seconds)
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def compared(found: Found) -> dict[str, Any]:
    """What the prose says of both sides together."""
    alike = [
        (row.ours, row.theirs)
        for name in NUMBERS
        for row in found[name].values()
        if row.theirs and not row.model.startswith("perceptron")
    ]
    rows = [row for each in found.values() for row in each.values()]
    return {
        "alike": len(alike),
        "less": sum(ours.errors < theirs.errors for ours, theirs in alike),
        "same": sum(ours.errors == theirs.errors for ours, theirs in alike),
        "more": sum(ours.errors > theirs.errors for ours, theirs in alike),
        "apart": f"{max(100 * abs(ours.errors - theirs.errors) / ours.n for ours, theirs in alike):.2f}",
        "stopped": sum(not row.theirs.ended for row in rows if row.theirs) or "none",
        "ours_stopped": sum(not row.ours.ended for row in rows) or "none",
        "slowest": slowest(found),
        "took": {
            f"{name}, {model}": (took(row.ours), took(row.theirs))
            for name, each in found.items()
            for model, row in each.items()
        },
        "passes": PASSES,
        "iterations": f"{ITERATIONS:,}",
        "images": f"{IMAGES:,}",
        "reviews": f"{REVIEWS:,}",
    }


def slowest(found: Found) -> str:
    """The fit that compares worst."""
    rows: list[tuple[str, Row]] = [(name, row) for name in NUMBERS for row in found[name].values() if row.theirs]
    name, row = min(rows, key=lambda each: each[1].times[0])
    return f"{row.model}, on {SETS[name][0].partition(':')[0]} ({ratio(row.times[0])} ×)"


if __name__ == "__main__":
    write(Path(__file__).with_suffix(".md"), SETS, (INTRODUCTION, READING), compared)
