"""Nobody is shown −0.0: not as a log-probability, not in a certificate, not in JSON."""

import numpy as np
import pytest

from deciban import NaiveBayes
from deciban.distributions import CATALOGUE
from laws.estimators import fitted, over

ASKED = ("predict_log_proba", "predict_proba", "predict_joint_log_proba")


def negative_zeros(value):
    """Whether −0.0 is anywhere in what JSON would hold."""
    if isinstance(value, dict):
        return any(map(negative_zeros, value.values()))
    if isinstance(value, list | tuple):
        return any(map(negative_zeros, value))
    return isinstance(value, float) and value == 0.0 and bool(np.signbit(value))


def check(model, X):
    for name in ASKED:
        if hasattr(model, name):
            assert not negative_zeros(np.asarray(getattr(model, name)(X)).tolist()), name
    if hasattr(model, "certificate_"):
        assert not negative_zeros(model.certificate_.to_json())
    if hasattr(model, "explain") and hasattr(model, "predict_proba"):
        for why in model.explain(X[:4]):
            assert not negative_zeros(why.to_json())


@over()
def test_no_estimator_shows_one(case):
    X, _ = case.learn()
    check(fitted(case), X)
    if not isinstance(X, list):
        check(fitted(case), np.vstack([X[:4], np.abs(X[:4]) * 1e4]).round() if "counts" in case.data else X)


@pytest.mark.parametrize("estimate", ["bayes", "predictive"])
@pytest.mark.parametrize("likelihood", [family.name for family in CATALOGUE])
def test_what_is_certain_has_a_logarithm_of_zero(likelihood, estimate):
    X = np.array([[1.0], [2.0], [4.0]]) if likelihood == "gaussian" else np.ones((3, 1))
    check(NaiveBayes(likelihood, estimate=estimate).fit(X, ["a", "a", "a"]), X)
    check(NaiveBayes(likelihood, estimate=estimate).partial_fit(X, ["a", "a", "a"], classes=["a"]), X)


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli", "poisson", "categorical"])
def test_shares_of_one_have_a_logarithm_of_zero(likelihood):
    X = np.array([[1.0], [1.0], [1.0]])
    check(NaiveBayes(likelihood, estimate="ml").fit(X, ["a", "a", "a"]), X)
    check(NaiveBayes(likelihood, estimate="ml").fit(X, ["a", "b", "b"]), X)
