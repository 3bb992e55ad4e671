"""Refusals of naive Bayes, word for word, and that a refused call leaves the model as it was."""

import pickle

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import sparse
from sklearn.exceptions import NotFittedError

from deciban.distributions import Bernoulli, Categorical, Gaussian, Poisson, by_name
from deciban.errors import DataError
from deciban.models.naive_bayes import NaiveBayes

X, Y = [[1, 0], [1, 1], [0, 1]], ["ham", "ham", "spam"]
FRAME = pd.DataFrame(X, columns=["offer", "viagra {x}"])
NAMES = "'bernoulli', 'categorical', 'multinomial', 'complement', 'poisson', 'gaussian'"


MULTINOMIAL = "row 1, feature {} is {:g}; a multinomial feature is a finite count ≥ 0"
BERNOULLI = "row 1, feature {} is {:g}; a Bernoulli feature is 0 or 1"
OUTSIDE = [
    ("multinomial", -2, f"Negative values in data for a multinomial model: {MULTINOMIAL}"),
    ("multinomial", np.inf, f"Input X contains infinity or a value beyond 1e300: {MULTINOMIAL}"),
    ("multinomial", np.nan, f"Input X contains NaN, and a multinomial count cannot be missing: {MULTINOMIAL}"),
    ("complement", -2, f"Negative values in data for a multinomial model: {MULTINOMIAL}"),
    ("bernoulli", np.inf, f"Input X contains infinity or a value beyond 1e300: {BERNOULLI}"),
    (
        Bernoulli(),
        3,
        "a Bernoulli feature is 0 or 1: row 1, feature {} is {:g}; "
        "binarise (x > 0) first, or choose the multinomial model for counts",
    ),
    (
        "poisson",
        -2,
        "Negative values in data for a Poisson model: row 1, feature {} is {:g}; a Poisson feature is a count ≥ 0",
    ),
    (
        "poisson",
        np.inf,
        "Input X contains infinity or a value beyond 1e300: row 1, feature {} is {:g}; "
        "a Poisson feature is a finite count ≥ 0",
    ),
    (
        "categorical",
        0.5,
        "a category is coded 0, 1, 2, …: row 1, feature {} is {:g}; "
        "choose 'gaussian' for measurements, or give labels as text in a data frame",
    ),
    (
        "categorical",
        -1,
        "Negative values in data for a categorical model: row 1, feature {} is {:g}; a category is coded 0, 1, 2, …",
    ),
    (
        "categorical",
        np.inf,
        "Input X contains infinity or a value beyond 1e300: row 1, feature {} is {:g}; a category is coded 0, 1, 2, …",
    ),
]


@pytest.mark.parametrize(("likelihood", "value", "text"), OUTSIDE)
def test_values_outside_the_support_are_found_wherever_they_come(likelihood, value, text):
    data = np.array([[1.0, 0.0], [1.0, value], [0.0, 1.0]])
    fitted = NaiveBayes(likelihood).fit(X, Y)
    said = text.format(1, value)
    for form in (data, data.astype(np.float32), sparse.csr_array(data), sparse.csc_array(data), data.tolist()):
        for call in (fitted.fit, fitted.partial_fit, fitted.forget):
            with refused(said, DataError, fitted):
                call(form, Y)
            with refused(said, DataError, fitted):  # a row that does not count is looked at too
                call(form, Y, sample_weight=[1, 0, 1])
        for judge in (fitted.predict, fitted.explain, fitted.credible_interval):
            with refused(said, DataError, fitted):
                judge(form)
    if likelihood != "categorical":  # which reads a frame as labels
        frame = pd.DataFrame(data, columns=FRAME.columns)
        with refused(text.format("'viagra {x}'", value), DataError):
            NaiveBayes(likelihood).fit(frame, Y)


def test_an_infinite_measurement_is_neither_learnt_nor_judged():
    """Up to 1e150 one can be learnt, up to 1e300 judged."""
    model = NaiveBayes("gaussian").fit(X, Y)
    data, place = (
        [[1.0, 0.0], [1.0, -np.inf], [0.0, 1.0]],
        "row 1, feature 1 is -inf; a Gaussian feature is a finite number",
    )
    for call in (model.fit, model.partial_fit, model.forget):
        with refused(f"Input X contains infinity: {place}", DataError, model):
            call(data, Y)
    for judge in (model.predict, model.explain, model.credible_interval):
        with refused(f"Input X contains infinity or a value beyond 1e300: {place}", DataError, model):
            judge(data)


@pytest.mark.parametrize(
    ("likelihood", "data", "weight", "text"),
    [
        (
            "gaussian",
            [[1.0], [-1e151], [2.0]],
            [1, 1, 1],
            "row 1, feature 0 is -1e+151, whose square is beyond a float64: give the feature in a larger unit",
        ),
        (
            "gaussian",
            [[1e150], [-1e150], [2.0]],
            [1, 1e20, 1],
            "the squares of feature 0 sum to more than a float64 holds in class 'ham': give it in a larger unit",
        ),
        (
            "multinomial",
            [[1e300], [1e300], [2.0]],
            [1e10, 1, 1],
            "feature 0 sums to more than a float64 holds in class 'ham': give it in a larger unit",
        ),
        (
            "categorical",
            [[1], [4_000_000_000], [0]],
            [1, 1, 1],
            "feature 0 has the code 4000000000, and a table of all codes up to there is too large: "
            "number the categories from 0, or give a data frame or an array of labels",
        ),
        (
            "categorical",
            [[1], [1e299], [0]],
            [1, 1, 1],
            "feature 0 has the code 1e+299, and a table of all codes up to there is too large: "
            "number the categories from 0, or give a data frame or an array of labels",
        ),
    ],
)
def test_what_is_too_large_to_be_counted_is_refused(likelihood, data, weight, text):
    model = NaiveBayes(likelihood).fit([[1], [0], [1]], Y)
    for call in (model.fit, model.partial_fit):
        with refused(text, DataError, model):
            call(data, Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        *(
            ({"likelihood": wrong}, f"likelihood must be one of {NAMES}, got {wrong!r}")
            for wrong in ("poison", 3, None, ["bernoulli"], Gaussian)
        ),
        *(
            ({"alpha": wrong, "likelihood": name}, f"{first} must be a finite number ≥ 0, got {wrong!r}")
            for wrong in (-1.0, np.nan, np.inf, "1", True)
            for name, first in (("multinomial", "alpha"), ("poisson", "alpha"), ("gaussian", "kappa"))
        ),
        ({"estimate": "best"}, "estimate must be one of 'bayes', 'predictive', 'map', 'ml', got 'best'"),
        ({"likelihood": "bernoulli", "binarize": "no"}, "binarize must be None or a finite number, got 'no'"),
        *(
            (
                {"class_prior": wrong},
                "class_prior must be 'empirical', 'smoothed', 'uniform' or 2 probabilities ≥ 0 that sum to 1 "
                f"(or pseudo-counts: a number ≥ 0, or 2, one of them 1 or more), got {wrong!r}",
            )
            for wrong in ("flat", [0.5, 0.6], [1.5, -0.5], [1.0], {"ham": 1.0}, None, True, np.nan)
        ),
    ],
)
def test_parameters_are_checked_in_fit(parameters, text):
    model = NaiveBayes(**parameters)
    with refused(text, model=model):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Gaussian(kappa=-1), "kappa must be a finite number ≥ 0, got -1"),
        (lambda: Gaussian(nu=np.nan), "nu must be a finite number ≥ 0, got nan"),
        (lambda: Gaussian(mean=np.inf), "mean must be None or a finite number, got inf"),
        (lambda: Gaussian(variance=0.0), "variance must be None or a finite number > 0, got 0.0"),
        (lambda: Poisson(1.0, -2.0), "beta must be a finite number ≥ 0, got -2.0"),
        (lambda: Bernoulli(1.0, "x"), "beta must be a finite number ≥ 0, got 'x'"),
        (lambda: Categorical(sizes=(2, 0)), "sizes must be None or a tuple of whole numbers ≥ 1, got (2, 0)"),
        (lambda: Categorical(sizes="ab"), "sizes must be None or a tuple of whole numbers ≥ 1, got 'ab'"),
        (
            lambda: NaiveBayes(Categorical(sizes=(2,))).fit(X, Y),
            "sizes must be one number for each of 2 features, got (2,)",
        ),
        (lambda: by_name(["bernoulli"]), f"likelihood must be one of {NAMES}, got ['bernoulli']"),
    ],
)
def test_priors_are_checked_when_they_are_made(make, text):
    with refused(text):
        make()


@pytest.mark.parametrize("level", [0.0, 1.0, 95, -0.5, "0.9", True, None, np.nan])
def test_a_level_is_a_probability(level):
    model = NaiveBayes().fit(X, Y)
    with refused(f"level must be a number between 0 and 1, got {level!r}", model=model):
        model.credible_interval(X, level)


def test_a_threshold_below_zero_makes_a_sparse_matrix_full():
    with refused("binarize=-1.0 would make every zero of a sparse matrix present: use binarize ≥ 0, or a dense array"):
        NaiveBayes("bernoulli", binarize=-1.0).fit(sparse.csr_array(X), Y)
    assert NaiveBayes("bernoulli", binarize=-1.0).fit(X, Y).feature_count_.tolist() == [[2, 2], [1, 1]]


def test_words_are_asked_of_models_of_words():
    model = NaiveBayes("gaussian").fit(X, Y)
    for name in ("feature_count_", "feature_log_prob_"):
        with refused(f"{name} belongs to multinomial, complement and bernoulli, not to gaussian", AttributeError):
            getattr(model, name)


def test_labels_of_two_kinds_do_not_mix():
    model = NaiveBayes().fit(X, Y)
    text = "labels must be of one kind, but 'ham' was learnt before and 1 came now: "
    with refused(text + "give all labels as text or all as numbers", model=model):
        model.partial_fit(X, [1, 2, 3])


def test_a_refused_fit_leaves_the_fitted_model_alone():
    model = NaiveBayes().fit(X, Y)
    before = pickle.dumps(model)
    for bad in ([[1, 2, -3]], [[np.nan, 1, 2]], [["a", "b", "c"]]):
        with pytest.raises(ValueError):  # noqa: PT011 - the text is scikit-learn's or stands above
            model.fit(bad, ["ham"])
    assert pickle.dumps(model) == before


def test_nothing_learnt_judges_nothing():
    judges = ("predict", "explain", "credible_interval", "predict_proba")
    for likelihood in ("multinomial", "gaussian", "categorical"):
        forgotten = NaiveBayes(likelihood).fit(X, Y).forget(X, Y)
        for name in judges:
            text = "nothing is learnt: every example was forgotten; fit or partial_fit first"
            with refused(text, NotFittedError, forgotten):
                getattr(forgotten, name)(X)
        with refused("nothing is learnt: every example was forgotten; fit or partial_fit first", NotFittedError):
            _ = forgotten.certificate_
    for name in (*judges, "forget"):
        with pytest.raises(NotFittedError):
            getattr(NaiveBayes(), name)(*((X, Y) if name == "forget" else (X,)))
    assert not hasattr(NaiveBayes(), "scorer_")
