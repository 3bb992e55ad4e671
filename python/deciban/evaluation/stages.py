"""How a model that learns as it judges does on the way: stretch by stretch of what came."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..calibration.targets import log_loss
from .roc import inversions

Floats = NDArray[np.float64]
_SIZES = (1, 2, 5)


@dataclass(frozen=True)
class Stage:
    """Examples `first` to `last` of a stream, counted from 1: the share misclassified and the mean log loss, in nats,
    of these, and (1 − ROCA)% of all up to `last`; None of other than two classes, or where one has no example yet."""

    first: int
    last: int
    error: float
    log_loss: float
    one_minus_roca_percent: float | None

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return asdict(self)


def stages(logs: Floats, y: NDArray[np.intp]) -> tuple[Stage, ...]:
    """Return the stages of log posteriors (N, C) of examples of classes y (N,), as they came: up to 20, 50, 100, …

    >>> found = stages(np.log(np.full((30, 2), 0.5)), np.arange(30) % 2)
    >>> [(each.last, each.error, round(each.log_loss, 3)) for each in found]
    [(20, 0.5, 0.693), (30, 0.5, 0.693)]
    """
    ends = [size * 10**power for power in range(1, 12) for size in _SIZES if 20 <= size * 10**power < len(y)]
    found, first = [], 0
    for last in [*ends, len(y)]:
        part = slice(first, last)
        error = float((logs[part].argmax(axis=1) != y[part]).mean())
        loss = log_loss(logs[part], y[part], np.ones(last - first))
        found.append(Stage(first + 1, last, error, loss, _inverted(logs[:last], y[:last])))
        first = last
    return tuple(found)


def _inverted(logs: Floats, y: NDArray[np.intp]) -> float | None:
    pairs = int((y == 1).sum()) * int((y == 0).sum())
    if logs.shape[1] != 2 or not pairs:
        return None
    return 100.0 * inversions(logs[:, 1] - logs[:, 0], y == 1) / pairs


def missed_at(lost: float, odds: Floats, positive: NDArray[np.bool_]) -> float | None:
    """Return which share of the positive examples is not above the lowest threshold of log-odds (N,) at which at most
    the share `lost` of the others is; None where there are none of either.

    >>> missed_at(0.0, np.array([0.0, 1.0, 2.0, 3.0]), np.array([False, True, False, True]))
    0.5
    """
    others = np.sort(odds[~positive])[::-1]
    if not len(others) or len(others) == len(odds):
        return None
    allowed = int(np.floor(lost * len(others)))
    threshold = others[allowed] if allowed < len(others) else -np.inf
    return float((odds[positive] <= threshold).mean())
