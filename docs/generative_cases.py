"""The data sets and models of generative.py, ours and scikit-learn's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.special import logsumexp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

from deciban import NaiveBayes
from deciban.models.discriminant import GaussianDiscriminant

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from environment import MissingError, data, machine

__all__ = ["HELD_OUT", "SEED", "SETS", "Case", "MissingError", "Split", "machine", "normalised"]

Split = tuple[Any, Any, Any, Any]
"""X and y to learn from, X and y held out."""

SEED, HELD_OUT = 0, 0.3


def texts(name: str, **how: Any) -> Split:
    """Counts of words, CSR, split as the set is."""
    frame = pl.read_parquet(data(name))
    train, test = (frame.filter(pl.col("split") == part) for part in ("train", "test"))
    count = CountVectorizer(decode_error="replace", **how)
    X = count.fit_transform(train["text"].to_list())
    return X, train["label"].to_numpy(), count.transform(test["text"].to_list()), test["label"].to_numpy()


def table(name: str, label: str) -> Split:
    """A data frame, split as the file says or at random."""
    frame = pl.read_csv(data(name), infer_schema_length=None)
    if "split" in frame.columns:
        parts = [frame.filter(pl.col("split") == part).drop("split") for part in ("train", "test")]
        return tuple(side for part in parts for side in (part.drop(label), part[label].to_numpy()))
    return at_random(frame.drop(label), frame[label].to_numpy())


def numbers(name: str, label: str) -> Split:
    """The same as a matrix."""
    train, y, test, truth = table(name, label)
    return train.to_numpy().astype(np.float64), y, test.to_numpy().astype(np.float64), truth


def at_random(X: Any, y: Any) -> Split:
    """Classes in proportion."""
    rows, held_out = train_test_split(np.arange(len(y)), test_size=HELD_OUT, random_state=SEED, stratify=y)
    return X[rows], y[rows], X[held_out], y[held_out]


def images() -> Split:
    """Grey values from 0 to 1."""
    found = np.load(data("mnist.npz"))
    return tuple(
        side for part in ("train", "test") for side in (found[f"x_{part}"].reshape(-1, 784) / 255.0, found[f"y_{part}"])
    )


def as_it_is(split: Split) -> Split:
    """The data as they come."""
    return split


def one_hot(split: Split) -> Split:
    """Every label a column of its own, a missing one too."""
    train, y, test, truth = split
    both = pl.concat([train, test])
    X = both.to_dummies([name for name, kind in both.schema.items() if kind == pl.String]).to_numpy().astype(float)
    return X[: len(y)], y, X[len(y) :], truth


def scaled(split: Split) -> Split:
    """Every column in units of its standard deviation in training."""
    train, y, test, truth = split
    deviation = train.std(axis=0)
    deviation[deviation == 0.0] = 1.0
    return train / deviation, y, test / deviation, truth


@dataclass(frozen=True)
class Case:
    """How our model is made, and scikit-learn's counterpart, if it has one; `view` makes what both read."""

    model: str
    ours: Callable[[], Any]
    rival: str = ""
    theirs: Callable[[], Any] | None = None
    view: Callable[[Split], Split] = as_it_is


def coded(X: pl.DataFrame) -> Any:
    """Labels only, what is missing as a label of its own: scikit-learn's CategoricalNB knows no missing values."""
    return X.select(pl.all().cast(pl.String).fill_null("missing")).to_numpy()


def categorical() -> Any:
    """CategoricalNB of labels; code 0 is for those not seen in learning, which it would refuse."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_pipeline(FunctionTransformer(coded), codes, FunctionTransformer(lambda X: X + 1), CategoricalNB())


def normalised(joint: Any) -> Any:
    """Log-probabilities of classes from scores."""
    return joint - logsumexp(joint, axis=1, keepdims=True)


class CategoricalAndGaussian:
    """How mixed columns are done with scikit-learn: two models, whose log-posteriors add, less the prior once."""

    def fit(self, X: pl.DataFrame, y: Any) -> CategoricalAndGaussian:
        self.labels = [name for name, kind in X.schema.items() if kind == pl.String]
        self.categorical = categorical().fit(X.select(self.labels), y)
        self.gaussian = GaussianNB().fit(X.drop(self.labels).to_numpy(), y)
        self.classes_ = self.gaussian.classes_
        return self

    def predict_log_proba(self, X: pl.DataFrame) -> Any:
        joint = self.categorical.predict_log_proba(X.select(self.labels))
        joint = joint + self.gaussian.predict_log_proba(X.drop(self.labels).to_numpy())
        return normalised(joint - np.log(self.gaussian.class_prior_))

    def predict(self, X: pl.DataFrame) -> Any:
        return self.classes_[self.predict_log_proba(X).argmax(axis=1)]


RIVALS = {
    "multinomial": MultinomialNB,
    "complement": ComplementNB,
    "bernoulli": BernoulliNB,
    "categorical": CategoricalNB,
    "gaussian": GaussianNB,
}


def naive(name: str, *, view: Callable[[Split], Split] = as_it_is, told: Any = None, **ours: Any) -> Case:
    """Naive Bayes by name; `told` are parameters of the counterpart, which ours does not need."""
    if name == "complement":
        ours["class_prior"] = "uniform"  # as scikit-learn has it
    rival = RIVALS.get(name)
    options = told or {key: value for key, value in ours.items() if key == "binarize"}
    described = "".join(f", {value}" for key, value in ours.items() if key == "estimate")
    case = Case(f"naive: {name}{described}", lambda: NaiveBayes(name, **ours), view=view)
    return replace(case, rival=rival.__name__, theirs=lambda: rival(**options)) if rival else case


def discriminant(name: str, rival: str = "", theirs: Any = None, scale: bool = False, **parameters: Any) -> Case:
    """GaussianDiscriminant and its counterpart."""
    ours = partial(GaussianDiscriminant, **parameters)
    return Case(f"discriminant: {name}", ours, rival, theirs, scaled if scale else as_it_is)


def measured(*but: str, first: Callable[[Split], Split] = as_it_is) -> list[Case]:
    """Every model of measurements, but for those named, on what `first` makes of the data."""
    LDA, QDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    lda = ("LDA, shrunk", partial(LDA, solver="lsqr", shrinkage="auto"))
    qda = ("QDA, shrunk", partial(QDA, solver="eigen", shrinkage="auto"))
    shared, apart = {"covariance": "shared"}, {"covariance": "per_class"}
    shrunk, bayes = {"shrinkage": "ledoit-wolf"}, {"estimate": "bayes"}
    cases = [
        naive("gaussian", estimate="bayes"),
        naive("gaussian", estimate="map"),
        discriminant("diagonal", covariance="diagonal"),
        discriminant("shared", "LDA", LDA, **shared),
        discriminant("shared, shrunk", *lda, **shared, **shrunk),
        discriminant("shared, shrunk, scaled", *lda, **shared, **shrunk, scale=True),
        discriminant("shared, bayes", **shared, **bayes),
        discriminant("per class", "QDA", QDA, **apart),
        discriminant("per class, shrunk", *qda, **apart, **shrunk),
        discriminant("per class, shrunk, scaled", *qda, **apart, **shrunk, scale=True),
        discriminant("per class, bayes", **apart, **bayes),
    ]
    kept = [case for case in cases if case.model.partition(": ")[2] not in but]
    return [replace(case, view=partial(both, first, case.view)) for case in kept]


def both(first: Callable[[Split], Split], second: Callable[[Split], Split], split: Split) -> Split:
    """One view of another."""
    return second(first(split))


AS_LABELS = ("workclass", "education", "marital_status", "occupation", "relationship", "race", "sex", "native_country")


def mixed() -> list[Case]:
    """Adult: labels and numbers side by side."""
    by_hand = dict.fromkeys(AS_LABELS, "categorical") | dict.fromkeys(
        ("age", "education_num", "hours_per_week"), "gaussian"
    )
    by_hand |= {"capital_gain": "bernoulli", "capital_loss": "bernoulli", "fnlwgt": None}
    return [
        Case("naive: auto", lambda: NaiveBayes("auto"), "CategoricalNB and GaussianNB", CategoricalAndGaussian),
        Case("naive: by column", lambda: NaiveBayes(by_hand)),
        Case("naive: categorical", lambda: NaiveBayes("categorical"), "CategoricalNB", categorical),
        *measured("gaussian, bayes", "gaussian, map", "per class", first=one_hot),
    ]


WORDS = [naive(name) for name in ("multinomial", "complement", "bernoulli", "poisson")]
LABELS = [
    Case("naive: categorical", lambda: NaiveBayes("categorical"), "CategoricalNB", categorical),
    naive("bernoulli", view=one_hot),
]
SCALED = ("shared, shrunk, scaled", "per class, shrunk, scaled")
SETS: dict[str, tuple[str, Callable[[], Split], list[Case]]] = {
    "news": ("20 Newsgroups: counts of words", partial(texts, "20news.parquet"), WORDS),
    "korean": (
        "Korean film reviews: counts of words and pairs",
        partial(texts, "korean-reviews.parquet", ngram_range=(1, 2)),
        WORDS,
    ),
    "adult": (
        "Adult: eight columns of labels, some missing, and six of numbers; for discriminants every label a column",
        partial(table, "adult.csv", "income"),
        mixed(),
    ),
    "mushroom": (
        "Mushroom: labels, some missing; for Bernoulli every label a column",
        partial(table, "mushroom.csv", "class"),
        LABELS,
    ),
    "letter": (
        "Letter: 16 whole numbers from 0 to 15",
        partial(numbers, "letter.csv", "letter"),
        [naive("categorical", told={"min_categories": 16}), *measured()],
    ),
    "spambase": (
        "Spambase: shares of words and characters",
        partial(numbers, "spambase.csv", "spam"),
        [naive("multinomial"), naive("bernoulli"), *measured()],
    ),
    "cancer": ("Breast cancer: measurements", lambda: at_random(*load_breast_cancer(return_X_y=True)), measured()),
    "digits": (
        "Digits: 64 grey values from 0 to 16",
        lambda: at_random(*load_digits(return_X_y=True)),
        [
            *(naive(name) for name in ("multinomial", "poisson")),
            naive("categorical", told={"min_categories": 17}),
            *measured("per class"),
        ],
    ),
    "mnist": (
        "MNIST: 784 grey values from 0 to 1",
        images,
        [naive("multinomial"), naive("bernoulli", binarize=0.5), *measured("per class", *SCALED)],
    ),
}
