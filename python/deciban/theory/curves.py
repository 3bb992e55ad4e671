"""Learning curves: what more examples bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .resampling import NAMES, Floats, apart, fitted, labels, loss_of, mean_loss, order, taken
from .statement import whole


@dataclass(frozen=True)
class LearningCurve:
    """Errors on the examples learnt and on those held out, (sizes, repeats) each, by the number learnt."""

    model: str
    loss: str
    sizes: tuple[int, ...]
    held_out: int
    in_sample: Floats
    out_of_sample: Floats

    @property
    def mean(self) -> tuple[Floats, Floats]:
        """(sizes,) the mean errors, in sample and out of sample."""
        return self.in_sample.mean(axis=1), self.out_of_sample.mean(axis=1)

    @property
    def deviation(self) -> tuple[Floats, Floats]:
        """(sizes,) their standard deviations over repeats; 0 of one repeat."""
        both = self.in_sample, self.out_of_sample
        first, second = (each.std(axis=1, ddof=min(1, each.shape[1] - 1)) for each in both)
        return first, second

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "model": self.model,
            "loss": self.loss,
            "sizes": list(self.sizes),
            "held_out": self.held_out,
            "in_sample": self.in_sample.tolist(),
            "out_of_sample": self.out_of_sample.tolist(),
        }

    def __str__(self) -> str:
        head = f"{self.model}: {NAMES[self.loss]}, mean ± standard deviation of {self.in_sample.shape[1]} drawings"
        rows = zip(self.sizes, *self.mean, *self.deviation, strict=True)
        lines = [f"{n:>10,}  {i:.4f} ± {a:.4f}  {o:.4f} ± {b:.4f}" for n, i, o, a, b in rows]
        return "\n".join([head, f"{'examples':>10}  {'in sample':<15}  out of sample ({self.held_out:,})", *lines])


def learning_curve(
    model: Any,
    X: Any,
    y: Any,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
    *,
    loss: str | None = None,
) -> LearningCurve:
    """How the errors in sample and out of sample of any estimator change with the number of examples.

    In each repeat a quarter of the rows, drawn anew, is held out, and a clone of the model learns the first m of the
    others for every m of `sizes`: ever more of the same. Classes are drawn in proportion. `loss` is "zero-one" for
    classifiers and "squared" for others unless given; `sizes` are five, each about twice the one before, unless given.
    E_in and E_out approach each other as m grows: a gap that is left says that examples are lacking, none that the
    model is too plain. SPEC T5; Learning from Data (2012), § 2.3.2. Cost: sizes × repeats fits.

    >>> from deciban import GaussianDiscriminant
    >>> r = np.random.default_rng(0)
    >>> X, y = r.normal(size=(200, 3)), np.arange(200) % 2
    >>> curve = learning_curve(GaussianDiscriminant(), X + y[:, None], y, sizes=[10, 150], repeats=3)
    >>> curve.out_of_sample.shape, bool(curve.mean[1][0] >= curve.mean[1][1])
    ((2, 3), True)
    """
    y = labels(X, y)
    repeats, seed, loss = whole("repeats", repeats), whole("seed", seed, 0), loss_of(model, loss)
    stratified = loss == "zero-one"
    pool, held_out = map(len, apart(y, np.random.default_rng(seed), stratified))
    chosen = _sizes(sizes, pool)
    errors = np.empty((2, len(chosen), repeats))
    for k in range(repeats):
        random = np.random.default_rng([seed, k])
        rows, test = apart(y, random, stratified)
        rows = rows[order(y[rows], random, stratified)]
        for i, size in enumerate(chosen):
            learnt = rows[:size]
            if stratified and len(np.unique(y[learnt])) < 2:
                raise ValueError(f"sizes must be large enough to draw two classes; {size} examples had one")
            found = fitted(model, X, y, learnt)
            for side, part in enumerate((learnt, test)):
                errors[side, i, k] = mean_loss(y[part], found.predict(taken(X, part)), loss)
    return LearningCurve(type(model).__name__, loss, chosen, held_out, *errors)


def _sizes(sizes: Sequence[int] | None, pool: int) -> tuple[int, ...]:
    if sizes is None:
        return tuple(sorted({max(2, pool >> k) for k in range(5)}))
    chosen = tuple(whole("sizes", size, 1, pool) for size in sizes)
    if not chosen or list(chosen) != sorted(set(chosen)):
        raise ValueError(f"sizes must be numbers of examples, each larger than the one before, got {list(sizes)!r}")
    return chosen
