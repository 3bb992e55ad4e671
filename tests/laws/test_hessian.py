"""Newton's step is solved by what is quickest, and exactly enough whatever that is."""

import numpy as np
import pytest
from scipy.sparse import random_array

from deciban import losses, penalties
from deciban.solvers import Limits, Problem, newton
from deciban.solvers.hessian import DIRECT, Factor, Hessian


def problem(rng, N, d, share=0.01, l2=1.0, intercept=True, scale=1.0):
    X = random_array((N, d), density=share, rng=rng, format="csr")
    rows = (scale * X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32), d)
    y = np.where(rng.random(N) < 0.3, 1.0, -1.0)
    return Problem(rows, y, np.ones(N), losses.Logistic(), penalties.L2(l2), intercept)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("l2", [1e-6, 1e-2, 1.0, 1e3])
@pytest.mark.parametrize(("N", "d"), [(300, 900), (40, DIRECT), (2000, 700), (3, 600)])
def test_the_step_is_that_of_the_factor_nearly_or_wholly(N, d, l2, intercept):
    """The step is downhill by most of gᵀH⁻¹g, whose half is what a whole one is worth."""
    rng = np.random.default_rng(N + d)
    posed = problem(rng, N, d, l2=l2, intercept=intercept, scale=rng.choice([0.1, 10.0]))
    D, a = rng.random(N), rng.normal(size=N)
    g = posed.combination(a - a.mean() if intercept else a)[0]  # as it is where b is minimised out
    worth = g @ Factor(posed, D, np.full(d, l2)).solve(g)[0]
    assert 0.5 * worth <= g @ Hessian(posed).solve(D, g)[0] <= (1.0 + 1e-6) * worth


@pytest.mark.parametrize(("l2", "scale", "are_enough"), [(1.0, 1.0, True), (1e-4, 100.0, False), (1e-9, 1e3, False)])
def test_few_rows_are_not_factored_unless_conjugate_gradients_take_long(l2, scale, are_enough):
    rng, steps = np.random.default_rng(5), []
    hessian = Hessian(problem(rng, 300, 900, share=0.05, l2=l2, scale=scale))
    for _ in range(3):
        hessian.solve(rng.random(300), rng.normal(size=900))
        steps.append(hessian.steps)
    if are_enough:
        assert all(0 < each < 30 for each in steps)
    else:
        assert (steps[0] > 100, steps[1:]) == (True, [0, 0])  # that they do is known from then on


@pytest.mark.parametrize("price", [1e-4, 1.0, 1e4, 1e8])
def test_the_optimum_is_proven_whoever_solved_the_steps(price):
    posed = problem(np.random.default_rng(1), 300, 900, l2=1.0 / price)
    found = newton.solve(posed, Limits(tol=1e-9))
    assert found.status.finished
    assert found.iterations < 60
