"""Laws of kernels of rows of numbers, over their catalogue and some sums and products of it."""

import re
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.data.devices import on_host
from deciban.errors import DataError
from deciban.kernels import (
    CATALOGUE,
    RBF,
    Function,
    Gaussian,
    Linear,
    Multiquadric,
    Polynomial,
    Precomputed,
    Product,
    Sum,
    Tanh,
    Wave,
    by_name,
    gamma_of,
)
from oracle import kernels as oracle

WITH_PARAMETERS = [
    Linear(),
    Polynomial(0.5, 1.5, 3),
    Polynomial(2.0, 0.0, 1),
    Polynomial(0.3, -1.0, 6),
    RBF(0.3),
    Gaussian(1.7),
    Tanh(0.4, -0.6),
    Multiquadric(0.0),
    Multiquadric(2.5),
    Wave(0.8),
]
COMPOSITE = [Linear() + RBF(0.2), RBF(0.5) * Polynomial(degree=2), RBF(0.1) * (Linear() + Gaussian(2.0))]
EVERY = [*(family() for family in CATALOGUE), *WITH_PARAMETERS, *COMPOSITE]
SCALAR = {
    "linear": oracle.linear,
    "polynomial": oracle.polynomial,
    "rbf": oracle.rbf,
    "gaussian": oracle.gaussian,
    "tanh": oracle.tanh,
    "multiquadric": oracle.multiquadric,
    "wave": oracle.wave,
    "laplacian": oracle.laplacian,
    "cosine": oracle.cosine,
}
# The standard as written, and the libraries that are here.
LIBRARIES = [import_module(name) for name in ("array_api_strict", "cupy", "torch") if find_spec(name)]
over = pytest.mark.parametrize("kernel", EVERY, ids=str)
over_plain = pytest.mark.parametrize("kernel", [each for each in EVERY if each.name in SCALAR], ids=str)
seeds = st.integers(0, 2**32 - 1)


def rows(seed, n=12, d=5, dtype=np.float64):
    """X (n, d) of which a row and another are equal, one is 0, and half the entries are 0."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < 0.5)
    X[0], X[1] = 0.0, X[-1]
    return X.astype(dtype)


def scalar(kernel, x, z):
    return SCALAR[kernel.name](x.tolist(), z.tolist(), **vars(kernel))


@over_plain
@given(seed=seeds)
def test_a_tile_is_the_formula_pair_by_pair(kernel, seed):
    X, Z = rows(seed), rows(seed + 1, 7)
    K = [[scalar(kernel, x, z) for z in Z] for x in X]
    assert_allclose(kernel.tile(X, Z), K, rtol=1e-9, atol=1e-7 if kernel.name == "multiquadric" else 1e-10)


@pytest.mark.parametrize("kernel", COMPOSITE, ids=str)
def test_sums_and_products_are_those_of_the_tiles(kernel):
    X, Z = rows(1), rows(2, 7)
    tiles = [part.tile(X, Z) for part in kernel.kernels]
    whole = sum(tiles[1:], tiles[0]) if isinstance(kernel, Sum) else np.prod(tiles, axis=0)
    assert_allclose(kernel.tile(X, Z), whole, rtol=1e-14)


def test_sums_and_products_have_no_order_of_brackets():
    a, b, c = RBF(0.1), Linear(), Tanh()
    assert (a + b) + c == a + (b + c) == Sum((a, b, c))
    assert (a * b) * c == a * (b * c) == Product((a, b, c))
    assert not (a + c).mercer
    assert (a * b).mercer


@over
@given(seed=seeds)
def test_a_gram_matrix_is_symmetric_and_knows_its_diagonal(kernel, seed):
    X, Z = rows(seed), rows(seed + 1, 7)
    close = {"rtol": 1e-9, "atol": 1e-7}
    assert_allclose(kernel.tile(X, X), kernel.tile(X, X).T, **close)
    assert_allclose(kernel.tile(X, Z), kernel.tile(Z, X).T, **close)
    assert_allclose(kernel.diagonal(X), kernel.tile(X, X).diagonal(), **close)


@over
@given(seed=seeds)
def test_dense_is_sparse(kernel, seed):
    X, Z = rows(seed), rows(seed + 1, 7)
    sparse_X, sparse_Z = sparse.csr_array(X), sparse.csr_matrix(Z)
    K = kernel.tile(X, Z)
    for left, right in ((sparse_X, sparse_Z), (sparse_X, Z), (X, sparse_Z)):
        tile = kernel.tile(left, right)
        assert isinstance(tile, np.ndarray)
        assert_allclose(tile, K, rtol=1e-9, atol=1e-7)
    assert_allclose(kernel.diagonal(sparse_X), kernel.diagonal(X), rtol=1e-9, atol=1e-7)


@over
@given(seed=seeds)
def test_single_precision_is_double_precision_nearly(kernel, seed):
    X, Z = rows(seed, dtype=np.float32), rows(seed + 1, 7, dtype=np.float32)
    exact = kernel.tile(X.astype(np.float64), Z.astype(np.float64))
    for left, right in ((X, Z), (sparse.csr_array(X), sparse.csr_array(Z))):
        tile = kernel.tile(left, right)
        assert tile.dtype == np.float32
        # A distance of 0 is known to the root of the precision only.
        assert_allclose(tile, exact, rtol=1e-4, atol=5e-3 if kernel.name == "multiquadric" else 1e-4)
    assert kernel.diagonal(X).dtype == np.float32


@over
@given(seed=seeds)
def test_permuting_rows_permutes_the_tile(kernel, seed):
    X, Z = rows(seed), rows(seed + 1, 7)
    order = np.random.default_rng(seed).permutation(len(X))
    assert_allclose(kernel.tile(X[order], Z), kernel.tile(X, Z)[order], rtol=1e-9, atol=1e-7)
    columns = np.random.default_rng(seed).permutation(X.shape[1])
    assert_allclose(kernel.tile(X[:, columns], Z[:, columns]), kernel.tile(X, Z), rtol=1e-9, atol=1e-7)


@over
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_other_libraries_by_the_standard(kernel, library, dtype):
    X, Z = rows(3, dtype=dtype), rows(4, 7, dtype=dtype)
    there = [library.asarray(each) for each in (X, Z)]
    tile, diagonal = kernel.tile(kernel.accept(there[0]), there[1]), kernel.diagonal(there[0])
    assert isinstance(tile, type(there[0]))
    assert tile.dtype == there[0].dtype
    close = {"rtol": 1e-5, "atol": 5e-3} if dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-7}
    assert_allclose(on_host(tile), kernel.tile(X, Z), **close)
    assert_allclose(on_host(diagonal), kernel.diagonal(X), **close)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__)
def test_gram_matrices_of_other_libraries(library):
    gram, kernel = RBF(0.3).tile(rows(3), rows(3)), Precomputed()
    there = kernel.accept(library.asarray(gram))
    columns = kernel.centres(there)[[4, 1, 7]]
    assert_array_equal(on_host(kernel.tile(there, columns)), gram[:, [4, 1, 7]])
    assert_array_equal(on_host(kernel.diagonal(there)), gram.diagonal())
    gram[2, 5] += 0.5
    with pytest.raises(DataError, match=re.escape("symmetric; in this one K[2, 5] is")):
        kernel.accept(library.asarray(gram))


@over
def test_a_tile_is_new_memory_and_leaves_its_rows_alone(kernel):
    X = rows(5)
    before = X.copy()
    tile = kernel.tile(X, X)
    tile[:] = np.nan
    assert_array_equal(X, before)
    assert np.isfinite(kernel.tile(X, X)).all()


@over
def test_tiles_of_any_size_are_parts_of_the_whole(kernel):
    random = np.random.default_rng(6)
    X = random.normal(size=(700, 4))
    whole = kernel.tile(X, X)
    assert_allclose(kernel.tile(X[250:260], X[600:]), whole[250:260, 600:], rtol=1e-9, atol=1e-7)
    assert kernel.tile(X[:0], X).shape == (0, 700)
    assert kernel.tile(X, X[:0]).shape == (700, 0)
    assert_allclose(kernel.tile(X[:1], X)[0], whole[0], rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("kernel", [RBF(0.3), Gaussian(1.7), Multiquadric(2.5), Wave(0.8)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_far_from_the_origin_keep_their_distances(kernel, dtype):
    near, far = rows(7), 2.0 ** (12 if dtype == np.float32 else 30)
    moved = (near.astype(np.float32).round(2) + far).astype(dtype)
    back = (moved - dtype(far)).astype(np.float64)
    assert_allclose(kernel.tile(moved, moved), kernel.tile(back, back), rtol=1e-4, atol=1e-3)


@given(seed=seeds, sigma=st.floats(0.1, 10.0))
def test_the_gaussian_is_the_rbf(seed, sigma):
    X, Z = rows(seed), rows(seed + 1, 7)
    assert_allclose(Gaussian(sigma).tile(X, Z), RBF(1.0 / (2.0 * sigma**2)).tile(X, Z), rtol=1e-12, atol=1e-15)


@over
def test_a_function_of_the_user_is_the_kernel(kernel):
    X, Z = rows(8), rows(9, 7)
    for own in (Function(kernel.tile), Function(lambda x, z: kernel.tile(x[None], z[None])[0, 0], pairs=True)):
        assert_allclose(own.tile(own.accept(X), Z), kernel.tile(X, Z), rtol=1e-9, atol=1e-7)
        assert_allclose(own.diagonal(X), kernel.diagonal(X), rtol=1e-9, atol=1e-7)
        assert own.tile(X.astype(np.float32), Z.astype(np.float32)).dtype == np.float32


def test_whole_numbers_and_lists_are_rows_too():
    X = [[0, 1], [2, 3]]
    for kernel in (RBF(0.3), Polynomial()):
        assert_array_equal(kernel.tile(X, np.array(X, dtype=bool)), kernel.tile(np.array(X, float), [[0, 1], [1, 1]]))


NAMED = {
    "linear": Linear(),
    "poly": Polynomial(0.4, 1.5, 2),
    "polynomial": Polynomial(0.4, 1.5, 2),
    "rbf": RBF(0.4),
    "sigmoid": Tanh(0.4, 1.5),
    "tanh": Tanh(0.4, 1.5),
    "multiquadric": Multiquadric(1.5),
}


@pytest.mark.parametrize("name", NAMED)
def test_names_are_kernels(name):
    assert by_name(name, rows(1), gamma=0.4, degree=2, coef0=1.5) == NAMED[name]
    assert by_name(NAMED[name]) is NAMED[name]


@given(seed=seeds, gamma=st.floats(0.01, 10.0))
def test_a_gamma_is_a_width(seed, gamma):
    X = rows(seed)
    assert_allclose(by_name("gaussian", X, gamma=gamma).tile(X, X), RBF(gamma).tile(X, X), rtol=1e-10, atol=1e-12)
    assert_allclose(2.0 * by_name("wave", X, gamma=gamma).theta ** 2, 1.0 / gamma)


@given(seed=seeds)
def test_rules_of_gamma(seed):
    X = rows(seed, 20)
    pairs = [np.sum((X[i] - X[j]) ** 2) for i in range(20) for j in range(i)]
    for each in (X, sparse.csr_array(X), X.astype(np.float32), *(library.asarray(X) for library in LIBRARIES)):
        assert_allclose(gamma_of("scale", each), 1.0 / (5 * X.var()), rtol=1e-5)
        assert gamma_of("auto", each) == 0.2
        assert_allclose(gamma_of("median", each), 1.0 / np.median(pairs), rtol=1e-5)


def test_points_that_are_all_equal_have_a_gamma():
    for X in (np.full((9, 3), 7.1), np.zeros((9, 3)), np.full((1, 3), 2.0), sparse.csr_array((9, 3))):
        assert gamma_of("scale", X) == gamma_of("median", X) == 1.0
    mostly = np.zeros((9, 1))
    mostly[0] = 3.0
    assert gamma_of("median", mostly) == 1.0 / 2.0
