"""Optima of scikit-learn's LogisticRegression and LinearSVC, by what they minimise, and their weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import linear_model, svm
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler

from deciban import LinearSVM, LogisticRegression

TIGHT = {"tol": 1e-9, "max_iter": 100_000}


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:, :12], y


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("rival", ["lbfgs", "newton-cholesky", "saga"])
def test_logistic_regression(tumours, rival, C):
    X, y = tumours
    theirs = linear_model.LogisticRegression(C=C, solver=rival, tol=1e-9, max_iter=20_000).fit(X, y)
    ours = LogisticRegression(C, **TIGHT).fit(sparse.csr_array(X), y)
    assert ours.certificate_.primal == pytest.approx(logistic(X, y, C, theirs.coef_[0], theirs.intercept_), rel=1e-6)
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_softmax(weighted):
    X, y = load_iris(return_X_y=True)
    weight = np.arange(len(y)) % 3 + 1.0 if weighted else None
    theirs = linear_model.LogisticRegression(C=1.0, tol=1e-10, max_iter=20_000).fit(X, y, weight)
    ours = LogisticRegression(1.0, **TIGHT).fit(X, y, weight)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    s = theirs.decision_function(X)
    lost = np.log(np.exp(s).sum(axis=1)) - s[np.arange(len(y)), y]
    value = np.average(lost, weights=weight) * (len(y) if weight is None else weight.sum())
    assert ours.certificate_.primal == pytest.approx(value + 0.5 * np.square(theirs.coef_).sum(), rel=1e-6)


def test_logistic_regression_without_a_penalty(tumours):
    X, y = tumours[0][:, :4], tumours[1]
    theirs = linear_model.LogisticRegression(C=np.inf, tol=1e-10, max_iter=20_000).fit(X, y)
    ours = LogisticRegression(penalty=None, **TIGHT).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 0.1])
def test_support_vectors_without_an_intercept(tumours, loss, C):
    X, y = tumours
    theirs = svm.LinearSVC(C=C, loss=loss, fit_intercept=False, dual=True, tol=1e-8, max_iter=1_000_000).fit(X, y)
    ours = LinearSVM(C, loss=loss, fit_intercept=False, calibration=None, tol=1e-8, max_iter=100_000).fit(X, y)
    lost = np.maximum(0.0, 1.0 - (2 * y - 1) * (X @ theirs.coef_[0])) ** (2 if loss == "squared_hinge" else 1)
    value = C * lost.sum() + 0.5 * np.square(theirs.coef_).sum()
    assert ours.certificate_.primal == pytest.approx(value, rel=1e-6)
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    assert_array_equal(ours.intercept_, 0.0)


@pytest.mark.parametrize("C", [0.05, 0.5])
def test_support_vectors_with_a_free_intercept(tumours, C):
    X, y = tumours
    theirs = svm.SVC(C=C, kernel="linear", tol=1e-8).fit(X, y)
    ours = LinearSVM(C, calibration=None, tol=1e-7, max_iter=100_000).fit(X, y)
    lost = np.maximum(0.0, 1.0 - (2 * y - 1) * (X @ theirs.coef_[0] + theirs.intercept_))
    value = C * lost.sum() + 0.5 * np.square(theirs.coef_).sum()
    assert ours.certificate_.primal == pytest.approx(value, rel=1e-6)
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)


def logistic(X, y, C, w, b):
    """C·Σ ln(1 + e^(−ys)) + ½‖w‖²."""
    return C * np.logaddexp(0.0, -(2 * y - 1) * (X @ w + b)).sum() + 0.5 * w @ w
