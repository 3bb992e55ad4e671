"""Which items were learnt under which label, by digest: none is learnt twice, none forgotten that never was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..store import Stored

SIZE = 16  # bytes of a digest


@dataclass(frozen=True)
class Ledger:
    """One row per label that an item was given and still has: `digests` (M,) of 16 bytes, `classes` (M,) indices.

    Rows of one item stand in the order in which its labels were given; the last is the one in force. Learning an
    item under another label adds a row, forgetting takes the last one away, so that forgetting restores what was.
    Rows are kept sorted by digest.
    """

    digests: NDArray[np.bytes_]
    classes: NDArray[np.uint16]

    @classmethod
    def of(cls, digests: bytes, classes: Iterable[int]) -> Ledger:
        """From ascending digests one after the other, and the class of each."""
        return cls(np.frombuffer(digests, dtype=f"S{SIZE}"), np.fromiter(classes, dtype=np.uint16))

    def __len__(self) -> int:
        return len(self.digests)

    def _end(self, digest: bytes) -> int:
        """Where the rows of this item end."""
        return int(np.searchsorted(self.digests, np.bytes_(digest), side="right"))

    def label(self, digest: bytes) -> int | None:
        """The class in force of the item, or None if it is not known."""
        end = self._end(digest)
        known = end > 0 and self.digests[end - 1] == np.bytes_(digest).rstrip(b"\0")
        return int(self.classes[end - 1]) if known else None

    def learnt(self, digest: bytes, label: int) -> Ledger:
        """The ledger after the item was learnt as `label`."""
        end = self._end(digest)
        return Ledger(np.insert(self.digests, end, np.bytes_(digest)), np.insert(self.classes, end, np.uint16(label)))

    def forgotten(self, digest: bytes) -> Ledger:
        """The ledger after the item's last label was taken back."""
        end = self._end(digest)
        return Ledger(np.delete(self.digests, end - 1), np.delete(self.classes, end - 1))

    def with_classes(self, place: list[int]) -> Ledger:
        """The same rows when class c becomes class place[c]."""
        return Ledger(self.digests, np.array(place, dtype=np.uint16)[self.classes])

    def arrays(self) -> dict[str, NDArray[np.uint8] | NDArray[np.uint16]]:
        """As the file keeps it."""
        rows = np.frombuffer(self.digests.astype(f"S{SIZE}").tobytes(), dtype=np.uint8)
        return {"ledger.digests": rows.reshape(-1, SIZE), "ledger.classes": self.classes}

    @classmethod
    def from_stored(cls, stored: Stored) -> Ledger:
        """What a file keeps; an empty ledger where it keeps none."""
        if "ledger.digests" not in stored.tensors:
            return cls.of(b"", [])
        digests = np.frombuffer(stored.tensors["ledger.digests"].data, dtype=f"S{SIZE}")
        classes = stored.tensors["ledger.classes"].array()
        if (digests[1:] < digests[:-1]).any() or (classes >= len(stored.header["classes"])).any():
            raise DataError(f"{stored.name}: its ledger is damaged: digests in order, of known classes, are expected.")
        return cls(digests, classes)
