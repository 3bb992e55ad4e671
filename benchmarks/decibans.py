"""Whether decibans are true: the default probabilities of every model on every set, beside the best in hindsight.

    python benchmarks/decibans.py [SET …] [--model MODEL] [--sizes 100 500 2000] [--record]

Each model learns so many examples, drawn at random, twenty of one class to one of the other, or, of TREC 2007, the
first to come, and classifies others. A cell that breaks a law is marked:

    log loss      at most the prior baseline's, and at most 1.1 times that of the best temperature in hindsight
    calibration   an expected error of at most 2 % over bins of equal size, beyond what chance does to true ones
    certainty     of verdicts claimed above 99.99 %, at most 0.05 % wrong, beyond chance at 5 %
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from compared_sets import SETS, Set
from run import begin_record, keep_record
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from deciban import TextClassifier
from deciban.evaluation.compare import rows_of
from deciban.scores import log_posterior
from deciban.table_models.recipes import recipe

TEXTS = ("naive-bayes", "nbsvm", "logistic", "svm", "perceptron", "least-squares", "online")
TABLES = ("naive-bayes", "discriminant", "logistic", "svm", "perceptron", "least-squares", "kernel-svm", "mlp")
SIZES, HELD_OUT, ODDS, BINS, SEED = (100, 500, 2000), 4000, 20, 15, 0
DEAR = {"kernel-svm": 500, "mlp": 500}
"""Models that learn no more than so many examples here."""
SURE, WRONG = 1e-4, 5e-4


@dataclass(frozen=True)
class Cell:
    """What one model's probabilities are worth: log losses in nats, shares of the examples held out."""

    name: str
    model: str
    split: str
    n: int
    held_out: int
    log_loss: float
    prior: float
    hindsight: float
    calibration: float
    by_chance: float
    sure: int
    sure_wrong: int
    seconds: float
    breaks: list[str] = field(default_factory=list)


def hindsight(log_p: Any, y: Any, log_prior: Any) -> float:
    """The log loss of the temperature that suits the examples held out best, of scores about their prior."""
    said = np.maximum(log_p, -1e4) - log_prior

    def loss(log_scale: float) -> float:
        return float(-log_posterior(log_prior + np.exp(log_scale) * said)[np.arange(len(y)), y].mean())

    return float(min(minimize_scalar(loss, bounds=(-6.0, 3.0), method="bounded").fun, loss(0.0)))


def calibration_error(p: Any, right: Any) -> float:
    """The mean over bins of equal size of the distance between probability and share correct."""
    order = np.argsort(p, kind="stable")
    parts = np.array_split(order, BINS)
    return float(sum(abs(p[part].sum() - right[part].sum()) for part in parts if len(part)) / len(p))


def measure(log_p: Any, y: Any, prior: Any) -> dict[str, Any]:
    """The numbers of a cell, and which laws they break: log p (N, C), classes y (N,), the prior (C,)."""
    log_prior = np.log(prior)
    own = np.maximum(log_p[np.arange(len(y)), y], -1e4)
    best, p, right = log_p.argmax(axis=1), np.exp(log_p.max(axis=1)), log_p.argmax(axis=1) == y
    random = np.random.default_rng(SEED)
    chance = np.quantile([calibration_error(p, random.random(len(p)) < p) for _ in range(100)], 0.95)
    sure = p > 1.0 - SURE
    found = {
        "log_loss": float(-own.mean()),
        "prior": float(-log_prior[y].mean()),
        "hindsight": hindsight(log_p, y, log_prior),
        "calibration": calibration_error(p, right),
        "by_chance": float(chance),
        "sure": int(sure.sum()),
        "sure_wrong": int((sure & (best != y)).sum()),
    }
    slack = 0.002  # nats: what a few of the examples held out may change
    tests = {
        "prior": found["log_loss"] > found["prior"] + slack,
        "temperature": found["log_loss"] > 1.1 * found["hindsight"] + slack,
        "calibration": found["calibration"] > max(0.02, found["by_chance"]),
        "certainty": found["sure_wrong"] and binom.sf(found["sure_wrong"] - 1, found["sure"], WRONG) < 0.05,
    }
    return {**found, "breaks": [name for name, broken in tests.items() if broken]}


def splits(y: Any, sizes: list[int], in_order: bool) -> Iterator[tuple[str, Any, Any]]:
    """The name of each split, and the places of what is learnt and of what is held out."""
    order = np.random.default_rng(SEED).permutation(len(y))
    for n in sizes:
        if len(y) >= n + 500:
            yield f"random {n}", order[:n], order[n : n + HELD_OUT]
            if in_order:
                yield f"time {n}", np.arange(n), np.arange(n, min(n + HELD_OUT, len(y)))
    if len(np.unique(y)) == 2:
        many, few = order[y[order] == 0], order[y[order] == 1]
        k = min(50, len(few) // 2)
        both = [np.concatenate([many[: k * ODDS], few[:k]])]
        both += [np.concatenate([many[k * ODDS :][: k * ODDS], few[k : 2 * k]])]
        yield f"1:{ODDS}", *both


def of_texts(name: str, kind: str, X: list[Any], y: Any) -> Any:
    """The classes that were learnt, and log p (N, C) of the texts held out."""

    def learn(inside: Any, outside: Any) -> tuple[Any, Any]:
        model = TextClassifier(name, kind=kind, time_limit=None).fit([X[i] for i in inside], y[inside])
        return model.classes_, model.predict_log_proba([X[i] for i in outside])

    return learn


def of_rows(name: str, rows: Any) -> Any:
    """The same of a table as the command reads it."""

    def learn(inside: Any, outside: Any) -> tuple[Any, Any]:
        known = rows.only(np.sort(inside)).without_empty()
        model = recipe(name, {}).learn(known)
        return np.array([list(rows.classes).index(c) for c in known.classes]), log_posterior(
            model.scores(rows.only(outside).X)
        )

    return learn


def cells(each: Set, models: list[str], sizes: list[int]) -> Iterator[Cell]:
    """Every model on a set, split by split."""
    X, labels, _ = each.rows(max(sizes) + 2 * HELD_OUT if each.name != "trec07" else 10**6)
    y = np.unique(labels, return_inverse=True)[1].reshape(-1)
    texts = isinstance(X, list)
    rows = None if texts else rows_of(X, labels)
    for name in models or (TEXTS if texts else TABLES):
        learn = of_texts(name, each.kind, X, y) if texts else of_rows(name, rows)
        for split, inside, outside in splits(y, sizes, each.name == "trec07"):
            if len(inside) > DEAR.get(name, len(inside)):
                continue
            started = perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                known, log_p = learn(inside, outside)
            outside_y = y[outside]
            kept = np.isin(outside_y, known)
            prior = np.bincount(y[inside], minlength=int(y.max()) + 1)[known] / len(inside)
            found = measure(log_p[kept], np.searchsorted(known, outside_y[kept]), prior)
            yield Cell(each.name, name, split, len(inside), int(kept.sum()), seconds=perf_counter() - started, **found)


def line(cell: Cell) -> str:
    """A cell as it is printed."""
    losses = f"{cell.log_loss:7.3f} {cell.prior:7.3f} {cell.hindsight:7.3f}"
    claims = f"{100 * cell.sure / cell.held_out:5.1f} % {cell.sure_wrong:3d}"
    name = f"{cell.name:13}{cell.model:14}{cell.split:12}"
    return f"{name}{losses}  {100 * cell.calibration:5.1f} %  {claims}  {' '.join(cell.breaks)}"


def main() -> int:
    """Measure, print, and keep the record if asked."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [each.name for each in SETS if each.name not in ("a9a",)]
    asked.add_argument("sets", nargs="*", help=", ".join(names))
    asked.add_argument("--model", action="append", default=[])
    asked.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    asked.add_argument("--record", action="store_true")
    given = asked.parse_args()
    unknown = set(given.sets) - set(names)
    if unknown:
        asked.error(f"no set is called {sorted(unknown)[0]!r}. Expected some of {', '.join(names)}.")
    found = []
    print(f"{'':39}log loss   prior    best  calibr.  > 99.99 %, wrong")
    for each in SETS:
        if each.name in (given.sets or names):
            for cell in cells(each, given.model, given.sizes):
                found.append(cell)
                print(line(cell), flush=True)
    broken = sum(bool(cell.breaks) for cell in found)
    print(f"{broken} of {len(found)} cells break a law")
    if given.record:
        keep_record(begin_record(cells=[asdict(cell) for cell in found]), "decibans")
    return 0


if __name__ == "__main__":
    sys.exit(main())
