"""Every public estimator with little data to learn, for the laws that all of them keep.

`CASES` lists (id, estimator, data); `over()` asks a law of each, `fitted(case)` learns, `answers(model, X)` is all
that it says of rows. A new estimator is an entry here: `test_parameter_types.py` finds those that have none.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import clone

import deciban
from deciban import (
    NBSVM,
    SVM,
    CalibratedClassifier,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearRegression,
    LinearSVM,
    LinearSVR,
    LogisticRegression,
    MLPClassifier,
    MLPRegressor,
    MutualInformation,
    NaiveBayes,
    Nystroem,
    OneClassSVM,
    Perceptron,
    RandomFourier,
    SVMRegressor,
    TextClassifier,
    TextVectorizer,
    TfidfTransformer,
)

N, D = 60, 4


class Case(NamedTuple):
    """An estimator as declared and the name of what it learns, a function of `DATA`."""

    id: str
    estimator: Any
    data: str

    def new(self, **parameters: Any) -> Any:
        """A new estimator like it, with other parameters."""
        return clone(self.estimator).set_params(**parameters)

    def learn(self) -> tuple[Any, Any]:
        """X, y; y is None where there are no labels."""
        return DATA[self.data]()


def counts(C: int = 2, seed: int = 0) -> tuple[Any, Any]:
    """X (N, D) of whole numbers from 0, y (N,) text: C classes that overlap."""
    random = np.random.default_rng(seed)
    y = np.arange(N) % C
    return random.poisson(1.0 + 2.0 * np.eye(D)[y]).astype(float), np.array(["ham", "spam", "news"])[y]


def present(C: int = 2) -> tuple[Any, Any]:
    """X (N, D) of 0 and 1."""
    X, y = counts(C)
    return (X > 1.0).astype(float), y


def measured(C: int = 2, seed: int = 0) -> tuple[Any, Any]:
    """X (N, D) of measurements, y (N,): C classes that overlap."""
    random = np.random.default_rng(seed)
    y = np.arange(N) % C
    return random.normal(size=(N, D)) + 1.5 * np.eye(D)[y], y


def target() -> tuple[Any, Any]:
    """X (N, D) of measurements, y (N,) of numbers, noisy and nearly linear."""
    X, _ = measured()
    random = np.random.default_rng(1)
    return X, X @ np.array([1.0, -2.0, 0.5, 0.0]) + 0.3 * random.normal(size=N) + 1.0


def unlabelled() -> tuple[Any, None]:
    """X (N, D) of measurements."""
    return measured()[0], None


def texts() -> tuple[Any, Any]:
    """N texts with words of their class, and their labels."""
    X, y = counts()
    words = ["free", "lunch", "무료", "noon"]
    found = [" ".join(w for w, n in zip(words, row, strict=True) for _ in range(int(n))) for row in X]
    return [text or "nothing" for text in found], y


def only_texts() -> tuple[Any, None]:
    """N texts."""
    return texts()[0], None


DATA = {
    "counts": counts,
    "counts-of-three": lambda: counts(3),
    "present": present,
    "measured": measured,
    "measured-of-three": lambda: measured(3),
    "target": target,
    "unlabelled": unlabelled,
    "texts": texts,
    "only-texts": only_texts,
}

_NETWORK = {"hidden_layer_sizes": (3,), "max_iter": 3}
_TEXT = {"words": (1, 1)}
CASES = [
    *(Case(f"bayes-{name}", NaiveBayes(name), "counts") for name in ("multinomial", "complement", "poisson")),
    Case("bayes-multinomial-of-three", NaiveBayes(), "counts-of-three"),
    Case("bayes-bernoulli", NaiveBayes("bernoulli"), "present"),
    Case("bayes-categorical", NaiveBayes("categorical"), "counts"),
    Case("bayes-gaussian", NaiveBayes("gaussian"), "measured"),
    Case("bayes-gaussian-calibrated", NaiveBayes("gaussian", calibration="affine"), "measured"),
    Case("bayes-multinomial-calibrated", NaiveBayes(calibration="affine"), "counts-of-three"),
    Case("discriminant", GaussianDiscriminant(), "measured-of-three"),
    Case("discriminant-calibrated", GaussianDiscriminant(calibration="affine"), "measured-of-three"),
    Case("discriminant-shrunk", GaussianDiscriminant("per_class", shrinkage=0.5), "measured"),
    Case("discriminant-bayes", GaussianDiscriminant("per_class", estimate="bayes"), "measured"),
    Case("logistic", LogisticRegression(), "measured"),
    Case("logistic-l1-of-three", LogisticRegression(penalty="l1"), "measured-of-three"),
    Case("linear-svm", LinearSVM(), "measured"),
    Case("linear-svm-squared", LinearSVM(loss="squared_hinge", calibration=None), "measured"),
    Case("nbsvm", NBSVM(), "counts"),
    Case("perceptron", Perceptron(), "measured"),
    Case("pocket", Perceptron(pocket=True, calibration=None, max_iter=20), "measured"),
    Case("least-squares-classifier", LeastSquaresClassifier(), "measured"),
    Case("least-squares", LinearRegression(), "target"),
    Case("ridge", LinearRegression(penalty="l2"), "target"),
    Case("elastic-net", LinearRegression(penalty="elasticnet"), "target"),
    Case("huber", LinearRegression(loss="huber"), "target"),
    Case("positive", LinearRegression(penalty="l1", positive=True), "target"),
    Case("linear-svr", LinearSVR(epsilon=0.1), "target"),
    Case("linear-svr-squares", LinearSVR(loss="squared_epsilon_insensitive"), "target"),
    Case("linear-svm-l1", LinearSVM(loss="squared_hinge", penalty="l1"), "measured"),
    Case("linear-svm-together", LinearSVM(multi_class="crammer_singer"), "measured-of-three"),
    Case("svm", SVM(), "measured"),
    Case("svm-polynomial", SVM("polynomial"), "measured"),
    Case("svm-of-three", SVM(), "measured-of-three"),
    Case("svm-nu", SVM(nu=0.5), "measured"),
    Case("svm-landmarks", SVM(solver="nystroem"), "measured"),
    Case("svr", SVMRegressor(), "target"),
    Case("svr-nu", SVMRegressor(nu=0.5), "target"),
    Case("one-class", OneClassSVM(), "unlabelled"),
    Case("mlp", MLPClassifier(**_NETWORK), "measured"),
    Case("mlp-descent", MLPClassifier(solver="descent", early_stopping=True, **_NETWORK), "measured"),
    Case("mlp-lbfgs", MLPClassifier(solver="lbfgs", **_NETWORK), "measured"),
    Case("mlp-regressor", MLPRegressor(**_NETWORK), "target"),
    Case("calibrated", CalibratedClassifier(LinearSVM(calibration=None), cv=3), "measured"),
    Case("mutual-information", MutualInformation(k=2), "counts"),
    Case("nystroem", Nystroem(n_components=5), "unlabelled"),
    Case("random-fourier", RandomFourier(n_components=5), "unlabelled"),
    Case("vectorizer", TextVectorizer(), "only-texts"),
    Case("vectorizer-hashed", TextVectorizer(hashed_bits=8), "only-texts"),
    Case("vectorizer-signed", TextVectorizer(n_features=16), "only-texts"),
    Case("tf-idf", TfidfTransformer(), "counts"),
    Case("texts-bayes", TextClassifier("naive-bayes", **_TEXT), "texts"),
    Case("texts-bernoulli", TextClassifier("naive-bayes", likelihood="bernoulli", **_TEXT), "texts"),
    Case("texts-auto", TextClassifier(**_TEXT), "texts"),
    *(Case(f"texts-{m}", TextClassifier(m, **_TEXT), "texts") for m in ("nbsvm", "logistic", "svm", "perceptron")),
    Case("texts-least-squares", TextClassifier("least-squares", **_TEXT), "texts"),
    Case("texts-kernel-svm", TextClassifier("kernel-svm", **_TEXT), "texts"),
    Case("texts-mlp", TextClassifier("mlp", hidden_layer_sizes=(3,), epochs=2, **_TEXT), "texts"),
]
BY_ID = {case.id: case for case in CASES}
assert len(BY_ID) == len(CASES)


def over(*data: str) -> Any:
    """The law is asked of every case, or of those that learn these data."""
    asked = [case for case in CASES if not data or case.data in data]
    return pytest.mark.parametrize("case", asked, ids=[case.id for case in asked])


def fitted(case: Case, **parameters: Any) -> Any:
    """A new model of this case that has learnt."""
    return case.new(**parameters).fit(*case.learn())


_ANSWERS = ("predict_joint_log_proba", "decision_function", "predict_proba", "predict", "score_samples", "transform")


def answers(model: Any, X: Any) -> dict[str, Any]:
    """All that a fitted model says of rows, by method."""
    found = {name: getattr(model, name)(X) for name in _ANSWERS if hasattr(model, name)}
    return {name: value.toarray() if hasattr(value, "toarray") else np.asarray(value) for name, value in found.items()}


def public() -> dict[str, type]:
    """The estimators that `deciban` offers, by name."""
    names = {name: getattr(deciban, name) for name in deciban.__all__}
    return {name: each for name, each in names.items() if isinstance(each, type) and hasattr(each, "get_params")}
