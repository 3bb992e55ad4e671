"""Laws of scores: normalising, evidence, forms of a row."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.conventions import DECIBANS_PER_NAT
from deciban.scores import AffineScore, log_posterior
from oracle import naive_bayes as oracle

nats = st.floats(-1e4, 1e4)
shape = array_shapes(min_dims=1, max_dims=2, max_side=6)


def test_the_number_of_the_book():
    both = -120 - log_posterior([-120.0, -121.0])[0]  # b_0 − log p(0 | x) = log(e^−120 + e^−121)
    assert both == pytest.approx(-120 + np.log1p(np.exp(-1)), rel=1e-15)
    assert both == pytest.approx(-119.686738, abs=5e-7)
    assert pytest.approx(4.342944819) == DECIBANS_PER_NAT


@given(b=arrays(np.float64, shape, elements=nats))
def test_posteriors_are_finite_and_sum_to_one(b):
    log_p = log_posterior(b)
    assert np.isfinite(log_p).all()
    assert (log_p <= 0.0).all()
    assert not np.signbit(log_p[log_p == 0.0]).any()
    assert_allclose(np.exp(log_p).sum(axis=-1), 1.0, rtol=1e-12)
    winner = np.expand_dims(b.argmax(axis=-1), -1)
    assert_array_equal(np.take_along_axis(log_p, winner, -1), log_p.max(axis=-1, keepdims=True))


@given(b=arrays(np.float64, st.integers(1, 6), elements=nats), shift=nats)
def test_posteriors_are_those_of_the_book_wherever_the_zero_is(b, shift):
    assert_allclose(log_posterior(b), oracle.posterior(b.tolist()), rtol=1e-10, atol=1e-10)
    assert_allclose(log_posterior(b + shift), log_posterior(b), rtol=1e-9, atol=1e-9)


def test_a_certain_winner_keeps_its_doubt():
    assert log_posterior([0.0, -50.0])[0] == pytest.approx(-np.exp(-50), rel=1e-12)
    assert log_posterior([0.0, -1e4]).tolist() == [0.0, -1e4]
    assert log_posterior([3.0]).tolist() == [0.0]
    assert log_posterior([1.0, -np.inf]).tolist() == [0.0, -np.inf]


@st.composite
def scored_rows(draw):
    d, C, N = draw(st.integers(1, 6)), draw(st.integers(2, 4)), draw(st.integers(1, 4))
    weight = st.floats(-1e3, 1e3)
    W = draw(arrays(np.float64, (d, C), elements=weight))
    absent = draw(st.none() | arrays(np.float64, (d, C), elements=st.floats(-1e3, 0)))
    prior = draw(arrays(np.float64, C, elements=st.floats(-20, 0)))
    X = draw(arrays(np.float64, (N, d), elements=st.integers(0, 9).map(float)))
    return AffineScore(W, prior, absent), X


@given(case=scored_rows())
def test_a_score_is_its_definition(case):
    score, X = case
    expected = score.prior + np.einsum("ij,jc->ic", X, score.W)
    if score.absent is not None:
        expected = expected + score.absent.sum(axis=0)
    assert_allclose(score(X), expected, rtol=1e-12, atol=1e-9)
    assert_array_equal(score(np.zeros_like(X)), np.broadcast_to(score.bias, (len(X), len(score.prior))))


@given(case=scored_rows())
def test_dense_and_sparse_rows_score_alike(case):
    score, X = case
    csr = sparse.csr_array(X)
    wide = sparse.csr_array(csr)
    wide.indices, wide.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    for form in (csr, sparse.csr_matrix(csr), csr.tocsc(), wide, X.astype(np.int64), X.astype(np.float32)):
        assert_allclose(score(form), score(X), rtol=1e-12, atol=1e-9)


@given(case=scored_rows(), pair=st.tuples(st.integers(0, 1), st.integers(0, 1)))
def test_evidence_sums_to_the_score(case, pair):
    score, X = case
    label, against = pair
    total = score(X)
    for i, row in enumerate(X):
        terms = score.terms(row, label, against)
        explained = score.prior[label] - score.prior[against] + terms.evidence.sum()
        assert_allclose(explained, total[i, label] - total[i, against], rtol=1e-9, atol=1e-9)
        spoken = row != 0.0 if score.absent is None else (row != 0.0) | score.absent.any(axis=1)
        listed = np.flatnonzero(spoken)
        assert_array_equal(terms.feature, listed)
        assert_array_equal(terms.x, row[listed])


@given(case=scored_rows())
def test_a_row_has_many_forms_and_one_explanation(case):
    score, X = case
    csr = sparse.csr_array(X)
    zeros = sparse.csr_array(X + 1.0)  # entries that are stored and zero
    zeros.data = zeros.data - 1.0
    twice = sparse.csr_array((np.repeat(csr.data, 2) / 2, np.repeat(csr.indices, 2), csr.indptr * 2), shape=csr.shape)
    for i in range(len(X)):
        plain = score.terms(X[i], 0, 1)
        for form in (X[[i]], csr[[i]], sparse.csr_matrix(csr)[i], csr.tocsc()[[i]], zeros[[i]], twice[[i]]):
            for mine, other in zip(plain, score.terms(form, 0, 1), strict=True):
                assert_array_equal(mine, other)


@given(case=scored_rows())
def test_an_explanation_adds_up_in_decibans(case):
    score, X = case
    labels = [f"class {c}" for c in range(len(score.prior))]
    names = [f"word {j}" for j in range(X.shape[1])]
    for row, total in zip(X, score(X), strict=True):
        why = score.explain(row, labels, names)
        best, second = -np.sort(-total)[:2]
        assert why.label == labels[total.argmax()]
        assert why.against != why.label
        assert why.decibans == pytest.approx((best - second) * DECIBANS_PER_NAT, rel=1e-9, abs=1e-9)
        told = why.prior_decibans + sum(term.decibans for term in why.terms)
        assert told == pytest.approx(why.decibans, rel=1e-9, abs=1e-8)
        assert why.probability == pytest.approx(np.exp(log_posterior(total)).max())
        strength = [abs(term.decibans) for term in why.terms]
        assert strength == sorted(strength, reverse=True)
        assert {term.feature: term.x for term in why.terms if term.x} == {
            name: x for name, x in zip(names, row, strict=True) if x
        }


def test_one_class_leaves_nothing_to_weigh():
    why = AffineScore(np.zeros((2, 1)), np.zeros(1)).explain(np.ones(2), ["ham"])
    assert (why.label, why.against, why.probability, why.decibans, why.terms) == ("ham", None, 1.0, 0.0, [])


def test_features_without_names_go_by_their_index():
    why = AffineScore(np.array([[0.0, 0.0], [1.0, 3.0]]), np.zeros(2)).explain(np.array([0.0, 2.0]), [0, 1])
    assert [(term.feature, type(term.feature)) for term in why.terms] == [(1, int)]


def test_a_million_absent_words_keep_their_digits():
    rng = np.random.default_rng(1)
    absent = np.log1p(-rng.uniform(0.0, 1e-3, (10**6, 2)))
    score = AffineScore(np.zeros((10**6, 2)), np.log([0.5, 0.5]), absent)
    exact = [math.fsum(absent[:, c]) + math.log(0.5) for c in range(2)]
    assert_allclose(score.bias, exact, rtol=1e-14)


def test_scoring_loads_neither_scipy_nor_scikit_learn():
    program = """
import sys
import deciban.scores
assert not {"scipy", "sklearn"} & set(sys.modules), "on import"
import numpy as np
score = deciban.scores.AffineScore(np.ones((3, 2)), np.zeros(2), np.zeros((3, 2)))
score.explain(np.array([1.0, 0.0, 2.0]), ["ham", "spam"])
assert not {"scipy", "sklearn"} & set(sys.modules), "on use"
"""
    subprocess.run([sys.executable, "-c", program], check=True)
