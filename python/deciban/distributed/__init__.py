"""Learning from data in parts, on the workers of Dask, Spark or an executor: map, and combine in a tree.

parts → statistics or gradients → one fixed tree of sums → the estimator that `fit` of all rows would give
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_attributes

if TYPE_CHECKING:
    from .fitting import fit as fit
    from .scoring import predict as predict

_HOME = {"fit": ".fitting", "predict": ".scoring"}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazy_attributes(__name__, _HOME)
