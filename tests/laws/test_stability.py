"""Laws of stability: what is said of resamples is what models of repeated rows say, and counts have the doubt that the
resamples show."""

import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import deciban
from deciban import SVM, LogisticRegression, MLPClassifier, NaiveBayes, TextClassifier
from deciban.conventions import DECIBANS_PER_NAT
from deciban.evaluation.stability import _jaccard, strongest
from deciban.models.proofs import mark_interrupted
from laws.explained import cloud, counts, people, texts

CASES = {
    "naive-bayes": (NaiveBayes(), counts),
    "columns": (NaiveBayes("auto"), people),
    "logistic": (LogisticRegression(tol=1e-12), cloud),
    "machine": (SVM(tol=1e-10), cloud),
    "text": (TextClassifier("naive-bayes", words=(1, 1)), texts),
    "text logistic": (TextClassifier("logistic", words=(1, 1)), texts),
}
every = pytest.mark.parametrize(("name", "C"), [(name, 2 + k % 2) for k, name in enumerate(CASES)])
# How near the optimum is: that of text models is not to be set.
NEAR = {"text logistic": 1e-2}


def part(X, rows):
    return [X[i] for i in rows] if isinstance(X, list) else X[rows]


def case(name, C):
    model, data = CASES[name]
    X, y = data(C)
    return model, X, y, part(X, [0, 1, 2])


@every
def test_means_sum_and_deviations_are_those_of_repeated_rows(name, C):
    model, X, y, items = case(name, C)
    found = deciban.explanation_stability(model, X, y, items, resamples=4, top=3, seed=5)
    random, full = np.random.default_rng(5), clone(model).fit(X, y)
    pairs = [(why.label, why.against) for why in full.explain(items)]
    said, won = [[] for _ in pairs], [[] for _ in pairs]
    while len(said[0]) < 4:
        rows = np.repeat(np.arange(len(y)), random.multinomial(len(y), np.full(len(y), 1 / len(y))))
        if len(set(y[rows])) < C:
            continue
        learnt = clone(model).fit(part(X, rows), y[rows])
        for k, pair in enumerate(pairs):
            said[k] += learnt.explain(part(items, [k]), pair=pair)
            won[k].append(learnt.predict(part(items, [k]))[0] == pair[0])
    close = {"rel": NEAR.get(name, 1e-5), "abs": NEAR.get(name, 1e-5)}
    for k, (item, why) in enumerate(zip(found, full.explain(items), strict=True)):
        assert (item.label, item.against) == pairs[k]
        assert item.total.decibans == why.decibans
        assert item.prior.mean + sum(term.mean for term in item.terms) == pytest.approx(item.total.mean, abs=1e-8)
        assert item.total.mean == pytest.approx(np.mean([each.decibans for each in said[k]]), **close)
        assert item.total.deviation == pytest.approx(np.std([each.decibans for each in said[k]], ddof=1), **close)
        assert item.same_label == np.mean(won[k])
        told = [{term.feature: term.decibans for term in each.terms} for each in said[k]]
        for term in item.terms:
            values = np.array([each.get(term.feature, 0.0) for each in told])
            assert (term.mean, term.deviation) == pytest.approx((values.mean(), values.std(ddof=1)), **close)
            if np.abs(values).min() > close["abs"]:
                assert term.same_sign == np.mean(np.sign(values) == np.sign(term.decibans))
        assert {term.feature for term in item.terms} == {t.feature for t in why.terms}.union(*told)


@every
def test_the_same_seed_says_the_same_and_the_model_is_left_alone(name, C):
    model, X, y, items = case(name, C)
    before = pickle.dumps(model)
    one, same, other = (deciban.explanation_stability(model, X, y, items, resamples=2, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one.to_json() != other.to_json()
    assert pickle.dumps(model) == before
    told = json.loads(json.dumps(one.to_json()))
    assert (told["resamples"], len(told["items"])) == (2, 3)
    for item in one:
        assert 0.0 <= item.overlap <= 1.0
        assert item.for_label(1) == [term for term in item.terms if term.decibans > 0.0][:1]
        assert str(item).splitlines()[2].endswith("prior")


class Unweighted(LogisticRegression):
    """It takes no weights."""

    def fit(self, X, y):
        return super().fit(X, y)


def test_examples_are_repeated_where_weights_are_refused():
    X, y = cloud(2)
    one, other = (
        deciban.explanation_stability(model, X, y, X[:2], resamples=3)
        for model in (Unweighted(tol=1e-12), LogisticRegression(tol=1e-12))
    )
    for mine, theirs in zip(one, other, strict=True):
        assert mine.total.mean == pytest.approx(theirs.total.mean, rel=1e-5, abs=1e-5)
        assert mine.total.deviation == pytest.approx(theirs.total.deviation, rel=1e-4, abs=1e-5)


def test_a_network_draws_the_same_in_every_resample():
    X, y = cloud(2)
    model = MLPClassifier(hidden_layer_sizes=(2,), max_iter=2)
    one, other = (deciban.explanation_stability(model, X, y, X[:1], resamples=2) for _ in range(2))
    assert one == other


def test_a_choice_among_models_is_made_once():
    said, labels = texts(2, n=240)
    found = deciban.explanation_stability(
        TextClassifier(time_limit=None, words=(1, 1)), said, labels, said[:2], resamples=2
    )
    assert found.same_label > 0.0
    assert {term.feature for term in found[0].terms} >= set(said[0].split())


@pytest.mark.parametrize("top", [1, 2, 5])
def test_the_overlap_is_of_the_strongest(top):
    random = np.random.default_rng(top)
    for _ in range(20):
        one, other = ({k: float(random.integers(-3, 4)) for k in random.permutation(8)[:6].tolist()} for _ in range(2))
        best = [sorted((-abs(v), str(k), k) for k, v in terms.items() if v)[:top] for terms in (one, other)]
        A, B = ({k for *_, k in each} for each in best)
        assert (strongest(one, top), strongest(other, top)) == (A, B)
        assert _jaccard(A, B) == (len(A & B) / len(A | B) if A | B else 1.0)


@pytest.mark.parametrize("binary", [True, False])
def test_resamples_vary_as_much_as_the_posterior_doubts(binary):
    """Where words are independent and each was counted often, the deviation of the log-odds over resamples is that of
    their posterior: the interval of the verdict is 2·1.96 of it, but for what it is wider by as words tell little."""
    random = np.random.default_rng(0)
    words = np.array([f"w{k}" for k in range(12)])
    share = random.dirichlet(np.full(12, 3.0), size=2)
    y = np.arange(800) % 2
    said = [" ".join(random.choice(words, 4, p=share[c])) for c in y]
    model = TextClassifier("naive-bayes", words=(1, 1), binary=False, alpha=1.0)
    if binary:
        said = [" ".join(word for word in words[:5] if random.random() < 3 * share[c][word == words][0]) for c in y]
        model = TextClassifier("naive-bayes", words=(1, 1), likelihood="bernoulli", alpha=1.0)
    items = [" ".join(random.choice(words[:5] if binary else words, 3, replace=False)) for _ in range(12)]
    found = deciban.explanation_stability(model, said, y, items, resamples=60)
    known = clone(model).fit(said, y)
    wider = np.sqrt(np.square(known.served_.belief.widening).mean())
    assert wider > 1.5
    width = np.diff(known.credible_interval(items))[:, 0] / wider * DECIBANS_PER_NAT
    ratio = np.array([item.total.deviation for item in found]) / (width / (2 * 1.959964))
    assert np.exp(np.log(ratio).mean()) == pytest.approx(1.0, abs=0.15)
    assert (np.abs(np.log(ratio)) < np.log(1.6)).all()


def test_ctrl_c_that_a_fit_takes_for_its_own_ends_the_whole():
    class Stopped(LogisticRegression):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            Stopped.fits += 1
            super().fit(X, y, sample_weight)
            if Stopped.fits == 3:
                self._proof = mark_interrupted(self._proof)
            return self

    X, y = cloud(2)
    with pytest.raises(KeyboardInterrupt):
        deciban.explanation_stability(Stopped(), X, y, X[:1])
    assert Stopped.fits == 3
