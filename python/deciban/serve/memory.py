"""Memory that the allocator keeps of what is no longer there."""

from __future__ import annotations

import contextlib
import ctypes


def release_memory() -> None:
    """Give free memory back to the system, where the allocator can be asked to (glibc).

    A model that is read again leaves as much as it took to each thread that read one, and holes that grow with time.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(ctypes.c_size_t(0))
