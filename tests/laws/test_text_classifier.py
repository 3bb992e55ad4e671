"""What a text classifier says is naive Bayes over its words, and its evidence is what it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_texts import TEXTS, fitted, labelled_texts, over_the_grid
from numpy.testing import assert_allclose, assert_array_equal

from deciban import NaiveBayes, TextClassifier, TextVectorizer, load
from deciban.conventions import DECIBANS_PER_NAT
from oracle import naive_bayes, tokens

QUERIES = st.lists(TEXTS.map(lambda text: text + " unheard") | TEXTS | st.just(""), min_size=1, max_size=5)
SIZES = st.sampled_from([None, 1, 3, 10_000])


def vectorizer(model, size):
    binary = model["binary"] or model["likelihood"] == "bernoulli"
    return TextVectorizer(model["words"], max_features=size, hashed_bits=model["hashed_bits"], binary=binary)


@over_the_grid
@given(data=labelled_texts(), queries=QUERIES, size=SIZES, alpha=st.sampled_from([0.02, 1.0, 3.0]))
def test_it_is_the_vectorizer_and_naive_bayes(model, data, queries, size, alpha):
    """Hashed, the features are the buckets that were seen, as in a dictionary they are the words."""
    ours = fitted({**model, "alpha": alpha}, data, max_features=size)
    rows = vectorizer(model, size).fit(data.texts)
    X = rows.transform(data.texts)
    seen = np.flatnonzero(X.sum(axis=0))
    theirs = NaiveBayes(model["likelihood"], alpha=alpha).fit(X[:, seen], data.labels)
    Q = rows.transform(queries)[:, seen]
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.predict_joint_log_proba(queries), theirs.predict_joint_log_proba(Q), rtol=1e-10, atol=1e-10)
    assert_allclose(ours.predict_log_proba(queries), theirs.predict_log_proba(Q), rtol=1e-10, atol=1e-10)
    assert_allclose(ours.predict_proba(queries), theirs.predict_proba(Q), rtol=1e-10, atol=1e-10)


@over_the_grid
@given(data=labelled_texts(), queries=QUERIES)
def test_it_is_naive_bayes_by_the_book(model, data, queries):
    """The formulas over the oracle's words; which words share a bucket is asked of the vectorizer."""
    once = model["binary"] or model["likelihood"] == "bernoulli"
    bits, hashed = model["hashed_bits"], {}
    if bits:
        rows = TextVectorizer(model["words"], hashed_bits=bits).fit([])
        for text in data.texts + queries:
            row = rows.transform([text])
            hashed[text] = np.repeat(row.indices, row.data.astype(int)).tolist()

    def features(text):
        said = hashed[text] if bits else tokens.tokens(text, *model["words"])
        return sorted(set(said)) if once else said

    learnt = [features(text) for text in data.texts]
    vocabulary = sorted({feature for said in learnt for feature in said})

    def row(said):
        return [said.count(feature) for feature in vocabulary]

    classes = sorted(set(data.labels))
    b = naive_bayes.joint(
        model["likelihood"],
        [row(said) for said in learnt],
        [classes.index(label) for label in data.labels],
        [1] * len(data),
        len(classes),
        [row(features(text)) for text in queries],
    )
    ours = fitted(model, data, max_features=None)
    assert_allclose(ours.predict_joint_log_proba(queries), b, rtol=1e-10, atol=1e-10)
    assert_allclose(ours.predict_log_proba(queries), [naive_bayes.posterior(k) for k in b], rtol=1e-10, atol=1e-10)


@over_the_grid
@given(data=labelled_texts(), queries=QUERIES, size=SIZES)
def test_evidence_sums_to_the_verdict_and_the_verdict_is_the_prediction(model, data, queries, size):
    learnt = fitted(model, data, max_features=size)
    joint, probability = learnt.predict_joint_log_proba(queries), learnt.predict_proba(queries)
    for i, why in enumerate(learnt.explain(queries)):
        evidence = [term.decibans for term in why.terms]
        scale = max(1.0, sum(map(abs, evidence)), np.abs(joint[i]).max() * DECIBANS_PER_NAT)
        assert abs(why.prior_decibans + sum(evidence) - why.verdict.decibans) <= 1e-9 * scale
        assert evidence == sorted(evidence, key=lambda decibans: -abs(decibans))
        assert why.text == queries[i]
        assert why.decibans == why.verdict.decibans
        assert why.verdict.label == learnt.predict([queries[i]])[0]
        assert list(why.verdict.probability) == learnt.classes_.tolist()
        assert_allclose(list(why.verdict.probability.values()), probability[i], rtol=1e-9, atol=1e-12)
        best, second = np.sort(joint[i])[::-1][:2]
        assert why.verdict.decibans == pytest.approx((best - second) * DECIBANS_PER_NAT, rel=1e-12)
        assert why.verdict.unsure == (why.verdict.decibans < 10 or why.verdict.interval[0] <= 0)
        assert learnt.served_.judge([queries[i]]) == [why.verdict]


@over_the_grid
@given(data=labelled_texts(), queries=QUERIES)
def test_one_at_a_time_is_many_and_bytes_are_text(model, data, queries):
    learnt = fitted(model, data)
    many = learnt.predict_joint_log_proba(queries)
    assert_array_equal(np.vstack([learnt.predict_joint_log_proba([query]) for query in queries]), many)
    encoded = [query.encode() for query in queries]
    assert_array_equal(learnt.predict_joint_log_proba(encoded), many)
    assert learnt.explain(encoded) == learnt.explain(queries)
    assert_array_equal(learnt.predict_joint_log_proba(np.array(queries)), many)
    assert_array_equal(learnt.predict_joint_log_proba(iter(queries)), many)


@over_the_grid
def test_of_an_empty_text_only_the_prior_and_what_is_absent_speaks(model):
    learnt = TextClassifier(**model, calibration=None).fit(["free money", "free", "lunch", "lunch"], [1, 1, 1, 0])
    (why,) = learnt.explain([""])
    assert why.prior_decibans == pytest.approx(np.log(3) * DECIBANS_PER_NAT)
    assert all(term.count == 0 and term.places == () for term in why.terms)
    assert bool(why.terms) == (model["likelihood"] == "bernoulli")
    if model["likelihood"] == "multinomial":
        assert_allclose(learnt.predict_proba([""]), [[0.25, 0.75]])
    assert learnt.predict_proba([]).shape == (0, 2)


@over_the_grid
def test_a_text_of_a_million_words_has_a_finite_posterior(model):
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 1000, 2000)) for _ in range(4)]
    learnt = TextClassifier(**model).fit(texts, ["ham", "ham", "spam", "spam"])
    long = " ".join(f"w{k}" for k in rng.integers(0, 1000, 1_000_000))
    for text in (long, "w1 " * 1_000_000):
        posterior = learnt.predict_log_proba([text])
        assert np.isfinite(posterior).all()
        assert not (np.signbit(posterior) & (posterior == 0)).any(), "no −0"
        assert_allclose(np.exp(posterior).sum(), 1.0)
        (verdict,) = learnt.served_.judge([text])
        assert np.isfinite(verdict.decibans)
        assert not any(np.isnan(p) or (p == 0 and np.signbit(p)) for p in verdict.probability.values())


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli"])
def test_the_evidence_of_a_million_words_sums_up(likelihood):
    learnt = TextClassifier(likelihood=likelihood, words=(1, 1)).fit(["a b c d", "a b b e"], ["ham", "spam"])
    (why,) = learnt.explain(["a b c d e " * 200_000])
    evidence = [term.decibans for term in why.terms]
    scale = sum(map(abs, evidence))
    assert abs(why.prior_decibans + sum(evidence) - why.verdict.decibans) <= 1e-9 * scale
    assert {term.term: term.count for term in why.terms if term.count} == dict.fromkeys("abcde", 200_000)


@pytest.mark.parametrize(
    "labels",
    [
        ["spam", "ham", "spam"],
        [1, 0, 1],
        [True, False, True],
        [2.0, 1.0, 2.0],
        np.array(["스팸", "정상", "스팸"]),
        np.array([7, -3, 7], dtype=np.int16),
        np.array([True, False, True]),
        np.array(["b", "a", "b"], dtype=object),
        np.array([3, 1, 3], dtype=object),
    ],
    ids=lambda labels: f"{type(labels).__name__} of {type(labels[0]).__name__}",
)
def test_labels_come_back_as_they_went_in(labels, tmp_path):
    learnt = TextClassifier().fit(["free", "lunch", "free free"], labels)
    assert learnt.classes_.tolist() == sorted(set(labels))
    assert learnt.predict(["free", "lunch"]).tolist() == [labels[0], labels[1]]
    assert learnt.explain(["free"])[0].verdict.label == labels[0]
    learnt.save(tmp_path / "f")
    again = load(tmp_path / "f")
    for known in (learnt, again):
        (label,) = known.predict(["free"]).tolist()
        assert label == labels[0]
        assert type(label) is type(np.asarray(labels).tolist()[0])
