"""Parquet by polars, in slices small enough for the memory asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DataError, escape

if TYPE_CHECKING:
    import polars

_FIRST_SLICE = 256  # rows; after it the size of a row is known


def parquet_columns(path: str) -> list[str]:
    """Return the names of the columns. Raises DataError for what is not Parquet, or not all of it."""
    _check_ends(path)
    return list(_guard(path, lambda: _scan(path).collect_schema().names()))


def parquet_slices(path: str, columns: Sequence[str], slice_bytes: int) -> Iterator[list[list[Any]]]:
    """Yield the columns as lists, slice after slice; a slice is about `slice_bytes` of data, and at least one row.

    Memory also holds what polars decodes for a slice, at most one row group.
    """
    start, rows = 0, _FIRST_SLICE
    while True:
        frame = _guard(path, lambda: _scan(path).select(columns).slice(start, rows).collect())  # noqa: B023
        if not frame.height:
            return
        yield [frame[column].to_list() for column in columns]
        start += frame.height
        wanted = slice_bytes * frame.height // max(1, int(frame.estimated_size()))
        rows = max(1, min(wanted, 8 * rows))  # a short first row must not promise that all are short


def _scan(path: str) -> polars.LazyFrame:
    import polars

    return polars.scan_parquet(path, glob=False, hive_partitioning=False)


def _guard(path: str, call: Any) -> Any:
    """Return `call()`; what polars raises for a damaged file, a panic of its reader included, becomes DataError."""
    from polars import exceptions

    try:
        return call()
    except (exceptions.PolarsError, exceptions.PanicException, OSError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataError(
            f"{escape(path)}: expected a whole Parquet file; it is damaged ({first}). Write or fetch it again."
        ) from error


def _check_ends(path: str) -> None:
    """Check the ends: a Parquet file begins and ends with the bytes PAR1; the directory of its parts stands at the
    end."""
    with open(path, "rb") as file:
        start = file.read(4)
        size = file.seek(0, 2)
        file.seek(max(0, size - 4))
        end = file.read(4)
    if size == 0:
        raise DataError(f"{escape(path)}: expected a table; the file is empty.")
    if start != b"PAR1":
        raise DataError(
            f"{escape(path)}: expected Parquet, which begins with the bytes PAR1; it begins with {start!r}. "
            "If it is CSV or JSON lines, rename it to end in .csv or .jsonl."
        )
    if end != b"PAR1" or size < 12:
        raise DataError(
            f"{escape(path)}: expected Parquet, which ends with the bytes PAR1; it is cut short. "
            "Write or fetch it again."
        )
