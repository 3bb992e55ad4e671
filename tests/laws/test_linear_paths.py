"""Laws of paths of linear models: each fit is that of a fit alone, the choice is the rule's, units do not matter."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from deciban import (
    SVM,
    LeastSquaresClassifier,
    LinearRegression,
    LinearSVM,
    LinearSVR,
    LogisticRegression,
    Perceptron,
    path,
)
from tiers import deep

CLASSIFIERS = {
    "logistic l2": LogisticRegression(),
    "logistic l1": LogisticRegression(penalty="l1"),
    "logistic elastic net": LogisticRegression(penalty="elasticnet", l1_ratio=0.3),
    "svm": LinearSVM(),
    "svm squares l1": LinearSVM(loss="squared_hinge", penalty="l1", calibration=None),
    "least squares": LeastSquaresClassifier(),
}
REGRESSIONS = {
    "ridge": LinearRegression(penalty="l2"),
    "lasso": LinearRegression(penalty="l1"),
    "elastic net": LinearRegression(penalty="elasticnet"),
    "positive lasso": LinearRegression(penalty="l1", positive=True),
    "huber": LinearRegression(loss="huber", penalty="l2"),
    "tube": LinearSVR(epsilon=0.1),
}
MODELS = {**CLASSIFIERS, **REGRESSIONS}
over_models = pytest.mark.parametrize("name", MODELS)


def examples(name, classes=2, n=90):
    rng = np.random.default_rng(len(name))
    X = rng.normal(loc=[0.0, 3.0, -1.0, 0.0], size=(n, 4))
    s = X @ [1.0, -0.5, 0.0, 0.3] + 0.7 * rng.normal(size=n)
    if name in REGRESSIONS:
        return X, s
    return X, np.array(["a", "b", "c"])[np.digitize(s, np.quantile(s, np.linspace(0, 1, classes + 1)[1:-1]))]


def values_of(model):
    return ("Cs", "C") if "C" in model.get_params() else ("alphas", "alpha")


@over_models
@pytest.mark.parametrize("classes", [2, 3])
def test_each_fit_is_that_of_a_fit_alone(name, classes):
    X, y = examples(name, classes)
    given, parameter = values_of(MODELS[name])
    found = path(MODELS[name], X, y, cv=3, **{given: [0.1, 10.0, 1.0]})
    wanted = [0.1, 1.0, 10.0] if parameter == "C" else [10.0, 1.0, 0.1]
    assert [each.value for each in found.tried] == wanted
    for each in found.tried:
        alone = type(MODELS[name])(**{**MODELS[name].get_params(), parameter: each.value}).fit(X, y)
        assert each.certificate.status in ("converged", "exact")
        assert each.certificate.primal == pytest.approx(alone.certificate_.primal, rel=2e-6)
        assert each.interval[0] <= each.error <= each.interval[1]
    least = min(found.tried, key=lambda each: each.error)
    able = [each.value for each in found.tried if each.error <= least.error + least.standard_error]
    assert found.value == able[0]
    assert getattr(found.model, parameter) == found.value
    assert getattr(MODELS[name], parameter) == type(MODELS[name])().get_params()[parameter]  # left as it was


@over_models
@pytest.mark.parametrize("unit", [1e-6, *deep(1.0, 1e6)])
def test_the_values_tried_follow_the_units(name, unit):
    X, y = examples(name)
    here, there = path(MODELS[name], X, y, cv=3), path(MODELS[name], unit * X, y, cv=3)
    assert len(here.tried) == 10
    penalty = getattr(MODELS[name], "penalty", "l2")
    if penalty != "elasticnet":  # which is of two units
        for a, b in zip(here.tried, there.tried, strict=True):
            np.testing.assert_allclose(unit * b.coef, a.coef, atol=2e-3 * np.abs(a.coef).max() + 1e-6)
    if penalty in ("l1", "elasticnet"):
        assert here.tried[0].n_weights == there.tried[0].n_weights == 0
        assert here.tried[1].n_weights > 0
    assert here.tried[-1].n_weights >= 3


@over_models
def test_rows_may_be_sparse_weighed_or_a_table(name):
    X, y = examples(name)
    weight = np.arange(len(y)) % 3
    given, _ = values_of(MODELS[name])
    values = {given: [0.5, 5.0], "cv": 3}
    dense, sparse = (path(MODELS[name], rows, y, weight, **values) for rows in (X, csr_array(X)))
    repeated = path(MODELS[name], np.repeat(X, weight, axis=0), np.repeat(y, weight), **values)
    for a, *others in zip(dense.tried, sparse.tried, repeated.tried, strict=True):
        for b in others:
            assert b.error == pytest.approx(a.error, rel=1e-3, abs=1e-6)
            assert b.certificate.primal == pytest.approx(a.certificate.primal, rel=2e-6)
    table = path(MODELS[name], pd.DataFrame(X, columns=list("pqrs")), y, weight, **values)
    assert table.model.feature_names_in_.tolist() == list("pqrs")


def test_threads_change_nothing():
    X, y = examples("svm")
    one, two = (path(LinearSVM(n_jobs=n), X, y, cv=3) for n in (1, 2))
    assert [each.error for each in one.tried] == [each.error for each in two.tried]
    assert one.model.coef_.tobytes() == two.model.coef_.tobytes()


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (
            SVM(),
            {},
            "a path is one of linear models with a penalty, got SVM: for SVM there is deciban.kernel_machines.path",
        ),
        (
            Perceptron(),
            {},
            "a path is one of linear models with a penalty, got Perceptron: for SVM there is "
            "deciban.kernel_machines.path",
        ),
        (
            LinearRegression(),
            {},
            "LinearRegression has penalty=None: a path needs 'l2', 'l1' or 'elasticnet'",
        ),
        (LogisticRegression(), {"alphas": [1.0]}, "LogisticRegression has no alpha: give Cs instead of alphas"),
        (LogisticRegression(), {"Cs": []}, "Cs must be finite numbers > 0, at least one; got []"),
        (LogisticRegression(), {"Cs": [np.inf]}, "Cs must be finite numbers > 0, at least one; got [inf]"),
        (LogisticRegression(), {"Cs": [0.0]}, "C must be a number > 0, got 0.0"),
        (LogisticRegression(), {"cv": 1}, "cv must be a whole number of folds from 2, got 1"),
    ],
)
def test_what_has_no_path_is_refused(model, options, message):
    X, y = examples("svm")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        path(model, X, y, **options)
