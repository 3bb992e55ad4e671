"""Laws of the intercept in dual ascent: it costs few passes more than none, by itself and side by side."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from deciban.data.rows import reals_for_core
from deciban.losses import Hinge, Logistic, SquaredHinge
from deciban.penalties import L2
from deciban.solvers import Limits, Problem, dual_coordinate

SHAPES = ((1000, 2000, 60), (300, 1500, 100), (3000, 500, 20))
PRICES = (1.0, 10.0)
"""Of an error, in mean squared lengths of rows."""


def posed(N, d, values, loss, price, seed):
    """Rows of frequent and rare words, and two targets by noisy planes, one of them rare."""
    rng = np.random.default_rng(seed)
    share = np.arange(1, d + 1) ** -0.7
    X = sparse.csr_array((rng.random((N, d)) < share * values / share.sum()).astype(float))
    s = X @ rng.normal(size=(d, 2))
    s += 0.3 * s.std(axis=0) * rng.normal(size=(N, 2))
    targets = np.where(s > np.quantile(s, (0.5, 0.9), axis=0).diagonal(), 1.0, -1.0).T
    c = np.full(N, price * N / X.power(2).sum())
    return [Problem(reals_for_core(X), np.ascontiguousarray(y), c, loss, L2(1.0)) for y in targets]


def passes(problems, intercept):
    """Passes over the first problem alone, and over all of them side by side."""
    known = [replace(each, intercept=intercept) for each in problems]
    limits = Limits(1e-3, 2000)
    each = dual_coordinate.solve_each(known, limits, [None] * len(known))
    return dual_coordinate.solve(known[0], limits).iterations, max(found.iterations for found in each)


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge(), Logistic()], ids=lambda loss: loss.name)
def test_an_intercept_costs_few_passes(loss):
    found = [
        np.divide(*(passes(posed(*shape, loss, price, seed), intercept) for intercept in (True, False)))
        for shape in SHAPES
        for price in PRICES
        for seed in (0, 1)
    ]
    assert (np.mean(found, axis=0) < (1.4, 1.75)).all(), found
