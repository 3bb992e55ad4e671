"""Bounds hold as often as they claim: simulated worlds whose true error is known."""

import numpy as np
import pytest
from scipy.special import ndtr

from deciban import SVM, theory

DELTA, WORLDS = 0.05, 2000


@pytest.mark.parametrize("p", [0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [10, 100, 700])
def test_the_test_set_bound_covers(n, p):
    errors = np.random.default_rng([n, int(100 * p)]).binomial(n, p, 20_000)
    limits = {side: np.array([_ends(k, n, side) for k in range(n + 1)]) for side in ("upper", "lower", "two")}
    for ends in limits.values():
        low, high = ends[errors].T
        assert ((low <= p) & (p <= high)).mean() >= 1 - DELTA - 0.005  # of 20,000: three standard errors


def _ends(k, n, side):
    return theory.binomial(k, n, DELTA, side=side).given["interval"]


@pytest.mark.parametrize("side", ["upper", "two"])
def test_the_test_set_bound_covers_exactly(side):
    """Not by chance: the probability of all counts whose interval holds p, summed, for every p."""
    from scipy.stats import binom

    n = 40
    ends = np.array([_ends(k, n, side) for k in range(n + 1)])
    for p in np.linspace(0.001, 0.999, 333):
        inside = (ends[:, 0] <= p) & (p <= ends[:, 1])
        assert binom.pmf(np.arange(n + 1), n, p)[inside].sum() >= 1 - DELTA - 1e-12


@pytest.mark.parametrize("hypotheses", [1, 50])
@pytest.mark.parametrize("p", [0.05, 0.5])
def test_hoeffding_covers_every_hypothesis_at_once(hypotheses, p):
    random = np.random.default_rng(hypotheses)
    epsilon = float(theory.hoeffding(200, DELTA, hypotheses))
    in_sample = random.binomial(200, p, (WORLDS, hypotheses)) / 200
    assert (np.abs(in_sample - p).max(axis=1) <= epsilon).mean() >= 1 - DELTA


@pytest.mark.parametrize("growth", ["polynomial", "sauer"])
@pytest.mark.parametrize("n", [400, 4000])
def test_vc_covers_the_best_threshold(n, growth):
    """Positive rays, d_vc = 1: x ≥ t is positive, but a tenth of the labels is turned; x is uniform."""
    random = np.random.default_rng(n)
    held, said = [], []
    for _ in range(300):
        x = np.sort(random.random(n))
        y = (x >= 0.3) ^ (random.random(n) < 0.1)
        wrong = np.concatenate([[(~y).sum()], (~y).sum() + np.cumsum(np.where(y, 1, -1))])
        t = np.concatenate([[0.0], x])[wrong.argmin()]
        bound = theory.vc(n, 1, wrong.min() / n, DELTA, growth=growth)
        held.append(0.1 + 0.8 * abs(t - 0.3) <= float(bound))
        said.append(not bound.vacuous)
    assert np.mean(held) >= 1 - DELTA
    assert all(said)


@pytest.mark.parametrize("n", [30, 300])
def test_compression_covers_the_smallest_interval(n):
    """The smallest interval around the positives is told by two of them, and errs only in what it leaves out."""
    random = np.random.default_rng(n)
    x = random.random((WORLDS, n))
    inside = (x > 0.2) & (x < 0.7)
    low = np.where(inside, x, 0.7).min(axis=1)
    high = np.maximum(np.where(inside, x, 0.2).max(axis=1), low)
    errors = 0.5 - (high - low)
    assert (errors <= float(theory.compression(2, n, DELTA))).mean() >= 1 - DELTA


@pytest.mark.parametrize(("n", "d"), [(200, 2), (500, 10)])
@pytest.mark.parametrize("apart", [0.5, 2.0])
def test_the_bound_of_margins_covers(n, d, apart):
    """Two round Gaussian classes, and the direction between their means: the error of any direction is known."""
    random = np.random.default_rng([n, d])
    mean = np.zeros(d)
    mean[0] = apart
    held, machine = [], []
    for _ in range(60):
        x = random.normal(size=(n, d)) + mean  # y x, for both classes
        w = x.mean(axis=0)
        w /= np.linalg.norm(w)
        told = theory.pac_bayes(x @ w / np.linalg.norm(x, axis=1), DELTA)
        error = ndtr(-w @ mean)
        drawn = told.given["mu"] * w + random.normal(size=(200, d))
        stochastic = ndtr(-drawn @ mean / np.linalg.norm(drawn, axis=1))
        held.append(stochastic.mean() - 3 * stochastic.std() / np.sqrt(200) <= told.given["stochastic"])
        machine.append(error <= float(told))
    assert np.mean(held) >= 1 - DELTA
    assert np.mean(machine) >= 1 - DELTA


@pytest.mark.parametrize("n", [6, 30])
def test_support_vectors_bound_the_expected_error(n):
    """The hard margin on a line, half-way between the classes: one support vector of each at most."""
    random = np.random.default_rng(n)
    x = random.random((20_000, n))
    positive = x > 0.4

    def threshold(x, positive):
        low, high = np.where(positive, -np.inf, x).max(axis=1), np.where(positive, x, np.inf).min(axis=1)
        both = np.isfinite(low) & np.isfinite(high)
        return np.where(both, 0.5 * (np.maximum(low, 0) + np.minimum(high, 1)), np.where(np.isfinite(high), 0, 1)), both

    support = np.where(threshold(x, positive)[1], 2, 0).mean()
    error = np.abs(threshold(x[:, 1:], positive[:, 1:])[0] - 0.4).mean()
    assert error <= float(theory.support_vectors(2, n)) * support / 2 + 1e-9


def test_a_machine_errs_less_than_its_bounds_say():
    """Real machines of simulated classes: by its support vectors, by its margins, judged on 20,000 more."""
    random = np.random.default_rng(1)
    within = []
    for _ in range(10):
        y = random.integers(0, 2, 20_400)
        X = random.normal(size=(20_400, 3)) + 4.0 * y[:, None] - 2.0
        machine = SVM("linear", C=10.0, calibration=None).fit(X[:400], y[:400])
        error = (machine.predict(X[400:]) != y[400:]).mean()
        margins = theory.normalised_margins(machine, X[:400], y[:400])
        assert (margins < 0).sum() == (machine.predict(X[:400]) != y[:400]).sum()
        bounds = theory.pac_bayes(margins), theory.compression(len(machine.support_), 400)
        within += [error <= float(bound) < 1.0 for bound in bounds]
    assert all(within)
