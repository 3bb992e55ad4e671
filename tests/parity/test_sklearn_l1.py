"""Optima of scikit-learn's Lasso, ElasticNet and LogisticRegression with l1, by what they minimise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import linear_model

from deciban.data.rows import reals_for_core
from deciban.losses import Logistic, Squared
from deciban.penalties import L1, ElasticNet
from deciban.solvers import Limits, Problem, coordinate

TIGHT = Limits(tol=1e-10, max_iter=500)


def world(seed, N=300, d=80):
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d)) * (random.random((N, d)) < 0.3)
    s = X @ (random.normal(size=d) * (random.random(d) < 0.3)) + 0.5 * random.normal(size=N) + 1.0
    return X, s


def agree(problem, found, w, b):
    """Neither finds less, by 1e-6."""
    w, b = np.asarray(w).reshape(1, -1), np.atleast_1d(b).astype(float)
    theirs = problem.primal(w, problem.scores(w, b))
    assert_allclose(problem.primal(found.w, problem.scores(found.w, found.b)), theirs, rtol=1e-6)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("ratio", [1.0, 0.3])
@pytest.mark.parametrize("alpha", [0.001, 0.05])
def test_lasso_and_elastic_net(alpha, ratio, intercept):
    X, y = world(int(alpha * 1000))
    rival = linear_model.ElasticNet(alpha=alpha, l1_ratio=ratio, fit_intercept=intercept, tol=1e-10, max_iter=100_000)
    rival.fit(X, y)
    penalty = ElasticNet(2.0 * len(y) * alpha, ratio)  # theirs is divided by 2N
    problem = Problem(reals_for_core(X), y, np.ones(len(y)), Squared(), penalty, intercept)
    agree(problem, coordinate.solve(problem, TIGHT), rival.coef_, rival.intercept_)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("as_csr", [True, False])
def test_logistic_regression(C, as_csr):
    X, s = world(7)
    X = sparse.csr_matrix(X) if as_csr else X
    y = np.where(s > 1.0, 1.0, -1.0)
    rival = linear_model.LogisticRegression(l1_ratio=1.0, solver="liblinear", C=C, fit_intercept=False, tol=1e-6)
    rival.set_params(max_iter=1000).fit(X, y)
    problem = Problem(reals_for_core(X), y, np.full(len(y), C), Logistic(), L1(1.0), False)
    agree(problem, coordinate.solve(problem, TIGHT), rival.coef_, 0.0)
