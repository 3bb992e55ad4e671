"""Laws of operating points: counts from the definition, areas by other ways, and the least cost by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import auc

from deciban.evaluation.evaluation import evaluate
from deciban.evaluation.judgements import Judgements
from deciban.evaluation.roc import inversions, operating_points
from deciban.report.judged import MOST, thin
from laws.opinions import EVERY, MANY, TWO, of_odds, opinions, two
from tiers import examples

THRESHOLDS = [0.0, 0.1, 0.5, 0.56, 0.9, 1.0]


def every(names=EVERY):
    return pytest.mark.parametrize("name", list(names))


def ways_of(said):
    """Of two classes the positive one; of many each in its turn."""
    return [(c, operating_points(said, c)) for c in said.classes]


@every()
def test_each_way_counts_what_is_above_its_threshold(name):
    said = EVERY[name]
    for c, ways in ways_of(said):
        side = said.classes.index(c)
        s, member = said.log_odds(side), said.y == side
        assert (np.diff(ways.odds) < 0.0).all()
        assert (ways.found[0], ways.alarms[0]) == (0, 0)
        assert (ways.positives, ways.negatives) == (member.sum(), (~member).sum())
        for k in np.unique(np.linspace(0, len(ways.odds) - 1, 30).astype(int)):
            called = s >= ways.odds[k]
            assert ways.found[k + 1] == (called & member).sum()
            assert ways.alarms[k + 1] == (called & ~member).sum()


@given(opinions())
def test_the_area_is_the_pairs_in_order(said):
    ways = operating_points(said)
    s, member = said.log_odds(1), said.y == 1
    if ways.one_sided:
        assert ways.roc_area is None
        return
    assert ways.roc_area == pytest.approx(1.0 - inversions(s, member) / (member.sum() * (~member).sum()), abs=1e-12)
    assert ways.roc_area == pytest.approx(auc(ways.false_positive_rate, ways.true_positive_rate), abs=1e-12)
    assert operating_points(said, "ham").roc_area == pytest.approx(ways.roc_area, abs=1e-12)


@examples(5)
@given(opinions())
def test_precision_between_two_ways_is_that_of_their_mixture(said):
    """Davis & Goadrich: t of the next group's examples are called besides, drawn at random."""
    ways = operating_points(said)
    recall, precision = ways.precision_recall(64)
    if not ways.positives:
        assert np.isnan(recall).all()
        assert ways.precision_recall_area is None
        return
    assert (np.diff(recall) >= -1e-15).all()
    assert ((precision >= 0.0) & (precision <= 1.0)).all()
    area = 0.0
    for k in range(len(ways.odds)):
        tp, fp, more, wrong = ways.found[k], ways.alarms[k], *(np.diff(each)[k] for each in (ways.found, ways.alarms))
        t = (np.arange(1000) + 0.5) / 1000
        mixed = (tp + t * more) / (tp + t * more + fp + t * wrong)
        area += more * mixed.mean() / ways.positives
        inside = (recall > tp / ways.positives + 1e-12) & (recall < (tp + more) / ways.positives - 1e-12)
        share = (recall[inside] * ways.positives - tp) / max(more, 1)
        right = tp + share * more
        assert_allclose(precision[inside], right / (right + fp + share * wrong), atol=1e-12)
    assert ways.precision_recall_area == pytest.approx(area, abs=1e-3)


def test_the_straight_line_between_points_of_precision_and_recall_promises_too_much():
    ways = operating_points(of_odds([2.0] * 5 + [0.0] * 95, [1] * 5 + [1] * 5 + [0] * 90))
    recall, precision = ways.precision_recall()
    middle = np.interp(0.75, recall, precision)
    assert middle < 0.5 * (1.0 + 0.1) / 2.0
    assert ways.precision_recall_area < 0.7


@pytest.mark.each_once
@every(TWO)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_the_way_at_a_threshold_errs_as_the_evaluation_says(name, threshold):
    said = TWO[name]
    labels = [said.classes[c] for c in said.y]
    for c in said.classes:
        found = evaluate(labels, np.exp(said.log_p), said.classes, positive=c, threshold=threshold)
        ways = operating_points(said, c)
        way = ways.at(threshold)
        alarms, missed = found.false_positives, found.false_negatives
        assert ways.alarms[way] == (0 if alarms is None else alarms.errors)
        assert ways.positives - ways.found[way] == (0 if missed is None else missed.errors)


@every()
def test_the_envelope_is_the_least_cost_of_all_ways(name):
    x = np.linspace(0.0, 1.0, 101)
    for _, ways in ways_of(EVERY[name]):
        if ways.one_sided:
            with pytest.raises(ValueError, match="examples of both sides"):
                ways.lower_envelope()
            continue
        at, cost = ways.lower_envelope()
        few = np.unique(np.linspace(0, len(ways.odds), 150).astype(int))
        least = np.min([ways.cost(int(k), x) for k in {*few.tolist(), *ways.hull().tolist()}], axis=0)
        assert_allclose(np.interp(x, at, cost), least, atol=1e-12)
        assert (np.diff(at) >= 0.0).all()
        assert (least <= np.minimum(x, 1.0 - x) + 1e-12).all()


@given(opinions(), st.sampled_from([(1.0, 1.0), (5.0, 1.0), (1.0, 20.0)]))
def test_the_cost_is_what_the_errors_cost_of_what_all_errors_would(said, costs):
    alarm, miss = costs
    ways = operating_points(said)
    if ways.one_sided:
        return
    x = ways.positives * miss / (ways.positives * miss + ways.negatives * alarm)
    for k in range(len(ways.odds) + 1):
        paid = alarm * ways.alarms[k] + miss * (ways.positives - ways.found[k])
        assert ways.cost(k, x) == pytest.approx(paid / (alarm * ways.negatives + miss * ways.positives), abs=1e-12)


@given(opinions())
def test_only_the_order_of_the_odds_matters(said):
    other = of_odds(3.0 * np.arctan(said.log_odds(1)) + 0.1, said.y)
    one, two_ = operating_points(said), operating_points(other)
    assert_array_equal(one.found, two_.found)
    assert_array_equal(one.alarms, two_.alarms)


@every(MANY)
def test_the_rest_is_one_class(name):
    said = MANY[name]
    side = len(said.classes) - 1
    s = said.log_odds(side)
    alone = of_odds(s, said.y == side)
    one, other = operating_points(said, said.classes[side]), operating_points(alone)
    assert one.roc_area == (None if other.roc_area is None else pytest.approx(other.roc_area, abs=1e-9))


def test_probabilities_that_round_to_1_are_told_apart():
    said = of_odds([800.0, 900.0], [0, 1])
    assert operating_points(said).roc_area == 1.0
    assert operating_points(said, "ham").roc_area == 1.0
    certain = Judgements((0, 1), np.array([0, 1, 1]), np.array([[0.0, -np.inf], [-np.inf, 0.0], [-np.inf, 0.0]]))
    assert operating_points(certain).odds.tolist() == [np.inf, -np.inf]
    assert [operating_points(certain).at(t) for t in (0.0, 0.5)] == [1, 1]


# --- curves with few points --------------------------------------------------------------------------------


def distance(points, x, y):
    """The largest distance of points (n, 2) from a line through (x, y)."""
    a, b = np.column_stack([x, y])[:-1], np.column_stack([x, y])[1:]
    far = np.full(len(points), np.inf)
    for p, q in zip(a, b, strict=True):
        length = max(float((q - p) @ (q - p)), 1e-300)
        t = np.clip((points - p) @ (q - p) / length, 0.0, 1.0)
        far = np.minimum(far, np.linalg.norm(points - p - t[:, None] * (q - p), axis=1))
    return float(far.max())


CURVES = {
    "ROC": lambda: operating_points(two(20_000, 1.0)),
    "a good ROC": lambda: operating_points(two(20_000, 2.5)),
    "tossing a coin": lambda: operating_points(two(5000, 0.0)),
}


@pytest.mark.parametrize("name", list(CURVES))
@pytest.mark.parametrize("which", ["roc", "precision and recall"])
def test_few_points_stand_for_all_without_a_visible_change(name, which):
    ways = CURVES[name]()
    x, y = (ways.false_positive_rate, ways.true_positive_rate) if which == "roc" else ways.precision_recall()
    u, v = thin(x, y)
    assert len(u) <= MOST
    assert {(x[0], y[0]), (x[-1], y[-1])} <= set(zip(u, v, strict=True)) <= set(zip(x, y, strict=True))
    some = np.column_stack([x, y])[:: max(1, len(x) // 2000)]
    assert distance(some, u, v) < 1 / 300  # axes are about 300 pixels wide


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), min_size=2, max_size=60))
def test_a_line_is_thinned_only_by_what_cannot_be_seen(points):
    x, y = np.array(points).T
    assert distance(np.column_stack([x, y]), *thin(x, y)) <= 1.1e-4
    assert len(thin(x, y, 7)[0]) <= 7
