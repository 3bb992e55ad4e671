"""Every convex loss under every penalty against an interior point method that knows nothing of either."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import losses, penalties, solvers
from deciban.certificates.duality import prove
from deciban.data.rows import reals_for_core
from deciban.losses import Perceptron, Softmax
from deciban.penalties import L2
from deciban.solvers import Limits, Problem
from oracle import conic

TIGHT = Limits(tol=1e-13, max_iter=100_000)
PAIRS = [(loss(), penalty()) for loss in losses.CATALOGUE if loss.convex for penalty in penalties.CATALOGUE]


@cache
def problem(loss, penalty, intercept, seed):
    """Two clouds that overlap, or a noisy line; weights of every size."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(30, 3)) * [1.0, 2.0, 0.5]
    s = X @ [1.0, -0.5, 0.3] + 0.4 + random.normal(size=30)
    y = np.where(s > 0.0, 1.0, -1.0) if loss.margin else s
    return Problem(reals_for_core(X), y, random.uniform(0.2, 2.0, 30), loss, penalty, intercept, n_jobs=1)


@cache
def optimum(loss, penalty, intercept, seed):
    """w (1, d), b (1,), a (N,) and P of Clarabel."""
    posed = problem(loss, penalty, intercept, seed)
    l1, l2 = posed.penalty.l1, posed.penalty.l2
    w, b, a = conic.optimum(posed.rows, posed.y, posed.c, posed.loss, l1, l2, posed.intercept)
    w, b = w[None, :], np.array([b])
    return w, b, a, posed.primal(w, posed.scores(w, b))


over_intercepts = pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "through 0"])
over_seeds = pytest.mark.parametrize("seed", range(2))


@over_intercepts
@over_seeds
@pytest.mark.parametrize(("loss", "penalty"), PAIRS, ids=[f"{loss.name}-{penalty.name}" for loss, penalty in PAIRS])
def test_the_proof_closes_on_somebody_elses_optimum(loss, penalty, intercept, seed):
    posed = problem(loss, penalty, intercept, seed)
    w, b, a, primal = optimum(loss, penalty, intercept, seed)
    proof = prove(posed, w, b, a)
    assert proof.primal == pytest.approx(primal, rel=1e-12)
    assert proof.dual <= proof.primal
    of_nothing = 1e-12 * posed.c.sum() if isinstance(loss, Perceptron) else 0.0  # its optimum is 0, but for rounding
    assert proof.gap <= 1e-9 * abs(proof.primal) + of_nothing


SOLVED = [
    (solver, loss, penalty)
    for solver in solvers.CATALOGUE
    for loss, penalty in PAIRS
    if solver.EXACT and solver.refusal(problem(loss, penalty, True, 0)) is None
]


@over_intercepts
@over_seeds
@pytest.mark.parametrize(
    ("solver", "loss", "penalty"), SOLVED, ids=[f"{s.NAME}-{loss.name}-{penalty.name}" for s, loss, penalty in SOLVED]
)
def test_every_solver_ends_where_the_interior_point_method_does(solver, loss, penalty, intercept, seed):
    posed = problem(loss, penalty, intercept, seed)
    w, b, _, primal = optimum(loss, penalty, intercept, seed)
    found = solver.solve(posed, TIGHT)
    ours = posed.primal(found.w, posed.scores(found.w, found.b))
    assert ours == pytest.approx(primal, rel=1e-9, abs=1e-11)
    size = max(1e-5, np.abs(np.append(w, b)).max())  # the perceptron asks for no weights at all
    assert_allclose(found.w, w, atol=1e-6 * size)
    assert_allclose(found.b, b, atol=1e-6 * size)


@over_seeds
def test_softmax_ends_where_the_interior_point_method_does(seed):
    random = np.random.default_rng(seed)
    X, y, c = random.normal(size=(30, 3)), random.integers(0, 3, 30), random.uniform(0.2, 2.0, 30)
    W, b = conic.softmax(X, y, c, 3, 0.7)
    posed = Problem(X, y, c, Softmax(), L2(0.7), K=3)
    found = solvers.solve(posed, Limits(tol=1e-15))
    values = [posed.primal(w, posed.scores(w, b)) for w, b in ((found.w, found.b), (W, b))]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
    assert_allclose(found.w, W, atol=1e-6 * np.abs(W).max())
    assert_allclose(found.b, b, atol=1e-6 * np.abs(W).max())
