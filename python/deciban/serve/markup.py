"""The header fields by which a filter marks a message, and their removal.

Whoever sends a message can write such fields into it: those that came with it are removed before ours are added. Only
the outermost header is changed; every other byte stays, and ours end their lines as the message does.
"""

from __future__ import annotations

import re

from .. import __version__
from ..errors import escape
from .rating import REQUIRED, Rating

_ENVELOPE = re.compile(rb">?From [^\r\n]*\r?\n")
_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")  # a CR alone ends none
_OWN = (b"x-spam-", b"x-deciban-")
MARKS = (
    *("X-Spam-Flag", "X-Spam-Status", "X-Spam-Score", "X-Spam-Level", "X-Spam-Bar", "X-Spam-Report"),
    *("X-Spam-Checker-Version", "X-Deciban-Reason"),
)
"""Names of such fields, for software that removes fields by their names."""
# Characters of a line of the reason, a field and what goes before it included.
_WIDTH = 76
_STARS = 50


def mark_message(message: bytes, rating: Rating, reason: str = "") -> bytes:
    """Return the message with the fields of its rating at the top, and without those that came with it.

    Parameters
    ----------
    message : bytes
        The message, with lines that end in LF or CR LF.
    rating : Rating
        Its rating.
    reason : str, default=""
        The evidence in a few words.

    Returns
    -------
    bytes
        The message that is to be delivered.

    Examples
    --------
    >>> from deciban.serve.rating import rate_verdict
    >>> from deciban.verdict import Verdict
    >>> rating = rate_verdict(Verdict("spam", "ham", {"spam": 0.999, "ham": 0.001}, 30.0, False, None), "spam")
    >>> marked = mark_message(b"X-Spam-Flag: NO\\nSubject: pills\\n\\nnow\\n", rating)
    >>> marked.splitlines()[0], marked.splitlines()[-3:]
    (b'X-Spam-Flag: YES', [b'Subject: pills', b'', b'now'])
    """
    head, fields, body = split_message(message)
    end = line_end(message)
    own = format_fields(rating, reason).encode("ascii").replace(b"\n", end)
    apart = b"" if fields or not body or body.startswith((b"\n", b"\r\n")) else end
    return b"".join((head, own, remove_marks(fields), apart, body))


def marked_header(message: bytes, rating: Rating, reason: str = "") -> bytes:
    """Return the header of the marked message, with the empty line that ends it."""
    head, fields, _ = split_message(message)
    end = line_end(message)
    own = format_fields(rating, reason).encode("ascii").replace(b"\n", end)
    known = remove_marks(fields)
    return b"".join((head, own, known, end if known.endswith(b"\n") or not known else 2 * end))


def list_fields(rating: Rating, reason: str = "") -> list[tuple[str, str]]:
    """Return names and values of the fields: those that rules for SpamAssassin match, and the reason in decibans.

    Where a value goes on in another line, LF and white space stand between them.
    """
    answer = "Yes" if rating.is_spam else "No"
    tests = ",".join(sorted(rating.tests))
    stars = "*" * min(max(int(rating.score), 0), _STARS)
    score = f"score={rating.score:.1f} required={REQUIRED:.1f}"
    fields = [
        ("X-Spam-Flag", "YES" if rating.is_spam else ""),
        ("X-Spam-Status", f"{answer}, {score}\n\ttests={tests} autolearn=no version=deciban-{__version__}"),
        ("X-Spam-Score", f"{rating.score:.1f}"),
        ("X-Spam-Level", stars),
        ("X-Spam-Checker-Version", f"deciban {__version__}"),
        ("X-Deciban-Reason", _encode("X-Deciban-Reason", reason) if reason else ""),
    ]
    return [(name, value) for name, value in fields if value]


def format_fields(rating: Rating, reason: str = "") -> str:
    """Return the fields, each line ended by LF."""
    return "".join(f"{name}: {value}\n" for name, value in list_fields(rating, reason))


def is_mark(name: bytes) -> bool:
    """Return whether a field of this name is one by which filters mark messages."""
    return name.lower().startswith(_OWN)


def remove_marks(fields: bytes) -> bytes:
    """Return the fields of a header without those by which filters mark messages.

    >>> remove_marks(b"X-Spam-Status: Yes,\\n score=9\\nSubject: X-Spam-Status: no\\n")
    b'Subject: X-Spam-Status: no\\n'
    """
    lowered = fields.lower()
    if not any(name in lowered for name in _OWN):
        return fields
    kept, keeps = [], True
    for line in _LINE.findall(fields):
        if not line.startswith((b" ", b"\t")):
            name = _FIELD.match(line)
            keeps = name is None or not is_mark(name[1])
        if keeps:
            kept.append(line)
    return b"".join(kept)


def split_message(message: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the line of a mailbox before the header, the fields of the header, and the rest with the empty line.

    Where the first line is no field there is no header.
    """
    envelope = _ENVELOPE.match(message)
    start = envelope.end() if envelope else 0
    at = start
    while at < len(message):
        line_ends = message.find(b"\n", at) + 1 or len(message)
        line = message[at:line_ends]
        folded = line[:1] in (b" ", b"\t") and at > start and line.strip() != b""
        if not folded and not _FIELD.match(line):
            break
        at = line_ends
    return message[:start], message[start:at], message[at:]


def line_end(message: bytes) -> bytes:
    """Return how lines of a message end, by the first."""
    first = message.find(b"\n")
    return b"\r\n" if first > 0 and message[first - 1 : first] == b"\r" else b"\n"


def _encode(field: str, text: str) -> str:
    """Return the value of a field in printable ASCII, folded: what is not becomes encoded words."""
    from email.header import Header

    shown = escape(" ".join(text.split()))
    known = Header(shown, "ascii" if shown.isascii() else "utf-8", maxlinelen=_WIDTH, header_name=field)
    return known.encode(linesep="\n")
