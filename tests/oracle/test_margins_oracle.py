"""Linear classifiers against general-purpose minimisers, and the numbers that the lecture notes print."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import NBSVM, LinearSVM, LogisticRegression
from deciban.errors import NotSeparableError
from oracle import margins as oracle

TIGHT = {"tol": 1e-10, "max_iter": 100_000}
NOTES = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
SIDES = np.array([1, 1, 1, -1, -1])


def clouds(seed, N=40, d=3, C=2, apart=1.0):
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(N) % C)
    return random.normal(size=(N, d)) + apart * random.normal(size=(C, d))[y], y


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("solver", ["newton", "dual-coordinate", "coordinate"])
def test_logistic_regression(C, solver):
    X, y = clouds(1)
    w, b, value = oracle.logistic(X, 2.0 * y - 1.0, C)
    model = LogisticRegression(C, solver=solver, **TIGHT).fit(X, y)
    assert model.certificate_.primal == pytest.approx(value, rel=1e-8)
    assert_allclose(np.append(model.coef_, model.intercept_), np.append(w, b), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_softmax(C):
    X, y = clouds(2, C=4)
    W, b, value = oracle.softmax(X, y, C)
    model = LogisticRegression(C, **TIGHT).fit(X, y)
    assert model.certificate_.primal == pytest.approx(value, rel=1e-8)
    assert_allclose(model.coef_, W, rtol=1e-3, atol=1e-4)
    assert_allclose(model.intercept_, b - b.mean(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_the_soft_margin_is_the_quadratic_programme(C):
    X, y = clouds(3, N=24, d=2)
    y = 2 * y - 1
    w, _, value = oracle.support_vectors(X, y, C)
    model = LinearSVM(C, calibration=None, tol=1e-7, max_iter=100_000).fit(X, y)
    assert model.certificate_.primal == pytest.approx(value, rel=1e-6)
    assert_allclose(model.coef_[0], w, atol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_hard_margin_is_the_quadratic_programme(seed):
    X, y = clouds(seed, N=16, d=2)
    X, y = X + 5.0 * y[:, None], 2 * y - 1
    w, b, value = oracle.support_vectors(X, y)
    model = LinearSVM(np.inf, calibration=None).fit(X, y)
    assert_allclose(np.append(model.coef_, model.intercept_), np.append(w, b), rtol=1e-5, atol=1e-6)
    proof, a = model.certificate_, model.solution_[0].dual
    assert proof.status == "converged"
    assert abs(proof.relative_gap) <= 1e-6
    assert proof.primal == pytest.approx(value, rel=1e-6)
    assert_allclose(np.abs(a).sum() - 0.5 * np.sum((a @ X) ** 2), value, rtol=1e-6)  # the dual of the notes
    told = model.zones_[0]
    assert (told.outside, told.on, told.inside, told.wrong) == oracle.zones(X, y, w, b)
    assert told.support == told.on


def test_the_hard_margin_of_the_lecture_notes():
    model = LinearSVM(C=np.inf, calibration=None).fit(NOTES, SIDES)
    assert_allclose(model.coef_, [[-2 / 5, 6 / 5]], atol=1e-9)
    assert_allclose(model.intercept_, [-7 / 5], atol=1e-9)
    assert_allclose(SIDES * model.solution_[0].dual, [0, 4 / 5, 0, 2 / 5, 2 / 5], atol=1e-9)
    assert_allclose(model.margin_, [np.sqrt(10) / 4], atol=1e-9)
    assert_allclose(model.geometric_margins(NOTES, SIDES).min(), 0.790569, atol=1e-6)
    told = model.zones_[0]
    assert (told.outside, told.on, told.inside, told.wrong, told.support) == (2, 3, 0, 0, 3)
    assert model.certificate_.relative_gap <= 1e-9


def test_functional_margins_grow_with_the_weights_and_geometric_ones_do_not():
    model = LinearSVM(C=np.inf, calibration=None).fit(NOTES, SIDES)
    functional, geometric = model.functional_margins(NOTES, SIDES), model.geometric_margins(NOTES, SIDES)
    assert_allclose(functional, geometric * np.linalg.norm(model.coef_), rtol=1e-12)
    larger = LinearSVM(C=np.inf, calibration=None).fit(NOTES / 10.0, SIDES)
    assert_allclose(larger.functional_margins(NOTES / 10.0, SIDES), functional, rtol=1e-6)
    assert_allclose(larger.geometric_margins(NOTES / 10.0, SIDES), geometric / 10.0, rtol=1e-6)


@pytest.mark.parametrize("C", [0.03, 0.3, 3.0])
def test_the_four_zones_are_counted_one_by_one(C):
    X, y = clouds(6, N=50)
    for loss in ("hinge", "squared_hinge"):
        model = LinearSVM(C, loss=loss, calibration=None, tol=1e-9, max_iter=100_000).fit(X, y)
        told = model.zones_[0]
        wanted = oracle.zones(X, 2 * y - 1, model.coef_[0], model.intercept_[0])
        assert np.abs(np.subtract((told.outside, told.on, told.inside, told.wrong), wanted)).sum() <= 2
        assert told.wrong == (model.predict(X) != y).sum() == wanted[3]
        assert told.outside + told.support == 50


@pytest.mark.parametrize("intercept", [True, False])
def test_a_witness_is_a_mixture_of_either_class(intercept):
    X, y = clouds(7)
    with pytest.raises(NotSeparableError) as caught:
        LinearSVM(C=np.inf, fit_intercept=intercept).fit(X, y)
    u, point = caught.value.mixture, caught.value.witness
    assert (u >= 0.0).all()
    assert_allclose(u[y == 1] @ X[y == 1], point, atol=1e-8)
    assert_allclose(u[y == 0] @ X[y == 0], point, atol=1e-8)
    sums = u[y == 1].sum(), u[y == 0].sum()
    assert_allclose(sums if intercept else sum(sums), 1.0, rtol=1e-8)


def test_a_line_through_the_origin_may_not_separate_what_another_does():
    X, y = np.array([[1.0], [2.0]]), [0, 1]
    assert LinearSVM(C=np.inf, calibration=None).fit(X, y).predict(X).tolist() == y
    with pytest.raises(NotSeparableError):
        LinearSVM(C=np.inf, calibration=None, fit_intercept=False).fit(X, y)


@pytest.mark.parametrize("beta", [0.25, 1.0])
@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_nbsvm_is_that_of_the_paper(alpha, beta):
    random = np.random.default_rng(8)
    y = np.where(random.random(80) < 0.4, 1, -1)
    X = random.poisson(0.3 + 0.4 * random.random(12) * (y[:, None] > 0), size=(80, 12))
    w, b = oracle.nbsvm(X, y, 1.0, alpha, beta)
    paper = {"loss": "squared_hinge", "pull": 0.0, "calibration": None}
    model = NBSVM(1.0, alpha=alpha, interpolation=beta, **paper, **TIGHT).fit(X, y)
    assert_allclose(model.weights_[0], w, rtol=1e-4, atol=1e-5)
    assert_allclose(model.intercept_, [b], atol=1e-4)
