"""Laws of kernel machines that regress, or know one class only."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import SupportVectorRegression
from deciban.kernels import RBF
from laws.svms import OTHERS, TIGHT, cloud


def test_regression_stays_in_its_tube():
    X = np.linspace(0.0, 6.0, 50)[:, None]
    y = np.sin(X[:, 0])
    model = SupportVectorRegression(C=100.0, epsilon=0.05, gamma=1.0, **TIGHT).fit(X, y)
    error = np.abs(model.predict(X) - y)
    assert error.max() <= 0.05 + 1e-6
    inside = np.setdiff1d(np.arange(50), model.support_)
    assert len(inside)
    assert (error[inside] <= 0.05 + 1e-6).all()
    assert_allclose(error[model.support_], 0.05, atol=1e-6)
    assert model.certificate_.relative_gap <= 1e-6


@pytest.mark.parametrize("name", OTHERS)
def test_machines_without_classes_weigh_rows_by_repetition(name):
    X, y = cloud(n=40)
    times = np.arange(40) % 3
    target = X[:, 0] + 0.1 * y
    made = OTHERS[name]
    one = made(gamma=0.5).fit(X, target, sample_weight=times)
    two = made(gamma=0.5).fit(np.repeat(X, times, axis=0), np.repeat(target, times))
    assert_allclose(one.score_(X), two.score_(X), atol=1e-6)
    gram = made(kernel="precomputed").fit(RBF(0.5).tile(X, X), target, sample_weight=times)
    assert_allclose(gram.score_(RBF(0.5).tile(X, X)), one.score_(X), atol=1e-6)
    linear = made(kernel="linear").fit(X, target)
    assert_allclose(X @ linear.coef_[0] + linear.intercept_[0], linear.score_(X)[:, 0], atol=1e-9)
