"""Laws of networks of texts: they are the multilayer perceptron of the directions in which texts point."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from deciban import MLPClassifier, TextClassifier, load, store
from deciban.conventions import DECIBANS_PER_NAT
from deciban.errors import DataError
from deciban.scores import log_posterior
from deciban.text import network
from deciban.text.corpus import Corpus
from deciban.text.recipes import recipe

TEXTS = ["cheap pills now", "cheap loan now now", "pills", "lunch at noon?", "see you at lunch", "the report, now"] * 2
LABELS = ["spam", "spam", "spam", "ham", "ham", "ham"] * 2
THREE = ["spam", "news", "spam", "ham", "ham", "news"] * 2
ASKED = ["cheap lunch", "now now", "pills at noon", "", "unheard"]
over_hidden = pytest.mark.parametrize("hidden", [(), (6,), (5, 4)], ids=str)


def of(labels=THREE, **parameters):
    given = {"hidden_layer_sizes": (6,), "epochs": 6, "words": (1, 1), "random_state": 3, **parameters}
    return TextClassifier("mlp", **given).fit(TEXTS, labels)


@over_hidden
@pytest.mark.parametrize("weights", [None, [1, 2, 1, 1, 1, 3] * 2], ids=["alone", "weighed"])
def test_it_is_the_network_of_directions(hidden, weights):
    known = TextClassifier("mlp", hidden_layer_sizes=hidden, epochs=6).fit(TEXTS, THREE, weights)
    classes, reader = sorted(set(THREE)), known.model_.encoder.settings.reader()
    order = Corpus.of_texts(TEXTS, reader, classes, [classes.index(c) for c in THREE], weights).order()
    rows, labels = known.served_.rows(TEXTS)[order], np.array(THREE)[order]
    assert_allclose(np.sqrt(rows.power(2).sum(axis=1)), 1.0)
    theirs = MLPClassifier(
        hidden, learning_rate=0.002, batch_size=1, max_iter=6, n_iter_no_change=6, dropout=0.7, random_state=0
    ).fit(rows.astype(np.float32), labels, None if weights is None else np.array(weights)[order])
    p = np.exp(log_posterior(known.predict_joint_log_proba(ASKED)))
    assert_allclose(p, theirs.predict_proba(known.served_.rows(ASKED).astype(np.float32)), rtol=1e-5)


@pytest.mark.parametrize("bits", [None, 4])
def test_the_length_of_a_text_does_not_matter_and_evidence_follows_the_words(bits):
    known = of(LABELS, binary=False, hashed_bits=bits)
    once, twice = known.explain(["cheap pills at noon", "cheap pills at noon " * 2])
    assert once.decibans == pytest.approx(twice.decibans, rel=1e-5)
    assert [term.term for term in once.terms] == [term.term for term in twice.terms]
    for term in once.terms:
        ((start, end),) = term.places
        assert once.text[start:end].lower() == term.term or bits


@over_hidden
@pytest.mark.parametrize("weighting", ["unit-idf", "idf", "none"])
def test_evidence_sums_to_the_verdict(hidden, weighting):
    known = of(hidden_layer_sizes=hidden, weighting=weighting)
    for why in known.explain(ASKED):
        assert why.prior_decibans + sum(term.decibans for term in why.terms) == pytest.approx(why.decibans, abs=1e-9)


@pytest.mark.parametrize("weighting", ["unit-idf", "idf"])
def test_what_a_word_says_is_what_a_text_of_it_says_alone(weighting):
    known = of(weighting=weighting)
    alone = known.predict_joint_log_proba(known.served_.names) - known.predict_joint_log_proba([""])
    assert_allclose(known.served_.by_word(), alone, atol=1e-6)


def test_a_text_is_judged_the_same_among_others():
    known = of(hidden_layer_sizes=(40, 30))
    many = known.predict_joint_log_proba(ASKED * 50)
    for text, scores in zip(ASKED, many, strict=False):
        assert_array_equal(known.predict_joint_log_proba([text])[0], scores)


@over_hidden
def test_a_pickle_and_a_file_judge_the_same(hidden, tmp_path):
    known = of(hidden_layer_sizes=hidden)
    known.save(tmp_path / "m.deciban")
    for again in (pickle.loads(pickle.dumps(known)), load(tmp_path / "m.deciban")):
        assert_array_equal(again.predict_joint_log_proba(ASKED), known.predict_joint_log_proba(ASKED))
        assert again.explain(ASKED) == known.explain(ASKED)
    told = {"model": "mlp", "hidden_layer_sizes": hidden, "dropout": 0.7, "epochs": 6, "weighting": "unit-idf"}
    assert again.get_params() | told == again.get_params()
    stored = store.read(tmp_path / "m.deciban")
    assert {stored.tensors[f"score.{part}.1"].dtype for part in ("weights", "biases")} == {"F32"}


def test_another_seed_is_another_network():
    assert not np.array_equal(of().predict_proba(ASKED), of(random_state=4).predict_proba(ASKED))


def test_a_tenth_is_held_out_where_there_is_one_and_the_certificate_counts_all():
    known = of()
    assert "held out" not in known.certificate_.objective
    assert known.certificate_.advice == "the error was still falling: raise epochs"
    known = of(LABELS)
    assert known.certificate_.objective.endswith(", a tenth held out")
    assert (known.certificate_.n, known.certificate_.class_counts) == (12.0, {"ham": 6.0, "spam": 6.0})


def test_each_epoch_is_told():
    made, told = recipe("text", "mlp", {"epochs": 4, "hidden_layer_sizes": (3,)}), []
    corpus = Corpus.of_texts(TEXTS, made.settings.reader(), ["ham", "spam"], [int(c == "spam") for c in LABELS])
    made.learn(corpus, watch=lambda epoch, most: told.append((epoch.epoch, most, epoch.validation_error is not None)))
    assert told == [(k, 4, True) for k in range(1, len(told) + 1)]
    assert told


def test_words_are_as_many_as_memory_has_room_for(monkeypatch):
    monkeypatch.setattr(network, "MOST_WEIGHTS", 6 * 7 + 5)
    known = of()
    assert len(known.served_.names) == known.model_.encoder.settings.max_features == 7
    buckets = len(of(hidden_layer_sizes=(1,), hashed_bits=6).model_.encoder.book)
    with pytest.raises(DataError) as caught:
        of(hashed_bits=6)
    assert str(caught.value) == (
        f"Expected at most 47 weights, for the sake of memory; {buckets} buckets for 6 units are more. "
        "Take fewer hashed bits or fewer units."
    )


def test_judging_loads_no_scikit_learn(tmp_path):
    path = tmp_path / "m.deciban"
    of().save(path)
    script = (
        "import sys; from deciban import store; from deciban.text.served import ServedText; "
        f"why = ServedText.from_stored(store.read({str(path)!r})).explain('cheap lunch'); "
        "assert not {'sklearn', 'deciban.mlp.classifier'} & set(sys.modules), 'loaded'; print(why.decibans)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert float(done.stdout) == of().explain(["cheap lunch"])[0].decibans == pytest.approx(_again(of()), rel=1e-12)


def _again(known):
    """The same from the scores."""
    best, second = np.sort(known.predict_log_proba(["cheap lunch"])[0])[::-1][:2]
    return (best - second) * DECIBANS_PER_NAT
