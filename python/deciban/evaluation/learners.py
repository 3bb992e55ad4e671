"""Estimators, models of tables and of texts as `CrossValidation` asks for them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from deciban import store
from deciban.data.devices import on_host
from deciban.scores import log_posterior
from deciban.table_models.table_model import Rows
from deciban.text.corpus import Corpus

from .cross_validation import Said, Size
from .label_errors import among
from .suspect import Floats, Integers


@dataclass(frozen=True, eq=False)
class OfEstimator:
    """Any classifier of scikit-learn's rules, cloned for each fit. X is what it learns from, labels (N,)."""

    name: str
    estimator: Any
    X: Any
    labels: NDArray[Any]

    def learn(self, rows: Integers) -> LearntEstimator:
        learnt = clone(self.estimator).fit(_safe_indexing(self.X, rows), self.labels[rows])
        return LearntEstimator(learnt, self.X, np.unique(self.labels))


@dataclass(frozen=True, eq=False)
class LearntEstimator:
    """Verdicts are those of `predict`, which alone is timed, −1 what is no label; probabilities where there are any."""

    learnt: Any
    X: Any
    classes: NDArray[Any]

    def judge(self, rows: Integers) -> Said:
        some, begun = _safe_indexing(self.X, rows), perf_counter()
        told = on_host(self.learnt.predict(some), None)
        seconds = perf_counter() - begun
        place = np.minimum(np.searchsorted(self.classes, told), len(self.classes) - 1)
        winners: Integers = np.where(self.classes[place] == told, place, -1).astype(np.intp)
        return Said(winners, self._log_p(some), seconds)

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
        chosen = np.zeros(len(self.rows), np.bool_)
        chosen[rows] = True
        learnt = self.recipe.learn(without_empty(self.rows.only(chosen)), n_jobs=self.n_jobs)
        return LearntTable(learnt, self.rows)


@dataclass(frozen=True, eq=False)
class LearntTable:
    learnt: Any
    rows: Rows

    def judge(self, rows: Integers) -> Said:
        begun = perf_counter()
        scores = self.learnt.scores(self.rows.matrix[rows])
        seconds = perf_counter() - begun
        return _said(scores, self.learnt.classes, self.rows.classes, seconds)

    def size(self) -> Size:
        return Size(len(store.to_bytes(self.learnt.header(), self.learnt.arrays())), True)


@dataclass(frozen=True, eq=False)
class OfCorpus:
    """A recipe for texts or mail that are read again for every fit."""

    name: str
    recipe: Any
    corpus: Corpus
    n_jobs: int | None = None

    def learn(self, rows: Integers) -> LearntText:
        learnt = self.recipe.learn(_only(self.corpus, rows).without_empty(), n_jobs=self.n_jobs)
        return LearntText(learnt, learnt.compile(self.n_jobs), self.corpus)


@dataclass(frozen=True, eq=False)
class LearntText:
    """The time of reading the items again does not count."""

    learnt: Any
    served: Any
    corpus: Corpus

    def judge(self, rows: Integers) -> Said:
        found, seconds = [], 0.0
        for items, _ in _only(self.corpus, rows).batches():
            begun = perf_counter()
            found.append(self.served.scores(items))
            seconds += perf_counter() - begun
        return _said(np.concatenate(found), self.learnt.classes, self.corpus.classes, seconds)

    def size(self) -> Size:
        return Size(len(store.to_bytes(self.learnt.header(), self.learnt.arrays(self.served))), True)


def _only(corpus: Corpus, rows: Integers) -> Corpus:
    chosen = np.zeros(len(corpus), np.bool_)
    chosen[rows] = True
    return corpus.only(chosen)


def _said(scores: Floats, known: Any, classes: Any, seconds: float) -> Said:
    every = np.array(classes, dtype=object)
    log_p = among(log_posterior(scores), np.array(known, dtype=object), every)
    return Said(log_p.argmax(axis=1), log_p, seconds)


# --- how large an estimator is -----------------------------------------------------------------------------


def size_of(learnt: Any) -> Size:
    """Of its .deciban file where it has one, else of all arrays, numbers and texts that it holds."""
    if type(learnt).__module__.startswith("deciban.") and hasattr(learnt, "save"):
        with tempfile.TemporaryDirectory() as folder, suppress(ValueError, TypeError):  # labels that no file keeps
            path = os.path.join(folder, "model.deciban")
            learnt.save(path)
            return Size(os.stat(path).st_size, True)
    return Size(_held(learnt), False)


def _held(value: Any) -> int:
    """Bytes of what hangs on a value, each once."""
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


def _parts(value: Any) -> list[Any]:
    """What an object is made of: its items, or its state, as a copy would have it."""
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


def without_empty(rows: Rows) -> Rows:
    """The same rows without the classes of which there are none."""
    kept = np.unique(rows.y)
    classes = tuple(rows.classes[c] for c in kept.tolist())
    return replace(rows, classes=classes, y=np.searchsorted(kept, rows.y))
