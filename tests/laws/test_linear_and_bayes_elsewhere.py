"""Laws of counting and linear models over arrays of other libraries: they answer there, as with NumPy's."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone

from deciban import CalibratedClassifier, GaussianDiscriminant, LinearSVM, NaiveBayes
from laws.certificates import CLASSIFIERS, REGRESSIONS, STREAMS, rows
from laws.containers import host, same_place

JUDGES = {
    **{name: CLASSIFIERS[name] for name in ("logistic-l1", "softmax", "svm-hinge", "svm-margins", "nbsvm-logistic")},
    **{name: CLASSIFIERS[name] for name in ("perceptron", "least-squares", "discriminant-shared-ml")},
    **{name: model for name, model in CLASSIFIERS.items() if name.startswith("bayes")},
    "discriminant-per-class": GaussianDiscriminant("per_class"),
    "calibrated": CalibratedClassifier(LinearSVM(calibration=None), "platt", cv=3),
    "calibrated-bayes": CalibratedClassifier(NaiveBayes(), "temperature", cv="held-out"),
    "calibrated-discriminant": CalibratedClassifier(GaussianDiscriminant(), "isotonic", cv=3),
}
LINES = {name: model for name, model in REGRESSIONS.items() if not name.startswith(("machine", "network"))}
ASKED = ("predict", "decision_function", "predict_proba", "predict_log_proba", "predict_joint_log_proba")


# scikit-learn dispatches where SciPy was told so when it was loaded.
DISPATCHED = os.environ.get("SCIPY_ARRAY_API") == "1"


@pytest.fixture(autouse=True)
def _dispatch():
    with config_context(array_api_dispatch=DISPATCHED):
        yield


@pytest.mark.deep
@pytest.mark.skipif(DISPATCHED, reason="this is that process")
def test_all_this_holds_where_scikit_learn_dispatches():
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--deep", __file__]
    told = subprocess.run(
        command, env={**os.environ, "SCIPY_ARRAY_API": "1"}, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout


def alike(one, other, X, T, asked):
    for of in asked:
        if hasattr(one, of):
            told, wanted = getattr(other, of)(T), getattr(one, of)(X)
            assert same_place(told, T)
            assert_allclose(host(told), wanted, rtol=1e-6, atol=1e-9)
            assert_array_equal(getattr(other, of)(X), getattr(other, of)(X))


def scored(model, T, y):
    """Its score, for which scikit-learn asks for functions that not every library has."""
    if "array_api_strict" in sys.modules:
        sys.modules["array_api_strict"].reset_array_api_strict_flags()
    return model.score(T, y)


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("C", [2, 3])
def test_classifiers_answer_where_they_are_asked(there, name, C):
    X, y = rows(C)
    w = np.random.default_rng(0).integers(1, 3, len(y)).astype(float)
    model, T = JUDGES[name], there(X)
    one, other = clone(model).fit(X, y, w), clone(model).fit(T, there(y), there(w))
    alike(one, other, X, T, ASKED)
    assert not DISPATCHED or scored(other, T, there(y)) == pytest.approx(one.score(X, y), abs=1e-6)
    named = np.array(["a", "b", "c"])[y]
    told = clone(model).fit(T, named).predict(T)
    assert isinstance(told, np.ndarray)
    if hasattr(other, "predict_proba"):
        assert other.explain(T[:1, :])[0].label == one.explain(X[:1])[0].label


@pytest.mark.parametrize("name", LINES)
def test_regressions_answer_where_they_are_asked(there, name):
    X, _ = rows()
    y = X @ [1.0, 0.5, -2.0, 0.1]
    one, other, T = clone(LINES[name]).fit(X, y), clone(LINES[name]).fit(there(X), there(y)), there(X)
    alike(one, other, X, T, ("predict",))
    assert not DISPATCHED or scored(other, T, there(y)) == pytest.approx(one.score(X, y))


@pytest.mark.parametrize("name", [name for name in STREAMS if name != "stream-network"])
def test_pieces_come_from_anywhere(there, name):
    X, y = rows()
    one, other = clone(STREAMS[name]), clone(STREAMS[name])
    for part in (slice(0, 20), slice(20, 40)):
        one.partial_fit(X[part], y[part], classes=[0, 1])
        other.partial_fit(there(X[part]), there(y[part]), classes=there(np.array([0, 1])))
    alike(one, other, X, there(X), ASKED)


@pytest.mark.parametrize("model", [NaiveBayes(), GaussianDiscriminant()], ids=["bayes", "discriminant"])
def test_counts_come_from_anywhere(there, model):
    X, y = rows()
    one = clone(model).partial_fit(X, y).partial_fit(X[:9], y[:9]).forget(X[:9], y[:9])
    other = clone(model).partial_fit(there(X), there(y)).partial_fit(there(X[:9]), there(y[:9]))
    other = other.forget(there(X[:9]), there(y[:9]))
    alike(one, other, X, there(X), ASKED)
    assert_allclose(host(other.credible_interval(there(X))), one.credible_interval(X))
