"""Laws of labels and their places: those of `numpy.unique`, whatever holds the labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from deciban import NaiveBayes
from deciban.data.labels import places
from deciban.data.validation import check_classification_targets, is_column_of_texts

texts = st.lists(st.sampled_from(["ham", "spam", "", "가", "z", "Z", "aa", "\x01"]), min_size=1, max_size=30)


@given(texts)
def test_places_of_texts_are_those_of_sorting_them(labels):
    for y in (np.array(labels), np.array(labels, dtype=object), np.array([each.encode() for each in labels])):
        wanted, index = np.unique(y, return_inverse=True)
        found, at = places(y)
        assert found.dtype == y.dtype
        assert_array_equal(found, wanted)
        assert_array_equal(at, index)


@pytest.mark.parametrize("values", [["a", 1], ["a", None], [b"a", "a"]])
def test_labels_that_cannot_be_sorted_are_refused_as_before(values):
    y = np.array(values, dtype=object)
    assert not is_column_of_texts(y)
    with pytest.raises(TypeError):
        places(y)


def test_other_objects_are_sorted():
    y = np.array([2, 1.5, True, 1.5], dtype=object)
    wanted, index = np.unique(y, return_inverse=True)
    found, at = places(y)
    assert_array_equal(found, wanted)
    assert_array_equal(at, index)


def test_a_column_of_texts_is_an_array_of_nothing_else():
    assert is_column_of_texts(np.array(["a", "b"], dtype=object))
    empty, of_bytes = np.array([], dtype=object), np.array([b"a"], dtype=object)
    for y in (["a"], np.array(["a"]), np.array([["a"]], dtype=object), empty, of_bytes):
        assert not is_column_of_texts(y)


@given(texts)
def test_a_model_of_texts_is_that_of_any_array_of_them(labels):
    X = np.arange(2 * len(labels)).reshape(-1, 2)
    one, other = NaiveBayes().fit(X, np.array(labels)), NaiveBayes().fit(X, np.array(labels, dtype=object))
    assert one.classes_.tolist() == other.classes_.tolist()
    assert_array_equal(one.counts_.s, other.counts_.s)


def test_rows_and_texts_of_another_number_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        NaiveBayes().fit(np.ones((3, 2)), np.array(["a", "b"], dtype=object))


def test_labels_most_of_which_differ_are_told_of():
    y = np.array([f"label {i}" for i in range(40)], dtype=object)
    with pytest.warns(UserWarning, match="unique classes"):
        check_classification_targets(y)
    check_classification_targets(np.array(["a", "b"] * 20, dtype=object))
