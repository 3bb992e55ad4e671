"""Laws of the evaluation: the ROC area by counting pairs, exact intervals, and what adds up to what."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy.stats import binom, norm
from sklearn.metrics import log_loss, roc_auc_score

from deciban.certificates.intervals import clopper_pearson
from deciban.evaluation.evaluation import evaluate
from deciban.evaluation.roc import inversions, roc

BINARY = ["ham", "spam"]


@st.composite
def ranked(draw, smallest=1):
    """Scores from a few values, so that ties are common, and the truth."""
    n = draw(st.integers(smallest, 40))
    scores = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.5, 2.0, 7.0])))
    return scores, draw(hnp.arrays(np.bool_, n))


def both_kinds(truth):
    return truth.any() and not truth.all()


def two_columns(s):
    return np.column_stack([1 / (1 + np.exp(s)), 1 / (1 + np.exp(-s))])


def labelled(truth):
    return np.where(truth, "spam", "ham")


def counted_pair_by_pair(scores, truth):
    wrong = 0.0
    for p in scores[truth]:
        for q in scores[~truth]:
            wrong += 1.0 if q > p else 0.5 if q == p else 0.0
    return wrong


@given(ranked())
def test_inversions_are_the_pairs_counted_one_by_one(case):
    scores, truth = case
    assert inversions(scores, truth) == counted_pair_by_pair(scores, truth)


@given(ranked(), st.data())
def test_a_weight_is_a_repetition(case, data):
    scores, truth = case
    times = data.draw(hnp.arrays(np.int64, len(scores), elements=st.integers(0, 4)))
    repeated = inversions(np.repeat(scores, times), np.repeat(truth, times))
    assert inversions(scores, truth, times.astype(float)) == repeated


@given(ranked(2))
def test_roc_area_is_scikit_learns_and_one_less_its_complement(case):
    scores, truth = case
    found = evaluate(labelled(truth), two_columns(scores), BINARY)
    if not both_kinds(truth):
        assert found.roc_area is None
        assert found.one_minus_roca_percent is None
        assert "both classes" in found.notes[-1]
        return
    assert_allclose(found.roc_area, roc_auc_score(truth, scores), rtol=0, atol=1e-12)
    assert found.roc_area + found.one_minus_roca_percent / 100 == pytest.approx(1, abs=1e-15)


@given(ranked(2))
def test_a_monotone_transform_changes_nothing_in_the_ranking(case):
    scores, truth = case
    before = roc(scores, truth, seed=3)
    assert roc(np.arctan(scores) * 5 + 2, truth, seed=3) == before
    assert roc(-scores, ~truth, seed=3).inverted == before.inverted


@given(ranked(2))
def test_reversing_the_order_turns_the_area_over(case):
    scores, truth = case
    if both_kinds(truth):
        assert roc(scores, truth).inverted + roc(-scores, truth).inverted == pytest.approx(1, abs=1e-15)


@given(ranked(2), st.sampled_from([0.25, 0.5, 0.75]))
def test_which_class_is_called_positive_only_swaps_the_two_kinds_of_mistake(case, threshold):
    scores, truth = case
    given_ = labelled(truth), two_columns(scores), BINARY
    spam = evaluate(*given_, positive="spam", threshold=threshold)
    ham = evaluate(*given_, positive="ham", threshold=1 - threshold)
    assert (spam.false_positives, spam.false_negatives) == (ham.false_negatives, ham.false_positives)
    assert (spam.errors, spam.log_loss, spam.roc_area) == (ham.errors, ham.log_loss, ham.roc_area)
    assert spam.confusion.tolist() == ham.confusion.tolist()


@given(ranked(2))
def test_the_parts_add_up(case):
    scores, truth = case
    found = evaluate(labelled(truth), two_columns(scores), BINARY)
    kinds = [kind for kind in (found.false_positives, found.false_negatives) if kind]
    assert sum(kind.errors for kind in kinds) == found.errors == found.n - np.trace(found.confusion)
    assert sum(kind.n for kind in kinds) == found.n == found.confusion.sum()
    assert found.interval[0] <= found.error <= found.interval[1]


def test_at_the_threshold_the_first_class_wins_as_in_argmax():
    p = np.array([[0.5, 0.5]])
    for positive in BINARY:
        assert evaluate(["ham"], p, BINARY, positive=positive).errors == 0
        assert evaluate(["spam"], p, BINARY, positive=positive).errors == 1


def test_probabilities_that_round_to_one_still_rank_by_the_other_column_and_scores_rank_all():
    truth = ["ham", "spam"]
    p = np.array([[1e-20, 1.0], [1e-30, 1.0]])
    assert evaluate(truth, p, BINARY).roc_area == 1.0
    saturated = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert evaluate(truth, saturated, BINARY).roc_area == 0.5
    assert evaluate(truth, saturated, BINARY, scores=[800.0, 900.0]).roc_area == 1.0
    assert evaluate(truth, saturated, BINARY, scores=[[0, 800], [0, 900]], positive="ham").roc_area == 1.0


# --- the exact interval ------------------------------------------------------------------------------------


@given(st.integers(1, 60), st.data())
def test_clopper_pearson_ends_leave_each_binomial_tail_at_2_5_per_cent(n, data):
    errors = data.draw(st.integers(0, n))
    low, high = clopper_pearson(errors, n)
    tail = lambda p, seen: math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in seen)  # noqa: E731
    assert low == 0 if errors == 0 else tail(low, range(errors, n + 1)) == pytest.approx(0.025, rel=1e-9)
    assert high == 1 if errors == n else tail(high, range(errors + 1)) == pytest.approx(0.025, rel=1e-9)


@pytest.mark.parametrize("share", [0.001, 0.02, 0.3])
def test_clopper_pearson_covers_at_least_95_per_cent_whatever_the_share(share):
    n = 200
    covered = [low <= share <= high for low, high in (clopper_pearson(k, n) for k in range(n + 1))]
    exact = float(binom.pmf(np.arange(n + 1), n, share) @ np.array(covered))
    assert 0.95 <= exact < 1
    drawn = np.random.default_rng(1).binomial(n, share, 4000)
    assert np.mean([covered[k] for k in drawn]) == pytest.approx(exact, abs=0.015)


@pytest.mark.deep
def test_bootstrap_interval_covers_the_true_area_about_95_times_in_100():
    """Binormal scores: the ROC area is Φ(d/√2)."""
    truth_share = 1 - norm.cdf(1.5 / np.sqrt(2))
    truth = np.arange(300) < 100
    hits = []
    for seed in range(600):
        scores = np.random.default_rng(seed).normal(size=300) + 1.5 * truth
        low, high = roc(scores, truth, seed).interval
        hits.append(low <= truth_share <= high)
    assert 0.93 <= np.mean(hits) <= 0.97


def test_the_interval_contains_the_estimate_and_the_seed_decides_it():
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.3
    scores = rng.normal(size=400) + truth
    one, again, other = (roc(scores, truth, seed) for seed in (1, 1, 2))
    assert one == again != other
    assert one.interval[0] < one.inverted < one.interval[1]


@pytest.mark.parametrize("scores", [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]])
def test_a_perfect_order_has_no_interval_and_says_so(scores):
    found = roc(np.array(scores), np.array([False, False, True, True]))
    assert found.interval is None
    assert found.notes == ("The ROC area has no bootstrap interval: no two items are in doubt.",)


# --- log loss, many classes, labels never seen -------------------------------------------------------------


@given(st.integers(2, 5), st.integers(1, 30), st.integers(0, 99))
def test_many_classes_agree_with_scikit_learn(C, n, seed):
    rng = np.random.default_rng(seed)
    names = [f"class {c}" for c in range(C)]
    p = rng.dirichlet(np.ones(C), n)
    truth = rng.integers(0, C, n)
    found = evaluate([names[c] for c in truth], p, names)
    assert found.errors == np.sum(p.argmax(axis=1) != truth)
    assert found.log_loss == pytest.approx(log_loss(truth, p, labels=range(C)), rel=1e-12)
    if C > 2 and len(set(truth)) == C:
        assert found.roc_area == pytest.approx(roc_auc_score(truth, p, multi_class="ovr"), abs=1e-12)
    for c, each in enumerate(found.per_class):
        right, named = int(found.confusion[c, c]), int(found.confusion[:, c].sum())
        assert each.support == int(np.sum(truth == c))
        assert each.precision == (pytest.approx(right / named) if named else None)
        assert each.recall == (pytest.approx(right / each.support) if each.support else None)
        both = named + each.support
        assert each.f1 == (pytest.approx(2 * right / both) if both else None)


def test_log_loss_is_clipped_only_against_log_0():
    def loss(p):
        return evaluate(["ham"], [[p, 1 - p]], BINARY).log_loss

    assert loss(1.0) == 0.0
    assert math.copysign(1, loss(1.0)) == 1.0
    assert loss(1e-300) == pytest.approx(300 * math.log(10))
    assert loss(0.0) == pytest.approx(708.396, abs=1e-3)


def test_a_label_never_seen_is_an_error_and_is_said():
    p = [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]
    found = evaluate(["ham", "spam", "phish"], p, BINARY)
    assert (found.n, found.errors, found.unseen) == (3, 1, {"phish": 1})
    assert found.confusion.tolist() == [[1, 0], [0, 1]]
    assert found.notes[0] == "1 of 3 labels were never seen in training: phish (1); each is an error."
    assert found.per_class[1].precision == 0.5
    assert found.log_loss == evaluate(["ham", "spam"], p[:2], BINARY).log_loss


def test_labels_of_any_type_come_back_and_json_is_plain():
    truth = np.array([0, 1, 1, 0, 1])
    p = two_columns(np.array([-1.0, 2.0, -0.2, 0.3, 1.0]))
    found = evaluate(truth, p, np.array([0, 1]))
    written = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert (written["n"], written["errors"], written["error"]) == (5, 2, 0.4)
    assert written["classes"] == [0, 1]
    assert written["positive"] == 1
    assert written["confusion"] == [[1, 1], [1, 2]]
    assert written["interval"] == list(found.interval)
    assert written["false_positives"] == {
        "errors": 1,
        "n": 2,
        "rate": 0.5,
        "interval": list(clopper_pearson(1, 2)),
    }
    assert written["one_minus_roca_percent"] == pytest.approx(100 / 6)
    assert math.isfinite(written["log_loss"])
