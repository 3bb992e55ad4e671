"""Linear classifiers on real data: certified optima, and errors as measured."""

import lzma

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import StandardScaler

from deciban import NBSVM, LinearSVM, LogisticRegression, NaiveBayes


@pytest.fixture(scope="module")
def adult(data):
    """The people of a9a, 123 binary features, and those of a9a.t."""
    found = []
    for name in ("a9a.svm.xz", "a9a.t.svm.xz"):
        with lzma.open(data(name)) as file:
            found.append(load_svmlight_file(file, n_features=123))
    return found


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(tol=1e-6),
        LogisticRegression(tol=1e-6, solver="dual-coordinate"),
        LogisticRegression(tol=1e-6, penalty="l1"),
        LinearSVM(0.1, loss="squared_hinge", calibration=None, tol=1e-6),
    ],
    ids=["logistic", "logistic-dual", "logistic-l1", "squared-hinge"],
)
def test_a9a_to_a_gap_of_a_millionth(adult, model):
    (X, y), (asked, truth) = adult
    fitted = model.fit(X, y)
    assert fitted.certificate_.relative_gap <= 1e-6
    assert 0.848 <= (fitted.predict(asked) == truth).mean() <= 0.852
    if hasattr(fitted, "predict_proba"):
        p = fitted.predict_proba(asked)[:, 1]
        assert abs(p.mean() - (truth > 0).mean()) <= 0.01


def test_sentences_of_reviews_beat_naive_bayes(data):
    table = pl.read_parquet(data("mr.parquet"))
    X = CountVectorizer(binary=True, ngram_range=(1, 2), min_df=2).fit_transform(table["text"].to_list())
    y, held = table["label"].to_numpy(), np.arange(len(table)) % 5 == 0
    bayes = NaiveBayes("multinomial").fit(X[~held], y[~held])
    wrong = (bayes.predict(X[held]) != y[held]).mean()
    for model in (NBSVM(), NBSVM(1.0, loss="squared_hinge", pull=0.0, interpolation=0.25, calibration=None)):
        fitted = model.fit(X[~held], y[~held])
        assert fitted.certificate_.relative_gap <= 1e-3
        assert (fitted.predict(X[held]) != y[held]).mean() < wrong


def test_spambase_in_one_scale(data):
    table = pl.read_csv(data("spambase.csv"), infer_schema_length=None)
    X, y = StandardScaler().fit_transform(table.drop("spam").to_numpy()), table["spam"].to_numpy()
    held = np.arange(len(y)) % 3 == 0
    for model in (LogisticRegression(), LinearSVM(loss="squared_hinge"), LinearSVM(0.01)):
        fitted = model.fit(X[~held], y[~held])
        assert fitted.status_.finished
        assert (fitted.predict(X[held]) != y[held]).mean() <= 0.095
        for why in fitted.explain(X[:20]):
            total = why.prior_decibans + sum(term.decibans for term in why.terms)
            assert total == pytest.approx(why.decibans, rel=1e-9, abs=1e-9)
