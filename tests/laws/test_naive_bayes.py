"""Laws of the naive Bayes models, over every likelihood."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import labelled_data
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from deciban.conventions import DECIBANS_PER_NAT
from deciban.distributions import CATALOGUE
from deciban.models.naive_bayes import NaiveBayes
from oracle import naive_bayes as oracle

LIKELIHOODS = [family.name for family in CATALOGUE]
over_likelihoods = pytest.mark.parametrize("likelihood", LIKELIHOODS)
over_priors = pytest.mark.parametrize("class_prior", ["fitted", "smoothed", "uniform"])
WORDS = np.array(["eggs", "ham", "spam"])  # labels 0, 1, 2 of the drawn data, in sorted order


def same(one, other):
    """Two models that know and judge the same, to the last bit."""
    assert_array_equal(one.classes_, other.classes_)
    assert one.counts_ == other.counts_
    assert_array_equal(one.score_.W, other.score_.W)
    assert_array_equal(one.score_.bias, other.score_.bias)
    return one.certificate_.to_json() == other.certificate_.to_json()


@over_likelihoods
@over_priors
@given(data=labelled_data())
def test_posteriors_are_those_of_the_book(likelihood, class_prior, data):
    rows = (data.X > 0).astype(int) if likelihood == "bernoulli" else data.X
    model = NaiveBayes(likelihood, alpha=0.5, class_prior=class_prior).fit(data.X, data.y, data.weight)
    book = oracle.joint(
        likelihood, *(part.tolist() for part in (rows, *data[1:3])), data.C, rows.tolist(),
        alpha=0.5, prior=class_prior,
    )  # fmt: skip
    assert_allclose(model.predict_joint_log_proba(data.X), book, rtol=1e-10, atol=1e-12)
    posterior = [oracle.posterior(b) for b in book]
    assert_allclose(model.predict_log_proba(data.X), posterior, rtol=1e-9, atol=1e-10)


@over_likelihoods
@given(data=labelled_data())
def test_prediction_is_the_most_probable_class(likelihood, data):
    model = NaiveBayes(likelihood).fit(data.X, WORDS[data.y])
    proba = model.predict_proba(data.X)
    chosen = np.searchsorted(model.classes_, model.predict(data.X))
    assert_array_equal(proba[np.arange(len(proba)), chosen], proba.max(axis=1))
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)


@over_likelihoods
@given(data=labelled_data(), draws=st.data())
def test_learnt_in_parts_is_learnt_at_once(likelihood, data, draws):
    cut = draws.draw(st.integers(1, len(data.y) - 1))
    labels = WORDS[data.y]
    whole = NaiveBayes(likelihood).fit(data.X, labels, data.weight)
    parts = [data.part(slice(cut)), data.part(slice(cut, None))]
    models = [NaiveBayes(likelihood).fit(p.X, WORDS[p.y], p.weight) for p in parts]
    assert same(models[0] + models[1], whole)
    assert same(sum(models), whole)
    for p in parts[1:]:  # brings labels the first part may not have
        models[0].partial_fit(p.X, WORDS[p.y], sample_weight=p.weight)
    assert same(models[0], whole)
    single = NaiveBayes(likelihood)
    for i in range(len(labels)):
        single.partial_fit(data.X[[i]], labels[[i]], sample_weight=data.weight[[i]])
    assert same(single, whole)


@over_likelihoods
@given(data=labelled_data(), draws=st.data())
def test_forgotten_was_never_learnt(likelihood, data, draws):
    cut = draws.draw(st.integers(1, len(data.y) - 1))
    first, second = data.part(slice(cut)), data.part(slice(cut, None))
    never = NaiveBayes(likelihood).fit(first.X, WORDS[first.y], first.weight)
    model = clone(never).fit(data.X, WORDS[data.y], data.weight)
    assert same(model.forget(second.X, WORDS[second.y], second.weight), never)
    corrected = clone(never).fit(data.X, WORDS[data.y])  # one wrong label, taken back and set right
    corrected.forget(data.X[[0]], WORDS[data.y[[0]]]).partial_fit(data.X[[0]], ["toast"])
    assert same(corrected, clone(never).fit(data.X, ["toast", *WORDS[data.y[1:]]]))


@over_likelihoods
@given(data=labelled_data())
def test_weight_means_repetition_and_none_means_absence(likelihood, data):
    labels = WORDS[data.y]
    weighted = NaiveBayes(likelihood).fit(data.X, labels, data.weight)
    again = np.repeat(np.arange(len(labels)), data.weight.astype(int))
    assert same(weighted, NaiveBayes(likelihood).fit(data.X[again], labels[again]))
    X, y = np.vstack([data.X, data.X]), np.concatenate([labels, np.full(len(labels), "toast")])
    weight = np.concatenate([data.weight, np.zeros(len(labels))])
    assert same(weighted, NaiveBayes(likelihood).fit(X, y, weight))


@over_likelihoods
@given(data=labelled_data())
def test_the_format_of_the_rows_does_not_matter(likelihood, data):
    model = NaiveBayes(likelihood).fit(data.X, data.y)
    csr = sparse.csr_array(data.X.astype(np.float64))
    wide = sparse.csr_array(csr)
    wide.indices, wide.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    forms = [csr, sparse.csr_matrix(csr), csr.tocsc(), csr.tocoo(), wide, csr.astype(np.float32)]
    forms += [data.X.tolist(), data.X.astype(np.float32), data.X.astype(float)]
    for form in forms:
        assert same(NaiveBayes(likelihood).fit(form, data.y), model)
        assert_allclose(model.predict_log_proba(form), model.predict_log_proba(data.X), rtol=1e-10, atol=1e-12)
    same(NaiveBayes(likelihood).fit(data.X > 0, data.y), NaiveBayes(likelihood).fit(1 * (data.X > 0), data.y))


@over_likelihoods
@given(data=labelled_data(), draws=st.data())
def test_features_and_labels_have_no_order(likelihood, data, draws):
    columns = draws.draw(st.permutations(range(data.X.shape[1])))
    classes = np.array(draws.draw(st.permutations(range(3))))
    model = NaiveBayes(likelihood).fit(data.X, data.y)
    turned = NaiveBayes(likelihood).fit(data.X[:, columns], classes[data.y])
    place = np.searchsorted(turned.classes_, classes[model.classes_])
    mine, theirs = model.predict_log_proba(data.X), turned.predict_log_proba(data.X[:, columns])
    assert_allclose(theirs[:, place], mine, rtol=1e-9, atol=1e-10)


@over_likelihoods
@given(data=labelled_data())
def test_evidence_and_prior_sum_to_the_log_odds(likelihood, data):
    model = NaiveBayes(likelihood).fit(data.X, WORDS[data.y])
    joint = model.predict_joint_log_proba(data.X)
    for form in (data.X, sparse.csr_array(data.X)):
        for why, b, label in zip(model.explain(form), joint, model.predict(data.X), strict=True):
            assert why.label == label
            told = why.prior_decibans + sum(term.decibans for term in why.terms)
            best, *others = sorted(b, reverse=True)
            expected = (best - others[0]) * DECIBANS_PER_NAT if others else 0.0
            assert told == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert why.decibans == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["ham", "spam", "스팸"]),
        np.array(["ham", "spam", "x"], dtype=object),
        np.array([-5, 0, 7]),
        np.array([-1.0, 0.0, 2.0]),
        np.array([False, True]),
    ],
    ids=lambda labels: labels.dtype.name,
)
@over_likelihoods
def test_labels_of_any_type_come_back(likelihood, labels):
    X = np.eye(len(labels), dtype=int) * 3
    model = NaiveBayes(likelihood).fit(X, labels)
    assert model.predict(X).dtype == labels.dtype
    assert_array_equal(model.predict(X), labels)
    assert [why.label for why in model.explain(X)] == labels.tolist()
    for x, label in zip(X, labels, strict=True):
        assert same(clone(model).fit(X, labels).forget([x], [label]).partial_fit([x], [label]), model)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@over_likelihoods
def test_the_names_of_a_data_frame_are_the_names_of_the_evidence(likelihood, frame):
    X = frame({"offer": [2, 1, 0], "meeting": [0, 0, 3]})
    model = NaiveBayes(likelihood).fit(X, ["spam", "spam", "ham"])
    assert model.feature_names_in_.tolist() == ["offer", "meeting"]
    assert {term.feature for why in model.explain(X) for term in why.terms} == {"offer", "meeting"}
    merged = model + model
    assert merged.feature_names_in_.tolist() == ["offer", "meeting"]
    assert merged.n_features_in_ == 2


@over_likelihoods
def test_a_million_words_give_finite_normalised_posteriors(likelihood):
    d = 10**6
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.integers(1, 3, (2, d)) * (rng.random((2, d)) < 0.5))
    model = NaiveBayes(likelihood).fit(X, ["ham", "spam"])
    document = sparse.csr_array(np.ones((1, d)))
    shouting = sparse.csr_array((np.array([1e6]), (np.array([0]), np.array([7]))), shape=(1, d))
    for query in (X, document, shouting, sparse.csr_array((1, d))):
        log_p = model.predict_log_proba(query)
        assert np.isfinite(log_p).all()
        assert not np.signbit(log_p[log_p == 0.0]).any()
        assert_allclose(model.predict_proba(query).sum(axis=1), 1.0, rtol=1e-12)
    why = model.explain(document)[0]
    told = why.prior_decibans + sum(term.decibans for term in why.terms)
    size = np.abs(model.predict_joint_log_proba(document)).max()
    assert told == pytest.approx(why.decibans, abs=1e-9 * max(1.0, size))


@over_likelihoods
def test_a_declared_class_waits_with_probability_zero_and_is_never_dropped(likelihood):
    model = NaiveBayes(likelihood).partial_fit([[1, 0]], ["ham"], classes=["ham", "spam"])
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.predict_proba([[1, 0]]).tolist() == [[1.0, 0.0]]
    smoothed = clone(model).set_params(class_prior="smoothed").partial_fit([[1, 0]], ["ham"], ["ham", "spam"])
    assert 0.0 < smoothed.predict_proba([[1, 0]])[0, 1] < 0.5
    model.partial_fit([[0, 1]], ["spam"]).forget([[0, 1]], ["spam"])
    assert model.classes_.tolist() == ["ham", "spam"]


@over_likelihoods
def test_what_is_wholly_forgotten_can_learn_again(likelihood):
    model = NaiveBayes(likelihood).fit([[1, 0], [0, 1]], ["ham", "spam"])
    model.forget([[1, 0], [0, 1]], ["ham", "spam"])
    assert model.classes_.tolist() == []
    assert same(model.partial_fit([[1, 0]], [3]), NaiveBayes(likelihood).fit([[1, 0]], [3]))


@over_likelihoods
@pytest.mark.parametrize("estimate", ["bayes", "map", "ml"])
def test_estimates_agree_with_the_book_and_bring_a_certificate(likelihood, estimate):
    X = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1]])
    y = [0, 0, 0, 1, 1, 1]
    model = NaiveBayes(likelihood, alpha=2.0, estimate=estimate).fit(X, y)
    book = oracle.joint(likelihood, X.tolist(), y, [1] * 6, 2, X.tolist(), alpha=2.0, estimate=estimate)
    assert_allclose(model.predict_joint_log_proba(X), book, rtol=1e-10)
    proof = model.certificate_
    assert abs(proof.relative_gap) <= 1e-12
    assert proof.relative_gap == (proof.primal - proof.dual) / max(1.0, abs(proof.primal))
    assert proof.kkt_violation <= 1e-12
    if estimate == "ml":  # the objective is the joint likelihood of the training data itself
        assert proof.primal == pytest.approx(-sum(b[c] for b, c in zip(book, y, strict=True)), rel=1e-12)
    assert proof.class_counts == {0: 3.0, 1: 3.0}
    assert (proof.n, proof.d, proof.iterations, proof.seed) == (6.0, 3, 0, None)


@over_likelihoods
@given(data=labelled_data())
def test_a_certificate_is_a_function_of_the_counts(likelihood, data):
    model = NaiveBayes(likelihood).fit(data.X, WORDS[data.y])
    backwards = NaiveBayes(likelihood).fit(data.X[::-1], WORDS[data.y[::-1]])
    stored = model.certificate_.to_json()
    assert json.loads(json.dumps(stored)) == stored == backwards.certificate_.to_json()
    assert "seconds" not in stored
    more = model.partial_fit(data.X[[0]], WORDS[data.y[[0]]]).certificate_
    assert more.digest != stored["digest"]
    assert model.certificate_.seconds > 0.0
    assert "\n" not in str(more)
    assert more.digest[:12] in str(more)


@over_likelihoods
@given(data=labelled_data())
def test_what_was_learnt_can_be_looked_at(likelihood, data):
    model = NaiveBayes(likelihood, alpha=0.5).fit(data.X, data.y, data.weight)
    rows = (data.X > 0).astype(int) if likelihood == "bernoulli" else data.X
    parameters = oracle.MODELS[likelihood][0]
    phi = parameters(rows.tolist(), data.y.tolist(), data.weight.tolist(), data.C, 0.5, "bayes")
    assert_allclose(np.exp(model.feature_log_prob_), phi, rtol=1e-12)
    assert_array_equal(model.class_count_, np.bincount(data.y, data.weight))
    assert_array_equal(model.feature_count_, model.counts_.s)


@pytest.mark.parametrize(("likelihood", "checks"), [("bernoulli", 63), ("multinomial", 64)])
def test_scikit_learn_finds_nothing_to_complain_about(likelihood, checks):
    results = check_estimator(NaiveBayes(likelihood), on_skip=None, on_fail="raise")
    skipped = [result["check_name"] for result in results if result["status"] != "passed"]
    assert set(skipped) <= {"check_array_api_input"}  # asks for an environment variable set at start-up
    assert len(results) >= checks
