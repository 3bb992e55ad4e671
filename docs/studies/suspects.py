"""Values that docs/studies/suspects.md names, from the numbers of benchmarks/studies/suspects.json."""

from __future__ import annotations

from typing import Any

from study_filters import percent, table, thousands

TITLES = ("model", "planted", "search", "first k", "listed", "right", "found", "said")


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the sets by name, a table of each, and how the searches compare over all rows."""
    sets = {name: each["models"] for name, each in numbers["sets"].items()}
    rows = [row for models in sets.values() for rates in models.values() for row in rates.values()]
    found = [first(models[model]["5 %"]) for models in sets.values() for model in models]
    apart = [abs(first(row) - first(row, search)) for row in rows for search in row["searches"]]
    return {
        **sets,
        "table_of": lambda name: table(TITLES, lines(sets[name])),
        "first": first,
        "rows": len(rows),
        "between_models": max(found) - min(found),
        "between_searches": max(apart),
        "naive": compare(rows, "p(label)"),
        "clean": compare(rows, "cleanlab"),
    }


def first(row: dict[str, Any], search: str = "Deciban") -> float:
    """Return the share of planted errors among the first k."""
    return float(row["searches"][search]["first"] / row["planted"])


def compare(rows: list[dict[str, Any]], other: str) -> dict[str, int]:
    """Return how often the first k hold more planted errors with Deciban than with another search, as many, fewer."""
    pairs = [(first(row), first(row, other)) for row in rows if other in row["searches"]]
    return {
        "more": sum(ours > theirs for ours, theirs in pairs),
        "same": sum(ours == theirs for ours, theirs in pairs),
        "fewer": sum(ours < theirs for ours, theirs in pairs),
    }


def lines(models: dict[str, Any]) -> list[list[str]]:
    """Return the rows of a table."""
    return [
        [model, f"{thousands(row['planted'])} ({rate})", search, percent(first(row, search)), *listed(row, found)]
        for model, rates in models.items()
        for rate, row in rates.items()
        for search, found in row["searches"].items()
    ]


def listed(row: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return what a search lists; nothing of one that only ranks."""
    if "listed" not in found:
        return [""] * 4
    hits = percent(found["hits"] / max(found["listed"], 1)), percent(found["hits"] / row["planted"])
    return [thousands(found["listed"]), *hits, thousands(found["wrong"])]
