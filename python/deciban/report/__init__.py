"""What people read: explanations, evaluations and models, for the terminal, as pictures and as pages.

`decision_regions`, `regression_tube`, `learning_curves` and `comparison_curves` draw with Matplotlib
(`deciban[report]`), `svg` writes what they drew. They are loaded when first used: the terminal needs none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .curves import learning_curves as learning_curves
    from .model_curves import comparison_curves as comparison_curves
    from .regions import decision_regions as decision_regions
    from .tube import regression_tube as regression_tube
    from .vector import svg as svg

_HOME = {
    "comparison_curves": ".model_curves",
    "decision_regions": ".regions",
    "learning_curves": ".curves",
    "regression_tube": ".tube",
    "svg": ".vector",
}

__all__ = ["comparison_curves", "decision_regions", "learning_curves", "regression_tube", "svg"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'deciban.report' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOME[name], __name__), name)
