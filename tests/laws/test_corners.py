"""Far units, far origins, single precision, other orders in memory, tiny and huge C: answers, or a clear refusal."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from laws.estimators import CASES, Case, answers

MEASURED = [case for case in CASES if case.data in ("measured", "measured-of-three")]
# The penalty of weights, the steps of a perceptron and of a network are in the units of the features.
IN_UNITS = ("logistic", "linear-svm", "perceptron", "pocket", "calibrated", "mlp", "svm-polynomial")
FREE = [case for case in MEASURED if not case.id.startswith(IN_UNITS)]


def apart():
    """X (60, 4), two classes a street apart, and their labels."""
    y = np.arange(60) % 2
    return np.random.default_rng(0).normal(size=(60, 4)) + 6.0 * y[:, None], np.array(["ham", "spam"])[y]


def learnt(case: Case, X, y, **parameters):
    """The model, which has warned of nothing but that it has not converged; None where it refuses the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return case.new(**parameters).fit(X, y)
        except ValueError:
            return None


def check_finite(model, X):
    for name, values in answers(model, X).items():
        if values.dtype.kind == "f":
            assert not np.isnan(values).any(), name
            assert name not in ("predict_proba", "transform") or np.isfinite(values).all()


def ids(cases):
    return [case.id for case in cases]


@pytest.mark.each_once
@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1e4, 1e8])
@pytest.mark.parametrize("case", MEASURED, ids=ids(MEASURED))
def test_any_unit_is_answered(case, scale):
    X, y = apart()
    model = learnt(case, scale * X, y)
    if model is not None:
        check_finite(model, scale * X)


@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1e4, 1e8])
@pytest.mark.parametrize("case", FREE, ids=ids(FREE))
def test_classes_are_right_in_any_unit(case, scale):
    X, y = apart()
    model = learnt(case, scale * X, y)
    assert model is not None
    assert (model.predict(scale * X) == y).mean() > 0.98


@pytest.mark.parametrize("shift", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("case", FREE, ids=ids(FREE))
def test_classes_are_right_far_from_the_origin(case, shift):
    X, y = apart()
    model = learnt(case, X + shift, y)
    assert model is not None
    assert (model.predict(X + shift) == y).mean() > 0.98


@pytest.mark.parametrize("case", MEASURED, ids=ids(MEASURED))
def test_the_order_in_memory_is_no_matter(case):
    X, y = apart()
    wide = np.repeat(X, 2, axis=1)
    first = answers(learnt(case, X, y), X)
    for other in (np.asfortranarray(X), wide[:, ::2], np.repeat(X, 2, axis=0)[::2]):
        for name, values in answers(learnt(case, other, y), other).items():
            if values.dtype.kind == "f":  # the digits of a product depend on the order in memory
                np.testing.assert_allclose(values, first[name], rtol=1e-6, atol=1e-6, err_msg=name)
            else:
                np.testing.assert_array_equal(values, first[name], err_msg=name)


@pytest.mark.parametrize("case", FREE, ids=ids(FREE))
def test_single_precision_gives_the_same_classes(case):
    X, y = apart()
    model = learnt(case, X.astype(np.float32), y)
    assert (model.predict(X.astype(np.float32)) == y).mean() > 0.98


@pytest.mark.each_once
@pytest.mark.parametrize("C", [1e-8, 1e-3, 1e3, 1e8])
@pytest.mark.parametrize("case", [case for case in MEASURED if "C" in case.estimator.get_params()], ids=lambda c: c.id)
def test_any_price_of_errors_is_answered(case, C):
    X, y = apart()
    model = learnt(case, X, y, C=C)
    if model is None:
        return
    check_finite(model, X)
    proof = model.certificate_
    if proof.status == "converged" and proof.dual is not None:  # kernel machines stop on the violation, as LIBSVM does
        assert (proof.kkt_violation if case.id.startswith("svm") else proof.relative_gap) <= 1e-3
