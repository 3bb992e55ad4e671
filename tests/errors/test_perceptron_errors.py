"""Refusals of the perceptron and of descents, word for word, and that a refused call leaves the model as it was."""

import numpy as np
import pytest

from deciban import Perceptron
from deciban.losses import Absolute, Hinge, Logistic, Softmax
from deciban.penalties import L1
from deciban.solvers import Limits, Problem, solve
from deciban.solvers.descent import Descent
from deciban.solvers.online import Online
from errors.refusals import refused

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"pocket": True, "averaged": True},
            "pocket=True keeps one hyperplane and averaged=True the mean of all: choose one of them",
        ),
        ({"max_iter": 0}, "max_iter must be a whole number from 1, got 0"),
        ({"max_iter": 1.5}, "max_iter must be a whole number from 1, got 1.5"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number from 1, got 0"),
        ({"n_iter_no_change": None}, "n_iter_no_change must be a whole number from 1, got None"),
        ({"n_iter_no_change": 2.5}, "n_iter_no_change must be a whole number from 1, got 2.5"),
        ({"time_limit": 0.0}, "time_limit must be a number > 0, got 0.0"),
        ({"calibration_folds": 1}, "calibration_folds must be a whole number of folds from 2, got 1"),
        ({"class_weight": {"egg": 2.0}}, "class_weight names ['egg'], which no label is; labels are ['ham', 'spam']"),
    ],
    ids=str,
)
def test_a_wrong_parameter_is_refused_and_what_was_learnt_stays(options, text):
    model = Perceptron().fit(X, Y).set_params(**options)
    with refused(text, model=model):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("options", "labels", "text"),
    [
        (
            {"class_weight": "balanced"},
            Y,
            "class_weight='balanced' needs all examples at once: fit, or give a mapping from labels",
        ),
        ({}, [1, 2, 3, 1, 2, 3], "labels of one kind are expected, numbers or text, got ['ham', 'spam'] and [1, 2, 3]"),
    ],
    ids=["balanced", "labels"],
)
def test_a_batch_that_cannot_be_learnt_is_refused_and_what_was_learnt_stays(options, labels, text):
    model = Perceptron().partial_fit(X, Y).set_params(**options)
    with refused(text, model=model):
        model.partial_fit(X, labels)


def test_a_first_batch_of_one_class_asks_for_the_others():
    model = Perceptron()
    text = "at least two classes are expected; all labels are ['ham'] (1 class): say with classes=[…] which are to come"
    with refused(text, model=model):
        model.partial_fit(X[:3], Y[:3])
    assert model.partial_fit(X[:3], Y[:3], classes=["ham", "spam"]).classes_.tolist() == ["ham", "spam"]


def test_a_pocket_has_no_stream():
    assert not hasattr(Perceptron(pocket=True), "partial_fit")


def test_probabilities_after_a_stream_need_a_fit():
    text = (
        "this Perceptron has no probabilities: a margin becomes a log-odds by calibration; "
        "fit with calibration='temperature'"
    )
    with refused(text, AttributeError):
        Perceptron().partial_fit(X, Y).explain(X)
    assert not hasattr(Perceptron().partial_fit(X, Y), "predict_proba")


@pytest.mark.parametrize(
    ("how", "loss", "text"),
    [
        ({}, Softmax(), "needs a loss of one score with a slope, which 'softmax' is not"),
        ({"rule": "newton"}, Hinge(), "knows the rules 'backtracking', 'constant', 'decay', 'root', not 'newton'"),
        ({"batch": 0}, Hinge(), "needs a batch of one example at least, not 0"),
        ({"step": -1.0}, Hinge(), "needs a step > 0, not -1.0"),
        (
            {"batch": 8, "rule": "backtracking"},
            Logistic(),
            "sees the objective fall only with batch=None: choose another rule for a batch",
        ),
        ({"rule": "backtracking"}, Absolute(), "needs a smooth loss for backtracking, which 'absolute' is not"),
        ({"average_from": 0}, Hinge(), "averages from a pass on, the first being 1, not from 0"),
        (
            {"average_from": 1},
            Hinge(),
            "averages no weights under 'l1': a mean of sparse weights is not sparse",
        ),
    ],
    ids=str,
)
def test_a_descent_says_what_it_lacks(how, loss, text):
    problem = Problem(X, np.array([1.0, -1.0] * 3), np.ones(6), loss, L1(1.0))
    with refused(f"solver 'descent' {text}"):
        solve(problem, Limits(), Descent(**how))


def test_online_descent_says_what_it_expects():
    with refused("online descent needs a loss of one score with a slope, which 'softmax' is not"):
        Online.start(Softmax(), 2, 3)
    with refused("scale must be a number > 0, got 0.0"):
        Online.start(Hinge(), 2, 3, scale=0.0)
    with refused("radius must be a number > 0, got -1.0"):
        Online.start(Hinge(), 2, 3, radius=-1.0)
    with refused("two classes at least are expected, got 1"):
        Online.start(Hinge(), 1, 3)
    huge = np.full((3, 1), 1e308)
    text = "the numbers left the range of a float64: scale the columns down"
    with refused(text, OverflowError):
        Online.start(Hinge(), 2, 1, scale=1e300).learn(huge, np.array([0, 1, 0]), np.full(3, 1e100))
