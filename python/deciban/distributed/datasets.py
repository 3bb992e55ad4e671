"""Parquet and Arrow datasets: a part is a row group of a file, or a file where its format has none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UsageError, unreadable
from .parts import Block, Part


def dataset_of(X: Any) -> Any:
    """Return the pyarrow dataset at a path, or X itself; a missing package or path is said."""
    try:
        from pyarrow import dataset
    except ImportError as error:
        raise UsageError(
            "Parquet datasets need pyarrow, which is missing. Expected it beside Deciban. Run pip install pyarrow."
        ) from error
    if not isinstance(X, str | os.PathLike):
        return X
    path = os.fspath(X)
    try:
        return dataset.dataset(path, format=_format_of(path))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


_FORMATS = {
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "ipc"),
    ".csv": "csv",
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "json"),
}


def _format_of(path: str) -> str:
    """Return the format of a file, or of the first file below a folder, by the end of its name; else Parquet."""
    if os.path.isdir(path):
        found = (os.path.join(folder, name) for folder, _, names in sorted(os.walk(path)) for name in sorted(names))
        path = next((each for each in found if not os.path.basename(each).startswith((".", "_"))), path)
    return _FORMATS.get(os.path.splitext(path)[1].lower(), "parquet")


def parts_of(X: Any, y: Any, weight: Any, columns: Sequence[str] | None) -> list[Part]:
    """Return the parts of a dataset; y and weight name columns."""
    found = dataset_of(X)
    names = [each for each in (y, weight) if each is not None]
    if y is None or not all(isinstance(each, str) for each in names):
        raise UsageError(
            "y must name the column of the labels of a dataset, as must sample_weight that of the weights. Pass, for "
            f"example, y={found.schema.names[-1]!r}."
        )
    for name in [*names, *(columns or ())]:
        if name not in found.schema.names:
            shown = ", ".join(map(repr, found.schema.names[:8]))
            raise UsageError(f"the dataset has no column {name!r}. Expected one of {shown}. Check its name.")
    chosen = tuple(columns or (each for each in found.schema.names if each not in names))
    load = LoadTable(chosen, y, weight)
    pieces = [piece for fragment in found.get_fragments() for piece in _split(fragment)]
    return [Part(i, name, load, (piece,)) for i, (name, piece) in enumerate(pieces)]


def _split(fragment: Any) -> list[tuple[str, Any]]:
    """Return the row groups of a fragment, or the fragment itself, with their names."""
    name = os.path.basename(getattr(fragment, "path", "") or "")
    if not hasattr(fragment, "split_by_row_group"):
        return [(name, fragment)]
    try:
        groups = fragment.split_by_row_group()
    except (OSError, ValueError) as error:
        raise unreadable(getattr(fragment, "path", name), error) from error
    return [(f"{name}, row group {k}", group) for k, group in enumerate(groups)]


@dataclass(frozen=True)
class LoadTable:
    """Reads the columns of a fragment, or of a table."""

    columns: tuple[str, ...]
    y: str
    weight: str | None = None

    def __call__(self, fragment: Any) -> Block:
        """Return the rows of a fragment."""
        names = [*self.columns, self.y, *([self.weight] if self.weight else [])]
        return self.block(fragment.to_table(columns=list(dict.fromkeys(names))))

    def block(self, table: Any) -> Block:
        """Return the rows of a table."""
        weight = table[self.weight].to_numpy() if self.weight else None
        return Block(features_of(table.select(list(self.columns))), label_column(table[self.y], self.y), weight)


def label_column(column: Any, name: str) -> Any:
    """Return labels as an array; a missing one is refused by its row."""
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise ValueError(f"row {row} has no label: its {name!r} is null. Expected a label in every row. Leave it out")
    return np.asarray(column.to_pylist())


def features_of(table: Any) -> Any:
    """Return texts, a matrix or the table: one column of text is texts, one of lists is a vector a row."""
    from pyarrow import types

    if table.num_columns != 1:
        return table
    kind, column = table.schema.types[0], table.column(0)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind):
        return column.to_pylist()
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _matrix(column.combine_chunks())
    if types.is_struct(kind) and {"size", "indices", "values"} <= {kind.field(k).name for k in range(kind.num_fields)}:
        return _vectors(column.combine_chunks())
    return table


def _matrix(lists: Any) -> Any:
    _require_vectors(lists)
    lengths = np.asarray(lists.value_lengths())
    _require_same_lengths(lengths)
    return np.asarray(lists.flatten()).reshape(len(lengths), -1)


def _vectors(vectors: Any) -> Any:
    """Return the rows of structs of size, indices and values, as Spark ML keeps vectors; the dense ones have values
    alone."""
    from scipy.sparse import csr_array

    _require_vectors(vectors)
    indices, values = vectors.field("indices"), vectors.field("values")
    dense, lengths = np.asarray(indices.is_null()), np.asarray(values.value_lengths())
    if len(dense) and dense.all():
        return _matrix(values)
    sizes = np.where(dense, lengths, np.asarray(vectors.field("size").fill_null(0)))
    _require_same_lengths(sizes)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    data, places = np.asarray(values.flatten()), np.asarray(indices.flatten())
    if dense.any():
        inside, of_sparse = np.repeat(dense, lengths), places
        places = (np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)).astype(np.int32)
        places[~inside] = of_sparse
        data = data.copy()
    found = csr_array((data, places, starts), shape=(len(lengths), int(sizes[0]) if len(sizes) else 0))
    if dense.any():
        found.eliminate_zeros()
    return found


def _require_vectors(column: Any) -> None:
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise ValueError(f"row {row} has no vector. Expected one in every row. Leave it out")


def _require_same_lengths(lengths: Any) -> None:
    if len(lengths) and (lengths != lengths[0]).any():
        row = int(np.argmax(lengths != lengths[0]))
        raise ValueError(f"row {row} has {lengths[row]} values, and row 0 has {lengths[0]}. Expected equally many")
