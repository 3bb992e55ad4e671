"""The .deciban file: safetensors with a JSON header; never pickle, so that a stranger's file is only data.

    8 bytes   length of the safetensors header
    header    JSON: where each tensor lies, and under __metadata__.deciban the JSON header of this package
    tensors   little-endian, one after the other

The header of this package holds `schema` (the version of this layout), `model` (which kind), what that kind
needs, and `digest`, the SHA-256 of the whole file with the digest's own 64 characters as 0. Times, dates and
paths are never written: the same model is the same bytes. A file is replaced in one step or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ._core import Sha256
from .data.header_fields import check_names
from .data.text_layout import check
from .errors import DataError, escape, unreadable
from .files.regions import Region, regions_of
from .files.regular import open_regular
from .files.system import REPLACES_OPEN_FILES, open_unnamed

if TYPE_CHECKING:
    import io

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
_PIECE = 1 << 20
_DTYPES = {"U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8"} | {
    "I8": "i1",
    "I16": "<i2",
    "I32": "<i4",
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
}

# Types of tensors as the safetensors library orders them, the narrowest first.
_ORDER = ("U8", "I8", "I16", "U16", "F16", "I32", "U32", "F32", "F64", "I64", "U64")


class Tensor(NamedTuple):
    """One tensor as it lies in the file."""

    dtype: str
    shape: tuple[int, ...]
    data: bytearray | Region

    def array(self) -> NDArray[Any]:
        """Return the tensor as a NumPy array (read-only view)."""
        import numpy as np

        content = bytes(self.data) if isinstance(self.data, Region) else self.data
        return np.frombuffer(content, dtype=_DTYPES[self.dtype]).reshape(self.shape)


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
    with open_file(path) as opened:
        return opened.header


class Opened:
    """A .deciban file that is open to be read, whose header has been read.

    `load` reads and checks all of it. `view` reads no tensor before it is asked for one; who uses what it returns
    without `verify`, which reads all of the file, must know by `identity` that it was verified before.
    """

    def __init__(self, file: io.BufferedReader, path: str | os.PathLike[str]) -> None:
        self.file, self.name = file, escape(os.fspath(path))
        try:
            self.about = os.fstat(file.fileno())
            size = _header_size(file.read(8 + len(_START)), self.about.st_size, self.name)
            file.seek(0)
            self.start = file.read(8 + size)
        except OSError as error:
            raise unreadable(os.fspath(path), error) from error
        self.header, self._layout = _header(self.start, self.about.st_size, self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.file.close()

    @property
    def identity(self) -> str:
        """What tells, without its content, that a file is the same and nobody has written to it, as git knows it."""
        about = self.about
        return f"{about.st_dev}:{about.st_ino}:{about.st_size}:{about.st_mtime_ns}:{about.st_ctime_ns}"

    def load(self, *, tables: bool = False) -> Stored:
        """Read and check the file; one of a model of a table only where `tables` are welcome.

        Afterwards its header is kept there only: of very many columns it takes much room.
        """
        try:
            self.file.seek(0)
            content = self.file.read(self.about.st_size)
        except OSError as error:
            raise unreadable(self.file.name, error) from error
        if len(content) != self.about.st_size or not content.startswith(self.start):
            raise DataError(f"{self.name}: expected a .deciban file; it was written to while it was read. Try again.")
        header, self.header, self._layout, self.start = self.header, {}, {}, b""
        return _checked(header, content, self.name, tables)

    def view(self) -> Stored:
        """Check the form of a file of a model of texts, and return it with tensors whose `data` are `Region`s."""
        try:
            found = regions_of(self._layout, self.file.fileno(), len(self.start), self.about.st_size)
        except ValueError as error:
            raise _damaged(self.name, error) from error
        tensors = {name: Tensor(*each) for name, each in found.items()}
        check_names(self.header, self.name)
        check(self.header, tensors, self.name)
        return Stored(self.header, tensors, self.name)

    def verify(self) -> None:
        """Read the whole file, a piece at a time; raise DataError unless it has the digest that its header names."""
        place = self.start.find(_MARK) + len(_MARK)
        sha = Sha256()
        sha.update(self.start[:place] + _UNKNOWN + self.start[place + len(_UNKNOWN) :])
        try:
            self.file.seek(len(self.start))
            while piece := self.file.read(1 << 20):
                sha.update(piece)
        except OSError as error:
            raise unreadable(self.name, error) from error
        if self.header.get("digest") != sha.hexdigest():
            raise _altered(self.name)


def open_file(path: str | os.PathLike[str]) -> Opened:
    """Open a .deciban file and read its header. Whatever is not one is refused by its first bytes; no more is read than
    the header says that there is."""
    file = open_regular(path)
    try:
        return Opened(file if REPLACES_OPEN_FILES else _copied(file), path)
    except BaseException:
        file.close()
        raise


def _copied(file: io.BufferedReader) -> io.BufferedReader:
    """Return a file that holds the same, and close this one, which could not be replaced while it is open."""
    with file, open(open_unnamed(in_memory=False), "r+b") as copy:
        while piece := file.read(_PIECE):
            copy.write(piece)
        copy.seek(0)
        return open(os.dup(copy.fileno()), "rb")


def read(path: str | os.PathLike[str], *, tables: bool = False) -> Stored:
    """Read and check a .deciban file; one of a model of a table only where `tables` are welcome."""
    with open_file(path) as opened:
        return opened.load(tables=tables)


def parse(content: bytes, name: str = "the model", *, tables: bool = False) -> Stored:
    """Check the bytes of a .deciban file, all of them; `name` is what the errors call it."""
    size = _header_size(content, len(content), name)
    header, _ = _header(content[: 8 + size], len(content), name)
    return _checked(header, content, name, tables)


def _checked(header: dict[str, Any], content: bytes, name: str, tables: bool) -> Stored:
    """Return what is in a file with this header, checked."""
    from safetensors import SafetensorError, deserialize

    try:
        raw = deserialize(content)  # type: ignore[no-untyped-call]
    except (SafetensorError, ValueError, OverflowError) as error:
        raise _damaged(name, error) from error
    if header.get("digest") != _digest(content):
        raise _altered(name)
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


def _header(start: bytes, total: int, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON header of this package, and where tensors lie, from the length and the header of a file of
    `total` bytes."""
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
    return header, whole


def _tensor_size(layout: dict[str, Any]) -> int:
    """Return how many bytes the tensors take, by the header; -1 of a header that does not say it."""
    try:
        return max((int(each["data_offsets"][1]) for each in layout.values()), default=0)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError):
        return -1


def _damaged(name: str, error: Exception) -> DataError:
    return DataError(f"{name}: expected a whole .deciban file; it is truncated or damaged ({error}).")


def _altered(name: str) -> DataError:
    return DataError(
        f"{name}: its digest does not fit its content: the file was altered or damaged. "
        "Restore it from a backup, or train again."
    )


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
    place, sha = content.find(_MARK) + len(_MARK), Sha256()
    sha.update(content[:place] + _UNKNOWN)
    sha.update(content, place + len(_UNKNOWN))
    return sha.hexdigest()


def to_bytes(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of a .deciban file with this header and these arrays."""
    return b"".join(_pieces(header, arrays))


def _pieces(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Sequence[bytes | memoryview]:
    """Return the same, one after the other: header, digest, and the arrays as they lie in memory, without a copy."""
    from hashlib import sha256

    whole = {**header, "schema": SCHEMA}
    whole.pop("digest", None)
    # ASCII, for the sake of labels whose bytes are not UTF-8; sorted, so that the same model is the same bytes.
    rest = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    text = {_KEY: f'{{"digest":"{_UNKNOWN.decode()}",{rest[1:]}'}
    del rest
    places, data = _layout(arrays)
    start = json.dumps({"__metadata__": text, **places}, separators=(",", ":"), ensure_ascii=False).encode()
    start += b" " * (-len(start) % 8)
    size = len(start)
    if size > MOST_HEADER:
        raise DataError(
            f"Expected names of classes and columns, and settings, of at most {MOST_HEADER:,} bytes; these take "
            f"{size:,}. Leave columns out, or give shorter names."
        )
    start = size.to_bytes(8, "little") + start
    sha = sha256(start)
    for piece in data:
        sha.update(piece)
    place = start.find(_MARK) + len(_MARK)
    return start[:place], sha.hexdigest().encode(), start[place + len(_UNKNOWN) :], *data


def _layout(arrays: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Any], list[memoryview]]:
    """Return where each array lies in a safetensors file, and the bytes of those that have any, one after the other:
    by type, the widest first, and then by name, as that library orders them."""
    import numpy as np

    types = {dtype: name for name, dtype in _DTYPES.items()}
    kept = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    kept = {name: array.astype(array.dtype.newbyteorder("<"), copy=False) for name, array in kept.items()}
    tensors = [(types[array.dtype.str.lstrip("|")], name, array) for name, array in kept.items()]
    tensors.sort(key=lambda each: (-_ORDER.index(each[0]), each[1]))
    places: dict[str, Any] = {}
    end = 0
    for dtype, name, array in tensors:
        start, end = end, end + array.nbytes
        places[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [start, end]}
    return places, [array.data.cast("B") for _, _, array in tensors if array.nbytes]


def write(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the file in one step: a temporary file beside it, fsync, rename. What was there survives any failure."""
    from .files.replacement import replace  # here, because who only judges never writes

    replace(path, *_pieces(header, arrays))


def narrowest(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return whole numbers below 2^32 as such, anything else as it is: exact either way."""
    import numpy as np

    small = bool(((values >= 0) & (values < 2**32) & (values == np.floor(values))).all())
    return values.astype("<u4") if small else values.astype("<f8")
