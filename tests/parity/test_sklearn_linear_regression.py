"""The same numbers as scikit-learn's linear models, by the translations that the docstring gives."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import linear_model
from sklearn.datasets import load_diabetes, load_digits

from deciban import LeastSquaresClassifier, LinearRegression


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return 20.0 * X, y


def agree(ours, theirs, rtol=1e-8):
    assert_allclose(ours.coef_, theirs.coef_, rtol=rtol, atol=rtol * np.abs(theirs.coef_).max())
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=rtol)


@pytest.mark.parametrize("intercept", [True, False])
def test_least_squares_and_ridge(diabetes, intercept):
    X, y = diabetes
    w = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    theirs = linear_model.LinearRegression(fit_intercept=intercept).fit(X, y, w)
    for form in (X, sparse.csr_array(X), X.astype(np.float32)):
        agree(
            LinearRegression(fit_intercept=intercept).fit(form, y, w),
            theirs,
            1e-4 if form.dtype == np.float32 else 1e-8,
        )
    theirs = linear_model.Ridge(5.0, fit_intercept=intercept, solver="cholesky").fit(X, y, w)
    agree(LinearRegression(penalty="l2", alpha=10.0, fit_intercept=intercept).fit(X, y, w), theirs)


def test_lasso_and_elastic_net(diabetes):
    X, y = diabetes
    twice = 2.0 * len(y)
    theirs = linear_model.Lasso(0.5, tol=1e-12).fit(X, y)
    agree(LinearRegression(penalty="l1", alpha=0.5 * twice, tol=1e-12).fit(X, y), theirs, 1e-4)
    theirs = linear_model.ElasticNet(0.5, l1_ratio=0.3, tol=1e-12).fit(X, y)
    agree(LinearRegression(penalty="elasticnet", alpha=0.5 * twice, l1_ratio=0.3, tol=1e-12).fit(X, y), theirs, 1e-4)


def test_least_absolute_deviations(diabetes):
    X, y = diabetes
    theirs = linear_model.QuantileRegressor(quantile=0.5, alpha=0.0).fit(X, y)
    ours = LinearRegression(loss="absolute").fit(X, y)
    assert np.abs(y - ours.predict(X)).sum() == pytest.approx(np.abs(y - theirs.predict(X)).sum(), rel=1e-8)
    assert ours.certificate_.relative_gap < 1e-8


def test_huber_at_the_scale_that_scikit_learn_estimates(diabetes):
    X, y = diabetes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = linear_model.HuberRegressor(epsilon=1.35, alpha=0.1, tol=1e-9, max_iter=5000).fit(X, y)
    alpha, delta = 0.1 * theirs.scale_, 1.35 * theirs.scale_
    ours = LinearRegression(loss="huber", penalty="l2", alpha=alpha, delta=delta, tol=1e-10).fit(X, y)
    agree(ours, theirs, 1e-3)


@pytest.mark.parametrize("classes", [2, 10])
def test_ridge_as_a_classifier(classes):
    X, y = load_digits(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    for weight in (None, "balanced"):
        theirs = linear_model.RidgeClassifier(3.0, class_weight=weight, solver="cholesky").fit(X, y)
        ours = LeastSquaresClassifier(6.0, class_weight=weight, calibration=None).fit(X, y)
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-7, atol=1e-8)
        assert_array_equal(ours.predict(X), theirs.predict(X))
