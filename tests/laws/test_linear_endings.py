"""How fits of linear classifiers end: what is said, and that what was found until then can be used."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from deciban import NBSVM, LinearRegression, LinearSVM, LogisticRegression, Perceptron
from deciban.calibration import out_of_fold
from deciban.models import linear, regression
from deciban.solvers import Status
from laws.declared import KINDS, clouds, model, over, weights_of

ADVICE = "columns of very different scale slow solvers down: scale them first"
# All that learn by iterations; a Perceptron is asked for its own advice elsewhere.
LEARNERS = {
    "newton": LogisticRegression(tol=1e-12),
    "softmax": LogisticRegression(tol=1e-12),
    "one-against-the-rest": LogisticRegression(multi_class="ovr", tol=1e-12),
    "coordinate": LogisticRegression(penalty="l1", tol=1e-12),
    "descent": LogisticRegression(solver="descent", tol=1e-12),
    "dual-coordinate": LinearSVM(tol=1e-12),
    "nbsvm": NBSVM(C=30.0, tol=1e-12),
    "nbsvm-hinge": NBSVM(C=30.0, tol=1e-12, loss="hinge"),
    "perceptron": Perceptron(),
}
learners = pytest.mark.parametrize("learner", LEARNERS)


def noisy(learner):
    """Classes that no hyperplane separates, three where the learner is for many; to NBSVM what is there tells."""
    if "nbsvm" in learner:
        X, y = clouds(1, N=200, d=8, apart=5.0)
        return np.where(np.median(X, axis=0) < X, X, 0.0), y
    X, y = clouds(1, C=3 if learner in ("softmax", "one-against-the-rest") else 2, apart=0.5)
    return X, y


def learnt(learner, **options):
    X, y = noisy(learner)
    family = LEARNERS[learner]
    fitted = type(family)(**{**family.get_params(), **options}).fit(X, y)
    assert np.isfinite(weights_of(fitted)).all()
    assert_array_equal(np.isin(fitted.predict(X), y), True)
    if hasattr(fitted, "predict_proba"):
        assert len(fitted.explain(X)) == len(y)
    else:  # who pressed Ctrl-C waits for no calibration
        assert fitted.certificate_.status == "interrupted"
        with pytest.raises(AttributeError, match="it was interrupted before its margins were calibrated; fit it to"):
            fitted.explain(X)
    return fitted


@over(of=KINDS)
def test_too_few_iterations_are_told(name):
    X, y = clouds(1, N=200, d=8, apart=5.0)
    X = X * (np.median(X, axis=0) < X)  # at a price at which one iteration is enough for none of them
    fitted = model(name, max_iter=1, tol=1e-15, C=30.0).fit(X, y)
    proof = fitted.certificate_
    assert (fitted.status_, proof.status) == (Status.EXHAUSTED, "exhausted")
    assert proof.advice == f"raise max_iter, or tol; {ADVICE}"
    assert proof.relative_gap > 1e-15
    assert fitted.predict(X).shape == y.shape


@learners
def test_too_little_time_is_told(learner):
    fitted = learnt(learner, time_limit=1e-9)
    assert fitted.status_ is Status.OUT_OF_TIME
    assert fitted.certificate_.advice == f"raise time_limit, or tol; {ADVICE}"


@learners
def test_a_callback_stops_and_is_told_of_every_iteration(learner):
    seen = []
    fitted = learnt(learner, callback=lambda *at: seen.append(at) or len(seen) >= 2)
    assert fitted.status_ is Status.STOPPED
    assert fitted.certificate_.advice == "the callback said stop: these are the best weights until then"
    assert all(len(at) == 3 for at in seen)


def test_a_hard_margin_ends_when_it_is_told_to_and_at_once():
    X, y = clouds(4, N=200, d=6)
    X = X + 12.0 * y[:, None]
    seen = []
    hard = LinearSVM(C=np.inf, calibration=None, callback=lambda *at: seen.append(at) or len(seen) >= 2)
    assert (hard.fit(X, y).status_, len(seen)) == (Status.STOPPED, 2)

    def press(*_):
        seen.append("pressed")
        raise KeyboardInterrupt

    assert hard.set_params(callback=press).fit(X, y).status_ is Status.INTERRUPTED
    assert seen[2:] == ["pressed"]
    assert hard.set_params(callback=None, time_limit=1e-9).fit(X, y).status_ is Status.OUT_OF_TIME
    assert hard.set_params(time_limit=60.0).fit(X, y).status_ is Status.CONVERGED
    assert hard.predict(X).tolist() == y.tolist()


PRESSED = """
import os, signal
from time import sleep
from laws.test_linear_endings import LEARNERS, learnt

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started us deaf to it
for learner in LEARNERS:
    pressed = []

    def press(*_):
        if not pressed:
            pressed.append(True)
            os.kill(os.getpid(), signal.SIGINT)
        sleep(0.1)  # until the thread that waits has heard

    fitted = learnt(learner, callback=press)
    print(learner, fitted.certificate_.status, fitted.certificate_.advice, sep=" | ")
"""


def test_ctrl_c_keeps_the_best_weights():
    """In a process of its own, which alone is to hear it."""
    tests = Path(__file__).parents[1]
    paths = {**os.environ, "PYTHONPATH": f"{tests}{os.pathsep}{tests / 'laws'}"}
    told = subprocess.run([sys.executable, "-c", PRESSED], env=paths, capture_output=True, text=True, check=True)
    advice = "interrupted: these are the best weights until then"
    assert told.stdout.splitlines() == [f"{learner} | interrupted | {advice}" for learner in LEARNERS]


def pressed_once(monkeypatch, module, name):
    """The first call of this function of a module is where Ctrl-C comes."""
    whole, calls = getattr(module, name), []

    def function(*given):
        calls.append(given)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return whole(*given)

    monkeypatch.setattr(module, name, function)


@learners
def test_ctrl_c_while_the_fit_is_proven_keeps_the_weights_and_the_proof(learner, monkeypatch):
    X, y = noisy(learner)
    family = LEARNERS[learner]
    whole = type(family)(**family.get_params()).fit(X, y)
    pressed_once(monkeypatch, linear, "prove")
    fitted = learnt(learner)
    assert_array_equal(weights_of(fitted), weights_of(whole))
    proof, wanted = fitted.certificate_, whole.certificate_
    assert (fitted.status_, proof.status) == (Status.INTERRUPTED, "interrupted")
    assert Status.INTERRUPTED.value in proof.advice
    assert (proof.primal, proof.dual, proof.digest) == (wanted.primal, wanted.dual, wanted.digest)


def test_ctrl_c_while_a_regression_is_proven_keeps_the_weights_and_the_proof(monkeypatch):
    X, y = clouds(4)
    whole = LinearRegression(loss="huber").fit(X, y)
    pressed_once(monkeypatch, regression, "prove")
    fitted = LinearRegression(loss="huber").fit(X, y)
    assert_array_equal(weights_of(fitted), weights_of(whole))
    assert (fitted.status_, fitted.certificate_.status) == (Status.INTERRUPTED, "interrupted")
    assert fitted.certificate_.primal == whole.certificate_.primal


@pytest.mark.parametrize("family", [LinearSVM(), NBSVM(loss="hinge"), Perceptron()], ids=lambda f: type(f).__name__)
def test_ctrl_c_while_margins_are_calibrated_leaves_only_margins(family, monkeypatch):
    X, y = clouds(5)
    pressed_once(monkeypatch, out_of_fold, "temperature")
    fitted = family.fit(X, y)
    assert (fitted.status_, fitted.certificate_.status) == (Status.INTERRUPTED, "interrupted")
    assert fitted.certificate_.advice.startswith(Status.INTERRUPTED.value)
    assert fitted.predict(X).shape == y.shape
    assert not hasattr(fitted, "predict_proba")


def test_a_second_ctrl_c_leaves_the_model_as_it_was(monkeypatch):
    X, y = clouds(6)
    fitted = LogisticRegression().fit(X, y)
    before = weights_of(fitted)

    def press(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(linear, "prove", press)
    with pytest.raises(KeyboardInterrupt):
        fitted.set_params(C=7.0).fit(X, y)
    assert weights_of(fitted) is before


def test_classes_that_nothing_keeps_from_growing_apart_are_told():
    X, y = clouds(2)
    X = X + 40.0 * y[:, None]
    fitted = LogisticRegression(penalty=None).fit(X, y)
    assert "the data are separable and nothing is penalised" in fitted.certificate_.advice
    assert fitted.predict(X).tolist() == y.tolist()
    assert LogisticRegression().fit(X, y).certificate_.advice == ""


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_columns_of_very_different_size_are_told(form):
    X, y = clouds(3)
    fitted = LogisticRegression().fit(form(X * np.array([1e-4, 1.0, 1.0, 1e4])), y)
    assert "columns differ in size by a factor of" in fitted.certificate_.advice
    X[:, 0] = np.where(np.arange(len(X)) % 2, 1e-4, 1e4)  # a column of small and large values
    assert LogisticRegression(tol=0.5).fit(form(X + 100.0), y).certificate_.advice == ""
