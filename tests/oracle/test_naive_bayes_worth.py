"""What naive Bayes is worth to NBSVM, example by example: each scored by the counts of all others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from deciban.models.log_count_ratios import worth_of_sample


def worth_slowly(X, y, repetition, alpha):
    """κ = κ₀ · sd(z) / sd(f·r), with the counts added up anew without each example."""

    def ratios(times):
        p, q = (alpha + X[side].T @ times[side] for side in (y > 0.0, y < 0.0))
        return np.log(p / p.sum()) - np.log(q / q.sum())

    z = [
        x @ ratios(np.where(np.arange(len(y)) == i, repetition - min(repetition[i], 1.0), repetition))
        for i, x in enumerate(X)
    ]
    z, spread = np.array(z), np.std(z)
    learnt = LogisticRegression(C=1e3, tol=1e-10, max_iter=10_000).fit((z / spread)[:, None], y, repetition)
    return max(0.0, learnt.coef_[0, 0] / spread) * spread / np.std(X @ ratios(repetition))


@pytest.mark.parametrize("columns", [4, 300], ids=["fewer columns than values", "more"])
@pytest.mark.parametrize("times", [(1.0,), (2.0, 3.0), (0.5, 1.0, 4.0)], ids=["once", "repeated", "weighed"])
@given(seed=st.integers(0, 2**32 - 1), binary=st.booleans(), alpha=st.sampled_from([0.1, 1.0, 30.0]))
def test_each_example_is_scored_by_the_others(columns, times, seed, binary, alpha):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(40) % 3 == 0, 1.0, -1.0)
    rates = rng.gamma(1.0, 6.0 / columns, (2, columns))
    X = rng.poisson(rates[(y > 0.0).astype(int)]).astype(float)
    X[:, 0] += 1.0
    X = np.minimum(X, 1.0) if binary else X
    repetition = rng.choice(times, 40)
    counts = np.stack([X[side].T @ repetition[side] for side in (y > 0.0, y < 0.0)])
    found = worth_of_sample(sparse.csr_array(X), y, repetition, counts, alpha)
    assert_allclose(found, worth_slowly(X, y, repetition, alpha), rtol=1e-4, atol=1e-6)
