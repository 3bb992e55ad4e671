"""Kernels of sparse rows whose features are many, most of them rare: they are those of the same rows written out.

The core multiplies frequent features and rare ones apart, some hundred rows at a time: the rows here are enough for
three such stretches, the features for both ways, and some rows have only one kind or none.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import sparse

from deciban import SVM, _core
from deciban.data.rows import reals_for_core
from deciban.kernels import RBF, Linear, Multiquadric, Polynomial, Tanh, Wave
from deciban.kernels.evaluation import in_core, scores, scores_by_group

ROWS, FEATURES = 1100, 1400
KERNELS = (
    Linear(),
    Polynomial(scale=0.3, shift=1.0, degree=2),
    RBF(0.2),
    Tanh(scale=0.1, shift=0.2),
    Multiquadric(0.7),
    Wave(2.0),
)
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


def texts(seed: int, count: int = ROWS, features: int = FEATURES) -> Any:
    """Rows like those of texts: a feature occurs the rarer, the later it is; some rows are empty, or have rare features
    only."""
    rng = np.random.default_rng(seed)
    share = np.minimum(0.6, 4.0 / (1.0 + np.arange(features)))
    X = rng.normal(size=(count, features)) * (rng.random((count, features)) < share)
    X[:: count // 5] = 0.0
    X[1 :: count // 5, : features // 2] = 0.0
    return sparse.csr_matrix(X[:, rng.permutation(features)])


def gram(kernel: Any, X: Any, **how: Any) -> NDArray[np.float64]:
    name, parameters = in_core(kernel)  # type: ignore[misc]
    return _core.kernel_gram(reals_for_core(X), name, parameters, **how)


@every_kernel
def test_sparse_rows_have_the_kernel_of_the_rows_written_out(kernel: Any) -> None:
    X = texts(0)
    written = X.toarray()
    expected = kernel.tile(written, written)
    assert_allclose(gram(kernel, X), expected, rtol=1e-9, atol=1e-9)
    assert_allclose(gram(kernel, written), expected, rtol=1e-9, atol=1e-9)


@every_kernel
def test_the_matrix_is_symmetric_and_equal_rows_are_at_no_distance(kernel: Any) -> None:
    X = texts(1)
    K = gram(kernel, sparse.vstack([X, X[:7]]).tocsr())
    assert_array_equal(K, K.T)
    assert_array_equal(K[:7], K[-7:])
    if isinstance(kernel, RBF | Wave):
        assert_array_equal(K.diagonal(), np.ones(len(K)))


@every_kernel
def test_sums_are_those_of_the_matrix_in_any_number_of_threads(kernel: Any) -> None:
    X, rng = texts(2), np.random.default_rng(2)
    c = np.where(rng.random(ROWS) < 0.3, rng.normal(size=ROWS), 0.0)
    name, parameters = in_core(kernel)  # type: ignore[misc]
    K = gram(kernel, X, n_jobs=1)
    sums = _core.kernel_within(reals_for_core(X), c, name, parameters, n_jobs=1)
    assert_allclose(sums, K @ c, rtol=1e-9, atol=1e-9 * np.abs(K).max())
    assert_array_equal(gram(kernel, X, n_jobs=2), K)
    assert_array_equal(_core.kernel_within(reals_for_core(X), c, name, parameters, n_jobs=2), sums)


@every_kernel
def test_scores_of_rows_with_features_that_no_vector_has(kernel: Any) -> None:
    X, Z = texts(3, 300), texts(4)
    Z = sparse.csr_matrix(Z.multiply(np.arange(FEATURES) % 3 > 0))
    c = np.random.default_rng(3).normal(size=(ROWS, 2))
    name, parameters = in_core(kernel)  # type: ignore[misc]
    found = _core.kernel_scores(reals_for_core(X), reals_for_core(Z), c, name, parameters)
    expected = kernel.tile(X.toarray(), Z.toarray()) @ c
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@every_kernel
@pytest.mark.parametrize("form", [sparse.csr_matrix, lambda X: X.toarray()], ids=["sparse", "dense"])
def test_groups_of_vectors_are_summed_as_if_each_were_alone(kernel: Any, form: Any) -> None:
    X, Z, ends = form(texts(8, 60, 700)), form(texts(9, 500, 700)), [120, 120, 333, 500]
    c = np.random.default_rng(8).normal(size=(500, 3))
    found = scores_by_group(kernel, X, Z, c, ends)
    assert found.shape == (60, 4, 3)
    for g, (first, end) in enumerate(pairwise([0, *ends])):
        own = slice(first, end)
        expected = scores(kernel, X, Z[own], c[own]) if first < end else np.zeros((60, 3))
        assert_allclose(found[:, g], expected, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(expected).max()))
    assert_array_equal(scores_by_group(kernel, X[:1], Z, c, ends), found[:1])


@pytest.mark.parametrize("ends", [[3], [2, 1, 4], [5]])
def test_groups_that_do_not_end_with_the_vectors_are_refused(ends: list[int]) -> None:
    with pytest.raises(ValueError, match=r"^ends that rise to 4 are expected$"):
        _core.kernel_scores(np.eye(4), np.eye(4), np.ones((4, 1)), "linear", [], ends=ends)


def test_the_order_of_stored_values_and_the_parts_of_one_do_not_matter() -> None:
    X = texts(5)
    order = np.concatenate(
        [np.random.default_rng(5).permutation(np.arange(a, b)) for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
    )
    # Each value in two halves, which are far apart.
    ends = 2 * X.indptr
    data, indices = np.empty(2 * X.nnz), np.empty(2 * X.nnz, dtype=X.indices.dtype)
    for a, b in zip(X.indptr, X.indptr[1:], strict=False):
        for half in (0, 1):
            own = slice(2 * a + half * (b - a), 2 * a + (half + 1) * (b - a))
            data[own], indices[own] = 0.5 * X.data[order[a:b]], X.indices[order[a:b]]
    name, parameters = in_core(RBF(0.2))  # type: ignore[misc]
    found = _core.kernel_gram((data, indices, ends.astype(X.indptr.dtype), FEATURES), name, parameters)
    assert_array_equal(found, gram(RBF(0.2), X))


@pytest.mark.parametrize("kept", [0, 1 << 14, 1 << 30])
def test_tiles_sum_what_the_matrix_says(kept: int) -> None:
    X, rng = texts(6), np.random.default_rng(6)
    name, parameters = in_core(RBF(0.2))  # type: ignore[misc]
    K, tiles = gram(RBF(0.2), X), _core.KernelTiles(reals_for_core(X), name, parameters, memory=kept)
    some = np.sort(rng.choice(ROWS, 700, replace=False))
    for restricted in (None, some):
        tiles.restrict(restricted)
        for _ in range(2):
            rows = np.sort(rng.choice(ROWS, 150, replace=False))
            c = rng.normal(size=150)
            expected = (K if restricted is None else K[restricted])[:, rows] @ c
            assert_allclose(tiles.combination(rows, c), expected, atol=2e-4)
            assert_allclose(tiles.within(rows), K[np.ix_(rows, rows)], atol=1e-5)


@pytest.mark.parametrize("memory_mb", [1.0, 200.0])
@pytest.mark.parametrize("solver", ["smo", "blocks"])
def test_machines_of_sparse_rows_are_those_of_the_rows_written_out(solver: str, memory_mb: float) -> None:
    X = texts(7)
    y = (X @ np.random.default_rng(7).normal(size=FEATURES) > 0.0).astype(int)
    settings: dict[str, Any] = {"gamma": 0.05, "tol": 1e-6, "calibration": None, "memory_mb": memory_mb}
    sparse_one, dense_one = (SVM(solver=solver, **settings).fit(form, y) for form in (X, X.toarray()))
    assert sparse_one.certificate_.status == "converged"
    assert_allclose(sparse_one.decision_function(X), dense_one.decision_function(X.toarray()), atol=2e-3)
    assert sparse_one.certificate_.primal == pytest.approx(dense_one.certificate_.primal, rel=2e-6)
