"""Laws of problems of few features, which the core solves whole: ends are proven on any threads, and steps told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.data.rows import reals_for_core
from deciban.losses import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Perceptron,
    Softmax,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from deciban.penalties import L2, ElasticNet
from deciban.solvers import Limits, Problem, Status, interior_point, newton
from laws.followers import is_proven

SOLVERS = {
    newton: (Logistic(), SquaredHinge(), Squared(), Huber(0.7), SquaredEpsilonInsensitive(0.2), Softmax()),
    interior_point: (Hinge(), Perceptron(), Absolute(), EpsilonInsensitive(0.2), SquaredHinge()),
}
PAIRS = [(solver, loss) for solver, losses in SOLVERS.items() for loss in losses]
NAMES = [f"{solver.NAME}-{loss.name}" for solver, loss in PAIRS]


def posed(seed, loss, penalty=None, kind=np.float64, form=np.ascontiguousarray, n_jobs=None):
    """Some rows, a few of which say nothing of their targets, of any scale, with weights and perhaps offsets."""
    rng = np.random.default_rng(seed)
    N, d = int(rng.choice([3, 40, 300, 1500])), int(rng.choice([1, 7, 8, 20]))
    X = rng.normal(size=(N, d)) * (rng.random((N, d)) < 0.7) * 10.0 ** rng.integers(-2, 3)
    s = X @ rng.normal(size=d) / max(float(np.abs(X).max()), 1e-9) + 0.5 * rng.normal(size=N) + 0.4
    y = np.where(s > 0.0, 1.0, -1.0) if loss.margin else s
    K = min(int(rng.choice([2, 3, 7])), N) if isinstance(loss, Softmax) else 1
    if K > 1:  # each of some examples
        y = np.argsort(np.argsort(s)) * K // N
    c = rng.uniform(0.2, 2.0, N) * 10.0 ** rng.integers(-3, 3)
    offset = 0.3 * rng.normal(size=N) if K == 1 and rng.random() < 0.5 else None
    rows = reals_for_core(form(X.astype(kind)))
    return Problem(rows, y, c, loss, penalty or L2(0.7), bool(rng.random() < 0.7), K, n_jobs, offset)


@pytest.mark.parametrize(("solver", "loss"), PAIRS, ids=NAMES)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from([np.float32, np.float64]),
    form=st.sampled_from([np.ascontiguousarray, sparse.csr_array]),
    tol=st.sampled_from([1e-3, 1e-6, 1e-9]),
)
def test_the_optimum_is_proven(solver, loss, seed, kind, form, tol):
    problem = posed(seed, loss, kind=kind, form=form)
    if solver.refusal(problem) is None:
        found = solver.solve(problem, Limits(tol))
        assert found.status is Status.CONVERGED
        assert is_proven(problem, found, 1.01 * tol)


@pytest.mark.parametrize("loss", SOLVERS[newton], ids=lambda loss: loss.name)
@given(seed=st.integers(0, 2**32 - 1), tol=st.sampled_from([1e-3, 1e-6, 1e-9]))
def test_the_core_ends_where_python_does(loss, seed, tol):
    problem = posed(seed, loss)
    found = newton.solve(problem, Limits(tol))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newton, "FEW", 0)
        patch.setattr(newton, "_is_formed", lambda problem: False)
        other = newton.solve(problem, Limits(tol))
    values = [problem.primal(each.w, problem.scores(each.w, each.b)) for each in (found, other)]
    assert_allclose(*values, rtol=2.0 * tol, atol=2.0 * problem.floor)


@given(seed=st.integers(0, 2**32 - 1), share=st.sampled_from([0.1, 0.9]))
def test_weights_with_corners_are_proven_and_some_are_0(seed, share):
    problem = posed(seed, Hinge(), ElasticNet(0.5, share))
    found = interior_point.solve(problem, Limits(1e-6))
    assert is_proven(problem, found, 1.01e-6)
    pulled = np.abs(problem.combination(problem.c * found.dual)[0])
    assert (found.w[0][pulled < 0.99 * problem.penalty.l1] == 0.0).all()


@pytest.mark.parametrize(("solver", "loss"), PAIRS, ids=NAMES)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_number_of_threads_finds_the_same(solver, loss, seed):
    one, *others = (solver.solve(posed(seed, loss, n_jobs=n_jobs), Limits(1e-6)) for n_jobs in (1, 2, 3))
    for other in others:
        assert_array_equal(one.w, other.w)
        assert_array_equal(one.b, other.b)
        assert (one.dual is None) == (other.dual is None)
        if one.dual is not None:
            assert_array_equal(one.dual, other.dual)


@pytest.mark.parametrize(("solver", "loss"), PAIRS, ids=NAMES)
def test_every_step_is_told_whoever_listens(solver, loss):
    problem, heard = posed(7, loss), []
    told = solver.solve(problem, Limits(1e-6, callback=lambda *step: heard.append(step)))
    quiet = solver.solve(problem, Limits(1e-6))
    assert [step[:3] for step in quiet.trace] == [step[:3] for step in told.trace] == heard
    assert all(a.seconds <= b.seconds for a, b in zip(quiet.trace, quiet.trace[1:], strict=False))


@pytest.mark.parametrize(("solver", "loss"), PAIRS, ids=NAMES)
def test_limits_are_kept(solver, loss):
    problem = posed(7, loss)
    cut = solver.solve(problem, Limits(1e-12, max_iter=1))
    done = type(loss) is Squared  # one step is all of it
    assert (cut.status, cut.iterations) == (Status.CONVERGED if done else Status.EXHAUSTED, 1)
    late = solver.solve(problem, Limits(1e-12, time_limit=1e-9))
    assert late.status is Status.OUT_OF_TIME
    stopped = solver.solve(problem, Limits(1e-12, callback=lambda *_: True))
    assert stopped.status is Status.STOPPED


def test_what_a_callback_raises_is_raised():
    def fail(*_):
        raise RuntimeError("enough")

    for solver, loss in PAIRS:
        with pytest.raises(RuntimeError, match="enough"):
            solver.solve(posed(7, loss), Limits(callback=fail))


@pytest.mark.parametrize(("solver", "loss"), PAIRS, ids=NAMES)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_tolerance_below_rounding_ends_soon(solver, loss, seed):
    found = solver.solve(posed(seed, loss), Limits(1e-20))
    assert found.iterations <= 300
    assert is_proven(posed(seed, loss), found, 1e-8 if solver is newton else 1e-4)
