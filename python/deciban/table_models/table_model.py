"""Models of typed columns as the command learns, keeps and judges with them."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban import store
from deciban.certificates.bound import Bound
from deciban.certificates.certificate import Certificate
from deciban.data.columns import Columns
from deciban.data.frame import Column, Floats, Table
from deciban.data.rows import is_sparse
from deciban.errors import DataError
from deciban.scores import Score
from deciban.tables.cells import Cells
from deciban.tables.typed import Typed

_DIGEST = 16


@dataclass(frozen=True)
class Origin:
    """What the table that was learnt from looked like: the column of labels, and the columns left out, and why."""

    label: str | None = None
    ignored: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As a file's header keeps it."""
        return {"label": self.label, "ignored": self.ignored}

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> Self:
        """What a file's header holds; nothing where it was written from Python."""
        kept = header.get("origin", {})
        kept = kept if type(kept) is dict else {}
        label, ignored = kept.get("label"), kept.get("ignored")
        told = ignored.items() if type(ignored) is dict else ()
        return cls(label if type(label) is str else None, {str(own): str(why) for own, why in told})


class TableModel(ABC):
    """A model of d typed columns: rows become features, features one score.

    `columns` reads rows, `classes` are the labels in order, `items` (C,) the weight of the examples of each.
    """

    columns: Columns
    classes: tuple[Any, ...]
    items: Floats

    @property
    @abstractmethod
    def name(self) -> str:
        """The model's name, as the command knows it."""

    @property
    @abstractmethod
    def score(self) -> Score:
        """The model as it judges, of `features`."""

    @abstractmethod
    def features(self, matrix: Floats) -> Any:
        """(N, D) of rows (N, d) that are numbers, codes of labels, and NaN where missing."""

    @abstractmethod
    def column(self, feature: Any) -> Any:
        """The column that a feature is of, or the columns of an array of them."""

    @abstractmethod
    def probes(self, j: int) -> list[tuple[str, float]]:
        """Values of column j that show what it says, each with a name for it."""

    def labels(self, j: int) -> list[tuple[str, float]] | None:
        """The labels of column j, each with its value; None for numbers."""
        own, known = self.columns.names[j], self.columns.categories[j]
        if known is not None:
            return [(f"{own} = {label}", float(k)) for k, label in enumerate(known)]
        return [(f"{own} = true", 1.0), (f"{own} = false", 0.0)] if self.columns.kinds[j] == "truth" else None

    def intervals(self, matrix: Floats) -> Floats | None:
        """(N, 2) where the log-odds of the verdicts lie, in nats, with probability 95 %; None where nothing tells."""
        return None

    def information(self) -> list[float | None]:
        """(d,) what each column tells of the class, in nats; None where it is not known."""
        return [None] * len(self.columns.names)

    @property
    @abstractmethod
    def certificate(self) -> Certificate:
        """What was minimised, and how close to the minimum the fit came."""

    @abstractmethod
    def with_choice(self, choice: Bound | None) -> Self:
        """The same model with what the choice among several told of its errors."""

    def plus(self, cells: Cells, labels: Sequence[Any]) -> Self:
        """The model that has learnt these rows, too, each under its label in `classes`."""
        raise self._learnt_at_once()

    def minus(self, cells: Cells, labels: Sequence[Any]) -> Self:
        """The model without these rows; DataError where the statistics show that they were never learnt, or where
        nothing would be left of a class."""
        raise self._learnt_at_once()

    def _learnt_at_once(self) -> DataError:
        return DataError(
            f"expected a model that counts, to learn on and forget; this one is {self.name!r}, learnt by minimising "
            "over all rows at once. Train anew with all of them, or train with --model naive-bayes, discriminant or "
            "least-squares."
        )

    def _require_rest(self, labels: Sequence[Any], where: str) -> None:
        """DataError where forgetting rows with these labels would leave a class, or all, without rows."""
        less = Counter(labels)
        left = [n - less[label] for label, n in zip(self.classes, self.items.tolist(), strict=True)]
        if max(left) <= 0.0:
            raise DataError(
                "Expected that something is left in the model; this is all it knows. Delete its file instead."
            )
        if min(left) <= 0.0:
            label = self.classes[left.index(min(left))]
            raise DataError(
                f"{where}: expected that rows of every class are left; {str(label)!r} would have none. Train anew "
                "without that class."
            )

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """What the file's header keeps of the model."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the file's tensors keep."""

    def compile(self, n_jobs: int | None = None) -> Self:
        """The model as it judges."""
        return self

    def scores(self, matrix: Any) -> Floats:
        """(N, C) log joint probabilities, in nats, of rows (N, d), dense or CSR."""
        return self.score(self.features(matrix))

    def save(self, path: str | os.PathLike[str], origin: Origin | None = None) -> None:
        """Write a .deciban file, in one step."""
        header = self.header() if origin is None else {**self.header(), "origin": origin.to_json()}
        store.write(path, header, self.arrays())


_ROW = re.compile(r"row (\d+), feature '")


@contextmanager
def refusals_of(cells: Cells) -> Iterator[None]:
    """Say of what a model refuses to learn or to forget where it stood, as DataError."""
    try:
        yield
    except ValueError as error:
        told = str(error).removeprefix(f"{cells.name}: ").rstrip(".")
        row = _ROW.match(told)
        at = f"{cells.where(int(row[1]))}: column '{told[row.end() :]}" if row else f"{cells.name}: {told}"
        raise DataError(f"{at}. Nothing was changed.") from None


def _bytes_of_rows(matrix: Any) -> Iterator[bytes]:
    """What each row holds; of CSR where it is not 0, and what is there."""
    if not is_sparse(matrix):
        yield from (row.tobytes() for row in matrix)
        return
    for start, end in pairwise(matrix.indptr.tolist()):
        yield matrix.indices[start:end].astype("<i8").tobytes() + matrix.data[start:end].tobytes()


def table_of(columns: Columns, matrix: Any, declared: bool = True) -> Table:
    """Rows of codes and numbers as a table whose columns know their kinds and labels, which are `declared` unless only
    those count that are there; CSR stays so where all are numbers.
    """
    if is_sparse(matrix):
        if columns.categories.count(None) == len(columns.names):
            return Table(columns.names, matrix.shape[0], (), matrix, "number", sparse=True, named=True)
        matrix = matrix.toarray()
    found = []
    for j, (own, kind, known) in enumerate(zip(columns.names, columns.kinds, columns.categories, strict=True)):
        x = matrix[:, j]
        if known is None:
            found.append(Column(own, "number" if kind == "category" else kind, x))
        else:
            there = (x >= 0.0) & (x < len(known))
            cells = np.where(there, x, -1.0).astype(np.intp)
            found.append(Column(own, "text", cells, list(known), known if declared else None))
    return Table(columns.names, len(matrix), tuple(found), named=True)


@dataclass(frozen=True, eq=False)
class Rows:
    """Labelled rows of typed columns, which a choice among models deals into parts.

    matrix (N, d), dense or CSR, y (N,) indices into `classes`, keys (N,) digests: of equal rows equal ones, numbers
    (N,) those of the rows in the table of this name, from 1.
    """

    columns: Columns
    classes: tuple[str, ...]
    matrix: Any
    y: NDArray[np.intp]
    keys: NDArray[np.bytes_]
    weight: None = None
    name: str = ""
    numbers: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, table: Typed, name: str) -> Self:
        """From a table with labels; DataError where all are one class."""
        classes, y = np.unique(np.array(table.labels, dtype=object), return_inverse=True)
        if len(classes) < 2:
            raise DataError(
                f"{name}: expected items of at least two classes; all {len(y):,} are '{classes[0]}'. "
                "Add another class, or name another column with --label."
            )
        keys = [blake2b(row, digest_size=_DIGEST).digest() for row in _bytes_of_rows(table.matrix)]
        labels = tuple(str(label) for label in classes)
        kept = np.array(keys, dtype=f"S{_DIGEST}")
        numbers = np.arange(1, len(y) + 1)
        return cls(table.columns, labels, table.matrix, y.astype(np.intp), kept, name=name, numbers=numbers)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def nbytes(self) -> int:
        """How many bytes its numbers take."""
        return int(self.matrix.data.nbytes)

    @property
    def labels(self) -> NDArray[Any]:
        """(N,) the labels."""
        return np.array(self.classes)[self.y]

    def only(self, chosen: NDArray[np.bool_]) -> Self:
        """Some of the rows."""
        numbers = None if self.numbers is None else self.numbers[chosen]
        rows = {"matrix": self.matrix[chosen], "y": self.y[chosen], "keys": self.keys[chosen], "numbers": numbers}
        return replace(self, **rows)

    def order(self) -> NDArray[np.intp]:
        """(N,) an order that is the same however the rows came."""
        order: NDArray[np.intp] = np.lexsort((self.y, self.keys))
        return order

    def errors(self, model: TableModel) -> float:
        """The share of the rows that the model judges wrongly."""
        return float((model.scores(self.matrix).argmax(axis=1) != self.y).mean())


@contextmanager
def refusals_of_rows(rows: Rows, order: NDArray[np.intp]) -> Iterator[None]:
    """Say of a row, of those in this order, that a model refuses to learn which of its table it is."""
    try:
        yield
    except ValueError as error:
        row = _ROW.match(str(error))
        if row is None or rows.numbers is None:
            raise
        told, number = str(error)[row.end() :].rstrip("."), rows.numbers[order[int(row[1])]]
        raise DataError(f"{rows.name}, row {number}: column '{told}, or leave it out: --ignore.") from None
