"""Bounds on errors: monotone, solved for each of three, and the numbers of independent formulas."""

from itertools import pairwise
from math import comb, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import beta, binom, binomtest

from deciban import theory
from deciban.theory.statement import farthest, kl

MARGINS = np.random.default_rng(0).uniform(-0.2, 0.9, 400)

# Each as (n, delta) → error, (error, delta) → n, (n, error) → delta.
SOLVED = {
    "hoeffding": (
        lambda n, delta: theory.hoeffding(n, delta),
        lambda error, delta: theory.hoeffding(delta=delta, epsilon=error),
        lambda n, error: theory.hoeffding(n, epsilon=error),
    ),
    "hoeffding of 1000": (
        lambda n, delta: theory.hoeffding(n, delta, 1000),
        lambda error, delta: theory.hoeffding(delta=delta, hypotheses=1000, epsilon=error),
        lambda n, error: theory.hoeffding(n, hypotheses=1000, epsilon=error),
    ),
    "vc": (
        lambda n, delta: theory.vc(n, 4, 0.1, delta),
        lambda error, delta: theory.vc(None, 4, 0.1, delta, error=error),
        lambda n, error: theory.vc(n, 4, 0.1, error=error),
    ),
    "vc, sauer": (
        lambda n, delta: theory.vc(n, 4, 0.1, delta, growth="sauer"),
        lambda error, delta: theory.vc(None, 4, 0.1, delta, error=error, growth="sauer"),
        lambda n, error: theory.vc(n, 4, 0.1, error=error, growth="sauer"),
    ),
    "binomial": (
        lambda n, delta: theory.binomial(7, n, delta),
        lambda error, delta: theory.binomial(7, None, delta, error=error),
        lambda n, error: theory.binomial(7, n, error=error),
    ),
    "binomial, two sides": (
        lambda n, delta: theory.binomial(7, n, delta, side="two"),
        lambda error, delta: theory.binomial(7, None, delta, error=error, side="two"),
        lambda n, error: theory.binomial(7, n, error=error, side="two"),
    ),
    "compression": (
        lambda n, delta: theory.compression(3, n, delta, errors=2),
        lambda error, delta: theory.compression(3, None, delta, errors=2, error=error),
        lambda n, error: theory.compression(3, n, errors=2, error=error),
    ),
    "margins": (
        lambda n, delta: theory.pac_bayes(MARGINS, delta, n=n),
        lambda error, delta: theory.pac_bayes(MARGINS, delta, error=error),
        lambda n, error: theory.pac_bayes(MARGINS, n=n, error=error),
    ),
}


@pytest.fixture(params=SOLVED)
def solved(request):
    return SOLVED[request.param]


@pytest.mark.parametrize("n", [20, 300, 45_000])
@pytest.mark.parametrize("delta", [0.3, 0.05, 1e-9])
def test_each_of_three_is_found_again(solved, n, delta):
    error, size, confidence = solved
    found = float(error(n, delta))
    if found >= 1.0 - 1e-9:
        return  # no error of 1 can be asked for; what is vacuous is looked at below
    assert float(confidence(n, found)) == pytest.approx(delta, rel=1e-6)
    enough = size(found * (1 + 1e-12), delta).value
    assert type(enough) is int
    assert enough <= n
    assert float(error(enough, delta)) <= found * (1 + 1e-12)
    if enough > 20:
        assert float(error(enough - 1, delta)) > found


def test_more_examples_and_less_confidence_bring_the_bound_down(solved):
    error = solved[0]
    sizes = [float(error(n, 0.05)) for n in (20, 21, 50, 1000, 10**5, 10**7)]
    assert all(a > b for a, b in pairwise(sizes) if a < 1.0)
    assert all(a >= b for a, b in pairwise(sizes))
    deltas = [float(error(500, delta)) for delta in (1e-12, 1e-3, 0.05, 0.5)]
    assert all(a > b for a, b in pairwise(deltas))


def test_a_higher_error_is_more_probable_and_needs_fewer_examples(solved):
    _, size, confidence = solved
    assert all(a >= b for a, b in pairwise(float(confidence(2000, e)) for e in (0.2, 0.3, 0.6, 0.9)))
    assert all(a >= b for a, b in pairwise(float(size(e, 0.05)) for e in (0.45, 0.5, 0.7, 0.9)))


@given(st.integers(0, 60), st.integers(60, 400), st.floats(1e-6, 0.4))
def test_the_binomial_tail_is_inverted_exactly(k, n, delta):
    upper, lower, two = (theory.binomial(k, n, delta, side=side) for side in ("upper", "lower", "two"))
    if k < n:
        assert binom.cdf(k, n, float(upper)) == pytest.approx(delta, rel=1e-6)
        assert float(upper) == pytest.approx(beta.isf(delta, k + 1, n - k), rel=1e-9)
    if k > 0:
        assert binom.sf(k - 1, n, float(lower)) == pytest.approx(delta, rel=1e-6)
    told = binomtest(k, n).proportion_ci(1 - delta, "exact")
    assert two.given["interval"] == pytest.approx([told.low, told.high], abs=1e-12)
    assert float(two) == two.given["interval"][1] >= float(upper) >= k / n >= float(lower) >= two.given["interval"][0]
    inner = theory.binomial(k, n, min(0.9, 2 * delta), side="two").given["interval"]
    assert two.given["interval"][0] <= inner[0] <= inner[1] <= two.given["interval"][1]


@pytest.mark.parametrize(("k", "n", "p"), [(0, 50, 0.02), (3, 500, 0.02), (499, 500, 0.9), (500, 500, 0.9)])
def test_how_sure_one_may_be_is_the_tail(k, n, p):
    assert float(theory.binomial(k, n, error=p)) == pytest.approx(binom.cdf(k, n, p), rel=1e-9)
    assert float(theory.binomial(k, n, error=p, side="lower")) == pytest.approx(binom.sf(k - 1, n, p), rel=1e-9)
    assert float(theory.binomial(k, n, error=p, side="two")) == pytest.approx(2 * binom.cdf(k, n, p), rel=1e-9)


def test_a_tiny_tail_keeps_its_digits():
    assert float(theory.binomial(0, 100, 1e-30)) == pytest.approx(-np.expm1(log(1e-30) / 100), rel=1e-12)


def test_hoeffding_is_the_formula():
    assert float(theory.hoeffding(1000, 0.05)) == pytest.approx(sqrt(log(2 / 0.05) / 2000))
    assert float(theory.hoeffding(1000, 0.05, 10)) == pytest.approx(sqrt(log(20 / 0.05) / 2000))
    assert float(theory.hoeffding(200, hypotheses=3, epsilon=0.1)) == pytest.approx(6 * np.exp(-4))
    assert float(theory.hoeffding(epsilon=0.05)) == np.ceil(log(2 / 0.05) / 2 / 0.05**2)
    assert float(theory.hoeffding(50, hypotheses=10**400)) == pytest.approx(sqrt((log(40) + 400 * log(10)) / 100))


def test_vc_gives_the_numbers_of_the_book():
    """Learning from Data, examples 2.5 (0.848) and 2.6 (about 30,000)."""
    assert float(theory.vc(100, 1, delta=0.1)) == pytest.approx(0.848, abs=5e-4)
    assert float(theory.vc(dimension=3, delta=0.1, error=0.1)) == pytest.approx(30_000, rel=0.03)
    assert float(theory.vc(5000, 3, 0.02, 0.1)) == pytest.approx(0.02 + sqrt(8 / 5000 * log(4 * (10**12 + 1) / 0.1)))
    tight = theory.vc(5000, 3, 0.02, 0.1, growth="sauer")
    m = sum(comb(10_000, i) for i in range(4))
    assert float(tight) == pytest.approx(0.02 + sqrt(8 / 5000 * log(4 * m / 0.1)))


@pytest.mark.parametrize("n", [1, 2, 7, 40, 300])
@pytest.mark.parametrize("d", [1, 2, 5, 39, 400])
def test_the_growth_function_is_the_sum_and_below_its_bound(n, d):
    exact = sum(comb(n, i) for i in range(min(n, d) + 1))
    told = theory.growth(n, d)
    assert told.given["log"] == pytest.approx(log(exact), rel=1e-12)
    if exact < 2**40:
        assert float(told) == exact
    assert told.given["log"] <= theory.growth(n, d, "polynomial").given["log"] + 1e-12
    assert theory.growth(n, d, "polynomial").given["log"] == pytest.approx(log(n**d + 1), rel=1e-12)
    assert bool(told.vacuous) == (exact == 2**n)


def test_growth_overflows_nowhere():
    told = theory.growth(10**200, 1000)
    assert (float(told), told.vacuous) == (inf, "")
    assert told.given["log"] == pytest.approx(1000 * log(10**200) - sum(map(log, range(1, 1001))), rel=1e-9)
    assert theory.growth(10**6, inf).vacuous
    assert 0.0 < float(theory.vc(10**300, 10**3)) < 1e-140
    sum_, entropy = (theory.growth(10**8, d).given["log"] for d in (10**6, 10**6 + 1))
    assert sum_ < entropy < 1.0001 * sum_  # where the sum has too many terms
    assert theory.growth(10**20, 10**12).given["log"] < 10**12 * (1 + log(10**8)) * (1 + 1e-12)
    assert theory.growth(10**13, 6 * 10**12).vacuous


@given(st.floats(0.0, 1.0), st.floats(0.0, 5.0))
def test_kl_is_inverted_from_above(q, nats):
    p = float(farthest(q, nats))
    assert q <= p <= 1.0
    assert p == 1.0 or kl(q, p) >= nats * (1 - 1e-12)
    assert kl(q, max(q, p - 1e-6)) <= nats + 1e-12
    assert p <= q + sqrt(nats / 2) + 1e-7  # Pinsker


def test_compression_without_errors_is_exact():
    k, n, delta = 5, 300, 0.05
    expected = 1.0 - (delta / (n * comb(n, k))) ** (1 / (n - k))
    assert float(theory.compression(k, n, delta)) == pytest.approx(expected, rel=1e-12)
    assert all(a < b for a, b in pairwise(float(theory.compression(k, n, errors=e)) for e in range(5)))
    assert all(a < b for a, b in pairwise(float(theory.compression(k, n)) for k in range(9)))


@pytest.mark.parametrize(("k", "n", "e"), [(0, 100, 0), (4, 200, 3), (30, 400, 10)])
def test_compression_is_no_tighter_than_the_tail_allows(k, n, e):
    tail = 0.05 / (n * comb(n, k))
    assert float(theory.compression(k, n, errors=e)) >= beta.isf(tail, e + 1, n - k - e) - 1e-12


def test_support_vectors_over_the_others():
    assert float(theory.support_vectors(12, 101)) == 0.12
    assert [float(theory.support_vectors(12, error=e)) for e in (0.12, 0.5, 2.0)] == [101, 25, 12]
    assert theory.support_vectors(100, 101).vacuous == "every error is at most 1"


@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_the_bound_of_margins_is_the_best_of_all_widths(delta):
    """Against the formula, with a finer grid of μ and another way to invert kl."""
    m = len(MARGINS)

    def stochastic(mu):
        q, nats = ndtr(-mu * MARGINS).mean(), (mu**2 / 2 + log((m + 1) / delta)) / m
        p = np.linspace(q, 1.0, 20_001)[1:-1]
        return p[np.searchsorted(q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p)), nats)]

    best = min(stochastic(mu) for mu in np.linspace(1.0, 20.0, 400))
    told = theory.pac_bayes(MARGINS, delta)
    assert float(told) == 2 * told.given["stochastic"] == pytest.approx(2 * best, rel=1e-3)
    assert 1.0 < told.given["mu"] < 20.0


def test_wider_margins_promise_more():
    bounds = [float(theory.pac_bayes(np.full(500, gamma))) for gamma in (-0.5, 0.0, 0.1, 0.5, 1.0)]
    assert all(a >= b for a, b in pairwise(bounds))
    assert bounds[0] >= 1.0 > bounds[2] > bounds[-1]


@pytest.mark.parametrize("kind", SOLVED)
def test_what_is_vacuous_is_said_to_be(kind):
    error, size, confidence = SOLVED[kind]
    few = error(20, 1e-3)
    assert bool(few.vacuous) == (float(few) >= 1.0)
    assert not error(10**6, 1e-3).vacuous
    doubt = confidence(20, 0.2)
    assert bool(doubt.vacuous) == (float(doubt) >= 1.0)
    assert not size(0.6, 0.05).vacuous


def test_no_sample_is_large_enough_for_an_infinite_dimension():
    for told in (
        theory.vc(dimension=inf, error=0.1),
        theory.hoeffding(hypotheses=inf, epsilon=0.1),
        theory.pac_bayes([-0.5, 0.1], 0.05, error=0.1),
    ):
        assert (float(told), told.vacuous) == (inf, "no number of examples is enough")
    for told in (theory.vc(10**9, inf), theory.hoeffding(10**9, hypotheses=inf)):
        assert (float(told), told.vacuous) == (inf, "every error is at most 1")
    assert theory.vc(100, inf, error=0.1).vacuous == "every probability is at most 1"


def test_a_statement_says_what_it_means():
    told = theory.hoeffding(20, 0.05, 10**17)
    assert str(told) == (
        "1.0348: with probability 0.95 no error out of sample is farther than this from the error in sample, on 20 "
        "examples\n"
        "  vacuous: every error is at most 1\n"
        "  if the examples are independent, of one distribution, and the 1e+17 hypotheses were chosen before they were "
        "seen\n"
        "  by Hoeffding, JASA 58 (1963), theorem 2, and the union bound"
    )
    assert told.to_json() == {
        "n": 20,
        "epsilon": float(told),
        "delta": 0.05,
        "hypotheses": 10**17,
        "value": float(told),
        "meaning": told.meaning,
        "conditions": told.conditions,
        "reference": told.reference,
        "vacuous": "every error is at most 1",
    }
    assert str(theory.binomial(0, error=0.001)).startswith("2,995: so many test examples with 0 errors keep the error")
