"""Laws of kernel machines of texts: they are the machine of the directions in which texts point."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from deciban import SVM, TextClassifier, TextVectorizer, load
from deciban.kernels import RBF
from deciban.text.corpus import Corpus

TEXTS = ["cheap pills now", "cheap loan now now", "pills", "lunch at noon?", "see you at lunch", "the report, now"]
LABELS = ["spam", "spam", "spam", "ham", "ham", "ham"]
THREE = ["spam", "news", "spam", "ham", "ham", "news"]
ASKED = ["cheap lunch", "now now", "pills at noon", "", "unheard"]


@pytest.mark.parametrize("labels", [LABELS, THREE], ids=["two", "three"])
@pytest.mark.parametrize("binary", [True, False])
def test_it_is_the_machine_of_directions(labels, binary):
    known = TextClassifier("kernel-svm", words=(1, 1), binary=binary, C=5.0).fit(TEXTS, labels)
    rows = TextVectorizer((1, 1), binary=binary, max_features=None).fit(TEXTS)
    X = rows.transform(TEXTS).toarray()
    scale = (1.0 + np.log(7.0 / (1.0 + (X > 0).sum(axis=0)))) ** 1.5

    def directions(texts):
        each = rows.transform(texts).toarray() * scale
        length = np.linalg.norm(each, axis=1, keepdims=True)
        return each / np.where(length > 0.0, length, 1.0)

    classes = sorted(set(labels))
    order = Corpus.of_texts(
        TEXTS, known.model_.encoder.settings.reader(), classes, [classes.index(c) for c in labels]
    ).order()
    theirs = SVM(RBF(0.3), 5.0, multi_class="ovr", calibration=None)
    theirs.fit(directions(TEXTS)[order], np.array(labels)[order])
    told, f = known.predict_joint_log_proba(ASKED), theirs.decision_function(directions(ASKED)).reshape(5, -1)
    told = told if len(classes) > 2 else told @ [[-1.0], [1.0]]
    assert_allclose(told / np.linalg.norm(told), f / np.linalg.norm(f), atol=1e-3)


@pytest.mark.parametrize("bits", [None, 4])
def test_the_length_of_a_text_does_not_matter_and_evidence_follows_the_words(bits):
    known = TextClassifier("kernel-svm", words=(1, 1), binary=False, hashed_bits=bits).fit(TEXTS, LABELS)
    once, twice = known.explain(["cheap pills at noon", "cheap pills at noon " * 2])
    assert once.decibans == pytest.approx(twice.decibans, rel=1e-9)
    assert [term.term for term in once.terms] == [term.term for term in twice.terms]
    assert [term.decibans for term in once.terms] == pytest.approx([term.decibans for term in twice.terms])
    for term in once.terms:
        ((start, end),) = term.places
        assert once.text[start:end].lower() == term.term or bits


def test_a_pickle_and_a_file_judge_the_same(tmp_path):
    known = TextClassifier("kernel-svm").fit(TEXTS, THREE)
    known.save(tmp_path / "m.deciban")
    for again in (pickle.loads(pickle.dumps(known)), load(tmp_path / "m.deciban")):
        assert_array_equal(again.predict_joint_log_proba(ASKED), known.predict_joint_log_proba(ASKED))
        assert again.explain(ASKED) == known.explain(ASKED)
    assert again.get_params()["model"] == "kernel-svm"
    assert again.get_params()["C"] == 3.0
