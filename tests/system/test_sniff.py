"""Mail told from text by its first bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.mail.sources import looks_like_mail

MAIL = b"Received: from a by b\nSubject: hello\n\nbody\n"
ENVELOPE = b"From ann@example.org  Thu Aug 22 12:36:23 2002\n"
MBOX = ENVELOPE + MAIL + b"\n" + ENVELOPE + MAIL


@pytest.mark.parametrize(
    ("head", "mail"),
    [
        (MAIL, True),
        (MBOX, True),
        (b"From: a@b\r\nTo: c@d\r\n\r\n", True),
        (b"X-Odd: 1\nX-Odder: 2\n folded\nReceived: x\n\tfolded\nDate: y\n", True),
        (ENVELOPE + b">From b@c Thu Aug 22 12:36:23 2002\n" + MAIL, True),
        (b"", False),
        (b"Subject: only one\n\nTo: somebody\n", True),
        (b"Subject: meter 4179\nno line between\n", True),
        (b"SUBJECT : re\r\ntext\r\n", True),
        (b"Subjects: two\n", False),
        (b"The\nSubject: no first line\n", False),
        (b"Note: buy milk\nPlan: rest\n", False),
        (b"From the start a delight.\n", False),
        (b"Dear all,\nTo: x\nFrom: y\n", False),
        (b"http://example.org/: a link\nTo : x\n", False),
    ],
)
def test_what_looks_like_mail(head, mail):
    assert looks_like_mail(head) is mail


@given(st.binary(max_size=300))
def test_any_bytes_get_an_answer(head):
    assert looks_like_mail(head) in (True, False)


def test_a_hostile_line_of_weekdays_is_judged():
    """Without the bounds in the pattern this would not come back."""
    assert not looks_like_mail(b"From " + b"Mon " * 1_000_000)
