"""Laws of scikit-learn's callbacks: begin, iterations and end of a fit are told, and what they say is heard."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from deciban import GaussianDiscriminant, LinearRegression, LinearSVM, LogisticRegression, NaiveBayes
from laws.certificates import rows

pytest.importorskip("sklearn.callback")
MODELS = [LogisticRegression(), LinearSVM(calibration=None), LinearRegression(penalty="l1"), NaiveBayes()]
MODELS += [GaussianDiscriminant()]


class Ear:
    """Hears all, and says stop after so many ends of tasks."""

    def __init__(self, most=np.inf):
        self.heard, self.most = [], most

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.heard.append(f"end {context.task_name}")
        if context.task_name == "fit":
            assert fitted_estimator.predict(X).shape == np.shape(y)
        return len(self.heard) > self.most


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_fit_is_told_and_is_the_same(model):
    X, y = rows()
    ear = Ear()
    told = clone(model).set_callbacks(ear).fit(X, y)
    np.testing.assert_array_equal(told.predict(X), clone(model).fit(X, y).predict(X))
    assert ear.heard[:2] == ["setup", "begin fit"]
    assert ear.heard[-2:] == ["end fit", "teardown"]
    assert ear.heard.count("begin iteration") == ear.heard.count("end iteration")
    assert not hasattr(told, "_callback_fit_ctx")
    if isinstance(model, LogisticRegression):
        assert ear.heard.count("end iteration") == told.n_iter_[0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_callback_stops_a_fit():
    X, y = rows()
    assert LogisticRegression(tol=1e-12).set_callbacks(Ear(most=3)).fit(X, y).n_iter_[0] == 1


def test_a_failing_fit_tears_down():
    ear = Ear()
    with pytest.raises(ValueError, match="inconsistent"):
        LogisticRegression().set_callbacks(ear).fit([[1.0], [2.0]], [0])
    assert ear.heard[-1] == "teardown"


def test_within_a_pipeline():
    X, y = rows()
    ear = Ear()
    make_pipeline(LogisticRegression().set_callbacks(ear)).fit(X, y)
    assert ear.heard.count("setup") == ear.heard.count("teardown") == 1
