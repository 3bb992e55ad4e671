"""Laws of feedback: it is a fit to what is remembered, in order; it follows a drift, and rests where there is none."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.frozen import FrozenEstimator

from deciban import CalibratedClassifier, LinearSVM, NaiveBayes
from deciban.calibration import CATALOGUE
from deciban.calibration.feedback import Feedback
from laws.declared import clouds, seeds
from tiers import examples

over = pytest.mark.parametrize("method", CATALOGUE)


def fresh(method="platt", C=2, **more):
    X, y = clouds(1, N=60, C=C)
    return CalibratedClassifier(NaiveBayes("gaussian"), method, cv=3, **more).fit(X, y)


def line(seed, N, slope=1.0, offset=0.0):
    """Rows whose only number is a score z, and labels with log-odds slope·z + offset, which may be (N,)."""
    random = np.random.default_rng(seed)
    z = random.normal(scale=2.0, size=N)
    return z[:, None], (random.random(N) < 1.0 / (1.0 + np.exp(-(slope * z + offset)))).astype(int)


@over
@pytest.mark.parametrize("half_life", [20.0, None])
@given(seed=seeds)
@examples(2)
def test_any_split_into_calls_leaves_the_same(method, half_life, seed):
    X, y = clouds(seed, N=40)
    weight = np.random.default_rng(seed).integers(1, 4, 40)
    whole = fresh(method, half_life=half_life).recalibrate(X, y, weight)
    parts = fresh(method, half_life=half_life)
    cuts = [0, *np.sort(np.random.default_rng(seed).integers(0, 41, 3)), 40]
    for a, b in pairwise(cuts):
        if b > a:
            parts.recalibrate(X[a:b], y[a:b], weight[a:b])
    assert parts.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()
    assert parts.suffered_.n == pytest.approx(whole.suffered_.n)
    assert parts.suffered_.frozen == pytest.approx(whole.suffered_.frozen)


@over
@pytest.mark.parametrize("C", [2, 3])
def test_without_forgetting_it_is_the_fit_to_all_at_once(method, C):
    X, y = clouds(2, N=90, C=C)
    model = NaiveBayes("gaussian").fit(X[:30], y[:30])
    frozen = FrozenEstimator(model)
    piecewise = CalibratedClassifier(frozen, method, half_life=None).fit(X[30:60], y[30:60]).recalibrate(X[60:], y[60:])
    at_once = CalibratedClassifier(frozen, method, half_life=None).fit(X[30:], y[30:])
    assert_allclose(piecewise.predict_proba(X), at_once.predict_proba(X), atol=1e-9)


@given(weight=st.lists(st.integers(1, 5), min_size=1, max_size=8), half_life=st.sampled_from([3.0, 1000.0]))
def test_a_weight_counts_as_so_many_examples_one_after_the_other(weight, half_life):
    n, c = len(weight), np.array(weight, dtype=float)
    held = Feedback.start(np.zeros((2, 1)), np.array([0, 1]), np.array([1.0, 3.0]))
    worth = held.more(np.zeros((n, 1)), np.zeros(n, dtype=int), c, half_life).worth(half_life)
    owner, N = np.repeat(np.arange(n), weight), int(c.sum())
    each = held.more(np.zeros((N, 1)), np.zeros(N, dtype=int), np.ones(N), half_life).worth(half_life)
    assert_allclose(worth[2:], np.bincount(owner, each[2:]), rtol=1e-9)
    assert_allclose(each[2:], 2.0 ** (-np.arange(N)[::-1] / half_life), rtol=1e-9)
    assert_allclose(worth[:2], each[:2], rtol=1e-12)
    assert worth[:2].sum() <= 1.0 / (1.0 - 2.0 ** (-1.0 / half_life))


def test_what_is_long_past_is_forgotten():
    held = Feedback.start(np.zeros((5, 1)), np.zeros(5, dtype=int), np.ones(5))
    told = held.more(np.ones((1000, 1)), np.ones(1000, dtype=int), np.ones(1000), 10.0)
    assert len(told.y) <= 20 * 10 + 1
    assert told.worth(10.0)[-1] == 1.0
    assert told.worth(10.0).min() >= 2.0**-20.1


@pytest.mark.parametrize("method", ["platt", "beta", "isotonic"])
def test_where_nothing_changes_it_comes_to_the_answer_of_all_examples(method):
    X, y = line(3, 6_000, slope=0.5, offset=1.0)
    frozen = FrozenEstimator(LinearSVM(calibration=None).fit([[-1.0], [1.0]] * 5, [0, 1] * 5))
    model = CalibratedClassifier(frozen, method, half_life=1500.0).fit(*line(4, 200))
    for k in range(0, 6_000, 1000):
        model.recalibrate(X[k : k + 500], y[k : k + 500])
    batch = CalibratedClassifier(frozen, method).fit(X, y)
    asked = np.linspace(-3.0, 3.0, 13)[:, None]
    assert np.abs(model.predict_proba(asked) - batch.predict_proba(asked)).mean() < 0.03
    held, truth = line(5, 20_000, slope=0.5, offset=1.0)

    def loss(judge):
        return -judge.predict_log_proba(held)[np.arange(20_000), truth].mean()

    assert loss(model) <= loss(batch) + 0.005
    assert model.suffered_.log_loss < model.suffered_.frozen


@over
def test_it_follows_a_drift_that_leaves_the_frozen_behind(method):
    drift = np.linspace(0.0, 1.0, 3000)
    X, y = line(6, 3000, slope=1.0 - 0.7 * drift, offset=2.0 * drift)
    frozen = FrozenEstimator(LinearSVM(calibration=None).fit([[-1.0], [1.0]] * 5, [0, 1] * 5))
    model = CalibratedClassifier(frozen, method, half_life=500.0).fit(*line(7, 1000))
    never = CalibratedClassifier(frozen, method, half_life=None).fit(*line(7, 1000))
    for k in range(0, 3000, 250):
        for each in (model, never):
            each.recalibrate(X[k : k + 250], y[k : k + 250])
    assert model.suffered_.n == 3000.0
    assert model.suffered_.frozen == pytest.approx(never.suffered_.frozen)
    assert model.suffered_.log_loss < model.suffered_.frozen - 0.02
    assert model.suffered_.log_loss < never.suffered_.log_loss
    assert_array_equal(model.classes_, [0, 1])


@over
def test_the_model_stays_and_only_the_calibrator_follows(method):
    model, X = fresh(method), clouds(8, N=30)[0]
    before = model.estimator_.predict_proba(X)
    model.recalibrate(X, np.zeros(30, dtype=int))
    assert_array_equal(model.estimator_.predict_proba(X), before)
    assert model.method_ == method
    p = model.predict_proba(X)
    assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    for i, why in enumerate(model.explain(X)):
        total = why.prior_decibans + sum(term.decibans for term in why.terms)
        assert total == pytest.approx(abs(model.decision_function(X[[i]])[0]) * 10 / np.log(10), rel=1e-7, abs=1e-7)
