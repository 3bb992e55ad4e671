"""Writes docs/theory.md: every bound on real problems, with what is vacuous, learning curves, bias and variance.

python docs/theory.py

The data are read from where the benchmarks read theirs; without them nothing is written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from data_sets import SEED, MissingError, Split, at_random, centred, images, numbers, scaled, svmlight
from judging import prose
from sklearn.datasets import load_breast_cancer
from theory_prose import COMMANDS, CURVES, DICHOTOMIES, INTRODUCTION, PARTS, PROBLEMS, READING, SIZES

from deciban import SVM, GaussianDiscriminant, LinearSVM, LogisticRegression, theory
from deciban.theory import Statement

REPEATS, EPSILON = 20, 0.05


@dataclass(frozen=True)
class Problem:
    """A machine, what it learnt, and how often it erred."""

    title: str
    n: int
    d: int
    in_sample: int
    support: int
    margins: Any
    test: int
    errors: int


def solved(title: str, split: Split, C: float) -> Problem:
    """A linear machine on the training part, judged on the part held out."""
    X, y, test, truth = split
    machine = LinearSVM(C=C, loss="hinge", calibration=None).fit(X, y)
    wrong = (int((machine.predict(rows) != labels).sum()) for rows, labels in ((X, y), (test, truth)))
    margins = theory.normalised_margins(machine, X, y)
    zones = machine.zones_[0]
    in_sample, errors = wrong
    return Problem(title, X.shape[0], X.shape[1], in_sample, int(zones.support), margins, len(truth), errors)


def zero_or_one() -> Split:
    """Two digits of MNIST."""
    X, y, test, truth = images()
    rows, held_out = y < 2, truth < 2
    return X[rows], y[rows], test[held_out], truth[held_out]


def problems() -> list[Problem]:
    """Few examples, many that overlap, many that do not."""
    cancer = scaled(centred(at_random(*load_breast_cancer(return_X_y=True))))
    return [
        solved("breast cancer", cancer, 1.0),
        solved("a9a", svmlight("a9a.svm.xz", "a9a.t.svm.xz", 123), 1.0),
        solved("MNIST, 0 or 1", zero_or_one(), 0.01),
    ]


BOUNDS: dict[str, Callable[[Problem], Statement]] = {
    "test set, exact: `binomial(errors, n)`": lambda p: theory.binomial(p.errors, p.test),
    "test set, E + ε: `hoeffding(n)`": lambda p: _above(p.errors / p.test, theory.hoeffding(p.test)),
    "margins: `pac_bayes(margins)`": lambda p: theory.pac_bayes(p.margins),
    "support vectors: `compression(count, n)`": lambda p: theory.compression(p.support, p.n),
    "support vectors, expected: `support_vectors(count, n)`": lambda p: theory.support_vectors(p.support, p.n),
    "dimension: `vc(n, d + 1, E_in)`": lambda p: theory.vc(p.n, p.d + 1, p.in_sample / p.n),
    "dimension, counted closer: `vc(…, growth='sauer')`": lambda p: theory.vc(
        p.n, p.d + 1, p.in_sample / p.n, growth="sauer"
    ),
}


def _above(error: float, epsilon: Statement) -> Statement:
    value = error + float(epsilon)
    return Statement(value, "", vacuous="every error is at most 1" if value >= 1.0 else "")


def shown(bound: Statement) -> str:
    """A share in percent, or that it says nothing."""
    return "vacuous" if bound.vacuous else f"{100 * float(bound):.2f} %"


def table(titles: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    return "\n".join(
        [f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}", *(f"| {' | '.join(row)} |" for row in rows)]
    )


def of_bounds(found: list[Problem]) -> str:
    """What each bound says of each problem."""
    seen = {
        "examples learnt, features": lambda p: f"{p.n:,}, {p.d:,}",
        "support vectors": lambda p: f"{p.support:,}",
        "error on those learnt": lambda p: f"{100 * p.in_sample / p.n:.2f} %",
        "error on those held out": lambda p: f"{100 * p.errors / p.test:.2f} % of {p.test:,}",
    }
    rows = [[name, *(tell(p) for p in found)] for name, tell in seen.items()]
    rows += [[name, *(shown(bound(p)) for p in found)] for name, bound in BOUNDS.items()]
    return table(["", *(p.title for p in found)], rows)


def of_sizes(problem: Problem) -> tuple[str, dict[str, str]]:
    """How many examples each bound asks for."""
    d, k = problem.d + 1, problem.support
    asked = {
        "one hypothesis, E_in and E_out within ε": theory.hoeffding(epsilon=EPSILON),
        "a thousand hypotheses": theory.hoeffding(hypotheses=1000, epsilon=EPSILON),
        f"linear, {d} dimensions, no error in sample, E_out ≤ ε": theory.vc(dimension=d, error=EPSILON),
        "an RBF kernel, by its dimension": theory.vc(dimension=float("inf"), error=EPSILON),
        f"{k} support vectors": theory.compression(k, error=EPSILON),
        "a test set without errors": theory.binomial(0, error=EPSILON),
        "a test set with 10 errors": theory.binomial(10, error=EPSILON),
    }
    numbers = {name: "none is enough" if told.vacuous else f"{told.value:,}" for name, told in asked.items()}
    return table(["for ε = 5 % and δ = 5 %", "examples"], [[name, n] for name, n in numbers.items()]), numbers


def of_parts() -> tuple[str, str, dict[str, Any]]:
    """A learning curve each of three models of Spambase, and what their errors are made of."""
    X, y, test, truth = scaled(centred(numbers("spambase.csv", "spam")))
    X, y = np.vstack([X, test]), np.concatenate([y, truth])
    models = {
        "discriminant": GaussianDiscriminant(),
        "logistic": LogisticRegression(),
        "RBF machine": SVM(C=10.0, calibration=None),
    }
    sizes = [60, 250, 1000, 3000]
    curves = {name: theory.learning_curve(model, X, y, sizes, repeats=5, seed=SEED) for name, model in models.items()}
    rows = [
        [name, *(f"{100 * i:.1f} / {100 * o:.1f}" for i, o in zip(*curve.mean, strict=True))]
        for name, curve in curves.items()
    ]
    first = table(["E_in / E_out, %", *(f"{n:,} examples" for n in sizes)], rows)
    parts = {name: theory.bias_variance(m, X, y, 250, REPEATS, SEED) for name, m in models.items()}
    names = ("loss", "bias", "variance", "unbiased", "biased")
    rows = [[name, *(f"{100 * getattr(found, part):.1f}" for part in names)] for name, found in parts.items()]
    second = table(["%", "error", "bias", "variance", "which costs", "and saves"], rows)
    return first, second, {"curves": curves, "parts": parts}


def of_dichotomies() -> str:
    """Cover's number, and the count of it."""
    random = np.random.default_rng(SEED)
    rows = []
    for n in range(2, 9):
        counted = [theory.separable(random.normal(size=(n, d))).value for d in (1, 2, 3)]
        cover = [theory.dichotomies(n, d).value for d in (1, 2, 3)]
        rows.append([str(n), f"{2**n}", *(f"{a} / {b}" for a, b in zip(counted, cover, strict=True))])
    return table(["points", "labellings", *(f"d = {d}: counted / Cover" for d in (1, 2, 3))], rows)


def facts(found: list[Problem]) -> dict[str, Any]:
    """What the prose names."""
    vacuous = {name: [p.title for p in found if bound(p).vacuous] for name, bound in BOUNDS.items()}
    listed = [f"{name} for {' and '.join(titles)}" for name, titles in vacuous.items() if titles]
    return {
        "vacuous": "; ".join(listed),
        "cells": len(BOUNDS) * len(found),
        "silent": sum(map(len, vacuous.values())),
        "shown": {
            name.partition("`")[2].partition("(")[0]: [shown(bound(p)) for p in found]
            for name, bound in BOUNDS.items()
            if "growth" not in name
        },
        "mu": f"{theory.pac_bayes(found[2].margins).given['mu']:.0f}",
    }


def write(page: Path) -> None:
    """All of it."""
    try:
        found = problems()
        curves, parts, more = of_parts()
    except MissingError as missing:
        sys.exit(f"{missing}; nothing is written")
    sizes, counted = of_sizes(found[2])
    known = {**facts(found), **more, "counted": list(counted.values()), "repeats": REPEATS}
    chapters = [
        INTRODUCTION,
        COMMANDS,
        PROBLEMS,
        of_bounds(found),
        READING,
        SIZES,
        sizes,
        CURVES,
        curves,
        PARTS,
        parts,
        DICHOTOMIES,
    ]
    as_they_are = {COMMANDS, of_bounds(found), sizes, curves, parts}
    texts = [each if each in as_they_are else prose(each, known) for each in chapters]
    page.write_text("\n\n".join([*texts, of_dichotomies()]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).with_suffix(".md"))
