"""The .deciban file: safetensors with a JSON header; never pickle, so that a stranger's file is only data.

    8 bytes   length of the safetensors header
    header    JSON: where each tensor lies, and under __metadata__.deciban the JSON header of this package
    tensors   little-endian, one after the other

The header of this package holds `schema` (the version of this layout), `model` (which kind), what that kind
needs, and `digest`, the SHA-256 of the whole file with the digest's own 64 characters as 0. Times, dates and
paths are never written: the same model is the same bytes. A file is replaced in one step or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .data.text_layout import check
from .errors import DataError, StorageError, shown, unreadable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA = 1
_KEY = "deciban"
# Where the digest stands: first in the header, JSON within JSON. What else is called "digest" stands behind it.
_MARK = rb'"deciban":"{\"digest\":\"'
_UNKNOWN = b"0" * 64
_DTYPES = {"U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "I64": "<i8", "F64": "<f8", "F32": "<f4"}


class Tensor(NamedTuple):
    """One tensor as it lies in the file."""

    dtype: str
    shape: tuple[int, ...]
    data: bytearray

    def array(self) -> NDArray[Any]:
        """The tensor as a NumPy array (read-only view)."""
        import numpy as np

        return np.frombuffer(self.data, dtype=_DTYPES[self.dtype]).reshape(self.shape)


class Stored(NamedTuple):
    """What a file holds: the header of this package, the tensors by name, and what errors call the file."""

    header: dict[str, Any]
    tensors: dict[str, Tensor]
    name: str = "the model"


def rebuilt(stored: Stored, made: Callable[[dict[str, Any], dict[str, NDArray[Any]]], Any]) -> Any:
    """What `made` makes of the header and the arrays of a file that `read` has checked; DataError for what does not fit
    together."""
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
        RecursionError,
    ) as error:
        reason = str(error).rstrip(".").splitlines()[0][:200] if str(error) else type(error).__name__
        raise DataError(f"{stored.name}: its model is damaged: {reason}. Train again.") from error


def of_table(header: Mapping[str, Any]) -> bool:
    """Whether a file is of a model of typed columns, which whoever restores it checks; else it is one of texts."""
    return "table" in header


def read(path: str | os.PathLike[str], *, tables: bool = False) -> Stored:
    """Reads and checks a .deciban file; one of a model of a table only where `tables` are welcome."""
    name = shown(os.fspath(path))
    try:
        with open(path, "rb") as file:
            content = file.read()
    except (OSError, ValueError) as error:
        raise unreadable(os.fspath(path), error) from error
    return parse(content, name, tables=tables)


def parse(content: bytes, name: str = "the model", *, tables: bool = False) -> Stored:
    """Checks the bytes of a .deciban file, all of them; `name` is what the errors call it."""
    from safetensors import SafetensorError, deserialize

    header = _header(content, name)
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
    if not of_table(header):
        check(header, tensors, name)
    elif tables:
        _share(header["table"])
    else:
        raise DataError(
            f"{name}: expected a filter of mail or texts; this is a model of a table. Use deciban.load from Python, or "
            "the command, which judges rows with it and learns more."
        )
    return Stored(header, tensors, name)


def _header(content: bytes, name: str) -> dict[str, Any]:
    """The JSON header of this package, from a file that may be anything."""
    foreign = DataError(f"{name}: expected a .deciban file, as `deciban train` writes it; this is something else.")
    size = int.from_bytes(content[:8], "little")
    if len(content) < 9 or content[8:9] != b"{":
        raise foreign
    if size > len(content) - 8:
        raise DataError(f"{name}: expected a whole .deciban file; it is truncated ({len(content):,} bytes are left).")
    try:
        header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][_KEY])
        schema = header["schema"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise foreign from None
    if type(schema) is not int or schema < 1:
        raise foreign
    if schema > SCHEMA:
        raise DataError(
            f"{name}: written by a newer version (schema {schema}; this one reads up to {SCHEMA}). "
            "Upgrade: pip install --upgrade deciban."
        )
    _rename(header)
    return header  # type: ignore[no-any-return]


# What parameters were called when older files were written.
_BEFORE = {("bayes", "class_prior"): {"fitted": "empirical"}}


def _rename(header: Any) -> None:
    """Give the parameters of older files the values that they have now."""
    for (section, name), values in _BEFORE.items():
        given = header.get(section) if type(header) is dict else None
        if type(given) is dict and type(given.get(name)) is str:
            given[name] = values.get(given[name], given[name])


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
    """The SHA-256 of a file as it was before its digest was put in."""
    place = content.find(_MARK) + len(_MARK)
    view = memoryview(content)
    sha = hashlib.sha256(view[:place])
    sha.update(_UNKNOWN)
    sha.update(view[place + len(_UNKNOWN) :])
    return sha.hexdigest()


def to_bytes(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The content of a .deciban file with this header and these arrays."""
    return b"".join(_pieces(header, arrays))


def _pieces(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Sequence[bytes | memoryview]:
    """The same, one after the other: a large file is not copied to put its digest in."""
    import numpy as np
    from safetensors.numpy import save

    whole = {**header, "schema": SCHEMA}
    whole.pop("digest", None)
    # ASCII, for the sake of labels whose bytes are not UTF-8; sorted, so that the same model is the same bytes.
    rest = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    text = {_KEY: f'{{"digest":"{_UNKNOWN.decode()}",{rest[1:]}'}
    del rest
    content = save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, metadata=text)
    place, view = content.find(_MARK) + len(_MARK), memoryview(content)
    return view[:place], _digest(content).encode(), view[place + len(_UNKNOWN) :]


def write(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes the file in one step: a temporary file beside it, fsync, rename. What was there survives any failure."""
    replace(path, *_pieces(header, arrays))


def replace(path: str | os.PathLike[str], *content: bytes | memoryview) -> None:
    """Puts these pieces in the place of the file, keeping its mode; through a link, the file it points to."""
    import tempfile  # here, because who only judges never writes

    target = os.path.realpath(path)
    folder, base = os.path.split(target)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{base}.", suffix=".part", dir=folder)
        with open(handle, "wb") as file:
            os.chmod(temporary, _mode(target))
            file.writelines(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        temporary = None
        _sync_folder(folder)
    except OSError as error:
        raise StorageError(
            f"{shown(os.fspath(path))}: could not be written: {error.strerror}. "
            "Nothing was changed; make room or choose another place, and try again."
        ) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _mode(target: str) -> int:
    """The mode of the file that is there, or of a new one under the umask."""
    try:
        return os.stat(target).st_mode & 0o7777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _sync_folder(folder: str) -> None:
    with contextlib.suppress(OSError):  # not every file system lets a folder be synced
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Holds the file alone while it is updated: others wait.

    The lock is on the file itself; as an update puts a new file in its place, whoever waited looks again whether
    what it holds is still the file of that name.
    """
    import fcntl

    while True:
        try:
            handle = os.open(path, os.O_RDONLY)
        except (OSError, ValueError) as error:
            raise unreadable(os.fspath(path), error) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            try:
                same = os.path.samestat(os.fstat(handle), os.stat(path))
            except FileNotFoundError:
                same = False
            if same:
                yield
                return
        finally:
            os.close(handle)


def narrowest(values: NDArray[np.float64]) -> NDArray[Any]:
    """Whole numbers below 2^32 as such, anything else as it is: exact either way."""
    import numpy as np

    small = bool(((values >= 0) & (values < 2**32) & (values == np.floor(values))).all())
    return values.astype("<u4") if small else values.astype("<f8")
