"""Laws of costs: the answer that costs least is found by trying all of them, and a threshold says the same."""

from fractions import Fraction
from math import inf, log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from deciban.evaluation import Costs, Judgements, cheapest

LABELS = ("ham", "spam", "news", "list", "rest")
whole = st.integers(0, 20)


@st.composite
def priced(draw, most=5, unsure=True):
    """Costs of whole numbers, the right answer never dearer than another."""
    C = draw(st.integers(2, most))
    right = [draw(whole) for _ in range(C)]
    matrix = [[right[i] + (0 if i == j else draw(whole)) for j in range(C)] for i in range(C)]
    doubt = draw(st.none() | st.integers(max(right), 30)) if unsure else None
    return Costs(LABELS[:C], np.array(matrix, float), doubt)


@st.composite
def posteriors(draw, C, N=6):
    """Rows of small fractions that sum to 1."""
    rows = [[draw(st.integers(0, 9)) for _ in range(C)] for _ in range(N)]
    return [[Fraction(n, sum(row)) for n in row] if sum(row) else [Fraction(1, C)] * C for row in rows]


def logs(rows):
    with np.errstate(divide="ignore"):
        return np.minimum(np.log(np.array(rows, dtype=float)), 0.0)


def tried(costs, p):
    """The expected cost of every answer, exactly; unsure last."""
    matrix = [[Fraction(cost) for cost in row] for row in costs.matrix.tolist()]
    found = [sum(p[i] * matrix[i][j] for i in range(len(p))) for j in range(len(p))]
    return found if costs.unsure is None else [*found, Fraction(costs.unsure)]


@given(st.data())
def test_the_answer_is_the_cheapest_of_all(data):
    costs = data.draw(priced())
    rows = data.draw(posteriors(len(costs.classes)))
    expected, answers = costs.expected(logs(rows)), costs.decide(logs(rows))
    for row, told, answer in zip(rows, expected, answers, strict=True):
        book = tried(costs, row)
        assert_allclose(told, [float(cost) for cost in book], rtol=1e-12, atol=1e-12)
        assert float(book[answer] - min(book)) <= 1e-12
        if costs.unsure is None:
            assert answer >= 0


@given(st.data())
def test_a_row_is_answered_the_same_among_many_as_alone(data):
    costs = data.draw(priced())
    rows = logs(data.draw(posteriors(len(costs.classes))))
    assert_array_equal(costs.decide(rows), np.concatenate([costs.decide(rows[[i]]) for i in range(len(rows))]))


@given(st.data(), st.integers(1, 5))
def test_what_all_answers_cost_more_and_the_unit_do_not_matter(data, unit):
    costs = data.draw(priced(unsure=False))
    shift = np.array([data.draw(whole) for _ in costs.classes], float)[:, None]
    rows = logs(data.draw(posteriors(len(costs.classes))))
    assert_array_equal(Costs(costs.classes, unit * costs.matrix + shift).decide(rows), costs.decide(rows))


@pytest.mark.parametrize("C", [2, 3, 5])
def test_without_costs_it_is_the_most_probable_class(C):
    rows = np.log(np.random.default_rng(C).dirichlet(np.ones(C), 200))
    assert_array_equal(Costs.of(LABELS[:C]).decide(rows), rows.argmax(axis=1))
    assert Costs.of(LABELS[:C]).decide(np.full((1, C), -np.log(C))).tolist() == [0]


@given(priced(most=2), st.sampled_from([0, 1]))
def test_a_threshold_from_costs_equals_brute_force(costs, p):
    regret = costs.matrix - np.diag(costs.matrix)[:, None]
    if regret.any():
        found = costs.threshold(LABELS[p])
        q = np.arange(1, 400) / 400
        rows = np.log(np.column_stack([1.0 - q, q] if p else [q, 1.0 - q]))
        told = costs.expected(rows)
        answers = found.answers(rows)
        assert_allclose(told[np.arange(len(q)), answers], told.min(axis=1), rtol=1e-9, atol=1e-9)
        forced = told[:, :2].argmin(axis=1) == p
        assert found.probability == pytest.approx(q[forced].min(initial=1.0), abs=1 / 399)


def test_odds_are_the_ratio_of_the_costs():
    found = Costs.of(["ham", "spam"], {("ham", "spam"): 99.0}).threshold()
    assert found.decibans == pytest.approx(10 * log10(99))
    assert found.probability == pytest.approx(0.99)
    assert found.unsure is None
    assert Costs.of(["ham", "spam"], {("ham", "spam"): 99.0}).threshold("ham").decibans == pytest.approx(
        -10 * log10(99)
    )
    assert Costs.of(["ham", "spam"], {("spam", "ham"): 0.0}).threshold().decibans == inf


@pytest.mark.parametrize("u", [0.1, 0.25, 0.4, 0.5, 0.7])
def test_unsure_is_chows_rule(u):
    """Of mistakes that cost 1: who is less sure than 1 − u says so; from 1/2 on nobody."""
    found = Costs.of(["a", "b"], unsure=u).threshold()
    if u >= 0.5:
        assert found.unsure is None
    else:
        assert found.unsure == pytest.approx((10 * log10(u / (1 - u)), 10 * log10((1 - u) / u)))
    p = np.array([0.05, 0.2, 0.3, 0.45, 0.55, 0.7, 0.8, 0.95])
    rows = np.log(np.column_stack([1 - p, p]))
    expected = np.where(np.maximum(p, 1 - p) < 1 - u, -1, p > 0.5)
    assert_array_equal(Costs.of(["a", "b"], unsure=u).decide(rows), expected)


def test_probabilities_that_round_to_one_are_told_apart():
    costs = Costs.of(["ham", "spam"], {("ham", "spam"): 1e20})
    assert costs.decide(np.array([[-50.0, 0.0], [-40.0, 0.0]])).tolist() == [1, 0]
    assert costs.threshold().answers(np.array([[-50.0, 0.0], [-40.0, 0.0]])).tolist() == [1, 0]


@given(st.data())
def test_what_is_paid_is_what_each_answer_costs(data):
    costs = data.draw(priced())
    C = len(costs.classes)
    rows = logs(data.draw(posteriors(C)))
    y = np.array([data.draw(st.integers(0, C - 1)) for _ in rows])
    said = Judgements(costs.classes, y, rows)
    answers = costs.decide(rows)
    paid = [costs.unsure if a < 0 else costs.matrix[t, a] for t, a in zip(y, answers, strict=True)]
    found = costs.paid(said)
    assert (found.n, found.mean) == (len(y), pytest.approx(np.mean(paid)))
    assert found.errors == sum(0 <= a != t for t, a in zip(y, answers, strict=True))
    assert found.undecided == (answers < 0).sum()
    assert found.standard_error == pytest.approx(np.std(paid, ddof=1) / len(paid) ** 0.5)
    assert found.to_json() == vars(found)


def test_typed_costs_are_those_given():
    typed = Costs.parse(["ham:spam=100", "spam:ham=2", "unsure=0.5"], ("ham", "spam"))
    given_ = Costs.of(("ham", "spam"), {("ham", "spam"): 100, ("spam", "ham"): 2}, unsure=0.5)
    assert typed.to_json() == given_.to_json()
    assert Costs.parse([], ("ham", "spam"), 0.25).unsure == 0.25
    korean = Costs.parse(["정상:스팸=1e2"], ("스팸", "정상"))
    assert korean.matrix.tolist() == [[0.0, 1.0], [100.0, 0.0]]
    colons = Costs.parse(["a:b:c=3", "c:a:b=4"], ("a:b", "c"))
    assert colons.matrix.tolist() == [[0.0, 3.0], [4.0, 0.0]]
    assert Costs.parse(["0:1=5"], (0, 1)).matrix.tolist() == [[0.0, 5.0], [1.0, 0.0]]


@given(st.data(), st.sampled_from([0, 1]))
def test_the_cheapest_threshold_equals_brute_force(data, p):
    costs = data.draw(priced(most=2, unsure=False))
    if (costs.matrix - np.diag(costs.matrix)[:, None]).any():
        odds = data.draw(st.lists(st.sampled_from([-inf, -3.0, -1.0, 0.0, 0.5, 2.0, inf]), min_size=1, max_size=12))
        y = np.array(data.draw(st.lists(st.sampled_from([0, 1]), min_size=len(odds), max_size=len(odds))))
        s = np.array(odds)
        with np.errstate(over="ignore"):
            both = -np.logaddexp(0.0, np.column_stack([s, -s]))
        said = Judgements(LABELS[:2], y, both if p else both[:, ::-1])
        found = cheapest(said, costs, LABELS[p])
        paid = costs.paid(said, found.answers(said.log_p)).mean
        above = np.array([-inf, -5.0, -2.0, -0.5, 0.2, 1.0, 4.0, inf])[:, None]
        called = np.where(s > above if p else s >= above, p, 1 - p)
        assert paid == pytest.approx(min(costs.realised(y, answers).mean() for answers in called))


def test_of_equally_cheap_thresholds_it_is_the_one_of_the_costs():
    p = np.array([0.1, 0.2, 0.8, 0.9])
    said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log(np.column_stack([1 - p, p])))
    costs = Costs.of(("ham", "spam"), {("ham", "spam"): 2.0})
    assert cheapest(said, costs).decibans == costs.threshold().decibans
    dear = Costs.of(("ham", "spam"), {("ham", "spam"): 50.0})
    assert cheapest(said, dear).decibans == pytest.approx(0.0, abs=6.0)


def test_where_unsure_costs_as_much_as_an_answer_it_is_never_better():
    costs = Costs(LABELS[:2], np.array([[0.0, 0.0], [13.0, 12.0]]), unsure=12.0)
    assert costs.threshold(LABELS[0]).unsure is None
    assert Costs(LABELS[:2], np.array([[0.0, 13.0], [1.0, 0.0]]), unsure=2.0).threshold().unsure is None
