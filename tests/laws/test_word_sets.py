"""Mail that is read once, as sets of words, is learnt as from its tokens: to the last byte of the file."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban import store
from deciban._core import Files, TokenCorpus, WordSets
from deciban.cli.ahead import ahead
from deciban.errors import DataError
from deciban.mail.online_training import read_sets
from deciban.text.corpus import Corpus, keys_of
from deciban.text.minimised import Words
from deciban.text.online import OnlineText, examples_of
from deciban.text.recipes import recipe
from laws.test_token_corpus import MAIL

CLASSES = ("ham", "spam")


class Read:
    """Items that were read in batches, on so many threads."""

    def __init__(self, batches, members, settings, n_jobs):
        self.settings, self.classes = settings, CLASSES
        self.sets = WordSets(settings.reader(), 2, settings.max_words, n_jobs)
        for items in batches:
            self.sets.add(items, members[: len(items)])
            members = members[len(items) :]


def of_tokens(batches, members, settings):
    """The words and the examples as they are made of tokens of distinct items."""
    tokens = TokenCorpus(settings.reader())
    digests = b"".join(tokens.add(items) for items in batches)
    times = np.concatenate([settings.reader().arrivals(items) for items in batches])
    y, keys = np.array(members), keys_of(digests)
    first = np.sort(np.unique(keys, return_index=True)[1])
    corpus = Corpus(X=tokens, y=y, classes=CLASSES, keys=keys, places=np.arange(len(y)), times=times)
    corpus = corpus.only(first)
    words = Words.of(settings, corpus, None)
    return words.encoder(settings), examples_of(words, settings, corpus)


@given(
    items=st.lists(st.tuples(MAIL, st.integers(0, 1)), min_size=2, max_size=30),
    size=st.integers(1, 30),
    most=st.sampled_from([6, 40, 1 << 20]),
    n_jobs=st.sampled_from([1, 2]),
)
def test_sets_that_are_read_are_those_of_tokens(items, size, most, n_jobs):
    """Also where items come again, under the same label or another, and where rare words are dropped."""
    settings = replace(recipe("mail", "online", {}).settings, max_words=most)
    messages, members = [message for message, _ in items], [label for _, label in items]
    batches = [messages[i : i + size] for i in range(0, len(messages), size)]
    read = read_sets(Read(batches, members, settings, n_jobs))
    if not len(read.encoder.book):  # so few are admitted that none is left
        with pytest.raises(DataError):
            of_tokens(batches, members, settings)
        return
    encoder, examples = of_tokens(batches, members, settings)
    for mine, theirs in zip(read.examples, examples, strict=True):
        assert np.array_equal(mine, theirs)
    assert (read.encoder.book, read.encoder.dropped, read.encoder.uncounted) == (
        encoder.book,
        encoder.dropped,
        encoder.uncounted,
    )
    assert read.duplicates + read.conflicts + len(examples.y) == len(messages)
    bytes_of = [
        store.to_bytes(model.header(), model.arrays())
        for model in (OnlineText.of(CLASSES, *each) for each in ((read.encoder, read.examples), (encoder, examples)))
    ]
    assert bytes_of[0] == bytes_of[1]


def test_what_is_made_ahead_comes_in_order_and_raises_where_it_would():
    def made():
        yield from range(5)
        raise KeyError("six")

    following = ahead(made())
    assert [next(following) for _ in range(5)] == list(range(5))
    with pytest.raises(KeyError, match="six"):
        next(following)
    assert list(ahead(iter(()))) == []
    assert list(ahead(iter("a"))) == ["a"]


@given(
    texts=st.lists(st.binary(max_size=9), max_size=9),
    place=st.integers(-10, 9) | st.slices(9),
    size=st.sampled_from([1, 8, 1 << 20]),
)
def test_items_of_files_are_a_sequence_of_bytes(tmp_path_factory, texts, place, size):
    folder = tmp_path_factory.mktemp("items")
    paths = [folder / str(i) for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    batches = list(Files(paths, [False] * len(paths), 100, size=size))
    assert [i for numbers, _ in batches for i in numbers] == list(range(len(texts)))
    assert [item for _, items in batches for item in items] == texts
    for numbers, items in batches:
        own = texts[numbers[0] : numbers[-1] + 1]
        assert (len(items), items.sizes()) == (len(own), list(map(len, own)))
        if isinstance(place, slice) or -len(own) <= place < len(own):
            assert items[place] == own[place]
        else:
            with pytest.raises(IndexError):
                items[place]
