"""`model.report`: every classifier tells of itself, and with examples how sure it is."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from deciban import (
    NBSVM,
    SVM,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticRegression,
    MLPClassifier,
    NaiveBayes,
    Perceptron,
    TextClassifier,
)
from deciban.certificates.intervals import clopper_pearson
from deciban.conventions import percent
from deciban.pages import blocks
from deciban.pages.evaluated import format_interval
from deciban.pages.judged import score_examples
from deciban.pages.words import Words
from deciban.report import regions
from laws.svms import cloud
from system.pages import checked

CLASSIFIERS = {
    "SVM": SVM,
    "SVM without probabilities": lambda: SVM(calibration=None),
    "LinearSVM": LinearSVM,
    "LinearSVM without probabilities": lambda: LinearSVM(calibration=None),
    "LogisticRegression": LogisticRegression,
    "GaussianDiscriminant": GaussianDiscriminant,
    "NaiveBayes": lambda: NaiveBayes("gaussian"),
    "NBSVM": NBSVM,
    "Perceptron": Perceptron,
    "LeastSquaresClassifier": LeastSquaresClassifier,
    "MLPClassifier": lambda: MLPClassifier((4,), max_iter=4, random_state=0),
}
JUDGED = ["error", "confusion", "reliability", "curves", "costs"]


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Figures are made, of few points, but not drawn."""
    monkeypatch.setattr(regions, "_STEPS", 5)
    monkeypatch.setattr(regions, "_MORE_STEPS", 5)
    monkeypatch.setattr(blocks, "inline", lambda drawn, says, prefix="": '<svg role="img"></svg>')


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_tells_of_itself_and_how_sure_it_is(name):
    X, y = cloud(2, 30, 3)
    X = abs(X)
    labels = np.array(["<ham>", "spam"])[y]
    model = CLASSIFIERS[name]().fit(X[::2], labels[::2])
    alone = model.report(language="en")
    keys = [section.key for section in alone.sections]
    assert keys == ["error", *(["epochs"] if name == "MLPClassifier" else []), "learnt", "certificate", "again"]
    assert any("report(X, y)" in text for text in checked(alone.html()).texts)

    report = model.report(X[1::2], labels[1::2], language="en")
    wrong = int((model.predict(X[1::2]) != labels[1::2]).sum())
    page = checked(report.html())
    n = len(X[1::2])
    assert any(text.startswith(f"Of {n} labelled examples it misclassified {wrong}:") for text in page.texts)
    error, *others = report.summary.figures
    assert (error.heading, error.value) == ("error", percent(wrong / n))
    assert error.interval == f"95 % interval {format_interval(clopper_pearson(wrong, n), Words())}"
    assert len(others) == 2
    assert {error.value, report.summary.verdict, *(each.value for each in others)} <= set(page.texts)
    assert bool(report.summary.warning) == (name in ("MLPClassifier", "Perceptron"))
    assert alone.summary.verdict == "The error on new examples has not been measured."
    weighed = hasattr(model, "predict_log_proba")
    assert ([section.key for section in report.sections][: len(JUDGED)] == JUDGED) == weighed
    assert "picture" in [section.key for section in report.sections]
    for key in ("samples", "evidence"):
        assert (key in [section.key for section in report.sections]) == weighed


KINDS = [pd.DataFrame, pl.DataFrame, sparse.csr_matrix, list]


@pytest.mark.parametrize("kind", KINDS, ids=["pandas", "polars", "CSR", "list"])
def test_rows_of_every_kind_are_judged_alike(kind):
    X, y = cloud(3, 30, 2)
    framed = kind in (pd.DataFrame, pl.DataFrame)
    rows = kind({"x0": X[:, 0], "x1": X[:, 1]}) if framed else kind(X)
    model, other_model = (LogisticRegression().fit(each, y) for each in (X, rows))
    one, other = score_examples(model, X, y, Words()), score_examples(other_model, rows, y, Words())
    np.testing.assert_allclose(one.said.log_p, other.said.log_p, rtol=1e-6)
    assert one.found.errors == other.found.errors == int((model.predict(X) != y).sum())


def test_a_report_of_texts_shows_them_and_the_strongest_words():
    texts = ["cheap pills now", "cheap loan now", "lunch at noon?", "see you at lunch"]
    classifier = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    report = classifier.report(["cheap <b>lunch", "loan", "noon"], ["ham", "spam", "ham"], language="ko")
    assert [section.key for section in report.sections][-4:] == ["samples", "learnt", "certificate", "again"]
    page = checked(report.html(), "ko")
    assert {"cheap", "lunch", "spam 쪽 증거"} <= set(page.texts)
    assert page.tags.count("mark") >= 4


def test_labels_that_are_numbers_or_truths_stay_what_they_are():
    X, y = cloud(2, 20, 2)
    for labels in (y, y.astype(bool), y * 10.0):
        model = LogisticRegression().fit(X, labels)
        assert score_examples(model, X, labels, Words()).found.errors == int((model.predict(X) != labels).sum())
        checked(model.report(X, labels, language="en").html())


def test_estimators_keep_the_page_that_scikit_learn_gives_them():
    assert "LogisticRegression" in LogisticRegression()._repr_html_()
    assert "TextClassifier" in TextClassifier()._repr_html_()
