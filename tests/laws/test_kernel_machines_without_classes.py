"""Laws of kernel machines that regress, or know one class only."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import SVMRegressor
from deciban.kernels import RBF
from laws.svms import OTHERS, TIGHT, cloud


def test_regression_stays_in_its_tube():
    X = np.linspace(0.0, 6.0, 50)[:, None]
    y = np.sin(X[:, 0])
    model = SVMRegressor(C=100.0, epsilon=0.05, gamma=1.0, **TIGHT).fit(X, y)
    error = np.abs(model.predict(X) - y)
    assert error.max() <= 0.05 + 1e-6
    inside = np.setdiff1d(np.arange(50), model.support_)
    assert len(inside)
    assert (error[inside] <= 0.05 + 1e-6).all()
    assert_allclose(error[model.support_], 0.05, atol=1e-6)
    assert model.certificate_.relative_gap <= 1e-6


def waves(N=80):
    random = np.random.default_rng(0)
    X = random.uniform(0.0, 6.0, size=(N, 1))
    return X, np.sin(X[:, 0]) + 0.2 * random.normal(size=N)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_nu_is_a_share_of_examples_outside_the_tube_that_it_learns(kernel, nu):
    """Schölkopf et al. 2000, proposition 1, and their remark that at its ε the other form has the same optimum."""
    X, y = waves()
    model = SVMRegressor(kernel, nu=nu, **TIGHT).fit(X, y)
    error = np.abs(model.predict(X) - y)
    edge = 1e-6 * (1.0 + model.epsilon_)
    assert model.epsilon_ >= 0.0
    assert (error > model.epsilon_ + edge).sum() <= nu * len(y)
    assert (error >= model.epsilon_ - edge).sum() >= nu * len(y)
    same = SVMRegressor(kernel, epsilon=model.epsilon_, **TIGHT).fit(X, y)
    if model.epsilon_ > 0.0:
        assert_allclose(same.predict(X), model.predict(X), atol=1e-5)
    paid = model.C * nu * len(y) * model.epsilon_
    assert same.certificate_.primal + paid == pytest.approx(model.certificate_.primal, rel=1e-6)


@pytest.mark.parametrize("k", [-9, -3, 6])
def test_the_tube_of_nu_has_the_unit_of_the_targets(k):
    X, y = waves()
    here = SVMRegressor(nu=0.3, C=2.0).fit(X, y)
    there = SVMRegressor(nu=0.3, C=2.0 * 10.0**k).fit(X, 10.0**k * y)
    assert_allclose(there.predict(X) / 10.0**k, here.predict(X), rtol=1e-6, atol=1e-7)
    assert there.epsilon_ == pytest.approx(10.0**k * here.epsilon_, rel=1e-6)
    far = SVMRegressor(nu=0.3, C=2.0).fit(X, y + 1e6)
    assert far.epsilon_ == pytest.approx(here.epsilon_, abs=1e-8)
    assert_allclose(far.predict(X) - 1e6, here.predict(X), atol=1e-7)


@pytest.mark.parametrize("nu", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("value", [0.0, 0.1, -3e7])
def test_targets_that_are_all_equal_have_a_tube_of_no_height(nu, value):
    X, y = waves(N=30)
    model = SVMRegressor(nu=nu, C=1.7).fit(X, np.full(30, value), sample_weight=0.1 + y**2)
    assert model.certificate_.status == "converged"
    assert (model.epsilon_, model.certificate_.primal) == (0.0, 0.0)
    assert_allclose(model.predict(X), value, rtol=1e-15)


@pytest.mark.parametrize("name", OTHERS)
def test_machines_without_classes_weigh_rows_by_repetition(name):
    X, y = cloud(n=40)
    times = np.arange(40) % 3
    target = X[:, 0] + 0.1 * y
    made = OTHERS[name]
    one = made(gamma=0.5).fit(X, target, sample_weight=times)
    two = made(gamma=0.5).fit(np.repeat(X, times, axis=0), np.repeat(target, times))
    assert_allclose(one.scorer_(X), two.scorer_(X), atol=1e-6)
    gram = made(kernel="precomputed").fit(RBF(0.5).tile(X, X), target, sample_weight=times)
    assert_allclose(gram.scorer_(RBF(0.5).tile(X, X)), one.scorer_(X), atol=1e-6)
    linear = made(kernel="linear").fit(X, target)
    assert_allclose(X @ linear.coef_[0] + linear.intercept_[0], linear.scorer_(X)[:, 0], atol=1e-9)
