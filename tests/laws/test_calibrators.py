"""Laws of the calibrators: each rises with the score, none depends on units, order, names or the way of counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from deciban.calibration import CATALOGUE, by_name
from deciban.calibration.choice import compare_calibrators
from deciban.calibration.targets import correct_targets, seldom_wrong
from deciban.calibration.temperature import temperature
from deciban.scores import log_posterior
from laws.declared import seeds
from laws.test_calibration import scored
from tiers import examples

few = examples(5)
over = pytest.mark.parametrize("name", CATALOGUE)
classes = pytest.mark.parametrize("C", [2, 3, 5])

EXTREME = {
    "that tell nothing": ([0.0, 0.0, 0.0, 0.0], [0, 1, 0, 1]),
    "that part the classes": ([-1.0, 1.0, -2.0, 2.0], [0, 1, 0, 1]),
    "that are always wrong": ([1.0, -1.0, 2.0, -2.0], [0, 1, 0, 1]),
    "huge": ([1e300, -1e300, 1e300, 3.0], [1, 0, 1, 0]),
    "tiny": ([1e-300, -1e-300, 2e-300, 0.0], [1, 0, 0, 1]),
    "infinite": ([np.inf, -np.inf, 1.0, 2.0], [1, 0, 1, 0]),
    "of one class": ([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1]),
    "of one example": ([1.0], [0]),
    "of none": ([], []),
}


def as_many(s):
    """(N, C) where margins of two classes are (N, 1)."""
    return np.hstack([np.zeros_like(s), s]) if s.shape[1] == 1 else s


def smoothed(log_p, y, weight):
    """The mean of −Σ t log p with the targets that calibrators see."""
    return float(weight @ -(seldom_wrong(y, weight, log_p.shape[1]) * log_p).sum(axis=1) / weight.sum())


def test_there_are_four():
    assert list(CATALOGUE) == ["temperature", "platt", "beta", "isotonic"]
    assert all(by_name(name) is kind for name, kind in CATALOGUE.items())


@given(seed=seeds)
def test_targets_are_shares_and_those_of_two_classes_platts(seed):
    _, y, weight = scored(seed, 20, 2)
    assert_allclose(seldom_wrong(y, weight, 2), correct_targets(y, weight, 2), rtol=1e-15)
    for C in (2, 3, 7):
        for targets in (correct_targets, seldom_wrong):
            t = targets(y, weight, C)
            assert_allclose(t.sum(axis=1), 1.0, rtol=1e-12)
            assert (t > 0.0).all()
            assert_array_equal(t.argmax(axis=1), y)


@over
@pytest.mark.parametrize(("C", "margins"), [(2, False), (3, False), (5, False), (4, True)])
@given(seed=seeds, size=st.floats(1e-3, 1e3))
@few
def test_probabilities_sum_to_one_and_rise_with_the_score(name, C, margins, seed, size):
    s, y, weight = scored(seed, 30, C)
    found = CATALOGUE[name].fit(size * s, y, weight, margins=margins)
    p = np.exp(found(size * s))
    assert p.shape == (30, C)
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    c = seed % C
    rising = np.repeat(as_many(size * s)[:1], 41, axis=0)
    rising[:, c] += size * np.linspace(-5.0, 5.0, 41)
    assert (np.diff(found(rising)[:, c]) >= -1e-12).all()


@over
@pytest.mark.parametrize("kind", EXTREME)
def test_no_score_is_too_much(name, kind):
    s, y = EXTREME[kind]
    found = CATALOGUE[name].fit(s, np.array(y, dtype=int))
    asked = np.array([0.0, 1.0, -1.0, 1e300, -1e300, np.inf, -np.inf, *s])
    log_p = found(asked)
    assert np.isfinite(log_p).all()
    assert_allclose(np.exp(log_p).sum(axis=1), 1.0, rtol=1e-12)
    assert (np.diff(found(np.sort(asked[:5]))[:, 1]) >= 0.0).all()


@over
@classes
@given(seed=seeds)
@few
def test_weights_are_repetition_and_order_does_not_matter(name, C, seed):
    s, y, weight = scored(seed, 25, C)
    log_p = CATALOGUE[name].fit(s, y, weight)(s)
    again = np.random.default_rng(seed).permutation(np.repeat(np.arange(25), weight.astype(int)))
    assert_allclose(CATALOGUE[name].fit(s[again], y[again])(s), log_p, atol=1e-8)
    more = np.concatenate([s, s[:3] + 9.0]), np.concatenate([y, y[:3]]), np.concatenate([weight, np.zeros(3)])
    assert_array_equal(CATALOGUE[name].fit(*more)(s), log_p)


@over
@classes
@given(seed=seeds)
@few
def test_names_of_classes_and_units_of_scores_do_not_matter(name, C, seed):
    s, y, weight = scored(seed, 25, C)
    s = as_many(s)
    log_p = CATALOGUE[name].fit(s, y, weight)(s)
    to = np.random.default_rng(seed).permutation(C)
    renamed = np.empty_like(s)
    renamed[:, to] = s
    assert_allclose(CATALOGUE[name].fit(renamed, to[y], weight)(renamed)[:, to], log_p, atol=1e-7)
    assert_allclose(CATALOGUE[name].fit(1000.0 * s + 7.0, y, weight)(1000.0 * s + 7.0), log_p, atol=1e-6)


@over
@given(seed=seeds, size=st.floats(0.1, 10.0), shift=st.floats(-2.0, 2.0))
@few
def test_nothing_is_lost_on_the_examples_at_hand(name, seed, size, shift):
    s, y, weight = scored(seed, 30, 2)
    s = size * s + shift
    before, after = log_posterior(as_many(s)), CATALOGUE[name].fit(s, y, weight)(s)
    assert smoothed(after, y, weight) <= smoothed(before, y, weight) + 1e-12


@pytest.mark.parametrize("C", [3, 5])
@given(seed=seeds, size=st.floats(0.1, 10.0))
@few
def test_a_temperature_of_many_classes_loses_nothing_and_decides_as_the_scores_do(C, seed, size):
    s, y, weight = scored(seed, 30, C)
    after = CATALOGUE["temperature"].fit(size * s, y, weight)(size * s)
    assert smoothed(after, y, weight) <= smoothed(log_posterior(size * s), y, weight) + 1e-12
    assert_array_equal(after.argmax(axis=1), s.argmax(axis=1))


@given(seed=seeds)
@few
def test_the_more_a_family_holds_the_less_is_lost(seed):
    s, y, weight = scored(seed, 40, 2)
    lost = {name: smoothed(kind.fit(s, y, weight)(s), y, weight) for name, kind in CATALOGUE.items()}
    assert lost["isotonic"] <= lost["platt"] + 1e-12 <= lost["temperature"] + 2e-12
    assert lost["isotonic"] <= lost["beta"] + 1e-12


@over
@classes
@given(seed=seeds)
@few
def test_a_line_says_what_the_calibrator_says(name, C, seed):
    s, y, weight = scored(seed, 30, C)
    s = as_many(s)
    found = CATALOGUE[name].fit(s, y, weight)
    log_p, line = found(s), found.line
    assert (line is not None) == (name == "temperature" or (name == "platt" and C == 2))
    if line is not None:
        assert_allclose(log_p[:, 1] - log_p[:, 0], line(s[:, 1] - s[:, 0]), atol=1e-9)


@over
@classes
def test_what_was_never_seen_is_taken_for_what_it_says(name, C):
    s = np.random.default_rng(C).normal(size=(6, C))
    assert_allclose(CATALOGUE[name].fit(s[:0], [])(s), log_posterior(s), atol=1e-15)
    if C > 2:  # one class never came: it stays possible
        y = np.array([0, 1, 0, 1, 1, 0])
        p = np.exp(CATALOGUE[name].fit(s, y)(s))
        assert (p > 0.0).all()
        assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


def test_scores_that_lean_to_one_side_are_set_right():
    """Twice the log-odds and one nat too high: a line undoes it, a temperature cannot."""
    random = np.random.default_rng(7)
    z = random.normal(scale=2.0, size=8_000)
    y = (random.random(8_000) < 1.0 / (1.0 + np.exp(-z))).astype(int)
    line = CATALOGUE["platt"].fit(2.0 * z + 1.0, y).line
    assert line.slope == pytest.approx(0.5, rel=0.05)
    assert line.offset == pytest.approx(-0.5, abs=0.05)
    found = compare_calibrators(2.0 * z[:, None] + 1.0, y, np.ones(8_000), np.arange(8_000) % 4)
    assert [each.log_loss for each in found] == sorted(each.log_loss for each in found)
    assert found[0].method in ("platt", "beta")
    assert found[-1].method == "temperature"


def test_each_side_of_even_odds_may_be_wrong_in_its_own_way():
    """Log-odds stretched threefold above 0 only: a line that bends undoes it."""
    random = np.random.default_rng(8)
    z = random.normal(scale=2.0, size=8_000)
    y = (random.random(8_000) < 1.0 / (1.0 + np.exp(-z))).astype(int)
    found = compare_calibrators(np.where(z > 0.0, 3.0 * z, z)[:, None], y, np.ones(8_000), np.arange(8_000) % 4)
    assert [each.method for each in found].index("beta") < [each.method for each in found].index("platt")


@pytest.mark.parametrize("name", ["platt", "beta", "isotonic"])
@given(seed=seeds)
@few
def test_a_margin_is_the_business_of_its_own_class(name, seed):
    """Of log-probabilities what is said of one class is said of all."""
    s, y, weight = scored(seed, 40, 4)
    found = CATALOGUE[name].fit(s, y, weight, margins=True)
    moved = s.copy()
    moved[:, 3] += 1.0
    before, after = found(s), found(moved)
    assert_allclose(after[:, :3] - after[:, :1], before[:, :3] - before[:, :1], atol=1e-9)
    assert_allclose(CATALOGUE[name].fit(50.0 * s, y, weight, margins=True)(50.0 * s), before, atol=1e-6)


@given(seed=seeds, size=st.sampled_from([1e-9, 1.0, 1e9]))
def test_scores_that_differ_by_rounding_alone_are_not_sharpened(seed, size):
    random = np.random.default_rng(seed)
    y = random.integers(0, 4, 30)
    s = size * (1.0 + 1e-16 * random.integers(-3, 4, (30, 4)))
    assert temperature(s, y, np.ones(30)) == 1.0
    assert temperature(s + size * np.eye(4)[y], y, np.ones(30)) * size > 1.0
