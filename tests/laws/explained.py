"""Every classifier that explains itself, fitted to little, for the laws of evidence; known by name."""

from functools import cache, partial

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from deciban import (
    NBSVM,
    SVM,
    CalibratedClassifier,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticRegression,
    MLPClassifier,
    NaiveBayes,
    Perceptron,
    TextClassifier,
)
from deciban.data.columns import Columns
from deciban.data.text_layout import MODELS as OF_TEXTS
from deciban.kernels import RBF, Spectrum
from deciban.table_models.recipes import MODELS as OF_TABLES
from deciban.table_models.recipes import recipe
from deciban.table_models.table_model import Rows

LABELS = np.array(["ham", "news", "spam"])


@cache
def cloud(C=3, n=60, d=4):
    """X (n, d), labels (n,): classes that overlap."""
    random = np.random.default_rng(C)
    y = np.arange(n) % C
    return random.normal(size=(n, d)) + 1.2 * random.normal(size=(C, d))[y], LABELS[y]


@cache
def counts(C=3, n=60, d=6):
    """The same of whole numbers from 0, many of them 0."""
    random = np.random.default_rng(C)
    y = np.arange(n) % C
    return random.poisson(random.gamma(1.0, 1.5, size=(C, d))[y]), LABELS[y]


@cache
def people(C=3, n=60):
    """A data frame of numbers, truth values and labels, with gaps; and what these people are."""
    random = np.random.default_rng(C)
    y = np.arange(n) % C
    frame = pl.DataFrame(
        {
            "나이": random.integers(18, 60, n) + 6 * y,
            "size": random.normal(size=n) + y,
            "here": random.random(n) < 0.3 + 0.2 * y,
            "job": np.array(["clerk", "judge", "교사"])[(y + random.integers(0, 2, n)) % 3],
        }
    )
    gaps = random.random((n, 4)) < 0.1
    frame = frame.select(
        pl.when(pl.Series(gaps[:, j])).then(None).otherwise(pl.col(own)).alias(own)
        for j, own in enumerate(frame.columns)
    )
    return frame, LABELS[y]


SPOKEN = {
    "ham": "lunch noon see you report meeting 회의 점심 감사합니다",
    "news": "minister report match goal vote paper 보도 meeting lunch",
    "spam": "cheap pills loan now prize 무료 당첨 you report",
}


@cache
def texts(C=3, n=42, mail=False):
    """Texts or messages of words that classes share in part; and their labels."""
    random = np.random.default_rng(C)
    labels = LABELS[np.arange(n) % C]
    said = [" ".join(random.choice(SPOKEN[label].split(), random.integers(2, 8))) for label in labels]
    if not mail:
        return said, labels
    form = "From: {0}@example.org\nSubject: {1}\nContent-Type: text/plain; charset=utf-8\n\n{2}\n"
    return [form.format(k % 7, text.split()[0], text).encode() for k, text in enumerate(said)], labels


def table(model, C=3):
    """A model of a table as the command learns it."""
    frame, labels = people(C)
    columns = Columns.infer(frame)
    classes, y = np.unique(labels, return_inverse=True)
    matrix = columns.matrix(frame)
    keys = np.array([row.tobytes()[:16] + bytes([k]) for k, row in enumerate(matrix)], dtype="S18")
    return recipe(model, {}).learn(Rows(X=matrix, y=y, classes=tuple(classes.tolist()), keys=keys, columns=columns))


def fitted(make, data, C=3):
    X, y = data(C)
    return make().fit(X, y), X


def csr(model, C):
    X, y = counts(C)
    X = sparse.csr_array(X.astype(float))
    return model().fit(X, y), X


def network(C, output="softmax"):
    return fitted(
        partial(MLPClassifier, hidden_layer_sizes=(4,), output=output, max_iter=8, dtype="float64", random_state=0),
        cloud,
        C,
    )


def of_table(model, C):
    return table(model, C), people(C)[0]


def of_texts(C, mail=False, **how):
    more = {"epochs": 3, "hidden_layer_sizes": (4,)} if how.get("model") == "mlp" else {}
    X, y = texts(C, mail=mail)
    return TextClassifier(kind="mail" if mail else "text", **how, **more).fit(X, y), X


def gram(C):
    X, y = cloud(C)
    K = RBF(0.3).tile(X, X)
    return SVM("precomputed").fit(K, y), K


MODELS = {
    "multinomial": partial(fitted, NaiveBayes, counts),
    "complement": partial(fitted, partial(NaiveBayes, "complement"), counts),
    "bernoulli": partial(fitted, partial(NaiveBayes, "bernoulli"), counts),
    "poisson": partial(fitted, partial(NaiveBayes, "poisson"), counts),
    "categorical": partial(fitted, partial(NaiveBayes, "categorical"), counts),
    "gaussian": partial(fitted, partial(NaiveBayes, "gaussian"), cloud),
    "student": partial(fitted, partial(NaiveBayes, "gaussian", estimate="bayes"), cloud),
    "columns": partial(fitted, partial(NaiveBayes, "auto"), people),
    "discriminant": partial(fitted, GaussianDiscriminant, cloud),
    "quadratic": partial(fitted, partial(GaussianDiscriminant, "per_class"), cloud),
    "quadratic student": partial(fitted, partial(GaussianDiscriminant, "per_class", estimate="bayes"), cloud),
    "logistic": partial(fitted, LogisticRegression, cloud),
    "logistic csr": partial(csr, LogisticRegression),
    "svm": partial(fitted, LinearSVM, cloud),
    "nbsvm": partial(fitted, NBSVM, counts),
    "perceptron": partial(fitted, Perceptron, cloud),
    "least squares": partial(fitted, LeastSquaresClassifier, cloud),
    "machine": partial(fitted, SVM, cloud),
    "machine csr": partial(csr, SVM),
    "machines against the rest": partial(fitted, partial(SVM, RBF(0.3), multi_class="ovr"), cloud),
    "machine isotonic": partial(fitted, partial(SVM, calibration="isotonic"), cloud),
    "machine isotonic against the rest": partial(
        fitted, partial(SVM, multi_class="ovr", calibration="isotonic"), cloud
    ),
    "machine linear": partial(fitted, partial(SVM, "linear", C=100.0), cloud),
    "machine without errors": partial(fitted, partial(SVM, RBF(4.0), C=np.inf), cloud),
    "machine of a share": partial(fitted, partial(SVM, nu=0.3), cloud),
    "machine of a matrix": gram,
    "machine of texts": partial(fitted, partial(SVM, Spectrum(2)), texts),
    "line": partial(fitted, partial(CalibratedClassifier, LinearSVM(), "platt"), cloud),
    "curve": partial(fitted, partial(CalibratedClassifier, NaiveBayes("gaussian"), "isotonic"), cloud),
    "line of texts": partial(
        fitted, partial(CalibratedClassifier, TextClassifier("naive-bayes"), "temperature"), texts
    ),
    "network": network,
    "network logistic": partial(network, output="logistic"),
    **{f"table {model}": partial(of_table, model) for model in OF_TABLES[1:]},  # the first is "columns" as a file
    **{f"text {model}": partial(of_texts, model=model) for model in OF_TEXTS},
    **{f"mail {model}": partial(of_texts, mail=True, model=model) for model in OF_TEXTS},
    "text bernoulli": partial(of_texts, model="naive-bayes", likelihood="bernoulli"),
    "text counts": partial(of_texts, model="naive-bayes", binary=False, words=(1, 1)),
    "text hashed": partial(of_texts, model="naive-bayes", hashed_bits=4),
    "text hashed kernel": partial(of_texts, model="kernel-svm", hashed_bits=4),
}


@cache
def explained(name, C):
    """A fitted model, and a few items that it learnt from."""
    model, X = MODELS[name](C=C)
    return model, X[:4]


over = pytest.mark.parametrize(("name", "C"), [(name, C) for name in MODELS for C in (2, 3)])
over_three = pytest.mark.parametrize(("name", "C"), [(name, 3) for name in MODELS])
