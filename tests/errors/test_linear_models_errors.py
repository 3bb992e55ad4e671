"""What linear classifiers say of input that is wrong, word for word, and that they stay as they were."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import sparse

from deciban import NBSVM, LeastSquaresClassifier, LinearSVM, LogisticRegression, Perceptron
from deciban.errors import DataError

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3
THREE = ["a", "b", "c"] * 2
SHARED = [
    ({"C": 0}, "C must be a number > 0, got 0"),
    ({"C": "a"}, "C must be a number > 0, got 'a'"),
    ({"C": float("nan")}, "C must be a number > 0, got nan"),
    ({"tol": 0}, "tol must be a number > 0, got 0"),
    ({"max_iter": 0}, "max_iter must be a whole number from 1, got 0"),
    ({"max_iter": 1.5}, "max_iter must be a whole number from 1, got 1.5"),
    ({"time_limit": -1.0}, "time_limit must be a number > 0, got -1.0"),
    ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0, got 0: -1 is all cores, -2 all but one"),
    ({"random_state": -1}, "random_state must be from 0 to 2^64 − 1, got -1"),
    (
        {"solver": "sgd"},
        "solver must be one of 'auto', 'closed-form', 'newton', 'dual-coordinate', 'coordinate', 'reweighted', "
        "'smoothing', 'interior-point', 'linear-programme', 'descent', 'crammer-singer', 'perceptron', got 'sgd'",
    ),
    ({"class_weight": {"egg": 2.0}}, "class_weight names ['egg'], which no label is; labels are ['ham', 'spam']"),
    ({"class_weight": {"ham": -1.0}}, "class_weight must be finite numbers ≥ 0, got {'ham': -1.0}"),
    ({"class_weight": {"ham": 0.0}}, "class_weight of 0 leaves a class without examples: leave the rows out instead"),
    (
        {"class_weight": "even"},
        "class_weight must be None, 'balanced' or a mapping from labels to weights, got 'even'",
    ),
]
LOGISTIC = [
    ({"C": float("inf")}, "C must be a finite number > 0, got inf"),
    ({"penalty": "l3"}, "penalty must be 'l2', 'l1', 'elasticnet' or None, got 'l3'"),
    ({"penalty": "elasticnet", "l1_ratio": 2}, "l1_ratio must be a number from 0 to 1, got 2"),
    ({"penalty": "l1", "solver": "newton"}, "solver 'newton' needs a smooth penalty, which 'l1' is not"),
    (
        {"penalty": "l1", "solver": "dual-coordinate"},
        "solver 'dual-coordinate' needs the penalty 'l2', whose dual has no bounds on w; 'l1' has",
    ),
    (
        {"penalty": None, "solver": "coordinate"},
        "solver 'coordinate' needs a penalty of some strength, which 'none' is not",
    ),
    (
        {"solver": "closed-form"},
        "solver 'closed-form' needs the loss 'squared', whose slope is linear; that of 'logistic' is not",
    ),
]
SVM = [
    ({"loss": "cubed"}, "loss must be one of 'hinge', 'squared_hinge', got 'cubed'"),
    ({"solver": "newton"}, "solver 'newton' needs a smooth loss, which 'hinge' is not"),
    ({"solver": "coordinate"}, "solver 'coordinate' needs a smooth loss of one score, which 'hinge' is not"),
    ({"calibration_folds": 1}, "calibration_folds must be a whole number of folds from 2, got 1"),
    ({"calibration_folds": True}, "calibration_folds must be a whole number of folds from 2, got True"),
    ({"calibration": 3}, "calibration must be None or 'temperature', got 3. The number of folds is calibration_folds."),
]
BAYES = [
    ({"loss": "cubed"}, "loss must be one of 'logistic', 'squared_hinge', 'hinge', got 'cubed'"),
    ({"alpha": 0}, "alpha must be > 0: a feature that one class has never shown would weigh infinitely"),
    ({"alpha": -1}, "alpha must be a finite number ≥ 0, got -1"),
    ({"pull": -0.5}, "pull must be a finite number ≥ 0, got -0.5"),
    ({"interpolation": 2}, "interpolation must be from 0 to 1, got 2"),
    (
        {"loss": "squared_hinge", "calibration_folds": 1},
        "calibration_folds must be a whole number of folds from 2, got 1",
    ),
]
CASES = [
    (family, options, text)
    for family, own in ((LogisticRegression, LOGISTIC), (LinearSVM, SVM), (NBSVM, BAYES))
    for options, text in (*SHARED, *own)
]


def _never(iteration, primal, gap):
    raise AssertionError(f"iteration {iteration} of a fit that was to be refused")


@pytest.mark.parametrize(("family", "options", "text"), CASES, ids=str)
def test_a_wrong_parameter_is_refused_before_anything_is_solved_and_what_was_learnt_stays(family, options, text):
    model = family().fit(X, Y).set_params(**{"callback": _never} | options)
    with refused(text, model=model):
        model.fit(X, Y)


def test_many_classes_have_their_own_refusals():
    model = LogisticRegression().fit(X, THREE)
    with refused(
        "multi_class must be 'auto', 'softmax' or 'ovr', got 'all'", model=model.set_params(multi_class="all")
    ):
        model.fit(X, THREE)
    model.set_params(multi_class="softmax", penalty="l1")
    with refused("multi_class='softmax' needs the penalty 'l2' or None, got 'l1': use 'ovr'", model=model):
        model.fit(X, THREE)
    model.set_params(penalty="l2", solver="dual-coordinate")
    text = "solver 'dual-coordinate' needs a loss with a conjugate of one score, which 'softmax' has not"
    with refused(text, model=model):
        model.fit(X, THREE)


@pytest.mark.parametrize("family", [LogisticRegression, LinearSVM, NBSVM])
def test_data_that_cannot_be_learnt(family):
    model = family().fit(X, Y)
    with refused("at least two classes are expected; all labels are 'ham' (1 class)", model=model):
        model.fit(X, ["ham"] * 6)
    with refused("at least two classes are expected; all labels are 1 (1 class)", model=model):
        model.fit(X, [1, 1, 1, 2, 2, 2], [1, 1, 1, 0, 0, 0])
    name = family.__name__
    with refused(f"X has 1 features, but {name} is expecting 2 features as input.", model=model):
        model.predict(X[:, :1])
    text = f"Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required by {name}."
    with refused(text, model=model):
        model.fit(X[:0], [])


ADVICE = "a linear model weighs finite numbers: fill the value in (SimpleImputer), or leave the row out"


@pytest.mark.parametrize("family", [LeastSquaresClassifier, LinearSVM, LogisticRegression, NBSVM, Perceptron])
@pytest.mark.parametrize(("bad", "what"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_a_cell_that_is_no_number_is_named(family, bad, what, form):
    model, worse = family().fit(X, Y), X.copy()
    worse[3, 1] = bad
    for learn_or_judge in (lambda: model.fit(form(worse), Y), lambda: model.predict(form(worse))):
        with refused(f"Input X contains {what}: row 3, feature 1; {ADVICE}", DataError, model):
            learn_or_judge()


def test_columns_are_called_by_their_names():
    frame = pd.DataFrame(X, columns=["size", "weight"])
    model = LogisticRegression().fit(frame, Y)
    frame.iloc[2, 0] = np.nan
    with refused(f"Input X contains NaN: row 2, feature 'size'; {ADVICE}", DataError, model):
        model.predict(frame)
    frame["weight"] = "heavy"
    text = "column 'weight' holds text, and a linear model weighs numbers: code it first (OneHotEncoder)"
    with refused(text, DataError, model):
        model.fit(frame, Y)
    with refused(text.replace("'weight'", "1"), DataError, model):
        model.fit([[1.0, "a"], [2.0, "b"]], ["ham", "spam"])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda X: sparse.csr_array(X).astype(np.float64)])
def test_numbers_too_large_to_multiply_are_named(form):
    large = X.copy()
    large[4, 0] = -1e150
    model = LogisticRegression().fit(X, Y)
    text = "row 4, feature 0 is -1e+150; sizes up to 1e+100 are expected: give the feature in a larger unit"
    for model in (LogisticRegression().fit(X, Y), LinearSVM(C=np.inf).fit(X, Y)):
        with refused(text, DataError, model):
            model.fit(form(large), Y)
    assert np.isfinite(NBSVM().fit(form(np.abs(large)), Y).weights_).all()  # only asks which are there


def test_margins_without_calibration_are_no_probabilities():
    model = LinearSVM(calibration=None).fit(X, Y)
    assert not hasattr(model, "predict_proba")
    text = (
        "this LinearSVM has no probabilities: a margin becomes a log-odds by calibration; "
        "fit with calibration='temperature'"
    )
    for asked in (lambda: model.explain(X), lambda: model.predict_proba, lambda: model.predict_log_proba):
        with refused(text, AttributeError, model):
            asked()


def test_margins_are_of_two_classes():
    model = LinearSVM(calibration=None).fit(X, THREE)
    with refused("margins are of two classes; this model has 3", model=model):
        model.functional_margins(X, THREE)
    model = LinearSVM(calibration=None).fit(X, Y)
    with refused("labels ['ham', 'spam'] are expected, got 'egg'", model=model):
        model.geometric_margins(X, [*Y[:5], "egg"])


def test_counts_are_from_zero():
    model = NBSVM(binary=False).fit(X, Y)
    with refused("Negative values in data for a naive Bayes of counts: -7 came", DataError, model):
        model.fit(-X, Y)


def test_classes_that_overlap_have_no_hard_margin():
    model = LinearSVM(C=np.inf, calibration=None).fit(X, Y)
    text = (
        "the hard margin (C=inf) needs classes that a hyperplane separates, and none separates these: the point (1, 0) "
        "is a mixture of examples of either class. Give a finite C, which lets errors have a price."
    )
    with refused(text, DataError, model):
        model.fit([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]], ["ham", "ham", "spam"])


def test_what_a_callback_raises_is_raised():
    model = LinearSVM().fit(X, Y)

    def callback(*_):
        raise RuntimeError("no more")

    for solver, loss in (("dual-coordinate", "hinge"), ("newton", "squared_hinge")):
        model.set_params(callback=callback, solver=solver, loss=loss)
        with pytest.raises(RuntimeError, match="no more"):
            model.fit(X, Y)
