"""Bias and variance: whether a model errs because it is too plain, or because it follows the examples drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import on_host

from .resampling import NAMES, Floats, apart, fitted, labels, loss_of, taken
from .statement import whole

_ATTEMPTS = 100


@dataclass(frozen=True)
class BiasVariance:
    """The mean loss over examples held out and over training sets, and what it is made of.

        squared     loss = bias + variance
        zero-one    loss = bias + unbiased − biased,    variance = what `unbiased` and `biased` are of

    `bias` is the loss of the main prediction: the mean, or the label predicted most often. `variance` is the mean
    distance of predictions from the main one. Where the main prediction is right, straying from it costs (`unbiased`);
    where it is wrong, straying to the right label pays (`biased`). `main` (n,) are the main predictions of the n rows
    held out, `rows` (n,) their places.
    """

    model: str
    loss_name: str
    loss: float
    bias: float
    variance: float
    unbiased: float
    biased: float
    repeats: int
    size: int
    main: NDArray[Any]
    rows: NDArray[np.intp]

    def to_json(self) -> dict[str, Any]:
        """The numbers, without the predictions."""
        names = ("model", "loss_name", "loss", "bias", "variance", "unbiased", "biased", "repeats", "size")
        return {**{name: getattr(self, name) for name in names}, "held_out": len(self.rows)}

    def __str__(self) -> str:
        head = f"{self.model}: {NAMES[self.loss_name]} of {self.repeats:,} models of {self.size:,} examples each"
        sides = ""
        if self.loss_name == "zero-one":
            sides = f"  of which it costs {self.unbiased:.4f} where the main prediction is right"
            sides += f" and saves {self.biased:.4f} where it is wrong"
        lines = (
            f"{'loss':>10}  {self.loss:.4f}",
            f"{'bias':>10}  {self.bias:.4f}",
            f"{'variance':>10}  {self.variance:.4f}",
        )
        return "\n".join([f"{head}, on {len(self.rows):,} held out", *lines]) + sides


def bias_variance(
    model: Any,
    X: Any,
    y: Any,
    size: int | None = None,
    repeats: int = 50,
    seed: int = 0,
    *,
    loss: str | None = None,
) -> BiasVariance:
    """Bias and variance of any estimator, by learning from many samples drawn with replacement.

        squared     E(y − ŷ)²  = (y − ȳ)² + E(ŷ − ȳ)²,          ȳ = E ŷ
        zero-one    P(ŷ ≠ y)   = [m ≠ y] + c·P(ŷ ≠ m),           m = the most frequent ŷ (of equal ones the first)

    with c = 1 where m = y, and −P(ŷ = y | ŷ ≠ m) elsewhere, which is −1 for two classes; both hold exactly for every
    row. A quarter of the rows is held out; each of `repeats` clones learns `size` (default: as many as are left)
    drawn from the others; a sample of one class is drawn again. What y holds of noise is counted as bias, since no one
    knows it from one drawing of y. Training sets that overlap are more alike than new ones would be, so the variance is
    too small rather than too large. Geman, Bienenstock & Doursat, Neural Computation 4 (1992); Domingos, A unified
    bias-variance decomposition, ICML 2000. SPEC T5. Cost: repeats fits.

    >>> from deciban import LinearRegression
    >>> X = np.linspace(-1.0, 1.0, 80)[:, None]
    >>> found = bias_variance(LinearRegression(), X, X[:, 0] ** 2, repeats=20)
    >>> found.bias > 10 * found.variance, abs(found.loss - found.bias - found.variance) < 1e-12
    (True, True)
    """
    y, named = labels(X, y), loss_of(model, loss)
    repeats, seed = whole("repeats", repeats, 2), whole("seed", seed, 0)
    random = np.random.default_rng(seed)
    pool, test = apart(y, random, named == "zero-one")
    size = len(pool) if size is None else whole("size", size)
    drawn = [_drawn(y, pool, size, random, named) for _ in range(repeats)]
    told = np.array([on_host(fitted(model, X, y, rows).predict(taken(X, test)), None) for rows in drawn])
    main = told.mean(axis=0) if named == "squared" else np.array([_most_frequent(each) for each in told.T])
    parts = _squared(told, main, y[test]) if named == "squared" else _zero_one(told, main, y[test])
    return BiasVariance(type(model).__name__, named, *parts, repeats, size, main, test)


def _drawn(
    y: NDArray[Any], pool: NDArray[np.intp], size: int, random: np.random.Generator, loss: str
) -> NDArray[np.intp]:
    """Rows of the pool, with replacement; of classes, two at least."""
    for _ in range(_ATTEMPTS):
        rows = random.choice(pool, size)
        if loss == "squared" or len(np.unique(y[rows])) > 1:
            return rows
    raise ValueError(f"size must be large enough to draw two classes; {size} examples had one, {_ATTEMPTS} times")


def _most_frequent(labels: NDArray[Any]) -> Any:
    names, counts = np.unique(labels, return_counts=True)
    return names[counts.argmax()]


def _squared(told: Floats, main: Floats, y: Floats) -> tuple[float, float, float, float, float]:
    """Loss, bias, variance, and what variance costs and saves."""
    loss, bias, variance = np.square(told - y).mean(), np.square(main - y).mean(), np.square(told - main).mean()
    return float(loss), float(bias), float(variance), float(variance), 0.0


def _zero_one(told: NDArray[Any], main: NDArray[Any], y: NDArray[Any]) -> tuple[float, float, float, float, float]:
    """The same of labels."""
    right, stray = main == y, (told != main).mean(axis=0)
    saved = (told == y).mean(axis=0)
    unbiased, biased = np.where(right, stray, 0.0).mean(), np.where(right, 0.0, saved).mean()
    return float((told != y).mean()), float((~right).mean()), float(stray.mean()), float(unbiased), float(biased)
