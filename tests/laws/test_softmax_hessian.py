"""The Hessian of many scores learnt together: formed and by conjugate gradients it is that of the definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from deciban.data.rows import reals_for_core
from deciban.losses import Softmax
from deciban.penalties import L2, NoPenalty
from deciban.solvers import Limits, Problem, newton
from deciban.solvers.softmax_hessian import SoftmaxHessian

seeds = st.integers(0, 2**32 - 1)


def problem(seed, N=40, d=3, K=4, intercept=True, penalty=None):
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d)) * 10.0 ** random.integers(-2, 3, d)
    y = random.integers(0, K, N)
    y[:K] = np.arange(K)
    penalty = penalty or L2(10.0 ** random.integers(-3, 3))
    return Problem(X, y, random.uniform(0.5, 3.0, N), Softmax(), penalty, intercept, K=K)


def defined(given, p):
    """H (K·m, K·m) by the definition, example by example; m counts the intercept."""
    N, K = p.shape
    X = np.column_stack([given.rows, np.ones(N)]) if given.intercept else given.rows
    m, d = X.shape[1], given.shape[1]
    ridge = np.where(np.arange(m) < d, given.penalty.l2, 0.0)
    H = np.kron(np.eye(K), np.diag(ridge))
    for c, x, q in zip(given.c, X, p, strict=True):
        H += c * np.kron(np.diag(q) - np.outer(q, q), np.outer(x, x))
    return H


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("penalty", [None, NoPenalty()], ids=["l2", "none"])
@given(seed=seeds, intercept=st.booleans(), spread=st.sampled_from([0.1, 1.0, 5.0]))
def test_a_step_solves_the_system_of_the_definition(form, penalty, seed, intercept, spread):
    given = problem(seed, intercept=intercept, penalty=penalty)
    random = np.random.default_rng(seed)
    p = given.loss.weights(spread * random.normal(size=(40, 4)))
    H, m = defined(given, p), given.shape[1] + intercept
    wanted = random.normal(size=(4, m))
    free = np.arange(m) >= (given.shape[1] if given.penalty.l2 else 0)
    wanted[:, free] -= wanted[:, free].mean(axis=0)  # what all scores share changes nothing
    r = np.zeros((4, given.shape[1] + 1))
    r[:, :m] = (H @ wanted.ravel()).reshape(4, m)
    hessian = SoftmaxHessian(replace(given, rows=reals_for_core(form(given.rows))))
    assert hessian.direct
    dW, db = hessian.solve(p, r)
    found = np.column_stack([dW, db])[:, :m]
    assert_allclose(found[:, free].sum(axis=0), 0.0, atol=1e-9 * np.abs(found).max())
    left = (H @ (found - wanted).ravel()).reshape(4, m)
    assert_allclose(left, 0.0, atol=1e-9 * np.abs(r).max())
    if not intercept:
        assert not db.any()


@given(seeds, st.booleans())
def test_both_ways_end_at_the_same_optimum(seed, intercept):
    given = problem(seed, intercept=intercept)
    formed = newton.solve(given, Limits(1e-10, 200))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deciban.solvers.softmax_hessian.DIRECT", 0)
        other = newton.solve(given, Limits(1e-8, 1000))
    P = [given.primal(each.w, given.scores(each.w, each.b)) for each in (formed, other)]
    assert_allclose(P[0], P[1], rtol=1e-6)
    assert formed.iterations <= 30
