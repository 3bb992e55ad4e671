"""The data sets, models and measures of calibration.py."""

from __future__ import annotations

import tarfile
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from data_sets import SEED, Split, at_random, data, numbers, one_hot, scaled, table
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV

from deciban import SVM, CalibratedClassifier, LinearSVM, NaiveBayes, TextClassifier
from deciban.calibration import CATALOGUE
from deciban.evaluation import Judgements
from deciban.evaluation.reliability import reliability
from deciban.scores import log_posterior

BINS, MOST = 15, 6000
THEIRS = ("sigmoid", "isotonic", "temperature")
_SMALLEST = float(np.finfo(float).tiny)


def sms() -> Split:
    """Short messages, three tenths held out at random."""
    frame = pl.read_parquet(data("sms.parquet"))
    train, y, test, truth = at_random(np.array(frame["text"].to_list(), dtype=object), frame["label"].to_numpy())
    return train.tolist(), y, test.tolist(), truth


def some(load: Callable[[], Split]) -> Split:
    """So many of the rows to learn from, drawn at random."""
    train, y, test, truth = load()
    rows = np.sort(np.random.default_rng(SEED).choice(len(y), min(MOST, len(y)), replace=False))
    return train[rows], y[rows], test, truth


def coded(split: Split) -> Split:
    """Labels as columns, what is missing 0, every column in units of its standard deviation."""
    train, y, test, truth = one_hot(split)
    return scaled((np.nan_to_num(train), y, np.nan_to_num(test), truth))


Set = tuple[Callable[[], Split], dict[str, tuple[Callable[[], Any], Callable[[Split], Split]]]]


def machines(view: Callable[[Split], Split]) -> dict[str, tuple[Callable[[], Any], Callable[[Split], Split]]]:
    return {"linear SVM": (LinearSVM, view), "SVM": (SVM, view)}


def as_it_is(split: Split) -> Split:
    return split


SETS: dict[str, Set] = {
    "spambase": (
        partial(numbers, "spambase.csv", "spam"),
        {"naive Bayes": (partial(NaiveBayes, "gaussian"), as_it_is), **machines(scaled)},
    ),
    "adult": (
        partial(some, partial(table, "adult.csv", "income")),
        {"naive Bayes": (partial(NaiveBayes, "auto"), as_it_is), **machines(coded)},
    ),
    "sms": (
        sms,
        {
            "naive Bayes": (partial(TextClassifier, "naive-bayes", calibration=None), as_it_is),
            "linear SVM": (partial(TextClassifier, "svm"), as_it_is),
            "SVM": (partial(TextClassifier, "kernel-svm"), as_it_is),
        },
    ),
    "letter": (
        partial(some, partial(numbers, "letter.csv", "letter")),
        {"naive Bayes": (partial(NaiveBayes, "gaussian"), as_it_is), **machines(scaled)},
    ),
}


def measured(log_p: Any, truth: Any) -> dict[str, Any]:
    """What log p (N, C) is worth against the places of the true classes: errors of n, the mean of −log p(true class) in
    nats, and the expected calibration error."""
    log_p = np.maximum(log_p, np.log(_SMALLEST))
    own = log_p[np.arange(len(truth)), truth]
    wrong = int((log_p.argmax(axis=1) != truth).sum())
    said = Judgements(tuple(range(log_p.shape[1])), truth, np.minimum(log_p, 0.0))
    error = reliability(said, BINS).error
    return {"errors": wrong, "n": len(truth), "log_loss": -float(own.mean()), "ece": error}


def without_own(model: BaseEstimator) -> BaseEstimator:
    """For scikit-learn to calibrate."""
    return model.set_params(calibration=None) if "calibration" in model.get_params() else model


def compared(make: Callable[[], Any], split: Split) -> dict[str, Any]:
    """The method that "auto" takes, and all of them, ours and scikit-learn's, on one model."""
    train, y, test, labels = split
    auto = CalibratedClassifier(make()).fit(train, y)
    truth, said, known = np.searchsorted(auto.classes_, labels), auto.scores(test), auto.feedback_
    margins = auto.calibrator_.margins
    as_nats = log_posterior(np.hstack([np.zeros_like(said), said]) if said.shape[1] == 1 else said)
    found = {"none": measured(as_nats, truth)}
    for name, kind in CATALOGUE.items():
        found[name] = measured(kind.fit(known.scores, known.y, known.weight, margins=margins)(said), truth)
    with warnings.catch_warnings(), np.errstate(divide="ignore"):
        warnings.simplefilter("ignore")
        for method in THEIRS:
            rival = CalibratedClassifierCV(without_own(make()), method=method, ensemble=False, cv=5).fit(train, y)
            found[f"scikit-learn, {method}"] = measured(np.log(rival.predict_proba(test)), truth)
    return {"auto": auto.method_, "methods": found}


def mail() -> tuple[list[bytes], Any]:
    """Messages in their order of arrival, and what they are."""
    with tarfile.open(data("trec07p-head.tar.xz")) as packed:
        files = {each.name.rpartition("/")[2]: packed.extractfile(each).read() for each in packed if each.isfile()}
    lines = [line.split() for line in files["index"].decode().splitlines() if line.strip()]
    return [files[path.rpartition("/")[2]] for _, path in lines], np.array([label for label, _ in lines])


LEARNT, PIECE = 2000, 100


def followed(method: str, half_life: float | None) -> CalibratedClassifier:
    """A filter that learnt the first messages, and a calibrator that is told of all that come after."""
    messages, labels = mail()
    model = CalibratedClassifier(
        TextClassifier("naive-bayes", kind="mail", calibration=None), method, half_life=half_life
    )
    model.fit(messages[:LEARNT], labels[:LEARNT])
    for k in range(LEARNT, len(labels), PIECE):
        model.recalibrate(messages[k : k + PIECE], labels[k : k + PIECE])
    return model
