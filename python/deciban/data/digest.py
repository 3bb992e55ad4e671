"""The name of data: equal numbers have equal names on every machine."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from deciban import _core

from .devices import elsewhere, on_host, parts, take

# Numbers that the core hashes at once: crates/core/src/digest.rs.
_STRETCH = 1 << 15
_HASHED = tuple(np.dtype(name) for name in ("float64", "float32", "int64", "int32", "uint8"))


def digest(*arrays: np.ndarray[Any, Any]) -> str:
    """Return a name for shapes and values: equal numbers have equal names on every machine, whatever type holds them.

    SHA-256 of each array's shape and of the BLAKE3 (O'Connor, Aumasson, Neves & Wilcox-O'Hearn 2020) of its values as
    float64, which takes all cores.

    >>> digest(np.array([1, 2])) == digest(np.array([1.0, 2.0], dtype=">f8"))
    True
    """
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(np.array([array.ndim, *array.shape], dtype="<i8").tobytes())
        if elsewhere(array):
            sha.update(_stream(array))
            continue
        flat = np.require(array, requirements=["C", "A"]).reshape(-1)
        sha.update(_core.digest(flat if flat.dtype in _HASHED else flat.astype(np.float64)))
    return sha.hexdigest()


def _stream(array: object) -> bytes:
    """Return the name of an array elsewhere, whose rows are on the host a few at a time."""
    names, rest, count = [], np.zeros(0), 0
    for rows in parts(array):
        rest = np.concatenate([rest, on_host(take(array, rows)).reshape(-1)])
        whole = len(rest) - len(rest) % _STRETCH
        names.append(_core.digest_stretches(rest[:whole]))
        rest, count = rest[whole:], count + whole
    names.append(_core.digest_stretches(rest))
    return _core.digest_joined(count + len(rest), b"".join(names))
