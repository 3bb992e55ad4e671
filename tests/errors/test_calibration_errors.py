"""What is said where nothing can be calibrated, word for word, and that a refusal leaves the model as it was."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from deciban import SVM, CalibratedClassifier, LinearRegression, LinearSVM, NaiveBayes
from deciban.calibration import CATALOGUE, by_name
from errors.refusals import refused

X = [[float(i), float(i % 3)] for i in range(12)]
Y = ["a", "b"] * 6


def test_parameters():
    told = "method must be 'auto', 'temperature', 'platt', 'beta', 'isotonic', got "
    for method in ("sigmoid", None, 3):
        with refused(told + repr(method)):
            CalibratedClassifier(method=method).fit(X, Y)
    for cv in (1, 2.5, True, "held out", [], [1, 2]):
        with refused(
            "cv must be None, 'held-out', a number of folds from 2, a splitter such as StratifiedKFold(), or pairs of "
            f"places to learn and to hold out, got {cv!r}"
        ):
            CalibratedClassifier(cv=cv).fit(X, Y)
    for half_life in (0.0, -1, "long"):
        with refused(f"half_life must be a number > 0, got {half_life!r}"):
            CalibratedClassifier(half_life=half_life).fit(X, Y)


def test_examples():
    with refused("at least two classes are expected; all labels are 'a' (1 class)"):
        CalibratedClassifier().fit(X, ["a"] * 12)
    with refused("at least two classes are expected; there is no example"):
        CalibratedClassifier().fit([], [])
    with refused("one label per example is expected; there are 12 and 11 labels"):
        CalibratedClassifier().fit(X, Y[1:])
    with refused("a sequence of examples is expected, not one text: put it in a list", TypeError):
        CalibratedClassifier().fit("one text", ["a"])


def test_models():
    for model in ("svm", LinearRegression(), NaiveBayes):
        with refused(f"model must be a classifier, such as LinearSVM(), got {model!r}"):
            CalibratedClassifier(model).fit(X, Y)
    with refused(
        "a classifier with decision_function, predict_log_proba or predict_proba is expected; Sorter has none of them"
    ):
        CalibratedClassifier(Sorter()).fit(X, Y)
    with refused("KNeighborsClassifier takes no sample_weight: leave it out"):
        CalibratedClassifier(KNeighborsClassifier()).fit(X, Y, np.ones(12))
    with refused(
        "the rows of a Gram matrix cannot be dealt into folds without its columns: give the machine a calibration of "
        "its own (calibration='temperature')"
    ):
        CalibratedClassifier(SVM("precomputed")).fit(np.eye(12), Y)
    model = CalibratedClassifier(KNeighborsClassifier(1), cv=2).fit(X, Y)
    assert not hasattr(model, "explain")
    with refused(
        "explanations need a model of Deciban, which tells its terms; KNeighborsClassifier tells none", AttributeError
    ):
        model.explain(X)


class Sorter(NaiveBayes):
    """Knows labels only."""

    predict_log_proba = predict_proba = property()


def test_feedback():
    model = CalibratedClassifier(NaiveBayes("gaussian"), "platt", cv=2).fit(X, Y)
    with refused("y holds ['c'], which no class is; classes are ['a', 'b']: fit anew", model=model):
        model.recalibrate(X, ["a", "b", "c"] * 4)
    with refused("one label per example is expected; there are 12 and 11 labels", model=model):
        model.recalibrate(X, Y[1:])
    model.set_params(half_life=-1)
    with refused("half_life must be a number > 0, got -1", model=model):
        model.recalibrate(X, Y)
    model.set_params(half_life=10)
    before = model.predict_proba(X)
    assert model.recalibrate([], []).suffered_ is None
    assert (model.predict_proba(X) == before).all()


def test_a_fit_that_is_refused_leaves_the_last_one():
    model = CalibratedClassifier(LinearSVM(), "platt", cv=2).fit(X, Y)
    with refused("at least two classes are expected; all labels are 'a' (1 class)", model=model):
        model.fit(X, ["a"] * 12)


@pytest.mark.parametrize("name", CATALOGUE)
def test_scores(name):
    kind = CATALOGUE[name]
    with refused("scores must be numbers; that of row 1 is NaN"):
        kind.fit([0.0, np.nan], [0, 1])
    with refused("scores must be (N,) or (N, C), got the shape (1, 1, 1)"):
        kind.fit([[[0.0]]], [0])
    with refused("y must hold the place of the class of each of 2 rows, got int64 (1,)"):
        kind.fit([0.0, 1.0], [1])
    with refused("y must hold the place of the class of each of 2 rows, got <U1 (2,)"):
        kind.fit([0.0, 1.0], ["a", "b"])
    with refused("y must hold places of classes, 0 to 1, got 0 to 2"):
        kind.fit([0.0, 1.0], [0, 2])
    with refused("weight must be 2 finite numbers ≥ 0"):
        kind.fit([0.0, 1.0], [0, 1], [1.0, -1.0])
    with refused("scores of 2 classes are expected, got the shape (1, 3)"):
        kind.fit([0.0, 1.0], [0, 1])([[0.0, 1.0, 2.0]])


def test_names():
    with refused("a calibrator must be one of 'temperature', 'platt', 'beta', 'isotonic', got 'sigmoid'"):
        by_name("sigmoid")


def test_splitters():
    with refused(
        "groups need a splitter that keeps them together; got cv=3. Set cv=GroupKFold(), or leave groups out."
    ):
        CalibratedClassifier(cv=3).fit(X, Y, groups=[0, 1] * 6)
    with refused("cv names the place 12; there are 12 examples, at the places 0 to 11"):
        CalibratedClassifier(cv=[([0, 1, 2, 3], [11, 12])]).fit(X, Y)
    with refused("The 'groups' parameter should not be None."):
        CalibratedClassifier(cv=LeaveOneGroupOut()).fit(X, Y)
    with refused("KNeighborsClassifier takes no sample_weight: leave it out"):
        CalibratedClassifier(make_pipeline(StandardScaler(), KNeighborsClassifier())).fit(X, Y, np.ones(12))
