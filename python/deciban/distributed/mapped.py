"""Encoded parts in files, mapped into memory: nothing of them is read before it is needed.

A part is a folder with two files, and appears when both are written: `arrays` holds one array after the other, each
from a multiple of 64 bytes on, and `layout` says in JSON of each its type, shape and place. X is CSR of 32-bit indices,
or a dense table, in float32 where that loses nothing, else in float64.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import pickle
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.rows import is_sparse
from ..errors import StorageError

Floats = NDArray[np.float64]
_ALIGNED = 64
_LAYOUT, _ARRAYS = "layout", "arrays"


class Encoded(NamedTuple):
    """X (N, d) dense or CSR, y (N,) places in the part's own sorted `labels`, weight (N,) > 0 or None for 1 each."""

    X: Any
    y: NDArray[Any]
    labels: NDArray[Any]
    weight: Floats | None


def write(encoded: Encoded, path: Path, note: str = "") -> None:
    """Write a part and a note, all of it or nothing; StorageError where the disk is full."""
    unfinished = path.with_name(f"{path.name}.unfinished-{os.getpid()}")
    arrays = _arrays_of(encoded)
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        layout = {**_write_arrays(arrays, unfinished / _ARRAYS), "note": note, "columns": encoded.X.shape[1]}
        (unfinished / _LAYOUT).write_text(json.dumps(layout), "utf-8")
        if path.exists():  # written by a worker that died before it could say so
            shutil.rmtree(path)
        unfinished.rename(path)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        refuse_full(error, path, sum(each.nbytes for each in arrays.values()))
        raise


def _arrays_of(encoded: Encoded) -> dict[str, Any]:
    X, labels = encoded.X, encoded.labels
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr} if is_sparse(X) else {"X": X}
    arrays["y"] = encoded.y
    if encoded.weight is not None:
        arrays["weight"] = encoded.weight
    if labels.dtype.hasobject:
        return {**arrays, "pickled": np.frombuffer(pickle.dumps(labels, protocol=5), np.uint8)}
    return {**arrays, "labels": labels}


def _write_arrays(arrays: dict[str, Any], path: Path) -> dict[str, tuple[str, tuple[int, ...], int]]:
    """Write arrays, and return the type, shape and place of each."""
    layout = {}
    with open(path, "wb") as file:
        for name, array in arrays.items():
            layout[name] = (array.dtype.str, array.shape, file.tell())
            file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            file.write(bytes(-file.tell() % _ALIGNED))
        file.write(bytes(_ALIGNED))  # so that there is something to map
    return layout


def refuse_full(error: OSError, path: Path, size: int) -> None:
    """Raise StorageError where the disk is full."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        raise StorageError(
            f"the disk of {path.parent} is full. Expected {size:,} more bytes. Make room there, or choose another "
            "folder."
        ) from error


@dataclass(frozen=True)
class Mapped:
    """Maps a part from its folder into memory; of a folder that is not `trusted` nothing is unpickled."""

    path: str
    trusted: bool = True

    def __call__(self) -> Encoded:
        """Return the part; nothing of it is read yet."""
        return self.with_note()[0]

    def read_ahead(self) -> None:
        """Have the system begin to read the part, where it can, while something else is computed."""
        if sys.platform == "linux":
            with suppress(OSError), open(f"{self.path}/{_ARRAYS}", "rb", buffering=0) as file:  # who loads it names it
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)

    def with_note(self) -> tuple[Encoded, str]:
        """Return the part and its note; ValueError, KeyError or TypeError where its files are damaged."""
        from scipy.sparse import csr_array

        layout = json.loads(Path(self.path, _LAYOUT).read_text("utf-8"))
        with open(f"{self.path}/{_ARRAYS}", "rb") as file:
            held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

        def array(name: str) -> Any:
            kind, shape, start = layout[name]
            if np.dtype(kind).hasobject:  # bytes of a file are no pointers
                raise ValueError(f"{self.path} holds an array of objects")
            return np.ndarray(shape, kind, held, start)

        if "pickled" in layout:
            if not self.trusted:
                raise ValueError(f"{self.path} holds labels that are no texts")
            labels = pickle.loads(array("pickled"))
        else:
            labels = array("labels")
        weight = array("weight") if "weight" in layout else None
        if "X" in layout:
            return Encoded(array("X"), array("y"), labels, weight), layout["note"]
        y = array("y")
        X = csr_array((len(y), layout["columns"]), dtype=np.float32)
        X.data, X.indices, X.indptr = array("data"), array("indices"), array("indptr")
        return Encoded(X, y, labels, weight), layout["note"]
