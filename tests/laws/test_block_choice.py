"""Laws of the choice of a block: the smallest values, ties by place, however many there are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from deciban.kernel_solvers.blocks import _least

SHAPES = {
    "normal": lambda r, n: r.normal(size=n),
    "ties": lambda r, n: np.round(r.normal(size=n), 1),
    "equal": lambda r, n: np.zeros(n),
    "ascending": lambda r, n: np.arange(n) + 0.0,
    "descending": lambda r, n: -np.arange(n) - 0.0,
    "alternating": lambda r, n: np.where(np.arange(n) % 64 == 0, -1.0, 1.0),
    "infinite": lambda r, n: np.where(np.arange(n) % 3 == 0, np.inf, -np.arange(n)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [10, 3000, 40_000])
def test_the_smallest_are_chosen(shape, n):
    r = np.random.default_rng(0)
    values, candidates = SHAPES[shape](r, n), np.flatnonzero(r.random(n) < 0.8)
    for count in (1, 16, 512):
        first = candidates[np.argsort(values[candidates], kind="stable")][:count]
        assert_array_equal(np.sort(_least(candidates, values, count)), np.sort(first))
