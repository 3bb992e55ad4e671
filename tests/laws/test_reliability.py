"""Laws of reliability: bins, errors and losses from the definition, and intervals that cover what they say."""

import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss, log_loss

from deciban.certificates.intervals import clopper_pearson
from deciban.evaluation.evaluation import evaluate
from deciban.evaluation.judgements import Judgements
from deciban.evaluation.reliability import mean_interval, reliability
from laws.opinions import EVERY, TWO, many, of_odds, opinions, two

BINS = st.integers(1, 12)


def every(names=EVERY):
    return pytest.mark.parametrize("name", list(names))


def by_hand(p, hit, bins):
    """The bins, one example at a time: where the middle of all that say the same falls."""
    found = {}
    for said in sorted(set(p)):
        below, same = sum(q < said for q in p), sum(q == said for q in p)
        members = [i for i, q in enumerate(p) if q == said]
        found.setdefault(bins * (2 * below + same) // (2 * len(p)), []).extend(members)
    parts = [found[place] for place in sorted(found)]
    return [(len(part), sum(hit[i] for i in part), sum(p[i] for i in part) / len(part)) for part in parts]


@given(opinions(), BINS)
def test_bins_and_error_are_those_of_the_definition(said, bins):
    found = reliability(said, bins)
    p, hit = np.exp(said.log_p[:, 1]).tolist(), (said.y == 1).tolist()
    expected = by_hand(p, hit, bins)
    assert list(zip(found.counts, found.hits, strict=True)) == [(n, k) for n, k, _ in expected]
    assert_allclose(found.predicted, [mean for *_, mean in expected], rtol=1e-12)
    error = sum(n * abs(k / n - mean) for n, k, mean in expected) / len(said)
    assert found.error == pytest.approx(error, abs=1e-12)
    assert found.intervals.tolist() == [list(clopper_pearson(k, n)) for n, k, _ in expected]


@given(st.integers(1, 200), st.integers(1, 20))
def test_without_ties_bins_differ_by_one_example_at_most(N, bins):
    found = reliability(of_odds(np.linspace(-3.0, 3.0, N), np.arange(N) % 2), bins)
    assert found.counts.sum() == N
    assert np.ptp(found.counts) <= 1
    assert len(found.counts) == min(N, bins)


@pytest.mark.parametrize(("N", "bins"), [(3, 3), (80, 5), (200, 10), (5000, 15)])
def test_bins_unless_given_hold_twenty_examples(N, bins):
    assert len(reliability(two(N)).counts) == bins


@every()
def test_losses_are_scikit_learns(name):
    said = EVERY[name]
    p, C = np.exp(said.log_p), len(said.classes)
    found = reliability(said)
    losses = -np.maximum(said.log_p[np.arange(len(said)), said.y], np.log(np.finfo(float).tiny))
    assert found.log_loss == pytest.approx(losses.mean(), rel=1e-12)
    if np.isfinite(said.log_p).all():
        assert found.log_loss == pytest.approx(log_loss(said.y, p, labels=range(C)), rel=1e-9)
    squares = np.square(p - np.eye(C)[said.y]).sum(axis=1).mean()
    assert found.brier == pytest.approx(squares / (2.0 if C == 2 else 1.0), abs=1e-15)
    if C == 2 and len(set(said.y)) == 2:
        assert found.brier == pytest.approx(brier_score_loss(said.y, p[:, 1]), abs=1e-12)


@every()
def test_intervals_hold_what_was_seen_and_all_is_json(name):
    found = reliability(EVERY[name], seed=3)
    low, high = found.error_interval
    assert 0.0 <= low <= found.error <= high <= 1.0
    assert 0.0 <= found.chance <= 0.5
    if found.log_loss_interval is not None:
        assert 0.0 <= found.log_loss_interval[0] <= found.log_loss <= found.log_loss_interval[1]
    written = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert written["counts"] == found.counts.tolist()
    assert written["calibration_error_interval"] == [low, high]
    assert sum(written["counts"]) == len(EVERY[name])


@every()
def test_the_order_of_examples_does_not_matter_and_the_seed_decides(name):
    said = EVERY[name]
    back = Judgements(said.classes, said.y[::-1], said.log_p[::-1])
    one, other = reliability(said, seed=1), reliability(back, seed=1)
    assert_array_equal(one.hits, other.hits)
    assert one.error == pytest.approx(other.error, abs=1e-12)
    assert one.error_interval == pytest.approx(other.error_interval, abs=1e-12)
    assert reliability(said, seed=1).error_interval == one.error_interval


@every(TWO)
def test_twice_the_examples_are_the_same_shares_with_narrower_intervals(name):
    said = TWO[name]
    double = Judgements(said.classes, np.tile(said.y, 2), np.tile(said.log_p, (2, 1)))
    one, twice = reliability(said, 4), reliability(double, 4)
    assert_array_equal(2 * one.counts, twice.counts)
    assert_allclose(one.observed, twice.observed)
    assert one.error == pytest.approx(twice.error, abs=1e-12)
    assert twice.chance <= one.chance
    if one.log_loss_interval is not None:
        assert np.ptp(twice.log_loss_interval) < np.ptp(one.log_loss_interval)


@pytest.mark.parametrize("name", ["many examples", "few", "too sure", "labels that are no words"])
def test_of_the_other_class_it_is_the_mirror_image(name):
    said = TWO[name]
    one, other = (reliability(said, 10, positive=c) for c in said.classes)
    assert_allclose(one.predicted, 1.0 - other.predicted[::-1], atol=1e-12)
    assert_allclose(one.observed, 1.0 - other.observed[::-1], atol=1e-12)
    assert one.error == pytest.approx(other.error, abs=1e-12)
    assert (one.positive, other.positive) == said.classes


def test_of_many_classes_it_is_about_the_class_called_or_the_one_named():
    said = many(500, 3)
    found = reliability(said)
    assert found.positive is None
    assert found.hits.sum() == (~said.errors).sum()
    named = reliability(said, positive="class 1")
    assert named.positive == "class 1"
    assert named.hits.sum() == (said.y == 1).sum()


def test_an_evaluation_tells_the_same():
    for said in (two(300), many(300, 4)):
        labels = [said.classes[c] for c in said.y]
        found, alone = evaluate(labels, np.exp(said.log_p), said.classes, seed=5), reliability(said, seed=5)
        assert found.log_loss == pytest.approx(alone.log_loss, rel=1e-12)
        assert found.calibration_error == pytest.approx(alone.error, rel=1e-9)
        assert found.log_loss_interval == pytest.approx(alone.log_loss_interval, rel=1e-9)
        assert found.calibration_error_interval == pytest.approx(alone.error_interval, rel=1e-9)
        told = found.to_json()
        assert told["calibration_error"] == found.calibration_error
        assert told["log_loss_interval"] == list(found.log_loss_interval)


# --- chance and coverage -----------------------------------------------------------------------------------


@given(st.integers(1, 30), st.integers(0, 20))
def test_chance_is_the_mean_deviation_of_the_binomial(n, twentieths):
    p = Fraction(twentieths, 20)
    expected = sum(comb(n, k) * p**k * (1 - p) ** (n - k) * abs(Fraction(k, n) - p) for k in range(n + 1))
    log_p = np.log([max(1.0 - float(p), 1e-300), max(float(p), 1e-300)])
    said = Judgements((0, 1), np.zeros(n, dtype=np.intp), np.tile(log_p, (n, 1)))
    assert reliability(said, 1).chance == pytest.approx(float(expected), abs=1e-12)


def drawn(random, N, bent):
    """Judgements whose true odds are p's, but for `bent`; and the calibration error of their bins that is true."""
    p = np.clip(random.beta(0.5, 0.5, N), 1e-6, 1.0 - 1e-6)
    q = p - bent * np.sign(p - 0.5) * 2.0 * np.minimum(p, 1.0 - p)
    said = Judgements((0, 1), (random.random(N) < q).astype(np.intp), np.log([1.0 - p, p]).T)
    found = reliability(said)
    apart = (q - p)[np.argsort(p)]
    ends = np.cumsum(found.counts)
    return found, sum(abs(apart[end - n : end].sum()) for n, end in zip(found.counts, ends, strict=True)) / N


@pytest.mark.parametrize("N", [5, 60, 1000])
@pytest.mark.parametrize("bent", [0.0, 0.15, 0.4])
def test_the_interval_of_the_calibration_error_covers_95_times_in_100(bent, N):
    random = np.random.default_rng(N)
    cases = [drawn(random, N, bent) for _ in range(120)]
    hits = [found.error_interval[0] - 1e-12 <= true <= found.error_interval[1] for found, true in cases]
    assert np.mean(hits) >= 0.91  # 0.95 less two standard deviations of 120 drawings
    if bent == 0.0:
        chance = np.mean([found.chance for found, _ in cases])
        assert np.mean([found.error for found, _ in cases]) == pytest.approx(chance, rel=0.1)


LOSSES = {
    "exponential": (lambda random, n: random.exponential(size=n), 1.0),
    "a few that are large": (lambda random, n: np.where(random.random(n) < 0.1, 4.0, 0.02), 0.1 * 4.0 + 0.9 * 0.02),
    "symmetric": (lambda random, n: random.normal(2.0, 1.0, n), 2.0),
}


@pytest.mark.parametrize("name", list(LOSSES))
def test_the_interval_of_a_mean_covers_it_and_misses_on_both_sides_alike(name):
    draw, mean = LOSSES[name]
    random = np.random.default_rng(7)
    ends = np.array([mean_interval(draw(random, 200)) for _ in range(400)])
    below, above = np.mean(ends[:, 1] < mean), np.mean(ends[:, 0] > mean)
    assert below + above <= 0.08
    assert max(below, above) <= 0.05


@given(st.lists(st.floats(0.0, 30.0), min_size=2, max_size=30), st.sampled_from([0.8, 0.95]))
def test_the_ends_of_the_interval_solve_halls_equation(values, level):
    x = np.array(values)
    found = mean_interval(x, level)
    if found is None:
        assert np.ptp(x) <= 1e-12 * x.max()
        return
    n, s, mean = len(x), x.std(ddof=1), x.mean()
    if x.std() < 1e-6 * mean:
        return
    skew = ((x - mean) ** 3).mean() / x.std() ** 3
    wanted = 1.959963984540054 if level == 0.95 else 1.2815515655446004
    for end, z in zip(found, (wanted, -wanted), strict=True):
        T = (mean - end) / s
        told = T + skew * T**2 / 3 + skew**2 * T**3 / 27 + skew / (6 * n)
        assert end == pytest.approx(mean, rel=1e-9) or told == pytest.approx(z / n**0.5, abs=1e-6)


@given(st.lists(st.floats(0.01, 30.0), min_size=2, max_size=30), st.sampled_from([1e-200, 0.5, 1e200]))
def test_the_interval_of_a_mean_has_the_units_of_its_values(values, size):
    one, other = mean_interval(np.array(values)), mean_interval(np.array(values) * size)
    assert (one is None) == (other is None)
    if one is not None:
        assert_allclose(np.array(one) * size, other, rtol=1e-6, atol=1e-9 * size)


def test_of_what_does_not_vary_there_is_no_interval():
    for values in ([], [1.0], [0.0, 0.0], [0.3, 0.3, 0.3]):
        assert mean_interval(np.array(values)) is None
