"""A filter after any history is the filter that learnt what is left of it, file byte by file byte."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from deciban import store
from deciban._core import Reader
from deciban.errors import DataError
from deciban.mail.filter import train_rows
from deciban.mail.ledger import Ledger
from deciban.text.model import DEFAULTS, Bayes
from deciban.text.settings import TextSettings
from tiers import examples

MAIL = DEFAULTS["mail"]
SETTINGS = {
    "mail": (MAIL.settings, MAIL.bayes),
    "hashed": (TextSettings("mail", hashed_bits=6, binary=False), Bayes("bernoulli")),
    "short": (TextSettings("mail", words=(1, 2), max_features=4), Bayes()),
}
LABELS = ["ham", "news", "spam"]
FIRST = [f"Subject: first {label}\n\nall the first {label}\n" for label in LABELS]


def message(i):
    return f"From: a{i}@example.org\nSubject: about {i % 3}\n\nwords of number {i}\n"


def whose_digest_ends_in_nul():
    """Two messages whose digests end in a zero byte, which a comparison of strings could overlook."""
    reader, i, found = Reader("mail"), 100, []
    while len(found) < 2:
        if reader.digest(message(i))[-1] == 0:
            found.append(message(i))
        i += 1
    return found


ITEMS = [*map(message, range(5)), *whose_digest_ends_in_nul()]
# The same message as mailboxes and other filters pass it on.
FORMS = [
    lambda text: text,
    lambda text: text + "\n\r\n",
    lambda text: "X-Spam-Flag: YES\n" + text,
    lambda text: "From someone Mon Jan  1 00:00:00 2024\nStatus: RO\n" + text,
    lambda text: text.replace("Subject: ", "Subject: [SPAM] "),
]

NUMBERS = st.integers(0, len(ITEMS) - 1)
COPIES = st.lists(st.tuples(NUMBERS, st.sampled_from(FORMS)), max_size=4)


def content(known):
    return store.to_bytes(known.model.header(), {**known.model.arrays(), **known.ledger.arrays()})


def uncalibrated(known):
    """The filter whose scores are those of its counts: the calibration is that of the training, which keeps it."""
    return replace(known, model=replace(known.model, scaling=None))


class History(RuleBasedStateMachine):
    """The model of a filter: the labels that each item was given and still has, the last of them in force."""

    def __init__(self):
        super().__init__()
        self.given = {number: [] for number in range(len(ITEMS))}

    @initialize(which=st.sampled_from(sorted(SETTINGS)))
    def train(self, which):
        self.how = SETTINGS[which]
        self.base, _ = train_rows([(FIRST, LABELS)], *self.how)
        self.known = self.base

    @rule(copies=COPIES, label=st.sampled_from(LABELS))
    def learn(self, copies, label):
        expected = []
        for number, _ in copies:
            stack = self.given[number]
            if stack and stack[-1] == label:
                expected.append("already known")
                continue
            expected.append("relabelled" if stack else "learnt")
            stack.append(label)
        before = self.known
        self.known, outcomes = before.learn([form(ITEMS[number]).encode() for number, form in copies], label)
        assert outcomes == expected
        if set(outcomes) <= {"already known"}:
            assert self.known.ledger is before.ledger, "nothing to write"

    @rule(copies=COPIES, label=st.none() | st.sampled_from(LABELS))
    def forget(self, copies, label):
        stacks, expected, refused = {n: list(stack) for n, stack in self.given.items()}, [], False
        for number, _ in copies:
            stack = stacks[number]
            if stack and label not in (None, stack[-1]):
                refused = True
                break
            expected.append("forgotten" if stack else "not known")
            del stack[-1:]
        items = [form(ITEMS[number]).encode() for number, form in copies]
        if refused:
            before = content(self.known)
            with pytest.raises(DataError, match=r"this item was learnt as .* nothing was changed"):
                self.known.forget(items, label)
            assert content(self.known) == before
            return
        self.known, outcomes = self.known.forget(items, label)
        assert outcomes == expected
        self.given = stacks

    @invariant()
    def it_is_the_filter_that_learnt_what_is_left(self):
        fresh = self.base
        for number in sorted(self.given, reverse=True):
            for label in self.given[number]:
                fresh, _ = fresh.learn([ITEMS[number].encode()], label)
        assert content(self.known) == content(fresh)

    @invariant()
    def it_is_the_filter_that_was_trained_with_what_is_left(self):
        if any(len(stack) > 1 for stack in self.given.values()):
            return  # training knows one label an item; the filter remembers those before
        left = [(ITEMS[number], stack[0]) for number, stack in self.given.items() if stack]
        texts, labels = [*FIRST, *(text for text, _ in left)], [*LABELS, *(label for _, label in left)]
        trained, _ = train_rows([(texts[::-1], labels[::-1])], *self.how)
        assert content(uncalibrated(self.known)) == content(uncalibrated(trained))
        assert self.known.model.scaling == self.base.model.scaling

    @invariant()
    def its_ledger_knows_the_labels(self):
        assert len(self.known.ledger) == len(FIRST) + sum(map(len, self.given.values()))
        for number, stack in self.given.items():
            digest = self.known.model.encoder.settings.reader().digest(ITEMS[number])
            known = self.known.ledger.label(digest)
            assert known == (LABELS.index(stack[-1]) if stack else None)


History.TestCase.settings = examples(5, stateful_step_count=20)
TestHistory = History.TestCase

DIGESTS = st.lists(
    st.binary(min_size=16, max_size=16) | st.binary(max_size=16).map(lambda b: b.ljust(16, b"\0")),
    unique=True,
    min_size=1,
    max_size=8,
)


@given(digests=DIGESTS, draw=st.data())
def test_a_ledger_of_any_digests_is_a_stack_a_digest(digests, draw):
    ledger, stacks = Ledger.of(b"", []), {digest: [] for digest in digests}
    steps = draw.draw(st.lists(st.tuples(st.sampled_from(digests), st.none() | st.integers(0, 3)), max_size=30))
    for digest, label in steps:
        if label is not None:
            ledger = ledger.learnt([digest], label, 0)
            stacks[digest].append(label)
        elif stacks[digest]:
            ledger = ledger.forgotten(digest)
            stacks[digest].pop()
        assert [ledger.label(d) for d in digests] == [stack[-1] if stack else None for stack in stacks.values()]
    arrays = ledger.arrays()
    rows = [(digest, label) for digest in sorted(stacks) for label in stacks[digest]]
    assert arrays["ledger.digests"].tobytes() == b"".join(digest for digest, _ in rows)
    assert arrays["ledger.classes"].tolist() == [label for _, label in rows]


def test_what_is_counted_once_is_in_the_ledger_once():
    texts, labels = [*FIRST, FIRST[0], FIRST[1]], [*LABELS, "ham", "spam"]
    known, counted = train_rows([(texts[:2], labels[:2]), (texts[2:], labels[2:])], *SETTINGS["mail"])
    assert (counted.duplicates, counted.conflicts) == (1, 1)
    assert content(known) == content(train_rows([(FIRST, LABELS)], *SETTINGS["mail"])[0])


ENDS = st.text("\n\r\t \f", max_size=6).map(str.encode) | st.sampled_from(
    [b" " * 1200, b"\r\n" * 3, b"\n" + b"\t" * 999]
)
BODIES = st.binary(max_size=60) | st.sampled_from(
    [
        b"Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B4X78",  # which never ends its shift
        b"Content-Transfer-Encoding: quoted-printable\n\nline=",
        b"Content-Transfer-Encoding: base64\n\naGVsbG8",
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b--",
        b"\n" + b"x" * 998,
    ]
)


@given(body=BODIES, ends=st.tuples(ENDS, ENDS), header=st.sampled_from([b"", b"Subject: a\n", b"X-Spam-Flag: YES\n"]))
def test_messages_of_one_digest_have_the_same_words(body, ends, header):
    """Learnt from one copy and forgotten by another: the digest and the words come from the same bytes."""
    reader = SETTINGS["mail"][0].reader()
    one, other = (header + body + end for end in ends)
    assert reader.digest(one) == reader.digest(other)
    assert list(reader.tokens(one)) == list(reader.tokens(other))


def test_a_copy_with_white_space_at_its_end_is_the_same_message():
    known, _ = train_rows([(FIRST, LABELS)], *SETTINGS["mail"])
    message = b"Subject: lunch\n\nat noon"
    learnt, _ = known.learn([message + b" " * 1200 + b"\n"], LABELS[0])
    left, outcomes = learnt.forget([message])
    assert outcomes == ["forgotten"]
    assert content(left) == content(known)


def test_more_classes_than_a_ledger_tells_apart_are_refused():
    digests = np.array([bytes([1, k]) for k in range(2)], "S16")
    assert Ledger.of_distinct(digests, np.array([0, 65_535])).classes.tolist() == [0, 65_535]
    with pytest.raises(DataError, match="expected items of 65,536 classes at most; got 65,537"):
        Ledger.of_distinct(digests, np.array([0, 65_536]))
