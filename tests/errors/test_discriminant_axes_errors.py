"""Refusals of the axes of the discriminant and of covariances from elsewhere, word for word."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.covariance import OAS

from deciban import GaussianDiscriminant
from errors.refusals import refused


def test_axes():
    X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 2.5], [4.0, 7.0], [5.0, 6.0]], [0, 0, 1, 1, 2, 2]
    with refused("n_components cannot be larger than min(n_features, n_classes - 1)."):
        GaussianDiscriminant(n_components=3).fit(X, y)
    for wrong in (0, 1.5, True, "two"):
        with refused(f"n_components must be None or a whole number from 1, got {wrong!r}"):
            GaussianDiscriminant(n_components=wrong).fit(X, y)
    said = "transform needs one covariance of all classes: set covariance='shared' or 'diagonal'"
    with refused(said, AttributeError):
        GaussianDiscriminant("per_class", shrinkage=0.5).fit(X, y).transform(X)
    with refused(
        "transform needs linear log-odds, which Student's t has not: set estimate='ml' or 'map'", AttributeError
    ):
        GaussianDiscriminant(estimate="bayes").fit(X, y).transform(X)


class _Nothing(BaseEstimator):
    def fit(self, X, y=None):
        return self


class _Wrong(_Nothing):
    covariance_ = np.eye(3)


def test_covariance_estimators():
    X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 2.5], [4.0, 7.0], [5.0, 6.0]], [0, 0, 0, 1, 1, 1]
    with refused("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."):
        GaussianDiscriminant(covariance_estimator=OAS(), shrinkage="auto").fit(X, y)
    for options, told in (
        ({"estimate": "map"}, "estimate='map'"),
        ({"covariance": "diagonal"}, "covariance='diagonal'"),
    ):
        with refused(
            "covariance_estimator is for estimate='ml' and a 'shared' or 'per_class' covariance, not "
            f"{told}: leave one of them out"
        ):
            GaussianDiscriminant(covariance_estimator=OAS(), **options).fit(X, y)
    for wrong in ("oas", OAS):
        with refused(
            "covariance_estimator must be None or an estimator with fit and covariance_, such as LedoitWolf(), got "
            f"{wrong!r}"
        ):
            GaussianDiscriminant(covariance_estimator=wrong).fit(X, y)
    with refused("_Nothing does not have a covariance_ attribute"):
        GaussianDiscriminant(covariance_estimator=_Nothing()).fit(X, y)
    with refused("covariance_ of _Wrong must be (2, 2) finite numbers, got the shape (3, 3)"):
        GaussianDiscriminant(covariance_estimator=_Wrong()).fit(X, y)
    with refused("OAS takes no sample_weight, so weights are repetitions; expected whole numbers, got 0.5"):
        GaussianDiscriminant(covariance_estimator=OAS()).fit(X, y, [0.5, 1, 1, 1, 1, 1])
    model = GaussianDiscriminant(covariance_estimator=OAS()).fit(X, y)
    for what, act in (
        ("partial_fit", lambda: model.partial_fit(X, y)),
        ("forget", lambda: model.forget(X[:1], y[:1])),
        ("+", lambda: model + model),
        ("+", lambda: GaussianDiscriminant().fit(X, y) + model),
    ):
        with refused(
            f"{what} needs statistics that determine the covariance; covariance_estimator=OAS() looks at the rows. Set "
            "shrinkage='auto' instead, or fit all rows anew.",
            model=model,
        ):
            act()
