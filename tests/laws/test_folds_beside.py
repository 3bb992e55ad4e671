"""Laws of folds that are fitted beside all examples: nothing depends on it, and they end with what they are beside."""

from threading import current_thread, main_thread
from time import perf_counter, sleep

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from deciban import NBSVM, LinearSVM, Perceptron, TextClassifier
from deciban.models import linear
from deciban.solvers import Status
from deciban.threads import check_halted

MODELS = {
    "hinge": LinearSVM(),
    "squared hinge": LinearSVM(loss="squared_hinge", solver="coordinate"),
    "dual ascent, cut short": LinearSVM(solver="dual-coordinate", max_iter=3),
    "perceptron": Perceptron(),
    "pocket": Perceptron(pocket=True),
    "ratios": NBSVM(loss="hinge"),
}
FORMS = {"dense": np.ascontiguousarray, "sparse": sparse.csr_array}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def labelled(classes, N=300):
    rng = np.random.default_rng(classes)
    y = rng.integers(classes, size=N)
    means = rng.poisson(2.0, size=(classes, 6))
    return rng.poisson(means[y] + 0.5).astype(float), y


@pytest.fixture(autouse=True)
def fits_are_large(monkeypatch):
    monkeypatch.setattr(linear, "_FEW", 0)


@pytest.fixture
def begun(monkeypatch):
    """The threads on which folds were fitted."""
    threads, real = [], linear.LinearClassifier._score_held_out

    def note(self, *given):
        threads.append(current_thread())
        return real(self, *given)

    monkeypatch.setattr(linear.LinearClassifier, "_score_held_out", note)
    return threads


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MODELS)
def test_a_fit_is_the_same_whether_folds_wait_for_it(name, form, classes, begun):
    X, y = labelled(classes)
    found = []
    for n_jobs in (1, 2):
        model = MODELS[name].set_params(n_jobs=n_jobs).fit(FORMS[form](X), y)
        found.append((model.temperature_, model.certificate_.calibration, model.decision_function(X)))
    assert {thread is main_thread() for thread in begun} == {True, False}
    assert found[0][:2] == found[1][:2]
    assert_array_equal(found[0][2], found[1][2])


def test_a_text_filter_is_the_same_whether_folds_wait_for_it(begun):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    texts = [" ".join(f"w{k}" for k in rng.poisson(5 + 3 * own, size=12)) for own in y]
    for model in ("svm", "nbsvm", "logistic"):
        one, two = (TextClassifier(model=model, n_jobs=n).fit(texts, y) for n in (1, 2))
        assert one.certificate_.calibration == two.certificate_.calibration
        assert_array_equal(one.predict_proba(texts), two.predict_proba(texts))
    assert {thread is main_thread() for thread in begun} == {True, False}


def test_whoever_stops_a_fit_stops_its_folds_as_early():
    X, y = labelled(2)
    early, alone = (
        LinearSVM(solver="dual-coordinate", tol=1e-12, n_jobs=n, callback=lambda k, *_: k >= 2).fit(X, y)
        for n in (2, 1)
    )
    assert early.solution_[0].status is Status.STOPPED
    assert early.temperature_ == alone.temperature_


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_a_fold_raises_is_raised(n_jobs, monkeypatch):
    def fail(*_):
        raise RuntimeError("no fold")

    X, y = labelled(2)
    with pytest.raises(ValueError, match="calibration_folds"):
        LinearSVM(calibration_folds=1, n_jobs=n_jobs).fit(X, y)
    monkeypatch.setattr(LinearSVM, "_score_held_out", fail)
    model = LinearSVM(n_jobs=n_jobs)
    with pytest.raises(RuntimeError, match="no fold"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_folds_end_with_a_fit_that_raises(monkeypatch):
    ended = []

    def wait_for_the_end(*_):
        try:
            while True:
                check_halted()
                sleep(0.001)
        finally:
            ended.append(perf_counter())

    def fail(*_):
        raise RuntimeError("no fit")

    monkeypatch.setattr(LinearSVM, "_score_held_out", wait_for_the_end)
    monkeypatch.setattr(LinearSVM, "_become", fail)
    X, y = labelled(2)
    with pytest.raises(RuntimeError, match="no fit"):
        LinearSVM(n_jobs=2).fit(X, y)
    assert len(ended) == 1
