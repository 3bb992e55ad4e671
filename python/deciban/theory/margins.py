"""Wide margins: the PAC-Bayes bound of linear and kernel machines."""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np
from scipy.special import ndtr

from deciban.data.rows import is_sparse

from .divergence import Floats, farthest, kl
from .statement import DELTA, Statement, between, examples, exponential, least, of_error, of_probability

# The bound holds for all μ at once, so that of a grid; the smallest of it is some 10⁻⁴ above that of all μ.
_GRID = np.geomspace(0.1, 1e4, 400)
_WHO = "Langford & Shawe-Taylor, NIPS 15 (2002); Langford, JMLR 6 (2005), PAC-Bayes margin bound"
_CONDITIONS = (
    "the examples learnt are independent, of one distribution, and what their features are, a kernel and its "
    "parameters among it, was fixed before they were seen"
)


def pac_bayes(
    margins: Any, delta: float | None = None, *, error: float | None = None, n: int | None = None
) -> Statement:
    """The error of x ↦ sign(w·x) from the normalised margins γ_i = y_i w·x_i / (‖w‖‖x_i‖) (N,) of what it learnt.

        Ê(μ) = (1/N) Σ_i Φ(−μ γ_i)                      training error of sign(v·x), v drawn from N(μ w/‖w‖, I)
        kl(Ê(μ) ‖ E(μ)) ≤ (μ²/2 + ln((N + 1)/δ)) / N    for all w and μ at once, with probability ≥ 1 − δ
        E_out ≤ 2 E(μ)                                  where w errs, at least half of those drawn do

    kl is inverted exactly, and μ is the best of a grid. With `error` but no delta it is solved for δ (else 0.05); with
    both, for the number of examples whose margins, spread as these are, bring the bound down to `error`; `n` is their
    number where it is not that of the margins. It holds if the examples are independent and of one distribution and
    the space of x, a kernel and its parameters among it, was fixed before they were seen; an intercept is the weight of
    a feature that is 1. `normalised_margins(model, X, y)` gives the margins. `given` has μ, Ê(μ) and E(μ) as
    "stochastic". Langford & Shawe-Taylor, NIPS 15 (2002); Langford, JMLR 6 (2005), PAC-Bayes margin bound.

    >>> float(pac_bayes(np.full(1000, 0.5))).__round__(3), pac_bayes(np.full(10, 0.1)).vacuous
    (0.066, 'every error is at most 1')
    """
    gamma = _margins(margins)
    if error is not None and delta is not None and n is not None:
        raise ValueError("n, error and delta are all given, and nothing is left to solve for: leave one out")
    error = None if error is None else between("error", error, 0.0, inf)
    size = len(gamma) if n is None else examples("n", n)
    stochastic = np.array([ndtr(-mu * gamma).mean() for mu in _GRID])
    seen = f"of these margins, {size:,} examples and mean {gamma.mean():.3g},"
    if error is None:
        return _error(stochastic, size, between("delta", DELTA if delta is None else delta, 0.0, 1.0), seen)
    if delta is None:
        return _confidence(stochastic, size, error, seen)
    delta = between("delta", delta, 0.0, 1.0)
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
    """E(μ) for every μ of the grid."""
    return farthest(stochastic, (_GRID**2 / 2.0 + log(n + 1) - log(delta)) / n)


def normalised_margins(model: Any, X: Any, y: Any) -> Floats:
    """(N,) γ_i = y_i (w·φ(x_i) + b) / (‖(w, b)‖ ‖(φ(x_i), 1)‖) of the examples a model of two classes learnt.

    The model is linear, with `coef_` (1, d) and `intercept_`, or a kernel machine, with `kernel_`, whose φ is never
    written down: ‖φ(x)‖² = K(x, x), ‖w‖² = βᵀKβ. They lie between −1 and 1; those below 0 are errors.

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
    """‖w‖² and b."""
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


def _squares(model: Any, X: Any) -> Floats:
    """(N,) ‖φ(x_i)‖²."""
    if hasattr(model, "kernel_"):
        return np.asarray(model.kernel_.diagonal(X), dtype=np.float64)
    if hasattr(X, "multiply"):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).reshape(-1)
    squares: Floats = np.square(np.asarray(X, dtype=np.float64)).sum(axis=1)
    return squares


def _margins(margins: Any) -> Floats:
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
