"""Laws of arrays of other libraries: the same numbers give the same machine, computed where they are."""

import pickle
from dataclasses import fields

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import deciban
from deciban import SVM, kernel_solvers, load_libsvm, save_libsvm
from deciban.data import devices
from deciban.features.nystroem import Nystroem
from deciban.kernel_solvers.problem import KernelProblem
from deciban.kernels import CATALOGUE, RBF, Function, Linear, Tanh, mercer
from laws.containers import host, same_place
from laws.svms import DECLARED, OTHERS, TIGHT, cloud, machine, over

# Machines.


@pytest.mark.each_once
@pytest.mark.parametrize(("name", "C"), [("rbf", 2), ("rest", 2), *((name, 3) for name in DECLARED)])
def test_the_same_machine(anywhere, name, C):
    X, y = cloud(C)
    T = anywhere(X)
    one, other = machine(name).fit(X, y), machine(name, solver="blocks").fit(T, anywhere(y))
    assert other.certificate_.relative_gap <= 1e-6
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=1e-6)
    assert other.certificate_.digest == one.certificate_.digest
    assert_allclose(host(other.decision_function(T)), one.decision_function(X), atol=1e-5)
    assert_allclose(host(other.predict_proba(T)), one.predict_proba(X), atol=1e-5)
    assert_array_equal(host(other.predict(T)), one.predict(X))
    assert_allclose(other.margin_, one.margin_, rtol=1e-5)
    assert same_place(other.support_vectors_, T)
    assert_array_equal(host(other.support_vectors_), X[other.support_])
    assert other.score(T, anywhere(y)) == one.score(X, y)


@pytest.mark.parametrize("name", OTHERS)
def test_the_same_machine_without_classes(anywhere, name):
    X, y = cloud(n=40)
    weight = np.arange(40) % 3 + 0.0
    target = X[:, 0] + 0.1 * y
    T = anywhere(X)
    one = OTHERS[name]().fit(X, target, sample_weight=weight)
    other = OTHERS[name](solver="blocks").fit(T, anywhere(target), sample_weight=anywhere(weight))
    assert other.kernel_.gamma == pytest.approx(one.kernel_.gamma, rel=1e-12)
    assert_allclose(other.scorer_(T), one.scorer_(X), atol=1e-5)
    assert_allclose(host(other.predict(T)), one.predict(X), atol=1e-5)
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=1e-6, abs=1e-9)
    assert other.certificate_.digest == one.certificate_.digest
    if name.endswith("regression"):
        assert other.score(T, anywhere(target)) == pytest.approx(one.score(X, target), rel=1e-5)
    else:
        assert_allclose(host(other.score_samples(T)), one.score_samples(X), atol=1e-5)


def product(X, Z):
    return (X @ Z.T + 1.0) ** 2


def pair(x, z):
    return (devices.namespace(x).sum(x * z) + 1.0) ** 2


KERNELS = {
    "function": (lambda X: Function(product), {}),
    "pairs": (lambda X: Function(pair, pairs=True), {"n": 12}),
    "composite": (lambda X: RBF(0.3) * Linear() + Linear(), {}),
    "hard": (lambda X: "linear", {"C": np.inf, "d": 12, "n": 20}),
    "nu": (lambda X: RBF(0.5), {"nu": 0.3}),
}


@pytest.mark.parametrize("name", KERNELS)
def test_the_same_machine_of_other_kernels(there, name):
    made, options = KERNELS[name]
    shape = {key: options[key] for key in ("n", "d") if key in options}
    X, y = cloud(**shape)
    options = {key: value for key, value in options.items() if key not in shape} | {"calibration": None, **TIGHT}
    one = SVM(made(X), **options).fit(X, y)
    other = SVM(made(X), **options).fit(there(X), y)
    assert_allclose(host(other.decision_function(there(X))), one.decision_function(X), atol=1e-4)
    assert other.certificate_.status == one.certificate_.status
    if name == "hard":
        assert_allclose(other.coef_, one.coef_, atol=1e-5)


@pytest.mark.parametrize("kernel", CATALOGUE, ids=lambda family: family.name)
def test_parameters_may_be_numpys_numbers(there, kernel):
    made = kernel(**{field.name: np.float64(0.7) for field in fields(kernel) if field.name != "degree"})
    X = cloud()[0]
    assert_allclose(host(made.tile(there(X), there(X[:5]))), made.tile(X, X[:5]), atol=1e-9)


def test_the_same_gram_matrix(there):
    X, y = cloud(3)
    weight = np.arange(60) % 3 + 0.0
    asked, kernel = np.random.default_rng(5).normal(size=(30, 3)), RBF(0.5)
    K, Q = kernel.tile(X, X), kernel.tile(asked, X)
    one, other = SVM("precomputed", **TIGHT).fit(K, y, weight), SVM("precomputed", **TIGHT).fit(there(K), y, weight)
    assert_allclose(host(other.decision_function(there(Q))), one.decision_function(Q), atol=1e-5)
    assert_allclose(host(other.predict_proba(there(Q))), one.predict_proba(Q), atol=1e-5)
    assert_allclose(other.decision_function(Q), one.decision_function(Q), atol=1e-5)


@pytest.mark.parametrize("solver", ["smo", "blocks", "dual-qp", "primal-qp"])
def test_every_solver_takes_them(there, solver):
    X, y = cloud()
    kernel = "linear" if solver == "primal-qp" else "rbf"
    one = SVM(kernel, solver=solver, calibration=None, **TIGHT).fit(X, y)
    other = SVM(kernel, solver=solver, calibration=None, **TIGHT).fit(there(X), y)
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=1e-7)
    problem = KernelProblem.one_class(Linear(), there(X), np.ones(60), 0.5)
    assert kernel_solvers.choose(problem).name == "blocks"


def test_kernels_that_are_none_are_found_out(there):
    X, y = cloud()
    one, other = mercer(Tanh(1.0, -1.0), X), mercer(Tanh(1.0, -1.0), there(X))
    assert other.smallest == pytest.approx(one.smallest, rel=1e-9)
    assert_allclose(np.abs(other.witness), np.abs(one.witness), atol=1e-7)
    assert SVM(Tanh(1.0, -1.0), calibration=None).fit(there(X), y).certificate_.status == "stationary point"


def test_a_warm_start_ends_where_a_cold_one_does(there):
    X, y = cloud(3)
    warm = SVM(warm_start=True, calibration=None, **TIGHT).fit(there(X), y)
    steps = warm.n_iter_.sum()
    assert warm.fit(there(X), y).n_iter_.sum() <= steps
    cold = SVM(C=3.0, calibration=None, **TIGHT).fit(X, y)
    assert_allclose(
        host(warm.set_params(C=3.0).fit(there(X), y).decision_function(there(X))), cold.decision_function(X), atol=1e-4
    )


def test_threads_change_nothing(there):
    X, y = cloud(3)
    one, many = SVM(n_jobs=1).fit(there(X), y), SVM(n_jobs=3).fit(there(X), y)
    assert one.dual_coef_.tobytes() == many.dual_coef_.tobytes()
    assert one.predict_proba(X).tobytes() == many.predict_proba(X).tobytes()


# Who asks decides what comes back, and where.


def test_answers_are_where_the_question_is(there):
    X, y = cloud(3)
    T = there(X)
    model, named = SVM(**TIGHT).fit(T, y), SVM(calibration=None).fit(T, np.array(["a", "b", "c"])[y])
    plain = SVM(**TIGHT).fit(X, y)
    for method in ("decision_function", "pairwise_decisions", "predict", "predict_proba", "predict_log_proba"):
        answer = getattr(model, method)(T)
        assert same_place(answer, T), method
        back = getattr(model, method)(X)
        assert isinstance(back, np.ndarray), method
        assert_allclose(back, host(answer), atol=1e-12)
        assert same_place(getattr(plain, method)(T), T), method
    assert isinstance(named.predict(T), np.ndarray)
    assert (named.predict(T) == np.array(["a", "b", "c"])[host(model.predict(T))]).mean() > 0.95
    few = sparse.csr_array(X * (np.abs(X) > 0.5))
    assert_allclose(model.decision_function(few), model.decision_function(few.toarray()), atol=1e-12)
    flat = SVM(calibration=None).fit(few, y)
    assert_allclose(host(flat.decision_function(there(few.toarray()))), flat.decision_function(few), atol=1e-9)
    two = SVM(calibration=None).fit(T, y == 1)
    assert same_place(two.functional_margins(T, there(y == 1)), T)
    assert_allclose(host(two.geometric_margins(T, there(y == 1))), two.geometric_margins(X, y == 1), atol=1e-12)


def test_single_precision_and_whole_numbers(there):
    X, y = cloud()
    exact, half = SVM(**TIGHT).fit(X, y), SVM(tol=1e-6).fit(there(X.astype(np.float32)), y)
    assert half.certificate_.relative_gap <= 1e-6
    assert_allclose(host(half.decision_function(there(X.astype(np.float32)))), exact.decision_function(X), atol=1e-3)
    whole = np.round(4.0 * X).astype(np.int64)
    one, other = SVM(**TIGHT).fit(whole, y), SVM(**TIGHT).fit(there(whole), y)
    assert_allclose(host(other.decision_function(there(whole))), one.decision_function(whole), atol=1e-5)


def test_a_device_without_double_precision_has_the_host(single):
    X, y = cloud(3)
    X = X.astype(np.float32)
    T = single(X)
    one, other = SVM(**TIGHT, solver="blocks").fit(X, y), SVM(**TIGHT).fit(T, y)
    assert other.certificate_.relative_gap <= 1e-6
    assert other.certificate_.digest == one.certificate_.digest
    assert_allclose(host(other.decision_function(T)), one.decision_function(X), atol=1e-5)
    assert same_place(other.predict(T), T)
    linear = SVM("linear", **TIGHT).fit(T, y)
    assert_allclose(linear.coef_, SVM("linear", **TIGHT).fit(X, y).coef_, atol=1e-4)
    few = Nystroem(n_components=20).fit(T)
    assert_allclose(host(few.transform(T)), Nystroem(n_components=20).fit(X).transform(X), atol=1e-6)


# What is said, and what is kept.


@over("rbf", "linear", "rest")
@pytest.mark.parametrize("C", [2, 3])
def test_the_same_evidence(there, name, C):
    X, y = cloud(C)
    one, other = machine(name, solver="blocks").fit(X, y), machine(name).fit(there(X), y)
    for by in ("feature", "vector"):
        for mine, theirs in zip(one.explain(X[:4], by=by), other.explain(there(X[:4]), by=by), strict=True):
            assert mine.label == theirs.label
            assert theirs.decibans == pytest.approx(mine.decibans, abs=1e-3)
            named = {term.feature: term.decibans for term in theirs.terms}
            for term in mine.terms:
                assert named.get(term.feature, 0.0) == pytest.approx(term.decibans, abs=1e-2)
    if name == "linear":
        assert_allclose(other.coef_, one.coef_, atol=1e-5)


@pytest.mark.parametrize("C", [2, 3])
def test_files_and_pickles_know_no_devices(there, C, tmp_path):
    X, y = cloud(C)
    model = SVM(**TIGHT).fit(there(X), y)
    model.save(tmp_path / "machine.deciban")
    save_libsvm(model, tmp_path / "machine.libsvm")
    again = [
        deciban.load(tmp_path / "machine.deciban"),
        pickle.loads(pickle.dumps(model)),
        load_libsvm(tmp_path / "machine.libsvm"),
    ]
    for other in again:
        assert isinstance(other.support_vectors_, np.ndarray)
        assert_allclose(other.decision_function(X), host(model.decision_function(there(X))), atol=1e-9)
        assert_allclose(host(other.decision_function(there(X))), other.decision_function(X), atol=1e-9)
    assert same_place(model.support_vectors_, there(X))
    for made in OTHERS.values():
        other = made().fit(there(X), there(X[:, 0]))
        assert_allclose(pickle.loads(pickle.dumps(other)).scorer_(X), other.scorer_(X), atol=1e-9)


def test_a_library_behind_the_wrapper(there, monkeypatch):
    T = there(np.eye(3))
    monkeypatch.setattr(devices, "_WRAPPED", (type(T).__module__.split(".")[0],))
    assert devices.elsewhere(T)
    assert_array_equal(host(devices.namespace(T).sum(T, axis=0)), np.ones(3))
