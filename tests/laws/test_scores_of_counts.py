"""Laws of scores of counts: those of any rows, to the last bit, or none where a value is no count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import NaiveBayes, _core
from deciban.data.rows import for_core

TYPES = [np.float64, np.float32, np.int64, np.uint8]


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.sampled_from(TYPES))
def test_they_are_those_of_any_rows(seed, K, kind):
    random = np.random.default_rng(seed)
    X = random.integers(0, 5, (30, 7)).astype(kind)
    W, b = random.normal(size=(7, K)), random.normal(size=K)
    for form in (X, sparse.csr_array(X)):
        wanted = _core.scores(for_core(form), W.T, b)
        assert_array_equal(_core.scores_of_counts(for_core(form), W, b), wanted)


@pytest.mark.parametrize("value", [-1.0, -1e-300, np.nan, np.inf, 1e301])
@pytest.mark.parametrize("place", [0, 599, 1999])
def test_there_are_none_of_a_value_that_is_no_count(value, place):
    X = np.zeros((2000, 3))
    X[place, 1] = value
    W, b = np.zeros((3, 2)), np.zeros(2)
    for form in (X, sparse.csr_array(X)):
        assert _core.scores_of_counts(for_core(form), W, b) is None
    X[place, 1] = 1e300
    assert _core.scores_of_counts(for_core(X), W, b) is not None


@pytest.mark.parametrize("likelihood", ["multinomial", "complement"])
@pytest.mark.parametrize("estimate", ["bayes", "ml"])
@given(seed=st.integers(0, 2**32 - 1))
def test_sparse_rows_are_judged_as_dense_ones(likelihood, estimate, seed):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 3, (20, 4)) + (estimate == "ml"), np.arange(20) % 3
    model = NaiveBayes(likelihood, estimate=estimate).fit(X, y)
    told, wanted = model.predict_joint_log_proba(sparse.csr_array(X)), model.predict_joint_log_proba(X)
    assert_allclose(told, wanted, rtol=1e-12)
    best, second = np.sort(wanted, axis=1).T[[-1, -2]]
    apart = best - second > 1e-9
    assert_array_equal(model.predict(sparse.csr_array(X))[apart], model.predict(X)[apart])
    for wrong in (-1.0, np.nan):
        bad = X.astype(float)
        bad[3, 2] = wrong
        with pytest.raises(ValueError, match="row 3"):
            model.predict(sparse.csr_array(bad))
