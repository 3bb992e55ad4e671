"""What is said of arrays of other libraries that are wrong, word for word, and that models stay as they were."""

import array_api_strict as xp
import numpy as np
import pytest
from refusals import refused

from deciban import SVM, OneClassSVM, SVMRegressor
from deciban.data import devices
from deciban.errors import DataError
from deciban.features.nystroem import Nystroem
from deciban.kernels import Function

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0], [5.0, 5.0], [6.0, 4.5], [7.0, 6.0]])
Y = ["ham"] * 3 + ["spam"] * 3
FAMILIES = (SVM, SVMRegressor, OneClassSVM, Nystroem)


def there(values, **options):
    return xp.asarray(np.array(values), device=xp.Device("device1"), **options)


def changed(i, j, value, dtype=np.float64):
    worse = X.astype(dtype)
    worse[i, j] = value
    return worse


WRONG = [
    (
        changed(3, 1, np.nan),
        DataError,
        "Input X contains NaN: row 3, feature 1; fill the value in, or leave the row out",
    ),
    (
        changed(5, 0, -np.inf, np.float32),
        DataError,
        "Input X contains infinity: row 5, feature 0; fill the value in, or leave the row out",
    ),
    (
        changed(4, 0, -1e150),
        DataError,
        "row 4, feature 0 is -1e+150; sizes up to 1e+100 are expected: give the feature in a larger unit",
    ),
    (X[:, 0], ValueError, "Expected 2D array, got 1D array instead: reshape it to (n, d)"),
    (X[:0], ValueError, "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required by {name}."),
    (X[:, :0], ValueError, "Found array with 0 feature(s) (shape=(6, 0)) while a minimum of 1 is required by {name}."),
    (X + 1j, ValueError, "Complex data not supported: X holds array_api_strict.complex128 values"),
]
CASES = [(family, *wrong) for family in FAMILIES for wrong in WRONG]


@pytest.mark.parametrize(("family", "bad", "error", "text"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_rows_that_cannot_be_learnt(monkeypatch, family, bad, error, text):
    monkeypatch.setattr(devices, "PART", 4)  # two rows at a time
    y = Y if family is SVM else X[:, 0]
    model = family().fit(there(X), y)
    with refused(text.format(name=family.__name__), error, model):
        model.fit(there(bad), y[: len(bad)])


def test_rows_that_cannot_be_judged():
    model = SVM().fit(there(X), Y)
    with refused("X has 1 features, but SVM is expecting 2 features as input.", model=model):
        model.predict(there(X[:, :1]))
    with refused("Input X contains NaN: row 0, feature 1; fill the value in, or leave the row out", DataError, model):
        model.predict_proba(there(changed(0, 1, np.nan)))


def test_targets_and_weights():
    model = SVM().fit(there(X), Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(there(X), Y[:5])
    with refused("at least two classes are expected; all labels are 1 (1 class)", model=model):
        model.fit(there(X), there(np.ones(6, dtype=np.int64)))
    number = SVMRegressor().fit(there(X), X[:, 0])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        number.fit(there(X), there([0.0, 1.0, np.nan, 0.0, 0.0, 0.0]))
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(there(X), Y, there([1.0, 1.0, -1.0, 1.0, 1.0, 1.0]))


def test_gram_matrices():
    K = X @ X.T
    model = SVM("precomputed").fit(there(K), Y)
    K[2, 5] += 3.0
    text = (
        "a Gram matrix must be symmetric; in this one K[2, 5] is 29.0 and K[5, 2] is 26.0. If that is rounding, "
        "give (K + K.T) / 2"
    )
    with refused(text, DataError, model):
        model.fit(there(K), Y)
    text = (
        "kernel='precomputed' learns from a square Gram matrix, K(x_i, x_j) of all pairs of training examples; this "
        "one is 6 × 5"
    )
    with refused(text, DataError, model):
        model.fit(there(K[:, :5]), Y)


def own(A, Z):
    return A @ Z.T


FUNCTIONS = {
    "shape": (lambda A, Z: own(A, Z)[:, :1], "must return a value for each pair of rows, 6 × 6 here; it returned the "
              "shape (6, 1)"),
    "finite": (lambda A, Z: own(A, Z) / 0.0, "must return finite numbers; for rows 0 and 0 it returned inf"),
    "numbers": (lambda A, Z: own(A, Z) > 0.0, "must return floating point numbers, (n, m); it returned "
                "array_api_strict.bool"),
    "symmetric": (lambda A, Z: own(A, Z) + A[:, :1], "must be symmetric; for rows 0 and 5 it is 6.0, and the other way "
                  "round 13.0"),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function, text = FUNCTIONS[name]
    function.__name__ = "own"
    with np.errstate(all="ignore"), refused(f"the kernel function 'own' {text}", DataError):
        SVM(Function(function)).fit(there(X), Y)


def test_a_library_without_its_wrapper(monkeypatch):
    monkeypatch.setattr(devices, "_WRAPPED", ("array_api_strict",))
    monkeypatch.setattr(devices, "_WRAPPERS", ())
    devices._wrapper.cache_clear()
    text = "arrays of CuPy and torch need array-api-compat, which is not installed: pip install array-api-compat"
    with refused(text, DataError):
        SVM().fit(there(X), Y)
