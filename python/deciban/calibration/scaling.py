"""Scaling of log joint probabilities: one slope for all classes, and an offset for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .targets import Floats, Targets, seldom_wrong

# Of more classes a Newton step would solve too large a system: they have no offsets.
_MOST_OFFSETS = 128
_ROUNDS, _NEAR, _SHORTEST = 100, 1e-10, 1e-10
# The slope of a prior that lets it leave this range is one of scores that are no numbers.
_LEAST, _LARGEST = 1e-6, 1e6


@dataclass(frozen=True, order=True)
class Scaling:
    """The line slope · s_c + offset_c of each class: slope > 0, `offset` (C,) in nats.

    >>> Scaling(0.5, (0.0, 1.0))(np.array([[2.0, 4.0]])).tolist()
    [[1.0, 3.0]]
    """

    slope: float
    offset: tuple[float, ...]

    def __call__(self, scores: Floats) -> Floats:
        found: Floats = self.slope * scores + np.array(self.offset)
        return found

    def of_classes(self, places: Sequence[int], C: int) -> Self:
        """Return the scaling of C classes, of which those of this one stand at `places`; others have no offset."""
        offset = [0.0] * C
        for place, own in zip(places, self.offset, strict=True):
            offset[place] = own
        return type(self)(self.slope, tuple(offset))

    def only(self, kept: Sequence[int]) -> Self:
        """Return the scaling of some of the classes."""
        return type(self)(self.slope, tuple(self.offset[c] for c in kept))

    def rounded(self) -> Self:
        """Return the scaling to six digits, which do not depend on the order of the examples."""
        return type(self)(_round(self.slope), tuple(map(_round, self.offset)))

    def to_json(self) -> dict[str, Any]:
        """Return what a file's header keeps."""
        return {"slope": self.slope, "offset": list(self.offset)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return what a file's header holds."""
        return cls(float(values["slope"]), tuple(map(float, values["offset"])))


def _round(value: float) -> float:
    return float(f"{value:.6g}")


def more_cautious(one: Scaling | None, other: Scaling | None) -> Scaling | None:
    """Return of two scalings the one with the smaller slope: of any number of them always the same, in any order."""
    known = [each for each in (one, other) if each is not None]
    return min(known, default=None)


def fit_scaling(
    s: Floats, y: NDArray[np.intp], weight: Floats, targets: Targets = seldom_wrong, usual: Floats | None = None
) -> Scaling | None:
    """Return the scaling that suits scores s (N, C) best of examples that the model had not learnt, of classes y (N,)
    and weight (N,); None where no example has finite scores, or there is one class.

        min over A > 0, b of   −Σ_i w_i Σ_c t_ic log softmax(A s_i + b)_c + (log A)²/2 + ‖b − usual‖²/2

    That is Platt's line for two classes and temperature scaling with biases for several (Alexandari, Kundaje &
    Shrikumar, ICML 2020), with corrected targets t and a normal prior of log A and b about the `usual` (C,), 0: a few
    examples move the scores little, and A > 0 keeps their order. By Newton's method with backtracking.

    >>> found = fit_scaling(np.array([[9.0, 0.0], [0.0, 9.0]] * 50), np.array([0, 1] * 40 + [1, 0] * 10), np.ones(100))
    >>> round(found.slope, 2)
    0.16
    """
    kept = np.isfinite(s).all(axis=1) & (weight > 0.0)
    if not kept.any() or s.shape[1] < 2:
        return None
    s, y, weight = s[kept] - s[kept].max(axis=1, keepdims=True), y[kept], weight[kept]
    usual = np.zeros(s.shape[1]) if usual is None else usual
    fit = _Fit(s, weight, targets(y, weight, s.shape[1]), usual)
    theta = np.zeros(1 + (s.shape[1] if s.shape[1] <= _MOST_OFFSETS else 0))
    value = fit.loss(theta)
    for _ in range(_ROUNDS):
        slope, curvature = fit.derivatives(theta)
        step = np.linalg.solve(curvature, slope)
        falls, part = float(slope @ step), 1.0
        if falls < _NEAR * max(1.0, abs(value)):
            break
        while not (found := fit.loss(theta - part * step)) < value and part > _SHORTEST:
            part *= 0.5
        if not found < value:
            break
        theta, value = theta - part * step, found
    offset = usual + (theta[1:] if len(theta) > 1 else 0.0)
    return Scaling(float(np.clip(np.exp(theta[0]), _LEAST, _LARGEST)), tuple(offset.tolist()))


@dataclass(frozen=True, eq=False)
class _Fit:
    """The objective of `fit_scaling` in θ = (log A, b − usual), or log A alone: scores s ≤ 0, targets t (N, C)."""

    s: Floats
    weight: Floats
    t: Floats
    usual: Floats

    def loss(self, theta: Floats) -> float:
        log_p = self._log_p(theta)
        return float(0.5 * theta @ theta - self.weight @ (self.t * log_p).sum(axis=1))

    def _log_p(self, theta: Floats) -> Floats:
        z = np.exp(np.clip(theta[0], -50.0, 50.0)) * self.s + self.usual
        if len(theta) > 1:
            z = z + theta[1:]
        z -= z.max(axis=1, keepdims=True)
        found: Floats = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        return found

    def derivatives(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return the gradient and a curvature above 0, which near the minimum is the Hessian."""
        A, w = float(np.exp(theta[0])), self.weight[:, None]
        p = np.exp(self._log_p(theta))
        often, apart = w * p, self.s - (p * self.s).sum(axis=1, keepdims=True)
        wrong, away = w * (p - self.t), often * apart
        over = float((wrong * self.s).sum()) * A
        varies = float((away * apart).sum()) * A**2
        slope = np.concatenate([[over], wrong.sum(axis=0)])[: len(theta)] + theta
        curvature = np.eye(len(theta))
        curvature[0, 0] += max(varies + over, varies)
        if len(theta) > 1:
            curvature[0, 1:] = curvature[1:, 0] = A * away.sum(axis=0)
            curvature[1:, 1:] += np.diag(often.sum(axis=0)) - often.T @ p
        return slope, curvature
