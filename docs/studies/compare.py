"""Values of docs/studies/compare.md, from the numbers of benchmarks/studies/compare.json and of the newest record of
all data sets (compare_record.py); and its picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from math import copysign, inf, sqrt
from statistics import fmean, stdev
from typing import Any

from study_filters import hundredths, table, thousands

from deciban.report import svg

from .compare_picture import drawn
from .compare_record import newest, of_record

TITLES = {
    "normal": "simulated: normal classes, one covariance",
    "skewed": "simulated: long tails",
    "poisson": "simulated: Poisson counts, independent",
    "topics": "simulated: Poisson counts, ten topics",
    "cancer": "breast cancer",
    "sms": "SMS",
    "mail": "SpamAssassin: raw mail",
    "news": "20 Newsgroups: twenty classes",
}
EFFICIENCY = ("Δ", "least error, %", "discriminant, above it", "logistic, above it", "ratio", "Efron's efficiency")


class Curves:
    """Errors on examples held out, by problem, model and size, one a drawing."""

    def __init__(self, curves: dict[str, Any]) -> None:
        self._curves = curves

    def error(self, problem: str, model: str, size: int) -> float:
        """Return the mean share of errors."""
        curves = self._curves[problem]
        return fmean(curves["errors"][model][str(size)]) / float(curves["held_out"])

    def difference(self, problem: str, model: str, other: str, sizes: Sequence[int] = ()) -> float:
        """Return by how much the mean errors of two models differ at most, at these sizes or at all."""
        sizes = sizes or self.sizes(problem)
        return max(abs(self.error(problem, model, size) - self.error(problem, other, size)) for size in sizes)

    def lead(self, problem: str, model: str, other: str, sizes: Sequence[int]) -> float:
        """Return by how many of its standard errors a model errs less than another, at the size where it is least."""
        return min(-self._apart(problem, model, other, size) for size in sizes)

    def crossing(self, problem: str, first: str, then: str) -> int | None:
        """Return the size from which on `then` errs less; None where `first` does not begin better."""
        sizes = self.sizes(problem)
        ahead = [self.error(problem, then, size) < self.error(problem, first, size) for size in sizes]
        if ahead[0] or not ahead[-1]:
            return None
        return sizes[max(place for place, better in enumerate(ahead) if not better) + 1]

    def sizes(self, problem: str) -> list[int]:
        """Return the numbers of examples."""
        return [int(size) for size in next(iter(self._curves[problem]["errors"].values()))]

    def drawings(self, problem: str) -> int:
        """Return how often examples were drawn."""
        first = next(iter(self._curves[problem]["errors"].values()))
        return len(next(iter(first.values())))

    def _apart(self, problem: str, model: str, other: str, size: int) -> float:
        errors = self._curves[problem]["errors"]
        gap = [a - b for a, b in zip(errors[model][str(size)], errors[other][str(size)], strict=True)]
        deviation = stdev(gap) / sqrt(len(gap))
        mean = fmean(gap)
        return mean / deviation if deviation else copysign(inf, mean) if mean else 0.0


def records() -> dict[str, Any]:
    """Return the newest record of all data sets, and the name of its file."""
    path = newest()
    return {"record": json.loads(path.read_text(encoding="utf-8")), "record_file": path.name}


def derive(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the curves, the efficiencies, the tables, and what the record has."""
    curves = Curves(numbers["curves"])
    named = ("error", "difference", "lead", "crossing", "drawings")
    distances = numbers["efficiency"]["distances"].values()
    ratios = [each["discriminant"] / each["logistic"] for each in distances]
    return {
        **{name: getattr(curves, name) for name in named},
        "tables_of_curves": "\n\n".join(of_curves(name, each) for name, each in numbers["curves"].items()),
        "table_of_efficiency": table(EFFICIENCY, map(of_distance, numbers["efficiency"]["distances"].items())),
        "ratio_at": dict(zip(numbers["efficiency"]["distances"], ratios, strict=True)),
        "rises": max(b - a for a, b in pairwise(ratios)),
        "from_theory": max(abs(ratio - each["theory"]) for ratio, each in zip(ratios, distances, strict=True)),
        **of_record(numbers["record"]),
    }


def of_curves(name: str, curves: dict[str, Any]) -> str:
    """Return the numbers of a panel of the picture."""
    errors, held_out = curves["errors"], curves["held_out"]
    rows = [
        [model, *(hundredths(fmean(each) / held_out, 1) for each in sizes.values())] for model, sizes in errors.items()
    ]
    title = TITLES[name]
    about = f"{title[0].upper()}{title[1:]}, {thousands(held_out)} held out"
    sizes = next(iter(errors.values()))
    return f"{about}:\n\n{table(['error, %', *(thousands(int(size)) for size in sizes)], rows)}"


def of_distance(found: tuple[str, dict[str, float]]) -> list[str]:
    """Return the excess errors at a distance, and what their ratio would be."""
    distance, each = found
    return [
        distance,
        hundredths(each["best"]),
        hundredths(each["discriminant"], 3),
        hundredths(each["logistic"], 3),
        f"{each['discriminant'] / each['logistic']:.2f}",
        f"{each['theory']:.2f}",
    ]


def draw(numbers: dict[str, Any]) -> dict[str, str]:
    """Return the picture, by the name of its file."""
    return {"compare.svg": svg(drawn(numbers["curves"], TITLES))}
