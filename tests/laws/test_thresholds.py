"""Laws of thresholds by false-positive rates: counted exactly, held as promised, monotone in what is asked."""

from fractions import Fraction
from itertools import accumulate
from math import ceil, comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import DataError
from deciban.evaluation import Conformal, Judgements, negatives_needed, rate_threshold
from deciban.evaluation.thresholds import lowest_rate

CLASSES = ("ham", "spam")


def judged(negative, positive=(), place=1):
    """Of log-odds for the class at `place`, in nats."""
    s = np.concatenate([negative, positive])
    p = -np.logaddexp(0.0, np.column_stack([s, -s]))
    y = np.repeat([1 - place, place], [len(negative), len(positive)])
    return Judgements(CLASSES, y, p if place else p[:, ::-1])


def below(n, r):
    """P(Bin(n, r) ≤ k) for k = 0 … n − 1, exactly."""
    return list(accumulate(comb(n, i) * r**i * (1 - r) ** (n - i) for i in range(n)))


@pytest.mark.parametrize("rate", ["1/10", "1/20", "1/100", "1/3"])
@pytest.mark.parametrize("confidence", ["19/20", "99/100", "1/2"])
def test_how_many_may_be_above_is_counted_exactly(rate, confidence):
    r, doubt = Fraction(rate), 1 - Fraction(confidence)
    for n in (3, 30, 64, 150):
        allowed = [k for k, chance in enumerate(below(n, r)) if chance <= doubt]
        said = judged(np.linspace(-5.0, 5.0, n))
        needed = negatives_needed(float(r), float(1 - doubt))
        assert (n >= needed) == bool(allowed)
        if allowed:
            found = rate_threshold(said, float(r), float(1 - doubt))
            assert (found.allowed, found.above) == (max(allowed), max(allowed))
            assert found.bound <= float(r) + 1e-12
            assert n < found.negatives_for_one_more
        else:
            with pytest.raises(DataError):
                rate_threshold(said, float(r), float(1 - doubt))


@pytest.mark.parametrize("rate", [0.1, 0.01, 0.001, 1e-6])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_how_many_messages_it_takes(rate, confidence):
    needed = negatives_needed(rate, confidence)
    assert needed == ceil(log(1 - confidence) / np.log1p(-rate))
    assert lowest_rate(needed, confidence) <= rate * (1 + 1e-9) < lowest_rate(needed - 1, confidence) * (1 + 2e-9)
    assert negatives_needed(rate, None) == round(1 / rate) - 1
    for k in (1, 5):
        n = negatives_needed(rate, confidence, k)
        assert n > negatives_needed(rate, confidence, k - 1)


@pytest.mark.parametrize("scores", ["continuous", "of five values"])
@pytest.mark.parametrize("confidence", [0.9, 0.5])
def test_the_rate_is_held_as_often_as_is_said(scores, confidence):
    """The true rate of a threshold is known, because the distribution is."""
    random, n, rate, times = np.random.default_rng(0), 80, 0.1, 600
    broken = 0
    for _ in range(times):
        s = random.random(n) if scores == "continuous" else random.integers(0, 25, n) // 5 * 0.2
        found = rate_threshold(judged(s), rate, confidence)
        t = found.decibans / (10 / log(10))
        true = 1 - t if scores == "continuous" else float(np.mean(np.arange(5) * 0.2 > t))
        broken += true > rate
    doubt = 1 - confidence
    assert broken / times <= doubt + 3 * (doubt * confidence / times) ** 0.5
    if scores == "continuous":
        exact = float(below(n, Fraction(1, 10))[found.allowed])
        assert broken / times == pytest.approx(exact, abs=4 * (exact * (1 - exact) / times) ** 0.5)


def test_on_average_the_rate_is_the_share_of_the_order_statistic():
    random, n, times = np.random.default_rng(1), 59, 800
    true = []
    for _ in range(times):
        found = rate_threshold(judged(random.random(n)), 0.05, None)
        true.append(1 - found.decibans / (10 / log(10)))
    assert (found.allowed, found.bound) == (2, 0.05)
    assert np.mean(true) == pytest.approx(0.05, abs=4 * np.std(true) / times**0.5)


@given(st.integers(0, 2**32), st.integers(60, 200))
def test_what_is_asked_for_less_is_a_lower_threshold(seed, n):
    random = np.random.default_rng(seed)
    said = judged(random.normal(size=n), random.normal(3.0, 1.0, 30))
    by_rate = [rate_threshold(said, rate).decibans for rate in (0.05, 0.1, 0.2, 0.5)]
    assert by_rate == sorted(by_rate, reverse=True)
    by_confidence = [rate_threshold(said, 0.2, confidence) for confidence in (0.99, 0.9, 0.6)]
    told = [each.decibans for each in by_confidence]
    assert told == sorted(told, reverse=True)
    assert all(each.recall_interval[0] <= each.recall <= each.recall_interval[1] for each in by_confidence)


@pytest.mark.parametrize("place", [0, 1])
@given(st.integers(0, 2**32))
def test_counts_are_those_of_the_examples(place, seed):
    random = np.random.default_rng(seed)
    negative, positive = random.integers(-4, 5, 90) / 2.0, random.integers(-2, 8, 20) / 2.0
    said = judged(negative, positive, place)
    found = rate_threshold(said, 0.15, positive=CLASSES[place])
    nats = found.decibans / (10 / log(10))
    order = np.sort(negative)[::-1]
    assert found.above == (negative > nats).sum() <= found.allowed
    assert found.found == (positive > nats).sum()
    assert order[found.allowed] < nats
    assert (found.negatives, found.positives, found.positive) == (90, 20, CLASSES[place])
    assert found.decibans == round(found.decibans, 2)
    told = found.to_json()
    assert told["recall"] == found.found / 20
    assert told["recall_interval"] == list(found.recall_interval)


def test_rest_of_many_classes():
    random = np.random.default_rng(3)
    log_p = np.log(random.dirichlet([4.0, 1.0, 1.0], 100))
    said = Judgements(("a", "b", "c"), random.integers(0, 3, 100), log_p)
    found = rate_threshold(said, 0.2, 0.9, "c")
    assert (found.negatives, found.positives) == ((said.y != 2).sum(), (said.y == 2).sum())


def test_sure_and_impossible_examples():
    sure = judged(np.array([-np.inf] * 40 + [np.inf] * 40))
    assert rate_threshold(sure, 0.1).decibans == np.inf
    assert rate_threshold(sure, 0.1).found == 0
    assert rate_threshold(sure, 0.9).decibans < -1e300
    alone = rate_threshold(judged(np.zeros(40)), 0.1)
    assert (alone.recall, alone.positives, alone.above) == (None, 0, 0)


def test_on_average_it_flags_what_conformal_prediction_flags():
    random = np.random.default_rng(5)
    said, new = judged(random.normal(size=150), random.normal(3, 1, 10)), judged(random.normal(1, 2, 300))
    found = rate_threshold(said, 0.05, None)
    flagged = Conformal.of(said).flag(new.log_p, 0.05, "ham")
    odds = new.log_odds(1)
    above = odds > found.decibans / (10 / log(10))
    last = np.sort(said.log_odds(1)[said.y == 0])[::-1][found.allowed]
    assert (flagged == (odds > last)).all()
    assert (above <= flagged).all()
    assert above.sum() >= flagged.sum() - 3
