"""Text estimators among those of scikit-learn: the same counts, in its pipelines, in its pickles, after a fork."""

import multiprocessing
import pickle
import warnings

import joblib
import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline

from deciban import NaiveBayes, TextClassifier, TextVectorizer

TEXTS = ["free money now", "free pills", "lunch at noon", "see you at lunch", "money for lunch", "now free"] * 4
LABELS = ["spam", "spam", "ham", "ham", "ham", "spam"] * 4
SPACED = r"[^\s]+"  # on words of ASCII letters, one pattern reads like the other


@pytest.fixture(params=["made up", "mr.parquet"])
def corpus(request):
    """Texts of lower-case ASCII words and blanks, and their labels."""
    if request.param == "made up":
        return TEXTS, LABELS
    frame = pl.read_parquet(request.getfixturevalue("data")(request.param)).sample(1500, seed=1)
    texts = [" ".join(w for w in text.split() if w.isascii() and w.isalpha()) for text in frame["text"].to_list()]
    return texts, frame["label"].to_list()


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("words", [(1, 1), (1, 2), (2, 3)])
def test_the_counts_are_those_of_the_count_vectorizer(corpus, words, binary):
    texts, _ = corpus
    ours = TextVectorizer(words, max_features=None, binary=binary).fit(texts)
    theirs = CountVectorizer(ngram_range=words, token_pattern=SPACED, binary=binary).fit(texts)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.vocabulary_ == theirs.vocabulary_
    assert (ours.transform(texts) != theirs.transform(texts)).nnz == 0
    assert ours.transform(texts).has_canonical_format


@pytest.mark.parametrize(("likelihood", "rival"), [("multinomial", MultinomialNB), ("bernoulli", BernoulliNB)])
@pytest.mark.parametrize("words", [(1, 1), (1, 2)])
def test_the_probabilities_are_those_of_its_naive_bayes(corpus, likelihood, rival, words):
    texts, labels = corpus
    binary = likelihood == "bernoulli"
    counts = {"likelihood": likelihood, "alpha": 0.5, "words": words, "binary": binary, "calibration": None}
    ours = TextClassifier("naive-bayes", **counts).fit(texts, labels)
    theirs = make_pipeline(CountVectorizer(ngram_range=words, token_pattern=SPACED), rival(alpha=0.5))
    theirs.fit(texts, labels)
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.predict_log_proba(texts), theirs.predict_log_proba(texts), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("estimator", [TextClassifier, TextVectorizer])
def test_parameters_are_kept_and_cloned(estimator):
    given = {"words": (1, 3), "max_features": 7, "hashed_bits": 9, "binary": True, "kind": "mail", "random_state": 3}
    made = estimator(**given, n_jobs=2)
    assert made.get_params() | given == made.get_params()
    copy = clone(made)
    assert copy is not made
    assert copy.get_params() == made.get_params()
    assert made.set_params(words=(1, 1)).words == (1, 1)
    assert repr(estimator()) == f"{estimator.__name__}()"


def test_a_pipeline_of_vectorizer_and_naive_bayes():
    model = Pipeline([("words", TextVectorizer()), ("bayes", NaiveBayes())])
    model.fit(TEXTS, LABELS)
    assert model.score(TEXTS, LABELS) == 1.0
    assert model[:-1].get_feature_names_out().tolist() == sorted({w for text in TEXTS for w in text.split()})
    search = GridSearchCV(model, {"words__words": [(1, 1), (1, 2)], "bayes__alpha": [0.1, 1.0]}, cv=3)
    search.fit(TEXTS, LABELS)
    assert search.best_score_ > 0.9


def test_cross_validation():
    assert cross_val_score(TextClassifier(), TEXTS, LABELS, cv=3).mean() > 0.9
    assert cross_val_score(TextClassifier(), np.array(TEXTS), np.array(LABELS), cv=3, n_jobs=2).mean() > 0.9
    search = GridSearchCV(TextClassifier(), {"alpha": np.logspace(-2, 0, 3), "words": [(1, 1), (1, 2)]}, cv=3)
    assert search.fit(TEXTS, LABELS).best_score_ > 0.9


def learnt():
    return {
        "classifier": TextClassifier().fit(TEXTS, LABELS),
        "hashed": TextClassifier(hashed_bits=8, likelihood="bernoulli").fit(TEXTS, LABELS),
        "pipeline": make_pipeline(TextVectorizer((1, 2)), NaiveBayes()).fit(TEXTS, LABELS),
        "hashed pipeline": make_pipeline(TextVectorizer(hashed_bits=8), NaiveBayes()).fit(TEXTS, LABELS),
    }


@pytest.mark.parametrize("name", learnt())
def test_pickle_and_joblib_keep_the_model(name, tmp_path):
    known = learnt()[name]
    joblib.dump(known, tmp_path / "known.joblib")
    copies = [pickle.loads(pickle.dumps(known, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for again in [*copies, joblib.load(tmp_path / "known.joblib")]:
        assert_array_equal(again.predict_proba(TEXTS), known.predict_proba(TEXTS))
        assert again.get_params().keys() == known.get_params().keys()
    if name in ("classifier", "hashed"):
        again = pickle.loads(pickle.dumps(known))
        more = (["free lunch"], ["spam"])
        assert_array_equal(again.partial_fit(*more).predict_proba(TEXTS), known.partial_fit(*more).predict_proba(TEXTS))


def test_what_is_not_fitted_can_be_pickled_too():
    for made in (TextClassifier(words=(1, 2)), TextVectorizer(hashed_bits=4)):
        assert pickle.loads(pickle.dumps(made)).get_params() == made.get_params()


def judge(known, results):
    results.put(known.predict_proba(TEXTS).tolist())
    results.put(TextClassifier(n_jobs=2).fit(TEXTS, LABELS).predict_proba(TEXTS).tolist())


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_a_process_started_after_threads_were_used_computes_the_same(way):
    known = TextClassifier(n_jobs=2).fit(TEXTS, LABELS)
    expected = known.predict_proba(TEXTS).tolist()
    context = multiprocessing.get_context(way)
    results = context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # since 3.12 Python warns of a fork beside threads
        process = context.Process(target=judge, args=(known, results))
        process.start()
    assert [results.get(timeout=60) for _ in range(2)] == [expected, expected]
    process.join(60)
    assert process.exitcode == 0
    assert known.predict_proba(TEXTS).tolist() == expected
