"""Laws of what networks say: probabilities that fit the predictions, and evidence that is all of the log-odds."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import MLPClassifier
from deciban.conventions import DECIBANS_PER_NAT
from deciban.scores import NetworkScore
from laws.nets import EVERY, FORMS, SCORES, clouds, forms, model, network, over, rows, targets
from oracle import network as oracle

BASELINES = {"nothing": None, "an item": rows(4)[0]}
baselines = pytest.mark.parametrize("baseline", list(BASELINES))
PAIRS = [(0, 1), (2, 1), (1, 0)]


def whole(score, x, label, against):
    """What the evidence of x should sum to, and how large the scores are that it comes from."""
    nats = score(x)[0] - score.prior
    return nats[label] - nats[against], np.abs(score(x)).max() + np.abs(score.prior).max()


@baselines
@forms
@over(SCORES)
def test_evidence_sums_to_the_log_odds(name, form, baseline):
    x = FORMS[form](rows(3))
    for size in (0.3, 1.0, 3.0):
        score = NetworkScore(network(name, size=size), BASELINES[baseline])
        for (label, against), i in zip(PAIRS, range(3), strict=True):
            row = x[[i]]
            total, large = whole(score, row, label, against)
            terms = score.terms(row, label, against)
            assert terms.evidence.sum() == pytest.approx(total, rel=1e-9, abs=1e-12 * large)
            assert_array_equal(terms.x, rows(3)[i][terms.feature])


@baselines
@over(SCORES)
def test_evidence_is_the_integral(name, baseline):
    net, x = network(name), rows(3)
    start = np.zeros(4) if baseline == "nothing" else BASELINES[baseline]
    score = NetworkScore(net, BASELINES[baseline])
    for label, against in PAIRS[:2]:
        feature, _, evidence = score.terms(x[0], label, against)
        found = np.zeros(4)
        found[feature] = evidence
        wanted = oracle.integrated(net, x[0], start, label, against)
        assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
        backwards = score.terms(x[0], against, label)
        assert_allclose(backwards.evidence, -evidence, rtol=1e-12, atol=1e-12)


@baselines
def test_of_one_layer_the_evidence_is_that_of_a_linear_model(baseline):
    net, x = network("logistic-softmax-cross_entropy-no"), rows(3)
    start = np.zeros(4) if baseline == "nothing" else BASELINES[baseline]
    score, W = NetworkScore(net, BASELINES[baseline]), net.weights[0]
    for row in x:
        feature, _, evidence = score.terms(row, 0, 1)
        assert_allclose(evidence, ((row - start) * (W[:, 0] - W[:, 1]))[feature], rtol=1e-12, atol=1e-14)
    assert_allclose(score(x), x @ W + net.biases[0], rtol=1e-13)
    single = NetworkScore(network("logistic-logistic-cross_entropy-no", K=1), BASELINES[baseline])
    w = single.network.weights[0][:, 0]
    feature, _, evidence = single.terms(x[0], 1, 0)
    assert_allclose(evidence, ((x[0] - start) * w)[feature], rtol=1e-12)


@pytest.mark.parametrize("K", [1, 2, 3])
@over({name: each for name, each in SCORES.items() if each[1].name == "logistic"})
def test_labels_that_do_not_exclude_each_other_are_explained_one_by_one(name, K):
    net, x = network(name, K=K), rows(3)
    s = net.forward(x)[0]
    for label in range(K):
        score = NetworkScore(net, None, label)
        assert_allclose(score(x), np.column_stack([np.zeros(len(x)), s[:, label]]), rtol=1e-12)
        for form in FORMS.values():
            row = form(x)[[0]]
            total, large = whole(score, row, 1, 0)
            assert score.terms(row, 1, 0).evidence.sum() == pytest.approx(total, rel=1e-9, abs=1e-12 * large)


@over(SCORES)
def test_signals_of_any_size_are_explained(name):
    x = rows(3)
    for size in (30.0, 1e4):
        score = NetworkScore(network(name, size=size))
        assert np.abs(score.signals_of(x)).max() > size
        for row in x[:2]:
            total, large = whole(score, row[None, :], 0, 1)
            terms = score.terms(row, 0, 1)
            assert np.isfinite(terms.evidence).all()
            assert terms.evidence.sum() == pytest.approx(total, abs=1e-9 * large)
            assert np.abs(terms.evidence).max() < 1e3 * large
        told = score.explain(x[[0]], "abc")
        assert told.prior_decibans + sum(term.decibans for term in told.terms) == pytest.approx(
            told.decibans, abs=1e-9 * large * DECIBANS_PER_NAT
        )


def test_an_item_that_is_the_baseline_needs_no_evidence():
    item = rows(4)[0]
    for name in SCORES:
        score = NetworkScore(network(name), item)
        assert len(score.terms(item, 0, 1).evidence) == 0
        assert_allclose(score.prior, score(item[None, :])[0])


@over(SCORES)
def test_a_feature_that_no_unit_hears_has_no_weight(name):
    net = network(name)
    weights = [net.weights[0] * np.array([[1.0], [0.0], [1.0], [1.0]]), *net.weights[1:]]
    score = NetworkScore(replace(net, weights=weights))
    for row in rows(3) + 0.5:
        assert score.terms(row, 0, 1).evidence[1] == 0.0


# Whole models.


@pytest.mark.parametrize("C", [2, 3])
@over(SCORES)
def test_the_prediction_is_the_most_probable_class(name, C):
    X, y = clouds(C=C)
    fitted = model(name).fit(X, np.array(["ant", "bee", "cat"])[y])
    for far in (X, 1e4 * X):
        p = fitted.predict_proba(far)
        assert p.shape == (len(X), C)
        assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
        won = np.searchsorted(fitted.classes_, fitted.predict(far))
        assert_array_equal(p[np.arange(len(p)), won], p.max(axis=1))
        logs = fitted.predict_log_proba(far)
        assert_allclose(np.exp(logs), p, rtol=1e-12, atol=1e-300)
        assert np.isfinite(logs).all()
    assert_allclose(fitted.scorer_(X), fitted.scorer_(sparse.csr_array(X)), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@forms
@over(SCORES)
def test_a_model_explains_itself(name, form, dtype):
    X, y = clouds()
    X = FORMS[form](X)
    fitted, close = model(name, dtype=dtype).fit(X, y), 1e-9 if dtype == "float64" else 1e-5
    for told, p, won in zip(fitted.explain(X[:2]), fitted.predict_proba(X), fitted.predict(X), strict=False):
        assert told.label == won
        assert told.probability == pytest.approx(p.max(), rel=close)
        odds = DECIBANS_PER_NAT * np.log(p[won] / p[told.against])
        assert told.decibans == pytest.approx(odds, rel=close, abs=10.0 * close)
        terms = sum(term.decibans for term in told.terms)
        assert told.prior_decibans + terms == pytest.approx(told.decibans, rel=1e-9, abs=1e-9)
        assert np.all(np.diff([abs(term.decibans) for term in told.terms]) <= 0.0)


@forms
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_a_model_of_many_labels_explains_each(form, activation):
    X, y = clouds()
    Y = np.column_stack([y == 0, y > 0, X[:, 0] > 0]).astype(int)
    X = FORMS[form](X)
    fitted = MLPClassifier((6,), activation, dtype="float64", max_iter=8).fit(X, Y)
    p = fitted.predict_proba(X)
    assert_array_equal(fitted.predict(X), p > 0.5)
    assert_allclose(np.exp(fitted.predict_log_proba(X)), p, rtol=1e-12)
    for label in range(3):
        for told, each in zip(fitted.explain(X[:4], label=label), p[:, label], strict=False):
            assert told.label == (label if each > 0.5 else f"not {label}")
            assert told.probability == pytest.approx(max(each, 1.0 - each), rel=1e-9)
            assert told.decibans == pytest.approx(DECIBANS_PER_NAT * abs(np.log(each / (1.0 - each))), rel=1e-9)
            terms = sum(term.decibans for term in told.terms)
            assert told.prior_decibans + terms == pytest.approx(told.decibans, rel=1e-9, abs=1e-9)


@over({name: each for name, each in EVERY.items() if each[1].name == "linear"})
def test_numbers_come_out_as_they_went_in(name):
    X, _ = clouds()
    Y = targets(name, 2, n=len(X))
    one, many = model(name).fit(X, Y[:, 0]), model(name).fit(X, Y)
    assert (one.predict(X).shape, many.predict(X).shape) == ((40,), (40, 3))
    assert model(name).fit(X, Y[:, :1]).predict(X).shape == (40, 1)
    assert_allclose(many.predict(sparse.csr_array(X)), many.predict(X), rtol=1e-12)
