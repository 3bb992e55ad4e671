"""Laws of kernel machines at the edges: data that is hard to learn from, and scikit-learn's own checks."""

import signal
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from deciban import SVM, OneClassSVM, SVMRegressor
from laws.svms import TIGHT, cloud

HARD_TO_LEARN = {
    "zeros": np.zeros((12, 3)),
    "one feature": np.arange(12.0)[:, None],
    "duplicated columns": np.repeat(np.arange(12.0)[:, None] % 7, 4, axis=1),
    "more features than rows": np.random.default_rng(0).normal(size=(12, 40)),
    "very small": 1e-150 * (np.arange(24.0).reshape(12, 2) % 5),
    "very large": 1e4 * (np.arange(24.0).reshape(12, 2) % 5),
}


@pytest.mark.each_once
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("kind", HARD_TO_LEARN)
def test_whatever_comes_numbers_stay_numbers(kind, kernel):
    X = HARD_TO_LEARN[kind]
    for y in (np.arange(12) % 3, np.arange(12) // 11):
        model = SVM(kernel, max_iter=20).fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-9)
        assert str(model.certificate_)
        assert len(model.explain(X)) == 12
    for nu in (None, 0.5):
        assert np.isfinite(SVMRegressor(kernel, nu=nu, max_iter=20).fit(X, X[:, 0]).predict(X)).all()
    assert np.isfinite(OneClassSVM(kernel, max_iter=20).fit(X).decision_function(X)).all()


def test_two_examples_are_enough():
    model = SVM("linear", C=10.0, calibration=None).fit([[0.0], [2.0]], ["low", "high"])
    assert model.predict([[0.5], [1.5]]).tolist() == ["low", "high"]
    assert_allclose(model.coef_, [[-1.0]], atol=1e-6)
    assert SVM().fit([[0.0], [2.0]], ["low", "high"]).predict_proba([[0.5]]).shape == (1, 2)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("model", "checks"),
    [
        (SVM(**TIGHT), 63),
        (SVM(calibration=None, multi_class="ovr", **TIGHT), 63),
        (SVMRegressor(**TIGHT), 59),
        (SVMRegressor(nu=0.5, **TIGHT), 59),
        (OneClassSVM(tol=1e-12), 53),
    ],
    ids=["svm", "rest", "regression", "nu regression", "one class"],
)
def test_scikit_learn_finds_nothing_to_complain_about(model, checks):
    results = check_estimator(model, on_skip=None, on_fail="raise")
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= checks


def test_whoever_stops_it_gets_an_honest_model():
    X, y = cloud(n=200)
    model = SVM("rbf", gamma=20.0, C=1e4, tol=1e-12, callback=lambda *_: True).fit(X, y)
    assert model.certificate_.status in ("stopped", "converged")
    assert model.certificate_.relative_gap >= 0.0
    assert model.predict_proba(X).shape == (200, 2)
    assert clone(model).fit(X, y).certificate_.primal == model.certificate_.primal


@pytest.mark.parametrize("C", [2, 3])
def test_threads_change_nothing(C):
    X, y = cloud(C, n=150)
    one, many = SVM(n_jobs=1).fit(X, y), SVM(n_jobs=3, memory_mb=1.0).fit(X, y)
    assert one.dual_coef_.tobytes() == many.dual_coef_.tobytes()
    assert one.predict_proba(X).tobytes() == many.predict_proba(X).tobytes()


@pytest.mark.parametrize("C", [2, 3])
def test_control_c_leaves_a_model_that_says_so(C):
    X, y = cloud(C, n=300)
    told = []

    def callback(*_):
        told.append(1)
        if len(told) == 2:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.02)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started us deaf to it
    try:
        model = SVM("linear", C=1e3, tol=1e-14, solver="smo", callback=callback, max_iter=500).fit(X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert model.certificate_.status == "interrupted"
    assert model.certificate_.relative_gap >= 0.0
    assert np.isfinite(model.decision_function(X)).all()


def test_control_c_while_probabilities_are_fitted_keeps_the_machine(monkeypatch):
    X, y = cloud(2)

    def impatient(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("deciban.kernel_machines.svm.calibrate", impatient)
    model = SVM().fit(X, y)
    assert model.certificate_.status == "interrupted"
    assert not hasattr(model, "predict_proba")
    assert_allclose(model.decision_function(X), SVM(calibration=None).fit(X, y).decision_function(X))


@pytest.mark.parametrize("options", [{}, {"multi_class": "ovr"}, {"nu": 0.3}], ids=str)
@pytest.mark.parametrize("C", [2, 3])
def test_whether_sparse_rows_are_seen_as_their_gram_matrix_makes_no_difference(C, options):
    X, y = cloud(C)
    thin = sparse.csr_array(np.where(X > 0.5, X, 0.0))
    whole, rows = (SVM(memory_mb=size, **TIGHT, **options).fit(thin, y) for size in (200.0, 0.05))
    assert_allclose(rows.decision_function(thin), whole.decision_function(thin), atol=1e-5)
    assert_allclose(rows.predict_proba(thin), whole.predict_proba(thin), atol=1e-4)
    one, other = whole.certificate_, rows.certificate_
    assert (one.d, one.digest, one.objective) == (other.d, other.digest, other.objective)
    assert one.primal == pytest.approx(other.primal, rel=1e-6)
