"""Laws of the hat matrix as users hold it: a projection, of which nothing is formed unless asked."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import LinearRegression
from deciban.models.hat import HatMatrix, leverages


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("repeated", [False, True])
def test_both_are_orthogonal_projections(intercept, scale, repeated):
    random = np.random.default_rng(0)
    X, y = scale * random.normal(size=(20, 3)) + scale, random.normal(size=(20, 2))
    X = np.hstack([X, X[:, :1]]) if repeated else X
    hat = HatMatrix.of(X, fit_intercept=intercept)
    for P, rank in ((hat.matrix(), 3 + intercept), (hat.complement(), 17 - intercept)):
        assert_allclose(P @ P, P, atol=1e-10)
        assert_allclose(P, P.T, atol=1e-12)
        assert np.trace(P) == pytest.approx(rank)
    assert hat.trace() == pytest.approx(3 + intercept)
    assert_allclose(hat.diagonal(), hat.matrix().diagonal())
    assert_allclose(hat.diagonal(), leverages(X, fit_intercept=intercept))
    fitted = LinearRegression(fit_intercept=intercept).fit(X, y).predict(X)
    assert_allclose(hat.times(y), fitted, atol=1e-8)
    assert_allclose(hat.times(y[:, 0]), fitted[:, 0], atol=1e-8)
    assert_allclose(hat.residuals(y), y - fitted, atol=1e-8)


def test_weights_and_penalties_are_those_of_the_regression():
    random = np.random.default_rng(1)
    X, y, w = random.normal(size=(15, 3)), random.normal(size=15), random.integers(1, 4, 15).astype(float)
    model = LinearRegression(penalty="l2", alpha=3.0).fit(X, y, w)
    assert_allclose(HatMatrix.of(X, w, alpha=3.0).times(y), model.predict(X), atol=1e-10)
    twice = np.repeat(np.arange(15), w.astype(int))
    again = HatMatrix.of(X[twice], alpha=3.0).times(y[twice])
    assert_allclose(HatMatrix.of(X, w, alpha=3.0).times(y)[twice], again, atol=1e-10)
