"""Laws of linear regression: the conditions of the optimum, its proof, and what must not matter."""

import numpy as np
import pytest
from hypothesis import given
from lines import ABSOLUTE, EVERY, FORMS, SMOOTH, SPARSE, SUMS, few, lines, model, objective, over, seeds, weights
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import toeplitz
from sklearn.utils.estimator_checks import check_estimator

from deciban.models.least_squares import LinearRegression
from deciban.solvers import Status


@over(SUMS)
@pytest.mark.parametrize("intercept", [True, False])
@few
@given(seed=seeds)
def test_residuals_are_orthogonal_to_the_columns(options, intercept, seed):
    X, y = lines(seed, offset=3.0)
    w = weights(seed, len(y))
    for form in FORMS.values():
        fitted = model(options, fit_intercept=intercept).fit(form(X), y, w)
        r = w * (y - fitted.predict(form(X)))
        assert_allclose(X.T @ r, 0.5 * fitted._penalty().l2 * fitted.coef_, atol=1e-10)
        assert not intercept or abs(r.sum()) < 1e-10
        assert intercept or fitted.intercept_ == 0.0


@over(SUMS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("constant", [1.0, 3.7, -1e6, 0.0])
def test_a_constant_column_weighs_nothing_beside_an_intercept(options, form, constant):
    X, y = lines(3)
    w = weights(3, len(y))
    alone, beside = model(options).fit(X, y, w), np.insert(X, 2, constant, axis=1)
    for rows in (form(beside), form(beside.astype(np.float32).astype(np.float64))):
        fitted = model(options).fit(rows, y, w)
        assert abs(fitted.coef_[2]) <= 1e-6  # rounding
        assert_allclose(np.delete(fitted.coef_, 2), alone.coef_, rtol=1e-5, atol=1e-6)
    rows = form(np.full((len(y), 2), constant))
    nothing = model(options).fit(rows, y, w)
    assert_allclose(nothing.coef_, 0.0, atol=1e-6)
    assert_allclose(nothing.predict(rows), np.average(y, weights=w), rtol=1e-9)


@over(EVERY)
@pytest.mark.parametrize("intercept", [True, False])
@few
@given(seed=seeds)
def test_every_fit_is_proven(options, intercept, seed):
    X, y = lines(seed)
    w = weights(seed, len(y))
    fitted = model(options, fit_intercept=intercept, tol=1e-7).fit(X, y, w)
    proof = fitted.certificate_
    assert proof.primal == pytest.approx(objective(fitted, X, y, w), rel=1e-9)
    assert -1e-12 <= proof.relative_gap <= 1.1e-7
    assert fitted.status_.finished
    assert proof.n == w.sum()
    random = np.random.default_rng(seed)
    for _ in range(5):  # nobody does better than what is proven
        fitted._found.w[:] += 0.01 * random.normal(size=fitted._found.w.shape)
        assert objective(fitted, X, y, w) >= proof.dual - 1e-9 * abs(proof.primal)


@pytest.mark.parametrize(
    ("options", "solvers"),
    [
        ({"penalty": "l2"}, ["closed-form", "newton", "dual-coordinate", "coordinate"]),
        ({"loss": "huber"}, ["newton", "reweighted"]),
        ({"loss": "huber", "penalty": "l2"}, ["newton", "reweighted", "dual-coordinate", "coordinate"]),
        ({"loss": "absolute"}, ["linear-programme", "reweighted"]),
        ({"loss": "absolute", "penalty": "l2"}, ["smoothing", "reweighted"]),
        ({"loss": "absolute", "penalty": "l2", "fit_intercept": False}, ["smoothing", "reweighted"]),
    ],
)
def test_solvers_agree(options, solvers):
    X, y = lines(3, N=40)
    found = [model({**options, "solver": solver}, tol=1e-4).fit(X, y).certificate_.primal for solver in solvers]
    assert_allclose(found, min(found), rtol=1.1e-4)


@over(EVERY)
@few
@given(seed=seeds)
def test_weight_means_repetition_and_none_means_absence(options, seed):
    X, y = lines(seed)
    w = weights(seed, len(y))
    again = np.repeat(np.arange(len(y)), w.astype(int))
    weighted = model(options).fit(X, y, w)
    primal = weighted.certificate_.primal
    assert model(options).fit(X[again], y[again]).certificate_.primal == pytest.approx(primal, rel=1e-8)
    strange = model(options).fit(np.vstack([X, 1e3 * X]), np.tile(y, 2), np.concatenate([w, 0.0 * w]))
    assert strange.certificate_.primal == pytest.approx(primal, rel=1e-8)


@over({**SMOOTH, **SPARSE})
def test_dense_sparse_and_single_precision_agree(options):
    X, y = lines(7)
    X = X.astype(np.float32)
    whole = model(options).fit(X.astype(np.float64), y)
    for form in FORMS.values():
        other = model(options).fit(form(X), y)
        assert_allclose(other.coef_, whole.coef_, rtol=1e-4, atol=1e-4)
        assert_allclose(other.predict(form(X)), whole.predict(X), rtol=1e-3, atol=1e-3)
        assert other.certificate_.primal == pytest.approx(whole.certificate_.primal, rel=1e-8)


@over(EVERY)
def test_targets_are_learnt_each_by_itself(options):
    X, Y = lines(5, K=3)
    together = model(options).fit(X, Y)
    assert together.coef_.shape == (3, 5)
    assert together.predict(X).shape == Y.shape
    for k in range(3):
        alone = model(options).fit(X, Y[:, k])
        assert_allclose(together.coef_[k], alone.coef_, rtol=1e-9, atol=1e-9)
        assert together.intercept_[k] == pytest.approx(alone.intercept_, abs=1e-9)


@given(seed=seeds)
def test_units_and_zeros_of_the_scales_do_not_matter_to_least_squares(seed):
    X, y = lines(seed)
    random = np.random.default_rng(seed)
    units, zeros = 10.0 ** random.uniform(-6.0, 6.0, 5), random.normal(size=5)
    one, other = LinearRegression().fit(X, y), LinearRegression().fit((X + zeros) * units, 3.0 * y - 7.0)
    assert_allclose(other.coef_ * units, 3.0 * one.coef_, rtol=1e-8, atol=1e-9)
    assert_allclose(other.predict((X + zeros) * units), 3.0 * one.predict(X) - 7.0, rtol=1e-8, atol=1e-8)
    assert other.rank_ == 5
    far = LinearRegression().fit(X + 1e6, y)
    assert_allclose(far.coef_, one.coef_, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("intercept", [True, False])
@few
@given(seed=seeds)
def test_of_many_optima_the_shortest_is_taken_and_the_rank_told(form, intercept, seed):
    X, y = lines(seed, d=4)
    X = np.column_stack([X, X[:, 0], X[:, 1] - 2.0 * X[:, 2], np.zeros(len(y))])
    fitted = LinearRegression(fit_intercept=intercept).fit(form(X), y)
    Z = X - X.mean(axis=0) if intercept else X
    assert_allclose(fitted.coef_, np.linalg.pinv(Z) @ y, rtol=1e-8, atol=1e-9)
    assert fitted.rank_ == 4
    assert "the rank is 4 of 7" in fitted.certificate_.advice
    assert fitted.certificate_.relative_gap < 1e-8


@pytest.mark.parametrize("options", [{}, {"penalty": "l2", "alpha": 0.3}], ids=["least-squares", "ridge"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_fewer_rows_than_columns(options, form):
    X, y = lines(11, N=12, d=30)
    fitted = model(options).fit(form(X), y)
    Z, l2 = X - X.mean(axis=0), fitted._penalty().l2
    book = Z.T @ np.linalg.pinv(Z @ Z.T + 0.5 * l2 * np.eye(12), rcond=1e-10) @ (y - y.mean())
    assert_allclose(fitted.coef_, book, rtol=1e-8, atol=1e-9)
    assert l2 or (fitted.rank_ == 11 and fitted.certificate_.relative_gap < 1e-8)


def test_many_sparse_columns_are_never_made_dense():
    random = np.random.default_rng(2)
    X = sparse.random_array((100, 300_000), density=5e-5, format="csr", rng=random)
    y = random.normal(size=100)
    for penalty in (None, "l2"):
        fitted = LinearRegression(penalty=penalty).fit(X, y)
        assert fitted.statistics_ is None
        assert fitted.certificate_.relative_gap < 1e-8
        assert fitted.status_ is Status.CONVERGED


def test_the_condition_is_told():
    X, y = lines(1)
    scaled = LinearRegression().fit(X * 10.0 ** np.array([-6, -3, 0, 3, 6]), y)
    assert "scale the columns" in scaled.certificate_.advice
    near = np.column_stack([X, X[:, 0] + 1e-10 * np.sin(np.arange(60))])
    assert "nearly combinations of others" in LinearRegression().fit(near, y).certificate_.advice
    assert LinearRegression().fit(X, y).certificate_.advice == ""


@few
@given(seed=seeds)
def test_generalised_least_squares(seed):
    X, y = lines(seed)
    N = len(y)
    V = 0.7 ** toeplitz(np.arange(N)) * 2.0
    one = np.column_stack([X, np.ones(N)])
    book = np.linalg.solve(one.T @ np.linalg.solve(V, one), one.T @ np.linalg.solve(V, y))
    fitted = LinearRegression().fit(X, y, covariance=V)
    assert_allclose([*fitted.coef_, fitted.intercept_], book, rtol=1e-8, atol=1e-9)
    assert fitted.certificate_.relative_gap < 1e-8
    variances = np.random.default_rng(seed).uniform(0.5, 2.0, N)
    by_matrix = LinearRegression().fit(X, y, covariance=np.diag(variances))
    for other in (LinearRegression().fit(X, y, covariance=variances), LinearRegression().fit(X, y, 1.0 / variances)):
        assert_allclose(other.coef_, by_matrix.coef_, rtol=1e-9, atol=1e-10)
        assert other.intercept_ == pytest.approx(by_matrix.intercept_, abs=1e-9)


@over({**SUMS, **ABSOLUTE, **SPARSE})
def test_the_same_bits_for_any_number_of_threads(options):
    X, y = lines(4, N=700, d=12)
    one, other = (model(options, n_jobs=n, tol=1e-5).fit(X, y) for n in (1, -1))
    assert_array_equal(one.coef_, other.coef_)
    assert one.intercept_ == other.intercept_


def test_the_seed_that_was_used_is_told():
    X, y = lines(5)
    options = {"penalty": "l2", "solver": "dual-coordinate", "tol": 0.01}
    drawn = LinearRegression(**options, random_state=np.random.RandomState(3)).fit(X, y)
    seed = drawn.certificate_.seed
    assert drawn.certificate_.seed == seed
    assert_array_equal(LinearRegression(**options, random_state=seed).fit(X, y).coef_, drawn.coef_)
    assert LinearRegression().fit(X, y).certificate_.seed == 0


@pytest.mark.parametrize("options", [{"solver": "reweighted"}, {"solver": "newton", "delta": 0.01}])
def test_a_fit_can_be_stopped(options):
    X, y = lines(6)
    seen = []

    def stop(iteration, primal, gap):
        seen.append((iteration, primal, gap))
        return len(seen) == 2

    stopped = model({"loss": "huber", **options}, callback=stop).fit(X, y)
    assert len(seen) == 2
    assert stopped.status_ is Status.STOPPED
    assert "callback" in stopped.certificate_.advice

    def interrupt(iteration, primal, gap):
        raise KeyboardInterrupt

    interrupted = model({"loss": "huber", **options}, callback=interrupt).fit(X, y)
    assert interrupted.status_ is Status.INTERRUPTED
    late = model({"loss": "huber", **options}, time_limit=1e-9).fit(X, y)
    assert late.status_ is Status.OUT_OF_TIME
    assert model({"loss": "absolute", "solver": "reweighted"}, max_iter=2).fit(X, y).status_ is Status.EXHAUSTED


@pytest.mark.deep
@over({"least-squares": {}, "ridge": SUMS["ridge"], "huber": {"loss": "huber"}, "absolute": {"loss": "absolute"}})
def test_scikit_learn_accepts_it(options):
    results = check_estimator(LinearRegression(**options), on_skip=None, on_fail="raise")
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= 61


@over(EVERY)
def test_a_warm_start_is_where_the_last_fit_ended(options):
    X, y = lines(8)
    fitted = model(options, warm_start=True).fit(X, y)
    cold, w = fitted.n_iter_, fitted.coef_
    assert fitted.fit(X, y).n_iter_ <= cold
    assert_allclose(fitted.coef_, w, atol=1e-3 * np.abs(w).max())
    more = fitted.fit(X[1:, :3], y[1:]).coef_  # another size of everything
    assert_allclose(more, model(options).fit(X[1:, :3], y[1:]).coef_, atol=1e-3 * np.abs(w).max())
