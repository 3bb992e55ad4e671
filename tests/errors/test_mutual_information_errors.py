"""Refusals of the selector by mutual information, word for word; a refused fit leaves it as it was."""

import pickle
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from deciban import NaiveBayes
from deciban.errors import DataError
from deciban.features.information import binary_information, categorical_information, entropy
from deciban.features.mutual_information import MutualInformation

X, Y = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0]]), ["ham", "ham", "spam"]
ADVICE = "give what is not known a value of its own, or leave the row out"


@contextmanager
def refused(text, kind=ValueError):
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == text


@pytest.mark.parametrize("k", [0, -1, 0.5, 10.0, True, "most", None, [1]], ids=repr)
def test_a_number_of_features(k):
    with refused(f"k must be a whole number from 1, 'all' or 'auto', got {k!r}"):
        MutualInformation(k).fit(X, Y)


@pytest.mark.parametrize("likelihood", ["gaussian", None, 1], ids=repr)
def test_a_likelihood_that_judges_the_number(likelihood):
    with refused(f"likelihood must be 'auto', 'bernoulli' or 'multinomial', got {likelihood!r}"):
        MutualInformation("auto", likelihood=likelihood).fit(X, Y)


@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_not_known_is_named(value, what, dtype):
    data = np.array([[1, 0], [3, value], [value, 1]], dtype)
    text = f"Input contains {what}: row 1, feature {{}} is {value:g}; {ADVICE}"
    for form in (data, np.asfortranarray(data), sparse.csr_array(data), sparse.csc_array(data)):
        for weight in (None, [1, 0, 2]):
            with refused(text.format(1), DataError):
                MutualInformation().fit(form, Y, weight)
    with refused(text.format("'viagra {x}'"), DataError):
        MutualInformation().fit(pd.DataFrame(data, columns=["offer", "viagra {x}"]), Y)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        MutualInformation().fit(X, Y).transform(data)


def test_of_several_the_first_is_named():
    data = np.zeros((3000, 40))
    data[[2999, 1700, 1700, 2000], [0, 31, 30, 2]] = np.nan
    backwards = sparse.csr_array(data)
    backwards.data, backwards.indices = backwards.data[[1, 0, 2, 3]], backwards.indices[[1, 0, 2, 3]]
    backwards.has_sorted_indices = False
    for form in (data, sparse.csr_array(data), backwards):
        with refused(f"Input contains NaN: row 1700, feature 30 is nan; {ADVICE}"):
            MutualInformation().fit(form, np.arange(3000) % 2)


def test_nothing_to_learn_from():
    with pytest.raises(ValueError, match=r"Sample weights must contain at least one non-zero number"):
        MutualInformation().fit(X, Y, [0, 0, 0])
    with pytest.raises(ValueError, match=r"Negative values"):
        MutualInformation().fit(X, Y, [1, -1, 1])
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        MutualInformation().fit(X[:0], [])
    with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\)"):
        MutualInformation().fit(X[:, :0], Y)
    with pytest.raises(ValueError, match=r"Found input variables with inconsistent numbers of samples: \[3, 2\]"):
        MutualInformation().fit(X, Y[:2])
    with pytest.raises(ValueError, match=r"Unknown label type: continuous"):
        MutualInformation().fit(X, [0.1, 0.2, 0.3])
    with pytest.raises(NotFittedError):
        MutualInformation().transform(X)
    with pytest.raises(NotFittedError):
        _ = MutualInformation().bits_


def test_held_out_errors_need_two_examples_and_counts():
    alone = "k='auto' holds examples out: 2 at least are expected, got 1 sample; give k as a number"
    with refused(alone, DataError):
        MutualInformation("auto").fit(X[:1], Y[:1])
    with refused(alone, DataError):
        MutualInformation("auto").fit(X, Y, [0, 3, 0])
    text = (
        "Negative values in data for a multinomial model: row 2, feature 1 is -1; a multinomial feature is a "
        "finite count ≥ 0; or give k as a number"
    )
    below = np.where([[0, 0], [0, 0], [0, 1]], -X, X)
    for form in (below, sparse.csr_array(below)):
        with refused(text, DataError):
            MutualInformation("auto").fit(form, Y)
        MutualInformation("auto", likelihood="bernoulli").fit(form, Y)
        MutualInformation(2).fit(form, Y)


def test_a_model_to_select_by_holds_tables_of_values():
    frame = pd.DataFrame({"there": [True, False, True], "size": [0.5, 1.5, 2.5]})
    text = "is {!r}, and its sums are no table of values: fit the selector on the data, measurements put into bins"
    with refused("feature 'size' " + text.format("gaussian"), DataError):
        MutualInformation.from_model(NaiveBayes("auto").fit(frame, Y))
    with refused("feature 0 " + text.format("poisson"), DataError):
        MutualInformation.from_model(NaiveBayes("poisson").fit(X, Y))
    with refused("k='auto' holds examples out, and a model has none: give a whole number or 'all'"):
        MutualInformation.from_model(NaiveBayes().fit(X, Y), "auto")
    with refused("k must be a whole number from 1, 'all' or 'auto', got 0"):
        MutualInformation.from_model(NaiveBayes().fit(X, Y), 0)
    with pytest.raises(NotFittedError):
        MutualInformation.from_model(NaiveBayes())
    with refused("a fitted NaiveBayes is expected, got list: fit the selector on the data", TypeError):
        MutualInformation.from_model([])


@pytest.mark.parametrize(
    ("changes", "data"),
    [({"k": 0}, X), ({}, X * np.nan), ({"k": "auto"}, -X), ({"likelihood": "poison"}, X), ({}, X[:, :0])],
)
def test_a_refused_fit_leaves_the_selector_as_it_was(changes, data):
    selector = MutualInformation("auto").fit(X, Y)
    before = dict(selector.__dict__)
    selector.set_params(**changes)
    with pytest.raises(ValueError):  # noqa: PT011 - the texts stand above
        selector.fit(data, Y)
    selector.set_params(k="auto", likelihood="auto")
    assert pickle.dumps(selector.__dict__) == pickle.dumps(before)


def test_occurrences_are_not_examples():
    with refused(
        "s must be within 0 and n, the weight of the class: feature 1 in class 0 has s = 5; "
        "occurrences of words are not examples, see word_information"
    ):
        binary_information([2, 3], [[1, 5], [0, 3]])
    with refused(
        "s must be within 0 and n, the weight of the class: feature 0 in class 1 has s = -1; "
        "occurrences of words are not examples, see word_information"
    ):
        binary_information([2, 3], [[1, 2], [-1, 3]])
    assert entropy([0.0, 0.0]) == 0.0
    assert categorical_information(np.zeros((2, 3)), [0, 1, 3]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("X", [np.array([["a", 1], ["b", 2]], dtype=object), [["a", 1.0], ["b", 2.0]]])
def test_text_is_named_with_what_to_do(X):
    with pytest.raises(DataError) as refused:
        MutualInformation().fit(X, [0, 1])
    assert str(refused.value) == (
        "column 0 holds text, and features are weighed as numbers: code it first (OrdinalEncoder), or fit "
        "NaiveBayes(likelihood='auto') and take MutualInformation.from_model"
    )
    with pytest.raises(DataError, match="colour' holds text, and"):
        MutualInformation().fit(pd.DataFrame({"size": [1, 2], "colour": ["red", "blue"]}), [0, 1])
