"""What theory refuses, word for word."""

import numpy as np
import pytest

from deciban import LinearSVM, LogisticRegression, theory
from errors.refusals import refused

NOTHING = "n, {0} and delta are all given, and nothing is left to solve for: leave one out"
NEITHER = "n or {0} must be given: of n, {0} and delta, the one left out is solved for"


def test_hoeffding():
    with refused(NEITHER.format("epsilon")):
        theory.hoeffding()
    with refused(NOTHING.format("epsilon")):
        theory.hoeffding(10, 0.1, epsilon=0.1)
    with refused("n must be a whole number from 1, got 0"):
        theory.hoeffding(0)
    with refused("n must be a whole number from 1, got 10.5"):
        theory.hoeffding(10.5)
    with refused("n must be at most 2^1000, got a number of 401 digits"):
        theory.hoeffding(10**400)
    with refused("delta must be a number between 0 and 1, got 1.0"):
        theory.hoeffding(10, 1.0)
    with refused("delta must be a number between 0 and 1, got nan"):
        theory.hoeffding(10, float("nan"))
    with refused("epsilon must be a number > 0, got 0"):
        theory.hoeffding(epsilon=0)
    with refused("hypotheses must be a whole number from 1, got -1"):
        theory.hoeffding(10, hypotheses=-1)


def test_vc_and_growth():
    with refused("dimension must be given: a whole number from 1, or inf; dimension(model) knows a model's"):
        theory.vc(10)
    with refused("dimension must be a whole number from 1, got 2.5"):
        theory.vc(10, 2.5)
    with refused("dimension must be a whole number from 1, got nan"):
        theory.vc(10, float("nan"))
    with refused("dimension must be at most 2^1000, got a number of 401 digits"):
        theory.vc(10, 10**400)
    with refused("training_error must be a number from 0 to 1, got 2"):
        theory.vc(10, 3, 2)
    with refused("error must lie above the training error, 0.2, got 0.1"):
        theory.vc(10, 3, 0.2, error=0.1)
    with refused(NEITHER.format("error")):
        theory.vc(dimension=3)
    with refused("growth must be one of 'polynomial', 'sauer', got 'linear'"):
        theory.vc(10, 3, growth="linear")
    with refused("growth must be one of 'polynomial', 'sauer', got 1"):
        theory.growth(10, 3, 1)


def test_binomial():
    with refused("errors must be at most n: 11 errors on 10 examples"):
        theory.binomial(11, 10)
    with refused("errors must be a whole number from 0, got True"):
        theory.binomial(True, 10)
    with refused("error must be a number between 0 and 1, got 1"):
        theory.binomial(1, error=1)
    with refused("side must be one of 'upper', 'lower', 'two', got 'both'"):
        theory.binomial(1, 10, side="both")
    with refused(
        "side 'lower' has no sample size: more examples only let the lower limit fall; ask for 'upper'",
    ):
        theory.binomial(1, error=0.1, side="lower")
    with refused(NOTHING.format("error")):
        theory.binomial(1, 10, 0.05, error=0.1)


def test_support_vectors_and_compression():
    for given in ({}, {"n": 10, "error": 0.1}):
        with refused("n or error must be given, and not both: the one left out is solved for"):
            theory.support_vectors(3, **given)
    with refused("there must be no more support vectors and errors than examples: 30 of 10"):
        theory.support_vectors(30, 10)
    with refused("there must be no more support vectors and errors than examples: 11 of 10"):
        theory.compression(8, 10, errors=3)
    with refused("n must be a whole number from 2, got 1"):
        theory.support_vectors(1, 1)


def test_margins():
    with refused(
        "margins must be normalised, between −1 and 1; number 1 is 1.5. Divide by ‖w‖‖x‖: normalised_margins does"
    ):
        theory.pac_bayes([0.5, 1.5])
    with refused(
        "margins must be normalised, between −1 and 1; number 0 is nan. Divide by ‖w‖‖x‖: normalised_margins does"
    ):
        theory.pac_bayes([float("nan")])
    with refused("margins must be a list of numbers, got an array of shape (0,)"):
        theory.pac_bayes([])
    with refused(NOTHING.format("error")):
        theory.pac_bayes([0.5], 0.1, error=0.1, n=10)


def test_models():
    X, y = np.eye(3), np.array([0, 1, 1])
    with refused("LogisticRegression is not a fitted classifier: it has no classes_. Fit it first"):
        theory.dimension(LogisticRegression())
    with refused("margins are of two classes; this model is not a fitted classifier"):
        theory.normalised_margins(LogisticRegression(), X, y)
    with refused("margins are of two classes; this model has 3"):
        theory.normalised_margins(LogisticRegression().fit(X, [0, 1, 2]), X, y)
    with refused("labels [0, 1] are expected, got 2"):
        theory.normalised_margins(LinearSVM(calibration=None).fit(X, y), X, [0, 1, 2])


def test_dichotomies():
    with refused("d must be a whole number from 1, got 0"):
        theory.dichotomies(3, 0)
    with refused("X must be points as rows of finite numbers, got an array of shape (3,)"):
        theory.separable([1.0, 2.0, 3.0])
    with refused("X must be at most 16 points, got 17: there are 2^17 labellings to try"):
        theory.separable(np.eye(17))


def test_resampling():
    X, y, model = np.arange(20.0)[:, None], np.arange(20) % 2, LogisticRegression()
    with refused("sizes must be a whole number from 1 to 15, got 16"):
        theory.learning_curve(model, X, y, sizes=[5, 16])
    with refused("sizes must be numbers of examples, each larger than the one before, got [6, 5]"):
        theory.learning_curve(model, X, y, sizes=[6, 5])
    with refused("sizes must be large enough to draw two classes; 1 examples had one"):
        theory.learning_curve(model, X, y, sizes=[1])
    with refused("size must be large enough to draw two classes; 1 examples had one, 100 times"):
        theory.bias_variance(model, X, y, size=1)
    with refused("loss must be one of 'zero-one', 'squared', got 'hinge'"):
        theory.bias_variance(model, X, y, loss="hinge")
    with refused("repeats must be a whole number from 2, got 1"):
        theory.bias_variance(model, X, y, repeats=1)
    with refused("y must be a list of labels or targets, got an array of shape (20, 1)"):
        theory.learning_curve(model, X, y[:, None])
    with refused("4 examples are needed at least, to hold some out; there are 3"):
        theory.learning_curve(model, X[:3], y[:3])


def test_a_name_that_is_none():
    with pytest.raises(
        AttributeError, match=r"module 'deciban.theory' has no attribute 'chernoff'; it has BiasVariance"
    ):
        _ = theory.chernoff
