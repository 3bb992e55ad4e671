"""What coordinate descent owes: a proven optimum of every problem it takes, however the same problem is written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.certificates.duality import prove
from deciban.data.rows import reals_for_core
from deciban.losses import Hinge, Huber, Logistic, Squared, SquaredHinge
from deciban.penalties import L1, L2, ElasticNet, NoPenalty
from deciban.solvers import Limits, Problem, Status, coordinate, dual_coordinate, newton
from oracle.l1 import optimum
from tiers import examples, measured_examples

LOSSES = (Logistic(), Squared(), SquaredHinge(), Huber(0.7))
PENALTIES = (L1(1.5), ElasticNet(2.0, 0.4), L2(0.8))
seeds = st.integers(0, 2**32 - 1)
few = examples(5)
TIGHT = Limits(tol=1e-10, max_iter=500)

over_losses = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
over_penalties = pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: penalty.name)
over_intercepts = pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "through 0"])


def draw(seed, loss, N=60, d=12, density=0.5):
    """X (N, d), y (N,), c (N,): correlated columns of several scales, one of zeros, one twice, one constant."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d)) * (random.random((N, d)) < density) * random.uniform(0.3, 3.0, d)
    X[:, 1] += X[:, 0]
    X[:, 2] = 0.0
    X[:, 3] = X[:, 4]
    X[:, 5] = 1.0
    s = X @ (random.normal(size=d) * (random.random(d) < 0.5)) + random.normal(size=N)
    y = s + 0.5 if isinstance(loss, Squared | Huber) else np.where(s > 0.3, 1.0, -1.0)
    return X, y, random.uniform(0.2, 2.0, N)


def posed(X, y, c, loss, penalty, intercept=True, **options):
    return Problem(reals_for_core(X), y, c, loss, penalty, intercept, **options)


def solved(*problem, limits=TIGHT, **options):
    """The problem, its solution, P."""
    problem = posed(*problem, **options)
    found = coordinate.solve(problem, limits)
    return problem, found, prove(problem, found.w, found.b, found.dual).primal


@over_losses
@over_penalties
@over_intercepts
@given(seed=seeds, as_csr=st.booleans(), density=st.sampled_from([0.1, 0.6, 1.0]))
@measured_examples(5)
def test_the_gap_is_proven_to_be_closed(loss, penalty, intercept, seed, as_csr, density):
    X, y, c = draw(seed, loss, density=density)
    problem, found, _ = solved(sparse.csr_array(X) if as_csr else X, y, c, loss, penalty, intercept)
    proof = prove(problem, found.w, found.b, found.dual)
    assert found.status is Status.CONVERGED
    assert proof.relative_gap <= 2e-10
    if not intercept:
        assert found.b[0] == 0.0


@over_losses
@over_penalties
@over_intercepts
@given(seed=seeds)
@measured_examples(2)
def test_nobody_finds_less(loss, penalty, intercept, seed):
    X, y, c = draw(seed, loss)
    _, _, primal = solved(X, y, c, loss, penalty, intercept)
    least = optimum(X, y, c, loss, penalty.l1, penalty.l2, intercept)
    assert_allclose(primal, least, rtol=1e-7)
    assert primal <= least * (1 + 1e-9)


@over_losses
@given(seed=seeds)
@few
def test_without_corners_the_other_solvers_find_the_same(loss, seed):
    problem, found, primal = solved(*draw(seed, loss), loss, L2(0.8))
    for other in (newton, dual_coordinate):
        theirs = other.solve(problem, Limits(tol=1e-10, max_iter=20_000))
        assert_allclose(prove(problem, theirs.w, theirs.b).primal, primal, rtol=1e-8)
        assert_allclose(theirs.w, found.w, atol=1e-3)


@over_losses
@given(seed=seeds)
@few
def test_p_never_rises(loss, seed):
    _, found, _ = solved(*draw(seed, loss), loss, L1(0.3))
    primals = np.array([step.primal for step in found.trace])
    assert (np.diff(primals) <= 1e-12 * np.abs(primals[:-1])).all()


@over_losses
@over_penalties
@given(seed=seeds)
@few
def test_weights_are_repetitions(loss, penalty, seed):
    X, y, _ = draw(seed, loss)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    _, _, weighted = solved(X, y, times.astype(float), loss, penalty)
    _, _, repeated = solved(X.repeat(times, axis=0), y.repeat(times), np.ones(times.sum()), loss, penalty)
    assert_allclose(weighted, repeated, rtol=1e-9)


@over_losses
@given(seed=seeds)
@few
def test_the_order_of_columns_and_their_kind_do_not_matter(loss, seed):
    X, y, c = draw(seed, loss)
    penalty = ElasticNet(2.0, 0.4)
    _, one, primal = solved(X, y, c, loss, penalty)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    _, other, permuted = solved(sparse.csr_array(X[:, order]), y, c, loss, penalty)
    assert_allclose(permuted, primal, rtol=1e-9)
    assert_allclose(other.w[0], one.w[0, order], atol=1e-3)
    X32 = X.astype(np.float32)
    assert_allclose(
        solved(X32, y, c, loss, penalty)[2], solved(X32.astype(np.float64), y, c, loss, penalty)[2], rtol=1e-9
    )


@over_losses
@pytest.mark.parametrize("density", [0.02, 1.0])
def test_threads_do_not_change_a_bit(loss, density):
    X, y, c = draw(3, loss, N=4500, d=40, density=density)
    found = [coordinate.solve(posed(sparse.csr_array(X), y, c, loss, L1(4.0), n_jobs=n), TIGHT) for n in (1, 2, 3)]
    for other in found[1:]:
        assert_array_equal(other.w, found[0].w)
        assert_array_equal(other.b, found[0].b)
        assert_array_equal(other.dual, found[0].dual)
        assert other.iterations == found[0].iterations


@over_losses
@given(seed=seeds)
@few
def test_a_warm_start_ends_where_a_cold_one_does_and_sooner(loss, seed):
    problem, cold, primal = solved(*draw(seed, loss), loss, L1(1.0))
    warm = coordinate.solve(problem, TIGHT, start=cold)
    assert_allclose(prove(problem, warm.w, warm.b).primal, primal, rtol=1e-9)
    assert warm.iterations <= cold.iterations


@over_losses
@over_intercepts
def test_a_strong_enough_penalty_leaves_nothing_and_a_weaker_one_something(loss, intercept):
    X, y, c = draw(1, loss)
    base = coordinate.solve(posed(X, y, c, loss, L1(1e9), intercept), TIGHT)
    assert not base.w.any()
    slopes = np.abs(X.T @ (c * loss.slope(y, np.full(len(y), base.b[0]))))
    assert not coordinate.solve(posed(X, y, c, loss, L1(slopes.max() * 1.001), intercept), TIGHT).w.any()
    assert coordinate.solve(posed(X, y, c, loss, L1(slopes.max() * 0.99), intercept), TIGHT).w.any()


@over_losses
@over_penalties
@over_intercepts
def test_one_example_and_columns_of_nothing(loss, penalty, intercept):
    for X in (np.array([[2.0, 0.0, -1.0]]), np.zeros((1, 2)), np.zeros((3, 1))):
        y = np.ones(len(X))
        problem, found, _ = solved(X, y, np.full(len(X), 3.0), loss, penalty, intercept)
        assert prove(problem, found.w, found.b, found.dual).relative_gap <= 1e-9
        assert not found.w[0, ~X.any(axis=0)].any()


def test_it_says_what_it_cannot_do_and_stops_when_told():
    X, y, c = draw(0, Logistic())
    assert "smooth" in coordinate.refusal(posed(X, y, c, Hinge(), L1(1.0)))
    assert "penalty" in coordinate.refusal(posed(X, y, c, Logistic(), NoPenalty()))
    assert coordinate.refusal(posed(X, y, c, Logistic(), L1(1.0))) is None
    problem = posed(X, y, c, Logistic(), L1(0.1))
    assert coordinate.solve(problem, Limits(tol=0.0, max_iter=2)).status is Status.EXHAUSTED
    stopped = coordinate.solve(problem, Limits(tol=0.0, callback=lambda iteration, *_: iteration == 1))
    assert (stopped.status, stopped.iterations) == (Status.STOPPED, 1)
    assert coordinate.solve(problem, Limits(tol=0.0, time_limit=0.0)).status is Status.OUT_OF_TIME
