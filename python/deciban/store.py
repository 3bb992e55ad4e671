"""The .deciban file: safetensors with a JSON header; never pickle, so that a stranger's file is only data.

    8 bytes   length of the safetensors header
    header    JSON: where each tensor lies, and under __metadata__.deciban the JSON header of this package
    tensors   little-endian, one after the other

The header of this package holds `schema` (the version of this layout), `model` (which kind), what that kind
needs, and `digest`, the SHA-256 of the whole file with the digest's own 64 characters as 0. Times, dates and
paths are never written: the same model is the same bytes. A file is replaced in one step or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .data.header_fields import check_names
from .data.text_layout import check
from .errors import DataError, escape, unreadable
from .files.regular import open_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA = 1
_KEY = "deciban"
# Where the digest stands: first in the header, JSON within JSON. What else is called "digest" stands behind it.
_MARK = rb'"deciban":"{\"digest\":\"'
_START = b'{"__metadata__":{"deciban":"{'
_UNKNOWN = b"0" * 64
MOST_HEADER = 100_000_000
"""Bytes of a header at most; safetensors has the same limit."""
_DTYPES = {"U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8"} | {
    "I8": "i1",
    "I16": "<i2",
    "I32": "<i4",
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
}


class Tensor(NamedTuple):
    """One tensor as it lies in the file."""

    dtype: str
    shape: tuple[int, ...]
    data: bytearray

    def array(self) -> NDArray[Any]:
        """Return the tensor as a NumPy array (read-only view)."""
        import numpy as np

        return np.frombuffer(self.data, dtype=_DTYPES[self.dtype]).reshape(self.shape)


class Stored(NamedTuple):
    """What a file holds: the header of this package, the tensors by name, and what errors call the file."""

    header: dict[str, Any]
    tensors: dict[str, Tensor]
    name: str = "the model"


def rebuild(stored: Stored, made: Callable[[dict[str, Any], dict[str, NDArray[Any]]], Any]) -> Any:
    """Return what `made` makes of the header and the arrays of a file that `read` has checked; DataError for what does
    not fit together."""
    import numpy as np

    try:
        with np.errstate(all="ignore"):
            return made(stored.header, {name: tensor.array() for name, tensor in stored.tensors.items()})
    except (
        ValueError,
        KeyError,
        TypeError,
        IndexError,
        ArithmeticError,
        MemoryError,
        AttributeError,
        AssertionError,
        RuntimeError,  # too deep, or arrays of other sizes than the core was promised
    ) as error:
        reason = str(error).rstrip(".").splitlines()[0][:200] if str(error) else type(error).__name__
        raise DataError(f"{stored.name}: its model is damaged: {reason}. Train again.") from error


def of_table(header: Mapping[str, Any]) -> bool:
    """Return whether a file is of a model of rows or of columns, which whoever restores it checks; else it is one of
    texts."""
    return "table" in header or "estimator" in header


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the header of a .deciban file, by which one knows what kind of model it is; `read` checks it."""
    name = escape(os.fspath(path))
    with open_regular(path) as file:
        try:
            total = os.fstat(file.fileno()).st_size
            size = _header_size(file.read(8 + len(_START)), total, name)
            file.seek(0)
            return _header(file.read(8 + size), total, name)
        except OSError as error:
            raise unreadable(os.fspath(path), error) from error


def read(path: str | os.PathLike[str], *, tables: bool = False) -> Stored:
    """Read and check a .deciban file; one of a model of a table only where `tables` are welcome.

    Whatever is not one is refused by its first bytes; no more is read than the header says that there is.
    """
    name = escape(os.fspath(path))
    with open_regular(path) as file:
        try:
            total = os.fstat(file.fileno()).st_size
            size = _header_size(file.read(8 + len(_START)), total, name)
            file.seek(0)
            start = file.read(8 + size)
            header = _header(start, total, name)
            file.seek(0)
            content = file.read(total)
        except OSError as error:
            raise unreadable(os.fspath(path), error) from error
    if len(content) != total or not content.startswith(start):
        raise DataError(f"{name}: expected a .deciban file; it was written to while it was read. Try again.")
    return _checked(header, content, name, tables)


def parse(content: bytes, name: str = "the model", *, tables: bool = False) -> Stored:
    """Check the bytes of a .deciban file, all of them; `name` is what the errors call it."""
    size = _header_size(content, len(content), name)
    return _checked(_header(content[: 8 + size], len(content), name), content, name, tables)


def _checked(header: dict[str, Any], content: bytes, name: str, tables: bool) -> Stored:
    """Return what is in a file with this header, checked."""
    from safetensors import SafetensorError, deserialize

    try:
        raw = deserialize(content)  # type: ignore[no-untyped-call]
    except (SafetensorError, ValueError, OverflowError) as error:
        raise DataError(f"{name}: expected a whole .deciban file; it is truncated or damaged ({error}).") from error
    if header.get("digest") != _digest(content):
        raise DataError(
            f"{name}: its digest does not fit its content: the file was altered or damaged. "
            "Restore it from a backup, or train again."
        )
    tensors = {key: Tensor(value["dtype"], tuple(value["shape"]), value["data"]) for key, value in raw}
    check_names(header, name)
    if not of_table(header):
        check(header, tensors, name)
    elif tables:
        _share(header.get("table"))
    else:
        raise DataError(
            f"{name}: expected a filter of mail or texts; this is a model of a table. Use deciban.load from Python, or "
            "the command, which judges rows with it and learns more."
        )
    return Stored(header, tensors, name)


def _header_size(start: bytes, total: int, name: str) -> int:
    """Return the length of the header, from the first bytes of a file that may be anything and has `total` bytes."""
    if not start:
        raise DataError(f"{name}: expected a .deciban file; it is empty. Restore it from a backup, or train again.")
    given = start[8 : 8 + len(_START)]
    if not given or not _START.startswith(given):
        raise _foreign(name)
    size = int.from_bytes(start[:8], "little")
    if size > MOST_HEADER:
        raise DataError(
            f"{name}: expected a header of at most {MOST_HEADER:,} bytes; this one has {size:,}. The file is damaged, "
            "or not one that this program wrote; train again."
        )
    if size > total - 8:
        raise DataError(f"{name}: expected a whole .deciban file; it is truncated ({total:,} bytes are left).")
    return size


def _header(start: bytes, total: int, name: str) -> dict[str, Any]:
    """Return the JSON header of this package, from the length and the header of a file of `total` bytes."""
    try:
        whole = json.loads(start[8:])
        header = json.loads(whole.pop("__metadata__")[_KEY])
        schema = header["schema"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _foreign(name) from None
    if type(schema) is not int or schema < 1:
        raise _foreign(name)
    if schema > SCHEMA:
        raise DataError(
            f"{name}: written by a newer version (schema {schema}; this one reads up to {SCHEMA}). "
            "Upgrade: pip install --upgrade deciban."
        )
    if total != len(start) + _tensor_size(whole):
        raise DataError(f"{name}: expected a whole .deciban file; it is truncated or damaged ({total:,} bytes).")
    _rename(header)
    return header  # type: ignore[no-any-return]


def _tensor_size(layout: dict[str, Any]) -> int:
    """Return how many bytes the tensors take, by the header; -1 of a header that does not say it."""
    try:
        return max((int(each["data_offsets"][1]) for each in layout.values()), default=0)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError):
        return -1


def _foreign(name: str) -> DataError:
    return DataError(f"{name}: expected a .deciban file, as `deciban train` writes it; this is something else.")


# What values and parameters were called when older files were written.
_VALUES = {("bayes", "class_prior"): {"fitted": "empirical"}}
_PARAMETERS = {
    ("network", "parameters"): {
        "hidden": "hidden_layer_sizes",
        "clip": "clip_norm",
        "averaging": "weight_averaging",
    }
}


def _rename(header: Any) -> None:
    """Give the parameters of older files the names and values that they have now."""
    for (section, name), values in _VALUES.items():
        given = header.get(section) if type(header) is dict else None
        if type(given) is dict and type(given.get(name)) is str:
            given[name] = values.get(given[name], given[name])
    machine = header.get("machine") if type(header) is dict else None
    if type(machine) is dict and type(machine.get("calibration")) in (int, str):  # the number of folds, or "isotonic"
        folds = machine["calibration"]
        machine.setdefault("calibration_folds", folds if type(folds) is int else 3)
        machine["calibration"] = "temperature" if type(folds) is int else folds
    for (section, name), names in _PARAMETERS.items():
        own = header.get(section) if type(header) is dict else None
        given = own.get(name) if type(own) is dict else None
        if type(own) is dict and type(given) is dict:
            own[name] = {names.get(key, key): value for key, value in given.items()}


def _share(table: Any) -> None:
    """Make the same texts in a description of columns, of which there may be a million, one object."""
    columns = table.get("columns") if type(table) is dict else None
    for each in (table, columns):
        if type(each) is dict and type(each.get("kinds")) is list:
            known: dict[str, str] = {}
            each["kinds"] = [known.setdefault(kind, kind) if type(kind) is str else kind for kind in each["kinds"]]
    if type(columns) is dict and columns.get("names") == table.get("names"):
        columns["names"] = table["names"]


def _digest(content: bytes) -> str:
    """Return the SHA-256 of a file as it was before its digest was put in."""
    place = content.find(_MARK) + len(_MARK)
    view = memoryview(content)
    sha = hashlib.sha256(view[:place])
    sha.update(_UNKNOWN)
    sha.update(view[place + len(_UNKNOWN) :])
    return sha.hexdigest()


def to_bytes(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of a .deciban file with this header and these arrays."""
    return b"".join(_pieces(header, arrays))


def _pieces(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Sequence[bytes | memoryview]:
    """Return the same, one after the other: a large file is not copied to put its digest in."""
    import numpy as np
    from safetensors.numpy import save

    whole = {**header, "schema": SCHEMA}
    whole.pop("digest", None)
    # ASCII, for the sake of labels whose bytes are not UTF-8; sorted, so that the same model is the same bytes.
    rest = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    text = {_KEY: f'{{"digest":"{_UNKNOWN.decode()}",{rest[1:]}'}
    del rest
    content = save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, metadata=text)
    size = int.from_bytes(content[:8], "little")
    if size > MOST_HEADER:
        raise DataError(
            f"Expected names of classes and columns, and settings, of at most {MOST_HEADER:,} bytes; these take "
            f"{size:,}. Leave columns out, or give shorter names."
        )
    place, view = content.find(_MARK) + len(_MARK), memoryview(content)
    return view[:place], _digest(content).encode(), view[place + len(_UNKNOWN) :]


def write(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the file in one step: a temporary file beside it, fsync, rename. What was there survives any failure."""
    from .files.replacement import replace  # here, because who only judges never writes

    replace(path, *_pieces(header, arrays))


def narrowest(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return whole numbers below 2^32 as such, anything else as it is: exact either way."""
    import numpy as np

    small = bool(((values >= 0) & (values < 2**32) & (values == np.floor(values))).all())
    return values.astype("<u4") if small else values.astype("<f8")
