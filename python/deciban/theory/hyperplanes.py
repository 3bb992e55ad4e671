"""How many labellings of n points a hyperplane can bring about: Cover's number, and a count of them."""

from __future__ import annotations

from itertools import product
from math import comb, inf, log
from typing import Any

import numpy as np

from .statement import Statement, examples, exponential, whole

_MOST = 16


def dichotomies(n: int, d: int, *, fit_intercept: bool = True) -> Statement:
    """The labellings of n points in d dimensions, in general position, that a hyperplane brings about.

        C(n, p) = 2 Σ_{k=0}^{p−1} C(n − 1, k),     p = d + 1 (d without intercept)

    All 2^n for n ≤ p, which is the VC dimension; half of them at n = 2p. Points in special position, such as three on
    a line, have fewer. `separable(X)` counts those of points. Cover, IEEE Trans. Electronic Computers 14 (1965),
    theorem 1. `given["log"]` is its logarithm; the number itself is ∞ where no float holds it.

    >>> float(dichotomies(4, 2)), float(dichotomies(3, 2)), float(dichotomies(6, 2))
    (14.0, 8.0, 32.0)
    """
    n, d = examples("n", n), whole("d", d)
    p = d + 1 if fit_intercept else d
    if min(n, p) <= 1000:
        count = 2 * sum(comb(n - 1, k) for k in range(min(n, p)))
        value, logarithm = (count, log(count)) if count < 2**63 else (exponential(log(count)), log(count))
    else:
        from .capacity import log_growth

        logarithm = log(2) + log_growth(n - 1, p - 1, "sauer")
        value = exponential(logarithm)
    vacuous = f"these are all labellings of {n:,} points" if n <= p else ""
    through = "hyperplanes" if fit_intercept else "hyperplanes through the origin"
    return Statement(
        value,
        f"{through} label {n:,} points in {d:,} dimensions in so many ways",
        "the points are in general position: in special position there are fewer",
        "Cover, IEEE Trans. Electronic Computers 14 (1965), theorem 1",
        vacuous,
        {"n": n, "d": d, "fit_intercept": bool(fit_intercept), "log": logarithm},
    )


def separable(X: Any, *, fit_intercept: bool = True) -> Statement:
    """The labellings of the points X (n, d), n ≤ 16, that a hyperplane brings about, counted one by one.

    A labelling y is one where some (w, b) has y_i (w·x_i + b) ≥ 1 for all i: a linear programme without objective. Only
    half of the 2^n are tried, since −y has −w. `given["labellings"]` (m, n) has them, as −1 and 1, `given["cover"]`
    Cover's number, which no set of as many points exceeds.

    >>> float(separable([[0, 0], [0, 1], [1, 0], [1, 1]])), float(separable([[0], [1], [2]]))
    (14.0, 6.0)
    """
    from scipy.optimize import linprog

    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or not points.size or not np.isfinite(points).all():
        raise ValueError(f"X must be points as rows of finite numbers, got an array of shape {points.shape}")
    n, d = points.shape
    if n > _MOST:
        raise ValueError(f"X must be at most {_MOST} points, got {n}: there are 2^{n} labellings to try")
    rows = np.column_stack([points, np.ones(n)]) if fit_intercept else points
    found = []
    for rest in product((-1.0, 1.0), repeat=n - 1):
        y = np.array([1.0, *rest])
        answer = linprog(np.zeros(rows.shape[1]), -y[:, None] * rows, -np.ones(n), bounds=(-inf, inf))
        if answer.status == 0:
            found += [y, -y]
    cover = dichotomies(n, d, fit_intercept=fit_intercept)
    vacuous = f"these are all labellings of {n} points" if len(found) == 2**n else ""
    return Statement(
        len(found),
        f"hyperplanes label these {n} points in {d} dimensions in so many ways; Cover's number is {cover.value:,}",
        "",
        "counted, one linear programme a labelling",
        vacuous,
        {"n": n, "d": d, "cover": cover.value, "labellings": np.array(found, dtype=np.int8).tolist()},
    )
