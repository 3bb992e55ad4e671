"""Facts of a kernel machine: what its support vectors and its kernel say of its errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from deciban.attached import StatesBounds
from deciban.certificates.bound import Facts, Probabilities
from deciban.certificates.certificate import Certificate
from deciban.kernel_solvers.problem import KernelSolution
from deciban.kernels import Kernel
from deciban.models.zones import describe_support

from ..kernels.items import Items
from .margins import Machine

# Kernels whose gamma may be a rule over the examples.
_WITH_GAMMA = ("rbf", "gaussian", "poly", "polynomial", "sigmoid", "tanh", "wave", "laplacian", "chi2")


class Trusted(StatesBounds):
    """A machine of classes whose boundary few of its examples hold."""

    kernel: str | Kernel | Callable[..., Any]
    gamma: float | str
    nu: float | None
    calibration: str | None
    calibration_folds: int
    solution_: list[KernelSolution]
    kernel_: Kernel
    _supported: float | None
    _proof: Certificate | None

    def _estimated(self) -> str:
        """Return why the kernel was not fixed before the examples were seen."""
        if self._proof is not None and self._proof.dual is None:
            return "the kernel is none, so that there may be several optima"
        named = isinstance(self.kernel, str) and isinstance(self.gamma, str)
        if named and self.kernel in _WITH_GAMMA and self.gamma in ("scale", "median"):
            return f"the rule gamma={self.gamma!r} read the kernel off the examples"
        return ""

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        gram = "a Gram matrix does not tell the lengths of other items" if self.kernel_.name == "precomputed" else ""
        return Facts(self._calibration(), self._support(), estimated=self._estimated(), margins=gram)

    def _support(self) -> int | str:
        """Return the number of examples that hold the boundary, or why that says nothing."""
        if not self.solution_:
            return "the file does not tell how many examples hold the boundary"
        if any(each.landmarks is not None for each in self.solution_):
            return "landmarks, drawn from all examples, stand for them"
        if self.nu is not None:
            return "ν shares out the errors among all examples"
        return self._estimated() or describe_support(self, self._supported)

    def _calibration(self) -> Probabilities:
        """Return how there are probabilities, or why not."""
        known = getattr(self, "calibrated_", None)
        if known is None:
            return Probabilities("none: only margins")
        return Probabilities(known.how or f"{self.calibration} on {self.calibration_folds} folds", known.log_loss)


def count_of(given: Items) -> dict[Any, float]:
    """Count the examples of each label."""
    count = np.bincount(given.y, given.repetition, minlength=len(given.classes))
    return dict(zip(given.classes.tolist(), count.tolist(), strict=True))


def share_of_errors(given: Items, found: Sequence[Machine]) -> float | None:
    """Return the share of the examples of two classes that their machine judges wrongly."""
    if len(given.classes) != 2:
        return None
    wrong = found[0].rows[found[0].street <= 0.0]
    return float(given.repetition[wrong].sum() / given.repetition.sum())
