"""Laws of Gaussian discriminant analysis: what must not matter, and that the evidence adds up."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from clouds import EVERY, LABELS, WITHOUT_UNITS, clouds, few, model, near, over, seeds, weights
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban.conventions import DECIBANS_PER_NAT
from deciban.models.discriminant import GaussianDiscriminant

# What must not matter.


@over(EVERY)
@few
@given(seed=seeds)
def test_features_and_labels_have_no_order(options, seed):
    X, y = clouds(seed)
    random = np.random.default_rng(seed)
    columns, classes = random.permutation(4), random.permutation(3)
    plain, turned = model(options).fit(X, y), model(options).fit(X[:, columns], classes[y])
    place = np.searchsorted(turned.classes_, classes[plain.classes_])
    theirs = turned.predict_log_proba(X[:, columns])[:, place]
    assert_allclose(theirs, plain.predict_log_proba(X), rtol=1e-8, atol=1e-9)


@over(WITHOUT_UNITS)
@few
@given(seed=seeds)
def test_units_do_not_matter(options, seed):
    X, y = clouds(seed)
    units, zero = np.array([1e-9, -3.0, 1e12, 1.0]), np.array([0.0, 1.0, -1e10, 1e3])
    plain, other = model(options).fit(X, y), model(options).fit(X * units + zero, y)
    ours, theirs = plain.predict_log_proba(X), other.predict_log_proba(X * units + zero)
    assert_allclose(theirs, ours, rtol=1e-7, atol=1e-7)
    assert other.rank_ == 4


@over(EVERY)
@few
@given(seed=seeds)
def test_a_feature_that_never_varies_is_no_evidence(options, seed):
    X, y = clouds(seed)
    constant = np.insert(X, [0, 2, 4], [0.1, 1e9, -3.3], axis=1)
    plain, other = model(options).fit(X, y), model(options).fit(constant, y)
    assert_allclose(other.predict_log_proba(constant), plain.predict_log_proba(X), rtol=1e-8, atol=1e-9)
    strange = constant.copy()
    strange[:, 0] += 5.0
    assert_array_equal(other.predict_joint_log_proba(strange), other.predict_joint_log_proba(constant))
    assert_allclose(other.shrinkage_, plain.shrinkage_, rtol=1e-9)
    assert (other.rank_, plain.rank_) == (4, 4)
    assert other.certificate_.advice == "rank 4 of 7: no evidence from 3 features without variance"
    assert plain.certificate_.advice == ""
    told = [sum(abs(t.decibans) for t in why.terms if t.feature in (0, 3, 6)) for why in other.explain(strange[:3])]
    assert told == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("covariance", ["shared", "per_class"])
@few
@given(seed=seeds)
def test_what_other_features_say_already_is_no_more_evidence(covariance, seed):
    X, y = clouds(seed)
    copies = np.column_stack([X, 1e6 * X[:, 1] - 2.0, X[:, 0] + X[:, 2], np.full(len(y), 7.0)])
    plain = GaussianDiscriminant(covariance).fit(X, y)
    other = GaussianDiscriminant(covariance).fit(copies, y)
    assert other.rank_ == 4
    assert_allclose(other.predict_log_proba(copies), plain.predict_log_proba(X), rtol=1e-5, atol=1e-5)
    assert other.certificate_.advice == (
        "rank 4 of 7: no evidence from 3 directions without variance within the classes; "
        "shrinkage='auto' or estimate='bayes' uses 2 of them"
    )
    assert GaussianDiscriminant(covariance, estimate="bayes").fit(copies, y).rank_ == 6


@over({name: options for name, options in EVERY.items() if name != "per_class-ml"})
def test_more_features_than_examples(options):
    X, y = clouds(5, N=12, d=30, apart=2.0)
    fitted = model(options).fit(X, y)
    assert np.isfinite(fitted.predict_joint_log_proba(X)).all()
    flat = options == {"covariance": "shared"}
    assert fitted.rank_ == (9 if flat else 30)
    advice = "rank 9 of 30: no evidence from 21 directions without variance within the classes; "
    assert fitted.certificate_.advice == (f"{advice}shrinkage='auto' or estimate='bayes' uses them" if flat else "")
    assert fitted.certificate_.kkt_violation < 1e-8


@over(EVERY)
def test_the_form_of_the_rows_does_not_matter(options):
    X, y = clouds(11)
    X[X < 0] = 0.0
    plain = model(options).fit(X, y)
    csr = sparse.csr_array(X)
    twice = sparse.csr_array((np.repeat(csr.data, 2) / 2, np.repeat(csr.indices, 2), csr.indptr * 2), shape=X.shape)
    frames = [pd.DataFrame(X, columns=list("abcd")), pl.DataFrame(X, schema=list("abcd"))]
    for form in [np.asfortranarray(X), X[::-1][::-1], X.tolist(), csr, csr.tocsc(), twice, *frames]:
        other = model(options).fit(form, y)
        near(other.counts_, plain.counts_)
        ours, theirs = plain.predict_joint_log_proba(X), other.predict_joint_log_proba(form)
        assert_allclose(theirs, ours, rtol=1e-9, atol=1e-9)
    small = model(options).fit(X.astype(np.float32), y)
    assert_allclose(small.predict_proba(X.astype(np.float32)), plain.predict_proba(X), atol=1e-4)
    whole = np.rint(X * 10).astype(int)
    near(model(options).fit(whole, y).counts_, model(options).fit(whole.astype(float), y).counts_)


@over(EVERY)
def test_a_row_is_judged_as_one_of_many(options):
    X, y = clouds(13, N=5000, d=3)
    fitted = model(options).fit(X[:200], y[:200])
    many = fitted.predict_joint_log_proba(X)
    for i in (0, 4095, 4096, 4999):
        assert_allclose(fitted.predict_joint_log_proba(X[[i]])[0], many[i], rtol=1e-10, atol=1e-10)


# Evidence.


@over(EVERY)
@few
@given(seed=seeds)
def test_evidence_and_prior_sum_to_the_log_odds(options, seed):
    X, y = clouds(seed)
    fitted = model(options).fit(X, LABELS[y], weights(seed, len(y)))
    joint = fitted.predict_joint_log_proba(X[:8])
    for form in (X[:8], sparse.csr_array(X[:8])):
        for why, b, label in zip(fitted.explain(form), joint, fitted.predict(X[:8]), strict=True):
            told = why.prior_decibans + sum(term.decibans for term in why.terms)
            best, second, _ = sorted(b, reverse=True)
            size = max(1.0, *(abs(term.decibans) for term in why.terms))
            assert why.label == label
            assert told == pytest.approx((best - second) * DECIBANS_PER_NAT, rel=1e-9, abs=1e-9 * size)
            assert why.decibans == pytest.approx((best - second) * DECIBANS_PER_NAT, rel=1e-9, abs=1e-9)
            assert {term.feature for term in why.terms} - {"(volume)"} <= {0, 1, 2, 3}


def test_between_two_classes_no_feature_speaks_at_the_midpoint():
    X, y = clouds(17, C=2)
    fitted = GaussianDiscriminant().fit(X, y)
    middle = fitted.means_.mean(axis=0, keepdims=True)
    assert [term.decibans for term in fitted.explain(middle)[0].terms] == pytest.approx([0.0] * 4, abs=1e-9)


@over(EVERY)
def test_numbers_of_any_size_have_finite_scores(options):
    X, y = clouds(19)
    for unit in (1.0, 1e-70, 1e70):
        fitted = model(options).fit(X * unit, y)
        for far in (1e300, -1e300, 1e155, -1e200):
            rows = np.vstack([np.where(np.eye(4) > 0, far, X[:4] * unit), np.full(4, far), [far, -far, far, 0.0]])
            joint = fitted.predict_joint_log_proba(rows)
            assert np.isfinite(joint).all()
            assert_allclose(fitted.predict_proba(rows).sum(axis=1), 1.0, rtol=1e-12)
            assert not np.isnan(fitted.credible_interval(rows)).any()
            for why in fitted.explain(rows):
                told = why.prior_decibans + sum(term.decibans for term in why.terms)
                size = max([1.0, np.abs(joint).max(), *(abs(term.decibans) for term in why.terms)])
                assert told == pytest.approx(why.decibans, abs=1e-8 * size)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_the_names_of_a_data_frame_are_the_names_of_the_evidence(frame):
    X, y = clouds(23, d=2)
    fitted = GaussianDiscriminant("per_class").fit(frame({"height": X[:, 0], "width": X[:, 1]}), y)
    assert fitted.feature_names_in_.tolist() == ["height", "width"]
    terms = fitted.explain(frame({"height": X[:3, 0], "width": X[:3, 1]}))[0].terms
    assert {term.feature for term in terms} == {"height", "width", "(volume)"}
