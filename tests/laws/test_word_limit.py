"""The limit of words is part of the law: what is learnt and forgotten was never learnt, beyond it, too."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deciban.mail.filter import Filter, train_rows
from deciban.text.classifier import TextClassifier
from deciban.text.counting import occurrences
from deciban.text.model import Bayes
from deciban.text.settings import TextSettings
from tiers import examples

LABELS = ("ham", "spam")
words = st.integers(0, 40).map(lambda k: f"w{k}")
texts = st.lists(words, min_size=1, max_size=14).map(" ".join)
batches = st.lists(st.lists(texts, min_size=1, max_size=8), min_size=1, max_size=4)
KINDS = {
    "binary": {"binary": True},
    "often": {"binary": False},
    "pairs": {"binary": True, "words": (1, 2)},
    "hashed": {"binary": True, "hashed_bits": 5},
}
over = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())


def trained(pieces, most, kind):
    """A filter of at most so many words that learnt these batches, and the labels of its items."""
    held, rows = {}, []
    for piece in [["w0 w1", "w2 w3"], *pieces]:
        labels = [LABELS[sum(map(ord, text)) % 2] for text in piece]
        rows.append((piece, labels))
        for text, label in zip(piece, labels, strict=True):
            held.setdefault(text, label)
    if len({*held.values()}) < 2:
        rows.append((["w5"], [next(each for each in LABELS if each not in held.values())]))
        held.setdefault("w5", rows[-1][1][0])
    settings = TextSettings("text", max_words=most, key=7, readable=False, **kind)
    return train_rows(rows, settings, Bayes())[0], held


def content(known, tmp_path):
    """The bytes of the filter, which its file gives again."""
    path = tmp_path / "f.deciban"
    known.save(path)
    found = path.read_bytes()
    again = Filter.load(path)
    again.save(path)
    assert path.read_bytes() == found
    return found


def occurrences_of(known, text):
    """How often each feature, by its hash, occurs in a text."""
    reader = replace(known.model.encoder.settings, max_words=1 << 20)
    other = train_rows([([text, "zzz"], ["a", "b"])], reader)[0].model.encoder.book
    _, counts, *_ = other.parts()
    return {int(h): n for h, n in zip(other.hashes, counts[:, 0], strict=True) if n}


def check(known, held):
    """Every word counts exactly in the items that it counts in, and what is not counted is told."""
    encoder = known.model.encoder
    of, digest = encoder.generations, encoder.settings.reader().digest
    hashes, counts, items, *_ = encoder.book.parts()
    assert len(hashes) <= encoder.settings.max_words
    assert items.tolist() == [sum(label == each for label in held.values()) for each in LABELS]
    rows = [
        (h, n, 0 if of is None else of.born[i], np.inf) for i, (h, n) in enumerate(zip(hashes, counts, strict=True))
    ]
    if of is not None:
        rows += [*zip(of.retired.hashes, of.retired.counts, of.retired.born, of.retired.until, strict=True)]
    left = 0.0
    expected = [np.zeros(2) for _ in rows]
    for text, label in held.items():
        generation, c = known.ledger.row(digest(text)).generation, LABELS.index(label)
        for word, n in occurrences_of(known, text).items():
            (*found,) = [i for i, (h, _, born, until) in enumerate(rows) if h == word and born <= generation < until]
            assert len(found) <= 1
            if found:
                expected[found[0]][c] += n
            else:
                left += n
    for (_, n, *_), wanted in zip(rows, expected, strict=True):
        assert n.tolist() == wanted.tolist()
    assert encoder.uncounted == left
    assert (of is None) == (left == 0.0 and not any(row[3] < np.inf for row in rows))


@over
@examples(4)
@given(pieces=batches, most=st.integers(2, 60), data=st.data())
def test_what_is_learnt_and_forgotten_was_never_learnt(kind, pieces, most, data, tmp_path_factory):
    """In any order, with relabelling, and whatever gave way meanwhile."""
    known, held = trained(pieces, most, kind)
    assume(len(known.model.encoder.book))
    check(known, held)
    folder = tmp_path_factory.mktemp("limit")
    before, first, dropped = content(known, folder), dict(held), known.model.encoder.dropped
    taken, let_go = [], False
    for _ in range(data.draw(st.integers(1, 6))):
        text, label = data.draw(texts), data.draw(st.sampled_from(LABELS))
        more = [text, *data.draw(st.lists(texts, max_size=3))]
        known, became = known.learn([each.encode() for each in more], label)
        taken += [each for each, outcome in zip(more, became, strict=True) if outcome != "already known"]
        held |= dict.fromkeys(more, label)
        check(known, held)
        content(known, folder)
        let_go |= known.model.encoder.dropped > dropped
    for text in data.draw(st.permutations(taken)):
        known, became = known.forget([text.encode()])
        assert became == ["forgotten"]
    check(known, first)
    assert let_go or content(known, folder) == before


@over
@examples(3)
@given(pieces=batches, most=st.integers(2, 60), data=st.data())
def test_any_item_can_be_forgotten(kind, pieces, most, data):
    known, held = trained(pieces, most, kind)
    for text in data.draw(st.permutations(sorted(held)))[:-1]:
        known, became = known.forget([text.encode()], held.pop(text))
        assert became == ["forgotten"]
        check(known, held)


def fill(most):
    """A filter that holds as many words as it may, of messages with words of their own and few others."""
    own = [" ".join(f"{label}{k}x{i}" for i in range(8)) + f" {label} every" for k in range(3) for label in LABELS]
    known, held = trained([own], 1 << 20, KINDS["binary"])
    encoder = replace(known.model.encoder, settings=replace(known.model.encoder.settings, max_words=most))
    return Filter(replace(known.model, encoder=encoder), known.ledger), held


def test_rare_words_give_way_to_new_ones_and_return(tmp_path):
    known, held = fill(64)
    before, n = content(known, tmp_path), len(known.model.encoder.book)
    assert n < 64
    flood = " ".join(f"random{k}" for k in range(64 - n))
    full, _ = known.learn([flood.encode()], "spam")
    assert len(full.model.encoder.book) == 64
    assert full.model.encoder.generations is None
    more, _ = full.learn([b"every brand new word"], "ham")
    check(more, held | {flood: "spam", "every brand new word": "ham"})
    book, encoder = more.model.encoder.book, more.model.encoder
    assert (len(book), len(encoder.generations.retired), encoder.uncounted) == (64, 3, 0)
    names = set(book.names(range(64)))
    assert {"brand", "new", "word", "every", "spam", "ham"} <= names
    assert encoder.dropped == 0
    one, _ = more.forget([b"every brand new word"])
    assert content(one, tmp_path) == content(full, tmp_path)
    other, _ = more.forget([flood.encode()])
    check(other, held | {"every brand new word": "ham"})
    none, _ = other.forget([b"every brand new word"])
    assert content(none, tmp_path) == before


def test_what_a_filter_cannot_take_is_told():
    """Of what is learnt at once an eighth of the words at most gives way; the others are not counted."""
    known, held = fill(64)
    flood = " ".join(f"random{k}" for k in range(100))
    more, _ = known.learn([flood.encode()], "spam")
    check(more, held | {flood: "spam"})
    encoder = more.model.encoder
    assert len(encoder.book) == 64
    assert encoder.uncounted == 100 - max(64 - len(known.model.encoder.book), 8)
    again, _ = more.forget([flood.encode()])
    assert again.model.encoder.book == known.model.encoder.book
    assert again.model.encoder.generations is None
    assert again.ledger.newest == 0


def test_what_gave_way_first_is_let_go_where_half_as_many_words_have():
    known, held = fill(64)
    for k in range(12):
        text = " ".join(f"new{k}x{i}" for i in range(8))
        known, _ = known.learn([text.encode()], LABELS[k % 2])
        held[text] = LABELS[k % 2]
        check(known, held)
    encoder = known.model.encoder
    assert len(encoder.generations.retired) <= 32
    assert encoder.dropped > 0
    for text in list(held)[:-1]:
        known, _ = known.forget([text.encode()])
        check(known, {each: label for each, label in held.items() if known.ledger.row(digest_of(known, each))})


def digest_of(known, text):
    return known.model.encoder.settings.reader().digest(text)


@given(pieces=st.lists(texts, min_size=2, max_size=12), more=st.lists(texts, min_size=1, max_size=6), data=st.data())
def test_counts_alone_forget_exactly_as_well(pieces, more, data):
    """Without a ledger, words that are not known are passed over once some were, until what held them is forgotten."""
    labels = ["x", "y", *("xy"[len(each) % 2] for each in pieces)]
    known = TextClassifier("naive-bayes", words=(1, 1)).fit(["w0 w1", "w2 w3", *pieces], labels)
    book, most = known.model_.encoder.book, len(known.model_.encoder.book) + data.draw(st.integers(0, 3))
    encoder = replace(known.model_.encoder, settings=replace(known.model_.encoder.settings, max_words=most))
    model = first = replace(known.model_, encoder=encoder)
    counted = {}
    for text in more:
        counted[text] = occurrences(encoder.settings, [text], [0], 2, bounded=False)
        model = model.plus(counted[text])
        assert len(model.encoder.book) <= most
    for text in data.draw(st.permutations(more)):
        model = model.minus(counted[text])
    assert model.encoder == first.encoder
    assert model.encoder.book == book
