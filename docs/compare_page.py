"""docs/compare.md from its numbers: the learning curves in compare.json, and the newest record of the benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compare_cases import PROBLEMS, Curves
from compare_claims import Seen, told
from compare_curves import CURVE_CLAIMS, EFFICIENCY_CLAIMS
from compare_efficiency import EXAMPLES, FEATURES, REPEATS, Efficiency
from compare_picture import drawn
from compare_prose import CODE, CURVES, EFFICIENCY, FORMULA, HOW, INTRODUCTION, LINES, MEASURE, YOURSELF
from compare_sets import chapter
from judging import prose

HERE = Path(__file__).parent
NUMBERS, PICTURE = HERE / "compare.json", "compare.svg"
RECORDS = HERE.parent / "benchmarks" / "records"


def seen(numbers: Mapping[str, Any]) -> Seen:
    """What compare.json holds."""
    curves = {name: Curves.of_json(each) for name, each in numbers["curves"].items()}
    return Seen(curves, [Efficiency(**each) for each in numbers["efficiencies"]])


def numbers() -> dict[str, Any]:
    """compare.json."""
    kept: dict[str, Any] = json.loads(NUMBERS.read_text(encoding="utf-8"))
    return kept


def record() -> tuple[str, dict[str, Any]]:
    """The newest record of the benchmark of all sets, and the name of its file."""
    path = max(RECORDS.glob("*-compare*.json"), key=lambda path: (path.name[:10], len(path.name), path.name))
    return path.name, json.loads(path.read_text(encoding="utf-8"))


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown."""
    return "\n".join(
        [f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}", *(f"| {' | '.join(r)} |" for r in rows)]
    )


def of_curves(found: Seen) -> str:
    """The numbers of the picture."""
    parts = []
    for name, curves in found.curves.items():
        rows = [[model, *(f"{100 * share:.1f}" for share in curves.shares(model)[0])] for model in curves.errors]
        titles = ["error, %", *(f"{size:,}" for size in curves.sizes)]
        about = f"{PROBLEMS[name].title}, {curves.held_out:,} held out"
        parts.append(f"{about[0].upper()}{about[1:]}:\n\n{table(titles, rows)}")
    return "\n\n".join(parts)


def of_efficiencies(found: Seen) -> str:
    """The excess errors, and what their ratio would be."""
    titles = ["Δ", "least error, %", "discriminant, above it", "logistic, above it", "ratio", "Efron's efficiency"]
    rows = [
        [
            f"{each.distance:g}",
            f"{100 * each.best:.2f}",
            f"{100 * each.discriminant:.3f}",
            f"{100 * each.logistic:.3f}",
            f"{each.ratio:.2f}",
            f"{each.theory:.2f}",
        ]
        for each in found.efficiencies
    ]
    return table(titles, rows)


def written(found: Seen, recorded: tuple[str, Mapping[str, Any]]) -> str:
    """The page; UnfoundedError where it would say what is not so."""
    known = {
        **found.facts(),
        "drawings": {name: next(iter(each.errors.values())).shape[1] for name, each in found.curves.items()},
        "examples": EXAMPLES,
        "features": FEATURES,
        "repeats": REPEATS,
    }
    picture = f"![Errors over the number of examples, of generative and discriminative models]({PICTURE})"
    parts = [
        prose(INTRODUCTION, known),
        LINES,
        prose(CURVES, known),
        picture,
        prose(HOW, known),
        prose(told(CURVE_CLAIMS, found), known),
        of_curves(found),
        prose(EFFICIENCY, known),
        FORMULA,
        prose(MEASURE, known),
        of_efficiencies(found),
        prose(told(EFFICIENCY_CLAIMS, found), known),
        prose(YOURSELF, known),
        CODE,
        chapter(*recorded),
    ]
    return "\n\n".join(parts) + "\n"


def figure(found: Seen) -> Any:
    """The picture."""
    return drawn(found.curves)
