"""What a file is, told from its bytes: an mbox, a message, or neither.

The header names are those of RFC 5322 and RFC 2045 and the trace headers that servers add; the line that
begins each message of an mbox is "From ", a sender, and a date (RFC 4155).
"""

from __future__ import annotations

import os
import re
from typing import Literal, TypeAlias

from ..errors import unreadable
from ..files.system import flags

Kind: TypeAlias = Literal["mbox", "message"]

_BLOCK = 1 << 16

_KNOWN = frozenset(
    b"""
    from to cc bcc subject date sender reply-to message-id in-reply-to references received return-path
    mime-version content-type content-transfer-encoding content-disposition content-length delivered-to
    x-mailer user-agent envelope-to x-original-to x-originating-ip x-priority x-spam-status x-spam-level
    authentication-results arc-seal arc-message-signature arc-authentication-results dkim-signature
    domainkey-signature received-spf list-id list-unsubscribe list-post precedence organization newsgroups
    path lines status x-status x-uid resent-from resent-to resent-date auto-submitted feedback-id
    thread-topic thread-index importance
    """.split()
)
_HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:")  # RFC 5322, 3.6.8: printable US-ASCII except the colon
_SUBJECT = re.compile(rb"subject[ \t]*:", re.IGNORECASE)

# The bounds keep a hostile line of a million weekdays from costing more than a line of two hundred.
_POSTMARK = rb"From [^\r\n]{0,200}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b[^\r\n]{0,60}\d:\d\d"
_FIRST = re.compile(_POSTMARK)
_NEXT = re.compile(rb"\n\r?\n" + _POSTMARK)
_OVERLAP = 300  # at least the longest match of _NEXT


def looks_like_mail(head: bytes) -> bool:
    """Return whether `head`, the first bytes of a file, is mail: an mbox, or at least two known headers on top.

    A subject in the first line is enough: corpora keep messages as text, without the other headers.

    >>> looks_like_mail(b"Received: by a\\nSubject: hi\\n\\nhello"), looks_like_mail(b"Note: to self\\n")
    (True, False)
    """
    return _SUBJECT.match(head) is not None or begins_mbox(head) or len(_headers(head)) >= 2


def begins_mbox(head: bytes) -> bool:
    """Return whether the first line is "From ", a sender and a date, or "From " and then a header.

    A review that begins with the word From is neither.
    """
    if not head.startswith(b"From "):
        return False
    return _FIRST.match(head) is not None or bool(_headers(head.partition(b"\n")[2]))


def _headers(head: bytes) -> set[bytes]:
    """Return the distinct known header names, in lower case, before the first line that belongs to no header."""
    found = set()
    for number, line in enumerate(head.split(b"\n")):
        match = _HEADER.match(line)
        if match:
            found.add(match[1].lower())
        elif number and line[:1] in (b" ", b"\t") and line.strip():
            continue  # folded: it goes on with the header above
        elif not line.startswith(b">From "):  # what a mail program leaves of a second envelope line
            break
    return found & _KNOWN


def read_head(path: str) -> bytes | None:
    """Return the first bytes of a file, at most 64 KiB; None where the file is gone. Raises NoInputError."""
    file = _open(path)
    if file is None:
        return None
    try:
        return _read(path, file)
    finally:
        os.close(file)


def kind_in_folder(path: str) -> Kind | None:
    """Return what a file found in a folder is; None where it is an mbox without any message.

    One that is gone by now counts as a message, for whoever reads it says so.

    Corpora keep the envelope line "From …" on top of single messages, so only a second such line, after a
    blank one, makes an mbox of a file that is not called one.
    """
    name = path.lower()
    file = _open(path)
    if file is None:
        return "message"  # whoever reads it counts it as gone
    try:
        block = _read(path, file)
        if name.endswith((".mbox", ".mbx")):
            return ("mbox" if begins_mbox(block) else "message") if block else None
        if name.endswith((".eml", ".msg")) or not begins_mbox(block):
            return "message"
        return "mbox" if _has_another(path, file, block) else "message"
    finally:
        os.close(file)


def _has_another(path: str, file: int, block: bytes) -> bool:
    tail = b""
    while block:
        window = tail + block
        if b"\nFrom " in window and _NEXT.search(window):
            return True
        if len(block) < _BLOCK:
            return False  # a regular file gives less than was asked for at its end only
        tail, block = window[-_OVERLAP:], _read(path, file)
    return False


def _open(path: str) -> int | None:
    try:
        # Without waiting, should a pipe have taken the file's place since the folder was read.
        return os.open(path, flags("O_RDONLY", "O_NONBLOCK"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from error


def _read(path: str, file: int) -> bytes:
    try:
        return os.read(file, _BLOCK)
    except OSError as error:
        raise unreadable(path, error) from error
