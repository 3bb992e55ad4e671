"""Laws of the evidence of kernel machines: it sums, and where it can be exact it is."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from deciban import SVM, LinearSVM
from deciban.kernels import CATALOGUE, HISTOGRAMS, RBF, Function, Linear, Polynomial
from deciban.scores import AffineScore, KernelScore, additive, radial
from laws.svms import cloud, machine, over


@over()
@pytest.mark.parametrize("C", [2, 3])
def test_terms_and_prior_are_the_log_odds(name, C):
    X, y = cloud(C)
    model = machine(name).fit(X, y)
    p = model.predict_proba(X[:8])
    for by in ("feature", "vector"):
        for i, why in enumerate(model.explain(X[:8], by=by)):
            total = why.prior_decibans + sum(term.decibans for term in why.terms)
            assert total == pytest.approx(why.decibans, rel=1e-9, abs=1e-9)
            assert why.label == model.predict(X[[i]])[0]
            assert why.probability == p[i].max()
            assert why.decibans == pytest.approx(10 * np.log10(p[i].max() / np.sort(p[i])[-2]), abs=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_linear_kernel_is_an_affine_score(form):
    r = np.random.default_rng(0)
    V, A, b, row = r.normal(size=(5, 4)), r.normal(size=(5, 3)), r.normal(size=3), np.array([1.0, 0.0, -2.0, 0.5])
    kernel, affine = KernelScore(Linear(), form(V), A, b), AffineScore(V.T @ A, b)
    one, other = kernel.terms(form(row[None, :]), 2, 0), affine.terms(row, 2, 0)
    assert_allclose(kernel(form(row[None, :])), affine(row[None, :]), atol=1e-12)
    assert_allclose(one.feature, other.feature)
    assert_allclose(one.evidence, other.evidence, atol=1e-12)
    assert_allclose(kernel.prior, affine.prior)


def test_the_weights_of_a_linear_kernel_explain_like_a_linear_machine():
    X, y = cloud()
    kernel, linear = SVM("linear", tol=1e-9).fit(X, y), LinearSVM(tol=1e-9, max_iter=100_000).fit(X, y)
    for one, other in zip(kernel.explain(X[:5]), linear.explain(X[:5]), strict=True):
        assert [term.feature for term in one.terms] == [term.feature for term in other.terms]
        assert_allclose([t.decibans for t in one.terms], [t.decibans for t in other.terms], atol=1e-3)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", [Polynomial(0.5, 1.0, 2), Linear() + Polynomial(1.0, 0.0, 2)])
def test_pairs_of_features_share_as_shapley_has_it(form, kernel):
    r = np.random.default_rng(1)
    V, A, row = r.normal(size=(6, 4)), r.normal(size=(6, 2)), r.normal(size=4)
    score = KernelScore(kernel, form(V), A, np.zeros(2))
    terms = score.terms(form(row[None, :]), 1, 0)
    assert_allclose(terms.evidence, shapley(lambda x: float(np.subtract(*score(form(x[None, :]))[0, ::-1])), row))


def test_a_sum_over_features_is_exact():
    hats = Function(lambda X, Z: np.exp(-np.square(X[:, None, :] - Z[None, :, :])).sum(axis=2))
    r = np.random.default_rng(2)
    V, A, row, start = r.normal(size=(6, 3)), r.normal(size=(6, 2)), r.normal(size=3), r.normal(size=3)
    terms = KernelScore(hats, V, A, np.zeros(2), start).terms(row, 1, 0)
    a = A[:, 1] - A[:, 0]
    alone = (np.exp(-np.square(row - V)) - np.exp(-np.square(start - V))).T @ a
    assert_allclose(terms.evidence, alone, atol=1e-12)


def test_elsewhere_the_rest_is_shared():
    r = np.random.default_rng(3)
    V, A, row, start = r.normal(size=(6, 3)), r.normal(size=(6, 2)), r.normal(size=3), r.normal(size=3)
    score = KernelScore(RBF(0.2), V, A, np.zeros(2), start)
    terms = score.terms(row, 0, 1)
    total = np.subtract(*score(row[None, :])[0]) - np.subtract(*score(start[None, :])[0])
    assert terms.evidence.sum() == pytest.approx(total)
    exact = shapley(lambda x: float(np.subtract(*score(x[None, :])[0])), row, start)
    assert_allclose(terms.evidence, exact, atol=0.1 * np.abs(exact).max())
    assert len(score.terms(start, 0, 1).evidence) == 0


def shapley(f, row, start=None):
    """The mean over all orders of what each feature brings (Shapley 1953), from its definition."""
    d = len(row)
    start = np.zeros(d) if start is None else start
    found = np.zeros(d)
    for j in range(d):
        others = [k for k in range(d) if k != j]
        for size in range(d):
            for inside in combinations(others, size):
                x = start.copy()
                x[list(inside)] = row[list(inside)]
                without = f(x)
                x[j] = row[j]
                found[j] += factorial(size) * factorial(d - size - 1) / factorial(d) * (f(x) - without)
    return found


def test_sparse_rbf_rows_are_explained_as_dense_ones():
    r = np.random.default_rng(4)
    V, A = r.normal(size=(9, 6)) * (r.random((9, 6)) < 0.5), r.normal(size=(9, 2))
    dense, thin = (KernelScore(RBF(0.7), form(V), A, r.normal(size=2)) for form in (np.asarray, sparse.csr_array))
    for row in (r.normal(size=6), V[0], np.zeros(6), 3.0 * r.normal(size=6), 1e3 * V[1]):
        one, other = dense.terms(row[None, :], 1, 0), thin.terms(sparse.csr_array(row[None, :]), 1, 0)
        assert_allclose(other.feature, one.feature)
        assert_allclose(other.evidence, one.evidence, atol=1e-9)
    mean = np.array([column[column != 0.0].mean() if column.any() else 0.0 for column in V.T])
    assert_allclose(thin.alone(), thin(sparse.csr_array(np.diag(mean))) - thin(sparse.csr_array((1, 6))), atol=1e-12)


ADDITIVE = [each for each in (*CATALOGUE, *HISTOGRAMS) if hasattr(each, "of_feature")]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ADDITIVE, ids=lambda kernel: kernel.name)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-3, 1.0, 30.0]))
def test_sums_over_features_say_what_rows_say(kernel, dtype, form, seed, size):
    """Each feature changed alone, by the change of the sum and by the kernel of changed rows, from 0 and a baseline."""
    random = np.random.default_rng(seed)
    X = (size * np.abs(random.normal(size=(30, 6)))).astype(dtype)
    A = random.normal(size=(30, 2))
    a = A[:, 1] - A[:, 0]
    for baseline in (None, X.mean(axis=0, dtype=np.float64))[: 1 if form is sparse.csr_array else 2]:
        score = KernelScore(kernel(), form(X), A, np.zeros(2), baseline)
        row = form(X[[3]])
        _, _, quick = score._shares(row, a)
        with pytest.MonkeyPatch.context() as patch:
            for way in (additive, radial):
                patch.setattr(way, "suits", lambda *given: False)
            _, _, slow = score._shares(row, a)
        # Changed rows are rounded to the type of the vectors: each kernel value is off by a few of its last places.
        largest = np.abs(kernel().tile(X.astype(np.float64), X.astype(np.float64))).max()
        assert_allclose(quick, slow, rtol=1e-9, atol=64 * np.finfo(dtype).eps * np.abs(a).sum() * max(1.0, largest))


@pytest.mark.deep
@pytest.mark.parametrize("kernel", ADDITIVE, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_an_explanation_asks_for_numbers_in_proportion_to_the_features(kernel, form, monkeypatch):
    """Rows of twice as many features take twice as many values of the kernel or of its sums, not four times."""

    def values(d):
        random, count = np.random.default_rng(0), [0]
        X = np.abs(random.normal(size=(20, d)))
        own = kernel()
        score = KernelScore(own, form(X), random.normal(size=(20, 2)), np.zeros(2))

        def counted(method):
            def call(*given):
                out = method(*given)
                count[0] += out.size * (d if method is tile else 1)
                return out

            return call

        tile = type(own).tile
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(own), "tile", counted(tile))
            patch.setattr(type(own), "finish", counted(type(own).finish))
            score.terms(form(X[[0]]), 1, 0)
        return count[0]

    assert values(4000) <= 2.2 * values(2000)
