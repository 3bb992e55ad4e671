"""Refusals of naive Bayes, word for word, and that a refused call leaves the model as it was."""

import pickle
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from deciban.distributions import Bernoulli, Counts, Multinomial, StatisticError, by_name
from deciban.errors import DataError
from deciban.models.naive_bayes import NaiveBayes

X, Y = [[1, 0], [1, 1], [0, 1]], ["ham", "ham", "spam"]
FRAME = pd.DataFrame(X, columns=["offer", "viagra {x}"])
ADVICE = "use estimate='bayes' with alpha > 0"
LEAVE = f"and the evidence infinite: {ADVICE}, or leave the feature out"
OTHER = "an example to forget was never learnt like this"


@contextmanager
def refused(text, kind=ValueError):
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("model", "data", "text"),
    [
        (
            NaiveBayes(estimate="ml"),
            FRAME.assign(offer=[1, 2, 0]),
            f"feature 'offer' never occurs in class 'spam', so its probability there is 0 {LEAVE}",
        ),
        (
            NaiveBayes("bernoulli", alpha=0.0),
            FRAME,
            f"feature 'offer' is always present in class 'ham', so its probability there is 1 {LEAVE}",
        ),
        (
            NaiveBayes("bernoulli", estimate="map"),
            [[0, 1], [0, 1], [1, 1]],
            f"feature 0 is never present in class 'ham', so its probability there is 0 {LEAVE}",
        ),
        (
            NaiveBayes(estimate="map", alpha=0.5),
            X,
            "estimate='map' is undefined for feature 0 in class 'spam' (counted 0 of 1, alpha=0.5): " + ADVICE,
        ),
        (
            NaiveBayes(estimate="ml"),
            [[1, 1], [1, 1], [0, 0]],
            "estimate='ml' is undefined for feature 0 in class 'spam' (counted 0 of 0, alpha=1): " + ADVICE,
        ),
        (
            NaiveBayes("bernoulli", estimate="map", alpha=0.5),
            FRAME,
            "estimate='map' is undefined for feature 'offer' in class 'ham' "
            f"(present in 2 of 2 examples, alpha=0.5, beta=0.5): {ADVICE}",
        ),
    ],
)
def test_evidence_that_would_be_infinite_names_feature_and_class(model, data, text):
    with refused(text, DataError):
        model.fit(data, Y)
    assert not hasattr(model, "counts_")


NOT_COUNTS = [
    (
        NaiveBayes(),
        [[1, 0], [1, -2], [0, 1]],
        "Negative values in data for a multinomial model: row 1, feature {} is -2; "
        "a multinomial feature is a finite count ≥ 0",
    ),
    (
        NaiveBayes("bernoulli", binarize=None),
        [[1, 0], [1, 3], [0, 1]],
        "a Bernoulli feature is 0 or 1: row 1, feature {} is 3; "
        "binarise (x > 0) first, or choose the multinomial model for counts",
    ),
]


@pytest.mark.parametrize(("model", "data", "text"), NOT_COUNTS)
def test_values_outside_the_support_are_found(model, data, text):
    frame = pd.DataFrame(data, columns=FRAME.columns)
    with refused(text.format("'viagra {x}'"), DataError):
        model.fit(frame, Y)
    for form in (np.array(data), sparse.csr_array(data), sparse.csc_array(data), np.array(data, dtype=float)):
        with refused(text.format(1), DataError):
            model.fit(form, Y)
        with refused(text.format(1), DataError):
            model.fit(form, Y, [1, 0, 1])
        fitted = NaiveBayes(**model.get_params()).fit(X, Y)
        with refused(text.format(1), DataError):
            fitted.predict(form)
        with refused(text.format(1), DataError):
            fitted.partial_fit(form, Y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_distributions_refuse_what_is_no_number(value):
    data = np.array([[1.0, 0.0], [1.0, value]])
    with refused(
        f"Infinite or missing values in data: row 1, feature 1 is {value:g}; "
        "a multinomial feature is a finite count ≥ 0"
    ):
        Multinomial().count(data, np.zeros(2, int), np.ones(2), 1)
    with pytest.raises(StatisticError, match=f"row 1, feature 1 is {value:g}"):
        Bernoulli().count(sparse.csr_array(data), np.zeros(2, int), np.ones(2), 1)
    for name in ("bernoulli", "multinomial"):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            NaiveBayes(name).fit(data, ["ham", "spam"])


@pytest.mark.parametrize(
    ("name", "data", "labels", "text"),
    [
        (
            "multinomial",
            X,
            ["ham", "ham", "eggs"],
            "cannot forget 'eggs': the labels learnt are ['ham', 'spam']",
        ),
        (
            "multinomial",
            [[0, 1]] * 2,
            ["spam"] * 2,
            "cannot forget more than was learnt: examples of class 'spam': 1 learnt, 2 to forget; "
            "forget only what was learnt, with the same label and weight",
        ),
        (
            "multinomial",
            [[7, 0]],
            ["ham"],
            "cannot forget more than was learnt: feature 'offer' in class 'ham': 2 learnt, 7 to forget; "
            "forget only what was learnt, with the same label and weight",
        ),
        (
            "multinomial",
            [[0, 0]],
            ["spam"],
            f"class 'spam' would have no examples left, but 1 of feature 'viagra {{x}}': {OTHER}",
        ),
        (
            "bernoulli",
            [[0, 0]],
            ["ham"],
            f"feature 'offer' would be present in 2 of 1 examples of class 'ham': {OTHER}",
        ),
    ],
)
def test_only_what_was_learnt_can_be_forgotten(name, data, labels, text):
    model = NaiveBayes(name).fit(FRAME, Y)
    before = pickle.dumps(model)
    with refused(text):
        model.forget(pd.DataFrame(data, columns=FRAME.columns), labels)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"likelihood": "poison"}, "likelihood must be one of 'bernoulli', 'multinomial', got 'poison'"),
        ({"likelihood": 3}, "likelihood must be one of 'bernoulli', 'multinomial', got 3"),
        ({"alpha": -1.0}, "alpha must be a finite number ≥ 0, got -1.0"),
        ({"alpha": np.nan}, "alpha must be a finite number ≥ 0, got nan"),
        ({"alpha": "1"}, "alpha must be a finite number ≥ 0, got '1'"),
        ({"alpha": True}, "alpha must be a finite number ≥ 0, got True"),
        ({"estimate": "best"}, "estimate must be one of 'bayes', 'map', 'ml', got 'best'"),
        (
            {"likelihood": "bernoulli", "binarize": "no"},
            "binarize must be None or a finite number, got 'no'",
        ),
        *(
            (
                {"class_prior": given},
                "class_prior must be 'fitted', 'smoothed', 'uniform' or 2 probabilities > 0 that sum to 1, "
                f"got {given!r}",
            )
            for given in ("flat", [0.5, 0.6], [1.0, 0.0], [1.0], {"ham": 1.0}, None)
        ),
    ],
)
def test_parameters_are_checked_in_fit(parameters, text):
    model = NaiveBayes(**parameters)
    with refused(text):
        model.fit(X, Y)


def test_a_threshold_below_zero_makes_a_sparse_matrix_full():
    with refused("binarize=-1.0 would make every zero of a sparse matrix present: use binarize ≥ 0, or a dense array"):
        NaiveBayes("bernoulli", binarize=-1.0).fit(sparse.csr_array(X), Y)
    assert NaiveBayes("bernoulli", binarize=-1.0).fit(X, Y).feature_count_.tolist() == [[2, 2], [1, 1]]


def test_labels_of_two_kinds_do_not_mix():
    model = NaiveBayes().fit(X, Y)
    before = pickle.dumps(model)
    with refused(
        "labels must be of one kind, but 'ham' was learnt before and 1 came now: "
        "give all labels as text or all as numbers"
    ):
        model.partial_fit(X, [1, 2, 3])
    assert pickle.dumps(model) == before


def test_merging_asks_for_the_same_model():
    fitted = NaiveBayes().fit(FRAME, Y)
    with refused("cannot merge models of different alpha: 1.0 and 2.0"):
        fitted + NaiveBayes(alpha=2.0).fit(FRAME, Y)
    with refused("cannot merge models of different n_features_in_: 2 and 1"):
        fitted + NaiveBayes().fit([[1], [2]], ["ham", "spam"])
    with pytest.raises(ValueError, match=r"^cannot merge models of different feature_names_in_: "):
        fitted + NaiveBayes().fit(X, Y)
    with pytest.raises(TypeError):
        fitted + 1
    with pytest.raises(NotFittedError):
        fitted + NaiveBayes()


def test_nothing_learnt_judges_nothing():
    forgotten = NaiveBayes().fit(X, Y).forget(X, Y)
    text = "nothing is learnt: every example was forgotten; fit or partial_fit first"
    for judge in (forgotten.predict, forgotten.explain, lambda _: forgotten.certificate_):
        with refused(text, NotFittedError):
            judge(X)
    for judge in (NaiveBayes().predict, NaiveBayes().explain, lambda _: NaiveBayes().forget(X, Y)):
        with pytest.raises(NotFittedError):
            judge(X)
    assert not hasattr(NaiveBayes(), "score_")


def test_a_refused_fit_leaves_the_fitted_model_alone():
    model = NaiveBayes().fit(X, Y)
    before = pickle.dumps(model)
    for bad in ([[1, 2, -3]], [[np.nan, 1, 2]], [["a", "b", "c"]]):
        with pytest.raises(ValueError):  # noqa: PT011 - the text is scikit-learn's or stands above
            model.fit(bad, ["ham"])
    assert pickle.dumps(model) == before


def test_statistics_refuse_by_number_where_no_names_are_known():
    one, two = Counts(np.array([1.0]), np.array([[1.0]])), Counts(np.array([1.0]), np.array([[2.0]]))
    tail = "1 learnt, 2 to forget; forget only what was learnt, with the same label and weight"
    with refused(f"cannot forget more than was learnt: feature 0 in class 0: {tail}", StatisticError):
        one - two
    error = StatisticError("{feature} of {label}", feature=1, label=2)
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "feature 1 of class 2"
    with refused("likelihood must be one of 'bernoulli', 'multinomial', got ['bernoulli']"):
        by_name(["bernoulli"])
