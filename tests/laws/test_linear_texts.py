"""What a text model that was minimised says is what the model says of the rows of its words, in whichever order they
were read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_texts import TEXTS, Labelled, content, labelled_texts
from numpy.testing import assert_allclose, assert_array_equal

from deciban import TextClassifier, TextVectorizer, load
from deciban.cli.labelled_items import Wanted
from deciban.conventions import DECIBANS_PER_NAT
from deciban.data.text_layout import LINEAR, MINIMISED
from deciban.mail.filter import train_rows
from deciban.mail.ledger import Ledger
from deciban.text.corpus import Corpus
from deciban.text.recipes import recipe
from tiers import examples

over_models = pytest.mark.parametrize("model", MINIMISED)
FEW = examples(4)
QUERIES = st.lists(TEXTS.map(lambda text: text + " unheard") | TEXTS | st.just(""), min_size=1, max_size=4)
FORMS = st.fixed_dictionaries(
    {
        "words": st.sampled_from([None, (1, 1)]),
        "binary": st.booleans(),
        "hashed_bits": st.sampled_from([None, 4]),
        "max_features": st.sampled_from([None, 3]),
    }
)


QUICKLY = {"mlp": {"epochs": 4, "hidden_layer_sizes": (5,)}}


def estimator_of(known):
    """The model of rows that a text model is, unfitted."""
    return known.model_.settings.estimator(known.model_.encoder.settings)


def assert_line(told, expected, atol=0.01):
    """Scores of each class are one line of others, of positive slope, but for an offset each."""
    told, expected = (
        each.reshape(len(each), -1) - each.reshape(len(each), -1).mean(axis=0) for each in (told, expected)
    )
    slope = (told * expected).sum() / np.square(expected).sum()
    assert slope > 0.0
    assert_allclose(told, slope * expected, atol=atol * max(1.0, np.abs(told).max()))


def learnt(model, data, **parameters):
    return TextClassifier(model, **QUICKLY.get(model, {}), **parameters).fit(data.texts, data.labels, data.weights)


@over_models
@FEW
@given(data=labelled_texts(), queries=QUERIES, form=FORMS)
def test_evidence_sums_to_the_verdict_and_the_verdict_is_the_prediction(model, data, queries, form):
    known = learnt(model, data, **form)
    joint, probability = known.predict_joint_log_proba(queries), known.predict_proba(queries)
    log_p = known.predict_log_proba(queries)
    assert_allclose(probability.sum(axis=1), 1.0, rtol=1e-12)
    predicted = [known.classes_.tolist().index(label) for label in known.predict(queries)]
    assert_array_equal(probability[range(len(queries)), predicted], probability.max(axis=1))
    for i, why in enumerate(known.explain(queries)):
        evidence = [term.decibans for term in why.terms]
        scale = max(1.0, sum(map(abs, evidence)), np.abs(joint[i]).max() * DECIBANS_PER_NAT)
        assert abs(why.prior_decibans + sum(evidence) - why.verdict.decibans) <= 1e-9 * scale
        assert why.verdict.label == known.predict([queries[i]])[0]
        assert_allclose(list(why.verdict.probability.values()), probability[i], rtol=1e-9, atol=1e-12)
        best, second = np.sort(log_p[i])[::-1][:2]
        assert why.verdict.decibans == pytest.approx((best - second) * DECIBANS_PER_NAT, rel=1e-9, abs=1e-12)
        assert (why.verdict.interval, why.verdict.unsure) == (None, why.verdict.decibans < 10)
        assert why.verdict.to_json()["interval"] is None
        assert known.served_.judge([queries[i]]) == [why.verdict]
        assert_array_equal(known.predict_joint_log_proba([queries[i]])[0], joint[i])


@over_models
@FEW
@given(data=labelled_texts(), queries=QUERIES, form=FORMS, draw=st.data())
def test_the_order_of_the_texts_and_the_number_of_threads_change_no_byte_of_the_file(model, data, queries, form, draw):
    known = learnt(model, data, n_jobs=1, **form)
    order = draw.draw(st.permutations(range(len(data))))
    again = learnt(model, data.part(order), n_jobs=2, **form)
    assert content(again) == content(known)
    assert_array_equal(again.predict_proba(queries), known.predict_proba(queries))


@over_models
@FEW
@given(data=labelled_texts(), form=FORMS)
def test_what_is_saved_is_what_is_loaded_and_what_learns_the_same(model, data, form, tmp_path_factory):
    known, path = learnt(model, data, random_state=3, **form), tmp_path_factory.mktemp("f") / "f.deciban"
    known.save(path)
    again = load(path)
    assert_array_equal(again.predict_joint_log_proba(data.texts), known.predict_joint_log_proba(data.texts))
    assert again.explain(data.texts) == known.explain(data.texts)
    assert content(again) == path.read_bytes() == content(again.fit(data.texts, data.labels, data.weights))
    assert again.certificate_.to_json() == known.certificate_.to_json()
    assert again.certificate_.class_counts == known.certificate_.class_counts
    assert again.certificate_.n == sum(data.weights)


@over_models
@FEW
@given(data=labelled_texts(), more=labelled_texts(), form=FORMS)
def test_texts_of_weight_0_are_as_if_they_were_not_there(model, data, more, form):
    both = Labelled(data.texts + more.texts, data.labels + ["another"] * len(more), data.weights + [0] * len(more))
    assert content(learnt(model, both, **form)) == content(learnt(model, data, **form))


SOME = Labelled(
    ["cheap pills now", "cheap loan now now", "pills", "lunch at noon?", "see you at lunch", "the report, now"],
    ["spam", "spam", "spam", "ham", "ham", "ham"],
    [1, 2, 1, 1, 1, 3],
)
ASKED = ["cheap lunch", "now now", "pills at noon", "", "unheard"]


@pytest.mark.parametrize("model", LINEAR)
@pytest.mark.parametrize("binary", [True, False])
def test_it_is_the_model_of_the_rows_of_its_vectorizer(model, binary):
    """But for the calibration, which is a line."""
    known = learnt(model, SOME, binary=binary, weighting=None if model == "nbsvm" else "none", words=(1, 2))
    rows = TextVectorizer((1, 2), binary=binary, max_features=None).fit(SOME.texts)
    estimator = estimator_of(known)
    members = [["ham", "spam"].index(label) for label in SOME.labels]
    reader = known.model_.encoder.settings.reader()
    some = SOME.part(Corpus.of_texts(SOME.texts, reader, ["ham", "spam"], members, SOME.weights).order())
    theirs = estimator.fit(rows.transform(some.texts), some.labels, some.weights)
    assert_line(known.predict_joint_log_proba(ASKED) @ [-1, 1], theirs.decision_function(rows.transform(ASKED)))


@pytest.mark.parametrize("weights", [None, SOME.weights])
def test_idf_is_that_of_the_book(weights):
    """A word's weight in the file is that of the scaled column, times the scale."""
    known = TextClassifier("logistic", weighting="idf", words=(1, 1), C=3.0).fit(SOME.texts, SOME.labels, weights)
    rows = TextVectorizer((1, 1), binary=True, max_features=None).fit(SOME.texts)
    X, w = rows.transform(SOME.texts).toarray(), np.ones(6) if weights is None else np.array(weights)
    scale = 1.0 + np.log((1 + w.sum()) / (1 + w @ X))
    length = np.sqrt(np.average(np.square(X * scale).sum(axis=1), weights=w))
    assert np.sqrt(np.average(np.square(X * scale / length).sum(axis=1), weights=w)) == pytest.approx(1.0)
    theirs = estimator_of(known).fit(X * scale / length, SOME.labels, weights)
    asked = rows.transform(ASKED).toarray() * scale / length
    assert_line(known.predict_joint_log_proba(ASKED) @ [-1, 1], theirs.decision_function(asked))


@pytest.mark.parametrize("model", ["svm", "logistic", "perceptron"])
@pytest.mark.parametrize("many", [False, True])
def test_of_items_of_one_length_the_verdict_is_that_of_rows_of_length_one(model, many):
    """With the word that is in every item, a fifth of the mean length to three digits, for an intercept; and the idf
    to the bits that all processors have alike, as the order in which a perceptron visits rows hangs on them."""
    labels = ["ham", "news", "spam"] * 2 if many else SOME.labels
    known = TextClassifier(model, weighting="unit-idf", words=(1, 1)).fit(SOME.texts, labels)
    rows = TextVectorizer((1, 1), binary=True, max_features=None).fit(SOME.texts)
    X = rows.transform(SOME.texts).toarray()
    idf = np.float64(np.float32(1.0 + np.log(7 / (1 + X.sum(axis=0)))))
    idf *= np.sqrt(idf)
    everywhere = float(f"{0.2 * np.sqrt(np.square(X * idf).sum(axis=1).mean()):.3g}")

    def long_as_another(texts):
        each = np.column_stack([rows.transform(texts).toarray() * idf, np.full(len(texts), everywhere)])
        return each / np.linalg.norm(each, axis=1, keepdims=True), np.linalg.norm(each, axis=1)

    learnt_from, _ = long_as_another(SOME.texts)
    reader = known.model_.encoder.settings.reader()
    order = Corpus.of_texts(SOME.texts, reader, ["a"], [0] * 6).order()
    theirs = estimator_of(known).fit(learnt_from[order], np.array(labels)[order])
    asked, stretch = long_as_another(ASKED)
    told, expected = known.predict_joint_log_proba(ASKED), theirs.decision_function(asked).reshape(len(ASKED), -1)
    told = told if many else told @ [[-1], [1]]
    assert_line(told, expected * stretch[:, None], atol=0.05)


@pytest.mark.parametrize("size", [1, 5, 12])
def test_each_text_is_learnt_once_and_the_first_label_stands(size):
    texts, labels = SOME.texts + SOME.texts[::-1], SOME.labels + ["ham"] * 6
    linear = recipe("text", "logistic", {})
    counted, found = train_rows([(texts, labels)], linear.settings)
    parts = [slice(i, i + size) for i in range(0, 12, size)]
    items = Wanted([linear], 1, quiet=True).read((texts[at], texts[at], labels[at]) for at in parts)
    corpus, duplicates, conflicts = items.distinct()
    assert (duplicates, conflicts) == (found.duplicates, found.conflicts) == (3, 3)
    ours, alone = linear.learn(corpus), TextClassifier("logistic").fit(SOME.texts, SOME.labels)
    assert ours.header() == alone.model_.header()
    assert_array_equal(ours.scorer.W, alone.model_.scorer.W)
    ledger = Ledger.of_distinct(corpus.keys, corpus.y)
    assert ledger.digests.tolist() == counted.ledger.digests.tolist()
    assert ledger.classes.tolist() == counted.ledger.classes.tolist()


@over_models
def test_of_an_empty_text_only_the_prior_speaks(model):
    known = learnt(model, SOME)
    (why,) = known.explain(["!? unheard"])
    assert (why.terms, why.prior_decibans) == ((), pytest.approx(why.verdict.decibans))
    assert known.predict_proba([]).shape == (0, 2)


@over_models
@pytest.mark.parametrize("labels", [[True, False, True], [7, -3, 7], ["스팸", "정상", "스팸"]])
def test_labels_come_back_as_they_went_in(model, labels, tmp_path):
    known = TextClassifier(model).fit(["free", "lunch", "free free", "lunch lunch"], [*labels, labels[1]])
    known.save(tmp_path / "f")
    for each in (known, load(tmp_path / "f")):
        told = each.predict(["free", "lunch"]).tolist()
        assert (told, list(map(type, told))) == (labels[:2], list(map(type, labels[:2])))
        assert set(each.certificate_.class_counts) == set(labels)
