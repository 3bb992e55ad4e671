"""The data sets and models of linear.py, ours and scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from data_sets import (
    Split,
    View,
    as_it_is,
    at_random,
    both,
    centred,
    dealt,
    images,
    numbers,
    one_hot,
    scaled,
    svmlight,
    texts,
)
from data_sets import table as read_table
from side_by_side import Case
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression as Logistic
from sklearn.linear_model import Perceptron as Rosenblatt
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from deciban import NBSVM, LeastSquaresClassifier, LinearSVM, LogisticRegression, Perceptron, TextClassifier

PASSES, ITERATIONS, IMAGES = 20, 1000, 10_000
REVIEWS = 50_000


def perceptron(view: View) -> Case:
    """As many passes on either side."""
    ours = partial(Perceptron, averaged=True, max_iter=PASSES)
    theirs = partial(Rosenblatt, max_iter=PASSES, tol=None)
    return Case("perceptron, averaged", ours, "Perceptron", theirs, view, partial(ours, calibration=None))


def least_squares(view: View) -> Case:
    """The same objective: half our alpha is theirs."""
    ours, theirs = partial(LeastSquaresClassifier, alpha=1.0), partial(RidgeClassifier, alpha=0.5)
    return Case("least squares", ours, "RidgeClassifier", theirs, view, partial(ours, calibration=None))


def logistic(view: View) -> Case:
    """The same objective."""
    theirs = partial(Logistic, max_iter=ITERATIONS)
    return Case("logistic, l2", LogisticRegression, "LogisticRegression", theirs, view)


def sparse_logistic(view: View, many: bool = False) -> Case:
    """LIBLINEAR, one class against the rest, as ours; it penalises the intercept."""
    liblinear = partial(Logistic, l1_ratio=1.0, solver="liblinear", max_iter=ITERATIONS)
    theirs: Callable[[], Any] = (lambda: OneVsRestClassifier(liblinear())) if many else liblinear
    return Case("logistic, l1", partial(LogisticRegression, penalty="l1"), "LogisticRegression, l1", theirs, view)


def machine_of(loss: str, view: View) -> Case:
    """LIBLINEAR again. It has no probabilities, so ours is timed without."""
    ours = partial(LinearSVM, loss=loss)
    theirs = partial(LinearSVC, loss=loss, max_iter=ITERATIONS)
    name = loss.replace("_", " ")
    return Case(f"SVM, {name}", ours, f"LinearSVC, {name}", theirs, view, partial(ours, calibration=None))


def every(view: View = as_it_is, many: bool = False) -> list[Case]:
    """All linear models of what `view` shows."""
    return [
        perceptron(view),
        least_squares(view),
        logistic(view),
        sparse_logistic(view, many),
        machine_of("hinge", view),
        machine_of("squared_hinge", view),
    ]


standardised = partial(both, centred, scaled)
numbered = partial(both, one_hot, standardised)


def sixteenths(split: Split) -> Split:
    """Grey values from 0 to 1."""
    train, y, test, truth = split
    return train / 16.0, y, test / 16.0, truth


# Texts.


def read(model: Any) -> Any:
    """Texts as scikit-learn's users read them: words and pairs, their counts' logarithms, idf, rows of length 1."""
    return make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, decode_error="replace"), model)


def one_against_rest(many: bool) -> Any:
    """LIBLINEAR's dual: it knows two classes only."""
    two = Logistic(solver="liblinear", dual=True, max_iter=ITERATIONS)
    return OneVsRestClassifier(two) if many else two


def of_texts(many: bool = False) -> list[Case]:
    """From raw text, with the defaults of our models."""
    rival = "tf-idf and "
    return [
        Case("NBSVM", partial(TextClassifier, "nbsvm")),
        Case(
            "logistic",
            partial(TextClassifier, "logistic"),
            f"{rival}LogisticRegression",
            lambda: read(one_against_rest(many)),
        ),
        Case(
            "SVM",
            partial(TextClassifier, "svm"),
            f"{rival}LinearSVC",
            lambda: read(LinearSVC(max_iter=ITERATIONS)),
        ),
        Case(
            "perceptron, averaged",
            partial(TextClassifier, "perceptron"),
            f"{rival}Perceptron",
            lambda: read(Rosenblatt()),
        ),
    ]


def reviews() -> Split:
    """The first of them to learn from; classes come in no order."""
    train, y, test, truth = texts("korean-reviews.parquet")
    return train[:REVIEWS], y[:REVIEWS], test, truth


def pairs() -> Any:
    """NBSVM over words and pairs, as the literature has it."""
    return TextClassifier("nbsvm", words=(1, 2))


PEOPLE = [*every(), Case("NBSVM", NBSVM)]
NUMBERS: dict[str, tuple[Callable[[], Any], list[Case]]] = {
    "a9a": (partial(svmlight, "a9a.svm.xz", "a9a.t.svm.xz", 123), PEOPLE),
    "adult": (
        partial(read_table, "adult.csv", "income"),
        every(numbered),
    ),
    "spambase": (
        partial(numbers, "spambase.csv", "spam"),
        every(standardised),
    ),
    "cancer": (
        lambda: at_random(*load_breast_cancer(return_X_y=True)),
        every(standardised),
    ),
    "digits": (
        lambda: at_random(*load_digits(return_X_y=True)),
        every(sixteenths, many=True),
    ),
    "mnist": (
        partial(images, IMAGES),
        [case for case in every(many=True) if case.model != "SVM, hinge"],
    ),
}
TEXTS: dict[str, tuple[Callable[[], Any], list[Case]]] = {
    "news": (partial(texts, "20news.parquet"), of_texts(many=True)),
    "imdb": (partial(texts, "imdb.parquet"), of_texts()),
    "korean": (reviews, of_texts()),
    "mr": (
        partial(dealt, "mr.parquet"),
        [Case("NBSVM, words and pairs", pairs), *of_texts()],
    ),
}
SETS = NUMBERS | TEXTS
