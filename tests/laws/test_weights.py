"""Laws of weights: they are those of the decision, dense or sparse, and in the precision of the rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from deciban import (
    NBSVM,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearRegression,
    LogisticRegression,
    NaiveBayes,
)
from laws.certificates import CLASSIFIERS, MANY, OTHERS, REGRESSIONS, SEPARATED, rows

EVERY = {**CLASSIFIERS, **{f"{name}-of-three": CLASSIFIERS[name] for name in MANY}, **REGRESSIONS, **OTHERS}
LINEAR = [
    *(name for name in CLASSIFIERS if name.startswith(("logistic", "svm", "perceptron", "least", "nbsvm-counts"))),
    *("regression", "ridge", "lasso", "absolute"),
]


def fitted(name, dtype=np.float64):
    X, y = rows(3 if name.endswith("-of-three") else 2)
    if name in SEPARATED:
        X[:, 0] += 9.0 * y
    X = (3.0 * X).astype(dtype)  # counts, not only presence
    model = clone(EVERY[name])
    if name in OTHERS:
        return model.fit(X), X
    return model.fit(X, X @ [1.0, 0.5, -2.0, 0.1] + 0.1 * X[:, 1] ** 2 if name in REGRESSIONS else y), X


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_are_those_of_the_decision(name, dtype):
    """What explains linear models reads X·Wᵀ + b."""
    model, X = fitted(name, dtype)
    if not hasattr(model, "coef_"):
        return
    told = np.asarray(model.predict(X) if name in REGRESSIONS else model.decision_function(X))
    s = X @ np.atleast_2d(model.coef_).T + model.intercept_
    if getattr(model, "multi_class", "") == "ovo" and told.ndim > 1:
        return  # weights of pairs of classes, from which votes are made
    wanted = s if told.ndim > 1 else s[:, 0]
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-9}
    assert_allclose(told, wanted, **close)


def test_weights_of_presence_are_no_weights_of_counts():
    X = np.array([[2, 0, 1], [1, 0, 0], [0, 1, 1], [0, 3, 0]])
    model = NBSVM().fit(X, ["a", "a", "b", "b"])
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "sparsify")
    assert_allclose(model.decision_function(X), (X > 0) @ model.weights_[0] + model.intercept_[0], rtol=1e-6)
    assert NBSVM(binary=False).fit(X, ["a", "a", "b", "b"]).sparsify().coef_.shape == (1, 3)


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_sparse_weights_judge_alike(name, form):
    model, X = fitted(name)
    X, before = form(X), model.coef_
    wanted = model.predict(X), getattr(model, "decision_function", model.predict)(X)
    assert sparse.issparse(model.sparsify().coef_)
    assert sparse.issparse(model.sparsify().coef_)
    assert_array_equal(model.coef_.toarray(), np.atleast_2d(before))
    assert_allclose(getattr(model, "decision_function", model.predict)(X), wanted[1], rtol=1e-9, atol=1e-9)
    assert_array_equal(model.predict(X).shape, wanted[0].shape)
    assert str(model.certificate_)
    if hasattr(model, "predict_proba"):
        assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
        assert model.explain(X[[0]])
    assert_array_equal(model.densify().coef_, before)


@pytest.mark.parametrize("options", [{}, {"penalty": "l2"}, {"penalty": "l1"}, {"penalty": "elasticnet"}])
@pytest.mark.parametrize("K", [1, 2])
def test_single_precision_in_single_precision_out_of_regressions(options, K):
    X, _ = rows()
    Y = X @ np.random.default_rng(0).normal(size=(4, K))
    Y = Y[:, 0] if K == 1 else Y
    single, double = (LinearRegression(**options).fit(X.astype(t), Y) for t in (np.float32, np.float64))
    for value in (single.coef_, single.intercept_, single.predict(X.astype(np.float32))):
        assert value.dtype == np.float32
    assert single.predict(X).dtype == double.predict(X.astype(np.float32)).dtype == np.float64
    assert_allclose(single.coef_, double.coef_, rtol=1e-3, atol=1e-3)


SINGLE = {
    "logistic": LogisticRegression(),
    "softmax": LogisticRegression(multi_class="softmax"),
    "least-squares": LeastSquaresClassifier(),
    "gaussian": NaiveBayes("gaussian"),
    "discriminant": GaussianDiscriminant(),
    "diagonal": GaussianDiscriminant("diagonal"),
}


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("C", [2, 3])
def test_single_precision_in_single_precision_out_of_classifiers(name, C):
    X, y = rows(C)
    single, double = (clone(SINGLE[name]).fit(X.astype(t), y) for t in (np.float32, np.float64))
    for of in ("decision_function", "predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        if hasattr(single, of):
            told = getattr(single, of)(X.astype(np.float32))
            assert told.dtype == np.float32
            assert_allclose(told, getattr(double, of)(X), rtol=1e-3, atol=1e-3)
            assert getattr(single, of)(X).dtype == getattr(double, of)(X.astype(np.float32)).dtype == np.float64
    if hasattr(single, "coef_"):
        assert single.coef_.dtype == single.intercept_.dtype == np.float32
