"""Refusals of kernels, word for word."""

import numpy as np
import pytest
from scipy import sparse

from deciban.errors import DataError
from deciban.kernels import (
    RBF,
    Function,
    Gaussian,
    Linear,
    Multiquadric,
    Polynomial,
    Precomputed,
    Product,
    Spectrum,
    Sum,
    Tanh,
    Wave,
    by_name,
)
from errors.refusals import refused

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0]])


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: RBF(-1.0), "gamma must be a finite number > 0, got -1.0"),
        (lambda: RBF("scale"), "gamma must be a finite number > 0, got 'scale'"),
        (lambda: RBF(np.nan), "gamma must be a finite number > 0, got nan"),
        (lambda: Gaussian(0.0), "sigma must be a finite number > 0, got 0.0"),
        (lambda: Wave(-0.5), "theta must be a finite number > 0, got -0.5"),
        (lambda: Multiquadric(-1.0), "shift must be a finite number ≥ 0, got -1.0"),
        (lambda: Polynomial(degree=0), "degree must be a whole number from 1, got 0"),
        (lambda: Polynomial(degree=2.5), "degree must be a whole number from 1, got 2.5"),
        (lambda: Polynomial(degree=2**31), "degree must be at most 2147483647, got 2147483648"),
        (lambda: Polynomial(degree=10**400), f"degree must be at most 2147483647, got {10**400}"),
        (lambda: Polynomial(scale=0.0), "scale must be a finite number > 0, got 0.0"),
        (lambda: Polynomial(shift=np.inf), "shift must be a finite number, got inf"),
        (lambda: Tanh(scale=None), "scale must be a finite number, got None"),
        (lambda: Tanh(shift=True), "shift must be a finite number, got True"),
        (lambda: Spectrum(0), "length must be a whole number from 1, got 0"),
        (lambda: Function(3), "a Function needs a function of two tiles of rows, got 3"),
        (lambda: Sum(()), "a sum needs one kernel at least, and only kernels, got ()"),
        (
            lambda: Product((RBF(), 2.0)),
            "a product needs one kernel at least, and only kernels, got (RBF(gamma=1.0), 2.0)",
        ),
        (
            lambda: RBF() + Precomputed(),
            "the kernels of a sum must read the same X; a Gram matrix and rows of numbers cannot be one X",
        ),
        (
            lambda: Spectrum() * (RBF() + Linear()),
            "the kernels of a product must read the same X; rows of numbers and texts cannot be one X",
        ),
        (
            lambda: by_name("rfb", X),
            "kernel must be one of 'linear', 'poly', 'polynomial', 'rbf', 'gaussian', 'sigmoid', 'tanh', "
            "'multiquadric', 'wave', 'laplacian', 'cosine', 'chi2', 'additive_chi2', 'spectrum', 'precomputed', "
            "a Kernel or a function of two tiles of rows, got 'rfb'",
        ),
        (
            lambda: by_name("rbf", X, gamma=-0.5),
            "gamma must be a finite number > 0, 'scale', 'auto' or 'median', got -0.5",
        ),
        (
            lambda: by_name("rbf", X, gamma="scales"),
            "gamma must be a finite number > 0, 'scale', 'auto' or 'median', got 'scales'",
        ),
        (lambda: by_name("poly", X, degree=0), "degree must be a whole number from 1, got 0"),
        (lambda: by_name("spectrum", degree=-1), "length must be a whole number from 1, got -1"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_a_kernel_that_cannot_be_is_refused(make, text):
    with refused(text):
        make()


def test_adding_a_number_is_no_kernel():
    with pytest.raises(TypeError):
        RBF() + 1.0
    with pytest.raises(TypeError):
        RBF() * 2.0


GRAM = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])


def bent(i, j, value):
    K = GRAM.copy()
    K[i, j] = value
    return K


def of_rows(tile):
    """A user's kernel that returns what `tile` makes of a good one's tile."""

    def own(X, Z):
        return tile(X @ Z.T)

    return Function(own)


def poisoned(K):
    K[1, 0] = np.nan
    return K


NAN = "X must hold finite numbers; it holds NaN or infinity. Fill or drop such rows first"


@pytest.mark.parametrize(
    ("kernel", "rows", "width", "text"),
    [
        (
            Precomputed(),
            GRAM[:2],
            None,
            "kernel='precomputed' learns from a square Gram matrix, K(x_i, x_j) of all pairs of training examples; "
            "this one is 2 × 3",
        ),
        (
            Precomputed(),
            bent(0, 2, 0.5),
            None,
            "a Gram matrix must be symmetric; in this one K[0, 2] is 0.5 and K[2, 0] is 0.0. If that is rounding, give "
            "(K + K.T) / 2",
        ),
        (
            Precomputed(),
            sparse.csr_array(bent(2, 1, -1.0)),
            None,
            "a Gram matrix must be symmetric; in this one K[1, 2] is 1.0 and K[2, 1] is -1.0. If that is rounding, "
            "give (K + K.T) / 2",
        ),
        (Precomputed(), bent(0, 0, np.inf), None, NAN),
        (
            Precomputed(),
            GRAM[:2, :2],
            3,
            "a Gram matrix to judge must have a column for each of the 3 training examples, (n, 3); this one is 2 × 2",
        ),
        (RBF(), np.array([[np.nan, 1.0]]), None, NAN),
        (RBF() + Linear(), sparse.csr_array([[np.inf, 0.0]]), 2, NAN),
        (RBF(), X, 3, "X must have the 3 columns that were learnt from; it has 2"),
        (RBF(), X[0], None, "X must be a table of rows and columns; it has 1 dimension(s). Reshape it to (n, d)"),
        (RBF(), [["a", "b"]], None, "X must be rows of numbers for this kernel; it holds <U1 values"),
        (
            of_rows(lambda K: K[:2]),
            X,
            None,
            "the kernel function 'own' must return a value for each pair of rows, 3 × 3 here; it returned the shape "
            "(2, 3)",
        ),
        (
            of_rows(poisoned),
            X,
            None,
            "the kernel function 'own' must return finite numbers; for rows 1 and 0 it returned nan",
        ),
        (
            of_rows(np.tril),
            X,
            None,
            "the kernel function 'own' must be symmetric; for rows 1 and 2 it is 0.0, and the other way round 3.0",
        ),
        (
            of_rows(lambda K: None),
            X,
            None,
            "the kernel function 'own' must return numbers, (n, m); it returned NoneType",
        ),
        (
            of_rows(lambda K: K.astype(str)),
            X,
            None,
            "the kernel function 'own' must return numbers, (n, m); it returned an array of <U32",
        ),
        (Spectrum(), "one text", None, "kernel='spectrum' expects a list of texts, got one str: put it into a list"),
        (
            Spectrum() + Spectrum(2),
            ["a", None],
            None,
            "kernel='spectrum' compares texts; item 1 is NoneType. Give strings only",
        ),
    ],
    ids=lambda case: case if isinstance(case, str) else None,
)
def test_rows_that_a_kernel_cannot_read_are_refused(kernel, rows, width, text):
    with refused(text, DataError):
        kernel.accept(rows, width)


def test_a_function_is_looked_at_when_judging_too():
    with refused("the kernel function 'own' must return finite numbers; for rows 1 and 0 it returned nan", DataError):
        of_rows(poisoned).tile(X, X[:2])


def test_rounding_is_no_asymmetry():
    for dtype, rounding in ((np.float64, 1e-12), (np.float32, 1e-6)):
        assert Precomputed().accept(bent(0, 1, 1.0 + rounding).astype(dtype)).dtype == dtype


def test_a_gram_matrix_has_columns_for_centres():
    text = (
        "the right side of a tile of a Gram matrix must be numbers of columns, (m,), which centres(X) gives; "
        "it has 2 dimensions"
    )
    with refused(text):
        Precomputed().tile(GRAM, GRAM)
    with refused("the diagonal is that of a square Gram matrix; this one is 2 × 3"):
        Precomputed().diagonal(GRAM[:2])
