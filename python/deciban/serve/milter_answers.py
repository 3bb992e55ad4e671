"""What the milter protocol is answered: changes of the header and whether a message is accepted, held or rejected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ..verdict import Explanation
from .markup import is_mark, list_fields
from .milter import CONTINUE, Mail, Options, packet
from .rating import Rating
from .reasons import summarise

_CONTROL = re.compile(r"[^ -~]+")
_LONGEST_TEXT = 400  # characters of a reply by SMTP


class Explainer(Protocol):
    """What the milter asks of a filter."""

    spam: str

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return the rating of a message, and the evidence for it."""


@dataclass(frozen=True)
class Policy:
    """From which scores on messages are rejected or held in quarantine; None for never."""

    reject_from: float | None = None
    quarantine_from: float | None = None

    def rejects(self, rating: Rating) -> bool:
        """Return whether a message of this rating is rejected."""
        return self.reject_from is not None and rating.score >= self.reject_from

    def holds(self, rating: Rating) -> bool:
        """Return whether a message of this rating is held in quarantine."""
        return self.quarantine_from is not None and rating.score >= self.quarantine_from


def answer(mail: Mail, known: Explainer, policy: Policy) -> tuple[bytes, str]:
    """Return the packets that answer a message, and what is done with it: its last packet is the final reply."""
    rating, why = known.explain(mail.message)
    if policy.rejects(rating):
        return reject("This message was rejected as spam."), f"rejected at {rating.score:.1f} points"
    changes = [*_removals(mail)] if mail.options.can_remove else []
    if mail.options.can_add:
        changes += _additions(mail.options, list_fields(rating, summarise(why, known.spam)))
    if not policy.holds(rating):
        return b"".join(changes) + CONTINUE, ""
    if not mail.options.can_hold:
        return b"".join(changes) + CONTINUE, "not put into quarantine, as the mail server has none"
    changes.append(packet(b"q", f"deciban: spam of {rating.score:.1f} points\0".encode()))
    return b"".join(changes) + CONTINUE, f"held in quarantine at {rating.score:.1f} points"


def reject(text: str) -> bytes:
    """Return the packet that rejects a message with a text of one line, in which the mail server reads %% as %.

    >>> reject("100 % spam")
    b'\\x00\\x00\\x00\\x17y550 5.7.1 100 %% spam\\x00'
    """
    shown = _CONTROL.sub(" ", text)[:_LONGEST_TEXT].strip().replace("%", "%%")
    return packet(b"y", f"550 5.7.1 {shown}\0".encode("ascii"))


def _removals(mail: Mail) -> Iterator[bytes]:
    """Yield the packets that remove fields of filters: those of a name from the last to the first."""
    places: list[tuple[bytes, int]] = []
    counts: dict[bytes, int] = {}
    for name in filter(is_mark, mail.names):
        place = counts[name.lower()] = counts.get(name.lower(), 0) + 1
        places.append((name, place))
    for name, place in reversed(places):
        yield packet(b"m", b"%s%s\0\0" % (place.to_bytes(4, "big"), name))


def _additions(options: Options, fields: list[tuple[str, str]]) -> Iterator[bytes]:
    """Yield the packets that add fields: at the top, the last one first; at the end where old servers know no place."""
    space = " " if options.has_leading_space else ""
    encoded = [f"{name}\0{space}{value}\0".encode("ascii") for name, value in fields]
    if not options.can_insert:
        yield from (packet(b"h", each) for each in encoded)
    else:
        yield from (packet(b"i", bytes(4) + each) for each in reversed(encoded))


def answer_http(head: bytes) -> bytes | None:
    """Return the reply to a request of HTTP, by which monitors look whether a milter runs; None until it is whole."""
    if b"\n\r\n" not in head and b"\n\n" not in head:
        return None
    is_ping = head.split(b"\n", 1)[0].split()[:2] == [b"GET", b"/ping"]
    status, body = (b"200 OK", b"pong\r\n") if is_ping else (b"404 Not Found", b"Expected GET /ping.\r\n")
    return b"HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (
        status,
        len(body),
        body,
    )
