"""What is counted, looked up and scored of tokens is what it is of the items that they are from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban._core import Counter, Dictionary, Reader, TokenCorpus
from deciban.data.copies import KEY, Sketches
from deciban.text.bucket_words import BucketWords
from deciban.text.corpus import Corpus, widest_reader
from deciban.text.settings import TextSettings

CLASSES = 3
WORDS = ["free", "Pills", "now", "it's", "vi\u200bagra", "東京都", "무료", "a" * 70, ".", "mx1.example.org"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
MAIL = st.builds("Subject: {}\nFrom: {} <a@b.example>\n\n{}\n".format, TEXT, TEXT, TEXT)


@st.composite
def drawn(draw):
    """Batches of items, and which of them are examples of which class, of which weight."""
    kind = draw(st.sampled_from(["text", "mail"]))
    items = draw(st.lists(TEXT if kind == "text" else MAIL, min_size=1, max_size=20))
    size = draw(st.integers(1, 20))
    n = len(items)
    chosen = np.flatnonzero(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    members = np.array(draw(st.lists(st.integers(0, CLASSES - 1), min_size=n, max_size=n)))[chosen]
    return kind, [items[i : i + size] for i in range(0, n, size)], chosen, members


SETTINGS = st.builds(
    lambda shortest, longer, **others: (shortest, shortest + longer, others),
    st.integers(1, 2),
    st.integers(0, 2),
    binary=st.booleans(),
    hashed_bits=st.sampled_from([None, 3, 20]),
)


def some_of(batches, places):
    """The chosen items of each batch, with where they begin among all that are chosen."""
    start = begun = 0
    for items in batches:
        here = [place - start for place in places if start <= place < start + len(items)]
        yield [items[i] for i in here], slice(begun, begun + len(here))
        start, begun = start + len(items), begun + len(here)


def assert_same(found, wanted):
    """Equal, arrays number by number."""
    assert len(found) == len(wanted)
    for mine, theirs in zip(found, wanted, strict=True):
        assert mine.tolist() == theirs.tolist() if isinstance(mine, np.ndarray) else mine == theirs


@given(drawn=drawn(), settings=SETTINGS, memory=st.sampled_from([0, 300, 1 << 20]), most=st.sampled_from([5, 1 << 20]))
def test_tokens_say_what_items_say(drawn, settings, memory, most):
    """In memory and in the file, for n-grams that are fewer than those that were tokenised, where words are dropped."""
    (kind, batches, places, members), (shortest, longest, others) = drawn, settings
    reader = Reader(kind, (shortest, longest), 5)
    corpus = TokenCorpus(Reader(kind, (1, 4), 5), memory, 2)
    digests = b"".join(map(corpus.add, batches))
    assert digests == b"".join(reader.digest(item) for items in batches for item in items)
    counter = Counter(reader, CLASSES, most_words=most, readable=True, n_jobs=1, **others)
    for items, at in some_of(batches, places):
        counter.add(items, members[at].tolist())
    (book, *lost), *_ = counter.finish()
    (found, *gone), words, generations = corpus.count(
        reader, places, members, CLASSES, most_words=most, readable=True, **others
    )
    assert found == book
    assert_same(gone, lost)
    assert len(generations) == (len(places) if lost[2] else 0)
    assert_same(words or (), counter.words() or ())
    weights = np.random.default_rng(0).normal(size=(len(book), CLASSES))
    dictionary = Dictionary(
        reader, book.parts()[0].tobytes(), weights=weights.tobytes(), bias=weights[:1].sum(0).tobytes(), **others
    )
    chosen = [item for items, _ in some_of(batches, places) for item in items]
    for ours, theirs in zip(dictionary.rows_of(corpus, places), dictionary.rows(chosen), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(dictionary.scores_of(corpus, places), dictionary.scores(chosen))
    if memory != 300:
        assert (corpus.spilled > 0) == (memory == 0)


def test_weights_are_counted():
    reader, texts, weights = Reader("text", (1, 2)), ["a b a", "b c", "a"], np.array([0.1, 2.0, 0.7])
    counter = Counter(reader, 2, weighted=True)
    counter.add(texts, [0, 1, 0], weights.tolist())
    corpus = TokenCorpus(reader)
    corpus.add(texts)
    (book, *_), *_ = corpus.count(reader, np.arange(3), np.array([0, 1, 0]), 2, weights=weights)
    assert book == counter.finish()[0][0]


def test_without_names_the_counts_are_the_same():
    settings = TextSettings("text", (1, 2), hashed_bits=4)
    corpus = Corpus.of_texts(["a b", "b c"], widest_reader([settings]), "xy", [0, 1])
    named, unnamed = corpus.count(settings), corpus.count(settings, named=False)
    assert named.book == unnamed.book
    assert isinstance(named.words, BucketWords)
    assert unnamed.words is None


def test_what_a_corpus_refuses():
    corpus = TokenCorpus(Reader("text", (1, 2)))
    corpus.add(["a b", "c"])
    one, reader = np.array([0]), Reader("text", (1, 2))
    for other in (
        Reader("text", (1, 3)),
        Reader("text", (1, 2), 1),
        Reader("mail", (1, 2)),
        Reader("text", unit="char"),
    ):
        with pytest.raises(ValueError, match=r"^a reader of the same words as the corpus is expected$"):
            corpus.count(other, one, one, 1)
    for places in ([1, 0], [0, 0], [2], [-1]):
        with pytest.raises(ValueError, match=r"^places of items, in ascending order, are expected$"):
            corpus.count(reader, np.array(places), np.zeros(len(places), int), 1)
    with pytest.raises(ValueError, match=r"^one known class"):
        corpus.count(reader, one, np.array([1]), 1)
    for refused in (Reader("text", (2, 2)), Reader("text", unit="char")):
        with pytest.raises(ValueError, match=r"^a reader of words, from single ones, is expected$"):
            TokenCorpus(refused)


@given(drawn=drawn())
def test_near_duplicates_of_tokens_are_those_of_items(drawn):
    kind, batches, *_ = drawn
    corpus, of_tokens, of_items = TokenCorpus(Reader(kind, (1, 3), KEY)), Sketches(kind, 1), Sketches(kind, 1)
    for items in batches:
        corpus.add(items)
        of_items.add(items)
    of_tokens.add_tokens(corpus)
    for ours, theirs in zip(vars(of_tokens.copies()).values(), vars(of_items.copies()).values(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
