"""Laws of conformal prediction: p-values by counting, sets that nest, and the share of each class that they cover."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from deciban.evaluation import Conformal, Judgements, examples_needed

LABELS = ("a", "b", "c")


def said(random, N, C, skill=1.0, places=None):
    """Labels, and what a model of some skill says; with `places` decimals, so that many are equal."""
    y = random.integers(0, C, N)
    s = random.normal(size=(N, C)) + skill * np.eye(C)[y]
    s = s if places is None else s.round(places)
    log_p = s - np.logaddexp.reduce(s, axis=1, keepdims=True)
    return Judgements(LABELS[:C], y, np.minimum(log_p, 0.0))


@pytest.mark.parametrize("C", [2, 3])
@given(st.integers(0, 2**32), st.sampled_from([None, 0]))
def test_p_values_are_counted_one_by_one(C, seed, places):
    random = np.random.default_rng(seed)
    calibration, new = said(random, 25, C, places=places), said(random, 6, C, places=places)
    known = Conformal.of(calibration)
    found = known.p_values(new.log_p)
    for c in range(C):
        own = calibration.log_odds(c)[calibration.y == c]
        for s, p in zip(new.log_odds(c), found[:, c], strict=True):
            assert p == (1 + sum(other <= s for other in own)) / (len(own) + 1)
    assert known.counts == {label: int((calibration.y == c).sum()) for c, label in enumerate(LABELS[:C])}


@given(st.integers(0, 2**32))
def test_sets_nest_and_a_row_has_the_same_alone(seed):
    random = np.random.default_rng(seed)
    known, new = Conformal.of(said(random, 60, 3)), said(random, 20, 3)
    sets = [known.sets(new.log_p, alpha) for alpha in (0.02, 0.1, 0.3, 0.6)]
    for larger, smaller in pairwise(sets):
        assert (smaller <= larger).all()
    assert_array_equal(sets[1], np.vstack([known.sets(new.log_p[[i]], 0.1) for i in range(20)]))
    assert_array_equal(sets[1], known.sets(new.log_p, dict.fromkeys(LABELS, 0.1)))
    mixed = known.sets(new.log_p, {"a": 0.02, "b": 0.1, "c": 0.6})
    assert_array_equal(mixed, np.column_stack([sets[0][:, 0], sets[1][:, 1], sets[3][:, 2]]))
    assert_array_equal(known.flag(new.log_p, 0.1, "b"), ~sets[1][:, 1])


@pytest.mark.parametrize("C", [2, 3])
@pytest.mark.parametrize("skill", [0.0, 2.0])
@pytest.mark.parametrize("places", [None, 0])
def test_every_class_is_covered_as_asked(C, skill, places):
    """Also by a model without any skill, and where many scores are equal."""
    random, alpha, times = np.random.default_rng(7), 0.2, 150
    missed = np.zeros((times, C))
    for row in missed:
        known, new = Conformal.of(said(random, 40 * C, C, skill, places)), said(random, 60 * C, C, skill, places)
        told = known.covered(new, alpha)
        row[:] = [told.missed[label].rate for label in LABELS[:C]]
        assert sum(told.sizes) == len(new)
    spread = missed.std(axis=0) / times**0.5
    assert (missed.mean(axis=0) <= alpha + 3 * spread).all()
    if places is None:
        assert (missed.mean(axis=0) >= alpha - 0.02 - 3 * spread).all()


def test_too_few_examples_leave_nothing_out():
    random = np.random.default_rng(0)
    for n in (0, 5, 18, 19):
        calibration = said(random, 400, 2)
        rows = np.flatnonzero((calibration.y == 1) | ((calibration.y == 0).cumsum() <= n))
        known = Conformal.of(Judgements(LABELS[:2], calibration.y[rows], calibration.log_p[rows]))
        assert known.counts["a"] == n
        new = np.log([[1e-9, 1.0 - 1e-9]])
        assert known.sets(new, 0.05)[0, 0] == (n < examples_needed(0.05))


@given(st.floats(0.0005, 0.5), st.integers(0, 4))
def test_how_many_it_takes_is_the_least(alpha, beyond):
    n, m = examples_needed(alpha, beyond), beyond + 1
    assert m / (n + 1) <= alpha
    assert n == beyond or m / n > alpha


def test_a_sixth_of_the_decimals():
    assert [examples_needed(alpha) for alpha in (0.1, 0.05, 0.01, 0.001, 0.0001)] == [9, 19, 99, 999, 9999]


def test_what_is_like_no_class_has_an_empty_set():
    s = np.random.default_rng(2).normal(size=200)
    s = np.where(s > 0, s + 4, s - 4)
    calibration = Judgements(LABELS[:2], (s > 0).astype(int), -np.logaddexp(0.0, np.column_stack([s, -s])))
    sets = Conformal.of(calibration).sets(np.log([[0.5, 0.5]]), 0.05)
    assert not sets.any()
    told = Conformal.of(calibration).covered(calibration, 0.05)
    assert told.to_json()["sizes"] == list(told.sizes)
