"""Expected errors: learning curves, and bias and variance, by models fitted to rows drawn anew; and in closed form.

Of least squares the expected squared errors are known before any data are seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.devices import on_host
from deciban.data.rows import Rows

from .statement import Statement, number, whole

Floats = NDArray[np.float64]
HELD_OUT = 0.25
_FEWEST = 4
NAMES = {"zero-one": "share of errors", "squared": "mean squared error"}


def check_labels(X: Rows, told: object) -> NDArray[Any]:
    """Return y (N,) as an array, as many as there are rows X, or raise a ValueError."""
    from sklearn.utils import check_consistent_length

    y: NDArray[Any] = np.asarray(on_host(told, None))
    if y.ndim != 1:
        raise ValueError(f"y must be a list of labels or targets, got an array of shape {y.shape}")
    check_consistent_length(X, y)
    if len(y) < _FEWEST:
        raise ValueError(f"{_FEWEST} examples are needed at least, to hold some out; there are {len(y)}")
    return y


def loss_of(model: Any, loss: str | None) -> str:
    """Return the loss that is asked for, or the default of the model."""
    from sklearn.base import is_classifier

    if loss is None:
        return "zero-one" if is_classifier(model) else "squared"
    if loss not in NAMES:
        raise ValueError(f"loss must be one of {', '.join(map(repr, NAMES))}, got {loss!r}")
    return loss


def mean_loss(truth: NDArray[Any], told: object, loss: str) -> float:
    """Return the mean of [told ≠ truth] or of (told − truth)²."""
    told = np.asarray(on_host(told, None))
    return float((told != truth).mean() if loss == "zero-one" else np.square(told - truth).mean())


def fit_clone(model: Any, X: Rows, y: NDArray[Any], rows: NDArray[np.intp]) -> Any:
    """Fit a clone of the model to these rows."""
    from sklearn.base import clone

    return clone(model).fit(take_examples(X, rows), y[rows])


def take_examples(X: Rows, rows: NDArray[np.intp]) -> Any:
    """Return rows of an array, dense or sparse, a data frame or a list."""

    from deciban.data.samples import take_rows

    return take_rows(X, rows)


def draw_order(y: NDArray[Any], random: np.random.Generator, stratified: bool) -> NDArray[np.intp]:
    """Return rows in random order; where stratified, the first m have the classes in proportion, for every m."""
    if not stratified:
        return random.permutation(len(y))
    place = np.empty(len(y))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        place[rows] = (random.permutation(len(rows)) + random.random()) / len(rows)
    return np.lexsort((random.random(len(y)), place))


def split_rows(
    y: NDArray[Any], random: np.random.Generator, stratified: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return training rows, in random order, and a quarter held out."""
    rows = draw_order(y, random, stratified)
    held_out = max(1, round(HELD_OUT * len(y)))
    return rows[held_out:], rows[:held_out]


@dataclass(frozen=True)
class LearningCurve:
    """Errors on the training examples and on those held out, by the number of training examples.

    Parameters
    ----------
    model : str
        Name of the estimator's class.
    loss : {"zero-one", "squared"}
        Loss whose mean is the error.
    sizes : tuple of int
        Numbers of training examples.
    held_out : int
        Number of examples held out in each repeat.
    in_sample : ndarray of shape (n_sizes, n_repeats)
        Errors on the training examples.
    out_of_sample : ndarray of shape (n_sizes, n_repeats)
        Errors on the examples held out.

    Examples
    --------
    >>> curve = LearningCurve("SVM", "zero-one", (10, 20), 5, np.zeros((2, 3)), np.full((2, 3), 0.5))
    >>> curve.mean[1].tolist()
    [0.5, 0.5]
    """

    model: str
    loss: str
    sizes: tuple[int, ...]
    held_out: int
    in_sample: Floats
    out_of_sample: Floats

    @property
    def mean(self) -> tuple[Floats, Floats]:
        """(sizes,) mean errors over repeats, in sample and out of sample."""
        return self.in_sample.mean(axis=1), self.out_of_sample.mean(axis=1)

    @property
    def deviation(self) -> tuple[Floats, Floats]:
        """(sizes,) standard deviations of the errors over repeats, in sample and out of sample; 0 for one repeat."""
        both = self.in_sample, self.out_of_sample
        first, second = (each.std(axis=1, ddof=min(1, each.shape[1] - 1)) for each in both)
        return first, second

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain Python objects, with lists for arrays.

        Returns
        -------
        dict
            The fields by their names.
        """
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
    X: Rows,
    y: ArrayLike,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
    *,
    loss: str | None = None,
) -> LearningCurve:
    """Measure the errors in sample and out of sample of any estimator by the number of training examples.

    In each repeat a quarter of the rows, drawn anew, is held out, and a clone of the model is fitted to the first m of
    the others for every m of `sizes`: ever more of the same. Classes are drawn in proportion. E_in and E_out approach
    each other as m grows: a gap that is left means that examples are lacking, none that the model is too simple.
    Abu-Mostafa, Magdon-Ismail & Lin, Learning from Data (2012), § 2.3.2. The cost is sizes × repeats fits.

    Parameters
    ----------
    model : estimator
        Any estimator with `fit` and `predict`; it is cloned and stays as it is.
    X : array-like of shape (n_samples, n_features)
        Examples.
    y : array-like of shape (n_samples,)
        Labels or targets.
    sizes : sequence of int, optional
        Numbers of training examples. By default five, each about twice the one before.
    repeats : int, default=5
        Number of drawings.
    seed : int, default=0
        Seed of the drawings.
    loss : {"zero-one", "squared"}, optional
        Loss whose mean is the error. By default "zero-one" for classifiers and "squared" for others.

    Returns
    -------
    LearningCurve
        The errors by size and repeat.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or a size is too small to draw two classes.

    Examples
    --------
    >>> from deciban import GaussianDiscriminant
    >>> r = np.random.default_rng(0)
    >>> X, y = r.normal(size=(200, 3)), np.arange(200) % 2
    >>> curve = learning_curve(GaussianDiscriminant(), X + y[:, None], y, sizes=[10, 150], repeats=3)
    >>> curve.out_of_sample.shape, bool(curve.mean[1][0] >= curve.mean[1][1])
    ((2, 3), True)
    """
    y = check_labels(X, y)
    repeats, seed, loss = whole("repeats", repeats), whole("seed", seed, 0), loss_of(model, loss)
    stratified = loss == "zero-one"
    pool, held_out = map(len, split_rows(y, np.random.default_rng(seed), stratified))
    chosen = _sizes(sizes, pool)
    errors = np.empty((2, len(chosen), repeats))
    for k in range(repeats):
        random = np.random.default_rng([seed, k])
        rows, test = split_rows(y, random, stratified)
        rows = rows[draw_order(y[rows], random, stratified)]
        for i, size in enumerate(chosen):
            learnt = rows[:size]
            if stratified and len(np.unique(y[learnt])) < 2:
                raise ValueError(f"sizes must be large enough to draw two classes; {size} examples had one")
            found = fit_clone(model, X, y, learnt)
            for side, part in enumerate((learnt, test)):
                errors[side, i, k] = mean_loss(y[part], found.predict(take_examples(X, part)), loss)
    return LearningCurve(type(model).__name__, loss, chosen, held_out, *errors)


def _sizes(sizes: Sequence[int] | None, pool: int) -> tuple[int, ...]:
    if sizes is None:
        return tuple(sorted({max(2, pool >> k) for k in range(5)}))
    chosen = tuple(whole("sizes", size, 1, pool) for size in sizes)
    if not chosen or list(chosen) != sorted(set(chosen)):
        raise ValueError(f"sizes must be numbers of examples, each larger than the one before, got {list(sizes)!r}")
    return chosen


_ATTEMPTS = 100


@dataclass(frozen=True)
class BiasVariance:
    """The mean loss over held-out examples and training sets, decomposed into bias and variance.

        squared     loss = bias + variance
        zero-one    loss = bias + unbiased − biased,    variance = mean distance from the main prediction

    Where the main prediction is right, differing from it costs (`unbiased`); where it is wrong, differing towards the
    right label pays (`biased`).

    Parameters
    ----------
    model : str
        Name of the estimator's class.
    loss_name : {"zero-one", "squared"}
        Loss that is decomposed.
    loss : float
        Mean loss.
    bias : float
        Loss of the main prediction, which is the mean prediction, or the label predicted most often.
    variance : float
        Mean distance of predictions from the main one.
    unbiased : float
        Part of the variance that adds to the loss.
    biased : float
        Part of the variance that lowers the loss.
    repeats : int
        Number of training sets.
    size : int
        Number of examples in each.
    main : ndarray of shape (n_held_out,)
        Main predictions of the rows held out.
    rows : ndarray of int of shape (n_held_out,)
        Indices of the rows held out.

    Examples
    --------
    >>> found = BiasVariance("SVM", "squared", 3.0, 2.0, 1.0, 1.0, 0.0, 50, 10, np.zeros(4), np.arange(4))
    >>> found.to_json()["held_out"]
    4
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
        """Return the numbers as a dictionary, without the predictions.

        Returns
        -------
        dict
            The numbers by their names, and `held_out`, the number of rows held out.
        """
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
    X: Rows,
    y: ArrayLike,
    size: int | None = None,
    repeats: int = 50,
    seed: int = 0,
    *,
    loss: str | None = None,
) -> BiasVariance:
    """Estimate bias and variance of any estimator, by fits to many samples drawn with replacement.

        squared     E(y − ŷ)²  = (y − ȳ)² + E(ŷ − ȳ)²,          ȳ = E ŷ
        zero-one    P(ŷ ≠ y)   = [m ≠ y] + c·P(ŷ ≠ m),           m = the most frequent ŷ (of equal ones the first)

    with c = 1 where m = y, and −P(ŷ = y | ŷ ≠ m) elsewhere, which is −1 for two classes; both hold exactly for every
    row. A quarter of the rows is held out; a sample of one class is drawn again. Noise in y counts as bias, since it
    cannot be known from one drawing of y. Training sets that overlap are more alike than new ones would be, so the
    variance is too small rather than too large. Geman, Bienenstock & Doursat, Neural Computation 4 (1992); Domingos, A
    unified bias-variance decomposition, ICML 2000. The cost is `repeats` fits.

    Parameters
    ----------
    model : estimator
        Any estimator with `fit` and `predict`; it is cloned and stays as it is.
    X : array-like of shape (n_samples, n_features)
        Examples.
    y : array-like of shape (n_samples,)
        Labels or targets.
    size : int, optional
        Number of examples in each training set. By default as many as are not held out.
    repeats : int, default=50
        Number of training sets.
    seed : int, default=0
        Seed of the drawings.
    loss : {"zero-one", "squared"}, optional
        Loss to decompose. By default "zero-one" for classifiers and "squared" for others.

    Returns
    -------
    BiasVariance
        The mean loss and its parts.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or no sample has two classes.

    Examples
    --------
    >>> from deciban import LinearRegression
    >>> X = np.linspace(-1.0, 1.0, 80)[:, None]
    >>> found = bias_variance(LinearRegression(), X, X[:, 0] ** 2, repeats=20)
    >>> found.bias > 10 * found.variance, abs(found.loss - found.bias - found.variance) < 1e-12
    (True, True)
    """
    y, named = check_labels(X, y), loss_of(model, loss)
    repeats, seed = whole("repeats", repeats, 2), whole("seed", seed, 0)
    random = np.random.default_rng(seed)
    pool, test = split_rows(y, random, named == "zero-one")
    size = len(pool) if size is None else whole("size", size)
    drawn = [_draw_rows(y, pool, size, random, named) for _ in range(repeats)]
    told = np.array([on_host(fit_clone(model, X, y, rows).predict(take_examples(X, test)), None) for rows in drawn])
    main = told.mean(axis=0) if named == "squared" else np.array([_most_frequent(each) for each in told.T])
    parts = _decompose_squared(told, main, y[test]) if named == "squared" else _decompose_zero_one(told, main, y[test])
    return BiasVariance(type(model).__name__, named, *parts, repeats, size, main, test)


def _draw_rows(
    y: NDArray[Any], pool: NDArray[np.intp], size: int, random: np.random.Generator, loss: str
) -> NDArray[np.intp]:
    """Draw rows of the pool, with replacement; of classes, two at least."""
    for _ in range(_ATTEMPTS):
        rows = random.choice(pool, size)
        if loss == "squared" or len(np.unique(y[rows])) > 1:
            return rows
    raise ValueError(f"size must be large enough to draw two classes; {size} examples had one, {_ATTEMPTS} times")


def _most_frequent(labels: NDArray[Any]) -> Any:
    names, counts = np.unique(labels, return_counts=True)
    return names[counts.argmax()]


def _decompose_squared(told: Floats, main: Floats, y: Floats) -> tuple[float, float, float, float, float]:
    """Return loss, bias, variance, and what variance costs and saves."""
    loss, bias, variance = np.square(told - y).mean(), np.square(main - y).mean(), np.square(told - main).mean()
    return float(loss), float(bias), float(variance), float(variance), 0.0


def _decompose_zero_one(
    told: NDArray[Any], main: NDArray[Any], y: NDArray[Any]
) -> tuple[float, float, float, float, float]:
    """Return the same of labels."""
    right, stray = main == y, (told != main).mean(axis=0)
    saved = (told == y).mean(axis=0)
    unbiased, biased = np.where(right, stray, 0.0).mean(), np.where(right, 0.0, saved).mean()
    return float((told != y).mean()), float((~right).mean()), float(stray.mean()), float(unbiased), float(biased)


@dataclass(frozen=True)
class ExpectedErrors:
    """Expected mean squared errors of least squares; as a number it is `out_of_sample`.

    Parameters
    ----------
    n : int
        Number N of training examples.
    d : int
        Number of features.
    noise : float
        Variance σ² of the noise.
    in_sample : Statement
        Expected error on the training examples.
    out_of_sample : Statement
        Expected error at the same inputs with new noise.
    new_normal_inputs : Statement
        Expected error at new inputs from one normal distribution.

    Examples
    --------
    >>> float(linear_regression_expected_error(10, 4, 1.0)), float(linear_regression_expected_error(10, 0, 1.0))
    (1.5, 1.1)
    """

    n: int
    d: int
    noise: float
    in_sample: Statement
    out_of_sample: Statement
    new_normal_inputs: Statement

    def __float__(self) -> float:
        return float(self.out_of_sample)

    @property
    def optimism(self) -> float:
        """E[E_out] − E[E_in] = 2σ²p/N: how much better the fit looks than it is."""
        return float(self.out_of_sample) - float(self.in_sample)

    def __str__(self) -> str:
        parts = ("E_in", self.in_sample), ("E_out", self.out_of_sample), ("E_out, new x", self.new_normal_inputs)
        return "\n".join(f"{name} = {part}" for name, part in parts)


def linear_regression_expected_error(n: int, d: int, noise: float, *, fit_intercept: bool = True) -> ExpectedErrors:
    """Return the expected errors of least squares where y = f(x) + ε, f linear, ε of mean 0 and variance σ².

        E[E_in] = σ² (1 − p/N),     E[E_out] = σ² (1 + p/N),     p = d + 1 (d without intercept)

    E_in is over the N training examples, E_out over the same inputs with new noise: both hold for every X of rank p ≤
    N. For new inputs from one normal distribution, whatever its mean and covariance, E_out is larger, by the
    inverse-Wishart mean: σ² (1 + 1/N)(N − 2)/(N − d − 2) for N > d + 2, or without intercept and about mean 0 σ² (N −
    1)/(N − d − 1) for N > d + 1; it is infinite or unknown below. Breiman & Freedman, JASA 78 (1983).

    Parameters
    ----------
    n : int
        Number N of training examples, at least p.
    d : int
        Number of features.
    noise : float
        Variance σ² of the noise, ≥ 0, in squared units of y.
    fit_intercept : bool, default=True
        Whether an intercept is estimated.

    Returns
    -------
    ExpectedErrors
        The errors, in squared units of y.

    Raises
    ------
    ValueError
        If `noise` is no variance, or `n` examples cannot determine p weights.

    Examples
    --------
    >>> errors = linear_regression_expected_error(100, 9, 4.0)
    >>> float(errors.in_sample), float(errors), errors.optimism.__round__(9)
    (3.6, 4.4, 0.8)
    """
    n, d = whole("n", n), whole("d", d, 0)
    if not number(noise) or not 0.0 <= noise < inf:
        raise ValueError(f"noise must be a variance, a finite number ≥ 0, got {noise!r}")
    p = d + 1 if fit_intercept else d
    if n < p:
        raise ValueError(
            f"n={n} examples cannot determine {p} weights, so that neither error has a formula: at least {p} are needed"
        )
    given = f"y = f(x) + ε, f linear in {d} features, Var ε = {noise:g}, errors uncorrelated, X of rank {p}"
    return ExpectedErrors(
        n,
        d,
        float(noise),
        Statement(noise * (1.0 - p / n), f"expected mean squared error on the {n} examples learnt; {given}"),
        Statement(noise * (1.0 + p / n), f"expected mean squared error at the same {n} inputs, new noise; {given}"),
        _new_inputs(n, d, noise, fit_intercept, given),
    )


def _new_inputs(n: int, d: int, noise: float, intercept: bool, given: str) -> Statement:
    free = n - d - 2 if intercept else n - d - 1
    meaning = f"expected mean squared error at new inputs from one normal distribution; {given}"
    if d == 0:
        return Statement(noise * (1.0 + (1.0 / n if intercept else 0.0)), meaning)
    if free <= 0:
        return Statement(inf, f"{meaning}; infinite, as so few examples leave some direction almost unseen")
    value = (1.0 + 1.0 / n) * (n - 2) / free if intercept else (n - 1) / free
    return Statement(noise * value, meaning)
