"""Junk that hides among good words is heard: of the passages of a message one is enough."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban import TextClassifier
from deciban._core import Reader
from deciban.text.corpus import Corpus
from deciban.text.minimised import Words
from deciban.text.online import OnlineText, examples_of
from deciban.text.recipes import recipe
from deciban.text.word_sets import word_sets
from tiers import examples

OF_HEADERS = ("from:", "to:", "return:", "received:", "header:", "address:", "thread:", "auth:")
WORDS, MOST = 64, 16
WORD = st.sampled_from(["a", "b7", "Zug", "바다에", "v14gr4", "http://x.example/y", "don't", "е", "漢字", *"cdefghij"])


def message(words, n=0, sender="mx"):
    return (
        f"Received: by {sender}; {1 + n % 28} Jan 2007 10:00:00 +0000\nFrom: a{n % 7}@example.org\n"
        f"Subject: {' '.join(words[:3])}\nContent-Type: text/plain; charset=utf-8\n\n{' '.join(words)}\n"
    ).encode()


def passages_by_definition(text):
    """Return {name: bits}: token i of n of the content is in passage i P / n of P = n / 64, at least 1, at most 16."""
    names = Reader("mail", (1, 1), 0).tokens(text)
    content = [name for name in names if not name.startswith(OF_HEADERS)]
    count = min(max(-(-len(content) // WORDS), 1), MOST)
    found = dict.fromkeys(names, 0)
    for i, name in enumerate(content):
        found[name] |= 1 << (i * count // len(content))
    return found


@given(texts=st.lists(st.lists(WORD, max_size=90).flatmap(lambda x: st.just(x * 9)), min_size=2, max_size=4))
@examples(10)
def test_passages_are_those_of_the_definition_however_a_message_is_read(texts):
    of, y = recipe("mail", "online", {}), np.arange(len(texts)) % 2
    items = [message(words, n) for n, words in enumerate(texts)]
    expected = [passages_by_definition(item) for item in items]
    for item, own in zip(word_sets(of.settings, items), expected, strict=True):
        bits = np.frombuffer(item.passages, "<u2").tolist()
        ends = np.frombuffer(item.ends, "<u8").tolist()
        names = [item.names[a:b].decode() for a, b in zip([0, *ends], ends, strict=False)]
        assert dict(zip(names, bits, strict=True)) == own
    corpus = Corpus.of_texts(items, of.settings.reader(), ("ham", "spam"), y)
    words = Words.of(of.settings, corpus, None)
    learnt, names = examples_of(words, of.settings, corpus), words.book.names(range(len(words.book)))
    for row, i in enumerate(corpus.order().tolist()):
        places = range(int(learnt.starts[row]), int(learnt.ends[row]))
        assert {names[learnt.words[k]]: int(learnt.passages[k]) for k in places} == expected[i]


def test_of_short_messages_the_only_passage_is_the_content():
    random, of = np.random.default_rng(1), recipe("mail", "online", {})
    y = random.integers(0, 2, 90)
    texts = [message([f"{'hs'[c]}{random.integers(40)}" for _ in range(20)], n) for n, c in enumerate(y)]
    corpus = Corpus.of_texts(texts, of.settings.reader(), ("ham", "spam"), y)
    words = Words.of(of.settings, corpus, None)
    placed, encoder = examples_of(words, of.settings, corpus), words.encoder(of.settings)
    models = [OnlineText.of(corpus.classes, encoder, each) for each in (placed, placed._replace(passages=None))]
    assert set(placed.passages.tolist()) == {0, 1}
    assert models[0].fusion == models[1].fusion
    np.testing.assert_array_equal(models[0].weights, models[1].weights)


@pytest.fixture(scope="module")
def learnt():
    """A filter, ham and spam that it has not learnt, from senders it does not know, and its hammiest words."""
    random = np.random.default_rng(2)

    def draw(spam, n, sender):
        own = random.choice(600, 40) if spam else random.choice(2000, 60)
        words = [f"{'s' if spam else 'h'}{k}" for k in own] + [f"w{k}" for k in random.choice(500, 60)]
        return message(random.permutation(words).tolist(), n, sender)

    y = np.arange(800) % 2
    filter_ = TextClassifier(kind="mail", model="online").fit(
        [draw(spam, n, f"mx{n % 5}") for n, spam in enumerate(y)], np.where(y, "spam", "ham")
    )
    served = filter_.model_.compile()
    said = served.by_word() @ [-1.0, 1.0]
    hammy = [name for k in np.argsort(said) if (name := served.names[k]).isalnum()]
    return filter_, *([draw(spam, n, "new") for n in range(200)] for spam in (False, True)), hammy


@pytest.mark.parametrize("behind", [True, False])
@pytest.mark.parametrize("n", [50, 200, 500])
def test_hammy_words_beside_its_own_do_not_hide_junk(learnt, n, behind):
    filter_, ham, spam, hammy = learnt
    random = np.random.default_rng(n)

    def evidence(texts):
        return filter_.predict_joint_log_proba(texts) @ [-1.0, 1.0]

    def stuff(text):
        head, _, body = text.decode().partition("\n\n")
        more = " ".join(random.permutation(hammy[:n]))
        return f"{head}\n\n{f'{body} {more}' if behind else f'{more} {body}'}\n".encode()

    threshold = np.sort(evidence(ham))[-2]  # which half a percent of ham is above
    assert (evidence(spam) > threshold).mean() > 0.95
    assert (evidence([stuff(text) for text in spam]) > threshold).mean() >= 0.75


def test_terms_of_a_stuffed_message_sum_to_its_verdict(learnt):
    filter_, _, spam, hammy = learnt
    text = spam[0] + " ".join(hammy[:300]).encode()
    found = filter_.explain([text])[0]
    assert found.prior_decibans + sum(term.decibans for term in found.terms) == pytest.approx(found.decibans, abs=1e-9)
    (odds,) = filter_.predict_log_proba([text]) @ [-1.0, 1.0]
    assert abs(found.decibans) == pytest.approx(abs(odds) * 10.0 / np.log(10.0), abs=1e-9)
