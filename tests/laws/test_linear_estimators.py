"""Laws of linear classifiers at the edges: data that is hard to learn from, and scikit-learn's own checks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import check_estimator

from laws.declared import LOGISTIC, model, over, weights_of

HARD_TO_LEARN = {
    "zeros": np.zeros((12, 3)),
    "one feature": np.arange(12.0)[:, None],
    "constant columns": np.column_stack([np.ones(12), np.arange(12.0) % 5, np.full(12, 3.0)]),
    "duplicated columns": np.repeat(np.arange(12.0)[:, None] % 7, 4, axis=1),
    "more features than rows": np.abs(np.random.default_rng(0).normal(size=(12, 40))),
    "very small": 1e-150 * (np.arange(24.0).reshape(12, 2) % 5),
    "very large": 1e4 * (np.arange(24.0).reshape(12, 2) % 5),
    "of very different sizes": np.array([1e-6, 1.0, 1e6]) * (np.arange(36.0).reshape(12, 3) % 7),
}


@pytest.mark.each_once
@over()
@pytest.mark.parametrize("kind", HARD_TO_LEARN)
def test_whatever_comes_numbers_stay_numbers(name, kind):
    X = HARD_TO_LEARN[kind]
    for y in (np.arange(12) % 3, np.arange(12) // 11):
        fitted = model(name, max_iter=20).fit(X, y)
        assert np.isfinite(weights_of(fitted)).all()
        assert np.isfinite(fitted.intercept_).all()
        for rows in (X, 1e4 * X, 0.0 * X):
            assert_allclose(fitted.predict_proba(rows).sum(axis=1), 1.0, rtol=1e-12)
        assert str(fitted.certificate_)
        assert len(fitted.explain(X)) == 12


@over("logistic-l2", "logistic-l1", "logistic-none", "svm-squared-hinge", "nbsvm-logistic", "least-squares")
def test_features_that_tell_nothing_leave_the_shares_of_the_classes(name):
    y = np.array([0, 1, 1, 1])
    fitted = model(name).fit(np.zeros((4, 2)), y)
    assert_array_equal(weights_of(fitted), 0.0)
    if name in LOGISTIC or name == "nbsvm-logistic":
        assert_allclose(fitted.predict_proba(np.zeros((1, 2))), [[0.25, 0.75]], atol=1e-4)


CHECKS = 63


@pytest.mark.deep
@over("logistic-l2", "logistic-l1", "logistic-softmax", "svm-squared-hinge", "svm-squared-hinge-dual", "nbsvm-logistic")
def test_scikit_learn_finds_nothing_to_complain_about(name):
    tight = {"tol": 1e-13} if "dual" in name or "l1" in name else {}
    results = check_estimator(model(name, **tight), on_skip=None, on_fail="raise")
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= CHECKS
