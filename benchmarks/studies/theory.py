"""Measures every bound on real problems, learning curves, bias and variance: docs/theory.md.

python benchmarks/studies/theory.py

The data are read from where the benchmarks read theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from data_sets import SEED, Split, at_random, centred, images, numbers, scaled, svmlight
from recording import record, report
from sklearn.datasets import load_breast_cancer

from deciban import SVM, GaussianDiscriminant, LinearSVM, LogisticRegression, theory
from deciban.theory import Statement

REPEATS, EPSILON = 20, 0.05
SIZES, DRAWINGS, SAMPLE = [60, 250, 1000, 3000], 5, 250


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
    "binomial": lambda p: theory.binomial(p.errors, p.test),
    "hoeffding": lambda p: _above(p.errors / p.test, theory.hoeffding(p.test)),
    "pac_bayes": lambda p: theory.pac_bayes(p.margins),
    "compression": lambda p: theory.compression(p.support, p.n),
    "support_vectors": lambda p: theory.support_vectors(p.support, p.n),
    "vc": lambda p: theory.vc(p.n, p.d + 1, p.in_sample / p.n),
    "vc_sauer": lambda p: theory.vc(p.n, p.d + 1, p.in_sample / p.n, growth="sauer"),
}


def _above(error: float, epsilon: Statement) -> Statement:
    value = error + float(epsilon)
    return Statement(value, "", vacuous="every error is at most 1" if value >= 1.0 else "")


def bounded(problem: Problem) -> dict[str, Any]:
    """A problem, and what each bound says of it; None where that is nothing."""
    keys = ("n", "d", "in_sample", "support", "test", "errors")
    bounds = {name: bound(problem) for name, bound in BOUNDS.items()}
    return {
        **{key: getattr(problem, key) for key in keys},
        "mu": theory.pac_bayes(problem.margins).given["mu"],
        "bounds": {name: None if each.vacuous else float(each) for name, each in bounds.items()},
    }


def needed(problem: Problem) -> dict[str, int | None]:
    """Return how many examples each bound asks for; None where none are enough."""
    asked = {
        "hoeffding": theory.hoeffding(epsilon=EPSILON),
        "thousand": theory.hoeffding(hypotheses=1000, epsilon=EPSILON),
        "vc": theory.vc(dimension=problem.d + 1, error=EPSILON),
        "rbf": theory.vc(dimension=float("inf"), error=EPSILON),
        "compression": theory.compression(problem.support, error=EPSILON),
        "no_errors": theory.binomial(0, error=EPSILON),
        "ten_errors": theory.binomial(10, error=EPSILON),
    }
    return {name: None if told.vacuous else int(told.value) for name, told in asked.items()}


def parts() -> tuple[dict[str, Any], dict[str, Any]]:
    """A learning curve each of three models of Spambase, and what their errors are made of."""
    X, y, test, truth = scaled(centred(numbers("spambase.csv", "spam")))
    X, y = np.vstack([X, test]), np.concatenate([y, truth])
    models = {
        "discriminant": GaussianDiscriminant(),
        "logistic": LogisticRegression(),
        "RBF machine": SVM(C=10.0, calibration=None),
    }
    curves, errors = {}, {}
    for name, model in models.items():
        inside, outside = theory.learning_curve(model, X, y, SIZES, repeats=DRAWINGS, seed=SEED).mean
        curves[name] = {str(n): {"in": i, "out": o} for n, i, o in zip(SIZES, inside, outside, strict=True)}
        found = theory.bias_variance(model, X, y, SAMPLE, REPEATS, SEED)
        names = ("loss", "bias", "variance", "unbiased", "biased")
        errors[name] = {part: float(getattr(found, part)) for part in names}
        report(name, curves[name], errors[name])
    return curves, errors


def labellings() -> dict[str, Any]:
    """Cover's number, and the count of it, by points and dimensions."""
    random = np.random.default_rng(SEED)
    found: dict[str, Any] = {}
    for n in range(2, 9):
        counted = {d: theory.separable(random.normal(size=(n, d))).value for d in (1, 2, 3)}
        cover = {d: theory.dichotomies(n, d).value for d in (1, 2, 3)}
        found[str(n)] = {str(d): {"counted": counted[d], "cover": cover[d]} for d in counted}
    return found


def measure() -> dict[str, Any]:
    """All of it."""
    found = problems()
    curves, errors = parts()
    return {
        "problems": {each.title: bounded(each) for each in found},
        "sizes": needed(found[2]),
        "curves": curves,
        "parts": errors,
        "repeats": REPEATS,
        "sample": SAMPLE,
        "labellings": labellings(),
    }


if __name__ == "__main__":
    record(__file__, measure)
