"""Tables of any form as typed columns: data frames, arrays, lists, sparse matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import repeat
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deciban.data.rows import Rows, check_sparse

from ..errors import DataError, escape
from .refusal import refuse_lazy

Name: TypeAlias = str | int
Label: TypeAlias = str | int | float | bool
Number: TypeAlias = Literal["number", "whole", "truth"]
Holds: TypeAlias = Number | Literal["text"]
Kind: TypeAlias = Number | Literal["category"]
Floats: TypeAlias = NDArray[np.float64]

_OF_DTYPE: dict[str, Number] = {"f": "number", "i": "whole", "u": "whole", "b": "truth"}
_OF_TYPE: tuple[tuple[tuple[type, ...], Holds], ...] = (
    ((bool, np.bool_), "truth"),  # before int, of which bool is a kind
    ((int, np.integer), "whole"),
    ((float, np.floating, Decimal), "number"),
    ((str,), "text"),
)
_LAZY = {"polars", "narwhals", "dask", "duckdb", "ibis", "pyspark", "sqlframe"}  # may have no mark of a frame


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `holds` is what its values are, None where every value is missing.

    `cells` (N,) is numeric with NaN for missing; or, for text and other Python values, their places in `distinct`
    (in order of occurrence), −1 for missing. `declared`: the outcomes a dtype of categories names; else None.
    """

    name: Name
    holds: Holds | None
    cells: NDArray[Any]
    distinct: list[Any] | None = None
    declared: tuple[Any, ...] | None = None

    @property
    def kind(self) -> Kind | None:
        """Type of the column unless one says otherwise; None where nothing tells."""
        return "category" if self.holds == "text" or self.declared else self.holds

    def numbers(self) -> Floats:
        """Return (N,) with NaN for missing; text counts where it reads as numbers. DataError names the row that does
        not."""
        if self.distinct is None:
            return self.cells.astype(np.float64)
        return np.take([*_floats(self.name, self.distinct, self.cells), np.nan], self.cells)

    def labels(self) -> set[Label]:
        """Return the distinct values that are not missing, and the declared ones."""
        seen = np.unique(self.cells[self.cells == self.cells]).tolist() if self.distinct is None else self.distinct
        try:
            return {_label(value) for value in (*seen, *(self.declared or ()))}
        except OverflowError:
            raise DataError(f"{name_column(self.name)}: expected labels; came infinity. Mark it as missing.") from None

    def codes(self, categories: Sequence[Label]) -> Floats:
        """Return (N,) the place of each value in `categories`, their number for any other value, NaN for missing."""
        distinct, where = self.distinct, self.cells
        if distinct is None:
            unique, where = np.unique(self.cells, return_inverse=True)
            distinct = unique.tolist()
        places = {label: place for place, label in enumerate(categories)}
        codes = [places.get(value, len(categories)) if value == value else np.nan for value in distinct]
        return np.take([*codes, np.nan], where)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length, or one `block` that `holds` numbers: an array, or CSR where `sparse`."""

    names: Sequence[Name]
    rows: int
    columns: tuple[Column, ...] = ()
    block: Any = None
    holds: Number | None = None
    sparse: bool = False
    named: bool = False

    def __len__(self) -> int:
        return self.rows

    def column(self, j: int) -> Column:
        """Return column j; of a sparse matrix there is none to be had."""
        return self.columns[j] if self.block is None else Column(self.names[j], self.holds, self.block[:, j])


def is_frame(X: Rows) -> bool:
    """Return whether X is a data frame, eager or lazy. NumPy arrays, lists, series and SciPy matrices are none."""
    kind = type(X)
    marked = hasattr(kind, "__dataframe__") or hasattr(kind, "__arrow_c_stream__")
    return hasattr(kind, "columns") and (marked or kind.__module__.partition(".")[0] in _LAZY)


def columns_of(X: Rows) -> Table:
    """Return X as a table, a table as it is. Frames keep the names of their columns; elsewhere they are 0 … d−1.

    DataError names the column and the row that cannot be read; TypeError, as of NumPy, cells of other types.
    """
    table = X if isinstance(X, Table) else _of_frame(X) if is_frame(X) else _of_array(X)
    if not table.rows or not table.names:  # in the words of scikit-learn
        found = f"{'sample' if table.names else 'feature'}(s) (shape={(table.rows, len(table.names))})"
        raise DataError(f"Found array with 0 {found} while a minimum of 1 is required.")
    return table


def name_column(name: Name) -> str:
    """Name a column in a message: column 'age', or column 3 where columns have no names."""
    return f"column {name}" if isinstance(name, int) else f"column '{escape(name)}'"


def quote(value: object) -> str:
    """Quote a cell in a message, cut to a length one can read."""
    text = escape(value if isinstance(value, str) else str(value))
    text = text if len(text) <= 40 else text[:39] + "…"
    return f"'{text}'" if isinstance(value, str) else text


def _of_frame(X: Any) -> Table:
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    X = nw.to_native(X, pass_through=True)
    refuse_lazy(X)
    try:
        frame = nw.from_native(X)
        names = frame.columns
    except DuplicateError as error:
        twice = name_column(_name(Counter(getattr(X, "column_names", X.columns)).most_common(1)[0][0]))
        raise DataError(f"Expected columns of different names; {twice} is there twice. Rename one.") from error
    except TypeError as error:
        raise DataError(
            f"Expected a data frame that narwhals reads; came {_type_name(X)}. Turn it into one of pandas, polars or "
            "pyarrow."
        ) from error
    known = tuple(map(_name, names))
    columns = tuple(_of_series(name, frame.get_column(own)) for name, own in zip(known, names, strict=True))
    return Table(known, len(frame), columns, named=True)


def _type_name(X: object) -> str:
    return f"{type(X).__module__.partition('.')[0]}.{type(X).__name__}"


def _name(name: object) -> Name:
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return int(name)
    raise DataError(
        f"Expected column names that are text or whole numbers; came {quote(name)} ({type(name).__name__}). "
        "Rename the columns, such as with frame.columns = [...]."
    )


def _of_series(name: Name, series: Any) -> Column:
    """Return a column: numbers leave a frame as an array, but integers beside nulls as a list, to keep their digits."""
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype.is_temporal():
        _refuse_dates(name, str(dtype))
    if dtype.is_float():
        return Column(name, "number", series.to_numpy())
    if (dtype.is_integer() or dtype == nw.Boolean) and "128" not in str(dtype) and not series.null_count():
        return Column(name, "whole" if dtype.is_integer() else "truth", series.to_numpy())
    declared = _declared_outcomes(series)
    _infer_type(name, list(declared or ()))  # refuses what cannot be labels together
    text = _factorize(series) if dtype == nw.String or declared is not None else None
    if text:
        return Column(name, "text", *text, declared)
    return Column(name, *_infer_type(name, series.to_list()), declared)


def _factorize(series: Any) -> tuple[NDArray[Any], list[Any]] | None:
    """Return the cells of text and its distinct values, by its own library: Python need not see each cell."""
    if series.implementation.is_pandas():
        with suppress(TypeError):  # cells that cannot be hashed
            cells, distinct = series.to_native().factorize()
            return (cells, distinct.tolist()) if set(map(type, distinct)) == {str} else None
        return None
    known = series.drop_nulls().unique(maintain_order=True).to_list()
    if set(map(type, known)) != {str}:
        return None
    return series.replace_strict(known, [*range(len(known))]).fill_null(-1).to_numpy(), known


def _declared_outcomes(series: Any) -> tuple[Any, ...] | None:
    """Return the outcomes an Enum or a pandas Categorical names; () for those that only store text; None for other
    dtypes."""
    kind = type(series.dtype).__name__
    if kind == "Categorical" and series.implementation.is_pandas_like():
        return tuple(series.cat.get_categories().to_list())
    return tuple(series.dtype.categories) if kind == "Enum" else () if kind == "Categorical" else None


def _of_array(X: Any) -> Table:
    sparse = type(X).__module__.startswith("scipy.") and hasattr(X, "tocsr")
    array = X if sparse else _array(X)
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: rows of equal length, one an "
            "example; X.reshape(-1, 1) makes a single column of it, X.reshape(1, -1) a single row."
        )
    rows, names = int(array.shape[0]), tuple(range(array.shape[1]))
    if array.dtype.kind in _OF_DTYPE:
        return Table(names, rows, (), check_sparse(X).tocsr() if sparse else array, _OF_DTYPE[array.dtype.kind], sparse)
    if sparse:
        raise DataError(f"Expected a sparse matrix of real numbers; its dtype is {array.dtype}. Use astype(float).")
    if array.dtype.kind in "mM":  # whose Python values may be plain integers
        _refuse_dates(0, str(array.dtype))
    return Table(names, rows, tuple(Column(j, *_infer_type(j, array[:, j].tolist())) for j in names))


def _array(X: Rows) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        X = X.tolist()  # None where it is masked
    if not isinstance(X, list | tuple):
        return np.asarray(X)
    try:
        return np.array(X, dtype=object)  # any other type would turn the numbers beside text into text
    except ValueError:
        raise DataError("Expected rows of equal length; they differ. Write None where a value is missing.") from None


def _infer_type(name: Name, values: list[Any]) -> tuple[Holds | None, NDArray[Any], list[Any] | None]:
    """Return the type of Python values, and the values as the cells of a column."""
    families = {kind: _family(kind) for kind in set(map(type, values))}
    if "other" in families.values():
        _refuse_type(name, *next((i, v) for i, v in enumerate(values) if families[type(v)] == "other"))
    odd = {kind for kind, family in families.items() if family == "missing"} - {type(None)}
    values = [None if type(value) in odd else value for value in values] if odd else values
    holds = set(families.values()) - {"missing"}
    if "number" in holds and holds <= {"number", "whole"}:
        return "number", _floats(name, values, np.arange(len(values))), None
    known = [value for value in dict.fromkeys(values) if value is not None and value == value]
    types = {families[type(value)].replace("whole", "number"): value for value in reversed(known)}  # the first of each
    if len(types) > 1:
        first = sorted((values.index(value), quote(value), word) for word, value in types.items())
        found = " and ".join(f"{value} in row {row} ({word})" for row, value, word in first[:2])
        raise DataError(
            f"{name_column(name)}: expected values of one type; came {found}. Make all numbers, or all text."
        )
    places = dict(zip(known, range(len(known)), strict=True))
    cells = np.fromiter(map(places.get, values, repeat(-1)), np.intp, len(values))
    return (families[type(known[0])] if known else None), cells, known  # type: ignore[return-value]


def _family(kind: type) -> Holds | Literal["missing", "other"]:
    if kind is type(None) or (kind.__module__.startswith("pandas") and kind.__name__ in ("NAType", "NaTType")):
        return "missing"
    return next((holds for kinds, holds in _OF_TYPE if issubclass(kind, kinds)), "other")


def _floats(name: Name, values: list[Any], places: NDArray[Any]) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except (ValueError, OverflowError):
        for place, value in enumerate(values):
            try:
                float(0 if value is None else value)
            except (ValueError, OverflowError):
                row = int((places == place).argmax())
                raise DataError(
                    f"{name_column(name)}, row {row}: expected a number; came {quote(value)}. "
                    "Correct it, or leave it empty (None or NaN)."
                ) from None
        raise


def _label(value: Any) -> Label:
    """Return the label, 1 for 1.0, as whole numbers beside missing ones turn into floats."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return int(value) if int(value) == value else float(value)


def _refuse_type(name: Name, row: int, value: object) -> NoReturn:
    kind = type(value).__name__
    if isinstance(value, complex):
        raise DataError(f"Complex data not supported: {name_column(name)}, row {row} is {quote(value)}.")
    if isinstance(value, date | time | timedelta | np.datetime64 | np.timedelta64):
        _refuse_dates(name, kind)
    what = f"{name_column(name)}, row {row}: argument must be a string or a number, not '{kind}'. "
    raise TypeError(what + "Write its cells as text or numbers, such as with astype(str), or leave the column out.")


def _refuse_dates(name: Name, what: str) -> NoReturn:
    raise DataError(
        f"{name_column(name)}: expected numbers, text or truth values; came dates or times ({what}). "
        "Make a column of what matters in them, such as the weekday or the days since a date, or leave them out."
    )
