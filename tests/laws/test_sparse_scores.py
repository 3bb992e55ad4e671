"""Scores of sparse rows are the sums of their terms in order, to the last bit, for any number of classes."""

import numpy as np
import pytest
from scipy import sparse

from deciban._core import scores
from deciban.data.rows import for_core


def slowly(X, W, b):
    """One term after the other."""
    found = np.tile(b, (X.shape[0], 1))
    for i in range(X.shape[0]):
        for k in range(X.indptr[i], X.indptr[i + 1]):
            found[i] += np.float64(X.data[k]) * W[:, X.indices[k]]
    return found


@pytest.mark.parametrize("classes", [2, 3, 4, 5, 8, 9, 16, 17, 20, 24, 25, 32, 33, 40])
@pytest.mark.parametrize("number", [np.float64, np.float32, np.int64, np.uint8])
def test_scores_are_sums_in_order(classes, number):
    rng = np.random.default_rng(classes)
    dense = rng.poisson(0.3, (37, 300)) * (
        1 if np.issubdtype(number, np.integer) else 10.0 ** rng.integers(-9, 9, (37, 1))
    )
    dense[4] = 0
    X = sparse.csr_array(dense.astype(number))
    W, b = rng.normal(size=(classes, 300)) * 10.0 ** rng.integers(-20, 20, (1, 300)), rng.normal(size=classes)
    W[0, ::50] = -np.inf
    expected = slowly(X, W, b)
    for weights in (W, np.asfortranarray(W)):
        for threads in (1, 2):
            found = scores(for_core(X), weights, b, n_jobs=threads)
            assert found.tobytes() == expected.tobytes()
