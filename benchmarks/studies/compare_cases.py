"""The problems on which compare.py sets generative models beside discriminative ones, and their learning curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from data_sets import SEED, data, folders
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from deciban import GaussianDiscriminant, LogisticRegression, NaiveBayes, TextClassifier, theory

DISCRIMINANT, PLAIN = "discriminant", "discriminant, not shrunk"
BAYES, LOGISTIC, LOOSE = "naive Bayes", "logistic", "logistic, hardly penalised"
GENERATIVE = (DISCRIMINANT, PLAIN, BAYES)

SIZES = (20, 40, 80, 160, 320, 640, 1280)
DRAWN = 2400
"""Rows of a simulated world, of which a quarter judges."""
DISTANCE, MIX, CORRELATION = 2.5, 0.15, 0.6
EVEN, HARDLY = 2, 1e4

Rows = tuple[Any, Any]
"""X and y."""
World = Callable[[np.random.Generator], Rows]


# --- simulated ---------------------------------------------------------------------------------------------


def normal(random: np.random.Generator, d: int = 10) -> Rows:
    """Two normal classes of one covariance, neighbouring columns correlated; Mahalanobis' distance is DISTANCE."""
    covariance = CORRELATION ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))
    means = 1.0 + MIX * (-1.0) ** np.arange(d)
    means *= DISTANCE / np.sqrt(means @ np.linalg.solve(covariance, means))
    y = np.arange(DRAWN) % EVEN
    return random.normal(size=(DRAWN, d)) @ np.linalg.cholesky(covariance).T + np.outer(y - 0.5, means), y


def skewed(random: np.random.Generator, d: int = 10) -> Rows:
    """Columns with long tails; the log-odds are linear in them."""
    X = np.exp(random.normal(size=(DRAWN, d))) - np.exp(0.5)
    return X, (random.random(DRAWN) < 1.0 / (1.0 + np.exp(-X @ np.cos(np.arange(d))))).astype(np.intp)


def rates(d: int, together: float) -> Any:
    """(2, d) how often each word is met in a text of each class; of ten topics some are one class's, too."""
    word = np.arange(d)
    tilt = np.exp(0.5 * (np.cos(2.4 * word) + together * np.cos(2.4 * (word // 10))))
    often = (1.0 + word) ** -0.7
    return np.array([often / tilt, often * tilt])


def poisson(random: np.random.Generator, d: int = 100) -> Rows:
    """Counts of words, each by itself."""
    y = np.arange(DRAWN) % EVEN
    return random.poisson(rates(d, 0.0)[y]).astype(np.float64), y


def topics(random: np.random.Generator, d: int = 100, shape: float = 0.4) -> Rows:
    """Counts of words, ten words of a topic more or less often together."""
    y = np.arange(DRAWN) % EVEN
    stress = random.gamma(shape, 1.0 / shape, size=(DRAWN, d // 10))
    return random.poisson(rates(d, 1.0)[y] * np.repeat(stress, 10, axis=1)).astype(np.float64), y


# --- real --------------------------------------------------------------------------------------------------


def texts(name: str, most: int | None = None) -> Rows:
    """Distinct texts to learn from, or so many of them at random."""
    frame = pl.read_parquet(data(name)).filter(pl.col("split") != "test").unique("text", maintain_order=True)
    frame = frame if most is None else frame.sample(most, seed=SEED)
    return frame["text"].to_list(), frame["label"].to_numpy()


# --- the problems ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """Data, the models that learn them, how many examples, and how often.

    A world that is simulated is drawn anew each time; of real data the rows to learn from and to judge are.
    """

    models: Mapping[str, Any]
    sizes: Sequence[int]
    repeats: int
    world: World | None = None
    load: Callable[[], Rows] | None = None
    best: float | None = None
    """The error of the true probabilities, where it is known."""


def _measured(discriminant: Any, logistic: Any, **more: Any) -> dict[str, Any]:
    return {DISCRIMINANT: discriminant, LOGISTIC: logistic, **more}


def _shrunk() -> GaussianDiscriminant:
    return GaussianDiscriminant(shrinkage="auto")


def _scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


def _counted() -> dict[str, Any]:
    return {BAYES: NaiveBayes("poisson"), LOGISTIC: LogisticRegression()}


def _read(kind: str = "text") -> dict[str, Any]:
    return {BAYES: TextClassifier("naive-bayes", kind=kind), LOGISTIC: TextClassifier("logistic", kind=kind)}


PROBLEMS: dict[str, Problem] = {
    "normal": Problem(
        {
            DISCRIMINANT: _shrunk(),
            PLAIN: GaussianDiscriminant(),
            BAYES: NaiveBayes("gaussian"),
            LOGISTIC: LogisticRegression(),
            LOOSE: LogisticRegression(HARDLY),
        },
        SIZES,
        40,
        normal,
        best=float(norm.cdf(-DISTANCE / 2)),
    ),
    "skewed": Problem(
        {
            DISCRIMINANT: _shrunk(),
            BAYES: NaiveBayes("gaussian"),
            LOGISTIC: LogisticRegression(),
        },
        SIZES,
        40,
        skewed,
    ),
    "poisson": Problem(_counted(), SIZES, 20, poisson),
    "topics": Problem(_counted(), SIZES, 20, topics),
    "cancer": Problem(
        {
            DISCRIMINANT: _scaled(_shrunk()),
            BAYES: NaiveBayes("gaussian"),
            LOGISTIC: _scaled(LogisticRegression()),
        },
        (25, 50, 100, 200, 400),
        40,
        load=partial(load_breast_cancer, return_X_y=True),
    ),
    "sms": Problem(_read(), (50, 100, 200, 400, 800, 1600, 3200), 6, load=partial(texts, "sms.parquet")),
    "mail": Problem(
        _read("mail"),
        (50, 100, 200, 400, 800, 1600, 3200),
        3,
        load=partial(folders, "spamassassin.tar.xz"),
    ),
    "news": Problem(
        _read(),
        (100, 200, 400, 800, 1600),
        3,
        load=partial(texts, "20news.parquet", 2200),
    ),
}


# --- learning curves ---------------------------------------------------------------------------------------


def drawings(problem: Problem, repeats: int) -> Iterator[Callable[[Any, Sequence[int]], Any]]:
    """For each repeat what a model and sizes make of it, a learning curve."""
    loaded = problem.load() if problem.load else None
    for k in range(repeats):
        X, y = loaded or problem.world(np.random.default_rng([SEED, k]))
        yield partial(_curve, X, y, k)


def _curve(X: Any, y: Any, seed: int, model: Any, sizes: Sequence[int]) -> theory.LearningCurve:
    return theory.learning_curve(model, X, y, sizes, repeats=1, seed=seed)


def curves(problem: Problem, sizes: Sequence[int] | None = None, repeats: int | None = None) -> dict[str, Any]:
    """Errors on `held_out` examples by model and size, one a drawing. All models of a drawing learnt the same rows."""
    sizes = sizes or problem.sizes
    errors: dict[str, dict[str, list[int]]] = {name: {str(size): [] for size in sizes} for name in problem.models}
    held_out = 0
    for curve in drawings(problem, repeats or problem.repeats):
        for name, model in problem.models.items():
            drawn = curve(model, sizes)
            held_out = drawn.held_out
            for size, share in zip(sizes, drawn.out_of_sample[:, 0], strict=True):
                errors[name][str(size)].append(round(float(share) * held_out))
    return {"held_out": held_out, "best": problem.best, "errors": errors}
