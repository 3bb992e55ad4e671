"""Writes docs/suspects.md: planted label errors, and who finds them.

python docs/suspects.py

The data are read from where the benchmarks read theirs; without them nothing is written. Where cleanlab is installed
(`pip install cleanlab`), it searches, too.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from data_sets import SEED, MissingError
from judging import prose
from suspects_cases import FOLDS, RATES, SETS, Search, Searched, cleanlab_version, searched
from suspects_prose import INTRODUCTION, READING

TITLES = ("model", "planted", "search", "first k", "listed", "right", "found", "said")

Found = dict[str, dict[str, list[Searched]]]


def percent(share: float) -> str:
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def line(model: str, each: Searched, name: str, search: Search | None) -> str:
    """One row of a table."""
    if search is None:
        return ""
    planted = f"{search.planted:,} ({100 * each.rate:g} %)"
    told = [f"{search.listed:,}", percent(search.precision), percent(search.recall), f"{search.wrong:,.0f}"]
    return (
        " | ".join([f"| {model}", planted, name, percent(search.at_k), *(told if search.listed else [""] * 4)]) + " |"
    )


def table(rows: dict[str, list[Searched]]) -> str:
    """One data set."""
    lines = [f"| {' | '.join(TITLES)} |", f"|{' --- |' * len(TITLES)}"]
    for model, found in rows.items():
        for each in found:
            searches = {"Deciban": each.ours, "p(label)": each.naive, "cleanlab": each.cleanlab}
            lines += filter(None, (line(model, each, name, search) for name, search in searches.items()))
    return "\n".join(lines)


def told(each: Searched) -> Any:
    """What the prose names of a row."""
    ours = SimpleNamespace(
        at_k=percent(each.ours.at_k), said=f"{each.ours.wrong:,.0f}", planted=f"{each.ours.planted:,}"
    )
    return SimpleNamespace(ours=ours, gave=each.copies[0], copied=each.copies[1])


def facts(found: Found) -> dict[str, Any]:
    """What the prose names."""
    every = [each for models in found.values() for rows in models.values() for each in rows]
    known: dict[str, Any] = {
        name: {model: [told(each) for each in rows] for model, rows in models.items()} for name, models in found.items()
    }
    for name, theirs in (("naive", [e.naive for e in every]), ("clean", [e.cleanlab for e in every if e.cleanlab])):
        pairs = [(each.ours.at_k, other.at_k) for each, other in zip(every, theirs, strict=False)]
        known[f"better_{name}"] = sum(a > b for a, b in pairs)
        known[f"same_{name}"] = sum(a == b for a, b in pairs)
        known[f"worse_{name}"] = sum(a < b for a, b in pairs)
    version = f"cleanlab {cleanlab_version}" if cleanlab_version else "not installed where this page was written"
    return {**known, "rows": len(every), "folds": FOLDS, "seed": SEED, "cleanlab": version}


def measured() -> tuple[Found, list[str]]:
    """The rows by data set and model, and a chapter of each set."""
    found: Found = {}
    chapters = []
    for name, (title, load, models) in SETS.items():
        X, y = load()
        found[name] = {}
        for model, make in models.items():
            found[name][model] = [searched(make, X, y, rate) for rate in RATES]
            print(f"{name}, {model}: {found[name][model]}", file=sys.stderr, flush=True)
        chapters.append(f"## {title}\n\n{len(y):,} examples.\n\n{table(found[name])}")
    return found, chapters


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    try:
        found, chapters = measured()
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    texts = [prose(text, facts(found)) for text in (INTRODUCTION, READING)]
    Path(__file__).with_suffix(".md").write_text("\n\n".join([*texts, *chapters]) + "\n", encoding="utf-8")
