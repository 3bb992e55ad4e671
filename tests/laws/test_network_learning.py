"""Laws of what networks learn: of weights and repetition, forms of rows, names of classes, seeds, and known optima."""

from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import LogisticRegression, MLPClassifier, MLPRegressor
from laws.nets import CLASSIFIERS, EVERY, FEW, FORMS, SCORES, clouds, flat, forms, model, over

SOLVERS = {
    "descent": {"solver": "descent"},
    "nesterov": {"solver": "descent", "nesterov": True, "momentum": 0.5},
    "adam": {"solver": "adam"},
    "decay": {"solver": "adam", "weight_decay": 0.1, "clip_norm": 0.5, "weight_averaging": 0.9},
}
solvers = pytest.mark.parametrize("solver", SOLVERS)


def learnt(fitted):
    """What comes out of it for rows that it has not seen."""
    X, _ = clouds(9)
    return fitted.predict_proba(X) if hasattr(fitted, "classes_") else fitted.predict(X)


@solvers
@over(FEW)
def test_weights_are_repetition(name, solver):
    X, y = clouds()
    times = np.random.default_rng(5).integers(0, 4, len(y))
    options = {**SOLVERS[solver], "max_iter": 3}
    weighed = model(name, **options).fit(X, y, sample_weight=times)
    repeated = model(name, **options).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(flat(weighed), flat(repeated), rtol=1e-9, atol=1e-10)
    assert_allclose(learnt(weighed), learnt(repeated), rtol=1e-9, atol=1e-10)
    one, other = weighed.certificate_, repeated.certificate_
    assert (one.n, one.class_counts) == (other.n, other.class_counts)
    assert_allclose((one.primal, one.kkt_violation), (other.primal, other.kkt_violation), rtol=1e-8)


@over(FEW)
def test_the_order_of_examples_means_nothing_to_a_batch_of_all(name):
    X, y = clouds()
    order = np.random.default_rng(6).permutation(len(y))
    assert_allclose(flat(model(name).fit(X, y)), flat(model(name).fit(X[order], y[order])), rtol=1e-9, atol=1e-10)


@over(FEW)
def test_sparse_rows_are_the_dense_ones(name):
    X, y = clouds()
    T = sparse.csr_array(X)
    options = {"batch_size": 7, "weight_decay": 0.01}
    dense, thin = model(name, **options).fit(X, y), model(name, **options).fit(T, y)
    assert_allclose(flat(dense), flat(thin), rtol=1e-9, atol=1e-10)
    for fitted in (dense, thin):
        assert_allclose(fitted.predict(X), fitted.predict(T), rtol=1e-12)
    if name not in CLASSIFIERS:
        return
    assert_array_equal(dense.predict(X), thin.predict(T))
    assert_allclose(dense.predict_proba(X), thin.predict_proba(T), rtol=1e-9)
    for fitted in (dense, thin):
        for one, other in zip(fitted.explain(X[:2]), fitted.explain(T[:2]), strict=True):
            assert (one.label, one.against) == (other.label, other.against)
            assert one.decibans == pytest.approx(other.decibans, rel=1e-9, abs=1e-9)
            terms, others = ({term.feature: term.decibans for term in each.terms} for each in (one, other))
            nothing = dict.fromkeys(terms.keys() | others.keys(), 0.0)  # a term of 0 may be left out
            assert {**nothing, **terms} == pytest.approx({**nothing, **others}, rel=1e-9, abs=1e-9)


@forms
@over(FEW)
def test_parts_of_a_step_are_the_step(name, form, monkeypatch):
    X, y = clouds(n=20)
    X, options = FORMS[form](X), {**SOLVERS["decay"], "batch_size": 10, "max_iter": 2}
    whole = model(name, **options).fit(X, y)
    monkeypatch.setattr("deciban.networks.batches.PART", 1)
    parts = model(name, **options).fit(X, y)
    assert_allclose(flat(whole), flat(parts), rtol=1e-9, atol=1e-11)
    assert_allclose(whole.history_[-1].gradient_norms, parts.history_[-1].gradient_norms, rtol=1e-9)


def going_on_from(begun, units, outputs=None):
    """A copy whose hidden units, and outputs, stand in another order; `fit` goes on from there."""
    other = deepcopy(begun)
    net, orders = other.network_, [np.arange(begun.network_.sizes[0]), *units]
    orders.append(np.arange(net.sizes[-1]) if outputs is None else outputs)
    net.weights[:] = [W[orders[k]][:, orders[k + 1]] for k, W in enumerate(net.weights)]
    net.biases[:] = [b[orders[k + 1]] for k, b in enumerate(net.biases)]
    return other


@solvers
@over({name: each for name, each in FEW.items() if each[3]})
def test_what_is_learnt_does_not_depend_on_the_order_of_hidden_units(name, solver):
    X, y = clouds()
    random = np.random.default_rng(7)
    begun = model(name, max_iter=1, warm_start=True, **SOLVERS[solver]).fit(X, y)
    units = [random.permutation(count) for count in EVERY[name][3]]
    one, other = (each.set_params(max_iter=3).fit(X, y) for each in (deepcopy(begun), going_on_from(begun, units)))
    assert_allclose(learnt(one), learnt(other), rtol=1e-9, atol=1e-10)
    assert_allclose(np.sort(flat(one)), np.sort(flat(other)), rtol=1e-8, atol=1e-9)


@over(SCORES)
def test_classes_under_other_names_are_the_same_classes(name):
    X, y = clouds()
    plain = model(name).fit(X, y)
    assert flat(model(name).fit(X, np.array(["ant", "bee", "cat"])[y])).tobytes() == flat(plain).tobytes()
    order = np.array([2, 0, 1])  # the class that was c is now order[c]
    begun = model(name, max_iter=1, warm_start=True).fit(X, y)
    units = [np.arange(count) for count in EVERY[name][3]]
    other = going_on_from(begun, units, np.argsort(order)).set_params(max_iter=3).fit(X, order[y])
    one = begun.set_params(max_iter=3).fit(X, y)
    assert_allclose(learnt(one), learnt(other)[:, order], rtol=1e-9, atol=1e-12)
    assert_array_equal(order[one.predict(X)], other.predict(X))


@over({name: each for name, each in CLASSIFIERS.items() if each[1].name == "logistic"})
def test_two_classes_that_change_places(name):
    X, y = clouds(C=2)
    begun = model(name, max_iter=1, warm_start=True).fit(X, y)
    assert begun.network_.sizes[-1] == 1
    other = deepcopy(begun)
    for array in (other.network_.weights[-1], other.network_.biases[-1]):
        array *= -1.0
    one, other = begun.set_params(max_iter=3).fit(X, y), other.set_params(max_iter=3).fit(X, 1 - y)
    assert_allclose(learnt(one), learnt(other)[:, ::-1], rtol=1e-9)


@over(SCORES)
def test_a_weight_of_a_class_is_that_of_its_examples(name):
    X, y = clouds(n=41)
    prices = np.array([1.0, 2.5, 0.5])
    priced = model(name, class_weight=dict(enumerate(prices)), batch_size=20).fit(X, y)
    weighed = model(name, batch_size=20).fit(X, y, sample_weight=prices[y])
    assert flat(priced).tobytes() == flat(weighed).tobytes()
    even = len(y) / (3 * np.bincount(y))
    balanced = model(name, class_weight="balanced").fit(X, y)
    assert_allclose(flat(balanced), flat(model(name).fit(X, y, sample_weight=even[y])), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@over(FEW)
def test_a_seed_is_all_that_chance_knows(name, dtype):
    X, y = clouds()
    options = {"dtype": dtype, "batch_size": 20, "dropout": 0.25, "max_iter": 2}
    one, two, other = (model(name, random_state=seed, **options).fit(X, y) for seed in (1, 1, 2))
    assert flat(one).tobytes() == flat(two).tobytes()
    assert one.certificate_.digest == two.certificate_.digest
    assert not np.array_equal(flat(one), flat(other))
    assert all(array.dtype == dtype for array in one.coefs_ + one.intercepts_)


# What is known without a network.

STEEP = {
    "hidden_layer_sizes": (),
    "dtype": "float64",
    "batch_size": None,
    "solver": "descent",
    "learning_rate": 1.0,
    "max_iter": 2500,
    "tol": 1e-15,
    "n_iter_no_change": 60,
}


@pytest.mark.parametrize(
    ("C", "form", "weighed"), [(2, "dense", True), (2, "csr", False), (3, "dense", False), (3, "csr", True)]
)
def test_one_linear_layer_is_logistic_regression(C, form, weighed):
    X, y = clouds(C=C, n=60)
    X = FORMS[form](X)
    weight = np.random.default_rng(8).uniform(0.5, 2.0, len(y)) if weighed else np.ones(len(y))
    wanted = LogisticRegression(C=0.1, tol=1e-12).fit(X, y, sample_weight=weight)
    decay = 1.0 / (0.1 * weight.sum())
    output = "logistic" if C == 2 else "softmax"
    fitted = MLPClassifier(output=output, weight_decay=decay, **STEEP).fit(X, y, sample_weight=weight)
    assert_allclose(fitted.predict_proba(X), wanted.predict_proba(X), atol=1e-6)
    assert_allclose(fitted.coefs_[0].T, wanted.coef_, atol=1e-5)
    proof = fitted.certificate_
    assert proof.primal == pytest.approx(decay * wanted.certificate_.primal, rel=1e-9)
    assert proof.kkt_violation < 1e-6
    assert (proof.dual, proof.status) == (None, "settled")
    if C == 2:  # of two outputs each bears half of the difference
        both = MLPClassifier(weight_decay=2.0 * decay, **STEEP).fit(X, y, sample_weight=weight)
        assert_allclose(both.predict_proba(X), wanted.predict_proba(X), atol=1e-6)


def test_one_linear_layer_of_many_labels_is_a_logistic_regression_each():
    X, y = clouds(n=60)
    Y = np.column_stack([y == 0, y == 2, X[:, 0] > 0]).astype(int)
    decay = 1.0 / (0.1 * len(y))
    fitted = MLPClassifier(weight_decay=decay, **STEEP).fit(X, Y)
    for k in range(3):
        wanted = LogisticRegression(C=0.1, tol=1e-12).fit(X, Y[:, k])
        assert_allclose(fitted.predict_proba(X)[:, k], wanted.predict_proba(X)[:, 1], atol=1e-6)
        assert_array_equal(fitted.predict(X)[:, k], wanted.predict(X))


@pytest.mark.parametrize("form", list(FORMS))
def test_one_linear_layer_of_numbers_is_the_ridge_regression(form):
    X, y = clouds(n=60)
    Y = np.column_stack([X @ [1.0, -2.0, 0.0, 0.5] + y, 1.0 - X[:, 1]])
    centred, decay = X - X.mean(axis=0), 0.05
    slope = np.linalg.solve(centred.T @ centred + 60 * decay * np.eye(4), centred.T @ (Y - Y.mean(axis=0)))
    fitted = MLPRegressor(weight_decay=decay, **{**STEEP, "learning_rate": 0.1}).fit(FORMS[form](X), Y)
    assert_allclose(fitted.coefs_[0], slope, atol=1e-6)
    assert_allclose(fitted.predict(X), centred @ slope + Y.mean(axis=0), atol=1e-6)
    single = MLPRegressor(weight_decay=decay, **{**STEEP, "learning_rate": 0.1}).fit(FORMS[form](X), Y[:, 1])
    assert_allclose(single.predict(X), fitted.predict(X)[:, 1], atol=1e-6)
