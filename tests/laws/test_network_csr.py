"""Sparse rows of the first layer: what they are multiplied to is what the dense rows are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import MLPClassifier, _core
from deciban.networks.batches import SHARE, SparseRows, make_readable

TYPES = ["float32", "float64"]
CLOSE = {"float32": {"rtol": 1e-5, "atol": 1e-5}, "float64": {"rtol": 1e-12, "atol": 1e-12}}


def table(dtype, rows=60, columns=23, share=0.04, seed=0):
    random = np.random.default_rng(seed)
    return np.where(random.random((rows, columns)) < share, random.normal(size=(rows, columns)), 0.0).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("units", [1, 2, 7, 64])
@pytest.mark.parametrize("form", ["dense", "csr", "unsorted"])
def test_products_are_those_of_the_dense_rows(form, units, dtype):
    X, random = table(dtype), np.random.default_rng(1)
    given = X if form == "dense" else sparse.csr_array(X)
    if form == "unsorted":
        for i in range(len(X)):
            row = slice(given.indptr[i], given.indptr[i + 1])
            given.indices[row], given.data[row] = given.indices[row][::-1].copy(), given.data[row][::-1].copy()
        given.has_sorted_indices = False
    rows = make_readable(given, np.dtype(dtype))
    assert isinstance(rows, SparseRows)
    W, delta = (random.normal(size=(n, units)).astype(dtype) for n in (X.shape[1], 17))
    places = random.permutation(len(X))[:17]
    assert_allclose(rows[places] @ W, X[places] @ W, **CLOSE[dtype])
    assert_allclose(rows[places].T @ delta, X[places].T @ delta, **CLOSE[dtype])
    assert_allclose(rows[3:9] @ np.asfortranarray(W), X[3:9] @ W, **CLOSE[dtype])


@pytest.mark.parametrize("dtype", TYPES)
def test_a_sum_has_the_same_bits_for_any_rows_beside_it(dtype):
    X = make_readable(table(dtype, 400, 30), np.dtype(dtype))
    W = np.random.default_rng(2).normal(size=(30, 9)).astype(dtype)
    assert_array_equal((X @ W)[100:300], X[np.arange(100, 300)] @ W)


def test_tables_with_few_zeros_and_long_indices_stay_as_they_are():
    full = table("float64", share=2 * SHARE)
    assert make_readable(full, full.dtype) is full
    late = np.zeros((4000, 5))
    late[1::2] = 1.0  # no sampled row has any
    assert make_readable(late, late.dtype) is late
    long = sparse.csr_array(table("float64"))
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    assert make_readable(long, np.dtype("float64")) is long


def test_rows_of_zeros_and_no_rows_are_rows():
    X = make_readable(np.zeros((5, 4)), np.dtype("float64"))
    assert_array_equal(X @ np.ones((4, 3)), np.zeros((5, 3)))
    assert_array_equal(X[:0].T @ np.ones((0, 3)), np.zeros((4, 3)))


@pytest.mark.parametrize("share", [0.03, 0.6])
def test_dense_and_sparse_rows_are_learnt_alike(share):
    X = table("float64", 90, share=share)
    y = (X.sum(axis=1) > X.sum(axis=1).mean()).astype(int)
    options = {"hidden_layer_sizes": (6,), "batch_size": 16, "max_iter": 4, "dtype": "float64", "random_state": 0}
    dense, cut = MLPClassifier(**options).fit(X, y), MLPClassifier(**options).fit(sparse.csr_array(X), y)
    for a, b in zip(dense.coefs_, cut.coefs_, strict=True):
        assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("wrong", ["places", "type", "order"])
def test_what_does_not_fit_together_is_refused(wrong):
    X = make_readable(table("float64"), np.dtype("float64"))
    W = np.ones((23, 4), dtype="float32" if wrong == "type" else "float64")
    W = np.asfortranarray(W) if wrong == "order" else W
    with pytest.raises((ValueError, TypeError), match="expected"):
        _core.rows_times(X.data, X.indices, X.ends, np.array([0, 60 if wrong == "places" else 1]), W)


def test_a_line_of_delta_for_each_row_is_expected():
    X = make_readable(table("float64"), np.dtype("float64"))
    with pytest.raises(ValueError, match="a line of delta for each of 60 rows is expected"):
        X.T @ np.ones((3, 4))
