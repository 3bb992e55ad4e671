"""What of a message's headers is evidence: its words, and the messages that are one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban import TextClassifier
from deciban._core import Reader

READER = Reader("mail", (1, 1), 0)
BODY = b"Date: Mon, 2 Apr 2007 10:00:00 -0400\nSubject: meeting\n\nAt noon, then.\n"
NAMES = st.sampled_from(
    ["X-Spam-Score", "X-RC-Virus", "X-Barracuda-Bayes", "X-Bogosity", "X-MS-Exchange-Organization-SCL", "Status"]
)
FOREIGN = st.lists(st.tuples(NAMES, st.text("abc=,;. 019", max_size=30)), max_size=4)


def own(*, number, reply=None, sender="Ann <ann@example.org>"):
    """A message with an identity, perhaps one that answers."""
    answered = b"" if reply is None else b"In-Reply-To: <%d@example.org>\n" % reply
    return b"Message-ID: <%d@example.org>\nFrom: %s\n" % (number, sender.encode()) + answered + BODY


@given(FOREIGN, FOREIGN)
def test_what_filters_and_mailboxes_add_changes_neither_words_nor_digest(above, below):
    message, head = own(number=1), [b"".join(f"{n}: {v}\n".encode() for n, v in each) for each in (above, below)]
    marked = head[0] + message.replace(b"Subject:", head[1] + b"Subject:")
    assert READER.tokens(marked) == READER.tokens(message)
    assert READER.digest(marked) == READER.digest(message)


def test_the_topmost_results_of_checks_are_words():
    found = b"Authentication-Results: mx.example; spf=%s smtp.mailfrom=%s.example\n"
    words = set(READER.tokens(found % (b"Pass", b"one") + found % (b"fail", b"two") + BODY))
    assert {word for word in words if word.startswith("auth:")} == {"auth:spf=pass", "auth:one.example"}


def test_senders_and_threads_are_words_as_a_whole():
    words = set(READER.tokens(own(number=7, reply=3)))
    assert {"address:ann@example.org", "from:ann", "from:example.org"} <= words
    assert {"thread:7@example.org", "thread:3@example.org", "header:example.org"} <= words


@pytest.mark.parametrize("model", ["online", "naive-bayes"])
def test_a_reply_weighs_as_what_it_answers(model):
    """Message 0 is ham and 1 is spam: what answers either is nearer to it, all else being equal."""
    messages = [own(number=n) for n in range(8)]
    learnt = TextClassifier(kind="mail", model=model).fit(messages, [n % 2 for n in range(8)])
    scores = learnt.predict_joint_log_proba([own(number=99, reply=n) for n in range(2)])
    assert scores[0, 0] - scores[0, 1] > scores[1, 0] - scores[1, 1]
