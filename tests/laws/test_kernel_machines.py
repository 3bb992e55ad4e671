"""Laws of kernel machines: what a support vector machine is, whatever the kernel and the number of classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.model_selection import GridSearchCV

from deciban import SVM, LinearSVM, OneClassSVM
from deciban.kernel_machines.one_vs_one import couple, decisions, pairs
from deciban.kernels import RBF, Function
from laws.svms import OTHERS, TIGHT, cloud, machine, over


@over()
@pytest.mark.parametrize("C", [2, 3])
def test_optimal_and_of_one_mind(name, C):
    X, y = cloud(C)
    model = machine(name).fit(X, y)
    assert model.certificate_.relative_gap <= 1e-6
    assert model.certificate_.kkt_violation <= 1e-6
    each = model.certificates_
    assert len(each) == len(model.zones_) == (1 if C == 2 else 3)
    assert sum(one.primal for one in each) == pytest.approx(model.certificate_.primal)
    assert max(one.kkt_violation for one in each) == model.certificate_.kkt_violation
    asked = np.random.default_rng(1).normal(size=(200, 3))
    s, p = model.decision_function(asked), model.predict_proba(asked)
    assert s.shape == ((200,) if C == 2 else (200, C))
    winner = (s > 0).astype(int) if C == 2 else s.argmax(axis=1)
    assert_array_equal(model.predict(asked), model.classes_[winner])
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(asked))
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert (p > 0).all()


@over()
def test_the_score_is_the_sum_over_support_vectors(name):
    X, y = cloud()
    model = machine(name, calibration=None).fit(X, y)
    K = model.kernel_.tile(X, model.support_vectors_)
    assert_allclose(model.decision_function(X), K @ model.dual_coef_[0] + model.intercept_[0], rtol=1e-9, atol=1e-9)
    assert_array_equal(model.support_vectors_, X[model.support_])
    assert_array_equal(model.n_support_, np.bincount(y[model.support_]))
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-9)
    assert (np.sign(model.dual_coef_[0]) == np.where(y[model.support_] == 1, 1, -1)).all()


@over("rbf", "linear", "poly", "balanced")
def test_the_conditions_of_karush_kuhn_and_tucker(name):
    X, y = cloud(n=80)
    model = machine(name, calibration=None).fit(X, y)
    side = np.where(y == 1, 1.0, -1.0)
    slack, a = 1.0 - model.functional_margins(X, y), np.zeros(80)
    a[model.support_] = model.dual_coef_[0] * side[model.support_]
    count = np.bincount(y)
    price = model.C * (80 / (2 * count[y]) if model.class_weight else np.ones(80))
    near = 1e-6
    assert (slack[a == 0.0] <= near).all()
    assert (slack[a >= price] >= -near).all()
    free = (a > 0.0) & (a < price)
    assert free.any()
    assert_allclose(slack[free], 0.0, atol=near)
    zones = model.zones_[0]
    wrong = (a >= price) & (slack > 1.0)
    told = (zones.outside, zones.on, zones.inside, zones.wrong)
    assert told == ((a == 0).sum(), free.sum(), ((a >= price) & ~wrong).sum(), wrong.sum())
    assert zones.support == len(model.support_)


@over("rbf", "nu", "linear")
def test_what_is_no_support_vector_may_go(name):
    X, y = cloud(n=80)
    model = machine(name, calibration=None).fit(X, y)
    if name == "nu":  # a share of fewer examples is another share
        model = machine("rbf", C=1.0 / 80, calibration=None).fit(X, y)
    again = SVM(model.kernel_, C=model.C, calibration=None, **TIGHT).fit(X[model.support_], y[model.support_])
    assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-5)


@over("rbf", "nu", "rest", "balanced")
@pytest.mark.parametrize("C", [2, 3])
def test_weight_means_repetition(name, C):
    X, y = cloud(C, n=40)
    times = np.arange(40) % 3
    times[:C] = 1
    weighed = machine(name).fit(X, y, sample_weight=times)
    repeated = machine(name).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(weighed.decision_function(X), repeated.decision_function(X), atol=1e-5)
    assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), atol=1e-4)
    assert weighed.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-6)
    assert times[weighed.support_].all()


@over("rbf", "nu", "rest", "poly")
@pytest.mark.parametrize("C", [2, 3])
def test_order_does_not_matter(name, C):
    X, y = cloud(C)
    order = np.random.default_rng(3).permutation(len(y))
    one, other = machine(name).fit(X, y), machine(name).fit(X[order], y[order])
    assert_allclose(other.decision_function(X), one.decision_function(X), atol=1e-5)
    assert_allclose(other.predict_proba(X), one.predict_proba(X), atol=1e-4)


@over("rbf", "linear", "nu")
def test_labels_change_sides(name):
    X, y = cloud()
    one, other = machine(name).fit(X, y), machine(name).fit(X, 1 - y)
    assert_allclose(other.decision_function(X), -one.decision_function(X), atol=1e-6)
    assert_allclose(other.predict_proba(X), one.predict_proba(X)[:, ::-1], atol=1e-6)
    named = machine(name).fit(X, np.array(["ham", "spam"])[y])
    assert_array_equal(named.predict(X), np.array(["ham", "spam"])[one.predict(X)])


@over("rbf", "linear", "rest")
@pytest.mark.parametrize("C", [2, 3])
def test_forms_of_the_same_rows(name, C):
    X, y = cloud(C)
    X[np.abs(X) < 0.4] = 0.0
    one = machine(name).fit(X, y)
    for form in (sparse.csr_array, sparse.csc_matrix):
        other = machine(name).fit(form(X), y)
        assert_allclose(other.decision_function(form(X)), one.decision_function(X), atol=1e-5)
        assert_allclose(other.predict_proba(form(X)), one.predict_proba(X), atol=1e-5)
    half = machine(name, tol=1e-5).fit(X.astype(np.float32), y)
    assert_allclose(half.decision_function(X.astype(np.float32)), one.decision_function(X), atol=5e-3)


@pytest.mark.parametrize("C", [2, 3])
def test_a_gram_matrix_or_a_function_instead_of_a_kernel(C):
    X, y = cloud(C)
    asked = np.random.default_rng(5).normal(size=(30, 3))
    kernel = RBF(0.5)
    options = {"calibration": None, **TIGHT}
    one = SVM(kernel, **options).fit(X, y)
    gram = SVM("precomputed", **options).fit(kernel.tile(X, X), y)
    assert_allclose(gram.decision_function(kernel.tile(asked, X)), one.decision_function(asked), atol=1e-6)
    own = SVM(lambda A, B: kernel.tile(A, B), **options).fit(X, y)
    assert_allclose(own.decision_function(asked), one.decision_function(asked), atol=1e-6)
    each = SVM(Function(lambda a, b: np.exp(-0.5 * np.square(a - b).sum()), pairs=True), **options).fit(X, y)
    assert_allclose(each.decision_function(asked), one.decision_function(asked), atol=1e-6)
    weight = np.arange(len(y)) % 3 + 0.0
    weight[:C] = 1.0
    rows, columns = SVM(kernel, **options).fit(X, y, weight), SVM("precomputed", **options)
    columns.fit(kernel.tile(X, X), y, weight)
    assert_allclose(columns.decision_function(kernel.tile(asked, X)), rows.decision_function(asked), atol=1e-6)


def test_a_gram_matrix_is_searched_over():
    X, y = cloud(3)
    K = RBF(0.5).tile(X, X)
    search = GridSearchCV(SVM("precomputed"), {"C": [0.1, 1.0]}, cv=3).fit(K, y)
    assert search.predict_proba(K).shape == (60, 3)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_the_founding_example_of_the_hard_margin():
    X, y = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]]), [1, 1, 1, -1, -1]
    model = SVM("linear", C=np.inf, calibration=None).fit(X, y)
    assert_allclose(model.coef_, [[-2 / 5, 6 / 5]], atol=1e-8)
    assert_allclose(model.intercept_, [-7 / 5], atol=1e-8)
    assert_array_equal(model.support_, [3, 4, 1])
    assert_allclose(model.dual_coef_, [[-2 / 5, -2 / 5, 4 / 5]], atol=1e-8)
    assert_allclose(model.margin_, [np.sqrt(10) / 4], atol=1e-8)
    assert model.geometric_margins(X, y).min() == pytest.approx(np.sqrt(10) / 4, abs=1e-8)
    assert model.zones_[0].on == 3


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_hard_margin_is_the_limit_of_dear_errors(scale):
    X, y = cloud(n=30, d=12)
    X = X * scale
    hard = SVM("linear", C=np.inf, calibration=None).fit(X, y)
    assert hard.functional_margins(X, y).min() == pytest.approx(1.0, abs=1e-6)
    dear = SVM("linear", C=1e6 / scale**2, calibration=None, tol=1e-8).fit(X, y)
    assert_allclose(hard.decision_function(X), dear.decision_function(X), atol=1e-4)
    both = LinearSVM(C=np.inf, calibration=None).fit(X, y)
    assert_allclose(both.decision_function(X), hard.decision_function(X), atol=1e-4)


def test_a_hard_margin_of_three_classes():
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    model = SVM("linear", C=np.inf, calibration=None).fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert_allclose(1.0 / model.margin_, [2.0, 0.5, 2.0], atol=1e-8)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5])
def test_nu_bounds_errors_and_support_vectors(nu):
    X, y = cloud(n=100)
    model = SVM(nu=nu, calibration=None, **TIGHT).fit(X, y)
    inside = (model.functional_margins(X, y) < 1.0 - 1e-6).mean()
    assert inside <= nu + 1e-9
    assert len(model.support_) / 100 >= nu - 1e-9
    strange = OneClassSVM(nu=nu, **TIGHT).fit(X)
    assert (strange.decision_function(X) < -1e-7).mean() <= nu + 1e-9
    assert len(strange.support_) / 100 >= nu - 1e-9


def test_nu_is_a_price_too():
    X, y = cloud()
    shared = SVM(nu=0.4, gamma=0.5, calibration=None, **TIGHT).fit(X, y)
    price = np.abs(shared.dual_coef_).max()
    priced = SVM(C=price, gamma=0.5, calibration=None, **TIGHT).fit(X, y)
    assert_allclose(priced.decision_function(X), shared.decision_function(X), atol=1e-5)


def test_probabilities_are_of_examples_held_out():
    X, y = cloud(n=400, d=2)
    model = SVM(gamma=50.0).fit(X, y)  # it knows its examples by heart
    asked, truth = cloud(n=400, d=2, seed=9)
    assert (model.predict(X) == y).mean() > 0.9
    own = np.log(model.predict_proba(X)[np.arange(400), y]).mean()
    held = np.log(model.predict_proba(asked)[np.arange(400), truth]).mean()
    assert held > np.log(0.5) - 0.05
    assert held < own


def test_votes_and_probabilities_of_pairs_agree():
    r = np.random.default_rng(0)
    for C in (3, 5):
        f = r.normal(size=(300, len(pairs(C))))
        winner = decisions(f, C).argmax(axis=1)
        p = couple(f, winner, C)
        assert_array_equal(p.argmax(axis=1), winner)
        assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    true = np.array([0.6, 0.3, 0.1])
    logits = np.log([[true[i] / true[j] for i, j in pairs(3)]])
    assert_allclose(couple(logits, np.array([0]), 3), true[None], atol=1e-9)


def test_kernels_that_are_none_claim_no_optimum():
    X, y = cloud()
    model = SVM("sigmoid", gamma=1.0, coef0=-1.0, calibration=None).fit(X, y)
    told = model.certificate_
    assert told.status == "stationary point"
    assert told.dual is None
    assert "smallest eigenvalue" in told.advice
    assert SVM("precomputed", calibration=None).fit(X @ X.T, y).certificate_.dual is not None


def test_texts_are_compared():
    spam, ham = ["free money now", "무료 money, free"], ["lunch at noon", "회의 at noon?"]
    model = SVM("spectrum", degree=3).fit(spam * 6 + ham * 6, ["spam"] * 12 + ["ham"] * 12)
    assert model.predict(["free free money", "noon"]).tolist() == ["spam", "ham"]
    why = model.explain(["free lunch"])[0]
    assert why.decibans == pytest.approx(why.prior_decibans + sum(term.decibans for term in why.terms), abs=1e-9)
    assert {term.feature for term in why.terms} == set(model.support_.tolist())


@over("rbf", "rest", "nu")
@pytest.mark.parametrize("C", [2, 3])
def test_a_warm_start_ends_where_a_cold_one_does(name, C):
    X, y = cloud(C)
    warm = machine(name, calibration=None, warm_start=True).fit(X, y)
    steps = warm.n_iter_.sum()
    assert warm.fit(X, y).n_iter_.sum() <= steps
    other = {"nu": 0.2} if name == "nu" else {"C": 0.1}
    cold = machine(name, calibration=None, **other).fit(X, y)
    assert_allclose(warm.set_params(**other).fit(X, y).decision_function(X), cold.decision_function(X), atol=2e-3)
    assert_array_equal(warm.fit(X[:30], y[:30]).predict(X), machine(name, **other).fit(X[:30], y[:30]).predict(X))
    for made in OTHERS.values():
        again = made(warm_start=True).fit(X, X[:, 0]).fit(X, X[:, 0])
        assert_allclose(again.scorer_(X), made().fit(X, X[:, 0]).scorer_(X), atol=1e-6)


@over("rbf", "nu", "rest", "balanced")
@pytest.mark.parametrize("solver", ["smo", "blocks", "dual-qp"])
def test_every_solver_finds_the_same_surface(name, solver):
    X, y = cloud(3)
    one, other = machine(name, calibration=None).fit(X, y), machine(name, calibration=None, solver=solver).fit(X, y)
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=1e-6)
    assert_allclose(other.decision_function(X), one.decision_function(X), atol=1e-3)
    hard = SVM("linear", C=np.inf, solver=solver, calibration=None).fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    assert_allclose(hard.coef_, [[1.0]], atol=1e-6)
    for made in OTHERS.values():
        assert_allclose(made(solver=solver).fit(X, X[:, 0]).scorer_(X), made().fit(X, X[:, 0]).scorer_(X), atol=1e-3)
