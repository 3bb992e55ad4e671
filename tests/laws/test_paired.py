"""Paired tests: McNemar by exact enumeration, the corrected t beside what it corrects, Holm by its closure."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_rel

from deciban.evaluation.significance import corrected_t, holm, mcnemar
from oracle import paired as oracle

shares = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6)
differences = st.lists(st.floats(-0.5, 0.5).map(lambda d: round(d, 3)), min_size=2, max_size=12)


def wrong(b, c, both=0, neither=0):
    """Whether each of two errs, where b times only the first does, and c times only the second."""
    first = [True] * b + [False] * c + [True] * both + [False] * neither
    second = [False] * b + [True] * c + [True] * both + [False] * neither
    return first, second


# --- McNemar -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("b", range(6))
@pytest.mark.parametrize("c", range(6))
def test_mcnemar_is_exact_enumeration(b, c):
    found = mcnemar(*wrong(b, c, both=2, neither=3))
    assert (found.only_a, found.only_b) == (b, c)
    assert (found.p, found.mid_p) == pytest.approx(oracle.mcnemar(b, c), rel=1e-12)
    assert oracle.mcnemar_counted(b, c) == oracle.mcnemar(b, c)


@given(st.integers(0, 700), st.integers(0, 700))
def test_mcnemar_of_many_is_exact_too(b, c):
    found = mcnemar(*wrong(b, c))
    assert (found.p, found.mid_p) == pytest.approx(oracle.mcnemar_counted(b, c), rel=1e-9, abs=1e-300)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 30), st.integers(0, 30), st.randoms())
def test_what_makes_no_difference_to_mcnemar(b, c, both, neither, random):
    first, second = wrong(b, c, both, neither)
    found, swapped = mcnemar(first, second), mcnemar(second, first)
    assert (swapped.p, swapped.mid_p) == (found.p, found.mid_p)
    order = list(range(len(first)))
    random.shuffle(order)
    assert mcnemar([int(first[i]) for i in order], [int(second[i]) for i in order]) == found
    assert mcnemar(*wrong(b, c)) == found
    assert 0.0 < found.mid_p < found.p <= 1.0


@given(st.integers(1, 200), st.integers(0, 99))
def test_a_more_uneven_split_is_less_probable(n, k):
    k = k % (n // 2 + 1)
    p = [mcnemar(*wrong(m, n - m)) for m in range(k + 1)]
    assert sorted(p, key=lambda each: each.p) == p
    assert sorted(p, key=lambda each: each.mid_p) == p


@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_no_difference_is_called_one_at_most_as_often_as_the_level_says(level):
    sizes = []
    for n in range(1, 60):
        tests = [mcnemar(*wrong(m, n - m)) for m in range(n + 1)]
        exact = sum(comb(n, m) for m, each in enumerate(tests) if each.p <= level) / 2**n
        middle = sum(comb(n, m) for m, each in enumerate(tests) if each.mid_p <= level) / 2**n
        assert exact <= level
        assert exact <= middle <= 2.0 * level
        sizes.append((exact, middle))
    exact, middle = np.mean(sizes, axis=0)
    assert abs(middle - level) < abs(exact - level)


# --- the corrected t ---------------------------------------------------------------------------------------


@given(differences, st.integers(1, 500), st.integers(1, 500))
def test_the_corrected_t_is_its_formula(d, train, test):
    found, d = corrected_t(d, train, test), np.array(d)
    J, s = len(d), d.std(ddof=1)
    assert (found.freedom, found.mean) == (J - 1, pytest.approx(d.mean()))
    if s > 1e-9:
        t = d.mean() / np.sqrt((1 / J + test / train) * s**2)
        assert found.t == pytest.approx(t)
        assert found.p == pytest.approx(2 * student.sf(abs(t), J - 1))
        low, high = found.interval
        assert (low <= 0.0 <= high) == (found.p >= 0.05) or found.p == pytest.approx(0.05)
    other = corrected_t(-d, train, test)
    assert (other.p, other.mean, other.interval) == (found.p, -found.mean, tuple(-end for end in found.interval[::-1]))


@given(differences.filter(lambda d: len({*d}) > 1))
def test_without_overlap_it_is_the_ordinary_one_and_overlap_makes_doubt(d):
    usual = ttest_rel(d, np.zeros(len(d)))
    assert corrected_t(d, 1e15, 1).p == pytest.approx(float(usual.pvalue), rel=1e-6)
    p = [corrected_t(d, train, 100).p for train in (1e15, 900, 400, 100, 50)]
    assert sorted(p) == p


def test_what_does_not_vary():
    assert (corrected_t([0.0, 0.0, 0.0], 4, 1).p, corrected_t([0.1, 0.1], 4, 1).p) == (1.0, 0.0)
    assert corrected_t([0.1, 0.1], 4, 1).to_json() == {
        "mean": 0.1,
        "interval": [0.1, 0.1],
        "t": None,
        "freedom": 1,
        "p": 0.0,
    }


def test_of_differences_that_overlap_as_it_assumes_it_is_wrong_as_often_as_it_says():
    """J differences, any two of which correlate by test/(test + train)."""
    random, J, train, test = np.random.default_rng(0), 10, 90, 10
    shared = np.sqrt(test / (test + train)) * random.normal(size=(4000, 1))
    d = shared + np.sqrt(train / (test + train)) * random.normal(size=(4000, J))
    found = [corrected_t(each, train, test).p <= 0.05 for each in d]
    assert np.mean(found) == pytest.approx(0.05, abs=0.011)


# --- Holm --------------------------------------------------------------------------------------------------


@given(shares)
def test_holm_is_closed_testing_by_bonferroni(p):
    assert holm(p) == pytest.approx(oracle.holm(p))
    assert all(after >= before for after, before in zip(holm(p), p, strict=True))


def test_nothing_to_adjust():
    assert holm([]) == []
