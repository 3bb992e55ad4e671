"""Values that docs/studies/linear.md names, from the numbers of benchmarks/studies/linear.json."""

from __future__ import annotations

from typing import Any

import model_tables

NUMBERS, TEXTS = ("a9a", "adult", "spambase", "cancer", "digits", "mnist"), ("news", "imdb", "korean", "mr")
"""Sets of numbers, on which both sides minimise the same, and of texts."""


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return what all such pages name, and how the two sides compare where they minimise the same."""
    known = model_tables.derive(numbers)
    compared = _compared(known, NUMBERS)
    alike = [
        (row["ours"]["errors"], row["theirs"]["errors"], row["ours"]["n"])
        for _, model, row in compared
        if not model.startswith("perceptron")
    ]
    every = [row for name in numbers["sets"] for row in known[name].values()]
    return {
        **known,
        "alike": len(alike),
        "less": sum(ours < theirs for ours, theirs, _ in alike),
        "same": sum(ours == theirs for ours, theirs, _ in alike),
        "more": sum(ours > theirs for ours, theirs, _ in alike),
        "apart": max(abs(ours - theirs) / n for ours, theirs, n in alike),
        "stopped": sum(not row["theirs"]["ended"] for row in every if "theirs" in row),
        "ours_stopped": sum(not row["ours"]["ended"] for row in every),
        "slowest": _slowest(compared),
        "slowest_text": _slowest(_compared(known, TEXTS)),
    }


def _compared(known: dict[str, Any], names: tuple[str, ...]) -> list[tuple[str, str, Any]]:
    return [(name, model, row) for name in names for model, row in known[name].items() if "theirs" in row]


def _slowest(compared: list[tuple[str, str, Any]]) -> dict[str, Any]:
    """Return the fit that compares worst."""
    name, model, row = min(compared, key=lambda each: each[2]["times"]["fit"])
    return {"set": name, "model": model, "times": row["times"]["fit"]}
