"""A fit that did not converge warns once, with the advice of its status; one that did not, or was ended, does not."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from deciban import (
    SVM,
    CalibratedClassifier,
    LinearRegression,
    LinearSVM,
    LinearSVR,
    LogisticRegression,
    MLPClassifier,
    MLPRegressor,
    Perceptron,
    SVMRegressor,
    TextClassifier,
)
from deciban.losses import Hinge
from deciban.penalties import L2
from deciban.solvers import Limits, Problem, solve

random = np.random.default_rng(0)
X = random.normal(size=(120, 6)) * [1.0, 10.0, 1.0, 1.0, 1.0, 5.0]
Y = (X @ [1.0, 0.1, -1.0, 0.5, 0.0, 0.0] + random.normal(size=120) > 0.0).astype(int)
MANY = Y + (X[:, 2] > 0.7)
T = X[:, 0] + random.normal(size=120)

SHORT = {
    "linear-svm": (LinearSVM(max_iter=2, C=100.0), Y),
    "one-against-the-rest": (LinearSVM(max_iter=2, C=100.0), MANY),
    "logistic": (LogisticRegression(max_iter=1, C=100.0), Y),
    "softmax": (LogisticRegression(max_iter=1, C=100.0), MANY),
    "lasso-logistic": (LogisticRegression(max_iter=1, C=100.0, penalty="l1", tol=1e-12), Y),
    "perceptron": (Perceptron(max_iter=2), Y),
    "svm": (SVM(max_iter=2, C=100.0), Y),
    "svm-many": (SVM(max_iter=2, C=100.0), MANY),
    "regression": (SVMRegressor(max_iter=2, C=100.0), T),
    "nu-regression": (SVMRegressor(nu=0.5, max_iter=2, C=100.0), T),
    "linear-regression": (LinearRegression(loss="huber", max_iter=1, delta=0.1), T),
    "linear-svr": (LinearSVR(max_iter=2, C=100.0), T),
    "network": (MLPClassifier(hidden_layer_sizes=(3,), max_iter=2), Y),
    "network-of-numbers": (MLPRegressor(hidden_layer_sizes=(3,), max_iter=2), T),
    "calibrated": (CalibratedClassifier(LinearSVM(max_iter=2, C=100.0, calibration=None)), Y),
}


@pytest.mark.parametrize("name", SHORT)
def test_a_fit_that_did_not_converge_warns_once(name):
    model, y = SHORT[name]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert [each.category for each in found] == [ConvergenceWarning]
    assert "did not converge" in str(found[0].message)
    assert "aise max_iter" in str(found[0].message) or "pocket=True" in str(found[0].message)
    assert found[0].filename == __file__
    if name != "calibrated":
        assert model.certificate_.advice.lower() in str(found[0].message).lower()


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (LinearSVM(), Y),
        (LogisticRegression(penalty="l1"), MANY),
        (Perceptron(pocket=True, max_iter=3), Y),
        (Perceptron(averaged=True, max_iter=3), Y),
        (LinearRegression(), T),
        (LinearSVM(callback=lambda *_: True, C=100.0), Y),
    ],
    ids=["svm", "lasso", "pocket", "mean", "regression", "stopped"],
)
def test_a_fit_that_converged_or_was_ended_or_seeks_no_optimum_does_not_warn(model, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)


def test_a_stream_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (Perceptron(), LogisticRegression(), LinearSVM()):
            model.partial_fit(X, Y, classes=[0, 1])


def test_solvers_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve(Problem(X, np.where(Y, 1.0, -1.0), np.full(120, 100.0), Hinge(), L2()), Limits(max_iter=1))


def test_a_text_classifier_that_chooses_warns_once_at_most():
    texts = [f"wort{i % 7} zahl{i % 5} ding{i % 3}" for i in range(60)]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        TextClassifier("auto").fit(texts, [i % 2 for i in range(60)])
    assert len(found) <= 1
