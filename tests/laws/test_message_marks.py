"""Marking a message changes nothing but its marks, whoever wrote others into it before."""

from hypothesis import given
from hypothesis import strategies as st

from deciban._core import Reader
from deciban.conventions import DECIBANS_PER_NAT
from deciban.judging import verdict_of
from deciban.serve.markup import format_fields, mark_message, marked_header, remove_marks, split_message
from deciban.serve.rating import REQUIRED, rate_verdict
from tiers import examples

READER = Reader("mail", (1, 1), 0)
ENDS = st.sampled_from([b"\n", b"\r\n"])
TEXTS = st.text("abc X-Spam:;\t.한é", max_size=20).map(str.encode)
FOREIGN = st.sampled_from(
    [b"X-Spam-Flag: YES", b"x-spam-status: No, score=-9", b"X-Spam-Level:", b"X-DECIBAN-Reason : ham", b"X-Spam-: 1"]
)
OTHERS = st.sampled_from(
    [b"Subject: hello", b"X-Spammer: no", b"Received: from a by b", b"XX-Spam-Flag: YES", b"To: x"]
)
FOLDED = st.sampled_from([b"", b" more", b"\tscore=1", b" X-Spam-Flag: YES"])
LINES = st.lists(st.tuples(st.one_of(FOREIGN, OTHERS), FOLDED), max_size=8)


def classify(nats):
    """The verdict of so many nats for spam."""
    return verdict_of(["ham", "spam"], [0.0, nats], (int(nats > 0), int(nats <= 0)), None)


VERDICTS = st.floats(-300, 300).map(classify)
REASONS = st.text(max_size=200)


@st.composite
def messages(draw):
    """A message, with its own and others' fields, or none, and with an empty line, or none."""
    end = draw(ENDS)
    envelope = draw(st.sampled_from([b"", b"From a@b Mon Jan  1 00:00:00 2024" + end]))
    fields = b"".join(line + end + (more + end if more else b"") for line, more in draw(LINES))
    body = draw(st.sampled_from([b"", end])) + end.join(draw(st.lists(TEXTS, max_size=4)))
    cut = draw(st.integers(0, 12))
    whole = envelope + fields + body
    return whole[: len(whole) - cut] if draw(st.booleans()) else whole


@given(messages(), VERDICTS, REASONS)
@examples(200)
def test_marks_are_added_once_and_nothing_else_is_changed(message, verdict, reason):
    rating = rate_verdict(verdict, "spam")
    marked = mark_message(message, rating, reason)
    envelope, fields, body = split_message(message)
    own = format_fields(rating, reason)
    end = b"\r\n" if message.split(b"\n", 1)[0].endswith(b"\r") and b"\n" in message else b"\n"
    assert marked.startswith(envelope + own.encode("ascii").replace(b"\n", end))
    rest = marked[len(envelope) + len(own.encode().replace(b"\n", end)) :]
    assert rest.endswith(remove_marks(fields) + body if fields else body)
    assert mark_message(marked, rating, reason) == marked
    assert remove_marks(split_message(marked)[1]) == remove_marks(fields)
    assert marked_header(message, rating, reason) == marked_header(marked, rating, reason)


@given(messages())
@examples(200)
def test_what_is_removed_are_the_fields_of_filters(message):
    fields = split_message(message)[1]
    kept = remove_marks(fields)
    names = [line.split(b":")[0].strip().lower() for line in kept.split(b"\n") if line[:1] not in (b" ", b"\t", b"")]
    assert not [name for name in names if name.startswith((b"x-spam-", b"x-deciban-"))]
    assert kept.count(b"XX-Spam-Flag: YES") == fields.count(b"XX-Spam-Flag: YES")
    assert remove_marks(kept) == kept


@given(messages(), VERDICTS, REASONS)
@examples(100)
def test_marks_are_no_evidence(message, verdict, reason):
    if not split_message(message)[1] or not message.endswith(b"\n"):
        message = b"Subject: one\n" + message + b"\n\nbody\n"
    marked = mark_message(message, rate_verdict(verdict, "spam"), reason)
    assert READER.tokens(marked) == READER.tokens(message)
    assert READER.digest(marked) == READER.digest(message)


@given(VERDICTS, st.floats(-50, 50), st.text(min_size=1, max_size=300))
@examples(200)
def test_fields_are_lines_that_any_mail_software_reads(verdict, threshold, reason):
    rating = rate_verdict(verdict, "spam", threshold)
    lines = format_fields(rating, reason).splitlines()
    assert all(len(line) <= 998 and line.replace("\t", " ").isprintable() and line.isascii() for line in lines)
    assert all(line[0] in " \t" or ":" in line for line in lines)
    assert rating.is_spam == (rating.score >= REQUIRED) == (lines[0] == "X-Spam-Flag: YES")


@given(st.floats(-300, 300), st.floats(-50, 50))
@examples(200)
def test_the_score_is_five_at_the_threshold_and_one_more_for_each_nat(nats, threshold):
    rating = rate_verdict(classify(nats), "spam", threshold)
    wanted = 5.0 + nats - threshold / DECIBANS_PER_NAT
    assert abs(rating.score - min(max(wanted, -99.9), 99.9)) <= 0.05 + 1e-9
    assert f"{rating.score:.1f}" == str(rating.score)
