"""Laws of the examples that differ: those of the definition, however rows are stored and however many threads look."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from deciban import _core
from deciban.data.rows import reals_for_core
from oracle import distinct as oracle


def data(seed, N, d):
    """Rows of few values, many of them equal, with targets, ranks and offsets of which many are equal, too."""
    random = np.random.default_rng(seed)
    X = random.integers(-1, 2, (N, d)) * random.choice([0.0, 1.0, 0.5], (N, d))
    return X, random.choice([-1.0, 1.0], N), random.integers(0, 3, N).astype(float), random.choice([0.0, 0.25], N)


def shuffled(X, seed):
    """CSR with the values of each row in any order, and zeros among them."""
    random = np.random.default_rng(seed)
    rows = [random.permutation(np.flatnonzero((row != 0.0) | (random.random(len(row)) < 0.2))) for row in X]
    ends = np.cumsum([0, *map(len, rows)])
    values = np.concatenate([X[i, own] for i, own in enumerate(rows)])
    return sparse.csr_array((values, np.concatenate(rows), ends), shape=X.shape)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 5), st.booleans())
def test_examples_that_differ_are_those_of_the_definition(seed, N, d, moved):
    X, y, ranked, offset = data(seed, N, d)
    offset = offset if moved else np.zeros(N)
    of, kept = oracle.distinct(X.tolist(), y.tolist(), ranked.tolist(), offset.tolist())
    for form in (X, X.astype(np.float32), sparse.csr_array(X), shuffled(X, seed)):
        found = _core.distinct(reals_for_core(form), y, ranked, offset=offset if moved else None)
        assert_array_equal(found[0], of)
        assert_array_equal(found[1], kept)


@pytest.mark.parametrize("form", [np.ascontiguousarray, sparse.csr_array])
def test_any_number_of_threads_finds_the_same(form):
    X, y, ranked, offset = data(3, 30_000, 9)
    one, *others = (_core.distinct(reals_for_core(form(X)), y, ranked, offset=offset, n_jobs=n) for n in (1, 2, 3))
    assert len(one[1]) < len(X)
    for other in others:
        assert_array_equal(one[0], other[0])
        assert_array_equal(one[1], other[1])


def test_numbers_of_another_count_are_refused():
    X, y = np.ones((3, 2)), np.ones(3)
    told = "y, ranked and offset of 3 numbers each, one a row, are expected, not 3, 2 and 3"
    with pytest.raises(ValueError, match=told):
        _core.distinct(X, y, y[:2])
