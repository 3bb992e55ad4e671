"""The optimum of the quadratic programmes is the one that LIBSVM goes towards, for every machine and kernel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from deciban.kernel_solvers import KernelProblem, Limits
from deciban.kernel_solvers.certificate import prove
from deciban.kernel_solvers.qp import CATALOGUE, DualQP
from deciban.kernels import by_name, gamma_of

KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": "scale"},
    "poly": {"kernel": "poly", "gamma": "auto", "degree": 2, "coef0": 1.0},
}
over = pytest.mark.parametrize("options", KERNELS.values(), ids=KERNELS.keys())
close = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[::3]
    return X, np.where(y[::3] == 1, 1.0, -1.0), np.random.default_rng(0).uniform(0.5, 2.0, len(X))


def scores(problem, found):
    """(N,) f + b of the rows."""
    return prove(problem, found.beta).scores[: problem.count] + found.b[problem.group][: problem.count]


@over
def test_classification(cancer, options):
    X, y, c = cancer
    problem = KernelProblem.classification(by_name(X=X, **options), X, y, 2.0 * c)
    rival = SVC(C=2.0, tol=1e-6, **options).fit(X, y, sample_weight=c)
    for solver in CATALOGUE:
        if solver.refusal(problem) is None:
            found = solver.solve(problem, Limits())
            assert_allclose(scores(problem, found), rival.decision_function(X), **close)
            beta = np.zeros(len(X))
            beta[rival.support_] = rival.dual_coef_[0]
            theirs = prove(problem, beta)
            assert_allclose(prove(problem, found.beta).dual, theirs.dual, rtol=1e-6)


@over
def test_nu_classification(cancer, options):
    X, y, _ = cancer
    problem = KernelProblem.nu_classification(by_name(X=X, **options), X, y, np.ones(len(X)), 0.2)
    found = DualQP().solve(problem, Limits())
    rho = 0.5 * (found.b[0] - found.b[1])
    signal = prove(problem, found.beta).scores + 0.5 * found.b.sum()
    rival = NuSVC(nu=0.2, tol=1e-6, **options).fit(X, y)
    assert_allclose(signal / abs(rho), rival.decision_function(X), **close)


@over
def test_one_class(cancer, options):
    X, c = cancer[0] + 2.0, cancer[2]  # about the origin w = 0 is the linear optimum, and LIBSVM never ends
    problem = KernelProblem.one_class(by_name(X=X, **options), X, c, 0.3)
    found = DualQP().solve(problem, Limits())
    rival = OneClassSVM(nu=0.3, tol=1e-6, **options).fit(X, sample_weight=c)
    assert_allclose(scores(problem, found), rival.decision_function(X), rtol=1e-4, atol=1e-4)


@over
def test_regression(options):
    X, y = (each[:150] for each in load_diabetes(return_X_y=True))
    X, y, c = X / X.std(axis=0), y / y.std(), np.random.default_rng(1).uniform(0.5, 2.0, 150)
    problem = KernelProblem.regression(by_name(X=X, **options), X, y, 1.5 * c, 0.1)
    found = DualQP().solve(problem, Limits())
    rival = SVR(C=1.5, epsilon=0.1, tol=1e-6, **options).fit(X, y, sample_weight=c)
    assert_allclose(scores(problem, found), rival.predict(X), **close)


@over
def test_nu_regression(options):
    X, y = (each[:150] for each in load_diabetes(return_X_y=True))
    X, y, c = X / X.std(axis=0), y / y.std(), np.random.default_rng(1).uniform(0.5, 2.0, 150)
    problem = KernelProblem.nu_regression(by_name(X=X, **options), X, y, 1.5 * c, 0.3)
    found = DualQP().solve(problem, Limits())
    rival = NuSVR(C=1.5, nu=0.3, tol=1e-6, **options).fit(X, y, sample_weight=c)
    signal = prove(problem, found.beta).scores[:150] + found.b.mean()
    assert_allclose(signal, rival.predict(X), **close)


def test_scale_and_auto_are_scikit_learns(cancer):
    X = cancer[0]
    for rule in ("scale", "auto"):
        assert_allclose(gamma_of(rule, X), SVC(gamma=rule).fit(X, cancer[1])._gamma, rtol=1e-12)
