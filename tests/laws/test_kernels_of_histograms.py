"""Laws of kernels of numbers ≥ 0: the formula, scikit-learn, sparse rows, machines, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels

import deciban
from deciban import SVM, OneClassSVM, SVMRegressor
from deciban.errors import DataError
from deciban.kernels import AdditiveChiSquared, ChiSquared, by_name, mercer
from oracle import kernels as oracle

X = np.random.default_rng(0).poisson(1.0, (30, 5)).astype(float)
Z = X[:7] + 1.0


@pytest.mark.parametrize("kernel", [ChiSquared(0.3), AdditiveChiSquared()], ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_tile_is_the_formula(kernel, form):
    of = (lambda x, z: oracle.chi2(x, z, 0.3)) if kernel.name == "chi2" else oracle.additive_chi2
    assert_allclose(kernel.tile(form(X), form(Z)), [[of(x, z) for z in Z] for x in X], rtol=1e-12)
    assert_allclose(kernel.diagonal(form(X)), [of(x, x) for x in X], rtol=1e-12)
    assert mercer(kernel, X).valid == kernel.mercer


@pytest.mark.parametrize("name", ["laplacian", "cosine", "chi2", "additive_chi2"])
def test_scikit_learn_has_the_same_by_the_same_name(name):
    given = {"gamma": 0.4} if name in ("laplacian", "chi2") else {}
    assert_allclose(by_name(name, X, gamma=0.4).tile(X, Z), pairwise_kernels(X, Z, metric=name, **given), atol=1e-12)


@pytest.mark.parametrize("name", ["laplacian", "cosine", "chi2", "additive_chi2"])
def test_machines_learn_by_name_and_keep_it_in_their_files(name, tmp_path):
    y = (X[:, 0] > X[:, 1]).astype(int)
    for model in SVM(name), OneClassSVM(name), SVMRegressor(name), SVMRegressor(name, nu=0.5):
        model.fit(X, y)
        model.save(tmp_path / "model")
        assert deciban.load(tmp_path / "model").predict(Z).tolist() == model.predict(Z).tolist()


def test_negative_numbers_are_refused():
    with pytest.raises(DataError, match="Negative values in data passed to the kernel 'chi2'"):
        SVM("chi2").fit(X - 1.0, X[:, 0] > 1.0)


@pytest.mark.parametrize("make", [list, np.array], ids=["list", "array"])
def test_a_function_compares_texts(make):
    def shared(some, others):
        return np.array([[len(set(a.split()) & set(b.split())) for b in others] for a in some], dtype=float)

    texts, y = ["a b", "b c", "c d e", "d e", "a c", "e f"], [0, 0, 1, 1, 0, 1]
    model = SVM(kernel=shared, calibration=None).fit(make(texts), y)
    gram = SVM("precomputed", calibration=None).fit(shared(texts, texts), y)
    assert_allclose(
        model.decision_function(make(["a", "d e f"])), gram.decision_function(shared(["a", "d e f"], texts))
    )
    assert model.predict(make(texts)).tolist() == y
    with pytest.raises(ValueError, match="a file keeps no kernel 'function'"):
        model.save("model")
