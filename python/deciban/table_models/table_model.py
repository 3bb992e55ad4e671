"""Models of typed columns as the command learns, keeps and judges with them."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban.artifact.artifact import Artifact
from deciban.certificates.certificate import Certificate
from deciban.claims import Claims
from deciban.data.columns import Columns
from deciban.data.frame import Column, Floats, Table
from deciban.data.labelled import KeyedExamples
from deciban.data.rows import is_sparse
from deciban.errors import DataError
from deciban.scores.evidence import claimed
from deciban.tables.cells import Cells
from deciban.tables.typed import Typed

from .known_rows import KnownRows

_DIGEST = 16
_STRETCH = 1 << 16  # places of a row that are digested at once


@dataclass(frozen=True)
class Origin:
    """What the table that was trained on looked like: the column of labels, the columns left out, and why, those that
    alone tell the class, with their errors, and its rows."""

    label: str | None = None
    ignored: dict[str, str] = field(default_factory=dict)
    leaks: dict[str, float] = field(default_factory=dict)
    rows: KnownRows | None = None

    def header(self) -> dict[str, Any]:
        """Return what a file's header keeps."""
        leaks = {"leaks": self.leaks} if self.leaks else {}
        rows = {} if self.rows is None else {"rows": self.rows.to_json()}
        return {"origin": {"label": self.label, "ignored": self.ignored, **leaks, **rows}}

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> Self:
        """Return what a file's header holds; nothing where it was written from Python."""
        kept = header.get("origin", {})
        kept = kept if type(kept) is dict else {}
        label, ignored = kept.get("label"), kept.get("ignored")
        told = ignored.items() if type(ignored) is dict else ()
        leaks = kept.get("leaks")
        errors = {own: each for own, each in leaks.items() if type(each) is float} if type(leaks) is dict else {}
        ignored = {str(own): str(why) for own, why in told}
        return cls(label if type(label) is str else None, ignored, errors, KnownRows.from_json(kept.get("rows")))


class TableModel(Artifact):
    """A model of d typed columns: rows become features, features one score."""

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """The columns, as they are found in a table."""

    @property
    def certificate_(self) -> Certificate:
        """What was minimised, as estimators tell it."""
        return self.certificate()

    @property
    @abstractmethod
    def items(self) -> Floats:
        """(C,) the weight of the examples of each class."""

    @abstractmethod
    def features(self, matrix: Floats) -> Any:
        """Return (N, D) of rows (N, d) that are numbers, codes of labels, and NaN where missing."""

    @abstractmethod
    def column(self, feature: Any) -> Any:
        """Return the column that a feature is of, or the columns of an array of them."""

    @abstractmethod
    def probes(self, j: int) -> list[tuple[str, float]]:
        """Return values of column j that show what it says, each with a name for it."""

    def labels(self, j: int) -> list[tuple[str, float]] | None:
        """Return the labels of column j, each with its value; None for numbers."""
        own, known = self.columns.names[j], self.columns.categories[j]
        if known is not None:
            return [(f"{own} = {label}", float(k)) for k, label in enumerate(known)]
        return [(f"{own} = true", 1.0), (f"{own} = false", 0.0)] if self.columns.kinds[j] == "truth" else None

    def intervals(self, matrix: Floats) -> Floats | None:
        """Return (N, 2) where the log-odds of the verdicts lie, in nats, with probability 95 %; None where nothing
        tells."""
        return None

    def information(self) -> list[float | None]:
        """Return (d,) what each column tells of the class, in nats; None where it is not known."""
        return [None] * len(self.columns.names)

    def plus(self, cells: Cells, labels: Sequence[Any]) -> Self:
        """Return the model that has learnt these rows, too, each under its label in `classes`."""
        raise self._learnt_at_once()

    def minus(self, cells: Cells, labels: Sequence[Any]) -> Self:
        """Return the model without these rows; DataError where the statistics show that they were never learnt, or
        where nothing would be left of a class."""
        raise self._learnt_at_once()

    def _learnt_at_once(self) -> DataError:
        return DataError(
            f"expected a model that counts, to learn on and forget; this one is {self.name!r}, learnt by minimising "
            "over all rows at once. Train anew with all of them, or train with --model naive-bayes, discriminant or "
            "least-squares."
        )

    def _require_rest(self, labels: Sequence[Any], where: str) -> None:
        """Raise DataError where forgetting rows with these labels would leave a class, or all, without rows."""
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

    def compile(self, n_jobs: int | None = None) -> Self:
        """Return the model as it judges."""
        return self

    @property
    def claims(self) -> Claims:
        """What so many rows can tell."""
        return Claims(float(self.items.sum()))

    def joint(self, matrix: Any) -> Floats:
        """Return (N, C) log joint probabilities, in nats, of rows (N, d), dense or CSR, whatever may be claimed."""
        found: Floats = self.scorer(self.features(matrix))
        return found

    def scores(self, matrix: Any) -> Floats:
        """Return (N, C) scores of which the posterior is made, in nats, as far as the rows can tell."""
        return claimed(self.joint(matrix), self.claims)


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


def _keys_of_rows(matrix: Any) -> list[bytes]:
    """Return a digest of what each row holds; of CSR where it is not 0, and what is there."""
    if not is_sparse(matrix):
        return [blake2b(row.tobytes(), digest_size=_DIGEST).digest() for row in matrix]
    found = []
    for start, end in pairwise(matrix.indptr.tolist()):
        key = blake2b(digest_size=_DIGEST)
        for at in range(start, end, _STRETCH):  # a row may be long
            key.update(matrix.indices[at : min(at + _STRETCH, end)].astype("<i8"))
        key.update(matrix.data[start:end])
        found.append(key.digest())
    return found


def table_of(columns: Columns, matrix: Any, declared: bool = True) -> Table:
    """Return rows of codes and numbers as a table whose columns know their kinds and labels, which are `declared`
    unless only those count that are there; CSR stays so where all are numbers."""
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(KeyedExamples):
    """Labelled rows of typed columns, X (N, d), dense or CSR; `numbers` (N,) are theirs in the table of this name, from
    1."""

    EACH = (*KeyedExamples.EACH, "numbers")

    columns: Columns
    classes: tuple[Any, ...]
    name: str = ""
    numbers: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, table: Typed, name: str) -> Self:
        """Return the rows of a table with labels; DataError where all are one class."""
        classes, y = np.unique(np.array(table.labels, dtype=object), return_inverse=True)
        if len(classes) < 2:
            raise DataError(
                f"{name}: expected items of at least two classes; all {len(y):,} are '{classes[0]}'. "
                "Add another class, or name another column with --label."
            )
        labels = tuple(str(label) for label in classes)
        return cls.of_matrix(table.columns, table.matrix, y.astype(np.intp), labels, name, np.arange(1, len(y) + 1))

    @classmethod
    def of_matrix(
        cls,
        columns: Columns,
        matrix: Any,
        y: NDArray[np.intp],
        classes: tuple[Any, ...],
        name: str,
        numbers: NDArray[np.intp],
    ) -> Self:
        """Return rows (N, d) of these columns, which have these numbers in their table."""
        keys = np.array(_keys_of_rows(matrix), dtype=f"S{_DIGEST}")
        return cls(X=matrix, y=y, classes=classes, keys=keys, columns=columns, name=name, numbers=numbers)

    @property
    def nbytes(self) -> int:
        """How many bytes its numbers take."""
        return int(self.X.data.nbytes)


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
