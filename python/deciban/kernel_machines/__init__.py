"""Support vector machines with kernels, their explanations and files; the solvers are in `kernel_solvers`.

`path(model, X, y, Cs=…, cv=…)` tries prices of errors on examples held out (`prices`).
"""

from typing import Any

__all__ = ["path"]


def __getattr__(name: str) -> Any:
    if name != "path":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has path")
    from .prices import path

    return path
