"""Tables of models beside scikit-learn's, as benchmarks/studies/side_by_side.py records them, and what pages say of all
of them together."""

from __future__ import annotations

from statistics import median
from typing import Any

from study_filters import hundredths, nats, ratio, table, thousands

from deciban.certificates.intervals import clopper_pearson

TITLES = ("model", "error, %", "log loss", "scikit-learn", "error, %", "log loss", "fit ×", "predict ×")


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the models by set, with the share of errors of either side; chapters; and the times of all rows."""
    sets = {
        name: {model: {**row, **_sides(row)} for model, row in each["models"].items()}
        for name, each in numbers["sets"].items()
    }
    compared = [row for rows in sets.values() for row in rows.values() if "theirs" in row]
    times = {what: [row["times"][what] for row in compared] for what in ("fit", "predict")}
    return {
        **sets,
        "chapter": lambda name: f"{about(numbers['sets'][name])}\n\n{_table(sets[name])}",
        "rows": len(compared),
        "equal": sum(row["ours"]["errors"] == row["theirs"]["errors"] for row in compared),
        "quicker": {what: sum(each > 1 for each in found) for what, found in times.items()},
        "middle": {what: median(found) for what, found in times.items()},
    }


def _sides(row: dict[str, Any]) -> dict[str, Any]:
    sides = {side: row[side] for side in ("ours", "theirs") if side in row}
    return {side: {**each, "error": each["errors"] / each["n"]} for side, each in sides.items()}


def about(size: dict[str, Any]) -> str:
    """Return how much there is, in a sentence."""
    learnt = thousands(size["learnt"])
    learnt += " texts" if size["features"] is None else f" × {thousands(size['features'])}"
    turns = f" in each of {size['folds']} folds" if size["folds"] > 1 else ""
    return f"{learnt} to learn from, {thousands(size['held_out'])} held out{turns}, {size['classes']} classes."


def _table(models: dict[str, Any]) -> str:
    return table(TITLES, (_line(model, row) for model, row in models.items()))


def _line(model: str, row: dict[str, Any]) -> list[str]:
    ours = [model, *_cells(row["ours"])]
    if "theirs" in row:
        return [*ours, row["rival"], *_cells(row["theirs"]), ratio(row["times"]["fit"]), ratio(row["times"]["predict"])]
    return [*ours, row["rival"], "refuses", "", "", ""] if "rival" in row else [*ours, "", "", "", "", ""]


def _cells(side: dict[str, Any]) -> tuple[str, str]:
    low, high = clopper_pearson(side["errors"], side["n"])
    stopped = "" if side["ended"] else "†"
    error = 100 * side["errors"] / side["n"]
    return f"{error:.2f}{stopped} ({hundredths(low)}–{hundredths(high)})", nats(side["log_loss"])
