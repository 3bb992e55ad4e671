"""No verdict claims more than the examples behind it can tell, whatever the model; the order of scores stays."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from deciban import NaiveBayes, TextClassifier
from deciban.claims import UNBOUNDED, Claims
from deciban.conventions import DECIBANS_PER_NAT
from deciban.judging import first_two, verdict_of
from deciban.scores import log_posterior
from deciban.scores.evidence import claimed
from deciban.verdict import Threshold
from laws.explained import explained

EXAMPLES = st.one_of(st.integers(0, 10**6).map(float), st.floats(1e-3, 1e9))
SCORES = st.lists(st.floats(-40.0, 40.0), min_size=2, max_size=5)


@given(EXAMPLES, SCORES)
def test_it_is_the_share_that_one_even_example_more_leaves(n, scores):
    p = [math.exp(each) for each in log_posterior(scores)]
    wanted = [(Fraction(n) * Fraction(each) + Fraction(1, len(p))) / (Fraction(n) + 1) for each in p]
    found = Claims(n).log_p(scores)
    assert_allclose(np.exp(found), [float(each) for each in wanted], rtol=1e-9)
    assert_allclose(found, claimed(np.array([scores]), Claims(n))[0], rtol=1e-12, atol=1e-12)


@given(EXAMPLES, SCORES)
def test_the_odds_of_a_pair_are_those_of_its_probabilities(n, scores):
    pair, said = first_two(scores), Claims(n).log_p(scores)
    known = Claims(n).pair(scores, pair)
    assert known.odds(known.raw) == pytest.approx(said[pair[0]] - said[pair[1]], rel=1e-9, abs=1e-9)
    assert known.factor * known.raw == pytest.approx(known.odds(known.raw), rel=1e-9, abs=1e-12)
    assert 0.0 <= known.factor <= 1.0 + 1e-12
    assert known.odds(-known.raw) == -known.odds(known.raw)


@given(st.floats(1.0, 1e9), st.floats(-30.0, 30.0), st.floats(1e-3, 5.0))
def test_more_evidence_claims_more_and_never_more_than_the_examples(n, odds, more):
    claims = Claims(n)
    assert claims.odds(odds) < claims.odds(odds + more) <= math.log(2.0 * n + 1.0) * (1.0 + 1e-12)
    assert abs(claims.odds(odds)) <= abs(odds) * (1.0 + 1e-12)
    assert claims.odds(1e4) == pytest.approx(math.log(2.0 * n + 1.0))


@given(st.lists(st.floats(-60.0, 60.0) | st.just(-math.inf), min_size=2, max_size=5), EXAMPLES)
def test_a_class_that_nothing_can_speak_for_claims_nothing(scores, n):
    scores[0] = 0.0
    found = Claims(n).log_p(scores)
    assert [each == -math.inf for each in found] == [each == -math.inf for each in scores]
    assert math.fsum(map(math.exp, found)) == pytest.approx(1.0)
    assert_allclose(found, claimed(np.array([scores]), Claims(n))[0], rtol=1e-12, atol=1e-12)
    assert_allclose(Claims().log_p(scores), log_posterior(scores), rtol=1e-12, atol=1e-15)


@given(SCORES, st.floats(0.0, 30.0), EXAMPLES | st.just(math.inf), st.data())
def test_interval_probability_and_unsure_never_contradict(scores, half, n, draw):
    pair = first_two(scores)
    raw = scores[pair[0]] - scores[pair[1]]
    threshold = draw.draw(st.none() | st.builds(Threshold, st.sampled_from([0, 1]), st.just(3.0), st.just(3.0)))
    threshold = threshold if len(scores) == 2 else None
    found = verdict_of("abcde"[: len(scores)], scores, pair, (raw - half, raw + half), 10.0, threshold, Claims(n))
    assert found.interval[0] - 1e-9 <= found.decibans <= found.interval[1] + 1e-9
    p, q = found.probability[found.label], found.probability[found.against]
    assert found.decibans == pytest.approx(10.0 * math.log10(p / q), rel=1e-6, abs=1e-6)
    if threshold is None:
        assert p == max(found.probability.values())
        assert found.unsure == (found.decibans < 10.0 or found.interval[0] <= 0.0)


KINDS = [f"{kind} {model}" for kind in ("text", "mail") for model in ("naive-bayes", "nbsvm", "svm", "online")]


@pytest.mark.parametrize("C", [2, 3])
@pytest.mark.parametrize("name", [*KINDS, "text kernel-svm", "text mlp"])
def test_explanations_sum_to_what_is_claimed(name, C):
    known, asked = explained(name, C)
    n = known.served_.claims.examples
    log_p, joint = known.predict_log_proba(asked), known.predict_joint_log_proba(asked)
    assert math.isfinite(n)
    assert n == sum(known.model_.certificate().class_counts.values())
    assert_allclose(log_p, claimed(joint, Claims(n)), atol=1e-12)
    for why, said, raw in zip(known.explain(asked), log_p, joint, strict=True):
        first, second = first_two(raw.tolist())
        assert why.decibans == pytest.approx((said[first] - said[second]) * DECIBANS_PER_NAT, rel=1e-9, abs=1e-9)
        assert why.decibans <= 10.0 * math.log10(C * n + 1.0) + 1e-9
        total = why.prior_decibans + math.fsum(term.decibans for term in why.terms)
        assert total == pytest.approx(why.decibans, abs=1e-9)
        assert total / why.claimed == pytest.approx((raw[first] - raw[second]) * DECIBANS_PER_NAT, rel=1e-6, abs=1e-6)


def test_what_is_not_calibrated_says_what_it_says():
    texts, labels = ["cheap pills", "cheap loan", "lunch at noon", "noon"], ["spam", "spam", "ham", "ham"]
    raw = TextClassifier("naive-bayes", calibration=None).fit(texts, labels)
    assert raw.served_.claims == UNBOUNDED
    assert_allclose(raw.predict_log_proba(texts), log_posterior(raw.predict_joint_log_proba(texts)))
    X, y = np.array([[0.0], [0.1], [5.0], [5.1]]), ["a", "a", "b", "b"]
    plain = NaiveBayes("gaussian").fit(X, y)
    assert_allclose(plain.predict_log_proba(X), log_posterior(plain.predict_joint_log_proba(X)))
    held = NaiveBayes("gaussian", calibration="affine").fit(X, y)
    assert_allclose(held.predict_log_proba(X), claimed(held.predict_joint_log_proba(X), Claims(4.0)))
    for why, p in zip(held.explain(X), held.predict_proba(X), strict=True):
        assert why.probability == pytest.approx(p.max())
        assert why.prior_decibans + sum(term.decibans for term in why.terms) == pytest.approx(why.decibans)
