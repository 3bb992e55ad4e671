"""Support vector machines with kernels, their explanations and files; the solvers are in `kernel_solvers`.

`path(model, X, y, Cs=…, cv=…)` tries prices of errors on examples held out (`prices`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deciban.lazy import lazy_attributes

if TYPE_CHECKING:
    from .prices import path as path

__all__ = ["path"]

__getattr__, __dir__ = lazy_attributes(__name__, {"path": ".prices"})
