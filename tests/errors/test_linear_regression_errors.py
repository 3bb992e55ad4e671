"""What linear regression says of input that is wrong, word for word, and that it stays as it was."""

import numpy as np
import pytest
from refusals import refused
from scipy import sparse

from deciban import LeastSquaresClassifier, LinearRegression, theory
from deciban.errors import DataError

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0], [3.0, 1.0]])
Y = np.array([1.0, 2.0, 4.0, 3.0])
V = np.eye(4)
REFUSED = {
    "loss must be one of 'squared', 'absolute', 'huber', got 'cubed'": {"loss": "cubed"},
    "penalty must be 'l2', 'l1', 'elasticnet' or None, got 'l3'": {"penalty": "l3"},
    "alpha must be a finite number ≥ 0, got -1.0": {"penalty": "l2", "alpha": -1.0},
    "alpha must be a finite number ≥ 0, got '1'": {"alpha": "1"},
    "l1_ratio must be a number from 0 to 1, got 1.5": {"penalty": "elasticnet", "l1_ratio": 1.5},
    "delta must be a finite number > 0, got 0.0": {"loss": "huber", "delta": 0.0},
    "tol must be a number > 0, got 0": {"tol": 0},
    "max_iter must be a whole number from 1, got 1.5": {"max_iter": 1.5},
    "time_limit must be a number > 0, got -1": {"time_limit": -1},
    "n_jobs must be None or a whole number other than 0, got 0: -1 is all cores, -2 all but one": {"n_jobs": 0},
    "random_state must be from 0 to 2^64 − 1, got -1": {"random_state": -1},
    "solver must be one of 'auto', 'closed-form', 'coordinate', 'newton', 'reweighted', 'smoothing', "
    "'interior-point', 'linear-programme', 'dual-coordinate', 'descent', got 'sgd'": {"solver": "sgd"},
    "solver 'closed-form' needs the loss 'squared', whose slope is linear; that of 'huber' is not": {
        "loss": "huber",
        "solver": "closed-form",
    },
    "solver 'closed-form' needs the penalty 'l2' or None, whose slopes are linear; that of 'l1' is not": {
        "penalty": "l1",
        "solver": "closed-form",
    },
    "solver 'reweighted' needs the loss 'huber' or 'absolute', of which a parabola lies above; 'squared' is neither": {
        "solver": "reweighted"
    },
    "solver 'linear-programme' needs a piecewise linear loss: 'absolute', 'hinge' or 'perceptron'; 'huber' is not": {
        "loss": "huber",
        "solver": "linear-programme",
    },
    "solver 'linear-programme' needs the penalty 'l1' or None, which are piecewise linear; 'l2' is not": {
        "loss": "absolute",
        "penalty": "l2",
        "solver": "linear-programme",
    },
    "solver 'smoothing' needs the penalty 'l2', which alone keeps every step determined; 'none' does not": {
        "loss": "absolute",
        "solver": "smoothing",
    },
    "solver 'interior-point' needs a penalty, which keeps the path to the optimum bounded": {
        "loss": "absolute",
        "solver": "interior-point",
    },
    "solver 'interior-point' needs a piecewise linear loss or the squared hinge: 'absolute', 'epsilon_insensitive', "
    "'hinge', 'perceptron' or 'squared_hinge'; 'huber' is another": {
        "loss": "huber",
        "solver": "interior-point",
    },
}


@pytest.mark.parametrize(("text", "options"), REFUSED.items(), ids=range(len(REFUSED)))
def test_parameters(text, options):
    model = LinearRegression().fit(X, Y).set_params(**options)
    with refused(text, model=model):
        model.fit(X, Y)


def test_too_many_features_for_an_interior_point():
    wide, model = np.eye(4, 1001), LinearRegression(loss="absolute", penalty="elasticnet")
    with refused(
        "loss 'absolute' with penalty 'elasticnet' is minimised over at most 1,000 features, got 1,001: use penalty "
        "'l1' or 'l2', or loss 'huber'"
    ):
        model.fit(wide, Y)
    with refused("solver 'interior-point' needs at most 1,000 features, whose system it factors; there are 1,001"):
        model.set_params(penalty="l2", solver="interior-point").fit(sparse.csr_array(wide), Y)
    assert model.fit(wide, Y).status_.finished  # of few dense rows the system is theirs


def test_covariances():
    model = LinearRegression().fit(X, Y)
    with refused("covariance must be (4,) variances or (4, 4), got the shape (3,)", model=model):
        model.fit(X, Y, covariance=np.ones(3))
    with refused("covariance must be variances > 0, got 0", model=model):
        model.fit(X, Y, covariance=np.arange(4.0))
    with refused("covariance must be finite; it holds NaN or infinity", model=model):
        model.fit(X, Y, covariance=np.nan * V)
    with refused("covariance must be symmetric and positive definite: it is not symmetric", model=model):
        model.fit(X, Y, covariance=np.triu(np.ones((4, 4))))
    with refused("a covariance (N, N) mixes the rows, so that X cannot stay sparse: give X.toarray()", model=model):
        model.fit(sparse.csr_array(X), Y, covariance=V)
    said = "rows that a covariance (N, N) ties together cannot be repeated: leave sample_weight out"
    with refused(said, model=model):
        model.fit(X, Y, np.ones(4), covariance=V)
    said = "a covariance needs the loss 'squared', got 'huber': give sample_weight instead"
    with refused(said, model=model.set_params(loss="huber")):
        model.fit(X, Y, covariance=np.ones(4))
    with pytest.raises(ValueError, match=r"not positive definite$"):
        LinearRegression().fit(X, Y, covariance=-V)


def test_rows():
    model = LinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match="at least one"):  # in scikit-learn's words, from 1.8 on
        model.fit(X, Y, np.zeros(4))
    for bad in (X * np.nan, X[:0], X[:, 0], X[:3]):
        with pytest.raises(ValueError):  # noqa: PT011 (scikit-learn's own words)
            model.fit(bad, Y[: len(bad)] if len(bad) != 3 else Y)
    with pytest.raises(ValueError, match="could not convert string to float"):
        model.fit(X, ["a", "b", "c", "d"])
    assert LinearRegression().fit(X[:1], Y[:1]).predict(X).tolist() == [1.0] * 4
    assert "the rank is 0 of 2" in LinearRegression().fit(X[:1], Y[:1]).certificate_.advice


def test_pieces():
    model = LinearRegression().fit(X, Y)
    with refused("y must have the 1 targets that were learnt, got 2", model=model):
        model.partial_fit(X, np.column_stack([Y, Y]))
    said = (
        "cannot forget more than was learnt: examples of the data: 4 learnt, 8 to forget; "
        "forget only what was learnt, with the same target and weight"
    )
    with refused(said, model=model, kind=DataError):
        model.forget(np.vstack([X, X]), np.tile(Y, 2))
    said = (
        "cannot forget more than was learnt: feature 0 in the data would have a variance below zero; "
        "forget only what was learnt, with the same target and weight"
    )
    with refused(said, model=model, kind=DataError):
        model.forget(100.0 * X[:3], Y[:3])
    with refused("cannot merge models of different alpha: 1.0 and 2.0", model=model):
        model + LinearRegression(alpha=2.0).fit(X, Y)
    absolute = LinearRegression(loss="absolute").fit(X, Y)
    assert not hasattr(absolute, "partial_fit")
    assert hasattr(model, "partial_fit")
    said = (
        "learning in pieces needs the sufficient statistic, which this fit has not kept: it is kept for "
        "loss='squared' with penalty None or 'l2', and at most 4000 features"
    )
    with refused(said, model=absolute):
        absolute + absolute


def test_classifiers():
    model = LeastSquaresClassifier(calibration=None).fit(X, [0, 1, 0, 1])
    said = "class_weight='balanced' changes with every piece: give a mapping from labels to weights"
    with refused(said, model=model.set_params(class_weight="balanced")):
        model.partial_fit(X, [0, 1, 0, 1])
    model.set_params(class_weight=None)
    with refused("alpha must be a finite number ≥ 0, got -1", model=model.set_params(alpha=-1)):
        model.fit(X, [0, 1, 0, 1])
    with refused("cannot forget 2: the labels learnt are [0, 1]", model=model.set_params(alpha=1.0)):
        model.forget(X, [0, 1, 2, 1])
    with refused(
        "calibration_folds must be a whole number of folds from 2, got 1",
        model=model.set_params(calibration="temperature", calibration_folds=1),
    ):
        model.fit(X, [0, 1, 0, 1])


def test_theory():
    with refused("n must be a whole number from 1, got 0"):
        theory.linear_regression_expected_error(0, 1, 1.0)
    with refused("noise must be a variance, a finite number ≥ 0, got -1.0"):
        theory.linear_regression_expected_error(9, 1, -1.0)
    said = "n=3 examples cannot determine 4 weights, so that neither error has a formula: at least 4 are needed"
    with refused(said):
        theory.linear_regression_expected_error(3, 3, 1.0)
