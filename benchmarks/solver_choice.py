"""Whether `auto` chooses well: its time beside that of every solver of the catalogue, on 102 problems.

    python benchmarks/solver_choice.py [SET …] [--limit 20] [--record]

Sets of many shapes, densities, units and shares of positives, real and simulated, each by hinge, squared hinge and
logistic loss at small, usual and large C. Every solver that can minimise a problem does, to the default tolerance,
until `--limit` seconds, all in turn, three times. A line is a problem: the least processor seconds of `auto`, of the
others that converged, and the ratio to the best; in the end, how many ratios are above 1.5.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from compared_sets import columns, images, sparse, texts
from run import begin_record, keep_record
from scipy import sparse as sp

from deciban import LinearSVM, LogisticRegression
from deciban.solvers import CATALOGUE

LOSSES = ("hinge", "squared_hinge", "logistic")
MOST = 1.5
"""`auto` is to take at most so many times as long as the best."""
SLACK = 0.01
"""Seconds that a fit takes whatever is solved."""
ROUNDS = 3
"""How often each solver solves a problem; one that took long does once."""
LONG = 3.0


class Set(NamedTuple):
    """X, y of two classes, and the prices at which it is learnt."""

    name: str
    load: Callable[[], tuple[Any, Any]]
    prices: tuple[float, ...]


def rules(n: int, d: int, nonzeros: int, positives: float, seed: int = 0) -> tuple[Any, Any]:
    """Sparse rows of 0 and 1 with frequent and rare columns; few are positive, by a noisy rule of some columns."""
    rng = np.random.default_rng(seed)
    share = rng.pareto(1.0, d) + 0.05
    share = np.minimum(share * nonzeros / n / share.sum(), 0.9)
    X = sp.csr_array((rng.random((n, d)) < share).astype(float))
    w = rng.normal(size=d) * (rng.random(d) < 0.2) / np.sqrt(share)
    score = X @ w + rng.logistic(size=n) * 0.5
    return X, (score > np.quantile(score, 1.0 - positives)).astype(int)


def gaussian(n: int, d: int, apart: float, spread: float = 0.0, seed: int = 0) -> tuple[Any, Any]:
    """Two dense classes; units of the columns differ by powers of ten up to `spread`."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d)) + apart * np.outer(2 * y - 1, rng.normal(size=d)) / np.sqrt(d)
    return X * 10.0 ** rng.uniform(-spread, spread, d), y


def heavy_tails(n: int, d: int, positives: float, seed: int = 0) -> tuple[Any, Any]:
    """Dense rows of Student's t with 4 degrees of freedom; few are positive, by a noisy plane."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(4, size=(n, d))
    score = X @ rng.normal(size=d) / np.sqrt(d) + 0.7 * rng.normal(size=n)
    return X, (score > np.quantile(score, 1.0 - positives)).astype(int)


def of_columns(name: str, label: str, scaled: bool, first: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Numbers of a table, in their own units or in deviations."""
    frame, y = columns(name, label)
    X = frame.select(each for each in frame.columns if frame[each].dtype.is_numeric()).to_numpy().astype(float)
    X = np.nan_to_num(X)
    return ((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12) if scaled else X), first(y).astype(int)


def of_texts(name: str, most: int, first: Callable[[Any], Any]) -> tuple[Any, Any]:
    """TF-IDF of words."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    items, y = texts(name)
    chosen = np.random.default_rng(0).permutation(len(items))[:most]
    X = TfidfVectorizer(decode_error="replace").fit_transform([items[i] for i in chosen])
    return X, first(y[chosen]).astype(int)


def half(y: Any) -> Any:
    """The first half of the classes against the others."""
    names = np.unique(y)
    return y <= names[len(names) // 2 - 1]


def digits() -> tuple[Any, Any]:
    """Grey values of 10,000 images, even against odd."""
    X, y = images()
    return X[:10_000], y[:10_000] % 2


SETS = (
    Set("rules 40,000 × 300, 3 % positive", lambda: rules(40_000, 300, 466_000, 0.03), (1e-2, 1.0, 100.0)),
    Set("a9a", lambda: sparse("a9a.svm.xz", 123), (0.1, 1.0, 100.0)),
    Set("spambase", lambda: of_columns("spambase.csv", "spam", False, lambda y: y == y.max()), (1e-4, 1.0)),
    Set("spambase, scaled", lambda: of_columns("spambase.csv", "spam", True, lambda y: y == y.max()), (1.0, 1e4)),
    Set("letters A to M, scaled", lambda: of_columns("letter.csv", "letter", True, lambda y: y <= "M"), (1e-2, 10.0)),
    Set("MNIST, 10,000 × 196", digits, (0.1, 10.0)),
    Set("20 Newsgroups", lambda: of_texts("20news.parquet", 8000, half), (0.1, 10.0)),
    Set("film reviews", lambda: of_texts("mr.parquet", 10**6, lambda y: y == y.max()), (1.0, 100.0)),
    Set("dense 100,000 × 10", lambda: gaussian(100_000, 10, 0.7), (1e-3, 1.0)),
    Set("dense 2,000 × 40, units 10^±3", lambda: gaussian(2000, 40, 1.0, 3.0), (1.0,)),
    Set("heavy tails 20,000 × 100, 5 % positive", lambda: heavy_tails(20_000, 100, 0.05), (1e-6, 1e-2, 1.0)),
    Set("adult, scaled", lambda: of_columns("adult.csv", "income", True, lambda y: y == y.max()), (1e-4, 1e-2)),
    Set("dense 200 × 3,000", lambda: gaussian(200, 3000, 3.0), (1e-2, 1.0)),
    Set("dense 225 × 1,000", lambda: gaussian(225, 1000, 1.0), (1e-2, 1.0, 1e3)),
    Set("dense 1,000 × 900", lambda: gaussian(1000, 900, 1.0), (1e-2, 1.0, 1e3)),
)


def fits(loss: str, C: float, solver: str, limit: float) -> Any:
    """The estimator of one problem."""
    given: dict[str, Any] = {"C": C, "solver": solver, "time_limit": limit, "max_iter": 10**6}
    return LogisticRegression(**given) if loss == "logistic" else LinearSVM(loss=loss, calibration=None, **given)


def seconds(loss: str, C: float, solver: str, X: Any, y: Any, limit: float) -> tuple[float, str]:
    """Processor seconds of one fit, and how it ends; nothing for what the solver refuses."""
    started = process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fits(loss, C, solver, limit).fit(X, y)
    except ValueError:
        return np.inf, "refused"
    return process_time() - started, str(found.certificate_.status)


def all_in_turn(loss: str, C: float, X: Any, y: Any, limit: float) -> dict[str, float]:
    """The least seconds of each solver that converges, `auto` first."""
    least = {"auto": np.inf} | {module.NAME: np.inf for module in CATALOGUE}
    going = list(least)
    for _ in range(ROUNDS):
        for solver in list(going):
            longest = limit if solver == "auto" else min(limit, 2.0 * least["auto"] + 1.0)
            taken, ended = seconds(loss, C, solver, X, y, longest)
            if ended == "converged":
                least[solver] = min(least[solver], taken)
            if ended != "converged" or taken > LONG:
                going.remove(solver)
    return least


def problems(names: list[str]) -> Iterator[tuple[str, Any, Any, str, float]]:
    """Each problem: its set, rows, classes, loss and price."""
    for each in SETS:
        if not names or any(name in each.name for name in names):
            X, y = each.load()
            for loss in LOSSES:
                for C in each.prices:
                    yield each.name, X, y, loss, C


def main() -> int:
    """Measure, print, and keep the record if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="parts of names of sets")
    parser.add_argument("--limit", type=float, default=20.0, metavar="SECONDS")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    rows = []
    for name, X, y, loss, C in problems(asked.sets):
        least = all_in_turn(loss, C, X, y, asked.limit)
        own = least.pop("auto")
        every = {solver: taken for solver, taken in least.items() if np.isfinite(taken)}
        ratio = (own - SLACK) / max(min(every.values(), default=own) - SLACK, SLACK) if np.isfinite(own) else np.inf
        rows.append({"set": name, "loss": loss, "C": C, "auto": own, "others": every, "ratio": ratio})
        told = ", ".join(f"{solver} {taken:.3f}" for solver, taken in sorted(every.items(), key=lambda pair: pair[1]))
        print(
            f"{'!' if ratio > MOST else ' '} {ratio:6.2f}  {name}, {loss}, C = {C:g}: {own:.3f} s; {told}", flush=True
        )
    above = sum(row["ratio"] > MOST for row in rows)
    print(f"{above} of {len(rows)} problems take auto more than {MOST} times as long as the best")
    if asked.record:
        keep_record(begin_record(problems=rows), "solver-choice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
