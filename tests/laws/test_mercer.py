"""Laws of the check of Mercer's condition: what is valid passes, and a witness is one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris

from deciban.kernels import (
    RBF,
    Function,
    Gaussian,
    Linear,
    Multiquadric,
    Polynomial,
    Precomputed,
    Tanh,
    Wave,
    by_name,
    mercer,
)
from oracle import kernels as oracle

VALID = [Linear(), Polynomial(0.5, 1.0, 3), Polynomial(1.0, 0.0, 2), RBF(0.7), Gaussian(0.5)]
seeds = st.integers(0, 2**32 - 1)
REAL = {"iris": load_iris, "breast cancer": load_breast_cancer}
over_real = pytest.mark.parametrize("name", REAL)


def real(name):
    """Some rows of a real data set, of mean 0 and deviation 1."""
    X = REAL[name](return_X_y=True)[0][::3]
    return (X - X.mean(axis=0)) / X.std(axis=0)


@given(seed=seeds, n=st.integers(1, 20))
@pytest.mark.parametrize("kernel", [*VALID, VALID[0] + VALID[3], VALID[1] * VALID[3], VALID[2] * VALID[2]], ids=str)
def test_valid_kernels_their_sums_and_products_pass(kernel, seed, n):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    X[0] = X[-1]  # a singular Gram matrix
    found = mercer(kernel, X)
    assert kernel.mercer
    assert found.valid
    assert found.witness is None
    assert found.smallest >= -1e-10 * found.largest
    assert found.says.endswith(
        f"is positive semi-definite up to rounding: its smallest eigenvalue is {found.smallest:.6g}"
    )


@over_real
@pytest.mark.parametrize("kernel", [Tanh(0.5, -1.0), Tanh(1.0, 0.3), Multiquadric(1.0), Multiquadric(0.0)], ids=str)
def test_on_real_data_tanh_and_multiquadric_fail_with_a_witness(kernel, name):
    X = real(name)
    found = mercer(kernel, X)
    assert not kernel.mercer
    assert not found.valid
    v = found.witness
    K = [[getattr(oracle, kernel.name)(x, z, **vars(kernel)) for z in X.tolist()] for x in X.tolist()]
    assert_allclose(np.linalg.norm(v), 1.0)
    assert_allclose(v @ K @ v, found.smallest, rtol=1e-6, atol=1e-9)
    assert found.smallest < 0.0 < found.largest
    assert f"is not positive semi-definite: its smallest eigenvalue is {found.smallest:.6g}" in found.says
    assert "stationary point" in found.says


@over_real
def test_on_real_data_the_rbf_passes(name):
    X = real(name)
    for gamma in ("scale", "auto", "median", 30.0):
        assert mercer(by_name("rbf", X, gamma=gamma), X).valid
    assert mercer(RBF(1.0), X.astype(np.float32)).valid
    assert mercer(RBF(1.0), sparse.csr_array(X)).valid


def test_the_wave_is_valid_in_three_dimensions_and_not_in_many():
    random = np.random.default_rng(0)
    assert mercer(Wave(0.4), random.normal(size=(60, 3))).valid
    many = np.concatenate([np.eye(40), -np.eye(40)])
    assert not mercer(Wave(np.sqrt(2.0) / 4.5), many).valid


def test_a_gram_matrix_and_a_function_are_looked_at_as_they_are():
    good, bad = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 2.0], [2.0, 1.0]])
    assert_allclose([mercer(Precomputed(), K).smallest for K in (good, bad)], [1.0, -1.0])
    assert [mercer(Precomputed(), K).valid for K in (good, bad)] == [True, False]
    assert not mercer(Function(lambda X, Z: -(X @ Z.T)), good).valid


def test_a_witness_of_some_rows_is_a_witness_of_all():
    X = np.random.default_rng(1).normal(size=(300, 2))
    found = mercer(Multiquadric(1.0), X, largest=50)
    assert (found.rows, found.n) == (50, 300)
    assert np.count_nonzero(found.witness) <= 50
    assert_allclose(found.witness @ Multiquadric(1.0).tile(X, X) @ found.witness, found.smallest, rtol=1e-8)
    assert "50 of these 300 examples" in found.says
    assert "50 of these 300 examples" in mercer(RBF(1.0), X, largest=50).says
    gram = Multiquadric(1.0).tile(X, X)
    again = mercer(Precomputed(), gram, largest=50)
    assert_allclose(again.witness, found.witness, atol=1e-14)  # distances are taken about the middle of the rows


def test_nothing_is_valid():
    found = mercer(RBF(), np.zeros((0, 3)))
    assert found.valid
    assert found.smallest == found.largest == 0.0
