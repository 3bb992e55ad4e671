"""The "bayes" estimates are what integrating over the posterior gives; with much data all estimates agree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import ONE_KIND, leaves, over
from numpy.testing import assert_allclose
from scipy import integrate, stats

from deciban.distributions import Bernoulli, Categorical, Counts, Gaussian, Multinomial, Poisson
from oracle import gaussian as oracle


def mean(log_density, low, high, of=lambda p: p):
    """∫ of(p) density(p) dp / ∫ density(p) dp."""
    above, below = (
        integrate.quad(lambda p, by=by: by(p) * math.exp(log_density(p)), low, high, epsabs=0, epsrel=1e-11)[0]
        for by in (of, lambda _: 1.0)
    )
    return above / below


def counted(n, s):
    return Counts(np.array([n]), np.array([s]))


@pytest.mark.parametrize(("alpha", "beta", "n", "s"), [(1.0, 1.0, 3.0, 2.0), (2.5, 1.5, 7.0, 0.0), (1, 4, 0.0, 0.0)])
def test_a_coin_shows_its_face_with_the_posterior_mean(alpha, beta, n, s):
    def log_posterior(phi):
        return (s + alpha - 1) * math.log(phi) + (n - s + beta - 1) * math.log1p(-phi)

    book = mean(log_posterior, 0.0, 1.0)
    assert_allclose(Bernoulli(alpha, beta).parameters(counted(n, [s]), "bayes"), [[book]], rtol=1e-9)


@pytest.mark.parametrize("alpha", [1.0, 2.5])
@pytest.mark.parametrize("s", [[3.0, 0.0, 2.0], [0.0, 0.0, 0.0], [7.0, 1.0, 40.0]])
def test_a_die_shows_each_face_with_the_posterior_mean(alpha, s):
    """A face's marginal of the Dirichlet is a Beta; the two other faces are integrated out by quadrature too."""
    family = Multinomial(alpha)
    told = family.parameters(counted(1.0, s), "bayes")[0]
    for k in range(3):
        a, b, c = np.roll(np.array(s) + alpha, -k)

        def log_posterior(p, a=a, b=b, c=c):
            rest, _ = integrate.quad(lambda q: q ** (b - 1) * (1 - q) ** (c - 1), 0.0, 1.0)
            return (a - 1) * math.log(p) + (b + c - 1) * math.log1p(-p) + math.log(rest)

        assert_allclose(told[k], mean(log_posterior, 0.0, 1.0), rtol=1e-8)


def test_categories_never_seen_have_the_share_of_one_with_no_count():
    family = Categorical(0.5, sizes=(5, 2))
    X, y = np.array([[0, 1], [2, 1], [2, 0]]), np.array([0, 0, 1])
    seen = family.count(X, y, None, 2)
    phi = family.parameters(seen, "bayes")
    first, second = phi
    assert_allclose(
        first, [np.array([1.5, 0.5, 1.5, 0.5, 0.5, 0.5]) / 4.5, np.array([0.5, 0.5, 1.5, 0.5, 0.5, 0.5]) / 3.5]
    )
    assert_allclose(second, [np.array([0.5, 2.5, 0.5]) / 3, np.array([1.5, 0.5, 0.5]) / 2])
    score = family.score(phi, np.zeros(2))
    for code in (3, 4, 5, 77, 1e15):
        assert_allclose(np.exp(score(np.array([[code, np.nan]]))), [[0.5 / 4.5, 0.5 / 3.5]], rtol=1e-14)


@pytest.mark.parametrize(
    ("alpha", "beta", "n", "s"), [(1.0, 1.0, 4.0, 9.0), (2.5, 0.5, 3.0, 0.0), (3.0, 2.0, 0.0, 0.0)]
)
def test_a_rate_is_its_posterior_mean(alpha, beta, n, s):
    def log_posterior(rate):
        return (s + alpha - 1) * math.log(rate) - (n + beta) * rate

    book = mean(log_posterior, 0.0, 60.0)
    assert_allclose(Poisson(alpha, beta).parameters(counted(n, [s]), "bayes"), [[book]], rtol=1e-9)


def test_the_rate_is_the_poisson_nearest_to_the_exact_predictive():
    alpha, beta, n, s = 2.0, 0.5, 3.0, 4.0
    x = np.arange(200)
    exact = stats.nbinom.pmf(x, s + alpha, (n + beta) / (n + beta + 1))
    told = Poisson(alpha, beta).parameters(counted(n, [s]), "bayes")[0, 0]

    def divergence(rate):
        return -(exact * stats.poisson.logpmf(x, rate)).sum()

    assert divergence(told) < min(divergence(told * 1.001), divergence(told * 0.999))


SAMPLES = [[[1.0, 2.5, 3.0], [-4.0, -3.5]], [[0.3], [2.0, 2.1, 7.0]]]


@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("shared", [False, True], ids=["own variance", "shared variance"])
def test_a_measurement_has_the_density_of_a_student(samples, shared):
    prior = {"mean": 0.5, "kappa": 1.5, "variance": 2.0, "nu": 3.0}
    family = Gaussian(**prior, shared=shared)
    X = np.concatenate(samples)[:, None]
    y = np.repeat([0, 1], [len(sample) for sample in samples])
    student = family.parameters(family.count(X, y, None, 2), "bayes")
    for x in (-3.0, 0.0, 2.2, 11.0):
        told = np.exp(family.log_density(np.array([[x]]), student)[0])
        for c in (0, 1):
            own = [samples[c], samples[1 - c]] if shared else [samples[c]]
            book = oracle.predictive_by_integration(x, own, *prior.values())
            assert_allclose(told[c], book, rtol=1e-7)


@pytest.mark.parametrize("estimate", ["bayes", "map", "ml"])
def test_the_densities_of_measurements_integrate_to_one(estimate):
    family = Gaussian(mean=0.0, kappa=1.0, variance=1.0, nu=1.0)
    normal = family.parameters(family.count(np.array([[0.5], [2.0], [9.0]]), np.zeros(3, int), None, 1), estimate)
    grid = np.linspace(-1.0, 1.0, 400_001)[1:-1]
    x = 4.0 + 3.0 * grid / (1.0 - np.abs(grid))  # the whole line
    step = 3.0 / (1.0 - np.abs(grid)) ** 2 * (grid[1] - grid[0])
    assert_allclose((np.exp(family.log_density(x[:, None], normal)[:, 0]) * step).sum(), 1.0, rtol=1e-4)


@over({name: case for name, case in ONE_KIND.items() if "map" in case.estimates})
@given(draws=st.data())
def test_estimates_agree_as_the_data_grow(case, draws):
    """The prior weighs as much as a few examples: what it changes shrinks like 1/N."""
    data = draws.draw(case.data(classes=2)).grounded()
    far = {}
    for often in (1e3, 1e5):
        seen = case.family.count(data.X, data.y, data.weight * often, data.C)
        raw = case.family.parameters(seen, "ml")
        for estimate in ("bayes", "map"):
            found = case.family.parameters(seen, estimate)
            found = found._replace(freedom=None) if hasattr(found, "freedom") else found
            pairs = [(leaves(found, c), leaves(raw, c)) for c in range(data.C)]
            far[often, estimate] = max(np.abs(a - b).max() for a, b in pairs)
    for estimate in ("bayes", "map"):
        assert far[1e3, estimate] <= 0.1
        assert far[1e5, estimate] <= 1.1e-2 * far[1e3, estimate] + 1e-12
