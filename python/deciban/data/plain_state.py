"""The state of an object in plain values: what pickle, joblib and skops write, and what they read again."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from deciban.data.rows import is_sparse

# Marks of what is written otherwise, the first of a tuple.
_MEMBER, _TYPE, _SPARSE, _PAIRS = "deciban:member", "deciban:dtype", "deciban:csr", "deciban:pairs"


class PlainState:
    """An object whose state has no members of enumerations, no types of NumPy, no sparse arrays of SciPy.

    skops cannot load members, asks the reader to trust the others, and takes False for True where it is a key of a
    dictionary. `__getstate__` writes them as names, arrays and pairs, and `__setstate__` reads them. The state is that
    of the attributes themselves, not of what these are made of.
    """

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: _write(value) for name, value in (state or {}).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        found = {name: _read(value) for name, value in state.items()}
        above = getattr(super(), "__setstate__", None)  # scikit-learn's looks at the version
        if above is None:
            self.__dict__.update(found)
        else:
            above(found)


def _write(value: Any) -> Any:
    if isinstance(value, Enum):
        return _MEMBER, type(value), value.name
    if isinstance(value, np.dtype):
        return _TYPE, value.str
    if is_sparse(value) and value.format == "csr":
        array = type(value).__name__.endswith("array")
        return _SPARSE, value.data, value.indices, value.indptr, tuple(map(int, value.shape)), array
    if type(value) is dict and not all(isinstance(key, str) for key in value):
        return _PAIRS, tuple(value.items())
    return value


def _read(value: object) -> Any:
    if not isinstance(value, tuple) or not value or not isinstance(value[0], str):
        return value
    if value[0] == _MEMBER:
        return value[1][value[2]]
    if value[0] == _TYPE:
        return np.dtype(value[1])
    if value[0] == _PAIRS:
        return dict(value[1])
    if value[0] == _SPARSE:
        from scipy.sparse import csr_array, csr_matrix

        _, data, indices, indptr, shape, array = value
        return (csr_array if array else csr_matrix)((data, indices, indptr), shape=shape)
    return value
