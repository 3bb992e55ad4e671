"""Every estimator, fitted to little, for what certificates have in common."""

from functools import cache

import numpy as np
from sklearn.base import clone

from deciban import (
    SVM,
    GaussianDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    MLPClassifier,
    MLPRegressor,
    NaiveBayes,
    OneClassSVM,
    Perceptron,
    SVMRegressor,
    TextClassifier,
)
from laws.clouds import EVERY as DISCRIMINANTS
from laws.declared import EVERY as LINEAR
from laws.labelled import BY_NAME
from laws.stored import MODELS as TEXT_MODELS
from laws.svms import DECLARED as MACHINES

N = 40
_SHAPES = ("shared-ml", "per_class-bayes", "diagonal-shrunk")
_NETWORK = {"hidden_layer_sizes": (3,), "max_iter": 2}


def rows(C=2, seed=0):
    """X (N, d) of whole numbers from 0, y (N,): classes that overlap."""
    r = np.random.default_rng(seed)
    y = np.arange(N) % C
    return r.poisson(1.0 + 2.0 * np.eye(4)[y]).astype(float), y


def texts(C=2):
    """Texts with words of their class, and labels in Korean."""
    X, y = rows(C)
    words = ["free", "lunch", "무료", "회의"]
    return [" ".join(word for word, n in zip(words, row, strict=True) if n > 1) for row in X], [f"급{k}" for k in y]


CLASSIFIERS = {
    **{name: family(**options) for name, (family, options) in LINEAR.items()},
    "svm-hard-margin": LinearSVM(C=np.inf, calibration=None),
    "svm-margins": LinearSVM(calibration=None),
    "perceptron-pocket": Perceptron(pocket=True, calibration=None),
    "softmax": LogisticRegression(multi_class="softmax"),
    **{f"machine-{name}": SVM(**options) for name, options in MACHINES.items()},
    "machine-of-a-number": SVM(gamma=0.1),
    "machine-curves": SVM(calibration="isotonic"),
    "machine-hard-margin": SVM(C=np.inf, calibration=None, gamma=2.0),
    "machine-landmarks": SVM(solver="nystroem", calibration=None),
    **{f"bayes-{name}": NaiveBayes(name) for name in BY_NAME},
    **{f"discriminant-{name}": GaussianDiscriminant(**DISCRIMINANTS[name]) for name in _SHAPES},
    "network": MLPClassifier(**_NETWORK),
    "network-of-squares": MLPClassifier(output="logistic", error="squared", **_NETWORK),
}
SEPARATED = ("svm-hard-margin", "machine-hard-margin")
MANY = (
    *("logistic-l2", "logistic-ovr", "softmax", "svm-hinge", "svm-margins", "nbsvm-logistic", "perceptron"),
    *("least-squares", "machine-rbf", "machine-linear", "machine-rest", "machine-curves", "bayes-poisson"),
    *("bayes-gaussian", "discriminant-shared-ml", "network"),
)
"""Of these, three classes as well."""
STREAMS = {
    "stream-logistic": LogisticRegression(),
    "stream-svm": LinearSVM(),
    "stream-perceptron": Perceptron(),
    "stream-network": MLPClassifier(**_NETWORK),
}
REGRESSIONS = {
    "regression": LinearRegression(),
    "ridge": LinearRegression(penalty="l2"),
    "lasso": LinearRegression(penalty="l1"),
    "absolute": LinearRegression(loss="absolute"),
    "machine-regression": SVMRegressor(),
    "machine-regression-nu": SVMRegressor(nu=0.4),
    "network-regression": MLPRegressor(**_NETWORK),
}
OTHERS = {"one-class": OneClassSVM()}
TEXTS = {f"texts-{name}": TextClassifier(**options) for name, options in TEXT_MODELS.items()}
EVERY = {
    **CLASSIFIERS,
    **{f"{name}-of-three": CLASSIFIERS[name] for name in MANY},
    **STREAMS,
    **REGRESSIONS,
    **OTHERS,
    **TEXTS,
}


def data(name):
    """What the model of this name learns."""
    if name in TEXTS:
        return texts()
    X, y = rows(3 if name.endswith("-of-three") else 2)
    if name in SEPARATED:
        X[:, 0] += 9.0 * y
    return X, (X[:, 0] + 0.1 * X[:, 1] ** 2 if name in REGRESSIONS else y)


def fit(name):
    """A new model of this name that has learnt."""
    model, (X, y) = clone(EVERY[name]), data(name)
    if name in OTHERS:
        return model.fit(X)
    return model.partial_fit(X, y) if name in STREAMS else model.fit(X, y)


fitted = cache(fit)
