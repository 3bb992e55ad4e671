"""Arrays of other libraries, on whatever device they are: NumPy computes on the CPU, CuPy's and torch's where they lie.

Only functions of the array API standard (2023.12) are asked of a library, so that another one that keeps to it works
too. CuPy's and torch's own functions differ from it here and there: array-api-compat stands between, a package of its
own or the one inside scikit-learn. What is the host's and what is the device's is said in `conventions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar, cast

import numpy as np

from deciban.data.rows import Rows, is_sparse
from deciban.errors import DataError

# Libraries whose own functions are not quite the standard's.
_WRAPPED = ("cupy", "torch")
_WRAPPERS = ("array_api_compat", "sklearn.externals.array_api_compat")
# DLPack's number of the host.
_CPU = 1
# Numbers that are looked at, or brought to the host, at once.
PART = 1 << 22


def elsewhere(X: Rows) -> bool:
    """Return whether X is an array of a library other than NumPy, which says what is done with it, and where.

    >>> elsewhere(np.zeros(2)), elsewhere([0.0, 0.0])
    (False, False)
    """
    if isinstance(X, np.ndarray | np.generic) or is_sparse(X):
        return False
    return hasattr(X, "__array_namespace__") or (_library(X) in _WRAPPED and hasattr(X, "shape"))


def namespace(X: Any) -> Any:
    """Return the functions of X's library, by the standard's names; NumPy's for what no other library made."""
    if not elsewhere(X):
        return np
    return _wrapper().array_namespace(X) if _library(X) in _WRAPPED else X.__array_namespace__()


def _library(X: Rows) -> str:
    return type(X).__module__.split(".")[0]


@cache
def _wrapper() -> Any:
    for name in _WRAPPERS:
        if find_spec(name) is not None:
            return import_module(name)
    raise DataError(
        "arrays of CuPy and torch need array-api-compat, which is not installed: pip install array-api-compat"
    )


def on_host(values: Any, dtype: Any = np.float64) -> Any:
    """Return values of any library as NumPy's; with `dtype=None` in the type that they have."""
    if not isinstance(values, np.ndarray):
        for name in ("detach", "get", "cpu"):  # torch's, CuPy's and torch's
            if hasattr(values, name):
                values = getattr(values, name)()
        here = hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] == _CPU
        values = np.from_dlpack(values) if here else np.asarray(values)
    return np.asarray(values) if dtype is None else np.asarray(values, dtype=dtype)


def fetch(values: Any) -> Any:
    """Return targets or weights of any library as NumPy's; others as they are."""
    return on_host(values, None) if elsewhere(values) else values


def like(values: Any, X: Any, dtype: Any = None) -> Any:
    """Return NumPy's values in the library and on the device of X, which is elsewhere; whole numbers as places are
    there, and double precision as single where a device has no other."""
    xp = namespace(X)
    values = np.require(values, requirements=["C", "W"])  # torch warns of others
    if dtype is None and values.dtype.kind == "i":
        dtype = xp.__array_namespace_info__().default_dtypes(device=X.device)["indexing"]
    elif dtype is None and values.dtype == np.float64 and not has_doubles(X):
        dtype = xp.float32
    return xp.asarray(values, dtype=dtype, device=X.device)


def move(values: Any, X: Any) -> Any:
    """Return values of any library where X is; SciPy's matrices become dense for that."""
    if not elsewhere(X):
        return on_host(values, None) if elsewhere(values) else values
    if elsewhere(values) and type(values) is type(X) and values.device == X.device:
        return values
    return like(values.toarray() if is_sparse(values) else on_host(values, None), X)


def take(X: Any, rows: Any, axis: int = 0) -> Any:
    """Return the given places, or a slice, of the rows of X, or of its columns."""
    if not elsewhere(X):
        return X[:, rows] if axis else X[rows]
    if isinstance(rows, slice):
        rows = slice(*rows.indices(int(X.shape[axis])))  # beyond the end the standard says nothing
        return X[:, rows] if axis else X[rows, ...]
    return namespace(X).take(X, like(np.asarray(rows, dtype=np.int64), X), axis=axis)


def has_doubles(X: Any) -> bool:
    """Return whether the device of X, which is elsewhere, computes in double precision."""
    known = namespace(X).__array_namespace_info__().dtypes(device=X.device, kind="real floating")
    return "float64" in known


def to_double(X: Any) -> Any:
    """Return numbers elsewhere in double precision: there, or on the host where their device has none."""
    if not has_doubles(X):
        return on_host(X)
    xp = namespace(X)
    return X if X.dtype == xp.float64 else xp.astype(X, xp.float64)


def parts(X: Any, numbers: int = 0) -> Iterator[slice]:
    """Return the rows of X, as many at a time as have so many numbers, 4 million unless told."""
    n = int(X.shape[0])
    step = max(1, (numbers or PART) // max(1, int(X.shape[1]) if X.ndim > 1 else 1))
    return (slice(i, min(n, i + step)) for i in range(0, n, step))


def answer_in(values: Any, X: Rows) -> Any:
    """Return NumPy's values as those get them who ask with X: in X's library, on its device. Text stays NumPy's."""
    return like(values, X) if elsewhere(X) and values.dtype.kind in "fiub" else values


Method = TypeVar("Method", bound=Callable[..., Any])


def answers(method: Method) -> Method:
    """Decorate a method of X whose values are NumPy's: they come in X's library, on its device."""

    @wraps(method)
    def wrapped(model: Any, X: Rows) -> Any:
        return answer_in(method(model, X), X)

    return cast(Method, wrapped)


def ask_on_host(method: Method) -> Method:
    """Decorate a method of X, which gets X as NumPy's: what it answers comes in X's library, on its device."""

    @wraps(method)
    def wrapped(model: Any, X: Rows, *more: Any, **named: Any) -> Any:
        return answer_in(method(model, fetch(X), *more, **named), X)

    return cast(Method, wrapped)


def keep_on_host(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a model on the host, for a pickle: files know no devices."""
    return {name: on_host(value, None) if elsewhere(value) else value for name, value in state.items()}


def type_of(array: Any) -> Any:
    """Return NumPy's type of the same name."""
    return array.dtype if isinstance(array, np.ndarray) else np.dtype(str(array.dtype).rsplit(".", 1)[-1])


def take_any(X: Any, rows: Any) -> Any:
    """Return rows of an array of any library, a CSR matrix or a sequence of texts."""
    if hasattr(X, "shape"):
        return take(X, rows)
    places: Sequence[int] = range(len(X))[rows] if isinstance(rows, slice) else rows
    return [X[i] for i in places]
