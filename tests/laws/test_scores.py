"""Laws of scores: normalising, evidence, forms of a row."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from labelled import forms
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.conventions import DECIBANS_PER_NAT
from deciban.scores import AffineScore, CategoricalScore, ColumnScore, IndependentScore, join_scores, log_posterior
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


def affine(draw, d, C):
    W = draw(arrays(np.float64, (d, C), elements=st.floats(-1e3, 1e3)))
    absent = draw(st.none() | arrays(np.float64, (d, C), elements=st.floats(-1e3, 0)))
    return AffineScore(W, np.zeros(C), absent)


def categorical(draw, d, C):
    K = np.array(draw(st.lists(st.integers(1, 6), min_size=d, max_size=d)))
    offsets = np.concatenate([[0], np.cumsum(K + 1)])
    table = draw(arrays(np.float64, (int(offsets[-1]), C), elements=st.floats(-50, 0)))
    return CategoricalScore(np.zeros(C), table, offsets)


def normal(draw, d, C):
    location, scale, constant = (
        draw(arrays(np.float64, (C, d), elements=st.floats(low, high)))
        for low, high in ((-5.0, 9.0), (0.0, 4.0), (-9.0, 9.0))
    )
    return IndependentScore(np.zeros(C), location, scale, constant)


def student(draw, d, C):
    """With one number of degrees of freedom a class, or one a feature."""
    shape = draw(st.sampled_from([(C, d), (C, 1)]))
    freedom = np.broadcast_to(draw(arrays(np.float64, shape, elements=st.floats(0.5, 40.0))), (C, d)).copy()
    plain = normal(draw, d, C)
    return IndependentScore(plain.prior, plain.location, plain.scale, plain.constant, freedom)


def by_columns(draw, d, C):
    """Each column in a part of its own, and one in none."""
    kinds = [draw(st.sampled_from([affine, categorical, normal, student])) for _ in range(max(1, d - 1))]
    return ColumnScore(np.zeros(C), tuple((np.array([j]), kind(draw, 1, C)) for j, kind in enumerate(kinds)))


KINDS = [affine, categorical, normal, student, by_columns]
over_kinds = pytest.mark.parametrize("kind", KINDS)
drawn = given(draws=st.data())


def scored_rows(draws, kind, missing=True):
    """A score with a prior, and rows (N, d) of whole numbers, some of them missing."""
    d, C, N = draws.draw(st.integers(1, 6)), draws.draw(st.integers(2, 4)), draws.draw(st.integers(1, 4))
    score = kind(draws.draw, d, C)
    object.__setattr__(score, "prior", draws.draw(arrays(np.float64, C, elements=st.floats(-20, 0))))
    cells = st.integers(0, 9).map(float)
    return score, draws.draw(arrays(np.float64, (N, d), elements=(st.just(np.nan) | cells) if missing else cells))


def term(score, j, x, c):
    """What feature j with the value x says for class c, straight from the definition."""
    if np.isnan(x):
        return 0.0
    if isinstance(score, AffineScore):
        return x * score.W[j, c] + (0.0 if score.absent is None else score.absent[j, c])
    if isinstance(score, CategoricalScore):
        K = score.offsets[j + 1] - score.offsets[j] - 1
        return score.table[score.offsets[j] + min(int(x), K), c]
    if isinstance(score, IndependentScore):
        square = ((x - score.location[c, j]) * score.scale[c, j]) ** 2
        if score.freedom is None:
            return score.constant[c, j] - square / 2
        nu = score.freedom[c, j]
        return score.constant[c, j] - (nu + 1) / 2 * math.log1p(square / nu)
    return sum(term(part, 0, x, c) for columns, part in score.parts if columns[0] == j)


@over_kinds
@drawn
def test_a_score_is_its_definition(kind, draws):
    score, X = scored_rows(draws, kind)
    classes = range(len(score.prior))
    expected = [
        [score.prior[c] + math.fsum(term(score, j, x, c) for j, x in enumerate(row)) for c in classes] for row in X
    ]
    assert_allclose(score(X), expected, rtol=1e-12, atol=1e-9)


@over_kinds
@drawn
def test_dense_and_sparse_rows_score_alike(kind, draws):
    score, X = scored_rows(draws, kind)
    for form in forms(X):
        form = form.tocsr() if sparse.issparse(form) else form  # as distributions hand them on
        if sparse.issparse(form):
            form.sum_duplicates()
        assert_allclose(score(form), score(X), rtol=1e-12, atol=1e-9)


@over_kinds
@drawn
def test_evidence_sums_to_the_score(kind, draws):
    score, X = scored_rows(draws, kind)
    label, against = draws.draw(st.integers(0, 1)), draws.draw(st.integers(0, 1))
    total = score(X)
    for i, row in enumerate(X):
        terms = score.terms(row, label, against)
        explained = score.prior[label] - score.prior[against] + terms.evidence.sum()
        assert_allclose(explained, total[i, label] - total[i, against], rtol=1e-9, atol=1e-9)
        assert_array_equal(terms.x, row[terms.feature])
        assert (np.diff(terms.feature) > 0).all()
        parts = [term(score, j, x, label) - term(score, j, x, against) for j, x in enumerate(row)]
        assert_allclose(terms.evidence, np.array(parts)[terms.feature], rtol=1e-9, atol=1e-9)
        unsaid = np.delete(parts, terms.feature)
        assert not unsaid.any()  # what is not listed says nothing


@drawn
def test_an_affine_score_lists_the_absent_only_where_they_count(draws):
    score, X = scored_rows(draws, affine, missing=False)
    for row in X:
        listed = np.flatnonzero(row if score.absent is None else (row != 0.0) | score.absent.any(axis=1))
        assert_array_equal(score.terms(row, 0, 1).feature, listed)


@over_kinds
@drawn
def test_a_row_has_many_forms_and_one_explanation(kind, draws):
    score, X = scored_rows(draws, kind)
    csr = sparse.csr_array(X)
    zeros = sparse.csr_array(np.ones(X.shape))  # entries that are stored and zero
    zeros.data = X.ravel().copy()
    twice = sparse.csr_array((np.repeat(csr.data, 2) / 2, np.repeat(csr.indices, 2), csr.indptr * 2), shape=csr.shape)
    for i in range(len(X)):
        plain = score.terms(X[i], 0, 1)
        for form in (X[[i]], csr[[i]], sparse.csr_matrix(csr)[i], csr.tocsc()[[i]], zeros[[i]], twice[[i]]):
            for mine, other in zip(plain, score.terms(form, 0, 1), strict=True):
                assert_array_equal(mine, other)


@over_kinds
@drawn
def test_an_explanation_adds_up_in_decibans(kind, draws):
    score, X = scored_rows(draws, kind)
    labels = [f"class {c}" for c in range(len(score.prior))]
    names = [f"word {j}" for j in range(X.shape[1])]
    for row, total in zip(X, score(X), strict=True):
        why = score.explain(row.reshape(1, -1), labels, names)
        best, second = -np.sort(-total)[:2]
        assert why.label == labels[total.argmax()]
        assert why.against != why.label
        assert why.decibans == pytest.approx((best - second) * DECIBANS_PER_NAT, rel=1e-9, abs=1e-9)
        told = why.prior_decibans + sum(term.decibans for term in why.terms)
        assert told == pytest.approx(why.decibans, rel=1e-9, abs=1e-8)
        assert why.probability == pytest.approx(np.exp(log_posterior(total)).max())
        strength = [abs(term.decibans) for term in why.terms]
        assert strength == sorted(strength, reverse=True)
        assert {term.feature: term.x for term in why.terms}.items() <= dict(zip(names, row, strict=True)).items()


@drawn
def test_affine_parts_join_to_one_affine_score(draws):
    C, columns = 3, np.array(draws.draw(st.permutations(range(5))))
    groups = np.split(columns, [draws.draw(st.integers(1, 4))])
    parts = [(np.sort(own), affine(draws.draw, len(own), C)) for own in groups]
    prior, X = np.log([0.2, 0.3, 0.5]), draws.draw(arrays(np.float64, (4, 5), elements=st.integers(0, 4).map(float)))
    one, apart = join_scores(prior, parts, 5), ColumnScore(prior, tuple(parts))
    assert isinstance(one, AffineScore)
    assert_allclose(one(X), apart(X), rtol=1e-12, atol=1e-9)
    for row in X:
        told = [
            {j: e for j, e in zip(terms.feature.tolist(), terms.evidence, strict=True) if e}
            for terms in (one.terms(row, 0, 1), apart.terms(row, 0, 1))
        ]
        assert told[0] == pytest.approx(told[1])
    left_out = join_scores(prior, parts, 6)
    assert isinstance(left_out, ColumnScore)
    assert 5 not in left_out.terms(np.ones(6), 0, 1).feature


def test_what_is_impossible_scores_minus_infinity():
    W = np.array([[-np.inf, np.log(0.5)], [np.inf, 0.0]])  # feature 0 never in class 0, feature 1 always
    absent = np.array([[0.0, np.log(0.5)], [-np.inf, np.log(0.5)]])
    score = AffineScore(W, np.zeros(2), absent)
    X = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [np.nan, np.nan], [np.nan, 1.0]])
    half = np.log(0.5)
    expected = [[0.0, 2 * half], [-np.inf, 3 * half], [-np.inf, 2 * half], [0.0, 0.0], [0.0, half]]
    assert_allclose(score(X), expected)
    assert_allclose(score(sparse.csr_array(X)), expected)
    terms = score.terms(X[1], 1, 0)
    assert dict(zip(terms.feature.tolist(), terms.evidence, strict=True)) == {0: np.inf, 1: half}


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
