"""Laws of solvers: all reach the optimum of the same problem, and can prove it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import losses, solvers
from deciban.certificates.duality import prove
from deciban.data.rows import reals_for_core
from deciban.losses import Logistic, Softmax
from deciban.penalties import L1, L2, ElasticNet, NoPenalty
from deciban.solvers import Limits, Problem, Status, hessian, newton
from deciban.solvers.problem import price_of_errors
from tiers import examples, measured_examples

TIGHT = Limits(tol=1e-9, max_iter=200_000)
PENALTIES = [L2(0.8), L1(0.6), ElasticNet(0.8, 0.5)]
ORDERED = [solver for solver in solvers.CATALOGUE if getattr(solver, "ORDERED", False)]
SMOOTH = [family() for family in losses.CATALOGUE if family.convex]


def data(seed, N=30, d=4, margin=True):
    """X (N, d), y (N,), c (N,): classes that overlap, weights of every size."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, d)) * rng.uniform(0.3, 2.0, size=d) * (rng.random((N, d)) < 0.7)
    s = X @ rng.normal(size=d) + 0.5 + rng.normal(size=N)
    y = np.where(s > 0, 1.0, -1.0)
    y[:2] = (1.0, -1.0)
    return X, y if margin else s, rng.uniform(0.2, 2.0, size=N)


def problem(loss, penalty, seed=0, intercept=True, form=np.asarray, **size):
    X, y, c = data(seed, margin=loss.margin, **size)
    return Problem(reals_for_core(form(X)), y, c, loss, penalty, intercept)


CASES = [
    (solver, loss, penalty)
    for solver in solvers.CATALOGUE
    for loss in SMOOTH
    for penalty in PENALTIES
    if solver.EXACT and solver.refusal(problem(loss, penalty)) is None
]
over = pytest.mark.parametrize(
    ("solver", "loss", "penalty"), CASES, ids=[f"{s.NAME}-{ls.name}-{p.name}" for s, ls, p in CASES]
)


@over
@measured_examples(8)
@given(seed=st.integers(0, 10_000), intercept=st.booleans(), offset=st.booleans())
def test_a_solver_ends_at_a_proven_optimum(solver, loss, penalty, seed, intercept, offset):
    posed = problem(loss, penalty, seed, intercept)
    if offset:
        posed = replace(posed, offset=np.random.default_rng(seed).normal(size=len(posed.y)))
        if solver.refusal(posed) is not None:
            return
    found = solver.solve(posed, TIGHT)
    proof = prove(posed, found.w, found.b, found.dual)
    assert found.status.finished
    assert proof.dual is not None
    assert proof.dual <= proof.primal
    assert proof.relative_gap <= 1e-8 or proof.gap <= posed.floor  # an optimum of 0 has no relative gap
    elsewhere = np.random.default_rng(seed).normal(size=(20, found.w.shape[1]))
    free = 1.0 if intercept else 0.0
    for step in elsewhere:
        w, b = found.w + 0.1 * step, found.b + free * 0.1 * step[0]
        assert posed.primal(w, posed.scores(w, b)) >= proof.dual - 1e-9


@over
@examples(4)
@given(seed=st.integers(0, 10_000))
def test_dense_is_sparse(solver, loss, penalty, seed):
    dense, csr = (problem(loss, penalty, seed, form=form) for form in (np.asarray, sparse.csr_array))
    one, other = (solver.solve(posed, TIGHT) for posed in (dense, csr))
    assert_allclose(one.w, other.w, atol=2e-3)
    gap = abs(dense.primal(one.w, dense.scores(one.w, one.b)) - csr.primal(other.w, csr.scores(other.w, other.b)))
    assert gap <= 1e-7 * max(1.0, dense.primal(one.w, dense.scores(one.w, one.b)))


@over
@measured_examples(4)
@given(seed=st.integers(0, 10_000))
def test_weights_are_repetition(solver, loss, penalty, seed):
    X, y, _ = data(seed, margin=loss.margin)
    times = np.random.default_rng(seed).integers(1, 4, size=len(y))
    repeated = Problem(np.repeat(X, times, axis=0), np.repeat(y, times), np.ones(times.sum()), loss, penalty)
    weighted = Problem(X, y, times.astype(float), loss, penalty)
    values = []
    for posed in (repeated, weighted):
        found = solver.solve(posed, TIGHT)
        values.append(weighted.primal(found.w, weighted.scores(found.w, found.b)))
    assert_allclose(*values, rtol=1e-7, atol=TIGHT.tol)


@pytest.mark.each_once
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: penalty.name)
@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
def test_weights_choose_no_other_solver(loss, penalty, scale):
    """Of 12 examples with 20 features, and of these repeated up to 5 times, which are more than the features. Where one
    solver's answer hangs on the order of examples, it is the same to the last digits.
    """
    X, y, _ = data(3, N=12, d=20, margin=loss.margin)
    X, times = X * scale, np.arange(12) % 5 + 1
    weighted = Problem(X, y, times.astype(float), loss, penalty)
    repeated = Problem(np.repeat(X, times, axis=0), np.repeat(y, times), np.ones(times.sum()), loss, penalty)
    one, other = solvers.solve(weighted, Limits(tol=1e-6)), solvers.solve(repeated, Limits(tol=1e-6))
    assert one.solver == other.solver
    values = [weighted.primal(found.w, weighted.scores(found.w, found.b)) for found in (one, other)]
    assert_allclose(*values, rtol=1e-6)
    if next(solver for solver in solvers.CATALOGUE if one.solver == solver.NAME) in ORDERED:
        assert_allclose(one.w, other.w, rtol=1e-9, atol=1e-9 * abs(one.w).max())


@over
def test_threads_change_nothing(solver, loss, penalty):
    answers = [
        solver.solve(replace(problem(loss, penalty, form=sparse.csr_array, N=2000), n_jobs=n), Limits(1e-6))
        for n in (1, 2, 3)
    ]
    for other in answers[1:]:
        assert_array_equal(answers[0].w, other.w)
        assert_array_equal(answers[0].b, other.b)


@over
def test_a_warm_start_ends_where_a_cold_one_does(solver, loss, penalty):
    posed = problem(loss, penalty, 3)
    cold = solver.solve(posed, TIGHT)
    warm = solver.solve(posed, TIGHT, start=cold)
    assert warm.iterations <= cold.iterations
    assert_allclose(warm.w, cold.w, atol=2e-4)


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda penalty: penalty.name)
def test_every_solver_of_a_problem_reaches_the_same_optimum(loss, penalty):
    posed = problem(loss, penalty, 5)
    able = [each for each in solvers.CATALOGUE if each.EXACT and each.refusal(posed) is None]
    values = []
    for solver in able:
        found = solver.solve(posed, TIGHT)
        values.append(posed.primal(found.w, posed.scores(found.w, found.b)))
    if values:
        assert_allclose(values, min(values), rtol=1e-6, atol=TIGHT.tol)
        assert solvers.choose(posed).name in {each.NAME for each in able}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize(
    "loss", [each for each in SMOOTH if isinstance(each, newton.LOSSES)], ids=lambda loss: loss.name
)
def test_a_sample_of_the_rows_shows_the_way_to_the_same_optimum(loss, form, monkeypatch):
    whole = problem(loss, L2(0.8), form=form, N=400)
    expected = newton.solve(whole, TIGHT)
    monkeypatch.setattr(newton, "FEW", 0)
    monkeypatch.setattr(hessian, "_DEAR", (1, 1))
    monkeypatch.setattr(hessian, "_SAMPLE", 5)
    drawn = []
    only = hessian._only
    monkeypatch.setattr(hessian, "_only", lambda problem, rows: drawn.append(len(rows)) or only(problem, rows))
    found = newton.solve(whole, TIGHT)
    assert set(drawn) == {5 * whole.shape[1]}
    assert found.status is Status.CONVERGED
    assert_allclose(found.w, expected.w, rtol=1e-4, atol=1e-6)
    assert prove(whole, found.w, found.b).primal == pytest.approx(prove(whole, expected.w, expected.b).primal, rel=1e-8)


@examples(10)
@given(seed=st.integers(0, 10_000), intercept=st.booleans())
def test_softmax_ends_at_a_proven_optimum(seed, intercept):
    X, _, c = data(seed, N=40)
    y = np.random.default_rng(seed).integers(0, 3, size=40)
    posed = Problem(X, y, c, Softmax(), L2(0.7), intercept, K=3)
    found = solvers.solve(posed, TIGHT)
    assert prove(posed, found.w, found.b).relative_gap <= 1e-8
    assert_allclose(found.b.sum(), 0.0, atol=1e-12)


def test_softmax_of_two_is_logistic():
    X, y, c = data(1)
    one = solvers.solve(Problem(X, y, c, Logistic(), L2(1.0)), TIGHT)
    two = solvers.solve(Problem(X, (y > 0).astype(np.intp), c, Softmax(), L2(2.0), K=2), TIGHT)
    # The same scores in two weight vectors, half each: λ/2·2·‖w/2‖² = λ/4·‖w‖².
    assert_allclose(two.w[1] - two.w[0], one.w[0], atol=1e-5)


def test_no_penalty_is_certified_among_weights_up_to_twice_as_long():
    posed = problem(Logistic(), NoPenalty(), 2)
    found = solvers.solve(posed, TIGHT)
    proof = prove(posed, found.w, found.b)
    assert found.status.finished
    assert proof.relative_gap <= 1e-8


def test_limits_end_a_fit_with_what_it_has():
    posed = problem(Logistic(), L2(1e-3), N=200)
    for solver in (each for each in solvers.CATALOGUE if each.refusal(posed) is None):
        short = solver.solve(posed, Limits(1e-14, 1))
        assert short.status is Status.EXHAUSTED
        assert short.iterations == 1
        assert solver.solve(posed, Limits(1e-14, 10_000, time_limit=1e-9)).status is Status.OUT_OF_TIME
        stopped = solver.solve(posed, Limits(1e-14, 10_000, callback=lambda iteration, primal, gap: iteration >= 1))
        assert stopped.status is Status.STOPPED
        assert np.isfinite(stopped.w).all()

        def press(iteration, primal, gap):
            raise KeyboardInterrupt

        interrupted = solver.solve(posed, Limits(1e-14, 10_000, callback=press))
        assert interrupted.status is Status.INTERRUPTED


def test_what_a_callback_raises_is_raised():
    def fail(iteration, primal, gap):
        raise ZeroDivisionError("of the caller's own")

    posed = problem(Logistic(), L2(1.0))
    for solver in (each for each in solvers.CATALOGUE if each.refusal(posed) is None):
        with pytest.raises(ZeroDivisionError, match="of the caller's own"):
            solver.solve(posed, Limits(callback=fail))


@pytest.mark.parametrize("price", [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_few_positives_and_far_rows_take_dual_ascent_no_endless_passes(seed, price):
    """What one example alone could pull is from next to nothing to as much as the loss."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(4, size=(2000, 20))
    s = X @ rng.normal(size=20) / np.sqrt(20) + 0.7 * rng.normal(size=2000)
    y = np.where(s > np.quantile(s, 0.95), 1.0, -1.0)
    unit = price_of_errors(Problem(X, y, np.ones(2000), losses.Hinge(), L2()))
    posed = Problem(X, y, np.full(2000, price / unit), losses.Hinge(), L2())
    ascent = solvers.dual_coordinate.solve(posed, Limits(max_iter=10_000))
    chosen = solvers.solve(posed, Limits())
    assert ascent.status is chosen.status is Status.CONVERGED
    assert ascent.iterations < 10_000  # the last pass looks at the gap in any case
    assert_allclose(*(posed.primal(each.w, posed.scores(each.w, each.b)) for each in (ascent, chosen)), rtol=3e-6)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("offset", [None, np.array([0.3, -2.0, 0.0, 1.0])], ids=["plain", "offset"])
@pytest.mark.parametrize(
    "loss", [losses.Hinge(), losses.SquaredHinge(), losses.Perceptron()], ids=lambda loss: loss.name
)
def test_examples_of_one_class_cost_nothing(loss, offset, side):
    X = np.random.default_rng(0).normal(size=(4, 2))
    posed = Problem(X, np.full(4, side), np.full(4, 2.0), loss, L2(1.0), offset=offset)
    able = [each for each in solvers.CATALOGUE if each.EXACT and each.refusal(posed) is None]
    assert able
    for solver in able:
        found = solvers.solve(posed, Limits(), solver.NAME)
        assert found.status is Status.CONVERGED
        assert posed.primal(found.w, posed.scores(found.w, found.b)) <= 1e-12
