"""Laws of probabilities made from margins: the temperature is the best one, and folds are fitted like the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from deciban import LinearSVM
from deciban.calibration.temperature import temperature
from laws.declared import clouds, seeds


def scored(seed, N, C):
    """Scores (N, C), or (N, 1) margins for two classes, that know something of y (N,); whole weights (N,)."""
    random = np.random.default_rng(seed)
    y = np.arange(N) % C
    s = random.normal(size=(N, C)) + 0.7 * np.eye(C)[y]
    return (s[:, 1:] - s[:, :1] if C == 2 else s), y, random.integers(1, 4, N).astype(float)


def loss(A, s, y, weight):
    """−Σ w Σ_c t_c log softmax(A·s)_c, where each example was seen once in all other classes together."""
    s = np.hstack([np.zeros_like(s), s]) if s.shape[1] == 1 else s
    C, total = s.shape[1], 0.0
    count = [sum(weight[y == c]) for c in range(C)]
    for row, c, w in zip(A * s, y, weight, strict=True):
        log_p = row - row.max() - np.log(np.exp(row - row.max()).sum())
        target = [(count[c] + 1.0 if k == c else 1.0 / (C - 1)) / (count[c] + 2.0) for k in range(C)]
        total -= w * sum(t * lp for t, lp in zip(target, log_p, strict=True))
    return total


@pytest.mark.parametrize("C", [2, 3, 5])
@given(seed=seeds, size=st.floats(1e-3, 1e3))
def test_no_temperature_near_by_is_better(C, seed, size):
    s, y, weight = scored(seed, 30, C)
    A = temperature(size * s, y, weight)
    assert A > 0.0
    best = loss(A, size * s, y, weight)
    for other in (0.9 * A, 0.999 * A, 1.001 * A, 1.1 * A):
        assert best <= loss(other, size * s, y, weight) + 1e-9 * best


@pytest.mark.parametrize("C", [2, 3])
@given(seed=seeds)
def test_weights_are_repetition_and_units_do_not_matter(C, seed):
    s, y, weight = scored(seed, 20, C)
    again = np.repeat(np.arange(20), weight.astype(int))
    A = temperature(s, y, weight)
    assert_allclose(temperature(s[again], y[again], np.ones(len(again))), A, rtol=1e-9)
    assert_allclose(1000.0 * temperature(1000.0 * s, y, weight), A, rtol=1e-9)


@pytest.mark.parametrize(
    ("s", "y"),
    [
        (np.zeros((4, 1)), [0, 1, 0, 1]),
        (np.array([[-1.0], [1.0], [-2.0], [2.0]]), [0, 1, 0, 1]),
        (np.array([[1.0], [-1.0], [2.0], [-2.0]]), [0, 1, 0, 1]),
        (np.array([[1e300], [-1e300]]), [1, 0]),
        (np.array([[1e-300], [-1e-300]]), [1, 0]),
    ],
    ids=["that tell nothing", "that part the classes", "that are always wrong", "huge", "tiny"],
)
def test_a_temperature_is_a_positive_number_for_scores(s, y):
    A = temperature(s, np.array(y), np.ones(len(y)))
    assert 0.0 < A < np.inf


def test_the_folds_of_a_hard_margin_are_hard():
    """A penalty would shrink the folds' weights, and the temperature would make up for that."""
    random = np.random.default_rng(5)
    y = np.arange(60) % 2
    X = random.normal(size=(60, 3)) * 0.1 + 4.0 * y[:, None]
    hard, nearly = (LinearSVM(C=C, tol=1e-6, max_iter=100_000).fit(X, y) for C in (np.inf, 1e6))
    assert_allclose(hard.predict_proba(X), nearly.predict_proba(X), atol=1e-3)


def test_the_probability_of_a_calibrated_margin_grows_with_the_margin():
    X, y = clouds(3, N=80)
    fitted = LinearSVM(C=0.1).fit(X, y)
    order = np.argsort(fitted.decision_function(X))
    assert (np.diff(fitted.predict_proba(X)[order, 1]) >= 0.0).all()
