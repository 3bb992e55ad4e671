"""Values that docs/studies/calibration.md names, from the numbers of benchmarks/studies/calibration.json."""

from __future__ import annotations

from collections import Counter
from statistics import fmean
from typing import Any

from study_filters import hundredths, nats, table, thousands

TITLES = ("model", "calibration", "error, %", "log loss", "ECE, %")
OURS = ("temperature", "platt", "beta", "isotonic")


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the methods by set and model, a chapter of each set, and counts over all cases."""
    sets = {
        name: {model: with_errors(each["methods"]) for model, each in found["models"].items()}
        for name, found in numbers["sets"].items()
    }
    cases = [methods for models in sets.values() for methods in models.values()]
    autos = [each["auto"] for found in numbers["sets"].values() for each in found["models"].values()]
    pairs = zip(cases, autos, strict=True)
    moved = [methods["temperature"]["errors"] - methods["none"]["errors"] for methods in cases]
    return {
        **sets,
        "chapter": lambda name: chapter(numbers["sets"][name]),
        "stream": table(("calibration", "feedback", "log loss"), stream(numbers["feedback"]["methods"])),
        "cases": len(cases),
        "within": sum(each[auto]["log_loss"] <= 1.01 * min(each[m]["log_loss"] for m in OURS) for each, auto in pairs),
        "wins": lambda ours, theirs: sum(shown(each[ours]) < shown(each[theirs]) for each in cases),
        "gained": gained(numbers["sets"]),
        "moved": max(map(abs, moved)),
        "taken": len(set(autos)),
        "took": sorted(Counter(autos).items()),
    }


def shown(method: dict[str, Any]) -> float:
    """Return a log loss to the digits that the tables show."""
    return round(float(method["log_loss"]), 4)


def gained(sets: dict[str, Any]) -> dict[str, float]:
    """Return by how many nats what "auto" took lowers the log loss of a model, in the mean over sets."""
    won: dict[str, list[float]] = {}
    for found in sets.values():
        for model, each in found["models"].items():
            methods = each["methods"]
            won.setdefault(model, []).append(methods["none"]["log_loss"] - methods[each["auto"]]["log_loss"])
    return {model: fmean(several) for model, several in won.items()}


def with_errors(methods: dict[str, Any]) -> dict[str, Any]:
    """Return methods with their shares of errors."""
    return {method: {**each, "error": each["errors"] / each["n"]} for method, each in methods.items()}


def chapter(found: dict[str, Any]) -> str:
    """Return how much there is, and the table of a set; what "auto" takes bears a star."""
    rows = [
        [
            model,
            method + (" \\*" if method == each["auto"] else ""),
            hundredths(row["errors"] / row["n"]),
            nats(row["log_loss"], 4),
            hundredths(row["ece"]),
        ]
        for model, each in found["models"].items()
        for method, row in each["methods"].items()
    ]
    sizes = f"{thousands(found['learnt'])} examples to learn from, {thousands(found['held_out'])} held out."
    return f"{sizes}\n\n{table(TITLES, rows)}"


def stream(methods: dict[str, dict[str, float]]) -> list[list[str]]:
    """Return the rows of the stream."""
    return [[method, how, nats(loss, 4)] for method, each in methods.items() for how, loss in each.items()]
