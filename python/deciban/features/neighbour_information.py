"""The mutual information of a continuous feature and the class, from the distances of nearest neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .information import Floats


def neighbour_information(x: Floats, y: NDArray[np.intp], n_neighbors: int) -> float:
    """Return I in nats of a continuous feature x (N,) and classes y (N,), at least 0.

        I = ψ(N) + mean ψ(k_i) − mean ψ(N_{y_i}) − mean ψ(m_i)

    k_i = min(n_neighbors, N_{y_i} − 1); m_i counts the values of any class, i included, that are nearer to x_i than its
    k_i-th neighbour of its own class. Classes of one example are left out. Ross, PLoS ONE 9(2), 2014, eq. 4. Cost:
    N log N.

    Parameters
    ----------
    x : ndarray of shape (n_samples,)
        Finite values, no two equal: see `continuous_values`.
    y : ndarray of shape (n_samples,)
        The class of each, from 0.
    n_neighbors : int
        Neighbours to look at; more lower the variance and raise the bias.

    Returns
    -------
    float
        The information in nats; estimates below 0 are 0.

    Examples
    --------
    >>> x = np.array([0.1, 0.25, 0.3, 5.1, 5.2, 5.4])
    >>> round(neighbour_information(x, np.array([0, 0, 0, 1, 1, 1]), 2), 3)
    0.783
    """
    from scipy.special import digamma

    count = np.bincount(y)
    kept = count[y] > 1
    x, y = x[kept], y[kept]
    if not len(x):
        return 0.0
    radius, k = np.empty(len(x)), np.minimum(n_neighbors, count[y] - 1)
    for c in np.unique(y):
        own = np.flatnonzero(y == c)
        radius[own] = _distances(x[own], int(k[own[0]]))
    nearer = _within(x, radius)
    told = digamma(len(x)) + digamma(k).mean() - digamma(count[y]).mean() - digamma(nearer).mean()
    return max(0.0, float(told))


def continuous_values(X: Floats, rng: np.random.RandomState) -> Floats:
    """Return columns (N, d) in units of their deviation, with noise of 1e-10 of it, so that no two values are equal.

    Kraskov, Stögbauer & Grassberger, Physical Review E 69, 2004, section II; the noise is drawn as scikit-learn does.
    """
    largest = np.abs(X).max(axis=0, initial=0.0)
    X = X / np.where(largest > 0.0, largest, 1.0)  # squares of large and of small numbers have no float64
    deviation = X.std(axis=0)
    constant = deviation <= 10.0 * np.finfo(np.float64).eps
    X = X / np.where(constant, 1.0, deviation)
    scale = np.maximum(1.0, np.abs(X).mean(axis=0))
    noisy: Floats = X + 1e-10 * scale * rng.standard_normal(size=X.shape)
    return noisy


def _distances(x: Floats, k: int) -> Floats:
    """Return (n,) of each value to its k-th nearest neighbour among the others."""
    order = np.argsort(x, kind="stable")
    values, n = x[order], len(x)
    # The k nearest of the sorted value i are a window of k + 1 values that holds it.
    starts = np.arange(n)[:, None] - np.arange(k, -1, -1)
    there = (starts >= 0) & (starts + k < n)
    starts = np.clip(starts, 0, n - 1 - k)
    farther = np.maximum(values[:, None] - values[starts], values[starts + k] - values[:, None])
    distance = np.empty(n)
    distance[order] = np.where(there, farther, np.inf).min(axis=1)
    return distance


def _within(x: Floats, radius: Floats) -> NDArray[np.intp]:
    """Return (N,) how many values are nearer to each than its radius, itself included."""
    values, n = np.sort(x), len(x)
    low = np.searchsorted(values, x - radius, side="left")
    high = np.searchsorted(values, x + radius, side="right")
    # x ± radius are rounded, distances are not.
    for _ in range(3):
        low -= (low > 0) & (x - values[np.maximum(low - 1, 0)] < radius)
        low += x - values[np.minimum(low, n - 1)] >= radius
        high += (high < n) & (values[np.minimum(high, n - 1)] - x < radius)
        high -= values[np.maximum(high - 1, 0)] - x >= radius
    found: NDArray[np.intp] = np.maximum(high - low, 1)
    return found
