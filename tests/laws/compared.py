"""What comparisons are made of: points, texts, columns, counts, and a classifier that is watched."""

import random
import signal
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
from sklearn.base import BaseEstimator, ClassifierMixin


def clouds(n=90, C=2, seed=0):
    """Points about corners that are near each other."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % C
    return random.normal(size=(n, 2)) + 1.5 * np.array([[0, 0], [1, 0], [0, 1]])[y], np.array(["a", "b", "c"])[y]


def letters(n=60, seed=0):
    """Texts of two kinds, which share most words."""
    draw = random.Random(seed)
    own = {"spam": [f"offer{i}" for i in range(20)], "ham": [f"lunch{i}" for i in range(20)]}
    both = [f"word{i}" for i in range(40)]
    labels = ["ham" if i % 2 else "spam" for i in range(n)]
    return [" ".join(draw.sample(own[label], 2) + draw.sample(both, 6)) for label in labels], labels


def columns(n=80):
    """Typed columns with gaps, and labels that follow them."""
    draw = random.Random(0)
    job, age = [draw.choice(["clerk", "judge", None]) for _ in range(n)], [draw.gauss(40, 9) for _ in range(n)]
    labels = [bool(a + 9 * (j == "judge") + draw.gauss(0, 5) > 43) for a, j in zip(age, job, strict=True)]
    return pl.DataFrame({"age": age, "job": job}), labels


def of_pandas():
    frame, labels = columns()
    return pd.DataFrame(frame.to_dict(as_series=False)), labels


def counts(n=80):
    random = np.random.default_rng(0)
    y = np.arange(n) % 2
    return random.poisson(1.0 + y[:, None] * [2.0, 0, 1, 0, 3, 0, 0, 1], size=(n, 8)), y


class Spy(ClassifierMixin, BaseEstimator):
    """Says the first class, and keeps what each of its clones learnt and judged."""

    seen = []  # noqa: RUF012

    def __init__(self, at="", fits=0):
        self.at, self.fits = at, fits

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Spy.seen.append((X, y, []))
        at = self.at if len(Spy.seen) > self.fits else ""
        if at == "refuses" or (at == "refuses few" and len(y) < 20):
            raise ValueError("these are not my examples")
        if at == "is interrupted":
            raise KeyboardInterrupt
        if at == "goes on":
            with suppress(KeyboardInterrupt):  # with what it has, as solvers do
                signal.raise_signal(signal.SIGINT)
        return self

    def predict(self, X):
        Spy.seen[-1][2].append(X)
        return np.full(len(X), self.classes_[0])
