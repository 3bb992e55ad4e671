"""Laws of the perceptron, its pocket and its average."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from deciban import Perceptron
from deciban.data.rows import reals_for_core
from deciban.losses import Hinge, ZeroOne
from deciban.penalties import L2, NoPenalty
from deciban.solvers import Limits, Problem, Status, perceptron
from deciban.solvers.perceptron import Rosenblatt
from oracle import perceptron as oracle

seeds = st.integers(0, 2**32 - 1)
KINDS = [{}, {"pocket": True}, {"averaged": True}]
kinds = pytest.mark.parametrize("kind", KINDS, ids=["plain", "pocket", "averaged"])
IN_ORDER = {"shuffle": False, "calibration": None}


def whole(seed, N=30, d=3, noise=0.0):
    """Whole numbers, which add without rounding, on two sides of a hyperplane but for a share of `noise`."""
    random = np.random.default_rng(seed)
    X, u = random.integers(-9, 10, (N, d)).astype(float), random.integers(-5, 6, d)
    u[0] = 3
    X[0], X[1] = 0.0, -u
    y = np.where(X @ u + 0.5 >= 0.0, 1.0, -1.0)
    return X, np.where(random.random(N) < noise, -y, y)


def problem(X, y, c=None, intercept=True):
    return Problem(reals_for_core(X), y, np.ones(len(y)) if c is None else c, ZeroOne(), NoPenalty(), intercept)


def separated(seed, N=40, d=3):
    """A cloud and a hyperplane through it, kept clear by 0.3 on both sides."""
    random = np.random.default_rng(seed)
    u, X = random.normal(size=d), random.normal(size=(N, d))
    u /= np.linalg.norm(u)
    y = np.where(X @ u + 0.1 >= 0.0, 1.0, -1.0)
    return X + 0.3 * y[:, None] * u, y


@given(seeds, st.sampled_from([0.0, 0.2]))
def test_weights_updates_and_mean_are_those_of_the_book(seed, noise):
    X, y = whole(seed, noise=noise)
    visited, mistakes, done = oracle.perceptron(X, y, 7)
    for averaged in (False, True):
        found = Rosenblatt(averaged=averaged, shuffle=False).solve(problem(X, y), Limits(max_iter=7))
        wanted = visited.mean(axis=0) if averaged else visited[-1]
        assert_allclose(np.append(found.w, found.b), wanted, rtol=1e-10, atol=1e-10)
        assert found.mistakes == mistakes
        assert (found.status is Status.CONVERGED) == done


@given(seeds)
def test_updates_are_no_more_than_novikoff_allows(seed):
    X, y = separated(seed)
    R = np.sqrt(np.square(X).sum(axis=1).max() + 1.0)
    bound = (R / oracle.widest_margin(X, y)) ** 2
    for shuffle in (False, True):
        found = Rosenblatt(shuffle=shuffle).solve(problem(X, y), Limits(max_iter=10_000), seed=seed)
        assert found.status is Status.CONVERGED
        assert found.mistakes <= bound * (1.0 + 1e-9)
        assert bound <= found.novikoff_bound * (1.0 + 1e-9)
        assert oracle.errors(X, y, np.append(found.w, found.b)) == 0


@kinds
@given(seed=seeds)
def test_whole_weights_are_repetitions_to_the_last_bit(kind, seed):
    X, y = whole(seed, noise=0.2)
    c = np.random.default_rng(seed).integers(1, 5, len(y))
    rule = Rosenblatt(**kind, shuffle=False)
    weighted = rule.solve(problem(X, y, c.astype(float)), Limits(max_iter=9))
    repeated = rule.solve(problem(np.repeat(X, c, axis=0), np.repeat(y, c)), Limits(max_iter=9))
    for one, other in ((weighted.w, repeated.w), (weighted.b, repeated.b)):
        assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert weighted.mistakes == repeated.mistakes


@given(seeds)
def test_a_huge_weight_is_as_many_small_steps_as_it_takes(seed):
    X, y = whole(seed)
    found = Rosenblatt(shuffle=False).solve(problem(X, y, np.full(len(y), 1e15)), Limits(max_iter=10_000))
    assert found.mistakes < 1e14 or found.status is not Status.CONVERGED
    assert oracle.errors(X, y, np.append(found.w, found.b)) == 0


@given(seeds)
def test_the_pocket_errs_no_more_than_the_last_weights_and_no_more_with_more_passes(seed):
    X, y = whole(seed, N=50, noise=0.25)
    before = len(y)
    for passes in (1, 2, 5, 20):
        limits = Limits(max_iter=passes)
        best = Rosenblatt(pocket=True).solve(problem(X, y), limits, seed=seed)
        last = Rosenblatt().solve(problem(X, y), limits, seed=seed)
        assert_array_equal(best.state.w, last.w[0])
        error = oracle.errors(X, y, np.append(best.w, best.b))
        assert error <= oracle.errors(X, y, np.append(last.w, last.b))
        assert error <= before
        before = error


@kinds
@given(seed=seeds)
def test_shuffled_passes_do_not_depend_on_the_order_of_the_rows_nor_on_how_weights_are_written(kind, seed):
    X, y = whole(seed, noise=0.2)
    random = np.random.default_rng(seed)
    X = np.column_stack([X, random.normal(size=len(y))])  # rows that a change of columns makes equal stay as they came
    c = random.integers(0, 4, len(y)) + 1
    place = random.permutation(int(c.sum()))
    rule = Rosenblatt(**kind)
    weighted = rule.solve(problem(X, y, c.astype(float)), Limits(max_iter=9), seed=seed)
    rows, labels = np.repeat(X, c, axis=0)[place], np.repeat(y, c)[place]
    for form in (np.asarray, sparse.csr_array):
        repeated = rule.solve(problem(form(rows), labels), Limits(max_iter=9), seed=seed)
        assert_array_equal(weighted.w, repeated.w)
        assert_array_equal(weighted.b, repeated.b)
        assert weighted.mistakes == repeated.mistakes


def test_the_pocket_keeps_the_one_error_of_these_five_points():
    X = np.array([[0.0, -2.0], [3.0, -3.0], [-2.0, 0.0], [-2.0, 3.0], [1.0, 3.0]])
    y = np.array([-1, -1, 1, -1, -1])
    model = Perceptron(pocket=True, shuffle=False, calibration=None, max_iter=3).fit(X, y)
    assert (model.predict(X) != y).sum() == 1


@given(seeds, st.integers(1, 30), st.booleans(), st.booleans(), st.sampled_from([30, 100, 300]))
def test_nothing_better_was_met_than_what_is_in_the_pocket(seed, passes, intercept, weighted, N):
    X, y = whole(seed, N=N, noise=0.25)
    c = np.random.default_rng(seed).integers(1, 4, N).astype(float) if weighted else np.ones(N)
    found = Rosenblatt(pocket=True, shuffle=False).solve(problem(X, y, c, intercept), Limits(max_iter=passes))
    met = oracle.errors_met(X, y, c, passes, intercept)
    wrong = np.where(X @ found.w[0] + found.b[0] >= 0.0, 1.0, -1.0) != y
    assert c[wrong].sum() == min(met)


@given(seeds)
def test_of_more_examples_the_ratchet_looks_where_a_run_was_longer(seed):
    X, y = whole(seed, N=1100, noise=0.1)
    found = Rosenblatt(pocket=True, shuffle=False).solve(problem(X, y), Limits(max_iter=2))
    best = oracle.ratchet(X, y, 2)
    wrong = np.where(X @ found.w[0] + found.b[0] >= 0.0, 1.0, -1.0) != y
    assert wrong.sum() <= best


@kinds
@given(seed=seeds)
def test_csr_is_dense_and_float32_is_float64(kind, seed):
    X, y = whole(seed, noise=0.2)
    one = Rosenblatt(**kind).solve(problem(X, y), Limits(max_iter=9), seed=seed)
    for same in (sparse.csr_array(X), X.astype(np.float32)):
        other = Rosenblatt(**kind).solve(problem(same, y), Limits(max_iter=9), seed=seed)
        assert_allclose(other.w, one.w, rtol=1e-12, atol=1e-12)
        assert_allclose(other.b, one.b, rtol=1e-12, atol=1e-12)


@kinds
def test_the_same_seed_is_the_same_bytes_on_any_number_of_threads(kind):
    X, y = whole(1, N=200, noise=0.2)
    labels = (y + np.arange(200) % 2).astype(int)
    models = [Perceptron(**kind, max_iter=5, random_state=3, n_jobs=jobs).fit(X, labels) for jobs in (1, 2, 3)]
    for model in models[1:]:
        assert model.coef_.tobytes() == models[0].coef_.tobytes()
        assert model.temperature_ == models[0].temperature_
    other = clone(models[0]).set_params(random_state=4).fit(X, labels)
    assert other.coef_.tobytes() != models[0].coef_.tobytes()


def test_without_an_intercept_the_hyperplane_goes_through_the_origin():
    X, y = whole(2, noise=0.1)
    assert Rosenblatt().solve(problem(X, y, intercept=False), Limits(max_iter=5)).b == 0.0
    assert Perceptron(fit_intercept=False, max_iter=5).fit(X, y).intercept_ == 0.0


@kinds
@given(seed=seeds, patience=st.sampled_from([1, 3, 10, 60]), N=st.sampled_from([60, 400, 900]))
def test_it_ends_once_as_many_passes_as_all_up_to_the_best_brought_markedly_less(kind, seed, patience, N):
    X, y = whole(seed, N=N, noise=0.2)
    wrong = []
    limits = Limits(max_iter=80, callback=lambda _, mistakes, __: wrong.append(mistakes))
    found = Rosenblatt(**kind, patience=patience).solve(problem(X, y), limits, seed=seed)
    passes = found.iterations
    ends = [Rosenblatt(**kind).solve(problem(X, y), Limits(max_iter=k), seed=seed) for k in range(1, passes + 1)]
    assert_array_equal(found.w, ends[-1].w)
    if found.status is Status.CONVERGED:
        return
    if kind == {"pocket": True}:
        wrong = [oracle.errors(X, y, np.append(each.w, each.b)) for each in ends]
    differing = len(np.unique(np.column_stack([X, y]), axis=0))
    fewest, best = np.inf, 0
    for k in range(1, passes + 1):
        if np.isinf(fewest) or wrong[k - 1] <= fewest - min(fewest**0.5, 0.1 * fewest):
            fewest, best = wrong[k - 1], k
        wanted = max(patience, -(-2000 // differing), best * (4 if kind == {"averaged": True} else 1))
        assert k == 80 or (k - best >= wanted) == (k == passes)


@given(seeds)
def test_it_is_patient_enough_for_what_a_hyperplane_separates(seed):
    X, y = separated(seed)
    assert Perceptron(calibration=None, random_state=seed).fit(X, y).status_ is Status.CONVERGED


def test_numbers_that_end_leave_the_last_weights_that_were_finite():
    X, y = np.array([[1e308], [1e308], [-1e308]]), np.array([-1.0, -1.0, -1.0])
    found = perceptron.solve(problem(X, y), Limits(max_iter=5))
    assert np.isfinite(found.w).all()
    X = np.array([[1e308], [-1e308]] * 2)
    found = Rosenblatt(shuffle=False).solve(problem(X, np.array([-1.0, 1.0, -1.0, 1.0]), np.full(4, 3.0)), Limits())
    assert np.isfinite(found.w).all()


def test_a_callback_and_a_clock_stop_it():
    X, y = whole(3, noise=0.3)
    seen = []
    model = Perceptron(callback=lambda *at: seen.append(at) or len(seen) == 3, calibration=None).fit(X, y)
    assert [at[0] for at in seen] == [1, 2, 3]
    assert model.status_ is Status.STOPPED
    assert Perceptron(time_limit=1e-9, calibration=None).fit(X, y).status_ is Status.OUT_OF_TIME


def test_a_perceptron_refuses_what_it_cannot_learn():
    X, y = whole(4)
    given = problem(X, y)
    assert "zero_one" in perceptron.refusal(Problem(given.rows, y, given.c, Hinge(), NoPenalty()))
    assert "no penalty" in perceptron.refusal(given.with_penalty(L2()))
    assert perceptron.refusal(given) is None


@kinds
@given(seed=seeds)
def test_evidence_sums_to_the_score_and_never_disagrees_with_the_prediction(kind, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 3))
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0.3)
    model = Perceptron(**kind, max_iter=5).fit(X, y)
    p = model.predict_proba(X)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    for row, told in zip(model._log_odds(X[:4]), model.explain(X[:4]), strict=True):
        first, second = np.sort(row)[::-1][:2]
        assert_allclose(told.decibans, 10.0 / np.log(10.0) * (first - second), rtol=1e-9, atol=1e-9)


@given(seeds)
def test_the_certificate_tells_the_errors_and_that_none_are_left_when_separated(seed):
    X, y = whole(seed, noise=0.2)
    model = Perceptron(pocket=True, max_iter=20).fit(X, y)
    told = model.certificate_
    wrong = (2.0 * (model.decision_function(X) >= 0.0) - 1.0) != y
    assert told.primal == wrong.sum()
    assert told.dual is None
    assert (told.kkt_violation == 0.0) == (not np.any((wrong * y) @ np.column_stack([X, np.ones(len(y))])))
    assert ("LogisticRegression" in told.advice) == (model.status_ is Status.EXHAUSTED)


# Learning from a stream.


@given(seeds, st.booleans())
def test_a_pass_in_batches_is_a_pass(seed, averaged):
    X, y = whole(seed, noise=0.2)
    whole_pass = Perceptron(averaged=averaged, max_iter=1, **IN_ORDER).fit(X, y)
    model = Perceptron(averaged=averaged, **IN_ORDER)
    for part in np.array_split(np.arange(len(y)), 4):
        model.partial_fit(X[part], y[part], classes=[-1.0, 1.0])
    assert_allclose(model.coef_, whole_pass.coef_, rtol=1e-12, atol=1e-12)
    assert_allclose(model.intercept_, whole_pass.intercept_, rtol=1e-12, atol=1e-12)
    assert model.mistakes_ == whole_pass.mistakes_


def test_classes_grow_and_the_new_one_starts_at_zero():
    X, y = whole(5, N=40)
    model = Perceptron(**IN_ORDER).partial_fit(X, np.where(y > 0, "d", "b"))
    w, b = model.coef_.copy(), model.intercept_.copy()
    easy = X[[np.argmin(model.decision_function(X))]]  # a "b" that old classes get right, and new ones, at 0, wrong
    model.partial_fit(easy, ["b"], classes=["c", "a"])
    assert model.classes_.tolist() == ["a", "b", "c", "d"]
    assert_array_equal(model.coef_, np.concatenate([-easy, -w, -easy, w]))
    assert_array_equal(model.intercept_, np.concatenate([[-1.0], -b, [-1.0], b]))
    assert model.mistakes_[[0, 2]].tolist() == [1.0, 1.0]
    model.partial_fit(X, np.where(y > 0, "c", "e"))
    assert model.coef_.shape == (5, 3)
    assert model.mistakes_.shape == (5,)


CHECKS = 64


@pytest.mark.deep
@kinds
def test_scikit_learn_finds_nothing_to_complain_about(kind):
    model = Perceptron(**kind, max_iter=100)
    results = check_estimator(model, on_skip=None, on_fail="raise")
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= CHECKS


def test_a_score_of_zero_speaks_for_the_second_class():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = Perceptron(**IN_ORDER).fit(X, [0, 0, 0, 1])
    model.coef_, model.intercept_ = np.zeros((1, 2)), np.zeros(1)
    assert model.predict(X).tolist() == [1, 1, 1, 1]
