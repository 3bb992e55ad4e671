"""Problems of one against the rest that are solved side by side: the optimum of each, whatever is beside it."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import LinearSVM, LogisticRegression
from deciban.certificates.duality import prove
from deciban.data.rows import reals_for_core
from deciban.losses import Hinge, Logistic, SquaredHinge
from deciban.models.together import solve_all
from deciban.penalties import L2
from deciban.solvers import Limits, Problem, Status, solve
from deciban.solvers.dual_coordinate import LANES

LOSSES = {loss.name: loss for loss in (Hinge(), SquaredHinge(), Logistic())}
LIMITS = Limits(tol=1e-6, max_iter=20_000)


def examples(K, d=40, N=160, kind="sparse", seed=0):
    """Rows, with repetitions, the classes of each, and weights."""
    random = np.random.default_rng(seed)
    X = random.poisson(0.4, (N, d)) * random.exponential(1.0, (N, d))
    y = (X @ random.normal(size=(d, K)) + random.normal(size=(N, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    X[-20:], y[-20:] = X[:20], y[:20]
    X = {"sparse": sparse.csr_array, "dense": np.ascontiguousarray}[kind](X)
    return X, y, random.integers(1, 4, N).astype(float)


def problems(K, loss, kind, intercept, C, seed=0):
    X, y, weight = examples(K, kind=kind, seed=seed)
    rows, c = reals_for_core(X), C * weight
    return [Problem(rows, np.where(y == k, 1.0, -1.0), c, loss, L2(), intercept) for k in range(K)]


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize(("kind", "intercept"), [*product(["sparse", "dense"], [True, False])])
@pytest.mark.parametrize(("K", "C"), [(3, 1.0), (LANES, 1e-3), (LANES + 1, 10.0), (2 * LANES + 4, 0.1)])
def test_each_is_at_its_optimum(loss, kind, intercept, K, C):
    each = problems(K, loss, kind, intercept, C)
    found = solve_all(each, LIMITS, "dual-coordinate", None, 0)
    for problem, solution in zip(each, found, strict=True):
        assert solution.status is Status.CONVERGED
        proof = prove(problem, solution.w, solution.b, solution.dual)
        assert problem.is_enough(proof.gap, proof.primal, 1.5 * LIMITS.tol)
        alone = solve(problem, LIMITS, "dual-coordinate")
        assert abs(prove(problem, alone.w, alone.b, alone.dual).primal - proof.primal) <= 2e-6 * proof.primal


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_what_takes_long_goes_on_alone(loss):
    each, limits = problems(5, loss, "sparse", True, 1e4), Limits(tol=1e-6, max_iter=1000)
    found = solve_all(each, limits, "dual-coordinate", None, 0)
    assert max(one.iterations for one in found) > 30
    alone = [solve(problem, limits, "dual-coordinate") for problem in each]
    assert [one.status for one in found] == [one.status for one in alone]
    for problem, one, other in zip(each, found, alone, strict=True):
        primals = [problem.primal(own.w, problem.scores(own.w, own.b)) for own in (one, other)]
        assert one.status is not Status.CONVERGED or primals[0] == pytest.approx(primals[1], rel=2e-6)


def test_few_passes_are_all_that_were_asked_for():
    found = solve_all(problems(5, Hinge(), "sparse", True, 1e3), Limits(max_iter=7), "dual-coordinate", None, 0)
    assert {(each.iterations, each.status) for each in found} == {(7, Status.EXHAUSTED)}


@pytest.mark.parametrize("stop", [1, 3])
def test_a_callback_stops_all(stop):
    limits = Limits(callback=lambda iteration, primal, gap: iteration >= stop)
    found = solve_all(problems(5, Hinge(), "sparse", True, 1e3), limits, "dual-coordinate", None, 0)
    assert {(each.iterations, each.status) for each in found} == {(stop, Status.STOPPED)}


MODELS = {
    "hinge": LinearSVM(loss="hinge", solver="dual-coordinate", multi_class="ovr"),
    "squared hinge": LinearSVM(loss="squared_hinge", solver="dual-coordinate", multi_class="ovr"),
    "logistic": LogisticRegression(multi_class="ovr", solver="dual-coordinate"),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_threads_and_order_and_repetition_change_no_bit(name, kind):
    X, y, weight = examples(11, kind=kind)
    model = MODELS[name].set_params(n_jobs=1)
    first = model.fit(X, y, weight).coef_.copy()
    assert_array_equal(model.set_params(n_jobs=2).fit(X, y, weight).coef_, first)
    mixed = np.random.default_rng(1).permutation(len(y))
    assert_array_equal(model.fit(X[mixed], y[mixed], weight[mixed]).coef_, first)
    again = np.repeat(np.arange(len(y)), weight.astype(int))
    assert_array_equal(model.fit(X[again], y[again]).coef_, first)


@pytest.mark.parametrize("name", MODELS)
def test_a_warm_start_begins_where_the_last_fit_ended(name):
    X, y, weight = examples(11)
    model = MODELS[name].set_params(warm_start=True)
    once = model.fit(X, y, weight)
    passes, coef = once.n_iter_.max(), once.coef_.copy()
    assert model.fit(X, y, weight).n_iter_.max() <= max(2, passes // 2)
    assert_allclose(model.coef_, coef, atol=1e-3)
