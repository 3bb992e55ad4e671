"""Estimates that the data leave undefined, and rows impossible without a prior: said by name, word for word."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

from deciban.distributions import Poisson
from deciban.errors import DataError
from deciban.models.naive_bayes import NaiveBayes

X, Y = [[1, 0], [1, 1], [0, 1]], ["ham", "ham", "spam"]
FRAME = pd.DataFrame(X, columns=["offer", "viagra {x}"])
ADVICE = "use estimate='bayes' with alpha > 0"


@pytest.mark.parametrize(
    ("model", "data", "text"),
    [
        (
            NaiveBayes(estimate="map", alpha=0.5),
            X,
            f"estimate='map' is undefined for feature 0 in class 'spam' (counted 0 of 1, alpha=0.5): {ADVICE}",
        ),
        (
            NaiveBayes(estimate="ml"),
            [[1, 1], [1, 1], [0, 0]],
            f"estimate='ml' is undefined for feature 0 in class 'spam' (counted 0 of 0, alpha=1): {ADVICE}",
        ),
        (
            NaiveBayes("complement", estimate="ml"),
            FRAME.assign(offer=[1, 2, 0]),
            "feature 'offer' occurs in no class but class 'ham', so its evidence is infinite: "
            f"{ADVICE}, or leave the feature out",
        ),
        (
            NaiveBayes("bernoulli", estimate="map", alpha=0.5),
            FRAME,
            "estimate='map' is undefined for feature 'offer' in class 'ham' "
            f"(present in 2 of 2 examples, alpha=0.5, beta=0.5): {ADVICE}",
        ),
        (
            NaiveBayes("bernoulli", estimate="ml"),
            [[1, 0], [1, 1], [np.nan, 1]],
            "estimate='ml' is undefined for feature 0 in class 'spam' "
            f"(present in 0 of 0 examples, alpha=1, beta=1): {ADVICE}",
        ),
        (
            NaiveBayes(Poisson(0.5, 2.0), estimate="map"),
            FRAME,
            "estimate='map' is undefined for feature 'offer' in class 'spam' "
            f"(counted 0 in 1 examples, alpha=0.5, beta=2): {ADVICE} and beta > 0",
        ),
        (
            NaiveBayes("categorical", estimate="map", alpha=0.5),
            X,
            "estimate='map' is undefined for feature 0 in class 'ham' "
            f"(category 0 counted 0 times, alpha=0.5): {ADVICE}",
        ),
        (
            NaiveBayes("gaussian", estimate="ml"),
            FRAME,
            "estimate='ml' is undefined for feature 'offer' in class 'ham': it does not vary in the 2 examples of "
            f"that class (kappa=1, nu=1): {ADVICE}",
        ),
        (
            NaiveBayes("gaussian", estimate="ml"),
            [[1, 0], [2, 1], [np.nan, 1]],
            "estimate='ml' is undefined for feature 0 in class 'spam': it was never seen in that class "
            f"(kappa=1, nu=1): {ADVICE}",
        ),
        (
            NaiveBayes("gaussian", alpha=0.0),
            [[1, 0], [2, 1], [3, 1]],
            "estimate='bayes' is undefined for feature 0 in class 'spam': it does not vary in the 1 examples of "
            f"that class (kappa=0, nu=0): {ADVICE}",
        ),
    ],
)
def test_estimates_that_the_data_leave_undefined_name_feature_and_class(model, data, text):
    with refused(text, DataError, model):
        model.fit(data, Y)
    assert not hasattr(model, "counts_")


@pytest.mark.parametrize(
    ("model", "row", "text"),
    [
        (NaiveBayes(estimate="ml"), [0, 1], "'viagra {x}' = 1 has probability 0 in class 'eggs'"),
        (NaiveBayes("bernoulli", estimate="ml"), [0, 0], "'offer' = 0 has probability 0 in class 'eggs'"),
        (NaiveBayes(Poisson(0.0, 1.0)), [2, 5], "'viagra {x}' = 5 has probability 0 in class 'eggs'"),
    ],
)
def test_a_row_that_is_impossible_everywhere_names_feature_and_class(model, row, text):
    model.fit(FRAME.assign(offer=[1, 1, 1], **{"viagra {x}": 0}), ["eggs", "eggs", "ham"])
    rows = pd.DataFrame([[1, 0], row], columns=FRAME.columns)
    said = f"row 1 is impossible in every class: feature {text}, as it never occurred there: {ADVICE}"
    for judge in (model.predict, model.predict_proba, model.explain, model.credible_interval):
        with refused(said, DataError, model):
            judge(rows)
