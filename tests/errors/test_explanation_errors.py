"""What is said where nothing can be explained, word for word."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Foreign

import deciban
from deciban import SVM, LinearSVM, MLPClassifier, NaiveBayes, TextClassifier
from errors.refusals import refused

X = [[float(i), 1.0] for i in range(12)]
Y = ["a"] * 6 + ["b"] * 6
TEXTS = ["cheap pills", "cheap loan", "lunch at noon", "noon"] * 3


@pytest.mark.parametrize(
    "pair",
    [("a", "a"), ("a", "c"), ("a",), ("a", "b", "a"), "ab", b"ab"],
    ids=["same", "unknown", "one", "three", "text", "bytes"],
)
@pytest.mark.parametrize(
    "model",
    [NaiveBayes("gaussian"), SVM(), MLPClassifier(hidden_layer_sizes=(2,), max_iter=2), LinearSVM()],
    ids=lambda m: type(m).__name__,
)
def test_a_pair_is_two_labels(model, pair):
    model = model.fit(X, Y)
    with refused(f"pair must be two different labels of ['a', 'b'], (label, against); got {pair!r}"):
        model.explain(X[:1], pair=pair)


def test_a_pair_of_texts_is_two_labels():
    model = TextClassifier().fit(TEXTS[:12], Y)
    with refused("pair must be two different labels of ['a', 'b'], (label, against); got ('a', 'z')"):
        model.explain(["cheap"], pair=("a", "z"))


def test_strongest():
    (why,) = NaiveBayes("gaussian").fit(X, Y).explain(X[:1])
    for top in (-1, 1.5, True, "3"):
        with refused(f"top must be a whole number from 0, or None for all, got {top!r}"):
            why.for_label(top)


def test_importance():
    model = NaiveBayes("gaussian").fit(X, Y)
    with refused("a fitted classifier that explains itself is expected; LogisticRegression does not", TypeError):
        deciban.evidence_importance(Foreign().fit(X, Y), X)
    with refused("X is expected, examples for NaiveBayes to explain; text models do without", model=model):
        deciban.evidence_importance(model)
    with refused("one label per example is expected; there are 12 and 11 labels", model=model):
        deciban.evidence_importance(model, X, Y[1:])
    with refused("y was given without X, the examples that it labels"):
        deciban.evidence_importance(model, y=Y)
    with refused("top must be a whole number from 0, or None for all, got -1"):
        deciban.evidence_importance(model, X, top=-1)
    many = MLPClassifier(hidden_layer_sizes=(2,), max_iter=2).fit(X, np.eye(2, dtype=int)[[0, 1] * 6])
    with refused("a model that gives one label is expected; this one gives each example many"):
        deciban.evidence_importance(many, X)
    with refused("at least one example is expected"):
        deciban.evidence_importance(TextClassifier().fit(TEXTS, Y), [])
    with refused("an iterable of texts is expected, not one text: put it in a list", TypeError):
        deciban.evidence_importance(TextClassifier().fit(TEXTS, Y), "cheap")


def test_stability():
    model = NaiveBayes("gaussian")
    with refused("a classifier that learns and explains is expected; LogisticRegression does not do both", TypeError):
        deciban.explanation_stability(Foreign(), X, Y, X)
    with refused("resamples must be a whole number from 2, got 1"):
        deciban.explanation_stability(model, X, Y, X, resamples=1)
    with refused("resamples must be a whole number from 2, got 2.5"):
        deciban.explanation_stability(model, X, Y, X, resamples=2.5)
    with refused("top must be a whole number from 1, got 0"):
        deciban.explanation_stability(model, X, Y, X, top=0)
    with refused("one label per example is expected; there are 12 and 11 labels"):
        deciban.explanation_stability(model, X, Y[1:], X)
    with refused("at least one item to explain is expected"):
        deciban.explanation_stability(model, X, Y, [])
    with refused("at least two classes are expected; all labels are ['a']"):
        deciban.explanation_stability(model, X, ["a"] * 12, X)
    with refused("a sequence of examples is expected, not one text: put it in a list", TypeError):
        deciban.explanation_stability(TextClassifier(), TEXTS, Y, "cheap")
    with refused("a sequence of examples is expected, not one text: put it in a list", TypeError):
        deciban.explanation_stability(TextClassifier(), "cheap", Y, ["cheap"])


def test_resamples_without_a_class():
    rows, labels = np.arange(80.0)[:, None], [*map(str, range(40))] * 2
    with refused(
        "resamples with all 40 classes are expected; of 80 examples 1,000 were drawn without: a class has too few"
    ):
        deciban.explanation_stability(NaiveBayes("gaussian"), rows, labels, rows[:1])
