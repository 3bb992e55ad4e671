"""Labelled examples: the one form in which models, folds, choices and reports take what is to be learnt."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .samples import take_rows


@dataclass(frozen=True, eq=False, kw_only=True)
class Examples:
    """N labelled examples, whatever they are: rows of numbers, of columns, or texts.

    X        the examples, of which `take` takes some
    y        (N,) places in `classes`; (N, C) of 0 and 1 where labels do not exclude each other
    classes  (C,) the labels, in order
    weight   (N,) how often each counts, > 0; None where each counts once

    A subclass names in `EACH` what else has a value an example.
    """

    EACH: ClassVar[tuple[str, ...]] = ("y", "weight")

    X: Any
    y: NDArray[Any]
    classes: Any
    weight: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def labels(self) -> NDArray[Any]:
        """(N,) the labels."""
        labels: NDArray[Any] = np.asarray(self.classes)[self.y]
        return labels

    def take(self, places: NDArray[np.intp]) -> Any:
        """Return X of the examples at these places."""
        return take_rows(self.X, places)

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Return some of the examples, in a mask or by their places."""
        places: NDArray[np.intp] = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.intp)
        each = {name: getattr(self, name) for name in self.EACH}
        some = {name: values[places] for name, values in each.items() if values is not None}
        return replace(self, X=self.take(places), **some)

    def without_empty(self) -> Self:
        """Return the same examples without the classes of which there are none."""
        kept = np.unique(self.y)
        classes = tuple(self.classes[c] for c in kept.tolist())
        return replace(self, classes=classes, y=np.searchsorted(kept, self.y))


@dataclass(frozen=True, eq=False, kw_only=True)
class WeighedExamples(Examples):
    """Examples each of which has its weight."""

    weight: NDArray[np.float64] = field()


@dataclass(frozen=True, eq=False, kw_only=True)
class KeyedExamples(Examples):
    """Examples with `keys` (N,), digests of what they are: of equal examples equal ones."""

    EACH = (*Examples.EACH, "keys")

    keys: NDArray[np.bytes_]

    def order(self) -> NDArray[np.intp]:
        """Return (N,) an order of the examples that is the same whatever the order in which they came."""
        return order_of(self.keys, self.y, self.weight)

    def scores(self, model: Any) -> NDArray[np.float64]:
        """Return (N, C) the model's log joint probabilities of the examples, in nats."""
        scores: NDArray[np.float64] = model.scores(self.X)
        return scores


def order_of(keys: NDArray[np.bytes_], y: NDArray[Any], weight: NDArray[np.float64] | None) -> NDArray[np.intp]:
    """Return (N,) an order of examples that is the same whatever the order in which they came."""
    order: NDArray[np.intp] = np.lexsort((np.ones(len(y)) if weight is None else weight, y, keys))
    return order
