"""The second part of docs/compare.md: every data set's comparison, told from a record of benchmarks/compare.py."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compare_claims import Claim, told
from judging import prose

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
        """What the other models have of `key`."""
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
        """What the sets are called of which that is so."""
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


def listed(names: Sequence[str]) -> str:
    """In words; "none" of none."""
    head, tail = list(names[:-1]), list(names[-1:])
    return f"{', '.join(head)} and {tail[0]}" if head else (tail or ["none"])[0]


def percent(share: float) -> str:
    """Two digits, no sign."""
    return f"{100 * share:.2f}"


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
        f"{best['model']}: {percent(best['error'])} ({percent(low)}–{percent(high)})",
        ", ".join(each.found["not_distinguishable"]) or "–",
        f"{each.generative}: {percent(each.models[each.generative]['error'])}",
        percent(each.models[LOGISTIC]["error"]),
        "yes" if real else "no",
    ]


def full(each: Compared) -> Iterator[list[str]]:
    """A row a model."""
    for name, model in each.models.items():
        low, high = model["interval"]
        curve = ", ".join(f"{point['n']:,}: {100 * point['error']:.1f}" for point in model["curve"])
        yield [
            name,
            f"{percent(model['error'])} ({percent(low)}–{percent(high)})",
            "" if model["log_loss"] is None else f"{model['log_loss']:.3f}",
            f"{model['fit_seconds']:.2g}",
            f"{1e6 * model['predict_seconds']:.3g}",
            f"{model['size'] / 1000:,.0f}",
            curve,
        ]


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown."""
    return "\n".join(
        [f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}", *(f"| {' | '.join(r)} |" for r in rows)]
    )


# --- what is said ------------------------------------------------------------------------------------------

HEAD = """
## Every data set, every family

{sets} data sets went through `deciban compare` on {cores} cores of {processor} (`python benchmarks/compare.py
--record`; the numbers are those of `benchmarks/records/{file}`). Of each, so many rows as the table says, drawn at
random, the files' own split not looked at; {folds} folds, near-duplicates in the same one; every family as it comes,
nothing tuned. The error is of all rows, each judged by a model that did not learn it, with its 95 % interval (Clopper
& Pearson). A difference is *real* where McNemar's exact test on the same rows refuses chance at {level}, all pairs of
the set considered (Holm): of models like these, of this many examples. *Generative* is the better of naive Bayes and
the discriminant. The machine had other work, too (a load of {load}): times compare within a set.
"""

CLAIMS = (
    Claim(
        """
- **With all examples that there are here, logistic regression errs really less than the best generative model in
{n_discriminative} of {sets} sets**: {discriminative}. The other way round it is in {n_generative}: {generative}. In
the rest the difference could be chance.
""",
        lambda s: len(s.discriminative) > len(s.generative),
    ),
    Claim(
        """
- **Fewer examples favour assumptions.** With the smallest number of each curve, {fewest_low:,} to {fewest_high:,}
examples, the generative model errs less in {n_leads_few} of the sets; with all, in {n_leads_all}.
""",
        lambda s: len(s.leads(0)) > len(s.leads(-1)),
    ),
    Claim(
        """
- **Both together**: `nbsvm`, the ratios of naive Bayes as features of a discriminative machine, errs least in
{n_hybrid} of the {n_texts} sets of texts: {hybrid}.
""",
        lambda s: 2 * len(s.best(HYBRID)) > len(s.where(lambda each: HYBRID in each.models)),
    ),
    Claim(
        """
- **The best is seldom alone.** In {n_tied} of {sets} sets a simpler family cannot be told from the one that errs
least: {tied}. `deciban compare` says so, and names it.
""",
        lambda s: 2 * len(s.tied()) > len(s.sets),
    ),
    Claim(
        """
- **Naive Bayes is the quickest to learn** in {n_quickest} of {sets} sets, **and the worst judge of how sure it may
be**: in {n_surest} its log loss is the highest of all.
""",
        lambda s: (
            2 * len(s.lowest("fit_seconds", "naive-bayes")) > len(s.sets)
            and 2 * len(s.highest("log_loss", "naive-bayes")) > len(s.sets)
        ),
    ),
    Claim(
        """
- **Where the boundary is no plane, it pays to bend it**: kernel machine or network err least in {n_bent_best} of the
{n_bent} sets on which they were tried ({bent_best}).
""",
        lambda s: 2 * len(s.best(*BENT)) > len(s.bent),
    ),
)


def facts(file: str, record: Mapping[str, Any], found: Sets) -> dict[str, Any]:
    """What the paragraphs name."""
    lists = {
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
    fewest = [each.fewest for each in found.sets]
    some = found.sets[0].found
    return {
        **{name: listed(names) for name, names in lists.items()},
        **{f"n_{name}": len(names) for name, names in lists.items()},
        "sets": len(found.sets),
        "fewest_low": min(fewest),
        "fewest_high": max(fewest),
        "folds": some["folds"],
        "level": f"{100 * some['level']:g} %",
        "cores": record["machine"]["cores"],
        "processor": record["machine"]["processor"],
        "load": f"{record['machine']['load_average']:.0f}",
        "file": file,
    }


def chapter(file: str, record: Mapping[str, Any]) -> str:
    """The whole part; UnfoundedError where it would say what is not so."""
    found = Sets.of_record(record)
    known = facts(file, record, found)
    parts = [prose(HEAD, known), table(SUMMARY, list(map(summary, found.sets))), prose(told(CLAIMS, found), known)]
    for each in found.sets:
        rows = f"{each.found['n']:,} rows, {len(each.found['classes'])} classes"
        statement = re.sub(r"\bp ([<=]) ", "p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", each.found["statement"])
        said = textwrap.fill(f"{rows}. {statement}", 118, break_on_hyphens=False)
        parts += [f"### {each.title}", said, table(EVERY, list(full(each)))]
    return "\n\n".join(parts)
