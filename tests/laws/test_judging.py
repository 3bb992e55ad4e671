"""Laws of judging, for naive Bayes models of every likelihood: posteriors, evidence, missing and impossible values."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import BY_NAME, EVERY, ONE_KIND, over, over_estimates
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.conventions import DECIBANS_PER_NAT
from deciban.distributions import CATALOGUE, Gaussian
from deciban.errors import DataError
from deciban.models.naive_bayes import NaiveBayes
from oracle import naive_bayes as oracle
from tiers import examples

LIKELIHOODS = [family.name for family in CATALOGUE]
drawn = given(draws=st.data())
WORDS = np.array(["eggs", "ham", "spam"])


@over_estimates(EVERY)
@drawn
def test_posteriors_are_those_of_the_book(case, estimate, draws):
    data = draws.draw(case.data(classes=2)).grounded()
    prior = draws.draw(st.sampled_from(["empirical", "smoothed", "uniform"]))
    model = NaiveBayes(case.family, estimate=estimate, class_prior=prior).fit(data.X, data.y, data.weight)
    rows = data.X.tolist()
    book = oracle.joint(
        case.book.pop("likelihood"), *data.lists(), rows, estimate=estimate, prior=prior, **options(case)
    )
    told = model.predict_joint_log_proba(data.X)
    size = 1.0 + np.abs(np.where(np.isfinite(book), book, 0.0)).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):  # −∞ less itself
        apart = [part - part.max(axis=1, keepdims=True) for part in (told, np.array(book))]
    assert_allclose(apart[0] / size, apart[1] / size, rtol=1e-10, atol=1e-11)
    assert_allclose(model.predict_log_proba(data.X), [oracle.posterior(b) for b in book], rtol=1e-9, atol=1e-9)


def options(case):
    """The prior of the likelihood, as the oracle takes it."""
    return {name: value for name, value in case.book.items() if name != "likelihood"}


@over(EVERY)
@drawn
def test_prediction_is_the_most_probable_class(case, draws):
    data = draws.draw(case.data())
    model = NaiveBayes(case.family).fit(data.X, WORDS[data.y])
    proba = model.predict_proba(data.X)
    chosen = np.searchsorted(model.classes_, model.predict(data.X))
    assert_array_equal(proba[np.arange(len(proba)), chosen], proba.max(axis=1))
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)


@over(EVERY)
@examples(5)
@drawn
def test_evidence_and_prior_sum_to_the_log_odds(case, draws):
    data = draws.draw(case.data())
    model = NaiveBayes(case.family).fit(data.X, WORDS[data.y])
    joint = model.predict_joint_log_proba(data.X)
    for form in (data.X, sparse.csr_array(data.X)):
        for why, b, x in zip(model.explain(form), joint, data.X, strict=True):
            told = why.prior_decibans + sum(term.decibans for term in why.terms)
            best, *others = sorted(b, reverse=True)
            expected = (best - others[0]) * DECIBANS_PER_NAT if others else 0.0
            assert told == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert why.decibans == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert b[model.classes_.tolist().index(why.label)] == pytest.approx(best, rel=1e-14, abs=1e-12)
            assert not {term.feature for term in why.terms} & set(np.flatnonzero(np.isnan(x)).tolist())


def without(family, kept):
    """The family of the kept columns."""
    sizes = getattr(family, "sizes", None)
    return family if sizes is None else replace(family, sizes=tuple(sizes[j] for j in kept))


@over({name: case for name, case in ONE_KIND.items() if case.family.missing})
@drawn
def test_a_missing_value_is_judged_as_if_its_column_were_not_there(case, draws):
    data = draws.draw(case.data())
    known = draws.draw(st.lists(st.integers(0, data.X.shape[1] - 1), min_size=1, unique=True).map(sorted))
    model = NaiveBayes(case.family).fit(data.X, data.y)
    less = NaiveBayes(without(case.family, known)).fit(data.X[:, known], data.y)
    row = np.full((1, data.X.shape[1]), np.nan)
    row[0, known] = np.nan_to_num(data.X[0, known])
    for form in (row, sparse.csr_array(row)):
        told, expected = model.predict_joint_log_proba(form), less.predict_joint_log_proba(row[:, known])
        assert_allclose(told, expected, rtol=1e-10, atol=1e-10)
        for c in range(data.C):
            terms, others = model.scorer_.terms(form, c, 0), less.scorer_.terms(row[:, known], c, 0)
            assert_array_equal(terms.feature, np.array(known)[others.feature])
            assert_array_equal(terms.x, others.x)
            assert_allclose(terms.evidence, others.evidence, rtol=1e-10, atol=1e-10)


@over({name: case for name, case in EVERY.items() if case.family.missing})
@drawn
def test_a_row_of_which_nothing_is_known_has_the_prior(case, draws):
    data = draws.draw(case.data())
    model = NaiveBayes(case.family).fit(data.X, data.y)
    nothing = np.full((1, data.X.shape[1]), np.nan)
    expected = np.bincount(data.y) / len(data.y)
    assert_allclose(model.predict_proba(nothing)[0], expected, rtol=1e-9)
    assert_allclose(model.predict_proba(sparse.csr_array(nothing))[0], expected, rtol=1e-9)
    assert model.explain(nothing)[0].terms == []


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_a_million_words_give_finite_normalised_posteriors(likelihood):
    d = 10**5 if likelihood == "categorical" else 10**6
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.integers(1, 3, (2, d)) * (rng.random((2, d)) < 0.5))
    model = NaiveBayes(likelihood).fit(X, ["ham", "spam"])
    document = sparse.csr_array(np.ones((1, d)))
    shouting = sparse.csr_array((np.array([1e6]), (np.array([0]), np.array([7]))), shape=(1, d))
    queries = sparse.vstack([X, document, shouting, sparse.csr_array((1, d))], format="csr")
    joint, log_p = model.predict_joint_log_proba(queries), model.predict_log_proba(queries)
    assert np.isfinite(log_p).all()
    assert not np.signbit(log_p[log_p == 0.0]).any()
    assert_allclose(np.exp(log_p).sum(axis=1), 1.0, rtol=1e-12)
    told = model.scorer_.terms(document, 0, 1).evidence.sum() + model.scorer_.prior[0] - model.scorer_.prior[1]
    assert told == pytest.approx(joint[2, 0] - joint[2, 1], abs=1e-9 * max(1.0, np.abs(joint[2]).max()))


# Elsewhere a huge count, or a category never seen: that one is impossible but for "bayes".
HUGE = {"bernoulli": (1e300, -1e300), "gaussian": (1e300, -1e300)}


@pytest.mark.parametrize(
    ("likelihood", "estimate"),
    [
        *((name, "bayes") for name in LIKELIHOODS),
        *((name, estimate) for name in LIKELIHOODS if name != "categorical" for estimate in ("map", "ml")),
        *((Gaussian(shared=True), estimate) for estimate in ("bayes", "map", "ml")),
    ],
)
def test_huge_values_give_finite_normalised_posteriors(likelihood, estimate):
    X = [[1, 0], [0, 2], [3, 4], [1, 1], [0, 1], [2, 0]]
    model = NaiveBayes(likelihood, estimate=estimate).fit(X, [0, 1, 1, 0, 0, 1])
    values = HUGE.get(getattr(likelihood, "name", likelihood), (1e300,))
    rows = np.array([row for x in values for y in values for row in ([x, y], [x, 1], [1, y])], dtype=float)
    for form in (rows, sparse.csr_array(rows)):
        log_p = model.predict_log_proba(form)
        assert (log_p.max(axis=1) > -1.0).all()
        assert not np.isnan(log_p).any()
        assert_allclose(model.predict_proba(form).sum(axis=1), 1.0, rtol=1e-12)
    low, high = model.credible_interval(rows).T
    assert (low <= high).all()
    for why in model.explain(rows):
        assert not np.isnan([term.decibans for term in why.terms]).any()


RAW = [("bernoulli", "ml"), ("bernoulli", "bayes"), ("categorical", "ml"), ("categorical", "bayes"),
       ("multinomial", "ml"), ("multinomial", "bayes"), ("poisson", "ml")]  # fmt: skip


@pytest.mark.parametrize(("likelihood", "estimate"), RAW)
@pytest.mark.parametrize("form", [np.array, sparse.csr_array], ids=["dense", "sparse"])
def test_what_only_one_class_has_shown_is_certain_and_what_none_has_is_refused(likelihood, estimate, form):
    """Without pseudo-counts the probability of what was never seen is 0."""
    model = NaiveBayes(likelihood, alpha=0.0, estimate=estimate)
    model.fit(form([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), ["a", "b", "b", "a"])
    seen = form([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    assert model.predict_proba(seen).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert model.predict_log_proba(seen).tolist() == [[0.0, -np.inf], [-np.inf, 0.0]]
    assert model.predict(seen).tolist() == ["a", "b"]
    for why, label in zip(model.explain(seen), "ab", strict=True):
        assert (why.label, why.probability, why.decibans) == (label, 1.0, np.inf)
        assert max(term.decibans for term in why.terms) == np.inf
    low, high = model.credible_interval(seen).T
    assert (low <= high).all()
    neither = form([[1.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    judges = (model.predict, model.predict_proba, model.predict_log_proba, model.predict_joint_log_proba)
    for judge in (*judges, model.explain, model.credible_interval):
        with pytest.raises(DataError, match=r"^row 1 is impossible in every class: feature \d = 1 has probability 0"):
            judge(neither)


@over(BY_NAME)
def test_one_class_is_what_is_predicted(case):
    X = [[1, 0], [0, 1], [1, 1]]
    model = NaiveBayes(case.family).fit(X, ["ham"] * 3)
    assert model.predict(X).tolist() == ["ham"] * 3
    assert model.predict_proba(X).tolist() == [[1.0]] * 3
    assert model.credible_interval(X).tolist() == [[0.0, 0.0]] * 3
    assert [(why.label, why.against, why.terms) for why in model.explain(X)] == [("ham", None, [])] * 3


@pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli", "poisson", "categorical"])
def test_a_feature_of_which_nothing_is_known_says_nothing(likelihood):
    X = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    y = [0, 0, 1, 1, 1]
    more = np.column_stack([X, np.full(5, np.nan)])
    model, less = NaiveBayes(likelihood).fit(more, y), NaiveBayes(likelihood).fit(X, y)
    rows = np.column_stack([X, [1.0, 0.0, 3.0, np.nan, 1.0] if likelihood == "gaussian" else np.ones(5)])
    assert_allclose(model.predict_log_proba(rows), less.predict_log_proba(X), rtol=1e-12)


def test_a_measurement_that_never_varied_says_nothing():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((20, 2)), rng.integers(0, 2, 20)
    for family in (Gaussian(), Gaussian(shared=True)):
        for estimate in ("bayes", "map", "ml"):
            less = NaiveBayes(family, estimate=estimate).fit(X, y)
            model = NaiveBayes(family, estimate=estimate).fit(np.column_stack([np.full(20, 0.1), X]), y)
            told = model.predict_log_proba(np.column_stack([rng.standard_normal(20), X]))
            assert_allclose(told, less.predict_log_proba(X), rtol=1e-12)
            why = model.explain(np.column_stack([[7.0], X[:1]]))[0]
            assert {term.feature: term.decibans for term in why.terms}.get(0, 0.0) == 0.0
