"""A model that was copied or written and read again answers the same, to the last bit, and consists of plain values."""

import copy
import io
import pickle
from enum import Enum

import joblib
import numpy as np
import pytest
import skops.io
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from deciban import LogisticRegression
from laws.estimators import CASES, answers, fitted, over


def by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def by_skops(model):
    """Nothing but what skops knows by itself and the classes and functions of Deciban is trusted."""
    written = skops.io.dumps(model)
    needed = skops.io.get_untrusted_types(data=written)
    assert [name for name in needed if not name.startswith("deciban.")] == []
    return skops.io.loads(written, trusted=needed)


WAYS = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "oldest pickle": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
    "joblib": by_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "skops": by_skops,
    "skops twice": lambda model: by_skops(by_skops(model)),
}


def same(model, X, ways=tuple(WAYS)):
    """Every copy of the model answers as it does, and is as it was."""
    expected = answers(model, X)
    assert expected
    assert_plain(model)
    for way in ways:
        again = WAYS[way](model)
        found = answers(again, X)
        assert found.keys() == expected.keys(), way
        for name, value in expected.items():
            assert_array_equal(found[name], value, err_msg=f"{way}: {name}", strict=True)
        assert vars(again).keys() == vars(model).keys(), way
        for name, value in vars(model).items():
            assert type(vars(again)[name]) is type(value), (way, name)
        if hasattr(model, "status_"):
            assert again.status_ is model.status_, way
        if hasattr(model, "certificate_"):
            assert again.certificate_ == model.certificate_, way
        assert_plain(again)


def assert_plain(value, path="", seen=None):
    """The state has no member of an enumeration, no type of NumPy and no sparse array."""
    seen = {} if seen is None else seen
    if id(value) in seen:
        return
    seen[id(value)] = value
    assert not isinstance(value, Enum | np.dtype), f"{path}: {value!r}"
    assert not sparse.issparse(value), f"{path}: {type(value)}"
    if isinstance(value, dict):
        for name, held in value.items():
            assert_plain(held, f"{path}.{name}", seen)
    elif isinstance(value, list | tuple | set | frozenset):
        for held in value:
            assert_plain(held, f"{path}[]", seen)
    elif not isinstance(value, type) and type(value).__module__.startswith("deciban"):
        assert_plain(value.__getstate__(), f"{path}<{type(value).__name__}>", seen)


@over()
def test_a_fitted_model_is_the_same_after_every_way_of_copying(case):
    same(fitted(case), case.learn()[0])


@over()
def test_a_model_that_is_not_fitted_keeps_its_parameters(case):
    for made in WAYS.values():
        again = made(case.new())
        assert repr(again) == repr(case.estimator)
        assert clone(again).get_params().keys() == case.estimator.get_params().keys()


NUMBERS = [case for case in CASES if case.data not in ("texts", "only-texts")]
over_numbers = pytest.mark.parametrize("case", NUMBERS, ids=[case.id for case in NUMBERS])


@over_numbers
def test_so_is_one_of_sparse_rows(case):
    X, y = case.learn()
    if get_tags(case.estimator).input_tags.sparse:
        X = sparse.csr_array(X * (np.abs(X) > 0.7))
        same(case.new().fit(X, y), X, ("pickle", "skops"))


@over_numbers
def test_so_is_one_of_single_precision(case):
    X, y = case.learn()
    same(case.new().fit(X.astype(np.float32), y), X.astype(np.float32), ("pickle", "skops"))


@over_numbers
def test_so_is_one_of_named_columns(case):
    pd = pytest.importorskip("pandas")
    X, y = case.learn()
    X = pd.DataFrame(X, columns=["a", "b", "c", "무"])
    same(case.new().fit(X, y), X, ("skops",))


def test_so_is_one_of_sparse_weights():
    case = next(case for case in CASES if case.id == "logistic-l1-of-three")
    model = fitted(case).sparsify()
    same(model, case.learn()[0])
    assert isinstance(pickle.loads(pickle.dumps(model)).coef_, sparse.csr_array)


def test_labels_of_any_type():
    X = np.arange(12.0)[:, None]
    for labels in (np.array([True, False] * 6), np.array(["a", "b"] * 6, dtype=object), np.array([3, -1] * 6)):
        weights = dict.fromkeys(labels.tolist()[:1], 2.0)
        same(LogisticRegression(class_weight=weights).fit(X, labels), X)
