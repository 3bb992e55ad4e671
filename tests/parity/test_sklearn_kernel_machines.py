"""Optima of LIBSVM through scikit-learn, by what they maximise, and their predictions, for every kernel both have."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.preprocessing import StandardScaler

from deciban import SVM, OneClassSVM, SVMRegressor

TIGHT = {"tol": 1e-8}
KERNELS = [
    {"kernel": "rbf"},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.001},
]


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:500] / 16.0, y[:500]


def gram(model, X):
    return np.asarray(model.kernel_.tile(X, X), dtype=np.float64)


def dual(model, K, beta, t):
    """tᵀβ − ½ βᵀKβ at coefficients of the support vectors of a rival or our own."""
    s = model.support_
    return float(beta @ t[s] - 0.5 * beta @ K[np.ix_(s, s)] @ beta)


@pytest.mark.parametrize("options", KERNELS, ids=lambda options: options["kernel"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_classification(tumours, options, C):
    X, y = tumours
    theirs = svm.SVC(C=C, **options, **TIGHT).fit(X, y)
    ours = SVM(C=C, calibration=None, **options, **TIGHT).fit(X, y)
    K, t = gram(ours, X), np.where(y == 1, 1.0, -1.0)
    value = dual(theirs, K, theirs.dual_coef_[0], t)
    assert dual(ours, K, ours.dual_coef_[0], t) == pytest.approx(value, rel=1e-6)
    assert ours.certificate_.primal == pytest.approx(value, rel=1e-6)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    if options["kernel"] == "linear":
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_classes_and_examples_weigh_as_there(tumours, weighted):
    X, y = tumours
    weight = np.arange(len(y)) % 3 + 0.5 if weighted else None
    theirs = svm.SVC(C=0.3, gamma=0.02, class_weight={0: 5.0}, **TIGHT).fit(X, y, weight)
    ours = SVM(C=0.3, gamma=0.02, class_weight={0: 5.0}, calibration=None, **TIGHT).fit(X, y, weight)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("options", KERNELS, ids=lambda options: options["kernel"])
def test_each_class_against_each(digits, options):
    X, y = digits
    options = {**options, "gamma": 0.01} if options["kernel"] == "sigmoid" else options
    theirs = svm.SVC(break_ties=True, **options, **TIGHT).fit(X, y)
    ours = SVM(calibration=None, **options, **TIGHT).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    theirs.set_params(decision_function_shape="ovo")
    assert_allclose(ours.pairwise_decisions(X), theirs.decision_function(X), atol=1e-3)
    if options["kernel"] == "rbf":
        assert_array_equal(ours.support_, theirs.support_)
        assert_array_equal(ours.n_support_, theirs.n_support_)
        assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)
        assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_nu_classification(tumours, digits, nu):
    for X, y in (tumours, digits):
        theirs = svm.NuSVC(nu=nu, break_ties=True, **TIGHT).fit(X, y)
        ours = SVM(nu=nu, calibration=None, **TIGHT).fit(X, y)
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
        assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("options", KERNELS[:3], ids=lambda options: options["kernel"])
def test_regression(options):
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    theirs = svm.SVR(epsilon=0.2, **options, **TIGHT).fit(X, y)
    ours = SVMRegressor(epsilon=0.2, **options, **TIGHT).fit(X, y)
    beta, K = theirs.dual_coef_[0], gram(ours, X)
    value = dual(theirs, K, beta, y) - 0.2 * np.abs(beta).sum()
    assert ours.certificate_.primal == pytest.approx(value, rel=1e-6)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)


@pytest.mark.parametrize("options", KERNELS[:3], ids=lambda options: options["kernel"])
@pytest.mark.parametrize("nu", [0.1, 0.6, 1.0])
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_nu_regression(options, nu, scale):
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::2], scale * y[::2] / y.std() + 3.0
    weight, options = np.arange(len(y)) % 3 + 0.5, {**options, "gamma": 0.1}  # "scale" is of the weighted rows
    for C in (0.1, 5.0):
        theirs = svm.NuSVR(nu=nu, C=C * scale, tol=1e-8 * scale, **options).fit(X, y, weight)
        ours = SVMRegressor(nu=nu, C=C * scale, **options).fit(X, y, weight)
        value = dual(theirs, gram(ours, X), theirs.dual_coef_[0], y)
        assert ours.certificate_.status == "converged"
        assert ours.certificate_.primal == pytest.approx(value, rel=1e-6)
        assert_allclose(ours.predict(X) / scale, theirs.predict(X) / scale, atol=1e-3)
        assert_allclose(ours.dual_coef_.sum(), 0.0, atol=1e-9 * C * scale)


@pytest.mark.parametrize("options", KERNELS[:3], ids=lambda options: options["kernel"])
@pytest.mark.parametrize("nu", [0.05, 0.5])
def test_one_class(tumours, options, nu):
    X = tumours[0] - tumours[0].min(axis=0)  # about the origin itself, a linear kernel has nothing to say
    theirs = svm.OneClassSVM(nu=nu, **options, **TIGHT).fit(X)
    ours = OneClassSVM(nu=nu, **options, **TIGHT).fit(X)
    K = gram(ours, X)
    zeros = np.zeros(len(X))
    value = dual(theirs, K, theirs.dual_coef_[0], zeros)
    assert dual(ours, K, ours.dual_coef_[0], zeros) == pytest.approx(value, rel=1e-6)
    assert ours.certificate_.dual == pytest.approx(value, rel=1e-6)
    scale = max(1.0, float(np.abs(theirs.offset_).max()))
    assert_allclose(ours.decision_function(X) / scale, theirs.decision_function(X) / scale, atol=1e-5)
    clear = np.abs(theirs.decision_function(X)) > 1e-5 * scale
    assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
