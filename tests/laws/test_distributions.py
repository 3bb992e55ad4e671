"""Laws that hold for every distribution of the catalogue."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import labelled_data
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.distributions import CATALOGUE, Bernoulli, Counts, Multinomial, by_name
from deciban.distributions.class_prior import class_prior, prior_optimum
from deciban.distributions.counts import class_sums
from oracle import naive_bayes as oracle

# A distribution and the largest whole number it takes.
FAMILIES = [
    pytest.param(Bernoulli(), 1, id="bernoulli"),
    pytest.param(Bernoulli(0.5, 2.0), 1, id="bernoulli-lopsided"),
    pytest.param(Bernoulli(2.5, 2.5, binarize=1.0), 4, id="bernoulli-threshold"),
    pytest.param(Multinomial(), 4, id="multinomial"),
    pytest.param(Multinomial(0.3), 4, id="multinomial-sparse-prior"),
]
over_families = pytest.mark.parametrize(("family", "largest"), FAMILIES)
drawn = given(draws=st.data())


def test_no_member_of_the_catalogue_escapes_the_laws():
    assert {type(case.values[0]) for case in FAMILIES} == set(CATALOGUE)
    assert [by_name(family.name) for family in CATALOGUE] == list(CATALOGUE)


@over_families
@drawn
def test_the_whole_is_the_sum_of_its_parts(family, largest, draws):
    data = draws.draw(labelled_data(largest))
    cut = draws.draw(st.integers(0, len(data.y)))
    left, right = data.part(slice(cut)), data.part(slice(cut, None))
    assert family.count(*data) == family.count(*left) + family.count(*right)


@over_families
@drawn
def test_learnt_then_forgotten_was_never_learnt(family, largest, draws):
    data = draws.draw(labelled_data(largest))
    kept = draws.draw(st.integers(0, len(data.y)))
    rest = family.count(*data) - family.count(*data.part(slice(kept, None)))
    assert rest == family.count(*data.part(slice(kept)))
    assert not np.signbit(rest.s).any()
    family.check_counts(rest)


@over_families
@drawn
def test_many_at_once_are_many_one_at_a_time(family, largest, draws):
    data = draws.draw(labelled_data(largest))
    total = Counts.zero(data.C, data.X.shape[1])
    for i in range(len(data.y)):
        total += family.count(*data.part([i]))
    assert total == family.count(*data)


@over_families
@drawn
def test_the_format_of_the_rows_does_not_matter(family, largest, draws):
    data = draws.draw(labelled_data(largest))
    whole = family.count(*data)
    csr = sparse.csr_array(data.X.astype(np.float64))
    wide = sparse.csr_array(csr)
    wide.indices, wide.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    doubled = sparse.csr_array((np.repeat(csr.data, 2) / 2, np.repeat(csr.indices, 2), csr.indptr * 2), shape=csr.shape)
    forms = [csr, sparse.csr_matrix(csr), csr.tocsc(), csr.tocoo(), wide, doubled, csr.astype(np.float32)]
    forms += [data.X.astype(t) for t in (np.float32, np.float64, np.uint8)]
    forms += [np.asfortranarray(data.X), data.X[:, ::-1].copy()[:, ::-1]]
    for form in forms:
        assert family.count(form, *data[1:]) == whole
    assert doubled.nnz == 2 * csr.nnz  # the caller's matrix is as it was


@over_families
@drawn
def test_weight_means_repetition(family, largest, draws):
    data = draws.draw(labelled_data(largest))
    again = np.repeat(np.arange(len(data.y)), data.weight.astype(int))
    repeated = data.part(again)._replace(weight=np.ones(len(again)))
    assert family.count(*data) == family.count(*repeated)


@over_families
@drawn
def test_affine_form_equals_the_density(family, largest, draws):
    data = draws.draw(labelled_data(largest))
    phi = family.parameters(family.count(*data), "bayes")
    W, absent = family.affine(phi)
    T = family.statistic(data.X)
    affine = T @ W + (0.0 if absent is None else absent.sum(axis=0))
    assert_allclose(affine, family.log_density(T, phi), rtol=1e-10, atol=1e-12)
    assert W.flags.c_contiguous


@over_families
@drawn
def test_features_and_classes_have_no_order(family, largest, draws):
    data = draws.draw(labelled_data(largest))
    columns = draws.draw(st.permutations(range(data.X.shape[1])))
    classes = np.array(draws.draw(st.permutations(range(data.C))))
    straight = family.count(*data)
    shuffled = family.count(data.X[:, columns], classes[data.y], *data[2:])
    assert_array_equal(shuffled.n[classes], straight.n)
    assert_array_equal(shuffled.s[classes], straight.s[:, columns])
    phi, turned = (family.parameters(counts, "bayes") for counts in (straight, shuffled))
    assert_allclose(turned[classes], phi[:, columns], rtol=1e-14)


@over_families
@drawn
def test_the_estimate_is_the_optimum_it_claims_and_nothing_is_better(family, largest, draws):
    data = draws.draw(labelled_data(largest))
    seen = family.count(*data)
    phi = family.parameters(seen, "bayes")
    found = family.optimum(seen, phi, "bayes")
    size = max(1.0, abs(found.primal))
    assert 0.0 <= found.primal - found.dual <= 1e-12 * size
    assert found.violation <= 1e-12
    other = family.parameters(seen + family.count(*data.part([0])), "bayes")
    worse = family.optimum(seen, other, "bayes")
    assert worse.primal >= found.primal - 1e-12 * size
    assert worse.dual <= found.dual + 1e-12 * size


@pytest.mark.parametrize("alpha", [1.0, 1.5, 3.0])
@pytest.mark.parametrize("estimate", ["bayes", "map", "ml"])
@pytest.mark.parametrize("name", [family.name for family in CATALOGUE])
@given(data=labelled_data(largest=1))
def test_parameters_are_those_of_the_book(name, estimate, alpha, data):
    rows = [*data.X.tolist(), *np.eye(data.X.shape[1], dtype=int).tolist() * data.C]
    labels = [*data.y.tolist(), *np.repeat(np.arange(data.C), data.X.shape[1]).tolist()]
    weight = [*data.weight.tolist(), *[1.0] * (len(labels) - len(data.y))]
    family = by_name(name).symmetric(alpha)
    seen = family.count(np.array(rows), np.array(labels), np.array(weight), data.C)
    book = oracle.MODELS[name][0](rows, labels, weight, data.C, alpha, estimate)
    assert_allclose(family.parameters(seen, estimate), book, rtol=1e-10)


@pytest.mark.parametrize(("alpha", "beta", "n", "s"), [(1.0, 1.0, 3.0, 2.0), (2.5, 0.5, 7.0, 0.0), (1, 4, 0.0, 0.0)])
def test_bayes_is_the_posterior_mean_by_brute_force(alpha, beta, n, s):
    seen = Counts(np.array([n]), np.array([[s]]))
    edges = np.linspace(0.0, 1.0, 200_001)
    phi = (edges[1:] + edges[:-1]) / 2
    density = phi ** (s + alpha - 1) * (1 - phi) ** (n - s + beta - 1)
    mean = (phi * density).sum() / density.sum()
    assert_allclose(Bernoulli(alpha, beta).parameters(seen, "bayes"), [[mean]], rtol=2e-3)


@given(data=labelled_data())
def test_multinomial_shares_sum_to_one(data):
    family = Multinomial(0.7)
    assert_allclose(family.parameters(family.count(*data), "bayes").sum(axis=1), 1.0, rtol=1e-14)


def test_many_classes_are_counted_like_few():
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 30), density=0.2, random_state=rng, format="csr")
    X.data = np.ceil(X.data * 5)
    y, weight = rng.integers(0, 100, 400), rng.integers(1, 4, 400).astype(float)
    counted = class_sums(X, y, weight, 100)
    dense = X.toarray()
    for c in range(100):
        assert_array_equal(counted.s[c], (weight[y == c, None] * dense[y == c]).sum(axis=0))
        assert counted.n[c] == weight[y == c].sum()


@given(data=labelled_data())
def test_fractional_weights_are_forgotten_up_to_rounding(data):
    family, tenth = Multinomial(), data._replace(weight=data.weight / 10)
    left = family.count(*tenth) - family.count(*tenth.part(slice(None, None, -1)))
    assert_allclose(left.s, 0.0, atol=1e-12)
    assert (left.s >= 0.0).all()
    assert (left.n >= 0.0).all()


def test_a_sum_that_passes_its_whole_by_rounding_is_the_whole():
    seen = Counts(np.array([1.0]), np.array([[np.nextafter(1.0, 2.0)]]))
    assert Bernoulli().parameters(seen, "ml").tolist() == [[1.0]]
    assert Bernoulli(1e-20, 1e-20).parameters(seen, "bayes").tolist() == [[1.0]]


def test_counts_equal_counts_only():
    assert Counts.zero(1, 2) == Counts.zero(1, 2)
    assert Counts.zero(1, 2) != Counts.zero(2, 2)
    assert Counts.zero(1, 2) != "nothing"


@pytest.mark.parametrize("option", ["fitted", "smoothed", "uniform"])
@given(data=labelled_data())
def test_class_priors_are_those_of_the_book(option, data):
    n = np.bincount(data.y, data.weight)
    pi, found = class_prior(option, n), prior_optimum(option, n)
    book = oracle.class_prior(data.y.tolist(), data.weight.tolist(), data.C, option)
    assert_allclose(pi, book, rtol=1e-12)
    assert 0.0 <= found.primal - found.dual <= 1e-12 * max(1.0, found.primal)
