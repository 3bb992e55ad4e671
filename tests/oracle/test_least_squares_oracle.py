"""Linear regression against exact fractions, and against a general minimiser."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from deciban.models.least_squares import LinearRegression
from oracle import least_squares as oracle


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 8.0])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e5])
def test_least_squares_in_fractions(intercept, alpha, scale):
    random = np.random.default_rng(5)
    X = random.integers(-9, 10, (14, 3)) * np.array([1.0, scale, 3.0]) + 40.0
    y, w = random.normal(size=14), random.integers(1, 4, 14).astype(float)
    book, b = oracle.ridge(X, y, w, alpha, intercept)
    options = {"penalty": "l2", "alpha": alpha, "fit_intercept": intercept}
    for fitted in (LinearRegression(**options).fit(X, y, w), LinearRegression(**options).partial_fit(X, y, w)):
        assert_allclose(fitted.coef_, book, rtol=1e-8)
        assert_allclose(fitted.intercept_, b, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("loss", ["huber", "absolute"])
@pytest.mark.parametrize("penalty", [None, "l2"])
def test_nobody_finds_less(loss, penalty):
    random = np.random.default_rng(6)
    X = random.normal(size=(30, 2))
    y = X @ [1.0, -2.0] + 0.5 + random.standard_t(2, 30)
    fitted = LinearRegression(loss=loss, penalty=penalty, alpha=3.0, tol=1e-8).fit(X, y)

    def objective(u):
        return fitted._loss().value(y, X @ u[:2] + u[2]).sum() + (1.5 * np.square(u[:2]).sum() if penalty else 0.0)

    ours = objective([*fitted.coef_, fitted.intercept_])
    options = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 20_000}
    theirs = minimize(objective, [*fitted.coef_, fitted.intercept_ + 0.1], method="Nelder-Mead", options=options)
    assert fitted.certificate_.primal == pytest.approx(ours, rel=1e-10)
    assert ours <= theirs.fun + 1e-7
    assert ours == pytest.approx(theirs.fun, rel=1e-3)  # it stops at kinks
