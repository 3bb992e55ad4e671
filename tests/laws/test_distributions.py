"""Laws that hold for every distribution of the catalogue: what is counted, and what follows from the counts."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import EVERY, ONE_KIND, forms, labelled_data, leaves, over, over_estimates
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.distributions import (
    CATALOGUE,
    Bernoulli,
    Categorical,
    Counts,
    Gaussian,
    Multinomial,
    Straight,
    by_name,
    fit_score,
)
from deciban.distributions.priors import class_prior, prior_optimum
from deciban.scores import AffineScore, CategoricalScore, IndependentScore
from oracle import naive_bayes as oracle

drawn = given(draws=st.data())


def flat(nested):
    """The numbers of the oracle's lists."""
    if isinstance(nested, Sequence):
        return [number for part in nested for number in flat(part)]
    return [] if nested is None else [nested]


def between_classes(densities):
    """What is common to all classes taken out."""
    return densities - densities[:, :1]


def test_no_member_of_the_catalogue_escapes_the_laws():
    assert {type(case.family) for case in ONE_KIND.values()} == set(CATALOGUE)
    assert [by_name(family.name) for family in CATALOGUE] == list(CATALOGUE)
    assert set(oracle.MODELS) == {family.name for family in CATALOGUE}


@over(EVERY)
@drawn
def test_the_whole_is_the_sum_of_its_parts_in_any_order(case, draws):
    data, count = draws.draw(case.data()), case.family.count
    order = draws.draw(st.permutations(range(len(data.y))))
    cut = draws.draw(st.integers(0, len(data.y)))
    assert count(*data) == count(*data.part(order[:cut])) + count(*data.part(order[cut:]))
    single = [count(*data.part([i])) for i in order]
    assert count(*data) == sum(single[1:], start=single[0])


@over(EVERY)
@drawn
def test_learnt_then_forgotten_was_never_learnt(case, draws):
    data = draws.draw(case.data())
    kept = draws.draw(st.integers(0, len(data.y)))
    rest = case.family.count(*data) - case.family.count(*data.part(slice(kept, None)))
    assert rest == case.family.count(*data.part(slice(kept)))
    case.family.check_counts(rest)
    for part in rest.arrays():
        assert not np.signbit(part[part == 0.0]).any()


@over(EVERY)
@drawn
def test_the_format_of_the_rows_does_not_matter(case, draws):
    data = draws.draw(case.data())
    whole = case.family.count(*data)
    for form in forms(data.X):
        before = form.copy()
        assert case.family.count(form, *data[1:]) == whole
        if sparse.issparse(form):
            assert form.nnz == before.nnz  # the caller's matrix is as it was
    if not np.isnan(data.X).any() and data.X.min() >= 0:
        assert case.family.count(data.X.astype(np.uint8), *data[1:]) == whole


@over(EVERY)
@drawn
def test_weight_means_repetition_and_none_means_one(case, draws):
    data = draws.draw(case.data())
    again = np.repeat(np.arange(len(data.y)), data.weight.astype(int))
    repeated = data.part(again)
    ones = repeated._replace(weight=np.ones(len(again)))
    assert case.family.count(*data) == case.family.count(*ones) == case.family.count(*ones._replace(weight=None))


@over({name: case for name, case in ONE_KIND.items() if case.family.missing})
@drawn
def test_a_missing_value_leaves_its_feature_out_and_no_other(case, draws):
    data = draws.draw(case.data())
    family = case.family
    if getattr(family, "sizes", None) is not None:
        family = Categorical(family.alpha)  # one column at a time has no declared sizes
    whole = family.parameters(family.count(*data), "bayes")
    for j in range(data.X.shape[1]):
        there = data.part(~np.isnan(data.X[:, j]))
        alone = family.parameters(family.count(there.X[:, [j]], *there[1:]), "bayes")
        for c in range(data.C):
            mine = leaves([whole[j]] if isinstance(family, Categorical) else of_feature(whole, j), c)
            assert_array_equal(mine, leaves(alone, c))


def of_feature(parameters, j):
    if isinstance(parameters, np.ndarray):
        return parameters[:, [j]]
    return type(parameters)(*[None if part is None else part[:, [j]] for part in parameters])


@over_estimates(ONE_KIND)
@drawn
def test_parameters_are_those_of_the_book(case, estimate, draws):
    data = draws.draw(case.data(classes=2)).grounded()
    family, book = case.family, dict(case.book)
    found = family.parameters(family.count(*data), estimate)
    told = oracle.MODELS[book.pop("likelihood")][0](*data.lists(), estimate, **book)
    for c in range(data.C):
        assert_allclose(leaves(found, c), flat(told[c]), rtol=1e-10, atol=1e-14)


@over(EVERY)
@drawn
def test_a_score_is_the_log_density_but_for_what_all_classes_share(case, draws):
    data = draws.draw(case.data())
    family = case.family
    parameters = family.parameters(family.count(*data), "bayes")
    T = family.statistic(data.X)
    prior = np.log(np.arange(1.0, data.C + 1))
    density = family.log_density(T, parameters)
    size = max(1.0, np.abs(density).max())
    score = between_classes(family.score(parameters, prior)(T) - prior)
    assert_allclose(score, between_classes(density), rtol=1e-10, atol=1e-10 * size)


@over_estimates(EVERY)
@drawn
def test_the_short_way_to_a_score_ends_where_the_long_one_does(case, estimate, draws):
    data = draws.draw(case.data(classes=2)).grounded()
    family, prior = case.family, np.log(np.arange(1.0, data.C + 1))
    seen, T = family.count(*data), family.statistic(data.X)
    long = family.score(family.parameters(seen, estimate), prior)
    assert_allclose(fit_score(family, seen, estimate, prior)(T), long(T), rtol=1e-12, atol=1e-11)
    if not isinstance(family, Straight):
        return
    short = family.straight(seen, estimate, prior)
    finite = np.isfinite(long.W).all() and (long.absent is None or np.isfinite(long.absent).all())
    assert (short is not None) == (finite and getattr(seen, "missing", None) is None)
    if short is not None:
        assert_allclose(short.W, long.W, rtol=1e-12, atol=1e-12)
        assert_allclose(short(T), long(T), rtol=1e-12, atol=1e-11)


@over(ONE_KIND)
@drawn
def test_the_compiled_form_is_affine_and_equals_the_density(case, draws):
    """Normals with a variance a class are quadratic, Student's t is neither: they have no affine form."""
    data = draws.draw(case.data(missing=False))
    family, seen = case.family, case.family.count(*data)
    phi = family.parameters(seen, "bayes")
    score, T = family.score(phi, np.zeros(data.C)), family.statistic(data.X)
    if not isinstance(family, Gaussian):
        density = family.log_density(T, phi)
    elif family.shared:  # one variance for all classes: the quadratic term is common to all
        phi = family.parameters(seen, "map")
        assert isinstance(score, IndependentScore)
        score, density = family.score(phi, np.zeros(data.C)), family.log_density(T, phi)
    else:
        assert isinstance(score, IndependentScore)
        assert isinstance(family.score(family.parameters(seen, "map"), np.zeros(data.C)), IndependentScore)
        return
    if isinstance(score, CategoricalScore):
        T, score = score.statistic(T).toarray(), score.affine
    assert isinstance(score, AffineScore)
    assert score.W.flags.c_contiguous
    affine = np.asarray(T, dtype=float) @ score.W
    affine += 0.0 if score.absent is None else score.absent.sum(axis=0)
    size = max(1.0, np.abs(density).max())
    assert_allclose(between_classes(affine), between_classes(density), rtol=1e-10, atol=1e-10 * size)


@over(ONE_KIND)
@drawn
def test_features_and_classes_have_no_order(case, draws):
    data = draws.draw(case.data())
    family = Categorical(case.family.alpha) if isinstance(case.family, Categorical) else case.family
    columns = draws.draw(st.permutations(range(data.X.shape[1])))
    classes = np.array(draws.draw(st.permutations(range(data.C))))
    turned = data._replace(X=data.X[:, columns], y=classes[data.y])
    densities = []
    for own in (data, turned):
        parameters = family.parameters(family.count(*own), "bayes")
        densities.append(family.log_density(family.statistic(own.X), parameters))
    assert_allclose(densities[1][:, classes], densities[0], rtol=1e-12, atol=1e-12)


@over_estimates(EVERY)
@drawn
def test_the_estimate_is_the_optimum_it_claims_and_nothing_is_better(case, estimate, draws):
    data = draws.draw(case.data(classes=2)).grounded()
    family, seen = case.family, case.family.count(*data)
    best = family.parameters(seen, estimate)
    found = family.optimum(seen, best, estimate)
    size = max(1.0, abs(found.primal))
    assert 0.0 <= found.primal - found.dual <= 1e-11 * size
    assert found.violation <= 1e-11
    i = draws.draw(st.integers(0, len(data.y) - 1))
    other = family.parameters(seen + family.count(*data.part([i])), estimate)
    worse = family.optimum(seen, other, estimate)
    assert worse.dual <= found.dual + 1e-11 * size
    away = max(np.abs(leaves(other, c) - leaves(best, c)).max() for c in range(data.C))
    least = 1e-7 * size if away > 0.05 else -1e-11 * size
    assert worse.primal - found.primal >= least


@pytest.mark.parametrize("option", ["empirical", "smoothed", "uniform"])
@given(data=labelled_data())
def test_class_priors_are_those_of_the_book(option, data):
    n = np.bincount(data.y, data.weight)
    pi, found = class_prior(option, n), prior_optimum(option, n)
    book = oracle.class_prior(data.y.tolist(), data.weight.tolist(), data.C, option)
    assert_allclose(pi, book, rtol=1e-12)
    assert 0.0 <= found.primal - found.dual <= 1e-12 * max(1.0, found.primal)


@over({name: case for name, case in ONE_KIND.items() if not isinstance(case.family, Gaussian)})
@drawn
def test_fractional_weights_are_forgotten_up_to_rounding(case, draws):
    data = draws.draw(case.data())
    tenth = data._replace(weight=data.weight / 10)
    left = case.family.count(*tenth) - case.family.count(*tenth.part(slice(None, None, -1)))
    for part in left.arrays():
        assert_allclose(part, 0.0, atol=1e-12)
        assert (part >= 0.0).all()


def test_a_sum_that_passes_its_whole_by_rounding_is_the_whole():
    seen = Counts(np.array([1.0]), np.array([[np.nextafter(1.0, 2.0)]]))
    assert Bernoulli().parameters(seen, "ml").tolist() == [[1.0]]
    assert Bernoulli(1e-20, 1e-20).parameters(seen, "bayes").tolist() == [[1.0]]


def test_counts_equal_counts_only():
    assert Counts.zero(1, 2) == Counts.zero(1, 2)
    assert Counts.zero(1, 2) != Counts.zero(2, 2)
    assert Counts.zero(1, 2) != "nothing"


def test_many_classes_are_counted_like_few():
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 30), density=0.2, random_state=rng, format="csr")
    X.data = np.ceil(X.data * 5)
    y, weight = rng.integers(0, 100, 400), rng.integers(1, 4, 400).astype(float)
    counted, dense = Multinomial().count(X, y, weight, 100), X.toarray()
    for c in range(100):
        assert_array_equal(counted.s[c], (weight[y == c, None] * dense[y == c]).sum(axis=0))
        assert counted.n[c] == weight[y == c].sum()
