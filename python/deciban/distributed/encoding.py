"""Rows as linear models take them, encoded once: kept where passes over them are made, or written to files."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.digest import digest
from ..data.estimator import clone
from ..data.examples import arrays_of, refuse_large
from ..data.labels import places
from ..data.numbers import linear_rows
from ..data.rows import as_rows, is_sparse
from ..data.samples import check_sample_weight
from ..data.validation import check_classification_targets
from .mapped import Encoded, Floats, Mapped, refuse_full, write
from .parts import Part, Shape

# Values that are looked at first.
_FIRST = 1 << 12


class Survey(NamedTuple):
    """What is known of an encoded part: its rows, labels and their weights, columns and type, and its digest."""

    part: Part
    shape: Shape
    rows: int
    columns: int
    names: Any
    labels: NDArray[Any]
    counts: Floats
    kind: str
    digest: str
    stored: int


@dataclass(frozen=True)
class Encode:
    """Encodes a part by the rules of a linear model."""

    estimator: Any

    def __call__(self, part: Part, arguments: tuple[Any, ...] = ()) -> tuple[Encoded, Survey] | None:
        """Return the encoded part and what is known of it; None where no row counts."""
        block = part.read(*arguments)
        if not block.size:
            return None
        with part.naming():
            model = clone(self.estimator)
            X, y = linear_rows(model, block.X, block.y, order="C", reset=True, accept_large_sparse=True)
            check_classification_targets(y)
            weight = check_sample_weight(block.weight, X)
            kind = str(X.dtype)
            if not weight.all():
                kept = np.flatnonzero(weight)
                X, y, weight = X[kept], y[kept], weight[kept]
            if not len(y):
                return None
            labels, index = places(y)
            found = encoded_of(refuse_large(as_rows(model._features(X))), index, labels, weight)
            counts = np.bincount(index, weight, minlength=len(labels)).astype(np.float64)
            named = digest(*arrays_of(found.X), y if y.dtype.kind not in "OUS" else index, weight)
            survey = Survey(
                Part(part.index, part.name, _given),
                Shape.of(part, block.X),
                len(y),
                X.shape[1],
                getattr(model, "feature_names_in_", None),
                labels,
                counts,
                kind,
                named,
                int(found.X.nnz if is_sparse(found.X) else found.X.size),
            )
        return found, survey


def encoded_of(X: Any, index: Any, labels: Any, weight: Floats | None = None) -> Encoded:
    """Return rows whose labels are `labels[index]` as they are kept."""
    return Encoded(_narrow(X), _small(index), labels, None if weight is None else _unless_ones(weight))


def _given(encoded: Encoded) -> Encoded:
    """Return a part that is in memory."""
    return encoded


def _narrow(X: Any) -> Any:
    """Return X with 32-bit indices, where they fit, and in float32 where that loses nothing."""
    if not is_sparse(X):
        return _single(X)
    X = X.copy() if not X.has_sorted_indices else X
    X.sort_indices()
    X.data = _single(X.data)
    if max(X.nnz, *X.shape) < 2**31:
        X.indices, X.indptr = X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int32, copy=False)
    return X


def _single(values: Any) -> Any:
    """Return values in float32, if that loses nothing; the first tell of most that it does."""
    if values.dtype == np.float32 or _rounded(values.reshape(-1)[:_FIRST]) is None:
        return values
    narrow = _rounded(values)
    return values if narrow is None else narrow


def _rounded(values: Any) -> Any:
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    same = bool((narrow == values).all()) or np.array_equal(narrow, values, equal_nan=True)  # the former is quicker
    return narrow if same else None


def _small(index: Any) -> Any:
    return index.astype(np.uint8 if index.max(initial=0) < 256 else np.int32)


def _unless_ones(weight: Floats) -> Floats | None:
    return None if (weight == 1.0).all() else weight


# Files.


@dataclass(frozen=True)
class EncodeToFolder:
    """Encodes parts into folders of a folder."""

    encode: Encode
    folder: str

    def __call__(self, part: Part, arguments: tuple[Any, ...], shared: Any) -> list[Survey] | None:
        """Return what is known of a part that was written."""
        found = self.encode(part, arguments)
        if found is None:
            return None
        encoded, survey = found
        path = Path(self.folder) / f"part-{part.index:06d}"
        write(encoded, path)
        return [survey._replace(part=Part(part.index, part.name, Mapped(str(path))))]

    def combine(self, left: list[Survey], right: list[Survey]) -> list[Survey]:
        """Return what is known of both; parts must have the same columns and types."""
        left[0].shape.require_same(right[0].shape)
        return left + right


def spool(batch: Any, path: str) -> Unspool:
    """Write a batch of a generator to a file, and return what reads it."""
    held = pickle.dumps(batch, protocol=5)
    try:
        Path(path).write_bytes(held)
    except OSError as error:
        refuse_full(error, Path(path), len(held))
        raise
    return Unspool(path)


@dataclass(frozen=True)
class Unspool:
    """Reads a batch from its file."""

    path: str

    def __call__(self) -> Any:
        """Return the batch."""
        with open(self.path, "rb") as file:
            return pickle.load(file)
