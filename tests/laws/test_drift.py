"""Evidence counts less where labels contradict verdicts more often than these claim, and only there."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban import TextClassifier
from deciban.claims import Claims
from deciban.drift import CHANGED, CONFIRMED, ENOUGH, SLOPES, STEADY, WINDOW, Drift
from deciban.judging import first_two

SEEDS = st.integers(0, 2**32 - 1)


def of_labels(random, n, claims_too_much=1.0, strength=4.0):
    """Log-odds of labels by verdicts that are normal, and claim so many times what is so."""
    z = random.normal(0.0, strength, n)
    right = random.random(n) < 1.0 / (1.0 + np.exp(-np.abs(z)))
    return np.where(right, 1.0, -1.0) * np.abs(z) * claims_too_much


@given(SEEDS, st.integers(20, 500), st.floats(0.5, 6.0))
def test_the_posterior_is_that_of_the_formula(seed, n, strength):
    z = of_labels(np.random.default_rng(seed), n, 3.0, strength)
    found, every = Drift.of(z.tolist()), np.array([1.0, *SLOPES])
    prior = np.array([1.0 - CHANGED, *[CHANGED / len(SLOPES)] * len(SLOPES)])
    likelihood = -np.logaddexp(0.0, -np.outer(every, z)).sum(axis=1)
    posterior = prior * np.exp(likelihood - likelihood.max())
    posterior /= posterior.sum()
    sure = z[np.abs(z) >= math.log(10.0)]
    if (sure > 0.0).sum() < CONFIRMED * len(sure) or posterior[0] >= 1.0 - CHANGED:
        assert found == STEADY
    else:
        slope = posterior @ every
        assert found == pytest.approx((slope, posterior @ (every - slope) ** 2), rel=1e-9)


@pytest.mark.parametrize("strength", [1.0, 3.0, 8.0])
def test_true_verdicts_seldom_count_less(strength):
    """Of 400 histories of calibrated verdicts of every length at most 5 %, and a little chance, halve the evidence."""
    random = np.random.default_rng(7)
    halved = sum(
        any(Drift.of(z[:n]).slope < 0.5 for n in range(ENOUGH, len(z), 10))
        for z in (of_labels(random, 400, 1.0, strength).tolist() for _ in range(400))
    )
    assert halved <= 400 * 0.05 + 3.0 * math.sqrt(400 * 0.05)


@pytest.mark.parametrize("factor", [1.5, 2.0, 4.0])
def test_verdicts_that_claim_too_much_count_what_they_are_worth(factor):
    random = np.random.default_rng(11)
    found = [Drift.of(of_labels(random, WINDOW, factor).tolist()).slope for _ in range(40)]
    assert float(np.median(found)) == pytest.approx(1.0 / factor, rel=0.25)


@given(SEEDS, st.integers(1, 400))
def test_who_labels_mistakes_only_changes_nothing(seed, n):
    z = of_labels(np.random.default_rng(seed), 4 * n, 3.0)
    assert Drift.of(z[z < 0.0].tolist()) == STEADY


@given(SEEDS)
def test_old_labels_are_forgotten(seed):
    random = np.random.default_rng(seed)
    old, new = of_labels(random, 300, 5.0).tolist(), of_labels(random, WINDOW).tolist()
    assert Drift.of(old + new) == Drift.of(new)


@given(
    st.lists(st.floats(-40.0, 40.0), min_size=2, max_size=4, unique=True),
    st.floats(0.1, 1.0),
    st.floats(0.0, 0.1),
    st.floats(0.0, 50.0),
)
def test_the_interval_grows_around_its_score(scores, slope, doubt, variance):
    drift, pair = Drift(slope, doubt), first_two(scores)
    odds = scores[pair[0]] - scores[pair[1]]
    wide = drift.variance(odds, variance)
    assert wide >= variance
    claims = Claims(1000.0)
    low, high = (claims.odds(slope * odds + side * 1.96 * math.sqrt(wide)) for side in (-1.0, 1.0))
    assert low <= claims.odds(slope * odds) <= high


def test_terms_still_sum_to_the_verdict_and_the_label_stays():
    texts = [f"offer {i} cheap pills" if i % 2 else f"lunch {i} at noon" for i in range(60)]
    model = TextClassifier("online").fit(texts, ["spam" if i % 2 else "ham" for i in range(60)])
    served = model.model_.compile()
    changed = replace(served, drift=Drift(0.4, 0.01))
    for text in ("cheap lunch", "pills at noon offer", "nothing of these"):
        before, after, why = served.judge([text])[0], changed.judge([text])[0], changed.explain(text)
        assert after.label == before.label
        assert after.decibans <= before.decibans
        assert why.prior_decibans + math.fsum(term.decibans for term in why.terms) == pytest.approx(after.decibans)
        assert why.decibans == after.decibans
        scores = changed.scores([text])[0]
        assert abs(scores[1] - scores[0]) * 10.0 / math.log(10.0) == pytest.approx(after.decibans)
        assert after.interval[0] <= after.decibans <= after.interval[1]
