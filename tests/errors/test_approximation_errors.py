"""Refusals of features that stand for a kernel, word for word; a refused fit leaves them as they were."""

import numpy as np
import pytest

from deciban import Nystroem, RandomFourier
from deciban.errors import DataError
from deciban.kernels import RBF, Function, Linear, Wave
from errors.refusals import refused

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 2.0]])


@pytest.mark.parametrize("family", [Nystroem, RandomFourier])
@pytest.mark.parametrize("number", [0, -3, 2.5, True, None, "all"], ids=repr)
def test_a_number_of_features(family, number):
    model = family(n_components=2).fit(X).set_params(n_components=number)
    with refused(f"n_components must be a whole number from 1, got {number!r}", model=model):
        model.fit(X)


@pytest.mark.parametrize("family", [Nystroem, RandomFourier])
def test_a_kernel_that_there_is(family):
    with refused(
        "kernel must be one of 'linear', 'poly', 'polynomial', 'rbf', 'gaussian', 'sigmoid', 'tanh', 'multiquadric', "
        "'wave', 'laplacian', 'cosine', 'chi2', 'additive_chi2', 'spectrum', 'precomputed', a "
        "Kernel or a function of two tiles of rows, got 'rfb'"
    ):
        family(kernel="rfb").fit(X)
    with refused("gamma must be a finite number > 0, 'scale', 'auto' or 'median', got -1.0"):
        family(gamma=-1.0).fit(X)


@pytest.mark.parametrize(
    ("kernel", "lacks"),
    [
        ("linear", "'linear' is not shift-invariant"),
        ("poly", "'polynomial' is not shift-invariant"),
        ("spectrum", "'spectrum' is not shift-invariant"),
        (Function(np.dot), "'function' is not shift-invariant"),
        (Wave(), "'wave' has no density of frequencies for points of any dimension"),
        (RBF() + Linear(), "'sum' has no one density that is known here"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_frequencies_of_a_kernel_without_them(kernel, lacks):
    model = RandomFourier().fit(X).set_params(kernel=kernel)
    with refused(
        "kernel must be 'rbf', 'gaussian', an RBF or a Gaussian, whose frequencies can be drawn; "
        f"{lacks}. Nystroem takes any kernel",
        model=model,
    ):
        model.fit(X)


@pytest.mark.parametrize(
    ("landmarks", "text"),
    [
        ([0, 3], "landmarks name training rows from 0 to 2; one of them is 3"),
        ([-1], "landmarks name training rows from 0 to 2; one of them is -1"),
        (np.zeros(0, dtype=int), "landmarks name training rows from 0 to 2; there are none"),
        (np.zeros((0, 2)), "landmarks must be one at least; there are none"),
        (np.zeros((2, 3)), "X must have the 2 columns that were learnt from; it has 3"),
    ],
)
def test_landmarks_that_are_not_there(landmarks, text):
    model = Nystroem().fit(X).set_params(landmarks=landmarks)
    with refused(text, DataError, model=model):
        model.fit(X)


def test_landmarks_of_a_gram_matrix():
    with refused("landmarks of a precomputed kernel must be numbers of training rows, (m,)", DataError):
        Nystroem("precomputed", landmarks=np.eye(3)).fit(np.eye(3))


def test_values_too_large():
    with refused("the kernel of landmarks 0 and 0 is inf, too large to be counted with: scale X", DataError):
        Nystroem("poly", gamma=1.0, degree=400).fit(10.0 + X)


def test_pairs_that_are_not_there():
    model = Nystroem().fit(X)
    with refused("pairs name rows of X from 0 to 2; one of them is 3", DataError):
        model.deviation(X, [[0, 1], [3, 0]])
    with refused(
        "pairs must be numbers of rows of X, (P, 2), or None for all pairs; got int64 values of the shape (3,)"
    ):
        model.deviation(X, [0, 1, 2])
    with refused(
        "pairs must be numbers of rows of X, (P, 2), or None for all pairs; got float64 values of the shape (1, 2)"
    ):
        model.deviation(X, [[0.0, 1.0]])


def test_the_deviation_of_a_gram_matrix_that_is_not_square():
    model = Nystroem("precomputed").fit(np.eye(3))
    with refused(
        "the deviation of a precomputed kernel needs K of all pairs of rows, which only a square Gram matrix holds; "
        "this one is 2 × 3. Give the one that was learnt from",
        DataError,
    ):
        model.deviation(np.eye(3)[:2])
