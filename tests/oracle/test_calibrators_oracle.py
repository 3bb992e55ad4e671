"""Curves against general optimisers, that are told the loss word by word."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import optimize

from deciban.calibration.beta import beta
from deciban.calibration.platt import platt
from deciban.calibration.temperature import temperature
from laws.declared import seeds


def example(seed, N=40, shift=0.0, turn=1.0):
    random = np.random.default_rng(seed)
    positive = np.arange(N) % 2 == 1
    z = turn * random.normal(size=N) * random.choice([0.2, 1.0, 5.0]) + 0.8 * positive + shift
    return z, positive, random.integers(1, 4, N).astype(float)


def targets(positive, weight):
    up, down = weight[positive].sum(), weight[~positive].sum()
    return np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))


def features(z):
    p = 1 / (1 + np.exp(-z))
    return np.column_stack([np.log(p), -np.log(1 - p), np.ones(len(z))])


def minimum(phi, t, weight):
    """The free minimum of the log loss over θ, g = φ·θ."""

    def loss(theta):
        g = phi @ theta
        return float(weight @ (np.logaddexp(0, g) - t * g))

    def slope(theta):
        return phi.T @ (weight * (1 / (1 + np.exp(-phi @ theta)) - t))

    def curvature(theta):
        p = 1 / (1 + np.exp(-phi @ theta))
        return phi.T @ (phi * (weight * p * (1 - p))[:, None])

    start = optimize.minimize(loss, np.zeros(phi.shape[1]), jac=slope, hess=curvature, method="trust-exact").x
    found = optimize.root(slope, start, jac=curvature, tol=1e-14).x
    return found, loss


@given(seed=seeds, shift=st.floats(-1.0, 1.0))
def test_platt(seed, shift):
    z, positive, weight = example(seed, shift=shift)
    t = targets(positive, weight)
    phi = np.column_stack([z, np.ones(len(z))])
    best, _ = minimum(phi, t, weight)
    found = platt(z, positive, weight)
    if best[0] > 0.0:
        assert_allclose([found.slope, found.offset], best, rtol=1e-8, atol=1e-8)
    else:
        mean = weight @ t / weight.sum()
        assert_allclose([found.slope, found.offset], [0.0, np.log(mean / (1 - mean))], atol=1e-12)


@given(seed=seeds, shift=st.floats(-1.0, 1.0), turn=st.sampled_from([1.0, -1.0]))
def test_beta(seed, shift, turn):
    z, positive, weight = example(seed, shift=shift, turn=turn)
    t, phi = targets(positive, weight), features(z)
    best, loss = minimum(phi, t, weight)
    found = beta(z, positive, weight)
    got = np.array([found.a, found.b, found.c])
    assert found.a >= 0.0
    assert found.b >= 0.0
    if (best[:2] >= 0.0).all():
        assert_allclose(found(z), phi @ best, rtol=1e-8, atol=1e-8)
        assert_allclose(got, best, rtol=1e-5, atol=1e-5)
        return
    bounds = [(0.0, None), (0.0, None), (None, None)]
    for start in ([0.0, 0.0, 0.0], [1.0, 1.0, 0.0], got):
        other = optimize.minimize(loss, start, method="L-BFGS-B", bounds=bounds)
        assert loss(got) <= other.fun * (1.0 + 1e-10)


@pytest.mark.parametrize("C", [2, 3])
@given(seed=seeds)
def test_temperature(seed, C):
    random = np.random.default_rng(seed)
    y, weight = np.arange(30) % C, random.integers(1, 4, 30).astype(float)
    s = random.normal(size=(30, C)) + np.eye(C)[y]
    n = np.array([weight[y == c].sum() for c in range(C)])
    t = np.array([[n[c] + 1 if k == c else 1 / (C - 1) for k in range(C)] / (n[c] + 2) for c in y])

    def slope(A):
        p = np.exp(A * (s - s.max(axis=1, keepdims=True)))
        p /= p.sum(axis=1, keepdims=True)
        return float(weight @ ((p - t) * s).sum(axis=1))

    if slope(1e-9) < 0.0:
        best = optimize.brentq(slope, 1e-9, 1e3, xtol=1e-14)
        assert temperature(s, y, weight) == pytest.approx(best, rel=1e-8)


def test_margins_far_from_zero_lose_no_digits():
    """What is added to all margins is taken off the offset."""
    z, positive, weight = example(3)
    near, far = platt(z, positive, weight), platt(1e6 + z, positive, weight)
    assert far.slope == pytest.approx(near.slope, rel=1e-6)
    assert far(1e6 + z) == pytest.approx(near(z), abs=1e-6)
