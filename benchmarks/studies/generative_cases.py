"""The data sets and models of generative.py, ours and scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from data_sets import Split, View, as_it_is, at_random, both, counts, images, numbers, one_hot, scaled, table
from scipy.special import logsumexp
from side_by_side import Case
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

from deciban import NaiveBayes
from deciban.models.discriminant import GaussianDiscriminant


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


def naive(name: str, *, view: View = as_it_is, told: Any = None, **ours: Any) -> Case:
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


def measured(*but: str, first: View = as_it_is) -> list[Case]:
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
SETS: dict[str, tuple[Callable[[], Split], list[Case]]] = {
    "news": (partial(counts, "20news.parquet"), WORDS),
    "korean": (
        partial(counts, "korean-reviews.parquet", ngram_range=(1, 2)),
        WORDS,
    ),
    "adult": (
        partial(table, "adult.csv", "income"),
        mixed(),
    ),
    "mushroom": (
        partial(table, "mushroom.csv", "class"),
        LABELS,
    ),
    "letter": (
        partial(numbers, "letter.csv", "letter"),
        [naive("categorical", told={"min_categories": 16}), *measured()],
    ),
    "spambase": (
        partial(numbers, "spambase.csv", "spam"),
        [naive("multinomial"), naive("bernoulli"), *measured()],
    ),
    "cancer": (lambda: at_random(*load_breast_cancer(return_X_y=True)), measured()),
    "digits": (
        lambda: at_random(*load_digits(return_X_y=True)),
        [
            *(naive(name) for name in ("multinomial", "poisson")),
            naive("categorical", told={"min_categories": 17}),
            *measured("per class"),
        ],
    ),
    "mnist": (
        images,
        [naive("multinomial"), naive("bernoulli", binarize=0.5), *measured("per class", *SCALED)],
    ),
}
