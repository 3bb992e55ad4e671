"""The hard margin knows no units: X·10^k and X + offset have the same street, in the units of X."""

from time import perf_counter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_iris

from deciban import SVM, LinearSVM
from deciban.errors import NotSeparableError

FIVE = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
SIDES = np.array([1, 1, 1, -1, -1])
MODELS = {
    "LinearSVM": lambda: LinearSVM(C=np.inf, calibration=None),
    **{
        f"SVM {solver}": lambda solver=solver: SVM("linear", C=np.inf, solver=solver, calibration=None)
        for solver in ("auto", "smo", "blocks", "dual-qp", "primal-qp")
    },
}
KERNELS = {
    "rbf": lambda: SVM("rbf", C=np.inf, calibration=None),
    "poly": lambda: SVM("poly", C=np.inf, calibration=None),
}
every = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def check_street(model, X, y, unit):
    """What a street of the five points, times `unit`, is."""
    assert model.status_.finished
    assert_allclose(model.coef_[0] * unit, [-0.4, 1.2], atol=1e-7)
    assert_allclose(model.margin_, [unit * np.sqrt(10.0) / 4.0], rtol=1e-7)
    proof = model.certificate_
    assert proof.primal * unit**2 == pytest.approx(0.8, rel=1e-6)
    assert abs(proof.primal - proof.dual) <= 1e-6 * proof.primal
    assert_allclose(model.decision_function(X) * y, [1.8, 1.0, 1.8, 1.0, 1.0], atol=1e-6)


@pytest.mark.each_once
@every
@pytest.mark.parametrize("offset", [0.0, 1000.0, 1e6])
@pytest.mark.parametrize("k", [-12, -9, -7, -6, -4, -1, 0, 1, 3, 5, 6, 9, 12])
def test_five_points_in_any_units(make, k, offset):
    unit = 10.0**k
    X = (FIVE + offset) * unit
    model = make().fit(X, SIDES)
    check_street(model, X, SIDES, unit)
    b = model.intercept_[0] + offset * unit * model.coef_[0].sum()
    assert b == pytest.approx(-1.4, abs=1e-6)
    if hasattr(model, "dual_coef_"):
        assert model.support_.tolist() == [3, 4, 1]
        assert_allclose(np.abs(model.dual_coef_[0]) * unit**2, [0.4, 0.4, 0.8], atol=1e-7)


@pytest.mark.each_once
@every
@pytest.mark.parametrize("k", [-12, -6, 0, 6, 12])
def test_five_points_of_any_type(make, k):
    unit = 10.0**k
    for X in (FIVE * unit).astype(np.float32), sparse.csr_matrix(FIVE * unit), sparse.csr_array(FIVE * unit):
        model = make().fit(X, SIDES)
        assert_allclose(model.coef_[0] * unit, [-0.4, 1.2], atol=1e-5)


@every
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("k", [-12, -7, 6, 12])
@pytest.mark.parametrize("other", [slice(50, 100), slice(50, 150)], ids=["versicolor", "others"])
def test_iris_in_any_units(make, other, k, offset):
    X, y = load_iris(return_X_y=True)
    X, y = np.vstack([X[:50], X[other]]), (np.arange(50 + len(X[other])) >= 50).astype(int)
    plain, unit = make().fit(X, y), 10.0**k
    model = make().fit((X + offset) * unit, y)
    assert_allclose(model.coef_ * unit, plain.coef_, rtol=1e-5, atol=1e-6)
    assert_allclose(model.margin_, plain.margin_ * unit, rtol=1e-6)
    assert_allclose(model.decision_function((X + offset) * unit), plain.decision_function(X), atol=1e-5)
    assert model.certificate_.primal * unit**2 == pytest.approx(plain.certificate_.primal, rel=1e-6)


@every
@pytest.mark.parametrize("seed", range(3))
def test_features_of_different_units(make, seed):
    """Not the same street, but the widest one: no constraint broken, and a dual that proves the length of w."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(60, 4))
    y = np.where(X @ draw.normal(size=4) + 0.1 > 0.0, 1, -1)
    X *= 10.0 ** np.array([-1.5, 0.0, 0.5, 1.5])
    model = make().fit(X, y)
    assert (model.decision_function(X) * y).min() >= 1.0 - 1e-6
    proof = model.certificate_
    assert abs(proof.primal - proof.dual) <= 1e-5 * proof.primal
    assert proof.primal == pytest.approx(0.5 * np.square(model.coef_).sum(), rel=1e-6)


@pytest.mark.each_once
@every
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("k", [-12, -7, 0, 6, 12])
def test_what_nothing_separates_is_refused_in_any_units(make, k, offset):
    X, y = load_iris(return_X_y=True)
    X = (X[50:] + offset) * 10.0**k
    started = perf_counter()
    with pytest.raises(NotSeparableError, match="separate") as refused:
        make().fit(X, y[50:])
    assert perf_counter() - started < 60.0
    mixture, side = refused.value.mixture, y[50:] == 2
    assert_allclose([mixture[side].sum(), mixture[~side].sum()], 1.0, rtol=1e-6)
    apart = mixture[side] @ X[side] - mixture[~side] @ X[~side]
    assert np.abs(apart).max() <= 1e-4 * X.std(axis=0).max()


@pytest.mark.parametrize("make", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("k", [-12, -6, 6, 12])
def test_kernels_whose_gamma_follows_the_spread_know_no_units(make, k):
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    model = make()
    plain = make().fit(X, y)
    moved = model.fit(X * 10.0**k, y)
    assert_allclose(moved.decision_function(X * 10.0**k), plain.decision_function(X), atol=1e-6)
    assert moved.support_.tolist() == plain.support_.tolist()


@pytest.mark.parametrize("style", ["ovo", "ovr"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("k", [-9, 9])
def test_many_classes_in_any_units(style, k, offset):
    centres = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    X = (centres[:, None] + np.random.default_rng(0).uniform(-2.0, 2.0, (3, 15, 2))).reshape(-1, 2)
    y = np.repeat([0, 1, 2], 15)
    plain = SVM("linear", C=np.inf, multi_class=style, calibration=None).fit(X, y)
    Z = (X + offset) * 10.0**k
    model = SVM("linear", C=np.inf, multi_class=style, calibration=None).fit(Z, y)
    assert_allclose(model.decision_function(Z), plain.decision_function(X), atol=1e-5)
    assert_allclose(model.margin_, plain.margin_ * 10.0**k, rtol=1e-6)


@pytest.mark.parametrize("solver", ["auto", "blocks", "dual-qp"])
def test_nearly_equal_points_of_different_classes(solver):
    """Margins of 1e-5 of the spread, found exactly."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.5], [0.5 + 1e-5, 0.5 + 1e-5]])
    y = np.array([0, 0, 0, 1, 0, 1])
    X[[1, 2]] -= 0.25
    model = SVM("linear", C=np.inf, solver=solver, calibration=None).fit(X, y)
    assert_allclose(model.decision_function(X[4:]), [-1.0, 1.0], atol=1e-5)
    assert_allclose(model.margin_, [1e-5 / np.sqrt(2.0)], rtol=1e-5)
