"""Laws of kernel machines of more than 1,000 rows: what is called converged has a gap within the tolerance."""

import numpy as np
import pytest

from deciban import SVM
from laws.test_kernel_optimum import MACHINES, assert_proven, data

N = 1050
UNITS = {"as it is": 1.0, "1e-4": 1e-4, "1e4": 1e4}
SHARES = {"nu", "one class", "nu regression"}


def many(kind):
    return data(kind, N=2 * N if kind == "three" else N)


def assert_each_is_proven(model):
    assert_proven(model)
    for known in getattr(model, "certificates_", []):
        assert known.status != "converged" or known.relative_gap <= model.tol


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("C", [1e-6, 1.0])
def test_what_is_called_converged_is_proven(kind, kernel, C):
    X, y = many(kind)
    model = MACHINES[kind](kernel, C=C).fit(X, y)
    assert_each_is_proven(model)
    assert model.certificate_.status == "converged"


@pytest.mark.parametrize("kind", sorted(SHARES | {"classes", "three"}))
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_in_any_units(kind, units):
    X, y = many(kind)
    target = UNITS[units] if kind == "nu regression" else 1.0
    model = MACHINES[kind](
        "linear", C=1.0 if kind == "one class" else UNITS[units] ** (-1 if kind == "nu regression" else -2)
    ).fit(UNITS[units] * X, target * y)
    assert_each_is_proven(model)
    assert model.certificate_.relative_gap <= 1e-3


@pytest.mark.parametrize("nu", [0.5, 0.9])
@pytest.mark.parametrize("kind", sorted(SHARES))
def test_of_any_share(kind, nu):
    X, y = many(kind)
    for kernel in ("rbf", "poly"):
        model = MACHINES[kind](kernel).set_params(nu=nu).fit(X, y)
        assert_each_is_proven(model)
        assert model.certificate_.status == "converged"


def test_dear_errors_that_no_boundary_avoids():
    """Two coefficients at a time would take hours."""
    X, y = data("classes", N=N)
    y = np.where(np.random.default_rng(3).random(N) < 0.1, 1 - y, y)
    model = SVM(C=1e8, calibration=None).fit(X, y)
    assert model.certificate_.status == "converged"
    assert_each_is_proven(model)
