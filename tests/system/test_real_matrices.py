"""Naive Bayes on real tables and matrices: errors as measured, whatever the container, in parts as at once.

The bounds are what was measured, with a little room: rates of error on the given test rows, or on every third row
where a set has none.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.naive_bayes import GaussianNB

from deciban.distributions import Gaussian, Poisson
from deciban.models.naive_bayes import NaiveBayes


def error(model, X, y):
    return float((model.predict(X) != y).mean())


def thirds(N):
    """Which rows to learn and which to judge."""
    held_out = np.arange(N) % 3 == 0
    return ~held_out, held_out


def in_parts(likelihood, X, y, parts=4):
    """Learnt part by part, and the sum of models of the parts in another order."""
    slices = [slice(i, None, parts) for i in range(parts)]
    model = NaiveBayes(likelihood)
    for own in slices:
        model.partial_fit(X[own], y[own])
    return model, sum(NaiveBayes(likelihood).fit(X[own], y[own]) for own in reversed(slices))


@pytest.fixture(scope="module")
def adult(data):
    """Training and test rows of 14 columns, numbers and text, blanks missing; the incomes."""
    table = pl.read_csv(data("adult.csv"))
    parts = (table.filter(pl.col("split") == split) for split in ("train", "test"))
    return [(part.drop("income", "split"), part["income"].to_numpy()) for part in parts]


def test_adult_by_the_types_of_its_columns(adult):
    (X, y), (asked, truth) = adult
    assert X["workclass"].null_count() == 1836
    model = NaiveBayes("auto").fit(X, y)
    assert dict(zip(X.columns, model.columns_.kinds, strict=True))["age"] == "whole"
    assert model.columns_.kinds.count("category") == 8
    for estimate in ("bayes", "map", "ml"):
        assert error(model.set_params(estimate=estimate).fit(X, y), asked, truth) <= 0.171
    model.set_params(estimate="bayes").fit(X, y)
    assert model.certificate_.relative_gap <= 1e-12


def test_adult_from_the_file_through_pandas(adult, data):
    (X, y), (asked, _) = adult
    table = pd.read_csv(data("adult.csv"))  # where blanks are NaN among text
    rows = table[table["split"] == "train"].drop(columns=["income", "split"])
    model, other = NaiveBayes("auto").fit(X, y), NaiveBayes("auto").fit(rows, y)
    assert (other.columns_, other.counts_) == (model.columns_, model.counts_)
    judged = other.predict_log_proba(table[table["split"] == "test"][X.columns])
    assert_array_equal(judged, model.predict_log_proba(asked))


def test_adult_by_choice(adult):
    """Gains and losses are nearly always 0, and no bell: as categories they say more."""
    (X, y), (asked, truth) = adult
    kinds = {name: "categorical" if X[name].dtype == pl.String else "gaussian" for name in X.columns}
    kinds |= {"capital_gain": "categorical", "capital_loss": "categorical", "fnlwgt": None}
    assert error(NaiveBayes(kinds).fit(X, y), asked, truth) <= 0.159


def test_adult_in_parts_and_forgotten(adult):
    (X, y), (asked, labels) = adult
    model = NaiveBayes("auto").fit(X, y)
    for other in in_parts("auto", X, y):
        assert other.columns_ == model.columns_
        assert other.counts_ == model.counts_  # all numbers are whole
    learnt = NaiveBayes("auto").fit(X, y).partial_fit(asked, labels)
    assert learnt.counts_ != model.counts_
    learnt.forget(asked, labels)
    assert (learnt.columns_, learnt.counts_) == (model.columns_, model.counts_)


def test_adult_explains_itself(adult):
    (X, y), (asked, _) = adult
    model = NaiveBayes("auto").fit(X, y)
    rows = asked[:200]
    (low, high), joint = model.credible_interval(rows).T, model.predict_joint_log_proba(rows)
    log_odds = joint.max(axis=1) - joint.min(axis=1)
    assert ((low <= log_odds) & (log_odds <= high)).mean() >= 0.99
    for why, row in zip(model.explain(rows), rows.iter_rows(named=True), strict=True):
        assert why.prior_decibans + sum(term.decibans for term in why.terms) == pytest.approx(why.decibans, rel=1e-9)
        told = {str(term.feature).partition(" = ")[0] for term in why.terms}
        assert told == {name for name, cell in row.items() if cell is not None}


def test_mushrooms_are_categories_with_gaps(data):
    table = pl.read_csv(data("mushroom.csv"))
    X, y = table.drop("class"), table["class"].to_numpy()
    assert X["stalk_root"].null_count() == 2480
    learn, judge = thirds(len(y))
    model = NaiveBayes("auto").fit(X.filter(learn), y[learn])
    assert set(model.columns_.kinds) == {"category"}
    assert error(model, X.filter(judge), y[judge]) <= 0.045
    assert error(NaiveBayes("auto", alpha=1e-3).fit(X.filter(learn), y[learn]), X.filter(judge), y[judge]) <= 0.01
    codes = model.columns_.matrix(X)
    coded = NaiveBayes("categorical").fit(codes[learn], y[learn])  # NaN where a cell is blank
    assert_allclose(coded.predict_proba(codes[judge]), model.predict_proba(X.filter(judge)), rtol=1e-9)
    for other in in_parts("auto", X, y):
        assert other.counts_ == NaiveBayes("auto").fit(X, y).counts_


@pytest.mark.parametrize(
    ("likelihood", "bound"),
    [("gaussian", 0.38), (Gaussian(shared=True), 0.425), ("categorical", 0.28), ("poisson", 0.47)],
    ids=["gaussian", "gaussian-shared", "categorical", "poisson"],
)
def test_letters(data, likelihood, bound):
    table = pl.read_csv(data("letter.csv"))
    X, y = table.drop("letter", "split").to_numpy(), table["letter"].to_numpy()
    learn = (table["split"] == "train").to_numpy()
    model = NaiveBayes(likelihood).fit(X[learn], y[learn])
    assert error(model, X[~learn], y[~learn]) <= bound
    for other in in_parts(likelihood, X[learn], y[learn]):
        assert other.counts_ == model.counts_
    rows = sparse.csr_array(X[~learn])
    assert_allclose(model.predict_log_proba(rows), model.predict_log_proba(X[~learn]), rtol=1e-9, atol=1e-9)


def test_letters_are_judged_like_scikit_learn_judges_them(data):
    table = pl.read_csv(data("letter.csv"))
    X, y = table.drop("letter", "split").to_numpy(), table["letter"].to_numpy()
    ours, theirs = NaiveBayes("gaussian", estimate="ml").fit(X, y), GaussianNB(var_smoothing=0).fit(X, y)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10)


SPAM = {"gaussian": 0.195, "bernoulli": 0.12, "multinomial": 0.235, "complement": 0.235, "poisson": 0.305}


@pytest.mark.parametrize("likelihood", SPAM)
def test_spambase_dense_sparse_and_in_parts(data, likelihood):
    table = pl.read_csv(data("spambase.csv"), infer_schema_length=None)
    X, y = table.drop("spam").to_numpy(), table["spam"].to_numpy()
    learn, judge = thirds(len(y))
    model = NaiveBayes(likelihood).fit(X[learn], y[learn])
    assert error(model, X[judge], y[judge]) <= SPAM[likelihood]
    others = [
        NaiveBayes(likelihood).fit(sparse.csr_array(X[learn]), y[learn]),
        *in_parts(likelihood, X[learn], y[learn]),
    ]
    joint = model.predict_joint_log_proba(X[judge])
    for other in others:
        assert_allclose(other.predict_joint_log_proba(X[judge]), joint, rtol=1e-10)
        assert_allclose(other.predict_joint_log_proba(sparse.csr_array(X[judge])), joint, rtol=1e-10)


BOUNDS = [
    (load_breast_cancer, "gaussian", 0.06),
    (load_breast_cancer, Gaussian(shared=True), 0.065),
    (load_breast_cancer, "multinomial", 0.11),
    (load_breast_cancer, Poisson(1.0, 0.1), 0.09),
    (load_digits, "gaussian", 0.12),
    (load_digits, Gaussian(shared=True), 0.12),
    (load_digits, "bernoulli", 0.17),
    (load_digits, "multinomial", 0.11),
    (load_digits, "complement", 0.18),
    (load_digits, "poisson", 0.11),
    (load_digits, "categorical", 0.105),
]


@pytest.mark.parametrize(("load", "likelihood", "bound"), BOUNDS)
def test_tumours_and_digits(load, likelihood, bound):
    X, y = load(return_X_y=True)
    learn, judge = thirds(len(y))
    model = NaiveBayes(likelihood).fit(X[learn], y[learn])
    assert error(model, X[judge], y[judge]) <= bound
    assert model.certificate_.relative_gap <= 1e-12
    told = model.predict_log_proba(X[judge])
    for other in [
        NaiveBayes(likelihood).fit(sparse.csc_array(X[learn]), y[learn]),
        *in_parts(likelihood, X[learn], y[learn]),
    ]:
        assert_allclose(other.predict_log_proba(sparse.csr_array(X[judge])), told, rtol=1e-8, atol=1e-8)
    model.partial_fit(X[judge], y[judge]).forget(X[judge], y[judge])
    assert_allclose(model.predict_log_proba(X[judge]), told, rtol=1e-8, atol=1e-8)
