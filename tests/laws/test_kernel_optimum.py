"""Laws of small kernel machines: their optimum up to rounding, at default tolerances, in any units, at any price."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import SVM, OneClassSVM, SVMRegressor

KERNELS = ["linear", "rbf", "poly", "laplacian"]
MACHINES = {
    "classes": lambda kernel, **o: SVM(kernel, calibration=None, **o),
    "three": lambda kernel, **o: SVM(kernel, calibration=None, **o),
    "rest": lambda kernel, **o: SVM(kernel, calibration=None, multi_class="ovr", **o),
    "regression": lambda kernel, **o: SVMRegressor(kernel, **o),
    "nu regression": lambda kernel, **o: SVMRegressor(kernel, nu=0.4, **o),
    "one class": lambda kernel, C=1.0, **o: OneClassSVM(kernel, **o),
    "nu": lambda kernel, C=1.0, **o: SVM(kernel, nu=0.7, calibration=None, **o),
}
UNITS = {
    "as it is": lambda X: X,
    "1e-9": lambda X: 1e-9 * X,
    "1e-3": lambda X: 1e-3 * X,
    "1e6": lambda X: 1e6 * X,
    "far": lambda X: X + 1e6,
    "float32": lambda X: X.astype(np.float32),
}
# Where errors of a linear machine are dear, few examples hold the edges of its tube, and magnify what rounding leaves.
MAGNIFIED = {("nu regression", "linear", 1e6): 100.0}
over = pytest.mark.parametrize("kind", MACHINES)


def data(kind, seed=0, N=45):
    """X (N, 4), and targets of the machine that overlap."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, 4))
    C = 3 if kind in ("three", "rest") else 2
    if kind.endswith("regression"):
        return X, X[:, 0] ** 2 + X[:, 1] + 0.2 * random.normal(size=N)
    y = np.arange(N) % C
    X[:, :C] += 1.2 * np.eye(C)[y]
    return X, y


def said(model, X):
    return model.predict(X) if isinstance(model, SVMRegressor) else model.decision_function(X)


def assert_proven(model):
    """Converged is what a gap proves."""
    known = model.certificate_
    primal, dual = known.primal, known.dual
    if known.status == "converged":
        assert primal - dual <= model.tol * abs(primal)
        assert primal - dual >= -1e-9 * abs(primal)


@over
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_weights_are_repetitions_at_the_default_tolerance(kind, kernel, C):
    X, y = data(kind)
    times = np.random.default_rng(1).integers(0, 4, len(X))
    new = data(kind, seed=2)[0]
    weighed = MACHINES[kind](kernel, C=C).fit(X, y, sample_weight=times)
    repeated = MACHINES[kind](kernel, C=C).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    one, two = said(weighed, new), said(repeated, new)
    times = MAGNIFIED.get((kind, kernel, C), 1.0)
    assert_allclose(one, two, rtol=times * 1e-7, atol=times * 1e-8 * np.abs(two).max())
    assert_proven(weighed)
    assert weighed.certificate_.status == "converged"


@over
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [1e-8, 1e8])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_is_called_converged_is_proven(kind, units, kernel, C):
    X, y = data(kind)
    model = MACHINES[kind](kernel, C=C).fit(UNITS[units](X), y)
    assert_proven(model)
    if kernel != "linear" and (kernel, units) != ("poly", "far"):
        assert model.certificate_.status == "converged"


@over
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_units_and_a_far_origin_change_no_score(kind, kernel):
    """gamma='scale' is of the units, and differences are all that the RBF reads."""
    X, y = data(kind)
    here = said(MACHINES[kind](kernel).fit(X, y), X)
    for k in (-9, -3, 6):
        there = said(MACHINES[kind](kernel).fit(10.0**k * X, y), 10.0**k * X)
        assert_allclose(there, here, rtol=1e-6, atol=1e-7 * np.abs(here).max())
    if kernel == "rbf":
        assert_allclose(said(MACHINES[kind](kernel).fit(X + 1e4, y), X + 1e4), here, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["classes", "three", "rest", "regression", "nu regression", "nu"])
def test_a_far_origin_changes_no_linear_machine(kind):
    X, y = data(kind)
    here, there = (MACHINES[kind]("linear").fit(rows, y) for rows in (X, X + 1e6))
    assert_allclose(there.coef_, here.coef_, rtol=1e-6, atol=1e-7)
    assert_allclose(said(there, X + 1e6), said(here, X), rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_of_many_rows_as_well_converged_is_proven(C):
    X, y = data("classes", N=1100)
    assert_proven(SVM("rbf", C=C, calibration=None, max_iter=20).fit(X, y))
