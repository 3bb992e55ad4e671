"""Laws of the spectrum kernel: it is the count of substrings, of any script."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from deciban.kernel_solvers import KernelProblem, Limits
from deciban.kernel_solvers.qp import DualQP
from deciban.kernels import Precomputed, Spectrum, mercer
from oracle import kernels as oracle

KOREAN = ["안녕하세요 반갑습니다", "광고 무료 당첨! 무료 상품", "무료 상품을 확인하세요", "안녕 안녕 안녕", ""]
texts = st.lists(st.text(alphabet="ab가나🙂\0 ", max_size=12), min_size=1, max_size=6)
lengths = st.integers(1, 4)


def gram(X, Z, length):
    return np.array([[oracle.spectrum(s, t, length) for t in Z] for s in X], dtype=float).reshape(len(X), len(Z))


@given(X=texts, Z=texts, length=lengths)
def test_a_tile_counts_the_strings_that_two_texts_share(X, Z, length):
    kernel = Spectrum(length)
    assert_array_equal(kernel.tile(X, Z), gram(X, Z, length))
    assert_array_equal(kernel.diagonal(X), gram(X, X, length).diagonal())
    assert_array_equal(kernel.tile(np.array(X, dtype=object), Z), kernel.tile(X, Z))


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_korean(length):
    assert_array_equal(Spectrum(length).tile(KOREAN, KOREAN), gram(KOREAN, KOREAN, length))


@given(X=texts, length=lengths)
def test_a_spectrum_is_an_inner_product(X, length):
    for kernel in (Spectrum(length), Spectrum(length, normalized=True), Spectrum(1) + Spectrum(length)):
        assert mercer(kernel, X).valid


@given(X=texts, Z=texts, length=lengths)
def test_normalized_is_a_cosine(X, Z, length):
    kernel = Spectrum(length, normalized=True)
    norms = [np.sqrt(gram(each, each, length).diagonal()) for each in (X, Z)]
    norms = [np.where(norm > 0.0, norm, 1.0) for norm in norms]
    assert_allclose(kernel.tile(X, Z), gram(X, Z, length) / norms[0][:, None] / norms[1][None, :], rtol=1e-12)
    assert_allclose(kernel.diagonal(X), kernel.tile(X, X).diagonal(), rtol=1e-12)
    long = [text for text in X if len(text) >= length]
    assert_array_equal(kernel.diagonal(long), np.ones(len(long)))


def test_sums_of_lengths_count_all_of_them():
    kernel = Spectrum(1) + Spectrum(2)
    assert_array_equal(kernel.tile(KOREAN, KOREAN), gram(KOREAN, KOREAN, 1) + gram(KOREAN, KOREAN, 2))


def test_no_texts_make_no_tile():
    assert Spectrum(2).tile([], ["ab"]).shape == (0, 1)
    assert Spectrum(2).tile([], []).shape == (0, 0)


def test_a_machine_of_texts_is_that_of_their_gram_matrix():
    kernel = Spectrum(2) + Spectrum(1)
    X, y, c = kernel.accept(KOREAN[:4]), np.array([1.0, -1.0, -1.0, 1.0]), np.ones(4)
    of_texts = DualQP().solve(KernelProblem.classification(kernel, X, y, c), Limits())
    of_gram = DualQP().solve(KernelProblem.classification(Precomputed(), kernel.tile(X, X), y, c), Limits())
    assert_allclose(of_texts.beta, of_gram.beta, rtol=1e-12)
    of_array = KernelProblem.classification(kernel, np.array(X, dtype=object), y, c)
    assert_array_equal(DualQP().solve(of_array, Limits()).beta, of_texts.beta)
    assert (y * of_texts.beta > 0.0).any()
