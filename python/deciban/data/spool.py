"""Items as they came, kept so that a few of them can be shown later without reading their source again."""

from __future__ import annotations

from collections.abc import Sequence
from tempfile import SpooledTemporaryFile, gettempdir
from weakref import finalize

MEMORY = 64 << 20
"""Bytes that are kept in memory; what is longer goes into a temporary file without a name."""


class Spool:
    """N items, each with its name.

    >>> spool = Spool()
    >>> spool.add(["a.txt", "b.txt"], ["one", b"two"])
    >>> spool[1]
    ('b.txt', b'two')
    """

    def __init__(self, memory: int = MEMORY) -> None:
        self._file = SpooledTemporaryFile(max_size=memory)  # noqa: SIM115
        finalize(self, self._file.close)
        self._names: list[str] = []
        self._texts: list[bool] = []
        self._ends = [0]

    def __len__(self) -> int:
        return len(self._names)

    def add(self, names: Sequence[str], items: Sequence[str | bytes]) -> None:
        """Add more items, after those before; OSError, of the folder of temporary files, where there is no room."""
        parts = [item if isinstance(item, bytes) else item.encode("utf-8", "surrogatepass") for item in items]
        try:
            self._file.seek(self._ends[-1])
            self._file.write(b"".join(parts))
            self._file.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, gettempdir()) from error
        self._names += names
        self._texts += [isinstance(item, str) for item in items]
        for part in parts:
            self._ends.append(self._ends[-1] + len(part))

    def __getitem__(self, i: int) -> tuple[str, str | bytes]:
        """Return the name of an item, and the item."""
        self._file.seek(self._ends[i])
        item = self._file.read(self._ends[i + 1] - self._ends[i])
        return self._names[i], item.decode("utf-8", "surrogatepass") if self._texts[i] else item
