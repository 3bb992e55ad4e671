"""Regions of an open file, whose bytes are read when they are asked for: one word's, of millions.

They are read, not mapped into memory: a file that another program cuts short is then an error, and no end of this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from .system import read_at

_SIZES = {"U8": 1, "U16": 2, "U32": 4, "U64": 8, "I8": 1, "I16": 2, "I32": 4, "I64": 8, "F16": 2, "F32": 4, "F64": 8}


class Region:
    """Bytes of an open file, as a sequence: slices of them are bytes.

    Examples
    --------
    >>> with open(__file__, "rb") as file:
    ...     Region(file.fileno(), 3, 10)[0:7]
    b'Regions'
    """

    def __init__(self, handle: int, start: int, size: int) -> None:
        self.handle, self.start, self.size = handle, start, size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice) -> bytes:
        first, last, _ = part.indices(self.size)
        pieces, wanted, at = [], max(last - first, 0), self.start + first
        while wanted:
            piece = read_at(self.handle, wanted, at)
            if not piece:
                raise OSError("it is shorter than it was")
            pieces.append(piece)
            wanted, at = wanted - len(piece), at + len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def __bytes__(self) -> bytes:
        return self[:]


def regions_of(
    layout: Mapping[str, Any], handle: int, start: int, total: int
) -> dict[str, tuple[str, tuple[int, ...], Region]]:
    """Return type, shape and place of each tensor that the header of a safetensors file names.

    Parameters
    ----------
    layout : mapping
        The header, without metadata.
    handle : int
        The open file.
    start, total : int
        Where the tensors begin, and how many bytes the file has.

    Returns
    -------
    dict
        By name.

    Raises
    ------
    ValueError
        If the header names none that can be there.
    """
    found = {}
    for name, each in layout.items():
        try:
            dtype, shape, (first, last) = each["dtype"], tuple(each["shape"]), each["data_offsets"]
            whole = all(type(number) is int and number >= 0 for number in (*shape, first, last))
            right = whole and last - first == prod(shape) * _SIZES[dtype] and start + last <= total
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the tensor {name!r} has no place") from error
        if not right:
            raise ValueError(f"the tensor {name!r} is not where its header says")
        found[name] = (dtype, shape, Region(handle, start + first, last - first))
    return found
