"""Laws of mutual information: of the data, and of counts alone."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import labelled_data
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import NaiveBayes
from deciban.features.information import (
    binary_information,
    categorical_information,
    entropy,
    word_information,
)
from deciban.features.mutual_information import MutualInformation
from oracle import mutual_information as oracle

VALUES = np.array([-7.5, 0.0, 0.1, 3.0, 1e300])  # what 0 … 4 of the drawn data may be called instead


def scores(X, y, weight=None, **parameters):
    return MutualInformation(**parameters).fit(X, y, weight).scores_


# --- The number --------------------------------------------------------------------------------------------


@given(data=labelled_data(), fraction=st.sampled_from([1.0, 0.1, 1 / 3]))
def test_information_is_that_of_the_book(data, fraction):
    weight = data.weight * fraction
    book = oracle.of_columns(data.X.tolist(), data.y.tolist(), weight.tolist())
    assert_allclose(scores(data.X, data.y, weight), book, rtol=1e-11, atol=1e-14)
    assert_allclose(scores(sparse.csr_array(data.X), data.y, weight), book, rtol=1e-11, atol=1e-14)


@given(data=labelled_data())
def test_a_feature_tells_no_more_than_there_is_to_know(data):
    told = scores(data.X, data.y, data.weight)
    assert (told >= 0.0).all()
    assert (told <= oracle.entropy(data.y.tolist(), data.weight.tolist()) + 1e-14).all()
    known = [oracle.entropy(column.tolist(), data.weight.tolist()) for column in data.X.T]
    assert (told <= np.array(known) + 1e-12).all()
    coarse = scores(data.X // 2, data.y, data.weight)  # what is made of a feature tells no more than it
    assert (coarse <= told + 1e-12).all()


@given(data=labelled_data(), draws=st.data())
def test_names_of_classes_and_values_do_not_matter(data, draws):
    told = scores(data.X, data.y)
    classes = np.array(draws.draw(st.permutations(["eggs", "ham", "spam"])))
    assert_allclose(scores(data.X, classes[data.y]), told, rtol=1e-12, atol=1e-14)
    values = np.array(draws.draw(st.permutations(VALUES)))
    assert_allclose(scores(values[data.X], data.y), told, rtol=1e-12, atol=1e-14)
    assert_allclose(scores(sparse.csr_array(values[data.X]), data.y), told, rtol=1e-12, atol=1e-14)


@given(data=labelled_data(), draws=st.data())
def test_order_does_not_matter_and_a_copy_tells_the_same_to_the_last_bit(data, draws):
    told = scores(data.X, data.y, data.weight)
    columns = draws.draw(st.permutations(range(data.X.shape[1])))
    rows = np.array(draws.draw(st.permutations(range(len(data.y)))))
    turned = scores(data.X[np.ix_(rows, columns)], data.y[rows], data.weight[rows])
    assert_array_equal(turned, told[columns])
    for twice in (np.hstack([data.X, data.X]), sparse.csr_array(np.hstack([data.X, data.X]))):
        assert_array_equal(scores(twice, data.y, data.weight), np.tile(told, 2))


@given(data=labelled_data(), often=st.integers(2, 4))
def test_weight_means_repetition_and_none_means_absence(data, often):
    told = scores(data.X, data.y, data.weight)
    again = np.repeat(np.arange(len(data.y)), data.weight.astype(int))
    assert_allclose(scores(data.X[again], data.y[again]), told, rtol=1e-12, atol=1e-15)
    assert_allclose(scores(data.X, data.y, data.weight * often), told, rtol=1e-12, atol=1e-15)
    X, y = np.vstack([data.X, 4 - data.X]), np.concatenate([data.y, np.full(len(data.y), 7)])
    weight = np.concatenate([data.weight, np.zeros(len(data.y))])
    for form in (X, sparse.csr_array(X)):
        assert_allclose(scores(form, y, weight), told, rtol=1e-12, atol=1e-15)


@given(data=labelled_data())
def test_the_format_of_the_rows_does_not_matter(data):
    told = scores(data.X, data.y)
    csr = sparse.csr_array(data.X.astype(np.float64))
    wide, minus, kept = csr.copy(), csr.copy(), sparse.csr_array(data.X + 1.0)
    wide.indices, wide.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    kept.data -= 1.0  # zeros that are stored
    minus.data[minus.data == 1.0] = 1.0
    forms = [csr, sparse.csr_matrix(csr), csr.tocsc(), csr.tocoo(), wide, csr.astype(np.float32), kept]
    forms += [data.X.tolist(), data.X.astype(np.float32), np.asfortranarray(data.X.astype(float))]
    forms += [data.X.astype(np.uint8), data.X.astype(np.int16), np.where(data.X == 0, -0.0, data.X)]
    for form in forms:
        assert_array_equal(scores(form, data.y), told)
    assert_array_equal(scores(data.X > 0, data.y), scores(1 * (data.X > 0), data.y))


@given(data=labelled_data())
def test_entries_of_a_sparse_row_have_no_order_and_add_up(data):
    rows, columns = np.nonzero(data.X)
    apart = np.lexsort((-columns, rows))
    ones = np.repeat(apart, data.X[rows, columns][apart])  # 3 is three entries of 1
    for entries, values in ((apart, data.X[rows, columns][apart]), (ones, np.ones(len(ones)))):
        starts = np.searchsorted(rows[entries], np.arange(len(data.y) + 1))
        backwards = sparse.csr_array((values, columns[entries], starts), shape=data.X.shape)
        before = backwards.data.copy(), backwards.indices.copy()
        assert_array_equal(backwards.toarray(), data.X)
        assert_array_equal(scores(backwards, data.y), scores(data.X, data.y))
        assert_array_equal(backwards.data, before[0])  # the user's matrix is as it was
        assert_array_equal(backwards.indices, before[1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_threads_do_not_matter(form):
    rng = np.random.default_rng(1)
    X, y, weight = rng.poisson(0.4, (3000, 300)), rng.integers(0, 3, 3000), rng.random(3000)
    one = scores(form(X), y, weight, n_jobs=1)
    for n_jobs in (2, 3, None):
        assert_array_equal(scores(form(X), y, weight, n_jobs=n_jobs), one)


@given(data=labelled_data())
def test_all_and_nothing(data):
    names = np.array([5.0, -1.0, 0.0])[data.y]
    X = np.column_stack([names, np.full(len(names), 3.0), np.zeros(len(names)), data.y])
    for form in (X, sparse.csr_array(X)):
        told = scores(form, data.y, data.weight)
        H = oracle.entropy(data.y.tolist(), data.weight.tolist())
        assert_allclose(told[[0, 3]], H, rtol=1e-12, atol=1e-15)
        assert told[1:3].tolist() == [0.0, 0.0]


def test_independent_parts_of_the_class_add_up_to_it():
    a, b, c, _ = (axis.reshape(-1) for axis in np.mgrid[:2, :3, :4, :2])
    X = np.column_stack([a, b, c, a + 2 * b])
    told = scores(X, 12 * a + 4 * b + c)
    assert_allclose(told, np.log([2, 3, 4, 6]), rtol=1e-12)
    assert_allclose(scores(X, a), [np.log(2), 0.0, 0.0, np.log(2)], rtol=1e-12, atol=1e-15)


# --- From counts -------------------------------------------------------------------------------------------


@given(data=labelled_data())
def test_binary_information_needs_only_counts(data):
    present = (data.X > 1).astype(float)
    n = np.bincount(data.y, data.weight)
    s = np.array([(data.weight[data.y == c, None] * present[data.y == c]).sum(axis=0) for c in range(data.C)])
    told = binary_information(n, s)
    assert_allclose(told, oracle.binary_columns(n.tolist(), s.tolist()), rtol=1e-11, atol=1e-14)
    assert_allclose(told, scores(present, data.y, data.weight), rtol=1e-12, atol=1e-14)
    assert (told <= entropy(n)).all()
    assert_array_equal(binary_information(np.repeat(n[:, None], s.shape[1], axis=1), s), told)
    assert_allclose(binary_information(n / 3, s / 3), told, rtol=1e-9, atol=1e-14)


def test_what_is_equally_frequent_tells_exactly_nothing():
    n = np.array([3.0, 21.0, 30.0])
    assert binary_information(n, n[:, None] * [0, 1 / 3, 2 / 3, 1]).tolist() == [0.0] * 4
    assert binary_information([0.0, 0.0], [[0.0], [0.0]]).tolist() == [0.0]
    assert binary_information([4.0], [[2.0, 4.0]]).tolist() == [0.0, 0.0]
    assert word_information([3, 5], [[2, 0], [7, 0]]).tolist() == [0.0, 0.0]


def test_what_is_not_known_of_an_example_is_left_out():
    n, s = np.array([[4.0, 3.0], [6.0, 2.0]]), np.array([[1.0, 3.0], [5.0, 1.0]])
    apart = [binary_information(n[:, j], s[:, [j]])[0] for j in range(2)]
    assert_array_equal(binary_information(n, s), apart)
    counts = np.array([[1.0, 2.0, 0.0, 4.0], [0.0, 3.0, 2.0, 0.0]])  # the first feature is known of 8, the second of 6
    apart = [categorical_information(counts[:, :2], [0, 2])[0], categorical_information(counts[:, 2:], [0, 2])[0]]
    assert_array_equal(categorical_information(counts, [0, 2, 4]), apart)


@given(data=labelled_data())
def test_information_of_the_next_word(data):
    n = np.bincount(data.y, data.weight)
    s = np.array([(data.weight[data.y == c, None] * data.X[data.y == c]).sum(axis=0) for c in range(data.C)])
    told = word_information(n, s)
    assert (told >= 0.0).all()
    if s.any():
        assert_allclose(told, oracle.word_columns(n.tolist(), s.tolist()), rtol=1e-10, atol=1e-13)
    else:
        assert not told.any()
    long = s * np.arange(2, 2 + data.C)[:, None]  # a class of longer documents draws the same words
    assert_allclose(word_information(n, long), told, rtol=1e-10, atol=1e-13)


@given(data=labelled_data())
def test_categorical_information_needs_only_counts(data):
    K = data.X.max(axis=0) + 1
    offsets = np.concatenate([[0], np.cumsum(K)])
    counts = np.zeros((data.C, offsets[-1]))
    for x, c, w in zip(data.X, data.y, data.weight, strict=True):
        counts[c, offsets[:-1] + x] += w
    assert_allclose(
        categorical_information(counts, offsets), scores(data.X, data.y, data.weight), rtol=1e-11, atol=1e-14
    )


@given(data=labelled_data())
def test_entropy_is_that_of_the_book(data):
    n = np.bincount(data.y, data.weight)
    H = oracle.entropy(data.y.tolist(), data.weight.tolist())
    assert float(entropy(n)) == pytest.approx(H, rel=1e-12, abs=1e-15)
    assert_allclose(entropy(np.column_stack([n, 2 * n, 0 * n])), [H, H, 0.0], rtol=1e-12, atol=1e-15)


@given(data=labelled_data())
def test_a_model_knows_what_its_features_tell(data):
    for name, X in (("bernoulli", data.X > 1), ("categorical", data.X)):
        model = NaiveBayes(name, alpha=0.3).fit(X, data.y, data.weight)
        selector = MutualInformation.from_model(model, k=2)
        assert_allclose(selector.scores_, scores(X, data.y, data.weight), rtol=1e-11, atol=1e-14)
        assert_array_equal(selector.transform(X), np.asarray(X)[:, oracle.best(selector.scores_.tolist(), 2)])
    for name in ("multinomial", "complement"):
        model = NaiveBayes(name).fit(data.X, data.y, data.weight)
        told = word_information(model.counts_.n, model.counts_.s)
        assert_array_equal(MutualInformation.from_model(model).scores_, told)


@given(data=labelled_data(), draws=st.data())
def test_a_model_leaves_out_what_is_missing(data, draws):
    X = data.X.astype(float)
    gone = np.array(draws.draw(st.lists(st.booleans(), min_size=X.size, max_size=X.size))).reshape(X.shape)
    X[gone] = np.nan
    book = [
        oracle.information(*(part[~gone[:, j]].tolist() for part in (data.X[:, j], data.y, data.weight)))
        if (~gone[:, j]).any()
        else 0.0
        for j in range(X.shape[1])
    ]
    model = NaiveBayes("categorical").fit(X, data.y, data.weight)
    assert_allclose(MutualInformation.from_model(model).scores_, book, rtol=1e-10, atol=1e-13)
    coin = NaiveBayes("bernoulli", binarize=1.5).fit(X, data.y, data.weight)
    binary = np.where(gone, np.nan, data.X > 1.5)
    codes = NaiveBayes("categorical").fit(binary, data.y, data.weight)
    both = [MutualInformation.from_model(each).scores_ for each in (coin, codes)]
    assert_allclose(both[0], both[1], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_model_of_mixed_columns(frame):
    X = frame({"job": ["clerk", "cook", "clerk", "guard"], "age": [30, 41, 30, 22], "new": [True, True, False, False]})
    y = [1, 0, 1, 0]
    model = NaiveBayes({"new": "bernoulli", "age": None, "job": "categorical"}).fit(X, y)
    selector = MutualInformation.from_model(model, k=1)
    assert_allclose(selector.bits_, [1.0, 0.0, 0.0], atol=1e-12)
    assert selector.get_feature_names_out().tolist() == ["job"]
