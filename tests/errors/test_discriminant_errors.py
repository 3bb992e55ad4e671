"""Refusals of Gaussian discriminant analysis, word for word, and that a refused call leaves the model as it was."""

import pickle
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from deciban.errors import DataError
from deciban.models.discriminant import GaussianDiscriminant

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3
FRAME = pd.DataFrame(X, columns=["size", "odd {x}"])
EVERY_SHAPE = pytest.mark.parametrize("covariance", ["shared", "per_class", "diagonal"])
REMEDY = "estimate='bayes' or covariance='shared'"


@contextmanager
def refused(text, kind=ValueError, model=None):
    before = None if model is None else pickle.dumps(model)
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == text
    assert before is None or pickle.dumps(model) == before


def with_value(value, row=4, column=1):
    wrong = X.copy()
    wrong[row, column] = value
    return wrong


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"covariance": "full"}, "covariance must be one of 'shared', 'per_class', 'diagonal', got 'full'"),
        ({"covariance": None}, "covariance must be one of 'shared', 'per_class', 'diagonal', got None"),
        ({"estimate": "mle"}, "estimate must be one of 'bayes', 'map', 'ml', got 'mle'"),
        ({"alpha": -1.0}, "alpha must be a finite number ≥ 0, got -1.0"),
        ({"alpha": 0, "estimate": "bayes"}, "alpha must be a finite number > 0, got 0"),
        ({"alpha": float("nan"), "estimate": "map"}, "alpha must be a finite number ≥ 0, got nan"),
        *(
            (
                {"shrinkage": value},
                "shrinkage must be None, a number from 0 to 1, 'ledoit-wolf', 'oracle-approximating' or 'auto', "
                f"got {value!r}",
            )
            for value in (1.5, -0.1, float("nan"), "Auto", True)
        ),
        *(
            (
                {"shrinkage": shrinkage, "estimate": estimate},
                f"shrinkage is for estimate='ml', not '{estimate}', whose prior shrinks already: leave one of them out",
            )
            for shrinkage, estimate in ((0.1, "bayes"), ("auto", "map"), (0.0, "bayes"))
        ),
    ],
    ids=str,
)
def test_parameters_are_checked(options, text):
    model = GaussianDiscriminant(**options)
    for learn in (model.fit, model.partial_fit):
        with refused(text, ValueError, model):
            learn(X, Y)
    assert GaussianDiscriminant(**options).get_params() == GaussianDiscriminant().set_params(**options).get_params()


def test_a_prior_must_be_one():
    text = (
        "class_prior must be 'empirical', 'smoothed', 'uniform' or 2 probabilities ≥ 0 that sum to 1 "
        "(or pseudo-counts: a number ≥ 0, or 2, one of them 1 or more), got [0.5, 0.6]"
    )
    model = GaussianDiscriminant(class_prior=[0.5, 0.6])
    with refused(text, ValueError, model):
        model.fit(X, Y)
    model.partial_fit(X, Y)
    with refused(text, ValueError, model):
        model.predict(X)


NO_NUMBER = [
    (
        np.nan,
        "Input X contains NaN: row 4, {} is nan; a covariance needs every value: fill it in, leave the row out, "
        "or use NaiveBayes('gaussian')",
    ),
    (np.inf, "Input X contains infinity: row 4, {} is inf; a Gaussian feature is a finite number"),
    (-np.inf, "Input X contains infinity: row 4, {} is -inf; a Gaussian feature is a finite number"),
]


@EVERY_SHAPE
@pytest.mark.parametrize(("value", "text"), NO_NUMBER, ids=str)
def test_what_is_no_number_is_found(covariance, value, text):
    wrong = with_value(value)
    named, plain = text.format("feature 'odd {x}'"), text.format("feature 1")
    with refused(named, DataError):
        GaussianDiscriminant(covariance, estimate="bayes").fit(pd.DataFrame(wrong, columns=FRAME.columns), Y)
    model = GaussianDiscriminant(covariance, estimate="bayes").fit(X, Y)
    for form in (wrong, np.asfortranarray(wrong), wrong.astype(np.float32), wrong.tolist(), sparse.csr_array(wrong)):
        with refused(plain, DataError):
            GaussianDiscriminant(covariance, shrinkage="auto").fit(form, Y)
        for call in (lambda form=form: model.partial_fit(form, Y), lambda form=form: model.forget(form, Y)):
            with refused(plain, DataError, model):
                call()
        for judge in (model.predict, model.predict_proba, model.explain, model.credible_interval):
            with refused(plain, DataError, model):
                judge(form)
    weight = np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    with refused(plain, DataError):  # by the row of the user, though a row before it weighs nothing
        GaussianDiscriminant(covariance).fit(wrong, Y, weight)


@EVERY_SHAPE
def test_numbers_without_a_square_are_found(covariance):
    text = "row 4, feature 1 is -1e+200, whose powers, as far as they are needed, are beyond a float64: "
    with refused(text + "give the feature in a larger unit", DataError):
        GaussianDiscriminant(covariance).fit(with_value(-1e200), Y)


def test_one_example_a_class_has_no_covariance():
    within = "no feature varies within the classes (n_samples=2, classes=2), so they have no "
    for covariance, what in (("shared", "covariance"), ("per_class", "covariance"), ("diagonal", "variances")):
        with refused(f"{within}{what}: learn more examples of each class, or use estimate='bayes'", DataError):
            GaussianDiscriminant(covariance).fit(X[[0, 3]], ["ham", "spam"])
        model = GaussianDiscriminant(covariance).partial_fit(X[[0, 3]], ["ham", "spam"])
        with refused(f"{within}{what}: learn more examples of each class, or use estimate='bayes'", DataError, model):
            model.predict(X)
        assert (
            GaussianDiscriminant(covariance, estimate="bayes").fit(X[[0, 3]], ["ham", "spam"]).predict(X)[5] == "spam"
        )
    nothing = "(n_samples={}), so there is no variance to shrink towards: learn more examples, or use estimate='bayes'"
    for covariance in ("shared", "diagonal"):
        with refused("no feature varies within the classes " + nothing.format(2), DataError):
            GaussianDiscriminant(covariance, shrinkage=0.5).fit(X[[0, 3]], ["ham", "spam"])
    with refused("no feature varies in class 'spam' " + nothing.format(1), DataError):
        GaussianDiscriminant("per_class", shrinkage=0.5).fit(X[:4], Y[:4])


def test_a_class_that_is_flat_is_named():
    text = "class 'spam' varies in 1 of the 2 directions in which its covariance is needed (examples: 2): use "
    with refused(f"{text}shrinkage='auto', {REMEDY}", DataError):
        GaussianDiscriminant("per_class").fit(X[:5], Y[:5])
    with refused(text.replace("in 1", "in 0").replace(": 2)", ": 1)") + f"shrinkage='auto', {REMEDY}", DataError):
        GaussianDiscriminant("per_class").fit(X[:4], Y[:4])
    # Two examples tell the same of their covariance twice over: nothing says that it should be shrunk.
    with refused(f"{text}{REMEDY}", DataError):
        GaussianDiscriminant("per_class", shrinkage="auto").fit(X[:5], Y[:5])
    three = np.column_stack([X, X.sum(axis=1)])  # a plane, in which spam is a line
    with refused(f"{text}shrinkage='auto', {REMEDY}", DataError):
        GaussianDiscriminant("per_class").fit(three[:5], Y[:5])


@EVERY_SHAPE
def test_only_what_was_learnt_is_forgotten(covariance):
    model = GaussianDiscriminant(covariance, estimate="bayes").fit(FRAME, Y)
    with refused(
        "cannot forget more than was learnt: examples of class 'ham': 3 learnt, 4 to forget; "
        "forget only what was learnt, with the same label and weight",
        DataError,
        model,
    ):
        model.forget(FRAME.iloc[[0, 1, 2, 2]], ["ham"] * 4)
    which = "" if covariance == "shared" else " in class 'ham'"
    with refused(
        f"cannot forget more than was learnt: feature 'odd {{x}}'{which} would have a variance below zero; "
        "forget only what was learnt, with the same label and weight",
        DataError,
        model,
    ):
        model.forget(FRAME.iloc[[0, 1]] * [1.0, 30.0], ["ham", "ham"])
    with refused("cannot forget 'eggs': the labels learnt are ['ham', 'spam']", ValueError, model):
        model.forget(FRAME, ["eggs"] * 6)


@EVERY_SHAPE
def test_a_class_that_is_forgotten_is_gone(covariance):
    model = GaussianDiscriminant(covariance).fit(X, Y)
    model.forget(X[3:], Y[3:])
    assert model.classes_.tolist() == ["ham"]
    assert model.predict(X).tolist() == ["ham"] * 6
    with refused("cannot forget 'spam': the labels learnt are ['ham']", ValueError, model):
        model.forget(X[3:4], ["spam"])
    model.forget(X[:3], Y[:3])
    with refused("nothing is learnt: every example was forgotten; fit or partial_fit first", NotFittedError, model):
        model.predict(X)


@EVERY_SHAPE
@pytest.mark.parametrize("class_prior", ["smoothed", "uniform"])
def test_nothing_is_known_of_a_class_that_only_was_declared(covariance, class_prior):
    model = GaussianDiscriminant(covariance, class_prior=class_prior).partial_fit(X, Y, classes=["ham", "spam", "eggs"])
    with refused(
        "class 'eggs' was declared and has no examples, so its mean is not known: learn some, or use "
        "class_prior='empirical' or estimate='bayes'",
        DataError,
        model,
    ):
        model.predict(X)


def test_features_must_be_the_same():
    model = GaussianDiscriminant().fit(X, Y)
    text = "X has 3 features, but GaussianDiscriminant is expecting 2 features as input."
    for call in (
        model.predict,
        model.credible_interval,
        lambda Z: model.partial_fit(Z, Y),
        lambda Z: model.forget(Z, Y),
    ):
        with refused(text, ValueError, model):
            call(np.column_stack([X, X[:, 0]]))
    named = GaussianDiscriminant().fit(FRAME, Y)
    with pytest.raises(ValueError, match="The feature names should match those that were passed during fit"):
        named.predict(FRAME.rename(columns={"size": "length"}))
    with refused(
        f"cannot merge models of different feature_names_in_: None and {np.array(['size', 'odd {x}'], dtype=object)!r}"
    ):
        model + named


def test_models_of_different_parameters_do_not_merge():
    model = GaussianDiscriminant().fit(X, Y)
    with refused("cannot merge models of different covariance: 'shared' and 'diagonal'", ValueError, model):
        model + GaussianDiscriminant("diagonal").fit(X, Y)
    with pytest.raises(TypeError):
        model + 1


def test_what_was_learnt_otherwise_does_not_serve():
    text = "what was learnt with other parameters does not hold what these ask for: fit again"
    model = GaussianDiscriminant().fit(X, Y)
    for options in ({"covariance": "per_class"}, {"covariance": "diagonal"}, {"shrinkage": "auto"}):
        other = pickle.loads(pickle.dumps(model)).set_params(**options)
        with refused(text, ValueError, other):
            other.partial_fit(X, Y)
        with refused(text, ValueError, other):
            _ = other.covariance_
    diagonal = GaussianDiscriminant("diagonal").fit(X, Y).set_params(shrinkage="ledoit-wolf")
    with refused(text, ValueError, diagonal):
        _ = diagonal.covariance_


@pytest.mark.parametrize("level", [0.0, 1.0, 2, True, "95 %", None])
def test_a_level_is_a_probability(level):
    with refused(f"level must be a number between 0 and 1, got {level!r}"):
        GaussianDiscriminant().fit(X, Y).credible_interval(X, level)


def test_nothing_works_before_anything_is_learnt():
    for name in ("scorer_", "means_", "covariance_", "rank_", "shrinkage_", "certificate_", "class_count_"):
        with pytest.raises(NotFittedError):
            getattr(GaussianDiscriminant(), name)
    for name in ("predict", "explain", "credible_interval"):
        with pytest.raises(NotFittedError):
            getattr(GaussianDiscriminant(), name)(X)
    with pytest.raises(NotFittedError):
        GaussianDiscriminant().forget(X, Y)
