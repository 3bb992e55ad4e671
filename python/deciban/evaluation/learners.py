"""Estimators, models of tables and of texts as `CrossValidation` asks for them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban import store
from deciban.data.devices import on_host
from deciban.data.estimator import clone
from deciban.data.samples import take_rows
from deciban.scores import log_posterior
from deciban.table_models.table_model import Rows
from deciban.text.corpus import Corpus

from .cross_validation import FoldPrediction, Size
from .label_errors import among
from .suspects import Floats, Integers


@dataclass(frozen=True, eq=False)
class OfEstimator:
    """Any classifier of scikit-learn's rules, cloned for each fit. X is what it learns from, labels (N,)."""

    name: str
    estimator: Any
    X: Any
    labels: NDArray[Any]

    def learn(self, rows: Integers) -> LearntEstimator:
        learnt = clone(self.estimator).fit(take_rows(self.X, rows), self.labels[rows])
        return LearntEstimator(learnt, self.X, np.unique(self.labels))


@dataclass(frozen=True, eq=False)
class LearntEstimator:
    """Verdicts are those of `predict`, which alone is timed, −1 what is no label; probabilities where there are any."""

    learnt: Any
    X: Any
    classes: NDArray[Any]

    def judge(self, rows: Integers) -> FoldPrediction:
        some, begun = take_rows(self.X, rows), perf_counter()
        told = on_host(self.learnt.predict(some), None)
        seconds = perf_counter() - begun
        place = np.minimum(np.searchsorted(self.classes, told), len(self.classes) - 1)
        winners: Integers = np.where(self.classes[place] == told, place, -1).astype(np.intp)
        return FoldPrediction(winners, self._log_p(some), seconds)

    def _log_p(self, some: Any) -> Floats | None:
        with np.errstate(divide="ignore"):  # others than ours have log 0
            if hasattr(self.learnt, "predict_log_proba"):
                log_p = on_host(self.learnt.predict_log_proba(some))
            elif hasattr(self.learnt, "predict_proba"):
                log_p = np.log(on_host(self.learnt.predict_proba(some)))
            else:
                return None
        return among(log_p, self.learnt.classes_, self.classes)

    def size(self) -> Size:
        return size_of(self.learnt)


@dataclass(frozen=True, eq=False)
class OfTable:
    """A recipe for typed columns."""

    name: str
    recipe: Any
    rows: Rows
    n_jobs: int | None = None

    def learn(self, rows: Integers) -> LearntTable:
        learnt = self.recipe.learn(self.rows.only(np.sort(rows)).without_empty(), n_jobs=self.n_jobs)
        return LearntTable(learnt, self.rows)


@dataclass(frozen=True, eq=False)
class LearntTable:
    learnt: Any
    rows: Rows

    def judge(self, rows: Integers) -> FoldPrediction:
        begun = perf_counter()
        scores = self.learnt.scores(self.rows.X[rows])
        seconds = perf_counter() - begun
        return _make_prediction(scores, self.learnt.classes, self.rows.classes, seconds)

    def size(self) -> Size:
        return Size(len(store.to_bytes(self.learnt.header(), self.learnt.arrays())), True)


@dataclass(frozen=True, eq=False)
class OfCorpus:
    """A recipe for texts or mail."""

    name: str
    recipe: Any
    corpus: Corpus
    n_jobs: int | None = None

    def learn(self, rows: Integers) -> LearntText:
        learnt = self.recipe.learn(self.corpus.only(np.sort(rows)).without_empty(), n_jobs=self.n_jobs)
        return LearntText(learnt, learnt.compile(self.n_jobs), self.corpus)


@dataclass(frozen=True, eq=False)
class LearntText:
    """The time of reading and tokenising the items does not count."""

    learnt: Any
    served: Any
    corpus: Corpus

    def judge(self, rows: Integers) -> FoldPrediction:
        some, begun = self.corpus.only(np.sort(rows)), perf_counter()
        scores = some.scores(self.served)
        return _make_prediction(scores, self.learnt.classes, self.corpus.classes, perf_counter() - begun)

    def size(self) -> Size:
        return Size(len(store.to_bytes(self.learnt.header(), self.learnt.arrays())), True)


def _make_prediction(scores: Floats, known: Any, classes: Any, seconds: float) -> FoldPrediction:
    every = np.array(classes, dtype=object)
    log_p = among(log_posterior(scores), np.array(known, dtype=object), every)
    return FoldPrediction(log_p.argmax(axis=1), log_p, seconds)


# --- how large an estimator is -----------------------------------------------------------------------------


def size_of(learnt: Any) -> Size:
    """Return the size of its .deciban file where it has one, else of all arrays, numbers and texts that it holds."""
    if type(learnt).__module__.startswith("deciban.") and hasattr(learnt, "save"):
        with tempfile.TemporaryDirectory() as folder, suppress(ValueError, TypeError):  # labels that no file keeps
            path = os.path.join(folder, "model.deciban")
            learnt.save(path)
            return Size(os.stat(path).st_size, True)
    return Size(_count_bytes(learnt), False)


def _count_bytes(value: object) -> int:
    """Count the bytes that a value refers to, each once."""
    total, waiting, seen = 0, [value], dict[int, Any]()  # which keeps them, so that no two have one identity
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen[id(each)] = each
        if isinstance(each, np.ndarray) and each.dtype != object:
            total += each.nbytes
        elif isinstance(each, str | bytes | int | float | complex | np.generic):
            total += sys.getsizeof(each)
        else:
            waiting += _parts(each)
    return total


def _parts(value: object) -> list[Any]:
    """Return the parts of an object: its items, or its state, as a copy would have it."""
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return [*value]
    if value is None or isinstance(value, type | FunctionType | BuiltinFunctionType | ModuleType):
        return []
    try:
        return [value.__getstate__()]
    except Exception:  # whatever a stranger's class does there
        return [getattr(value, "__dict__", None)]
