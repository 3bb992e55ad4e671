"""Hash buckets are called by the words that were met in them: everywhere, exactly, within bounds, and not where one
asks for no words."""

import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer

from deciban import TextClassifier, TextVectorizer, load, store
from deciban.data.text_layout import MINIMISED
from deciban.evaluation.importance import evidence_importance
from deciban.mail.filter import train_rows
from deciban.report.inventory import strongest, telling
from deciban.text.bucket_words import SHOWN, BucketNames, distinct
from deciban.text.model import Bayes
from deciban.text.recipes import recipe
from deciban.text.settings import TextSettings
from laws.labelled_texts import TEXTS, Labelled, content, labelled_texts
from laws.stored import parts, refusal
from oracle import tokens as oracle

BITS = 3
MAIN = ["무료 free money free", "free lunch 점심", "lunch at noon noon", "회의 noon x"]
LABELS = ["spam", "spam", "ham", "ham"]


def expected(counts, place, d):
    """The names of d buckets from the counts of words, by the definition."""
    names = []
    for j in range(d):
        words = sorted((word for word in counts if place(word) == j), key=lambda word: (-counts[word], word))
        names.append("|".join(words[:SHOWN] + ["…"] * (len(words) > SHOWN)) if words else f"bucket {j}")
    return names


def occurrences(texts, words=(1, 1), binary=False):
    """How often each word occurs, or in how many texts it does."""
    each = [oracle.tokens(text, *words) for text in texts]
    return Counter(token for text in each for token in (set(text) if binary else text))


def places(words, bits):
    """The bucket of each n-gram, of a text that consists of it."""
    found = {}
    for word in words:
        n = word.count(" ") + 1
        (found[word],) = TextVectorizer((n, n), hashed_bits=bits).transform([word]).indices.tolist()
    return found.__getitem__


# --- names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [(1, 1), (1, 2)])
@pytest.mark.parametrize("bits", [1, BITS, 12])
def test_a_vectoriser_names_its_columns_after_the_words_it_has_met(words, bits):
    rows = TextVectorizer(words, hashed_bits=bits).fit(MAIN)
    counts = occurrences(MAIN, words)
    names = expected(counts, places(counts, bits), 1 << bits)
    assert rows.get_feature_names_out().tolist() == names
    assert TextVectorizer(words, hashed_bits=bits).partial_fit(MAIN[:1]).partial_fit(MAIN[1:]).vocabulary_ == (
        rows.vocabulary_
    )
    assert pickle.loads(pickle.dumps(rows)).get_feature_names_out().tolist() == names
    by_name = TextVectorizer(words, hashed_bits=bits)
    by_name.fit_transform(MAIN)
    assert by_name.get_feature_names_out().tolist() == names


@pytest.mark.parametrize("given", [{}, {"token_pattern": r"(?u)\b\w\w+\b"}, {"analyzer": "char_wb", "words": (3, 3)}])
@pytest.mark.parametrize("signed", [True, False])
def test_so_do_columns_in_the_order_of_scikit_learn(given, signed):
    ours = TextVectorizer(n_features=16, alternate_sign=signed, **given).fit(MAIN)
    tokens = [token for text in MAIN for token in ours.build_analyzer()(text)]
    theirs = HashingVectorizer(n_features=16, analyzer=lambda token: [token], norm=None)
    place = {token: int(theirs.transform([token]).indices[0]) for token in tokens}
    assert ours.get_feature_names_out().tolist() == expected(Counter(tokens), place.__getitem__, 16)


@pytest.mark.parametrize("hashing", [{"hashed_bits": BITS}, {"n_features": 8}], ids=str)
def test_what_met_no_words_has_numbers(hashing):
    numbers = [f"bucket {j}" for j in range(8)]
    for rows in (TextVectorizer(**hashing), TextVectorizer(**hashing, readable=False).fit(MAIN)):
        assert rows.get_feature_names_out().tolist() == numbers
        assert rows.partial_fit([]).get_feature_names_out().tolist() == numbers
    assert (TextVectorizer(**hashing).transform(MAIN) != TextVectorizer(**hashing).fit(MAIN).transform(MAIN)).nnz == 0


@given(st.lists(st.sampled_from(["a", "b", "a|b", "bucket 1", "a (bucket 0)"]), min_size=1, max_size=8))
def test_no_two_columns_have_one_name(names):
    told = distinct(names)
    assert len(set(told)) == len(told)
    assert all(new == old or new.startswith(f"{old} (bucket ") for old, new in zip(names, told, strict=True))


@pytest.mark.parametrize("model", ["naive-bayes", *MINIMISED])
def test_a_classifier_names_what_tells_its_classes_apart(model, tmp_path):
    given = {"hidden_layer_sizes": (2,)} if model == "mlp" else {}
    clf = TextClassifier(model, hashed_bits=BITS, words=(1, 1), **given).fit(MAIN, LABELS)
    counts = occurrences(MAIN, binary=clf.model_.encoder.settings.binary)
    names = set(expected(counts, places(counts, BITS), 1 << BITS))
    clf.save(tmp_path / "m.deciban")
    for known in (clf, load(tmp_path / "m.deciban")):
        rows, _, seen = known.model_.encoder.features()
        told = [each.term for each in telling(known.model_, rows, seen, 99)]
        told += [each.term for some in strongest(known.model_, rows, seen, 99).values() for each in some]
        assert told
        assert set(told) <= names
        assert {each.feature for each in evidence_importance(known)} <= names


def test_absent_buckets_are_named_in_explanations(tmp_path):
    clf = TextClassifier("naive-bayes", likelihood="bernoulli", hashed_bits=6, words=(1, 1)).fit(MAIN, LABELS)
    clf.save(tmp_path / "m.deciban")
    counts = occurrences(MAIN, binary=True)
    place = places(counts, 6)
    names = expected(counts, place, 64)
    for known in (clf, load(tmp_path / "m.deciban"), pickle.loads(pickle.dumps(clf))):
        (why,) = known.explain(["free 점심"])
        absent = {names[place(word)] for word in counts} - {names[place(word)] for word in ("free", "점심")}
        assert {each.term for each in why.terms} == {"free", "점심", *(f"no {name}" for name in absent)}


# --- counts ------------------------------------------------------------------------------------------------


@given(data=labelled_texts(), binary=st.booleans(), words=st.sampled_from([(1, 1), (1, 3)]))
def test_words_are_counted_as_a_dictionary_counts_them(data, binary, words):
    settings = {"words": words, "binary": binary, "max_features": None}
    hashed = TextClassifier("naive-bayes", hashed_bits=4, **settings).fit(data.texts, data.labels, data.weights)
    named = TextClassifier("naive-bayes", **settings).fit(data.texts, data.labels, data.weights)
    (hashes, counts, _, text, ends), of = named.model_.encoder.book.parts(), hashed.model_.encoder.words.book.parts()
    assert (hashes.tolist(), text, ends.tolist()) == (of[0].tolist(), of[3], of[4].tolist())
    assert counts.sum(axis=1).tolist() == of[1][:, 0].tolist()


@given(data=labelled_texts(), more=st.lists(TEXTS, max_size=4))
def test_pieces_sums_threads_and_what_is_forgotten_change_no_byte(data, more):
    def made(jobs=None):
        return TextClassifier("naive-bayes", hashed_bits=4, n_jobs=jobs, calibration=None)

    data = Labelled([f"{text} word" for text in data.texts], data.labels, data.weights)
    whole = made().fit(data.texts, data.labels)
    half = [row for row in range(len(data)) if row % 2]
    rest = [row for row in range(len(data)) if not row % 2]
    if len({data.labels[row] for row in half}) > 1 and len({data.labels[row] for row in rest}) > 1:
        one, two = (made().fit([data.texts[r] for r in part], [data.labels[r] for r in part]) for part in (half, rest))
        assert content(one + two) == content(whole)
    assert content(made(3).fit(data.texts, data.labels)) == content(whole)
    labels = [data.labels[0]] * len(more)
    if more:
        assert content(made().fit(data.texts, data.labels).partial_fit(more, labels).forget(more, labels)) == (
            content(whole)
        )


def test_words_prove_that_something_was_never_learnt_where_buckets_do_not():
    clf = TextClassifier("naive-bayes", hashed_bits=1, words=(1, 1), binary=False).fit(["a b c d e f"] * 2, [0, 1])
    before = content(clf)
    with pytest.raises(ValueError, match='cannot forget what was never learnt: "unheard" is to be forgotten more'):
        clf.forget(["unheard"], [0])
    assert content(clf) == before


# --- the bound ---------------------------------------------------------------------------------------------


@given(texts=st.lists(st.lists(st.integers(0, 60), max_size=12), min_size=2, max_size=30), most=st.integers(2, 40))
def test_so_many_words_are_kept_at_most_and_the_file_says_so(texts, most):
    """Beyond the bound the rarest are dropped, the counts of buckets are exact all the same, and threads change
    nothing."""
    settings = TextSettings(hashed_bits=4, max_words=max(most, 16), binary=False)
    items = [" ".join(f"w{k}" for k in text) + f" t{i}" for i, text in enumerate(texts)]
    rows = [(items, ["ab"[i % 2] for i in range(len(texts))])]
    known, again = (train_rows(rows, settings, Bayes(), n_jobs=jobs)[0] for jobs in (1, 3))
    words = known.model.encoder.words
    assert words.book == again.model.encoder.words.book
    assert len(words.book) <= settings.max_words
    distinct_words = {word for text in items for word in text.split()}
    assert len(words.book) + words.dropped == len(distinct_words)
    assert known.model.header()["readable_dropped"] == words.dropped
    free, _ = train_rows(rows, replace(settings, max_words=1 << 20), Bayes())
    assert known.model.encoder.book == free.model.encoder.book
    more, _ = known.learn([b"w1 w2 brand new"], "a")
    back, _ = more.forget([b"w1 w2 brand new"], "a")
    assert len(more.model.encoder.words.book) <= settings.max_words + 4  # none of the four words need have been kept
    assert back.model.encoder.book == known.model.encoder.book
    if not words.dropped and len(words.book) < settings.max_words:
        assert back.model.encoder.words == words


# --- privacy, and files without words ----------------------------------------------------------------------


@pytest.mark.parametrize("model", ["naive-bayes", "nbsvm", "kernel-svm"])
def test_no_word_of_the_texts_is_kept_where_one_asks_for_none(model, tmp_path):
    texts = ["qhush qmother", "qhush 비밀 qcall", "qlunch qcall", "qlunch qsecret"]
    kept, none = (TextClassifier(model, hashed_bits=5, readable=each).fit(texts, LABELS) for each in (True, False))
    assert none.model_.encoder.words is None
    assert (kept.predict_proba(texts) == none.predict_proba(texts)).all()
    none.save(tmp_path / "m.deciban")
    for held in ((tmp_path / "m.deciban").read_bytes(), pickle.dumps(none)):
        assert not any(word.encode() in held for text in texts for word in text.split())
    assert b"qhush" in content(kept)
    again = load(tmp_path / "m.deciban")
    assert again.get_params()["readable"] is False
    assert content(again) == content(none)
    rows = TextVectorizer(hashed_bits=5, readable=False).fit(texts)
    assert b"qhush" not in pickle.dumps(rows)


def test_a_file_without_words_learns_on_without_them(tmp_path):
    """Older files have none."""
    known = TextClassifier("naive-bayes", hashed_bits=5).fit(MAIN, LABELS)
    header, arrays = known.model_.header(), known.model_.arrays()
    del header["readable_dropped"]
    older = store.to_bytes(header, {key: each for key, each in arrays.items() if ".readable." not in key})
    (tmp_path / "old.deciban").write_bytes(older)
    again = load(tmp_path / "old.deciban")
    assert content(again) == older
    again.partial_fit(["more words"], ["ham"])
    assert again.model_.encoder.words is None
    assert content(again.forget(["more words"], ["ham"])) == older
    assert content(known + again) == content(again + known)
    assert (known + again).model_.encoder.words is None
    rows, _, seen = again.model_.encoder.features()
    (first, *_) = telling(again.model_, rows, seen, 1)
    assert first.term.startswith("bucket ")


# --- files of strangers ------------------------------------------------------------------------------------


def test_words_that_do_not_belong_there_are_refused():
    header, arrays = parts("hashed")
    words = {key: each for key, each in arrays.items() if ".readable." in key}
    fewer = {key: each for key, each in arrays.items() if key not in words}
    assert "readable_dropped" in refusal(store.to_bytes({**header, "readable_dropped": -1}, arrays))
    assert "state.readable.hashes" in refusal(store.to_bytes(header, {**fewer, "state.readable.ends": np.empty(0)}))
    assert "readable_dropped" in refusal(
        store.to_bytes({key: value for key, value in header.items() if key != "readable_dropped"}, arrays)
    )
    named, of_named = parts("bernoulli")
    for changed in (named, {**named, "readable_dropped": 0}):
        assert "only beside buckets" in refusal(store.to_bytes(changed, {**of_named, **words}))
    for key in words:
        assert key in refusal(store.to_bytes(header, {name: each for name, each in arrays.items() if name != key}))


@given(hashes=st.lists(st.integers(0, 2**64 - 1), max_size=5), ends=st.lists(st.integers(0, 2**64 - 1), max_size=5))
def test_names_of_damaged_words_end_nowhere_else(hashes, ends):
    """What a verdict reads is checked when it is used: it is a name, or a DataError."""
    n = min(len(hashes), len(ends))
    column = (np.array(each[:n], dtype="<u8").tobytes() for each in (hashes, ends))
    names = BucketNames(2, next(column), np.ones(n).tobytes(), "F64", b"abcde", next(column))
    assert all(len(names[j]) < 60 for j in range(4))


# --- parameters -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [TextClassifier(readable=False), TextVectorizer(readable=False)], ids=["c", "v"])
def test_a_dictionary_cannot_do_without_words(estimator):
    text = "readable=False is of hashed features: a dictionary holds its words by name. Expected hashed_bits beside it."
    with pytest.raises(ValueError, match=text):
        estimator.fit(MAIN, LABELS)


def test_recipes_pass_it_on():
    assert recipe("text", "svm", {"readable": False, "hashed_bits": 4}).settings.readable is False
    assert recipe("mail", "naive-bayes", {"hashed_bits": 4}).settings.readable is True
