"""When to believe a kernel machine: what its support vectors and its kernel allow to say of its errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.certificates.bound import Probabilities
from deciban.certificates.bounding import StatesBounds
from deciban.models.zones import held_by

from ..kernels.items import Items
from .margins import Machine

# Kernels whose gamma may be a rule over the examples.
_WITH_GAMMA = ("rbf", "gaussian", "poly", "polynomial", "sigmoid", "tanh", "wave", "laplacian", "chi2")


class Trusted(StatesBounds):
    """A machine of classes whose boundary few of its examples hold."""

    kernel: Any
    gamma: Any
    nu: Any
    calibration: Any
    solution_: Any
    kernel_: Any
    calibrated_: Any
    _supported: float | None
    _proof: Any

    def _read_off(self) -> str:
        """Why the kernel was not fixed before the examples were seen."""
        if self._proof is not None and self._proof.dual is None:
            return "the kernel is none, so that there may be several optima"
        named = isinstance(self.kernel, str) and isinstance(self.gamma, str)
        if named and self.kernel in _WITH_GAMMA and self.gamma in ("scale", "median"):
            return f"the rule gamma={self.gamma!r} read the kernel off the examples"
        return ""

    def _without_margins(self) -> str:
        """Why no margins of its examples are known."""
        return "a Gram matrix does not tell the lengths of other items" if self.kernel_.name == "precomputed" else ""

    def _held_by(self) -> int | str:
        """How many examples hold the boundary, or why that says nothing."""
        if not self.solution_:
            return "the file does not tell how many examples hold the boundary"
        if any(each.landmarks is not None for each in self.solution_):
            return "landmarks, drawn from all examples, stand for them"
        if self.nu is not None:
            return "ν shares out the errors among all examples"
        return self._read_off() or held_by(self, self._supported)

    def _probabilities_told(self) -> Probabilities:
        """How there are probabilities, or why not."""
        known = getattr(self, "calibrated_", None)
        if known is None:
            return Probabilities("none: only margins")
        if known.maps:
            return Probabilities("isotonic on 3 folds")
        return Probabilities(f"temperature on {self.calibration} folds", known.log_loss)


def count_of(given: Items) -> dict[Any, float]:
    """How many examples of each label there are."""
    count = np.bincount(given.y, given.repetition, minlength=len(given.labels))
    return dict(zip(given.labels.tolist(), count.tolist(), strict=True))


def share_of_errors(given: Items, found: Sequence[Machine]) -> float | None:
    """The share of the examples of two classes that their machine judges wrongly."""
    if len(given.labels) != 2:
        return None
    wrong = found[0].rows[found[0].street <= 0.0]
    return float(given.repetition[wrong].sum() / given.repetition.sum())
