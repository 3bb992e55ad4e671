"""Laws of one strength of the penalty a target: each regression is as if it were alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import LinearRegression


@pytest.mark.parametrize("options", [{"penalty": "l2"}, {"penalty": "l1"}, {"penalty": "l2", "loss": "huber"}])
@pytest.mark.parametrize("alphas", [[0.5, 20.0, 3.0], np.array([2, 2, 2]), [0.0, 1.0, 1e6]])
def test_targets_are_as_if_alone(options, alphas):
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(40, 4)), random.normal(size=(40, 3))
    options = {**options, "tol": 1e-9}
    together = LinearRegression(alpha=alphas, **options).fit(X, Y)
    for k, alpha in enumerate(alphas):
        alone = LinearRegression(alpha=float(alpha), **options).fit(X, Y[:, k])
        assert_allclose(together.coef_[k], alone.coef_, atol=1e-5)
        assert_allclose(together.intercept_[k], alone.intercept_, atol=1e-5)
    assert together.certificate_.relative_gap < 1e-6
    assert not hasattr(together, "partial_fit")


def test_as_many_strengths_as_targets():
    X, Y = np.arange(8.0).reshape(4, 2), np.arange(8.0).reshape(4, 2)
    said = "Number of targets and number of penalties do not correspond: 3 != 2. alpha must be one number, or one for "
    with pytest.raises(ValueError, match=said):
        LinearRegression(penalty="l2", alpha=[1.0, 2.0, 3.0]).fit(X, Y)
    with pytest.raises(ValueError, match="alpha must be a finite number ≥ 0"):
        LinearRegression(penalty="l2", alpha=[1.0, -2.0]).fit(X, Y)
