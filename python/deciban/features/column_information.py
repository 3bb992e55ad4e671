"""Mutual information of each column of a table with the class, in nats: from rows, or from counts of naive Bayes.

    I_j = Σ_v Σ_c p(x_j ∈ v, c) log [p(x_j ∈ v, c) / (p(x_j ∈ v) p(c))]

over labels v, or bins of numbers that are equally full: one for 20 rows, two at least, ten at most. What is missing of
a column is not counted. By chance alone I_j is about (V − 1)(C − 1) / 2N for V values, C classes and N rows: 0.03 bits
of ten bins, two classes and 200 rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.rows import is_sparse, stretches
from deciban.distributions import Bernoulli, Categorical
from deciban.scores import IndependentScore, log_posterior, posterior

from .information import Floats, binary_information, categorical_information, entropy

BINS, FULL = 10, 20
"""Numbers of more than ten distinct values are put into as many bins at most, of so many rows at least."""
# So many cells are looked at together.
_CELLS = 1 << 18
# Of so many columns at most densities are integrated.
_INTEGRATED = 50_000
# Where densities are looked at, in their own widths: at 0 every 0.035, up to 548 of them.
_PLACES = np.sinh(np.linspace(-7.0, 7.0, 401))


def information_of(x: ArrayLike, y: NDArray[np.intp], C: int, labels: bool = False) -> float:
    """Return I in nats of x (N,), NaN where missing, and y (N,) classes 0 … C − 1; `labels` are never put into bins.

    >>> round(information_of([1.0, 1.0, 2.0, np.nan], np.array([0, 0, 1, 1]), 2), 6)
    0.636514
    """
    x = np.asarray(x, dtype=np.float64)
    known = ~np.isnan(x)
    if not known.any():
        return 0.0
    place = bin_numbers(x[known], labels)
    K = int(place.max()) + 1
    seen = np.bincount(y[known] * K + place, minlength=C * K).reshape(C, K)
    seen = seen[:, seen.any(axis=0)]
    return float(categorical_information(seen, [0, seen.shape[1]])[0])


def bin_numbers(x: Floats, labels: bool = False) -> NDArray[np.intp]:
    """Return (N,) the bin of each number, or its place among the distinct ones where these are few, or `labels`.

    >>> bin_numbers(np.arange(60.0))[::10].tolist(), bin_numbers(np.array([7.0, 3.0, 7.0])).tolist()
    ([0, 0, 1, 1, 2, 2], [1, 0, 1])
    """
    values, place = np.unique(x, return_inverse=True)
    if labels or len(values) <= BINS:
        return place.reshape(-1).astype(np.intp)
    bins = min(BINS, max(2, len(x) // FULL))
    edges = np.unique(np.quantile(x, np.arange(1, bins) / bins, method="inverted_cdf"))
    return np.searchsorted(edges, x, side="left").astype(np.intp)


def information_of_rows(matrix: Any, y: NDArray[np.intp], C: int, labels: NDArray[np.bool_]) -> Floats:
    """Return (d,) I in nats of the columns of a matrix (N, d), NaN where missing; labels (d,) says which hold codes.

    Of CSR, whose columns are many and mostly 0, that of the class and of whether a column is 0.
    """
    if is_sparse(matrix):
        d = matrix.shape[1]
        there = np.zeros(C * d)
        for part in stretches(matrix):
            rows = matrix[part]
            np.add.at(there, np.repeat(y[part], np.diff(rows.indptr)) * d + rows.indices, 1.0)
        return binary_information(np.bincount(y, minlength=C).astype(np.float64), there.reshape(C, d))
    found = np.zeros(matrix.shape[1])
    step = max(1, _CELLS // max(1, len(y)))
    for at in range(0, len(found), step):
        rows = np.ascontiguousarray(matrix[:, at : at + step].T)
        found[at : at + step] = _of_each(rows, y, C, labels[at : at + step])
    return found


def _of_each(rows: Floats, y: NDArray[np.intp], C: int, labels: NDArray[np.bool_]) -> Floats:
    """Return (m,) I in nats of each row (m, N): those without gaps together."""
    found = np.zeros(len(rows))
    gaps = np.isnan(rows).any(axis=1)
    for j in np.flatnonzero(gaps).tolist():
        found[j] = information_of(rows[j], y, C, bool(labels[j]))
    whole = np.flatnonzero(~gaps)
    if not len(whole) or not len(y):
        return found
    place = _bin_rows(rows[whole], labels[whole])
    sizes = place.max(axis=1) + 1
    starts = np.concatenate([[0], np.cumsum(sizes)])
    cells = (y * starts[-1] + starts[:-1, None] + place).ravel()
    seen = np.bincount(cells, minlength=C * int(starts[-1])).reshape(C, -1)
    kept = seen.any(axis=0)
    found[whole] = categorical_information(seen[:, kept], np.concatenate([[0], np.cumsum(kept)])[starts])
    return found


def _bin_rows(rows: Floats, labels: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return (m, N) `bin_numbers` of each row of numbers."""
    n = rows.shape[1]
    order = np.argsort(rows, axis=1, kind="stable")
    x = np.take_along_axis(rows, order, axis=1)
    new = np.concatenate([np.zeros((len(rows), 1), np.bool_), x[:, 1:] != x[:, :-1]], axis=1)
    place = np.empty(rows.shape, dtype=np.intp)
    np.put_along_axis(place, order, np.cumsum(new, axis=1), axis=1)
    many = np.flatnonzero((new.sum(axis=1) >= BINS) & ~labels)
    if len(many):
        bins = min(BINS, max(2, n // FULL))
        at = n * (np.arange(1, bins) / bins) - 1.0  # as the quantiles of `bin_numbers` are taken
        edges = x[many][:, np.where(at > np.floor(at), np.floor(at) + 1.0, at).clip(0.0).astype(np.intp)]
        place[many] = 0
        for k in range(bins - 1):
            if k:
                edges[edges[:, k] == edges[:, k - 1], k - 1] = np.inf
        for k in range(bins - 1):
            place[many] += edges[:, k : k + 1] < rows[many]
    return place


def information_of_counts(model: Any) -> list[float | None]:
    """Return (d,) I in nats of the columns of a fitted `NaiveBayes`; None where it is not known of their distribution.

    Of labels and truth values that of what was counted; of numbers that of its densities, integrated:
    I = Σ_c π_c ∫ p_c(x) log [p_c(x) / Σ_k π_k p_k(x)] dx, which after a few rows are wide. Of more than 50,000
    columns of numbers it is not computed: that takes minutes.

    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes("auto").fit([[0.0, "a"], [0.1, "a"], [9.0, "b"], [9.1, "b"]], [0, 0, 1, 1])
    >>> [round(each, 2) for each in information_of_counts(model)]
    [0.16, 0.69]
    """
    counts, score, d = model.counts_, model._compile_counts(model.counts_), model.n_features_in_
    names = getattr(model, "feature_names_in_", range(d))
    told: list[float | None] = [None] * d
    columns = getattr(counts, "columns", (range(d),))
    families = model.likelihoods_
    for js, part in zip(columns, getattr(counts, "parts", (counts,)), strict=True):
        family, found = families[names[js[0]]], None
        if isinstance(family, Bernoulli):
            found = binary_information(part.seen, np.minimum(part.s, part.seen))
        elif isinstance(family, Categorical):
            found = categorical_information(part.s, part.offsets)
        for j, each in zip(js, [] if found is None else found, strict=found is not None):
            told[j] = float(each)
    parts = getattr(score, "parts", ((range(d), score),))
    numbers = [(js, part) for js, part in parts if isinstance(part, IndependentScore)]
    if sum(len(js) for js, _ in numbers) <= _INTEGRATED:
        for js, part in numbers:
            for k, j in enumerate(js):
                told[j] = _of_densities(part, k, score.prior)
    return told


def _of_densities(score: IndependentScore, j: int, prior: Floats) -> float:
    """Return I in nats of the class and feature j, by the trapezium rule on places that are close where a density is
    high."""
    there = np.isfinite(prior)
    location, scale, constant = (part[there, j : j + 1] for part in (score.location, score.scale, score.constant))
    freedom = None if score.freedom is None else score.freedom[there, j : j + 1]
    if (scale == 0.0).any():
        return 0.0
    p = posterior(prior[there])
    x = np.unique(location[:, 0] + _PLACES[:, None] / scale[:, 0])
    logs = IndependentScore(np.log(p), location, scale, constant, freedom)(x[:, None])
    with np.errstate(under="ignore"):
        gain = np.exp(logs) * (log_posterior(logs) - np.log(p))
    told = float((0.5 * (gain[1:] + gain[:-1]).sum(axis=1) * np.diff(x)).sum())
    return float(np.clip(told, 0.0, entropy(p)))
