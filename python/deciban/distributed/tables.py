"""Models of typed columns, learnt from a table that need not fit into memory: passes map files of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..calibration.out_of_fold import OutOfFold
from ..calibration.scaling import Scaling
from ..calibration.temperature import loss_of_scores
from ..certificates.bound import Probabilities
from ..data.columns import Columns
from ..data.folds import hashes
from ..data.frame import Floats
from ..data.rows import is_sparse
from ..data.transaction import all_or_nothing
from ..distributions.moments import Moments
from ..errors import UsageError
from ..features.coding import Coding, exponents_of, scaled_moments
from ..features.column_information import information_of_rows
from ..lazy import cached_property
from ..solvers import Status
from ..table_models.coded import ColumnEncoder
from ..table_models.known_rows import KnownRows, hash_rows
from ..table_models.naive_bayes import BayesTable
from ..table_models.recipes import ESTIMATORS, NAIVE_BAYES, TableRecipe
from ..table_models.table_model import Rows, TableModel, table_of
from ..tables.survey import Survey
from .on_executors import OnExecutor
from .parts import Part
from .plans import plan_of
from .sums import GenerativeSum
from .table_cache import TableCache, TablePart, TableRows

LEARNABLE = (NAIVE_BAYES, "discriminant", "logistic", "svm")
"""Models that are learnt by passes over rows."""
SOME = 20_000
"""About so many rows tell which columns leak, what columns tell, which model suits, and the line of its scores."""
_LEAST_HELD = 5  # one row of so many at most is held out


class Overview(NamedTuple):
    """What one pass tells of rows: the sketch of them, how many cells are missing, exponents (d,) of the largest, and
    some rows."""

    known: KnownRows
    missing: int
    exponents: NDArray[np.intp]
    some: TableRows


@dataclass
class LargeTable:
    """The rows of a table in the parts of a cache."""

    survey: Survey
    parts: Sequence[TablePart]
    cache: TableCache
    executor: Executor
    name: str
    seed: int = 0
    overview: Overview = field(init=False)

    def __post_init__(self) -> None:
        self.overview = self._reduce(_Glance(self.survey), _join_overviews)

    @property
    def columns(self) -> Columns:
        """The columns that are learnt."""
        return self.survey.columns

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels, sorted."""
        return tuple(sorted(self.survey.labels))

    @cached_property
    def some(self) -> Rows:
        """About 20,000 rows, all of them where there are no more."""
        X, y, numbers = self.overview.some
        return Rows.of_matrix(self.columns, X, y, self.classes, self.name, numbers)

    def learn(self, recipe: TableRecipe, n_jobs: int | None) -> TableModel:
        """Return the model of all rows: the same file as of a table in memory where it is a sum, but for what is told
        of columns, which some rows tell; the same objective within the gap where it is minimised."""
        if recipe.model not in LEARNABLE:
            raise UsageError(refused(recipe.model))
        if recipe.model == NAIVE_BAYES:
            estimator = recipe.estimator()
            parts = [Part(i, "", _Labelled(part)) for i, part in enumerate(self.parts)]
            with self._engine() as engine:
                _fit(estimator, TypedSum(estimator, self.columns).fit(engine, parts))
            return BayesTable.of(estimator, self.columns)
        of = ESTIMATORS[recipe.model]
        coding = self._coding()
        found, line = recipe.estimator(None, n_jobs), None
        if not of.table.SUMS:
            line = self._line(recipe, coding, n_jobs)
        self._fit_coded(found, _Coded(coding))
        counts = np.array([self.survey.labels[label] for label in self.classes], np.float64)
        X, y, _ = self.overview.some
        information = information_of_rows(X, y, len(self.classes), coding.labels)
        encoder = ColumnEncoder.of(coding, counts, information)
        return of.table.of_fit(recipe.settings, self.classes, encoder, found, line)

    def _coding(self) -> Coding:
        exponents = self.overview.exponents
        found: Moments = self._reduce(_Moments(exponents), lambda a, b: a + b)
        return Coding.of_moments(self.columns, exponents, found, is_sparse(self.overview.some.X))

    def _line(self, recipe: TableRecipe, coding: Coding, n_jobs: int | None) -> tuple[Scaling | None, Probabilities]:
        """Return the line of scores of rows that a model of all others gives them."""
        modulus = max(_LEAST_HELD, -(-self.survey.n // SOME))
        found = recipe.estimator(None, n_jobs)
        inside = _Coded(coding, self.seed, modulus, False)
        there = self._reduce(inside.labels, lambda a, b: a | b)
        if len(there) < len(self.classes):
            return None, Probabilities("none: scores are taken as log-odds")
        self._fit_coded(found, inside)
        s, y = self._reduce(_Scores(_Coded(coding, self.seed, modulus, True), found), _join_arrays)
        places = np.arange(len(y))
        line = OutOfFold(s.reshape(len(y), -1), y, np.ones(len(y)), places, places).scaling()
        if line is None:
            return None, Probabilities("none: scores are taken as log-odds")
        both = np.column_stack([np.zeros(len(y)), s]) if s.ndim == 1 else s
        return line, Probabilities(
            f"a line, on {len(y):,} rows left out", loss_of_scores(line(both), y, np.ones(len(y)))
        )

    def _fit_coded(self, estimator: Any, coded: _Coded) -> None:
        classes = np.array(self.classes)
        parts = [Part(i, "", _Side(coded, part, classes)) for i, part in enumerate(self.parts)]
        with self._engine() as engine:
            _fit(estimator, plan_of(estimator).fit(engine, parts))
        if getattr(estimator, "status_", None) is Status.INTERRUPTED:
            raise KeyboardInterrupt

    def _reduce(self, task: Callable[[TableRows], Any], combine: Callable[[Any, Any], Any]) -> Any:
        parts = [Part(i, "", part) for i, part in enumerate(self.parts)]
        with self._engine() as engine:
            return engine.reduce(lambda part, arguments, shared: task(part.load()), parts, combine)

    def _engine(self) -> closing[OnExecutor]:
        return closing(OnExecutor(self.executor, self.cache.folder, self.cache.point))


def refused(model: str) -> str:
    """Return why a model is not learnt from a table that is larger than memory, and what to do."""
    why = {
        "kernel-svm": "compares rows with one another",
        "mlp": "takes steps that follow one another",
        "perceptron": "takes steps that follow one another",
        "least-squares": "is calibrated on all rows at once",
    }.get(model, "looks at all rows at once")
    return (
        f"{model} {why}, and this table is larger than the memory that it may take. Expected --model "
        f"{', '.join(LEARNABLE[:-1])} or {LEARNABLE[-1]}, which are learnt by passes over rows in files. Choose one of "
        "them, or a larger --memory, or train on a part of the rows."
    )


def _fit(estimator: Any, found: dict[str, Any]) -> None:
    with all_or_nothing(estimator):
        estimator.__dict__.update(found)


@dataclass(frozen=True)
class TypedSum(GenerativeSum):
    """Naive Bayes of columns whose types and labels are known."""

    columns: Columns

    def rows(self, X: Any) -> Any:
        """Return the rows as a table."""
        return table_of(self.columns, X)


@dataclass(frozen=True)
class _Labelled:
    """Rows and labels of a part."""

    part: TablePart

    def __call__(self) -> tuple[Any, Any]:
        rows = self.part()
        return rows.X, np.array(self.part.classes)[rows.y]


@dataclass(frozen=True)
class _Glance:
    survey: Survey

    def __call__(self, rows: TableRows) -> Overview:
        columns, n = self.survey.columns, self.survey.n
        labels = np.array(sorted(self.survey.labels))[rows.y].tolist()
        known = KnownRows.of(hash_rows(columns, rows.X, labels))
        missing = int(np.isnan(rows.X.data if is_sparse(rows.X) else rows.X).sum())
        chosen = np.arange(len(rows.y))
        if n > SOME:
            chosen = np.flatnonzero(hashes(rows.numbers[:, None].astype(np.float64), 0) < 2.0**64 * SOME / n)
        some = TableRows(rows.X[chosen], rows.y[chosen], rows.numbers[chosen])
        return Overview(known, missing, exponents_of(rows.X), some)


def _join_overviews(one: Overview, two: Overview) -> Overview:
    exponents = np.maximum(one.exponents, two.exponents)
    some = TableRows(
        _stack(one.some.X, two.some.X), *(np.concatenate(pair) for pair in zip(one.some[1:], two.some[1:], strict=True))
    )
    return Overview(one.known.plus(two.known), one.missing + two.missing, exponents, some)


def _stack(one: Any, two: Any) -> Any:
    return sparse.vstack([one, two], "csr") if is_sparse(one) else np.concatenate([one, two])


def _join_arrays(one: tuple[Any, ...], two: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(np.concatenate(pair) for pair in zip(one, two, strict=True))


@dataclass(frozen=True)
class _Moments:
    exponents: NDArray[np.intp]

    def __call__(self, rows: TableRows) -> Moments:
        return scaled_moments(rows.X, self.exponents)


@dataclass(frozen=True)
class _Coded:
    """Rows as features: all, or those held out, one of `modulus`, or the others. Equal rows are on one side."""

    coding: Coding
    seed: int = 0
    modulus: int = 1
    held: bool = True

    def __call__(self, rows: TableRows) -> tuple[Any, NDArray[np.intp]]:
        """Return features and classes."""
        if self.modulus == 1:
            return self.coding(rows.X), rows.y
        kept = np.flatnonzero((hashes(rows.X, self.seed) % np.uint64(self.modulus) == 0) == self.held)
        return self.coding(rows.X[kept]), rows.y[kept]

    def labels(self, rows: TableRows) -> set[int]:
        """Return the classes that are there."""
        return set(np.unique(self(rows)[1]).tolist())


@dataclass(frozen=True)
class _Side:
    """Features and labels of a part."""

    coded: _Coded
    part: TablePart
    classes: NDArray[Any]

    def __call__(self) -> tuple[Any, Any]:
        X, y = self.coded(self.part())
        return X, self.classes[y]


@dataclass(frozen=True)
class _Scores:
    """Scores and classes of the rows that are held out."""

    coded: _Coded
    model: Any

    def __call__(self, rows: TableRows) -> tuple[Floats, NDArray[np.intp]]:
        X, y = self.coded(rows)
        if len(y):
            return self.model.decision_function(X), y
        C = len(self.model.classes_)
        return np.zeros((0, C) if C > 2 else 0), y
