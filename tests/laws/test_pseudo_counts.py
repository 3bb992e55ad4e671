"""Priors of one pseudo-count a feature, or one a class and feature, and of the classes themselves."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

import deciban
from deciban import NaiveBayes, TextClassifier
from deciban.distributions import CATALOGUE, Bernoulli, Poisson
from deciban.distributions.priors import class_prior
from laws.estimators import counts, measured, present

over_likelihoods = pytest.mark.parametrize("likelihood", [family.name for family in CATALOGUE])
VECTOR, MATRIX = [0.5, 1.0, 2.0, 4.0], [[0.5, 1.0, 2.0, 4.0], [3.0, 1.0, 1.5, 1.0]]
over_alphas = pytest.mark.parametrize("alpha", [VECTOR, MATRIX], ids=["a feature", "a class and feature"])


def data(likelihood):
    return {"bernoulli": present, "gaussian": measured}.get(likelihood, counts)()


@over_likelihoods
@over_alphas
def test_each_feature_has_the_prior_of_its_own(likelihood, alpha):
    """Features are independent, so that one alone, with its own alpha, has the same density (words share a total)."""
    X, y = data(likelihood)
    model = NaiveBayes(likelihood, alpha=alpha, class_prior="uniform").fit(X, y)
    score = model.predict_joint_log_proba(X)
    if likelihood in ("multinomial", "complement"):
        s, a = model.counts_.s, np.broadcast_to(np.array(alpha), (2, 4))
        drawn = s + a if likelihood == "multinomial" else s[::-1] + a
        sign = 1.0 if likelihood == "multinomial" else -1.0
        known = sign * X @ np.log(drawn / drawn.sum(axis=1, keepdims=True)).T + math.log(0.5)
    else:
        known = math.log(0.5)
        for j in range(4):
            for c in range(2):
                one = NaiveBayes(
                    likelihood, alpha=float(np.array(alpha)[..., j].ravel()[c if np.ndim(alpha) == 2 else 0])
                )
                part = one.set_params(class_prior="uniform").fit(X[:, [j]], y).predict_joint_log_proba(X[:, [j]])
                known = known + (part[:, [c]] - math.log(0.5)) * np.eye(2)[c]
    assert_allclose(score[:, 0] - score[:, 1], known[:, 0] - known[:, 1], atol=1e-9)


@over_likelihoods
@over_alphas
def test_equal_pseudo_counts_are_one_number(likelihood, alpha):
    X, y = data(likelihood)
    one = NaiveBayes(likelihood, alpha=1.5).fit(X, y)
    many = NaiveBayes(likelihood, alpha=np.full(np.shape(alpha), 1.5)).fit(X, y)
    assert_allclose(many.predict_joint_log_proba(X), one.predict_joint_log_proba(X), rtol=1e-12)
    assert_allclose(many.credible_interval(X), one.credible_interval(X), rtol=1e-9)
    assert_allclose(many.certificate_.primal, one.certificate_.primal)


@over_likelihoods
@over_alphas
@pytest.mark.parametrize("estimate", ["bayes", "predictive", "map"])
def test_learnt_in_parts_stored_and_explained(likelihood, alpha, estimate, tmp_path):
    alpha = (1.0 + np.array(alpha)).tolist()
    X, y = data(likelihood)
    blank = NaiveBayes(likelihood, alpha=alpha, estimate=estimate)
    whole = clone(blank).fit(X, y)
    said = whole.predict_joint_log_proba(X)
    parts = clone(blank).partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    merged = sum([clone(blank).fit(X[:30], y[:30]), clone(blank).fit(X[30:], y[30:])])
    back = clone(whole).fit(X, y).partial_fit(X[:7], y[:7]).forget(X[:7], y[:7])
    for model in (parts, merged, back):
        assert_allclose(model.predict_joint_log_proba(X), said, rtol=1e-9)
    for why in whole.explain(X[:5]):
        assert math.isclose(why.prior_decibans + sum(term.decibans for term in why.terms), why.decibans, abs_tol=1e-9)
    assert whole.certificate_.relative_gap <= 1e-9
    whole.save(tmp_path / "list")
    clone(whole).set_params(alpha=np.array(alpha, dtype=np.float64)).fit(X, y).save(tmp_path / "array")
    assert (tmp_path / "list").read_bytes() == (tmp_path / "array").read_bytes()
    again = deciban.load(tmp_path / "list")
    assert_array_equal(again.predict_joint_log_proba(X), said)
    assert again.alpha == alpha


@over_alphas
def test_columns_take_the_pseudo_counts_of_their_place(alpha):
    X, y = counts()
    table = pd.DataFrame({"words": X[:, 0], "job": np.where(X[:, 1] > 1, "cook", "clerk"), "here": X[:, 2] > 1})
    table["size"] = X[:, 3]
    kinds = {"words": "poisson", "job": "categorical", "here": "bernoulli", "size": "poisson"}
    model = NaiveBayes(kinds, alpha=alpha, class_prior="uniform").fit(table, y)
    whole = model.predict_joint_log_proba(table)
    known = 0.0
    for j, name in enumerate(table.columns):
        own = np.array(alpha)[..., [j]]
        one = NaiveBayes({name: kinds[name]}, alpha=own, class_prior="uniform").fit(table[[name]], y)
        known = known + one.predict_joint_log_proba(table[[name]]) - math.log(0.5)
    assert_allclose(whole, known + math.log(0.5), rtol=1e-12)


def test_pairs_of_presence_and_absence():
    X, y = present()
    pair = Bernoulli(alpha=VECTOR, beta=[1.0, 2.0, 3.0, 4.0])
    model = NaiveBayes(pair).fit(X, y)
    n, s = model.counts_.n[:, None], model.counts_.s
    assert_allclose(np.exp(model.feature_log_prob_), (s + VECTOR) / (n + np.array(VECTOR) + [1.0, 2.0, 3.0, 4.0]))


def test_the_priors_are_values(tmp_path):
    assert Bernoulli(alpha=VECTOR) == Bernoulli(alpha=np.array(VECTOR)) == Bernoulli(tuple(VECTOR))
    assert hash(Poisson(MATRIX)) == hash(Poisson(np.array(MATRIX)))
    X, y = present()
    model = NaiveBayes(Bernoulli(alpha=VECTOR, beta=MATRIX)).fit(X, y)
    model.save(tmp_path / "model")
    assert deciban.load(tmp_path / "model").likelihood == model.likelihood


def test_scikit_learn_has_the_same():
    X, y = counts()
    for name, other in (("multinomial", MultinomialNB), ("complement", ComplementNB)):
        known = other(alpha=VECTOR).fit(X, y)
        assert_allclose(NaiveBayes(name, alpha=VECTOR).fit(X, y).predict_proba(X), known.predict_proba(X), rtol=1e-9)
    categorical = CategoricalNB(min_categories=[9, 12, 9, 20]).fit(X, y)
    model = NaiveBayes("categorical", min_categories=np.array([9, 12, 9, 20])).fit(X, y)
    assert_allclose(model.predict_proba(X), categorical.predict_proba(X), rtol=1e-9)
    Z, z = measured()
    for share in (1e-9, 1e-2, 1.0):
        known = GaussianNB(var_smoothing=share).fit(Z, z).predict_proba(Z)
        model = NaiveBayes("gaussian", estimate="ml", var_smoothing=share).fit(Z, z)
        assert_allclose(model.predict_proba(Z), known, rtol=1e-9)
        assert model.certificate_.relative_gap <= 1e-9


def test_a_smoothed_variance_is_above_zero():
    X, y = np.array([[1.0, 0.0], [1.0, 2.0], [3.0, 1.0], [3.0, 4.0]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="does not vary"):
        NaiveBayes("gaussian", estimate="ml").fit(X, y)
    model = NaiveBayes("gaussian", estimate="ml", var_smoothing=1e-3).fit(X, y)
    assert_allclose(model.predict_proba(X), GaussianNB(var_smoothing=1e-3).fit(X, y).predict_proba(X), rtol=1e-9)
    assert np.isfinite(model.credible_interval(X)).all()


def test_more_categories_than_were_seen(tmp_path):
    table, y = pd.DataFrame({"job": ["cook", "clerk", "cook"], "age": [1.0, 2.0, 3.0]}), ["a", "b", "b"]
    model = NaiveBayes("auto", min_categories=5).fit(table, y)
    assert model.likelihoods_["job"].sizes == (5,)
    model.save(tmp_path / "model")
    again = deciban.load(tmp_path / "model")
    assert again.min_categories == 5
    assert_array_equal(again.predict_proba(table), model.predict_proba(table))


def test_pseudo_counts_of_classes():
    n = np.array([3.0, 1.0])
    assert_allclose(class_prior([2.0, 3.0], n), [5 / 9, 4 / 9])
    assert_allclose(class_prior(0.5, n), [3.5 / 5, 1.5 / 5])
    assert_allclose(class_prior([0.5, 0.5], n), [0.5, 0.5])
    assert_array_equal(class_prior(1, n), class_prior("smoothed", n))
    assert_array_equal(class_prior(np.float32(0), n), class_prior("empirical", n))
    X, y = counts()
    for likelihood, prior in (("multinomial", [2, 30]), ("poisson", 7)):
        model = NaiveBayes(likelihood, class_prior=prior).fit(X, y)
        assert_allclose(np.exp(model.scorer_.prior), class_prior(prior, model.class_count_))
        assert np.isfinite(model.credible_interval(X)).all()


@pytest.mark.parametrize("prior", [[2, 30], 7.0, (0.25, 0.75), [1.0, 0.0]], ids=str)
def test_files_keep_the_prior_of_the_classes(prior, tmp_path):
    X, y = counts()
    texts = ["free lunch", "free money", "noon"]
    for model, given in ((NaiveBayes(class_prior=prior).fit(X, y), X),):
        model.save(tmp_path / "table")
        assert_array_equal(deciban.load(tmp_path / "table").predict_proba(given), model.predict_proba(given))
    words = TextClassifier("naive-bayes", class_prior=prior).fit(texts, ["a", "a", "b"])
    words.save(tmp_path / "texts")
    again = deciban.load(tmp_path / "texts")
    assert_array_equal(again.predict_proba(texts), words.predict_proba(texts))
    assert_array_equal(again.credible_interval(texts), words.credible_interval(texts))


def test_a_class_of_probability_zero_is_never_predicted():
    X, y = counts(3)
    model = NaiveBayes(class_prior=[0.5, 0.0, 0.5]).fit(X, y)
    said = model.predict_proba(X)
    assert (said[:, 1] == 0.0).all()
    assert_allclose(said.sum(axis=1), 1.0)
    assert np.isneginf(model.predict_log_proba(X)[:, 1]).all()
    for why in model.explain(X[:5]):
        assert math.isclose(why.prior_decibans + sum(term.decibans for term in why.terms), why.decibans, abs_tol=1e-9)
    assert math.isfinite(model.certificate_.primal)
    against = model.explain(X[:1], pair=("ham", "news"))[0]
    assert against.decibans == against.prior_decibans == np.inf


REFUSED = [
    ({"alpha": [1.0, 2.0]}, "alpha has pseudo-counts of 2 features, but X has 4 features."),
    ({"alpha": [VECTOR]}, "alpha has pseudo-counts of 1 classes, but 2 are known."),
    ({"alpha": [1.0, -2.0, 1.0, 1.0]}, "alpha must be a finite number ≥ 0, one a feature, or one a class and feature"),
    ({"alpha": [1.0, np.nan, 1.0, 1.0]}, "alpha must be a finite number ≥ 0, one a feature"),
    ({"alpha": [["a"] * 4]}, "alpha must be a finite number ≥ 0, one a feature"),
    ({"alpha": []}, "alpha must be a finite number ≥ 0, one a feature"),
    ({"min_categories": 0, "likelihood": "categorical"}, "min_categories must be None, a whole number from 1"),
    ({"min_categories": [5, 5], "likelihood": "categorical"}, "sizes must be one number for each of 4 features"),
    ({"var_smoothing": -1.0, "likelihood": "gaussian"}, "var_smoothing must be a finite number ≥ 0, got -1.0"),
]


@pytest.mark.parametrize(("parameters", "text"), REFUSED)
def test_what_does_not_fit_is_refused(parameters, text):
    X, y = counts()
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the text is compared
        NaiveBayes(**parameters).fit(X, y)
    assert str(caught.value).startswith(text)


def test_a_new_class_needs_its_row():
    X, y = counts(3)
    model = NaiveBayes(alpha=MATRIX).fit(X[y != "news"], y[y != "news"])
    before = model.predict_joint_log_proba(X)
    with pytest.raises(ValueError, match=r"alpha has pseudo-counts of 2 classes, but 3 are known\. .*\(classes=\)"):
        model.partial_fit(X, y)
    assert_array_equal(model.predict_joint_log_proba(X), before)
    declared = NaiveBayes(alpha=[*MATRIX, VECTOR])
    for label in ("ham", "spam", "news"):
        declared.partial_fit(X[y == label], y[y == label], classes=["ham", "spam", "news"])
    assert_array_equal(declared.predict_proba(X), NaiveBayes(alpha=[*MATRIX, VECTOR]).fit(X, y).predict_proba(X))
