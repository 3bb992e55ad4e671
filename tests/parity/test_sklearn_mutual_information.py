"""The same numbers as scikit-learn's mutual_info_classif for discrete features, to 1e-10."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.feature_selection import SelectKBest, mutual_info_classif

from deciban.features.mutual_information import MutualInformation


def words(C):
    rng = np.random.default_rng(C)
    X = sparse.csr_array(rng.poisson(rng.gamma(0.3, 1.0, 50), (300, 50)))
    return X, np.array([f"class {c:02}" for c in np.arange(300) % C])


def rival(X, y):
    return mutual_info_classif(X, y, discrete_features=True)


@pytest.mark.parametrize("C", [1, 2, 5, 40], ids=lambda C: f"{C} classes")
def test_scores(C):
    X, y = words(C)
    ours = MutualInformation().fit(X, y)
    assert_allclose(ours.scores_, rival(X, y), rtol=1e-10, atol=1e-12)
    assert_allclose(MutualInformation().fit(X > 0, y).scores_, rival(X > 0, y), rtol=1e-10, atol=1e-12)
    dense = MutualInformation().fit(X.toarray() / 4 - 1, y)
    assert_allclose(dense.scores_, rival(X, y), rtol=1e-10, atol=1e-12)


def test_pixels():
    X, y = load_digits(return_X_y=True)
    assert_allclose(MutualInformation().fit(X, y).scores_, rival(X, y), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("k", [1, 10, 20])
def test_what_is_kept(k):
    X, y = words(5)
    theirs = SelectKBest(rival, k=k).fit(X, y)
    ordered = np.sort(theirs.scores_)[::-1]
    assert ordered[k - 1] - ordered[k] > 1e-9  # no tie at the cut, where they keep the last
    ours = MutualInformation(k=k).fit(X, y)
    assert_array_equal(ours.get_support(), theirs.get_support())
    assert_array_equal(ours.transform(X).toarray(), theirs.transform(X).toarray())
