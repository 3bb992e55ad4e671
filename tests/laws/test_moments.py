"""Sums of measured data keep their digits: against exact fractions, where the mean is 10^8 deviations away."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from deciban.distributions import Gaussian
from deciban.distributions import exact_sums as products

count = Gaussian().count


def exact(X, weight):
    """Weight, means (d,) and scatters (d,) of the rows, exactly, rounded once."""
    W = sum(map(Fraction, weight))
    S = [sum(Fraction(w) * Fraction(x) for w, x in zip(weight, column, strict=True)) for column in X.T]
    Q = [sum(Fraction(w) * Fraction(x) ** 2 for w, x in zip(weight, column, strict=True)) for column in X.T]
    return float(W), [float(s / W) for s in S], [float(q - s * s / W) for s, q in zip(S, Q, strict=True)]


def agrees(seen, X, weight, learnt=None):
    """To 10^−12, where that is not below 10^−28 of the squares that were ever `learnt`."""
    n, mean, scatter = exact(X, weight)
    assert_allclose(seen.n, [n], rtol=1e-14)
    assert_allclose(seen.mean(), [mean], rtol=1e-15)
    least = 0.0 if learnt is None else 1e-28 * learnt.q[0].max()
    assert_allclose(seen.scatter(), [scatter], rtol=1e-12, atol=least)


@st.composite
def measured(draw, fractions):
    """X (N, d) about a mean that is up to 10^8 spreads away, weights (N,)."""
    shape = draw(st.integers(2, 30)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    mean = np.array([draw(st.sampled_from([0.0, 1.0, -3e4, 1e8, -1e8])) for _ in range(shape[1])])
    X = mean + rng.standard_normal(shape)
    return X, rng.uniform(0.01, 2.0, shape[0]) if fractions else rng.integers(1, 4, shape[0]).astype(float)


over_weights = pytest.mark.parametrize("fractions", [False, True], ids=["whole weights", "fractional weights"])


@over_weights
@given(draws=st.data())
def test_mean_and_variance_are_exact_for_any_order_and_any_split(fractions, draws):
    X, weight = draws.draw(measured(fractions))
    order = np.array(draws.draw(st.permutations(range(len(X)))))
    cuts = sorted(draws.draw(st.lists(st.integers(0, len(X)), max_size=4)))
    y = np.zeros(len(X), dtype=np.intp)
    agrees(count(X, y, weight, 1), X, weight)
    parts = [count(X[rows], y[rows], weight[rows], 1) for rows in np.split(order, cuts)]
    agrees(sum(parts[1:], start=parts[0]), X, weight)


@over_weights
@given(draws=st.data())
def test_what_is_left_after_forgetting_is_exact_too(fractions, draws):
    X, weight = draws.draw(measured(fractions))
    kept = draws.draw(st.integers(2, len(X)))
    y = np.zeros(len(X), dtype=np.intp)
    learnt = count(X, y, weight, 1)
    rest = learnt - count(X[kept:], y[kept:], weight[kept:], 1)
    agrees(rest, X[:kept], weight[:kept], learnt)


@over_weights
@given(draws=st.data())
def test_wholly_forgotten_is_nothing(fractions, draws):
    X, weight = draws.draw(measured(fractions))
    back, y = np.array(draws.draw(st.permutations(range(len(X))))), np.zeros(len(X), dtype=np.intp)
    left = count(X, y, weight, 1) - count(X[back], y, weight[back], 1)
    assert all(not part.any() for part in left.arrays())


@over_weights
@pytest.mark.parametrize("value", [0.1, 1e8 / 3, -1e-5])
@given(draws=st.data())
def test_a_constant_has_no_spread_whatever_its_digits(value, fractions, draws):
    X, weight = draws.draw(measured(fractions))
    X = np.full_like(X, value)
    seen = count(X, np.zeros(len(X), dtype=np.intp), weight, 1)
    assert_allclose(seen.mean(), value, rtol=1e-15)
    assert (seen.scatter() == 0.0).all()


def test_a_missing_measurement_is_in_no_sum():
    rng = np.random.default_rng(3)
    X, weight = 1e8 + rng.standard_normal((40, 2)), rng.integers(1, 4, 40).astype(float)
    gone = rng.random((40, 2)) < 0.3
    seen = count(np.where(gone, np.nan, X), np.zeros(40, dtype=np.intp), weight, 1)
    for j in range(2):
        there = ~gone[:, j]
        n, mean, scatter = exact(X[there][:, [j]], weight[there])
        assert seen.seen[0, j] == n
        assert_allclose([seen.mean()[0, j], seen.scatter()[0, j]], [*mean, *scatter], rtol=1e-12)


def test_few_digits_are_measured_as_they_are():
    rng = np.random.default_rng(4)
    y, weight = np.zeros(50, dtype=np.intp), np.ones(50)
    for X in ((1e4 + rng.standard_normal((50, 2))).astype(np.float32), rng.integers(10**8, 10**8 + 9, (50, 2))):
        agrees(count(X, y, weight, 1), X.astype(float), weight)


pairs = arrays(np.float64, (2, 3), elements=st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100))


def total(parts):
    return [sum(map(Fraction, column)) for column in np.array(parts).T]


@given(numbers=pairs)
def test_sums_and_products_are_told_exactly_in_two_parts(numbers):
    a, b = numbers
    assert total(products.two_sum(a, b)) == [Fraction(x) + Fraction(y) for x, y in zip(a, b, strict=True)]
    assert total(products.two_product(a, b)) == [Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)]
