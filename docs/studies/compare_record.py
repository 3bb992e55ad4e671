"""The second part of docs/studies/compare.md: every data set's comparison, from the newest record of
benchmarks/compare.py."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from study_filters import hundredths, listed, table, thousands

RECORDS = Path(__file__).parents[2] / "benchmarks" / "records"
GENERATIVE, LOGISTIC = ("naive-bayes", "discriminant"), "logistic"
HYBRID, BENT = "nbsvm", ("kernel-svm", "mlp")
"""What generative ratios and a discriminative machine make together; families whose boundary is no plane."""

SUMMARY = ("set", "rows", "classes", "least error", "not told apart from it", "generative, %", "logistic, %", "real?")
EVERY = ("model", "error, %", "log loss", "fit, s", "one example, µs", "size, kB", "error, % after learning")


@dataclass(frozen=True)
class Compared:
    """One data set of the record."""

    name: str
    title: str
    of: int
    found: Mapping[str, Any]

    @property
    def models(self) -> dict[str, Mapping[str, Any]]:
        """By name, in the order in which they were tried."""
        return {each["model"]: each for each in self.found["models"]}

    @property
    def generative(self) -> str:
        """The generative model that errs least."""
        return min((name for name in GENERATIVE if name in self.models), key=lambda name: self.models[name]["error"])

    def real(self, a: str, b: str) -> bool:
        """Whether the difference of two models is real."""
        return next(bool(pair["real"]) for pair in self.found["pairs"] if {pair["a"], pair["b"]} == {a, b})

    def ahead(self, place: int) -> float:
        """By how much logistic regression errs more than the best generative model at a point of the curve."""
        errors = {name: each["curve"][place]["error"] for name, each in self.models.items()}
        return float(errors[LOGISTIC] - min(errors[name] for name in GENERATIVE if name in errors))

    def others(self, key: str, model: str) -> list[float]:
        """Return what the other models have of `key`."""
        return [each[key] for name, each in self.models.items() if name != model and each[key] is not None]

    @property
    def fewest(self) -> int:
        """Examples of the smallest point of the curve."""
        return int(self.models[LOGISTIC]["curve"][0]["n"])


@dataclass(frozen=True)
class Sets:
    """All of a record."""

    sets: Sequence[Compared]

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Sets:
        """Those that were run."""
        return cls([Compared(n, each["title"], each["of"], each["comparison"]) for n, each in record["sets"].items()])

    def where(self, holds: Callable[[Compared], bool]) -> list[str]:
        """Return what the sets are called of which that is so."""
        return [each.title.partition(":")[0] for each in self.sets if holds(each)]

    def best(self, *models: str) -> list[str]:
        """Where one of these errs least."""
        return self.where(lambda each: each.found["best"] in models)

    def lowest(self, key: str, model: str) -> list[str]:
        """Where all others have more of `key` than the model."""
        return self.where(lambda each: all(each.models[model][key] < other for other in each.others(key, model)))

    def highest(self, key: str, model: str) -> list[str]:
        """Where all others have less."""
        return self.where(lambda each: all(each.models[model][key] > other for other in each.others(key, model)))

    @property
    def bent(self) -> list[str]:
        """Sets on which families whose boundary is no plane were tried."""
        return self.where(lambda each: any(name in each.models for name in BENT))

    @property
    def discriminative(self) -> list[str]:
        """Where logistic regression errs really less than the best generative model."""
        return self.where(lambda each: each.ahead(-1) < 0 and each.real(each.generative, LOGISTIC))

    @property
    def generative(self) -> list[str]:
        """The other way round."""
        return self.where(lambda each: each.ahead(-1) > 0 and each.real(each.generative, LOGISTIC))

    def leads(self, place: int) -> list[str]:
        """Where the best generative model errs less at a point of the curves, whether really or not."""
        return self.where(lambda each: each.ahead(place) > 0)

    def tied(self) -> list[str]:
        """Where a simpler model cannot be told from the best."""
        return self.where(lambda each: each.found["simplest"] != each.found["best"])


# --- the table ---------------------------------------------------------------------------------------------


def summary(each: Compared) -> list[str]:
    """A set in one row."""
    best = each.models[each.found["best"]]
    low, high = best["interval"]
    rows = f"{each.found['n']:,}" + ("" if each.found["n"] == each.of else f" of {each.of:,}")
    real = each.real(each.generative, LOGISTIC)
    return [
        each.title,
        rows,
        str(len(each.found["classes"])),
        f"{best['model']}: {hundredths(best['error'])} ({hundredths(low)}–{hundredths(high)})",
        ", ".join(each.found["not_distinguishable"]) or "–",
        f"{each.generative}: {hundredths(each.models[each.generative]['error'])}",
        hundredths(each.models[LOGISTIC]["error"]),
        "yes" if real else "no",
    ]


def full(each: Compared) -> Iterator[list[str]]:
    """A row a model."""
    for name, model in each.models.items():
        low, high = model["interval"]
        curve = ", ".join(f"{point['n']:,}: {100 * point['error']:.1f}" for point in model["curve"])
        yield [
            name,
            f"{hundredths(model['error'])} ({hundredths(low)}–{hundredths(high)})",
            "" if model["log_loss"] is None else f"{model['log_loss']:.3f}",
            f"{model['fit_seconds']:.2g}",
            f"{1e6 * model['predict_seconds']:.3g}",
            f"{model['size'] / 1000:,.0f}",
            curve,
        ]


# --- the page ----------------------------------------------------------------------------------------------


def newest() -> Path:
    """Return the newest record of all sets."""
    return max(RECORDS.glob("*-compare*.json"), key=lambda path: (path.name[:10], len(path.name), path.name))


def of_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template names of a record."""
    found = Sets.of_record(record)
    fewest = [each.fewest for each in found.sets]
    some = found.sets[0].found
    return {
        "where": {name: listed(titles) for name, titles in lists_of(found).items()},
        "n": {name: len(titles) for name, titles in lists_of(found).items()},
        "n_sets": len(found.sets),
        "fewest": {"low": min(fewest), "high": max(fewest)},
        "folds": some["folds"],
        "level": some["level"],
        "table_of_sets": table(SUMMARY, map(summary, found.sets)),
        "chapters": "\n\n".join(map(chapter, found.sets)),
    }


def lists_of(found: Sets) -> dict[str, list[str]]:
    """Return the sets of which something is so."""
    return {
        "discriminative": found.discriminative,
        "generative": found.generative,
        "leads_few": found.leads(0),
        "leads_all": found.leads(-1),
        "hybrid": found.best(HYBRID),
        "texts": found.where(lambda each: HYBRID in each.models),
        "tied": found.tied(),
        "quickest": found.lowest("fit_seconds", "naive-bayes"),
        "surest": found.highest("log_loss", "naive-bayes"),
        "bent": found.bent,
        "bent_best": found.best(*BENT),
    }


def chapter(each: Compared) -> str:
    """Return the comparison on a set: how much there is, which differences are real, and a row a model."""
    statement = re.sub(r"\bp ([<=]) ", "p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", each.found["statement"])
    rows = f"{thousands(each.found['n'])} rows, {len(each.found['classes'])} classes"
    return f"### {each.title}\n\n{rows}. {statement}\n\n{table(EVERY, full(each))}"
