"""A number is the same number in any width and byte order: every model learns and answers the same."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from deciban import GaussianDiscriminant, MutualInformation, NaiveBayes
from deciban.data.rows import native
from deciban.distributions import CATALOGUE
from laws.estimators import answers, counts, over

REALS = (">f8", ">f4", "<f8", "<f4", "f2", ">f2", "g")
WHOLE = (">i2", ">i4", ">i8", ">u4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
MODELS = {
    **{family.name: NaiveBayes(family.name) for family in CATALOGUE},
    "discriminant": GaussianDiscriminant(),
    "information": MutualInformation(2),
    "information-held-out": MutualInformation("auto"),
}
models = pytest.mark.parametrize("name", MODELS)


def fit(name, X, y):
    return clone(MODELS[name]).fit(X, y)


def csr_of(X, dtype, places):
    """A CSR whose data and indices have these types; SciPy itself makes none of some."""
    made = sparse.csr_array(X.astype(np.float64))
    made.data = made.data.astype(dtype)
    made.indices, made.indptr = made.indices.astype(places), made.indptr.astype(places)
    return made


@pytest.mark.each_once
@pytest.mark.parametrize("dtype", [*REALS, *WHOLE, "b1"])
@models
def test_the_type_of_an_array_changes_nothing(name, dtype):
    X, y = counts()
    X = (X > 1.0).astype(dtype) if dtype == "b1" else X.astype(dtype)
    known = fit(name, X.astype(np.float64), y)
    for same in (X, np.asfortranarray(X), X[::-1][::-1], csr_of(X, dtype, "<i4"), csr_of(X, dtype, ">i8")):
        for labels in (y, y.astype(">U8")):
            again = fit(name, same, labels)
            for method, value in answers(known, X.astype(np.float64)).items():
                found = answers(again, same)[method]
                assert np.array_equal(found, value) if method == "predict" else np.allclose(found, value, 1e-6), method


@pytest.mark.parametrize("kind", [">i8", ">i4", ">f8", "i1", "u8"])
@models
def test_labels_and_weights_of_any_type(name, kind):
    X, y = counts()
    y, weight = (y == "spam").astype(int), np.arange(len(y)) % 3 + 1
    more = [] if "information-" in name else [weight]
    known = clone(MODELS[name]).fit(X, y, *more)
    again = clone(MODELS[name]).fit(X, y.astype(kind), *(each.astype(kind) for each in more))
    for method, value in answers(known, X).items():
        assert np.array_equal(answers(again, X)[method], value), method


@over("measured", "target", "counts", "unlabelled")
def test_every_estimator_takes_other_byte_orders(case):
    X, y = case.learn()
    known, again = case.new().fit(X, y), case.new().fit(X.astype(">f8"), y)
    for method, value in answers(known, X).items():
        assert np.array_equal(answers(again, X.astype(">f8"))[method], value), method


def test_what_is_native_is_not_copied():
    X = np.ones((2, 2))
    assert native(X) is X
    rows = sparse.csr_array(X)
    assert native(rows) is rows
