"""Which items were learnt under which label, by digest: none is learnt twice, none forgotten that never was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError
from ..store import Stored

SIZE = 16  # bytes of a digest
_LAST = 65_535  # class


class Row(NamedTuple):
    """A label that an item has, as the number of its class, and the generation in which it was given."""

    label: int
    generation: int


@dataclass(frozen=True)
class Ledger:
    """One row per label that an item was given and still has: `digests` (M,) of 16 bytes, `classes` (M,) indices.

    Rows of one item stand in the order in which its labels were given; the last is the one in force. Learning an
    item under another label adds a row, forgetting takes the last one away, so that forgetting restores what was.
    Rows are kept sorted by digest. `generations` (M,) tell when each label was given: see `text.generations`.
    """

    digests: NDArray[np.bytes_]
    classes: NDArray[np.uint16]
    generations: NDArray[np.uint32]

    @classmethod
    def of(cls, digests: bytes, classes: ArrayLike, generations: ArrayLike = 0) -> Ledger:
        """Make a ledger from ascending digests one after the other, the class and the generation of each."""
        members = _narrow(np.asarray(classes))
        when = np.broadcast_to(np.asarray(generations, np.uint32), members.shape)
        return cls(np.frombuffer(digests, dtype=f"S{SIZE}"), members, when)

    @classmethod
    def of_distinct(
        cls, digests: NDArray[np.bytes_], classes: NDArray[Any], generations: NDArray[np.uint32] | None = None
    ) -> Ledger:
        """Make a ledger from distinct digests in any order, the class and the generation of each."""
        order = np.argsort(digests)
        when = np.zeros(len(order), np.uint32) if generations is None else generations[order]
        return cls(digests[order], _narrow(classes[order]), when)

    @classmethod
    def of_last(cls, digests: NDArray[np.bytes_], classes: ArrayLike) -> Ledger:
        """Make a ledger from ascending digests and the class of each; of items that come again the last one counts."""
        rows = cls(digests, _narrow(np.asarray(classes)), np.zeros(len(digests), np.uint32))
        return cls.of_distinct(*rows.in_force())

    def __len__(self) -> int:
        return len(self.digests)

    def _end(self, digest: bytes) -> int:
        """Return where the rows of this item end."""
        return int(np.searchsorted(self.digests, np.bytes_(digest), side="right"))

    def row(self, digest: bytes) -> Row | None:
        """Return the label in force of the item, or None if it is not known."""
        end = self._end(digest)
        known = end > 0 and self.digests[end - 1] == np.bytes_(digest).rstrip(b"\0")
        return Row(int(self.classes[end - 1]), int(self.generations[end - 1])) if known else None

    def label(self, digest: bytes) -> int | None:
        """Return the class in force of the item, or None if it is not known."""
        row = self.row(digest)
        return None if row is None else row.label

    def in_force(self) -> tuple[NDArray[np.bytes_], NDArray[np.uint16]]:
        """Return the digests of the items that are known, ascending, and their classes."""
        last = np.ones(len(self), np.bool_)
        last[:-1] = self.digests[1:] != self.digests[:-1]
        return self.digests[last], self.classes[last]

    @property
    def newest(self) -> int:
        """The generation of the label that was given last."""
        return int(self.generations.max(initial=0))

    def learnt(self, digests: Sequence[bytes], label: int, generation: int) -> Ledger:
        """Return the ledger after distinct items were learnt as `label`, in this generation."""
        new = np.sort(np.array(digests, f"S{SIZE}"))
        ends = np.searchsorted(self.digests, new, side="right")
        return Ledger(
            np.insert(self.digests, ends, new),
            np.insert(self.classes, ends, np.uint16(label)),
            np.insert(self.generations, ends, np.uint32(generation)),
        )

    def given(self, labels: Mapping[bytes, Sequence[int]]) -> Ledger:
        """Return the ledger in which these items have these labels, the last in force, and no others."""
        kept = ~np.isin(self.digests, np.array([*labels], f"S{SIZE}"))
        more = [(digest, label) for digest, each in labels.items() for label in each]
        digests = np.concatenate([self.digests[kept], np.array([digest for digest, _ in more], f"S{SIZE}")])
        classes = np.concatenate([self.classes[kept], np.array([label for _, label in more], np.uint16)])
        generations = np.concatenate([self.generations[kept], np.zeros(len(more), np.uint32)])
        order = np.argsort(digests, kind="stable")
        return Ledger(digests[order], classes[order], generations[order])

    def forgotten(self, digest: bytes) -> Ledger:
        """Return the ledger after the item's last label was taken back."""
        last = self._end(digest) - 1
        return Ledger(np.delete(self.digests, last), np.delete(self.classes, last), np.delete(self.generations, last))

    def with_classes(self, place: list[int]) -> Ledger:
        """Return the same rows when class c becomes class place[c]."""
        return replace(self, classes=np.array(place, dtype=np.uint16)[self.classes])

    def without_generations(self) -> Ledger:
        """Return the same rows where every word is counted in every item."""
        return replace(self, generations=np.zeros_like(self.generations))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file keeps."""
        rows = np.ascontiguousarray(self.digests, f"S{SIZE}").view(np.uint8)  # millions of them are not copied
        when = {"ledger.generations": self.generations} if self.newest else {}
        return {"ledger.digests": rows.reshape(-1, SIZE), "ledger.classes": self.classes, **when}

    @classmethod
    def from_stored(cls, stored: Stored) -> Ledger:
        """Return what a file keeps; an empty ledger where it keeps none, or the examples of a model that has these."""
        if "examples.digests" in stored.tensors and "ledger.digests" not in stored.tensors:
            digests, classes = (stored.tensors[f"examples.{name}"].array() for name in ("digests", "classes"))
            return cls.of_last(digests.reshape(-1).view(f"S{SIZE}"), classes)
        if "ledger.digests" not in stored.tensors:
            return cls.of(b"", [])
        digests = stored.tensors["ledger.digests"].array().reshape(-1).view(f"S{SIZE}")
        classes = stored.tensors["ledger.classes"].array()
        if (digests[1:] < digests[:-1]).any() or (classes >= len(stored.header["classes"])).any():
            raise DataError(f"{stored.name}: its ledger is damaged: digests in order, of known classes, are expected.")
        if "ledger.generations" not in stored.tensors:
            return cls(digests, classes, np.zeros(len(digests), np.uint32))
        generations = stored.tensors["ledger.generations"].array()
        if (generations > stored.header.get("generation", 0)).any():
            raise DataError(f"{stored.name}: its ledger is damaged: items of generations that are still to come.")
        return cls(digests, classes, generations)


def find(digests: NDArray[np.bytes_], wanted: NDArray[np.bytes_]) -> NDArray[np.intp]:
    """Return (len(wanted),) the place of each among digests that ascend, or −1."""
    if not len(digests):
        return np.full(len(wanted), -1)
    places = np.searchsorted(digests, wanted)
    places[places == len(digests)] = 0
    return np.where(digests[places] == wanted, places, -1)


def digest_of(key: np.bytes_) -> bytes:
    """Return all bytes of a digest, of which NumPy leaves out zeros at the end."""
    return bytes(key).ljust(SIZE, b"\0")


def _narrow(classes: NDArray[Any]) -> NDArray[np.uint16]:
    """Return the numbers of classes in 16 bits; DataError for more classes than a ledger can tell apart."""
    if classes.max(initial=0) > _LAST:
        raise DataError(f"expected items of {_LAST + 1:,} classes at most; got {int(classes.max()) + 1:,}.")
    return classes.astype(np.uint16)
