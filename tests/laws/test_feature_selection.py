"""Laws of the selector that goes by mutual information, and of the number of features it keeps."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import labelled_data
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.utils.estimator_checks import check_estimator

from deciban import NaiveBayes
from deciban.data.folds import deal_stratified
from deciban.features.held_out import FOLDS, CandidateResult, sizes, smallest
from deciban.features.mutual_information import MutualInformation
from oracle import mutual_information as oracle


def noisy(seed=0, N=400, d=200, told=6, largest=3, C=3):
    """Counts of which the first `told` columns know something of the class; y of C classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(N) % C
    rates = np.full((C, d), 0.4)
    rates[:, :told] = np.where(np.arange(C)[:, None] == np.arange(told) % C, 1.5, 0.2)
    return np.minimum(rng.poisson(rates[y]), largest), y


# --- The selector ------------------------------------------------------------------------------------------


@given(data=labelled_data(), k=st.integers(1, 6))
def test_the_best_are_kept_in_their_order_and_of_equal_ones_the_first(data, k):
    X = np.hstack([data.X, data.X[:, ::-1]])  # every column has a tie
    selector = MutualInformation(k=k).fit(X, data.y)
    kept = oracle.best(selector.scores_.tolist(), k)
    assert selector.get_support(indices=True).tolist() == kept
    assert selector.k_ == len(kept) == min(k, X.shape[1])
    assert_array_equal(selector.transform(X), X[:, kept])
    some = selector.transform(sparse.csr_array(X))
    assert some.format == "csr"
    assert_array_equal(some.toarray(), X[:, kept])
    back = selector.inverse_transform(X[:, kept])
    assert_array_equal(back[:, kept], X[:, kept])
    assert not np.delete(back, kept, axis=1).any()
    assert_allclose(selector.bits_, selector.scores_ / np.log(2), rtol=1e-15)


@pytest.mark.parametrize("k", [5, 10_000, "all", np.int64(7)])
def test_fewer_features_than_asked_for_are_all_kept(k):
    X, y = noisy(d=5, told=3)
    assert MutualInformation(k=k).fit(X, y).get_support().all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_names_come_from_the_frame(frame):
    X = frame({"offer": [1, 1, 0, 0], "의미": [0, 1, 0, 1], "meeting": [0, 0, 2, 3]})
    selector = MutualInformation(k=2).fit(X, ["spam", "spam", "ham", "ham"])
    assert selector.get_feature_names_out().tolist() == ["offer", "meeting"]
    kept = selector.set_output(transform=frame.__module__.split(".")[0]).transform(X)
    assert list(kept.columns) == ["offer", "meeting"]


def test_one_class_leaves_nothing_to_tell():
    selector = MutualInformation(k=2).fit([[1, 2, 3], [3, 2, 1]], ["ham", "ham"])
    assert selector.scores_.tolist() == [0.0, 0.0, 0.0]
    assert selector.get_support().tolist() == [True, True, False]


# --- How many ----------------------------------------------------------------------------------------------


def by_hand(X, y, weight, likelihood):
    """Cross-validation from the definition: choose, learn and judge with nothing shared between folds."""
    fold = deal_stratified(y, FOLDS, np.random.RandomState(0))
    errors = []
    for f in range(FOLDS):
        train, test = fold != f, fold == f
        told = MutualInformation().fit(X[train], y[train], weight[train]).scores_
        row = []
        for k in sizes(X.shape[1]):
            kept = oracle.best(told.tolist(), k)
            model = NaiveBayes(likelihood).fit(X[train][:, kept], y[train], weight[train])
            wrong = model.predict(X[test][:, kept]) != y[test]
            row.append(weight[test] @ wrong / weight[test].sum())
        errors.append(row)
    return np.mean(errors, axis=0), np.std(errors, axis=0, ddof=1) / np.sqrt(FOLDS)


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_held_out_errors_are_those_of_naive_bayes(likelihood, form):
    X, y = noisy()
    weight = np.random.default_rng(5).integers(1, 4, len(y)).astype(float)
    selector = MutualInformation("auto", likelihood=likelihood).fit(form(X), y, weight)
    error, standard_error = by_hand(X, y, weight, likelihood)
    assert [found.k for found in selector.errors_] == [10, 30, 100, 200]
    assert_allclose([found.error for found in selector.errors_], error, rtol=1e-12)
    assert_allclose([found.standard_error for found in selector.errors_], standard_error, rtol=1e-9, atol=1e-12)
    assert selector.k_ == smallest(selector.errors_) == selector.get_support().sum()


def test_noise_is_left_out():
    X, y = noisy(d=500)
    selector = MutualInformation("auto").fit(X, y)
    assert selector.k_ == 10
    assert set(range(6)) <= set(selector.get_support(indices=True))
    assert selector.errors_[0].error < selector.errors_[-1].error


def test_the_likelihood_follows_the_data():
    X, y = noisy()
    assert MutualInformation("auto").fit(X, y).errors_ == held("multinomial", X, y)
    assert MutualInformation("auto").fit(1 * (X > 0), y).errors_ == held("bernoulli", X > 0, y)
    assert held("multinomial", X > 0, y) != held("bernoulli", X > 0, y)
    assert held("bernoulli", X, y) != held("bernoulli", X > 0, y)  # chosen by counts, judged by presence


def held(likelihood, X, y):
    return MutualInformation("auto", likelihood=likelihood).fit(X, y).errors_


def test_folds_are_the_same_every_time_and_of_the_seed():
    X, y = noisy(N=90, d=40)
    once = MutualInformation("auto").fit(X, y)
    assert MutualInformation("auto", random_state=0, n_jobs=1).fit(sparse.csr_array(X), y).errors_ == once.errors_
    assert MutualInformation("auto", random_state=1).fit(X, y).errors_ != once.errors_
    more = np.vstack([X[:30], X]), np.concatenate([y[:30], y]), np.repeat([0.0, 1.0], [30, 90])
    assert MutualInformation("auto").fit(*more).errors_ == once.errors_  # what weighs nothing is not there
    assert not hasattr(once.set_params(k=3).fit(X, y), "errors_")


@given(y=st.lists(st.integers(0, 3), min_size=1, max_size=60), folds=st.integers(1, 5), seed=st.integers(0, 9))
def test_folds_are_even_as_a_whole_and_in_every_class(y, folds, seed):
    y = np.array(y)
    fold = deal_stratified(y, folds, np.random.RandomState(seed))
    for part in (fold, *(fold[y == c] for c in range(4))):
        sizes_of = np.bincount(part, minlength=folds)
        assert sizes_of.max() - sizes_of.min() <= 1


def test_few_examples_and_rare_classes_are_no_obstacle():
    for y in (["ham", "spam"], ["ham", "ham", "spam"], ["ham"] * 4):
        selector = MutualInformation("auto").fit(np.eye(len(y), 12), y)
        assert [found.k for found in selector.errors_] == [10, 12]
        assert selector.k_ == 10


def test_the_smallest_within_one_standard_error_of_the_best():
    tried = [
        CandidateResult(10, 0.5, 0.4),
        CandidateResult(30, 0.21, 0.0),
        CandidateResult(100, 0.19, 0.02),
        CandidateResult(300, 0.2, 0.5),
    ]
    assert smallest(tried) == 30
    assert smallest(tried[2:]) == 100
    assert sizes(10) == [10]
    assert sizes(1001) == [10, 30, 100, 300, 1000, 1001]


# --- scikit-learn ------------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize(("k", "checks"), [(10_000, 56), ("auto", 57)])
def test_scikit_learn_finds_nothing_to_complain_about(k, checks):
    results = check_estimator(MutualInformation(k), on_skip=None, on_fail="raise")
    skipped = [result["check_name"] for result in results if result["status"] != "passed"]
    assert set(skipped) <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= checks
