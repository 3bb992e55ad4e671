"""The hat matrix, and the errors that theory expects of least squares."""

import numpy as np
import pytest
from hypothesis import given
from lines import few, lines, seeds, weights
from numpy.testing import assert_allclose

from deciban import theory
from deciban.models.hat import leverages
from deciban.models.least_squares import LinearRegression


def hat(X, intercept=True, alpha=0.0):
    """H, column by column: what is fitted where one y is 1 and all others are 0."""
    penalty = {"penalty": "l2", "alpha": alpha} if alpha else {}
    return LinearRegression(fit_intercept=intercept, **penalty).fit(X, np.eye(len(X))).predict(X)


@pytest.mark.parametrize("intercept", [True, False])
@few
@given(seed=seeds)
def test_the_hat_matrix_is_a_projection(intercept, seed):
    X, y = lines(seed, N=25, d=4)
    X = np.column_stack([X, X[:, 0] - X[:, 1]])  # of rank 4
    H = hat(X, intercept)
    assert_allclose(H @ H, H, atol=1e-10)
    assert_allclose(H.T, H, atol=1e-10)
    assert np.trace(H) == pytest.approx(4 + intercept)
    h = leverages(X, fit_intercept=intercept)
    assert_allclose(h, H.diagonal(), atol=1e-10)
    assert ((h >= -1e-12) & (h <= 1.0 + 1e-12)).all()
    fitted = LinearRegression(fit_intercept=intercept).fit(X, y)
    assert_allclose(fitted.leverages(X), h, atol=1e-9)
    assert_allclose(H @ y, fitted.predict(X), atol=1e-9)
    rest = np.eye(25) - H
    assert_allclose(rest @ rest, rest, atol=1e-10)
    assert_allclose(rest @ X, 0.0, atol=1e-9)


@few
@given(seed=seeds)
def test_leverage_is_how_far_a_left_out_residual_grows(seed):
    X, y = lines(seed, N=20, d=3)
    fitted, h = LinearRegression().fit(X, y), leverages(X)
    for i in range(0, 20, 5):
        without = np.delete(np.arange(20), i)
        left_out = LinearRegression().fit(X[without], y[without])
        residual = (y[i] - fitted.predict(X[[i]])[0]) / (1.0 - h[i])
        assert y[i] - left_out.predict(X[[i]])[0] == pytest.approx(residual, abs=1e-9)


@few
@given(seed=seeds)
def test_leverages_of_weighted_and_penalised_rows(seed):
    X, y = lines(seed, N=25, d=4)
    w = weights(seed, 25)
    again = np.repeat(np.arange(25), w.astype(int))
    one_each = leverages(X[again])
    assert_allclose(leverages(X, w), np.bincount(again, one_each), atol=1e-10)
    assert_allclose(leverages(X, alpha=3.0), hat(X, alpha=3.0).diagonal(), atol=1e-10)
    fitted = LinearRegression(penalty="l2", alpha=3.0).fit(X, y)
    assert_allclose(fitted.leverages(X), leverages(X, alpha=3.0), atol=1e-10)


@pytest.mark.parametrize("intercept", [True, False])
def test_errors_are_as_theory_expects(intercept):
    N, d, noise, rounds = 30, 5, 4.0, 300
    random = np.random.default_rng(8)
    p = d + intercept
    X = random.normal(size=(N, d))
    f = X @ random.normal(size=d) + 3.0 * intercept
    Y, again = (f[:, None] + np.sqrt(noise) * random.normal(size=(N, rounds)) for _ in range(2))
    ours = LinearRegression(fit_intercept=intercept).fit(X, Y).predict(X)
    seen, unseen = np.square(ours - Y).mean(axis=0), np.square(ours - again).mean(axis=0)
    expected = theory.linear_regression_expected_error(N, d, noise, fit_intercept=intercept)
    assert float(expected.in_sample) == pytest.approx(noise * (1 - p / N))
    assert float(expected) == float(expected.out_of_sample) == pytest.approx(noise * (1 + p / N))
    for found, told in ((seen, expected.in_sample), (unseen, expected.out_of_sample)):
        assert abs(found.mean() - float(told)) < 4.0 * found.std() / np.sqrt(rounds)
    assert expected.optimism == pytest.approx(2.0 * noise * p / N)


@pytest.mark.parametrize("intercept", [True, False])
def test_errors_at_new_normal_inputs(intercept):
    N, d, noise, rounds = 15, 3, 1.0, 3000
    random = np.random.default_rng(9)
    S, mean = random.normal(size=(d, d)), 5.0 * intercept
    found = np.empty(rounds)
    for i in range(rounds):
        X = random.normal(size=(N + 1, d)) @ S + mean
        one = np.column_stack([X, np.ones(N + 1)]) if intercept else X
        e = random.normal(size=N + 1)
        found[i] = (e[N] - one[N] @ np.linalg.lstsq(one[:N], e[:N], rcond=None)[0]) ** 2
    told = theory.linear_regression_expected_error(N, d, noise, fit_intercept=intercept).new_normal_inputs
    assert abs(found.mean() - float(told)) < 4.0 * found.std() / np.sqrt(rounds)


def test_theory_says_what_its_numbers_mean():
    errors = theory.linear_regression_expected_error(20, 3, 2.0)
    assert str(errors.in_sample) == (
        "1.6: expected mean squared error on the 20 examples learnt; y = f(x) + ε, f linear in 3 features, Var ε = 2, "
        "errors uncorrelated, X of rank 4"
    )
    assert str(errors).startswith("E_in = 1.6: expected")
    assert str(errors).count("\n") == 2
    assert float(theory.linear_regression_expected_error(5, 3, 2.0).new_normal_inputs) == np.inf
    assert float(theory.linear_regression_expected_error(10, 0, 2.0)) == pytest.approx(2.2)
