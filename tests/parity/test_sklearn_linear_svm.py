"""Linear support vector machines and regressions against LIBLINEAR: the same problems have the same optima."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC
from sklearn.svm import LinearSVR as TheirRegression

from deciban import LinearSVM, LinearSVR

EXACT = {"fit_intercept": False, "tol": 1e-9, "max_iter": 100_000}
THEIRS = {"fit_intercept": False, "tol": 1e-10, "max_iter": 1_000_000}


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("C", [0.001, 0.1, 1.0])
def test_l1_penalised_machines_have_the_same_weights(C):
    X, y = cancer()
    one = LinearSVM(C=C, loss="squared_hinge", penalty="l1", calibration=None, **EXACT).fit(X, y)
    other = LinearSVC(C=C, penalty="l1", dual=False, random_state=0, **THEIRS).fit(X, y)
    assert one.certificate_.relative_gap <= 1e-9
    assert_allclose(one.coef_, other.coef_, atol=1e-4 * max(1e-3, np.abs(other.coef_).max()))
    assert (one.coef_ != 0.0).sum() < X.shape[1]


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_crammer_and_singer_have_the_same_weights(C):
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    one = LinearSVM(C=C, multi_class="crammer_singer", calibration=None, **EXACT).fit(X, y)
    other = LinearSVC(C=C, multi_class="crammer_singer", random_state=0, **THEIRS).fit(X, y)
    assert one.certificate_.relative_gap <= 1e-9
    assert one.certificate_.kkt_violation < 1e-3
    assert_allclose(one.coef_, other.coef_, atol=2e-3 * np.abs(other.coef_).max())
    assert_array_equal(one.predict(X), other.predict(X))


def test_crammer_and_singer_of_two_classes_have_the_same_weights():
    X, y = cancer()
    one = LinearSVM(C=0.1, multi_class="crammer_singer", calibration=None, **EXACT).fit(X, y)
    other = LinearSVC(C=0.1, multi_class="crammer_singer", random_state=0, **THEIRS).fit(X, y)
    assert_allclose(one.coef_, other.coef_, atol=2e-3 * np.abs(other.coef_).max())


def test_crammer_and_singer_learn_intercepts_and_probabilities_of_many_classes():
    X, y = load_iris(return_X_y=True)
    model = LinearSVM(C=0.1, multi_class="crammer_singer").fit(X, y)
    assert model.certificate_.relative_gap <= 1e-6
    assert_allclose(model.intercept_.sum(), 0.0, atol=1e-9)
    assert model.score(X, y) > 0.9
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize(("C", "epsilon"), [(0.1, 0.0), (1.0, 20.0), (10.0, 50.0)])
def test_regressions_have_the_same_objective(loss, C, epsilon):
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X), y - 150.0
    one = LinearSVR(C=C, epsilon=epsilon, loss=loss, **EXACT).fit(X, y)
    other = TheirRegression(C=C, epsilon=epsilon, loss=loss, dual=True, random_state=0, **THEIRS).fit(X, y)
    over = np.maximum(np.abs(y - X @ other.coef_) - epsilon, 0.0)
    theirs = 0.5 * other.coef_ @ other.coef_ + C * (over**2 if "squared" in loss else over).sum()
    assert one.certificate_.relative_gap <= 1e-8
    assert_allclose(one.certificate_.primal, theirs, rtol=1e-5)
    assert one.certificate_.primal <= theirs * (1.0 + 1e-9)


@pytest.mark.parametrize("options", [{}, {"multi_class": "crammer_singer"}, {"penalty": "l1"}], ids=str)
def test_a_weight_is_a_repetition_in_any_order(options):
    X, y = load_iris(return_X_y=True)
    random = np.random.default_rng(0)
    weight = random.integers(0, 3, len(y))
    place = random.permutation(np.repeat(np.arange(len(y)), weight))
    one = LinearSVM(**options).fit(X, y, sample_weight=weight)
    other = LinearSVM(**options).fit(X[place], y[place])
    assert_allclose(one.coef_, other.coef_, rtol=1e-9, atol=1e-10)
    assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-7, atol=1e-9)
