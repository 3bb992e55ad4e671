"""The data sets that compare.py runs through `deciban.compare`: what is read, how many rows of it, and which models."""

from __future__ import annotations

import lzma
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from environment import data

SEED = 0
OF_TEXTS = ("naive-bayes", "nbsvm", "logistic", "svm")
OF_COLUMNS = ("naive-bayes", "discriminant", "logistic", "svm", "kernel-svm", "mlp")
OF_SPARSE = ("naive-bayes", "logistic", "svm", "kernel-svm", "mlp")

Rows = tuple[Any, Any]
"""X and y."""


@dataclass(frozen=True)
class Set:
    """A data set: `most` is how many of its rows are taken, at random; the files' own split is not looked at."""

    name: str
    title: str
    load: Callable[[], Rows]
    models: tuple[str, ...]
    most: int
    kind: str = "text"

    def rows(self, most: int) -> tuple[Any, Any, int]:
        """X, y, and how many rows there are to take from."""
        X, y = self.load()
        if len(y) <= most:
            return X, y, len(y)
        chosen = np.sort(np.random.default_rng(SEED).permutation(len(y))[:most])
        return [X[k] for k in chosen] if isinstance(X, list) else X[chosen], y[chosen], len(y)

    def families(self) -> dict[str, Any]:
        """What `compare` takes; mail is read as mail."""
        from deciban import TextClassifier

        if self.kind == "mail":
            return {name: TextClassifier(name, kind="mail", random_state=SEED) for name in self.models}
        return {name: name for name in self.models}


# --- reading -----------------------------------------------------------------------------------------------


def texts(name: str) -> Rows:
    """A column of texts."""
    frame = pl.read_parquet(data(name))
    return frame["text"].to_list(), frame["label"].to_numpy()


def columns(name: str, label: str) -> Rows:
    """A data frame."""
    frame = pl.read_csv(data(name), infer_schema_length=None).drop("split", strict=False)
    return frame.drop(label), frame[label].to_numpy()


def sparse(name: str, features: int) -> Rows:
    """CSR of a file in svmlight's format."""
    from sklearn.datasets import load_svmlight_file

    with lzma.open(data(name)) as file:
        X, y = load_svmlight_file(file, n_features=features)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y.astype(np.intp)


def images() -> Rows:
    """Grey values from 0 to 1, of four pixels together."""
    found = np.load(data("mnist.npz"))
    X = np.concatenate([found[f"x_{part}"] for part in ("train", "test")])
    whole = X.reshape(len(X), 14, 2, 14, 2).mean(axis=(2, 4)) / 255.0
    return whole.reshape(len(X), -1), np.concatenate([found[f"y_{part}"] for part in ("train", "test")])


def folders(name: str) -> Rows:
    """Messages in folders that say what they are, in the order of their names."""
    found = sorted((path, read) for path, read in _packed(name) if path.count("/") == 2)
    labels = ["spam" if path.split("/")[1].startswith("spam") else "ham" for path, _ in found]
    return [message for _, message in found], np.array(labels)


def indexed(name: str) -> Rows:
    """Messages in the order of an index, which says what they are."""
    found = {path.split("/", 1)[1]: read for path, read in _packed(name)}
    lines = [line.split() for line in found["index"].decode().splitlines()]
    return [found[path] for _, path in lines], np.array([label for label, _ in lines])


def _packed(name: str) -> list[tuple[str, bytes]]:
    with tarfile.open(data(name)) as packed:
        files = ((each.name, packed.extractfile(each)) for each in packed if each.isfile())
        return [(path, file.read()) for path, file in files if file is not None]


# --- the sets ----------------------------------------------------------------------------------------------

SETS = (
    Set(
        "spamassassin",
        "SpamAssassin: raw mail",
        partial(folders, "spamassassin.tar.xz"),
        OF_TEXTS,
        1500,
        kind="mail",
    ),
    Set("trec07", "TREC 2007: raw mail", partial(indexed, "trec07p-head.tar.xz"), OF_TEXTS, 1500, kind="mail"),
    Set("sms", "SMS", partial(texts, "sms.parquet"), OF_TEXTS, 6000),
    Set("20news", "20 Newsgroups: posts", partial(texts, "20news.parquet"), OF_TEXTS, 1000),
    Set("imdb", "IMDB: film reviews", partial(texts, "imdb.parquet"), OF_TEXTS, 1500),
    Set("mr", "MR: sentences of reviews", partial(texts, "mr.parquet"), OF_TEXTS, 5000),
    Set("korean", "Korean film reviews", partial(texts, "korean-reviews.parquet"), OF_TEXTS, 5000),
    Set("adult", "Adult: numbers and categories", partial(columns, "adult.csv", "income"), OF_COLUMNS, 2000),
    Set("a9a", "a9a: the same people, one-hot", partial(sparse, "a9a.svm.xz", 123), OF_SPARSE, 2000),
    Set("mushroom", "Mushroom: categories", partial(columns, "mushroom.csv", "class"), OF_COLUMNS, 2000),
    Set("letter", "Letter: sixteen measurements", partial(columns, "letter.csv", "letter"), OF_COLUMNS, 1500),
    Set("spambase", "Spambase: shares of words", partial(columns, "spambase.csv", "spam"), OF_COLUMNS, 2000),
    Set("mnist", "MNIST: grey values, 14 × 14", images, OF_COLUMNS, 1000),
)
