"""The same numbers as scikit-learn's mutual_info_classif for continuous features, with the same noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.feature_selection import mutual_info_classif

from deciban.features.mutual_information import MutualInformation


def ours(X, y, **options):
    return MutualInformation("all", **options).fit(X, y).scores_


@pytest.mark.parametrize("k", [1, 3, 7, 20])  # from half a class on its distances are rounded to 1e-8
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer], ids=lambda load: load.__name__)
def test_it_is_that_of_scikit_learn(load, k):
    X, y = load(return_X_y=True)
    found = ours(X, y, discrete_features="auto", n_neighbors=k, random_state=4)
    assert_allclose(found, mutual_info_classif(X, y, n_neighbors=k, random_state=4), rtol=1e-9, atol=1e-9)


def test_some_features_are_discrete():
    X, y = load_wine(return_X_y=True)
    X[:, 3] = np.round(X[:, 3] / 5)
    mask = np.arange(X.shape[1]) == 3
    theirs = mutual_info_classif(X, y, discrete_features=mask, random_state=0)
    for option in (mask, [3], np.array([3])):
        assert_allclose(ours(X, y, discrete_features=option), theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("power", [-300, -160, -12, 12, 150, 290])
def test_the_unit_of_a_feature_does_not_matter(power):
    X, y = load_iris(return_X_y=True)
    assert_allclose(ours(X * 10.0**power, y, discrete_features=False), ours(X, y, discrete_features=False), atol=1e-9)


def test_ties_constants_and_classes_of_one():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 90), np.full(90, 7.5), rng.normal(size=90)]).astype(float)
    y = np.append(np.arange(89) % 3, 9)
    assert_allclose(
        ours(X, y, discrete_features=False, random_state=1), mutual_info_classif(X, y, random_state=1), atol=1e-9
    )
    twice = np.repeat(np.arange(90), 2)
    weighted = MutualInformation("all", discrete_features=False).fit(X, y, np.full(90, 2.0)).scores_
    assert_array_equal(weighted, ours(X[twice], y[twice], discrete_features=False))
