"""Names of columns, which are many and seldom asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..lazy import cached_property


@dataclass(frozen=True)
class PackedNames:
    """Names one after the other: as strings of Python they take five times as much.

    text  (b,) bytes of UTF-8
    ends  (d,) where each ends
    """

    text: NDArray[np.uint8]
    ends: NDArray[np.uint64]

    def __post_init__(self) -> None:
        edges = np.concatenate([np.zeros(1, np.uint64), self.ends, np.array([len(self.text)], np.uint64)])
        if self.text.dtype != np.uint8 or self.ends.dtype != np.uint64 or (edges[1:] < edges[:-1]).any():
            raise ValueError("names that end beyond their text")

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def all(self) -> NDArray[Any]:
        """(d,) the names; DataError for those of a damaged file."""
        whole, ends = self.text.tobytes(), self.ends.tolist()
        pairs = zip([0, *ends[:-1]], ends, strict=True) if ends else ()
        try:
            if whole.isascii():
                text = whole.decode()
                return objects([text[start:end] for start, end in pairs])
            return objects([whole[start:end].decode() for start, end in pairs])
        except UnicodeDecodeError as error:
            raise DataError(f"The words of the columns are damaged: {error}. Fit and save again.") from error

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "ends": self.ends}


def objects(values: list[Any]) -> NDArray[Any]:
    """Return the values as an array of objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
