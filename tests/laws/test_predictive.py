"""The exact predictive: its formula token by token, its evidence that adds, and that it is learnt by +."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, special
from sklearn.base import clone

import deciban
from deciban import NaiveBayes
from deciban.distributions import CATALOGUE, Multinomial, Poisson
from deciban.scores.predictive import log_rising
from laws.estimators import counts, present

over_likelihoods = pytest.mark.parametrize("likelihood", [family.name for family in CATALOGUE])
over_counts = pytest.mark.parametrize("likelihood", ["multinomial", "complement", "poisson"])
ALPHAS = [1.0, 0.3, [0.5, 1.0, 2.0, 4.0], [[0.5, 1.0, 2.0, 4.0], [3.0, 1.0, 0.2, 1.0]]]
over_alphas = pytest.mark.parametrize("alpha", ALPHAS, ids=["one", "less", "a feature", "a class and feature"])


def data(likelihood):
    return present() if likelihood == "bernoulli" else counts()


def urn(tokens, a):
    """log of drawing these tokens one after the other, each drawn one put back with another like it."""
    a, found = list(a), 0.0
    for token in tokens:
        found += math.log(a[token] / sum(a))
        a[token] += 1.0
    return found


@over_alphas
def test_words_are_drawn_from_an_urn(alpha):
    X, y = counts()
    model = NaiveBayes(alpha=alpha, estimate="predictive", class_prior="uniform").fit(X, y)
    a = model.counts_.s + np.broadcast_to(np.asarray(alpha), model.counts_.s.shape)
    for x in X[:10]:
        tokens = [j for j, n in enumerate(x) for _ in range(int(n))]
        for order in (tokens, tokens[::-1], np.random.default_rng(0).permutation(tokens).tolist()):
            known = [urn(order, a[c]) + math.log(0.5) for c in range(2)]
            assert_allclose(model.predict_joint_log_proba([x])[0], known, rtol=1e-12)


def test_the_predictive_of_all_documents_of_a_length_is_one():
    X, y = counts()
    family = Multinomial(0.7)
    phi = family.parameters(family.count(X, (y == "spam").astype(np.intp), None, 2), "predictive")
    every = np.array(list(itertools.product(range(4), repeat=3)))
    documents = np.stack([(every == j).sum(axis=1) for j in range(4)], axis=1)
    assert_allclose(np.exp(family.score(phi, np.zeros(2))(documents)).sum(axis=0), 1.0)


@over_alphas
def test_events_are_negative_binomial(alpha):
    from scipy.stats import nbinom

    X, y = counts()
    model = NaiveBayes("poisson", alpha=alpha, estimate="predictive", class_prior="uniform").fit(X, y)
    family, (a, b) = model._family(), (np.broadcast_to(np.asarray(alpha), (2, 4)),) * 2
    a, b = a + model.counts_.s, b + model.counts_.n[:, None]
    known = nbinom.logpmf(X[:, None, :], a, b / (b + 1.0)).sum(axis=2)
    assert_allclose(family.log_density(X, family.parameters(model.counts_, "predictive")), known)
    said = model.predict_joint_log_proba(X)
    assert_allclose(said[:, 0] - said[:, 1], known[:, 0] - known[:, 1], atol=1e-10)


def test_bursts_count_for_less_than_the_mean_says():
    """A word that came 20 times tells hardly more than one that came twice, not ten times as much."""
    X, y = [[1, 3], [3, 1]], ["a", "b"]
    mean, exact = (NaiveBayes(estimate=how).fit(X, y) for how in ("bayes", "predictive"))
    odds = [np.ptp(model.predict_joint_log_proba([[20, 0]])) for model in (mean, exact)]
    assert_allclose(odds[0], 20 * math.log(2.0))
    assert_allclose(odds[1], sum(math.log((4 + i) / (2 + i)) for i in range(20)))


@over_likelihoods
def test_of_single_draws_and_measurements_it_is_the_posterior_predictive_already(likelihood):
    X, y = data(likelihood)
    mean, exact = (NaiveBayes(likelihood, estimate=how).fit(X, y) for how in ("bayes", "predictive"))
    same = np.allclose(mean.predict_joint_log_proba(X), exact.predict_joint_log_proba(X))
    assert same == (likelihood not in ("multinomial", "complement", "poisson"))


def test_a_single_word_has_its_mean_share():
    X, y = counts()
    mean, exact = (NaiveBayes(estimate=how).fit(X, y) for how in ("bayes", "predictive"))
    assert_allclose(exact.predict_joint_log_proba(np.eye(4)), mean.predict_joint_log_proba(np.eye(4)))


@over_likelihoods
def test_evidence_adds_and_forms_agree(likelihood):
    X, y = data(likelihood)
    model = NaiveBayes(likelihood, estimate="predictive").fit(X, y)
    score = model.predict_joint_log_proba(X)
    for form in (sparse.csr_array(X), np.asfortranarray(X), X.astype(np.float32), X.astype(int)):
        assert_allclose(model.predict_joint_log_proba(form), score, rtol=1e-12)
    twice = sparse.csr_array(X)
    parts = np.repeat(twice.data, 2) / 2.0, np.repeat(twice.indices, 2), twice.indptr * 2
    if likelihood != "categorical":
        assert_allclose(model.predict_joint_log_proba(sparse.csr_array(parts, shape=X.shape)), score, rtol=1e-12)
    for why in model.explain(X):
        assert math.isclose(why.prior_decibans + sum(term.decibans for term in why.terms), why.decibans, abs_tol=1e-9)


@over_likelihoods
def test_it_learns_forgets_adds_and_is_stored(likelihood, tmp_path):
    X, y = data(likelihood)
    blank = NaiveBayes(likelihood, estimate="predictive")
    whole = clone(blank).fit(X, y)
    known = whole.predict_joint_log_proba(X)
    halves = [clone(blank).fit(X[half], y[half]) for half in (slice(30), slice(30, None))]
    parts = clone(blank).partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    more = clone(whole).partial_fit(X, y).partial_fit(X[:9], y[:9]).forget(X[:9], y[:9])
    exact = likelihood != "gaussian"
    for model in (sum(halves), parts, more):
        said = model.predict_joint_log_proba(X)
        assert np.array_equal(said, known) if exact else np.allclose(said, known)
    whole.save(tmp_path / "model.deciban")
    again = deciban.load(tmp_path / "model.deciban")
    assert again.estimate == "predictive"
    assert_array_equal(again.predict_joint_log_proba(X), known)
    assert whole.certificate_.relative_gap <= 1e-9
    assert np.isfinite(whole.credible_interval(X)).all()


def test_missing_events_are_left_out():
    X, y = counts()
    X[::5, 1] = np.nan
    model = NaiveBayes("poisson", estimate="predictive").fit(X, y)
    part = NaiveBayes("poisson", estimate="predictive").fit(X[:, [0, 2, 3]], y)
    gone = X[::5]
    assert_allclose(model.predict_joint_log_proba(gone), part.predict_joint_log_proba(gone[:, [0, 2, 3]]))
    for why in model.explain(gone):
        assert math.isclose(why.prior_decibans + sum(term.decibans for term in why.terms), why.decibans, abs_tol=1e-9)


@over_counts
def test_what_never_came_is_impossible_without_a_prior(likelihood):
    model = NaiveBayes(likelihood, alpha=0.0, estimate="predictive")
    X, y = [[2, 0, 1], [0, 3, 1]], ["a", "b"]
    if likelihood != "complement":
        assert model.fit(X, y).predict([[1, 0, 0], [0, 1, 0]]).tolist() == ["a", "b"]
    else:
        with pytest.raises(ValueError, match="use estimate='bayes' with alpha > 0"):
            model.fit(X, y).predict(X)


def test_the_rising_factorial_has_all_digits():
    import decimal

    decimal.getcontext().prec = 60
    for a in (1e-6, 0.5, 3.0, 17.5, 1e4, 1e8, 1e12):
        for x in (0, 1, 2, 16, 17, 100):
            exact = sum((decimal.Decimal(a) + i).ln() for i in range(x))
            assert_allclose(log_rising(np.array([a]), np.array([float(x)]))[0], float(exact), rtol=1e-13, atol=1e-13)
        for x in (0.25, 7.5):
            known = special.loggamma(a + x) - special.loggamma(a)
            assert_allclose(log_rising(np.array([a]), np.array([x]))[0], known, rtol=1e-13 * max(1.0, a), atol=1e-12)


def test_the_parameters_are_those_of_the_posterior():
    X, y = counts()
    seen = Poisson(2.0, 3.0).count(X, (y == "spam").astype(np.intp), None, 2)
    a, b = Poisson(2.0, 3.0).parameters(seen, "predictive")
    assert_array_equal(a, seen.s + 2.0)
    assert_array_equal(b, np.broadcast_to(seen.n[:, None] + 3.0, a.shape))
