"""Bounds for support vector machines: by the few examples that determine them, and by wide margins (PAC-Bayes)."""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from deciban.data.rows import Rows, is_sparse

from .statement import (
    DELTA,
    Floats,
    Statement,
    check_between,
    examples,
    exponential,
    farthest,
    find_unknown,
    kl,
    least,
    of_error,
    of_probability,
)


def support_vectors(count: int, n: int | None = None, *, error: float | None = None) -> Statement:
    """Bound the expected error of a hard-margin machine with an intercept by its number of support vectors.

        E[E_out] ≤ E[#SV] / (N − 1)

    The expectations are over sets of N examples; the number at hand stands for E[#SV], so that this is an estimate with
    no confidence of its own (that of `compression` has one). An example that is no support vector would be classified
    correctly by the machine of the others: this is the leave-one-out error. The soft margin with a cost C of errors has
    it, too. Vapnik, The Nature of Statistical Learning Theory (1995), theorem 5.2.

    Parameters
    ----------
    count : int
        Number of support vectors.
    n : int, optional
        Number N of training examples. Give it or `error`.
    error : float, optional
        What the expected error shall not exceed.

    Returns
    -------
    Statement
        The bound on the error, or the smallest N at which as many support vectors keep the bound to `error`.

    Raises
    ------
    ValueError
        If a number is out of its range, or neither or both of n and error are given.

    Examples
    --------
    >>> float(support_vectors(3, 101)), float(support_vectors(20, error=0.05))
    (0.03, 401.0)
    """
    k = examples("count", count, 0)
    if (n is None) == (error is None):
        raise ValueError("n or error must be given, and not both: the one left out is solved for")
    conditions = (
        "the examples are independent, of one distribution, leaving out one that is no support vector does not change "
        "the machine (the hard margin; a price for each error), and this number of support vectors is the expected one"
    )
    who = "Vapnik, The Nature of Statistical Learning Theory (1995), theorem 5.2"
    if n is not None:
        n = examples("n", n, 2)
        _at_most(k, n)
        value = k / (n - 1)
        given = {"n": n, "error": value, "count": k}
        meaning = f"the expected error of machines of {n:,} examples, {k:,} of them support vectors, is at most this"
        return Statement(value, meaning, conditions, who, of_error(value), given)
    error = check_between("error", error, 0.0, inf)
    size = least(lambda n: k / (n - 1) <= error, max(k, 2))
    meaning = f"so many examples, {k:,} of them support vectors, keep the expected error to {error:g}"
    return Statement(size, meaning, conditions, who, of_error(error), {"n": size, "error": error, "count": k})


def compression(
    count: int,
    n: int | None = None,
    delta: float | None = None,
    *,
    errors: int = 0,
    error: float | None = None,
) -> Statement:
    """Bound the error of a classifier that k of its N examples determine, such as the support vectors of a machine.

        kl(e/(N − k) ‖ E_out) ≤ ln(N·C(N, k)/δ) / (N − k)        with probability ≥ 1 − δ

    Of n, error and delta, the one left out is solved for. The bound holds if training on the k examples alone gives the
    same classifier, in whatever order, and if the examples are independent and of one distribution. The binomial tail
    is bounded by Chernoff's e^{−m·kl}, which is exact for e = 0. Littlestone & Warmuth (1986); Floyd & Warmuth, Machine
    Learning 21 (1995); Langford, JMLR 6 (2005), sample compression bound.

    Parameters
    ----------
    count : int
        Number k of examples that determine the classifier.
    n : int, optional
        Number N of training examples.
    delta : float, default=0.05
        Probability δ that the bound fails.
    errors : int, default=0
        Number e of errors on the other N − k examples: none for a support vector machine, of soft margin too, whose
        other examples lie outside the margin.
    error : float, optional
        What E_out shall not exceed.

    Returns
    -------
    Statement
        The error, the number of examples, or δ, whichever was left out.

    Raises
    ------
    ValueError
        If a number is out of its range, or none or all of n, error and delta are given.

    Examples
    --------
    >>> float(compression(3, 1000)).__round__(4), compression(400, 500).vacuous
    (0.0285, '')
    """
    k, e = examples("count", count, 0), examples("errors", errors, 0)
    wanted, delta = find_unknown("n error", n, error, delta)
    if n is not None:
        n = examples("n", n)
        _at_most(k + e, n)
    if error is not None:
        error = check_between("error", error, 0.0, 1.0)
    given = {"n": n, "error": error, "delta": delta, "count": k, "errors": e}
    conditions = (
        f"the examples are independent, of one distribution, and the {k:,} alone, in whatever order, give the same "
        "classifier"
    )
    who = "Littlestone & Warmuth 1986; Floyd & Warmuth 1995; Langford, JMLR 6 (2005), sample compression bound"
    value, meaning, vacuous = _solve(wanted, k, n, e, error, delta)
    return Statement(value, meaning, conditions, who, vacuous, {**given, wanted: value})


def _solve(wanted: str, k: int, n: int | None, e: int, error: float | None, delta: float) -> tuple[float, str, str]:
    """Return the number asked for, its meaning, and why it says nothing."""
    of = f"{n:,} examples" if n else "them"
    seen = f"a classifier that {k:,} of {of} determine, with {e:,} errors on the others,"
    if wanted == "error":
        assert n is not None
        value = _bound_compressed(k, n, e, delta)
        return value, f"with probability {1 - delta:g} {seen} errs no more often than this", of_error(value)
    assert error is not None
    if wanted == "n":
        size = least(lambda n: _bound_compressed(k, n, e, delta) <= error, k + e + 1)
        return size, f"so many examples keep the error of {seen} to {error:g}, with probability {1 - delta:g}", ""
    assert n is not None
    above = n > k and e / (n - k) < error
    value = exponential(_choices(k, n) - ((n - k) * float(kl(e / (n - k), error)) if above else 0.0))
    return value, f"the probability that {seen} errs in more than {error:g} is at most this", of_probability(value)


def _bound_compressed(k: int, n: int, e: int, delta: float) -> float:
    m = n - k
    return float(farthest(e / m, (_choices(k, n) - log(delta)) / m)) if m > 0 else 1.0


def _choices(k: int, n: int) -> float:
    """Return ln(n·C(n, k)): which examples, and how many."""
    few = min(k, n - k)
    i = np.arange(1.0, few + 1.0)
    return log(n) + float(np.log((float(n) - i + 1.0) / i).sum())


def _at_most(count: int, n: int) -> None:
    if count > n:
        raise ValueError(f"there must be no more support vectors and errors than examples: {count:,} of {n:,}")


# The bound holds for all μ at once, so that of a grid; the smallest of it is some 10⁻⁴ above that of all μ.
_GRID = np.geomspace(0.1, 1e4, 400)
_WHO = "Langford & Shawe-Taylor, NIPS 15 (2002); Langford, JMLR 6 (2005), PAC-Bayes margin bound"
_CONDITIONS = (
    "the examples learnt are independent, of one distribution, and what their features are, a kernel and its "
    "parameters among it, was fixed before they were seen"
)


def pac_bayes(
    margins: ArrayLike, delta: float | None = None, *, error: float | None = None, n: int | None = None
) -> Statement:
    """Bound the error of a linear classifier x ↦ sign(w·x) by its normalised margins γ_i = y_i w·x_i / (‖w‖‖x_i‖).

        Ê(μ) = (1/N) Σ_i Φ(−μ γ_i)                      training error of sign(v·x), v drawn from N(μ w/‖w‖, I)
        kl(Ê(μ) ‖ E(μ)) ≤ (μ²/2 + ln((N + 1)/δ)) / N    for all w and μ at once, with probability ≥ 1 − δ
        E_out ≤ 2 E(μ)                                  where w errs, at least half of those drawn do

    kl is inverted exactly, and μ is the best of a grid. The bound holds if the examples are independent and of one
    distribution and the space of x, a kernel and its parameters included, was fixed before they were seen; an intercept
    is the weight of a feature that is 1. Langford & Shawe-Taylor, NIPS 15 (2002); Langford, JMLR 6 (2005), PAC-Bayes
    margin bound.

    Parameters
    ----------
    margins : array-like of shape (n_samples,)
        Normalised margins γ of the training examples, from −1 to 1, as `normalised_margins(model, X, y)` returns them.
    delta : float, default=0.05
        Probability δ that the bound fails.
    error : float, optional
        What E_out shall not exceed. Without `delta` the bound is solved for δ; with it, for the number of examples
        whose margins, spread as these are, bring the bound down to `error`.
    n : int, optional
        Number N of examples, where it is not that of the margins.

    Returns
    -------
    Statement
        The error, δ, or the number of examples. `given` has μ, Ê(μ) and, as "stochastic", E(μ).

    Raises
    ------
    ValueError
        If a number is out of its range, or n, error and delta are all given.

    Examples
    --------
    >>> float(pac_bayes(np.full(1000, 0.5))).__round__(3), pac_bayes(np.full(10, 0.1)).vacuous
    (0.066, 'every error is at most 1')
    """
    gamma = _margins(margins)
    if error is not None and delta is not None and n is not None:
        raise ValueError("n, error and delta are all given, and nothing is left to solve for: leave one out")
    error = None if error is None else check_between("error", error, 0.0, inf)
    size = len(gamma) if n is None else examples("n", n)
    stochastic = np.array([ndtr(-mu * gamma).mean() for mu in _GRID])
    seen = f"of these margins, {size:,} examples and mean {gamma.mean():.3g},"
    if error is None:
        return _error(stochastic, size, check_between("delta", DELTA if delta is None else delta, 0.0, 1.0), seen)
    if delta is None:
        return _confidence(stochastic, size, error, seen)
    delta = check_between("delta", delta, 0.0, 1.0)
    reachable = 2.0 * stochastic.min() < error
    found = least(lambda n: 2.0 * _bounds(stochastic, n, delta).min() <= error) if reachable else inf
    meaning = f"so many examples, of such margins, keep the error of what learnt them to {error:g}"
    vacuous = "no number of examples is enough" if found == inf else of_error(error)
    given = {"n": found, "error": error, "delta": delta}
    return Statement(found, f"{meaning}, with probability {1 - delta:g}", _CONDITIONS, _WHO, vacuous, given)


def _error(stochastic: Floats, n: int, delta: float, seen: str) -> Statement:
    bounds = _bounds(stochastic, n, delta)
    best = int(bounds.argmin())
    value = 2.0 * float(bounds[best])
    meaning = f"with probability {1 - delta:g} a machine {seen} errs no more often than this"
    told = {"mu": float(_GRID[best]), "stochastic_training": float(stochastic[best]), "stochastic": float(bounds[best])}
    return Statement(
        value, meaning, _CONDITIONS, _WHO, of_error(value), {"n": n, "error": value, "delta": delta, **told}
    )


def _confidence(stochastic: Floats, n: int, error: float, seen: str) -> Statement:
    half = min(error / 2.0, 1.0)
    logs = log(n + 1) + _GRID**2 / 2.0 - n * np.where(stochastic < half, kl(stochastic, half), 0.0)
    value = exponential(float(logs.min()))
    meaning = f"the probability that a machine {seen} errs in more than {error:g} is at most this"
    given = {"n": n, "error": error, "delta": value, "mu": float(_GRID[int(logs.argmin())])}
    return Statement(value, meaning, _CONDITIONS, _WHO, of_probability(value), given)


def _bounds(stochastic: Floats, n: int, delta: float) -> Floats:
    """Return E(μ) for every μ of the grid."""
    return farthest(stochastic, (_GRID**2 / 2.0 + log(n + 1) - log(delta)) / n)


def normalised_margins(model: Any, X: Rows, y: ArrayLike) -> Floats:
    """Return the normalised margins of the training examples of a model of two classes.

        γ_i = y_i (w·φ(x_i) + b) / (‖(w, b)‖ ‖(φ(x_i), 1)‖)

    They lie between −1 and 1; those below 0 are errors. φ of a kernel machine is never computed: ‖φ(x)‖² = K(x, x) and
    ‖w‖² = βᵀKβ.

    Parameters
    ----------
    model : classifier
        A fitted linear model of two classes, with `coef_` (1, d) and `intercept_`, or a kernel machine, with `kernel_`.
    X : array-like of shape (n_samples, n_features)
        Training examples.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    ndarray of shape (n_samples,)
        Margins γ.

    Raises
    ------
    ValueError
        If the model does not have two classes, or y has other labels.

    Examples
    --------
    >>> from deciban import LinearSVM
    >>> X, y = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]]), [1, 1, 1, -1, -1]
    >>> normalised_margins(LinearSVM(C=np.inf, calibration=None).fit(X, y), X, y).round(3).tolist()
    [0.288, 0.122, 0.166, 0.216, 0.097]
    """
    from deciban.data.devices import on_host

    classes = getattr(model, "classes_", None)
    if classes is None or len(classes) != 2:
        what = "is not a fitted classifier" if classes is None else f"has {len(classes)}"
        raise ValueError(f"margins are of two classes; this model {what}")
    weights, intercept = _weights(model)
    y = np.asarray(on_host(y, None))
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise ValueError(f"labels {np.asarray(classes).tolist()} are expected, got {y[unknown].tolist()[0]!r}")
    f = np.asarray(on_host(model.decision_function(X)), dtype=np.float64)
    gamma = np.where(y == classes[1], 1.0, -1.0) * f
    gamma /= np.sqrt(_squares(model, X) + 1.0) * np.sqrt(weights + intercept**2)
    return np.clip(gamma, -1.0, 1.0)


def _weights(model: Any) -> tuple[float, float]:
    """Return ‖w‖² and b."""
    if hasattr(model, "kernel_"):
        beta, held = model.dual_coef_[0], model.support_vectors_
        square = float(beta @ model.scorer_.kernel.tile(held, held) @ beta)
    elif hasattr(model, "coef_"):
        w = model.coef_.toarray() if is_sparse(model.coef_) else model.coef_
        square = float(np.square(w, dtype=np.float64).sum())
    else:
        raise ValueError(f"margins are of models with weights or a kernel; {type(model).__name__} has neither")
    b = float(np.asarray(model.intercept_).reshape(-1)[0])
    if square + b * b == 0.0:
        raise ValueError("all weights are 0, so that no example has a margin")
    return square, b


def _squares(model: Any, X: Rows) -> Floats:
    """Return (N,) ‖φ(x_i)‖²."""
    if hasattr(model, "kernel_"):
        return np.asarray(model.kernel_.diagonal(X), dtype=np.float64)
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).reshape(-1)
    squares: Floats = np.square(np.asarray(X, dtype=np.float64)).sum(axis=1)
    return squares


def _margins(margins: ArrayLike) -> Floats:
    gamma = np.asarray(margins, dtype=np.float64)
    if gamma.ndim != 1 or not len(gamma):
        raise ValueError(f"margins must be a list of numbers, got an array of shape {gamma.shape}")
    if not (np.abs(gamma) <= 1.0).all():
        place = int(np.argmin(np.abs(gamma) <= 1.0))
        raise ValueError(
            f"margins must be normalised, between −1 and 1; number {place} is {gamma[place]:g}. "
            "Divide by ‖w‖‖x‖: normalised_margins does"
        )
    return gamma
