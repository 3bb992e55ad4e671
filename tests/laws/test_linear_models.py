"""Laws of linear classifiers: of every one that is declared, what each owes the people who fit it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from deciban import LinearSVM, LogisticRegression
from laws.declared import (
    BAYES,
    EVERY,
    KINDS,
    PRICED_BY_REPETITION,
    WITHOUT_ORIGIN,
    clouds,
    few,
    measured,
    model,
    over,
    seeds,
    weights,
    weights_of,
)

DECIBANS = 10.0 / np.log(10.0)
SETTLED = [name for name in EVERY if name != "perceptron"]  # whose answer is one, whatever the order of the rows


@over()
@few
@given(seed=seeds)
def test_evidence_and_prior_are_the_log_odds(name, seed):
    X, y = clouds(seed, C=3)
    fitted = model(name, tol=1e-4) if name in KINDS else model(name)
    fitted.fit(X, y)
    told = fitted.predict_log_proba(X[:8])
    for row, why in zip(told, fitted.explain(X[:8]), strict=True):
        second, first = np.sort(row)[-2:]
        size = 1.0 + sum(abs(term.decibans) for term in why.terms)
        assert abs(why.decibans - DECIBANS * (first - second)) <= 1e-9 * size
        assert abs(why.prior_decibans + sum(term.decibans for term in why.terms) - why.decibans) <= 1e-9 * size
        assert row[why.label] == row.max()


@over()
@few
@given(seed=seeds)
def test_prediction_probability_and_score_never_disagree(name, seed):
    for C in (2, 3):
        X, y = clouds(seed, C=C)
        fitted = model(name).fit(X, y)
        p, s = fitted.predict_proba(X), fitted.decision_function(X)
        assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
        decided = np.ones(len(y), dtype=bool) if C == 3 else s != 0.0
        assert_array_equal(fitted.predict(X)[decided], (s.argmax(axis=1) if C == 3 else s > 0.0)[decided])
        assert_allclose(p[np.arange(len(y)), fitted.predict(X)], p.max(axis=1), rtol=1e-9)


def _change_places(name, seed):
    X, y = clouds(seed)
    one, other = model(name).fit(X, y), model(name).fit(X, 1 - y)
    size = np.abs(one.decision_function(X)).max()
    assert_allclose(
        other.decision_function(X), -one.decision_function(X), atol=(6e-2 if name in BAYES else 2e-3) * size
    )


@over(*SETTLED)
@measured
@given(seed=seeds)
def test_two_labels_that_change_places_change_the_sign(name, seed):
    _change_places(name, seed)


@over("svm-hinge", "nbsvm-hinge")
@given(seed=seeds)
def test_hinges_change_the_sign_where_many_intercepts_cost_the_same(name, seed):
    _change_places(name, seed)


@over(*SETTLED)
@few
@given(seed=seeds)
def test_the_order_of_rows_and_of_features_does_not_matter(name, seed):
    X, y = clouds(seed)
    random = np.random.default_rng(seed)
    rows, features = random.permutation(len(y)), random.permutation(X.shape[1])
    one, other = model(name).fit(X, y), model(name).fit(X[rows][:, features], y[rows])
    size = np.abs(one.decision_function(X)).max()
    assert_allclose(
        other.decision_function(X[:, features]), one.decision_function(X), atol=(6e-2 if name in BAYES else 2e-3) * size
    )


def _wide(X):
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


def _unsorted(X):
    """Places of a row from last to first, zeros stored among them."""
    rows, d = X.shape
    return sparse.csr_array((X[:, ::-1].ravel(), np.tile(np.arange(d)[::-1], rows), np.arange(rows + 1) * d), X.shape)


def _twice(X):
    """Every value told in two halves."""
    csr = sparse.csr_array(X)
    return sparse.csr_array((np.repeat(csr.data, 2) / 2, np.repeat(csr.indices, 2), csr.indptr * 2), shape=csr.shape)


FORMS = [
    sparse.csr_array,
    sparse.csc_matrix,
    sparse.coo_array,
    _wide,
    _unsorted,
    _twice,
    np.asfortranarray,
]


@over()
@few
@given(seed=seeds)
def test_rows_are_rows_in_whatever_form_they_come(name, seed):
    X, y = clouds(seed)
    fitted = model(name, random_state=3).fit(X, y)
    wanted, size = fitted.decision_function(X), np.abs(weights_of(fitted)).max()
    for form in FORMS:
        other = model(name, random_state=3).fit(form(X), y)
        assert_allclose(weights_of(other), weights_of(fitted), atol=(6e-2 if name in BAYES else 2e-3) * size)
        assert_allclose(fitted.decision_function(form(X)), wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())
    single = model(name, random_state=3).fit(X.astype(np.float32), y)
    assert_allclose(weights_of(single), weights_of(fitted), atol=(6e-2 if name in BAYES else 2e-3) * size)


@over(*SETTLED)
@few
@given(seed=seeds)
def test_weights_are_repetition(name, seed):
    X, y = clouds(seed)
    times = weights(seed, len(y))
    often = times.astype(int)
    one, other = model(name).fit(X, y, times), model(name).fit(np.repeat(X, often, axis=0), np.repeat(y, often))
    size = np.abs(one.decision_function(X)).max()
    assert_allclose(other.decision_function(X), one.decision_function(X), atol=(6e-2 if name in BAYES else 2e-3) * size)
    assert one.certificate_.n == other.certificate_.n == times.sum()
    absent = model(name).fit(np.vstack([X, 50.0 + X]), np.append(y, 1 - y), np.append(times, 0.0 * times))
    assert_allclose(
        absent.decision_function(X), one.decision_function(X), atol=(6e-2 if name in BAYES else 2e-3) * size
    )


@over(*[name for name in SETTLED if name in PRICED_BY_REPETITION])
@few
@given(seed=seeds)
def test_class_weights_are_sample_weights(name, seed):
    X, y = clouds(seed, C=2)
    y[:20] = 0
    given_to = model(name, class_weight={0: 3.0}).fit(X, y)
    told = model(name).fit(X, y, np.where(y == 0, 3.0, 1.0))
    size = np.abs(told.decision_function(X)).max()
    assert_allclose(
        given_to.decision_function(X), told.decision_function(X), atol=(6e-2 if name in BAYES else 2e-3) * size
    )
    even = model(name, class_weight="balanced").fit(X, y)
    n = np.bincount(y)
    told = model(name).fit(X, y, (len(y) / (2.0 * n))[y])
    assert_allclose(even.decision_function(X), told.decision_function(X), atol=(6e-2 if name in BAYES else 2e-3) * size)
    assert even.certificate_.n == len(y)


@over(of=KINDS)
@few
@given(seed=seeds)
def test_one_weight_of_all_classes_is_a_price_of_errors(name, seed):
    X, y = clouds(seed, C=3)
    C = model(name).C
    weighted = model(name, class_weight={0: 3.0, 1: 3.0, 2: 3.0}, C=C / 3.0).fit(X, y)
    priced = model(name).fit(X, y)
    size = np.abs(weights_of(priced)).max()
    assert_allclose(weights_of(weighted), weights_of(priced), atol=1e-9 * size)
    assert_allclose(weighted.intercept_, priced.intercept_, atol=1e-9 * size)


@over(*[name for name in SETTLED if name in WITHOUT_ORIGIN and "l1" not in name])
@few
@given(seed=seeds)
def test_where_a_column_begins_does_not_matter_as_the_intercept_is_free(name, seed):
    X, y = clouds(seed)
    fitted, shifted = model(name).fit(X, y), model(name).fit(X + np.array([10.0, 0.0, 0.0, 0.0]), y)
    size = np.abs(fitted.coef_).max()
    assert_allclose(shifted.coef_, fitted.coef_, atol=5e-3 * size)
    assert_allclose(shifted.intercept_, fitted.intercept_ - 10.0 * fitted.coef_[:, 0], atol=5e-2 * size)


@pytest.mark.parametrize("k", [1e-3, 1e3])
def test_scales_that_nobody_penalises_do_not_matter(k):
    X, y = clouds(3, apart=0.5)
    free = model("logistic-none").fit(X, y), model("logistic-none").fit(k * X, y)
    assert_allclose(k * free[1].coef_, free[0].coef_, rtol=1e-2)
    X = X[:20] + 40.0 * y[:20, None]
    hard = [LinearSVM(C=np.inf, calibration=None).fit(c * X, y[:20]) for c in (1.0, k)]
    assert_allclose(k * hard[1].coef_, hard[0].coef_, rtol=1e-3)
    assert_allclose(hard[1].margin_, k * hard[0].margin_, rtol=1e-3)
    assert_allclose(hard[1].intercept_, hard[0].intercept_, rtol=1e-3)


@pytest.mark.each_once
@over()
@pytest.mark.parametrize(
    "labels", [["ham", "spam", "egg"], [7, -2, 3], [True, False], np.array(["b", "a"], dtype=object)], ids=str
)
def test_labels_of_any_type_come_back(name, labels):
    X, y = clouds(5, C=len(labels))
    own = np.array(labels)[y]
    fitted = model(name).fit(X, own)
    assert fitted.classes_.tolist() == sorted(labels)
    assert fitted.predict(X).dtype == own.dtype
    assert {why.label for why in fitted.explain(X[:9])} <= set(labels)
    assert set(fitted.certificate_.class_counts) == set(labels)


@over()
def test_evidence_bears_the_names_of_columns(name):
    X, y = clouds(6)
    frame = pd.DataFrame(X, columns=["free", "money", "hello", "you"])
    fitted = model(name).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == list(frame.columns)
    for why, row in zip(fitted.explain(frame[:10]), X[:10], strict=True):
        assert {term.feature for term in why.terms} == set(frame.columns[row > 0])


@over()
def test_threads_change_no_byte(name):
    X, y = clouds(7, N=100, C=3)
    answers = [model(name, n_jobs=n).fit(sparse.csr_array(X), y) for n in (1, 2)]
    for other in answers[1:]:
        assert_array_equal(weights_of(other), weights_of(answers[0]))
        assert_array_equal(other.intercept_, answers[0].intercept_)
        assert_array_equal(other.predict_proba(X), answers[0].predict_proba(X))
        assert other.certificate_.to_json() == answers[0].certificate_.to_json()


@over(of=KINDS)
@measured
@given(seed=seeds)
def test_what_is_certified_is_within_the_tolerance(name, seed):
    X, y = clouds(seed, C=3)
    fitted = model(name, tol=1e-5).fit(X, y)
    proof = fitted.certificate_
    assert proof.status == "converged"
    assert proof.advice == ""
    assert 0.0 <= proof.primal - proof.dual <= 3.0 * 1e-5 * max(1.0, proof.primal)
    assert proof.iterations == fitted.n_iter_.max()


@over(of=KINDS)
def test_a_warm_start_is_where_the_last_fit_ended(name):
    X, y = clouds(9)
    fitted = model(name, warm_start=True).fit(X, y)
    cold, w = fitted.n_iter_.max(), weights_of(fitted)
    assert fitted.fit(X, y).n_iter_.max() <= cold
    assert_allclose(weights_of(fitted), w, atol=2e-3 * np.abs(w).max())


def test_a_warm_start_that_no_longer_fits_is_a_cold_one():
    X, y = clouds(10, C=3)
    model_ = LogisticRegression(warm_start=True).fit(X, y)
    for options in ({"multi_class": "ovr"}, {"multi_class": "softmax"}, {"fit_intercept": False}):
        model_.set_params(**options).fit(X, y)
        assert_allclose(model_.coef_, clone(model_).fit(X, y).coef_, atol=0.05)
    assert_array_equal(model_.intercept_, 0.0)
    for solver in ("newton", "dual-coordinate", "coordinate"):
        two = LogisticRegression(warm_start=True, solver=solver).fit(X, y > 0).set_params(fit_intercept=False)
        assert two.fit(X, y > 0).intercept_ == 0.0
    assert model_.fit(X[:, :2], y).coef_.shape == (3, 2)
    assert model_.fit(X, np.array(["a", "b", "c"])[y]).coef_.shape == (3, 4)


@over()
def test_the_seed_that_was_used_is_told(name):
    X, y = clouds(11)
    fitted = model(name, random_state=np.random.RandomState(4)).fit(X, y)
    assert fitted.certificate_.seed == fitted.certificate_.seed
    again = model(name, random_state=fitted.certificate_.seed).fit(X, y)
    assert_array_equal(weights_of(again), weights_of(fitted))
    assert model(name).fit(X, y).certificate_.seed == 0
