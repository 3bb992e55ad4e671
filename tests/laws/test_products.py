"""Products of rows with weights: those of NumPy, of rows in any form and type, and the same bytes on any threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from deciban import _core

PRODUCTS = {
    "scores": (lambda rows, _, W, n: _core.scores(rows, W, np.zeros(len(W)), n_jobs=n), lambda X, _, W: X @ W.T),
    "combination": (lambda rows, U, _, n: _core.combination(rows, U, n_jobs=n), lambda X, U, _: U.T @ X),
    "gram_diagonals": (
        lambda rows, U, _, n: _core.gram_diagonals(rows, U, n_jobs=n),
        lambda X, U, _: U.T @ (X * X),
    ),
    "gram_times": (
        lambda rows, U, W, n: _core.gram_times(rows, np.ascontiguousarray(U[:, 0]), W[0], n_jobs=n),
        lambda X, U, W: ((X.T * U[:, 0]) @ (X @ W[0]))[None, :],
    ),
}
SPARSE = [(np.float64, np.int32), (np.float64, np.int64), (np.float32, np.int32)]
"""Types of values and indices that the core takes as they are."""


@pytest.mark.parametrize("name", PRODUCTS)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.sampled_from([(1, 1), (7, 3), (300, 17), (2100, 40), (5, 700)]),
    classes=st.integers(1, 21),
    form=st.sampled_from([(np.float64, None), (np.float32, None), *SPARSE]),
    scale=st.sampled_from([1e-3, 1.0, 1e6]),
)
def test_products_are_those_of_numpy_on_any_threads(name, seed, shape, classes, form, scale):
    rng = np.random.default_rng(seed)
    (N, d), (kind, index), (of_core, of_numpy) = shape, form, PRODUCTS[name]
    X = (scale * rng.normal(size=shape) * (rng.random(shape) < 0.3)).astype(kind)
    U, W = rng.normal(size=(N, classes)), rng.normal(size=(classes, d))
    U[rng.random(N) < 0.3] = 0.0
    rows = X
    if index is not None:
        held = csr_array(X)
        rows = (held.data, held.indices.astype(index), held.indptr.astype(index), d)
    found = [of_core(rows, U, W, n) for n in (1, 2, 3)]
    wide = X.astype(np.float64)
    assert_allclose(found[0], of_numpy(wide, U, W), rtol=1e-9, atol=1e-10 * max(scale, scale**2) * N)
    assert len({each.tobytes() for each in found}) == 1


@pytest.mark.parametrize("name", ["combination", "gram_diagonals"])
def test_what_does_not_go_with_the_rows_is_refused(name):
    with pytest.raises(ValueError, match="of 6 numbers is expected to go with X, not 4"):
        getattr(_core, name)(np.ones((3, 5)), np.ones((2, 2)))
