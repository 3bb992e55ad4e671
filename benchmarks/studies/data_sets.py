"""The data sets of the studies, and ways to look at them."""

from __future__ import annotations

import lzma
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold, train_test_split

sys.path.insert(0, str(Path(__file__).parents[1]))

from compared_sets import folders
from environment import MissingError, data, machine

__all__ = ["HELD_OUT", "SEED", "MissingError", "Split", "View", "data", "folders", "machine"]

Split = tuple[Any, Any, Any, Any]
"""X and y to learn from, X and y held out."""
View = Callable[[Split], Split]
"""What a model is shown of them."""

SEED, HELD_OUT, FOLDS = 0, 0.3, 10


def texts(name: str) -> Split:
    """Texts, str or bytes, split as the set is."""
    frame = pl.read_parquet(data(name))
    parts = (frame.filter(pl.col("split") == part) for part in ("train", "test"))
    return tuple(side for part in parts for side in (part["text"].to_list(), part["label"].to_numpy()))


def counts(name: str, **how: Any) -> Split:
    """Counts of words, CSR, split as the set is."""
    train, y, test, truth = texts(name)
    count = CountVectorizer(decode_error="replace", **how)
    return count.fit_transform(train), y, count.transform(test), truth


def dealt(name: str) -> list[Split]:
    """Texts, every tenth of them held out in turn."""
    frame = pl.read_parquet(data(name))
    X, y = np.array(frame["text"].to_list(), dtype=object), frame["label"].to_numpy()
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y)
    return [(X[rows].tolist(), y[rows], X[held_out].tolist(), y[held_out]) for rows, held_out in folds]


def table(name: str, label: str) -> Split:
    """A data frame, split as the file says or at random."""
    frame = pl.read_csv(data(name), infer_schema_length=None)
    if "split" in frame.columns:
        parts = [frame.filter(pl.col("split") == part).drop("split") for part in ("train", "test")]
        return tuple(side for part in parts for side in (part.drop(label), part[label].to_numpy()))
    return at_random(frame.drop(label), frame[label].to_numpy())


def numbers(name: str, label: str) -> Split:
    """The same as a matrix."""
    train, y, test, truth = table(name, label)
    return train.to_numpy().astype(np.float64), y, test.to_numpy().astype(np.float64), truth


def at_random(X: Any, y: Any) -> Split:
    """Classes in proportion."""
    rows, held_out = train_test_split(np.arange(len(y)), test_size=HELD_OUT, random_state=SEED, stratify=y)
    return X[rows], y[rows], X[held_out], y[held_out]


def svmlight(train: str, test: str, features: int) -> Split:
    """CSR of two files in svmlight's format."""
    sides: list[Any] = []
    for name in (train, test):
        with lzma.open(data(name)) as file:
            X, y = load_svmlight_file(file, n_features=features)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # some models know no others
        sides += [X, y]
    return tuple(sides)


def images(most: int | None = None) -> Split:
    """Grey values from 0 to 1; the first `most` to learn from."""
    found = np.load(data("mnist.npz"))
    train, y, test, truth = (
        side for part in ("train", "test") for side in (found[f"x_{part}"].reshape(-1, 784) / 255.0, found[f"y_{part}"])
    )
    return train[:most], y[:most], test, truth


def as_it_is(split: Split) -> Split:
    """The data as they come."""
    return split


def one_hot(split: Split) -> Split:
    """Every label a column of its own, a missing one too."""
    train, y, test, truth = split
    both = pl.concat([train, test])
    X = both.to_dummies([name for name, kind in both.schema.items() if kind == pl.String]).to_numpy().astype(float)
    return X[: len(y)], y, X[len(y) :], truth


def scaled(split: Split) -> Split:
    """Every column in units of its standard deviation in training."""
    train, y, test, truth = split
    deviation = train.std(axis=0)
    deviation[deviation == 0.0] = 1.0
    return train / deviation, y, test / deviation, truth


def centred(split: Split) -> Split:
    """Every column less its mean in training."""
    train, y, test, truth = split
    mean = train.mean(axis=0)
    return train - mean, y, test - mean, truth


def both(first: View, second: View, split: Split) -> Split:
    """One view of another."""
    return second(first(split))
