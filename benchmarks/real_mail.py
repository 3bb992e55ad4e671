"""Real mail for the studies: messages, whether each is spam, when it came, and the folder it lay in."""

from __future__ import annotations

import email
import email.policy
import re
import tarfile
from dataclasses import dataclass
from email.message import Message

import environment
import numpy as np
from numpy.typing import NDArray

from deciban._core import Reader

NAMES = ("ham", "spam")
# Headers that say what other filters thought. Deciban leaves them out by itself; the rivals are spared them, too.
_VERDICTS = re.compile(
    rb"(?i)^(x-\S*(spam|virus|scanne|barracuda|bogosity|asg-|proofpoint|ironport|pmx|perlmx|mozilla|miltered)\S*"
    rb"|x-keywords|x-status|x-uidl?|status|lines|content-length)\s*:"
)


@dataclass(frozen=True)
class Mail:
    """N messages as they are, without the verdicts of filters."""

    messages: list[bytes]
    spam: NDArray[np.bool_]
    folders: NDArray[np.str_]

    def by_date(self) -> Mail:
        """The messages as they came."""
        times = np.frombuffer(Reader("mail", (1, 1), 0).arrivals(self.messages), "<i8")
        return self.take(np.argsort(times, kind="stable"))

    def take(self, rows: NDArray[np.intp]) -> Mail:
        """Some of the messages, in this order."""
        return Mail([self.messages[i] for i in rows], self.spam[rows], self.folders[rows])


def trec() -> Mail:
    """TREC 2007: the first 10,000, in order of arrival."""
    with tarfile.open(environment.data("trec07p-head.tar.xz")) as archive:
        files = {each.name.rpartition("/")[2]: _read(archive, each) for each in archive if each.isfile()}
    lines = [line.split() for line in files.pop("index").decode().splitlines() if line]
    messages = [without_verdicts(files[path.rpartition("/")[2]]) for _, path in lines]
    return Mail(messages, np.array([label == "spam" for label, _ in lines]), np.array(["" for _ in lines]))


def spamassassin() -> Mail:
    """SpamAssassin's corpus, by name."""
    with tarfile.open(environment.data("spamassassin.tar.xz")) as archive:
        found = sorted((each.name, _read(archive, each)) for each in archive if each.isfile())
    folders = np.array([name.split("/")[-2] for name, _ in found])
    spam = np.array([folder.startswith("spam") for folder in folders])
    return Mail([without_verdicts(message) for _, message in found], spam, folders)


def _read(archive: tarfile.TarFile, each: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(each)
    assert file is not None
    return file.read()


def without_verdicts(message: bytes) -> bytes:
    """The message without the headers of filters and mailboxes."""
    message = message.replace(b"\r\n", b"\n")
    if message.startswith(b"From "):
        message = message.partition(b"\n")[2]
    head, blank, body = message.partition(b"\n\n")
    fields = re.split(rb"\n(?![ \t])", head)
    return b"\n".join(field for field in fields if not _VERDICTS.match(field)) + blank + body


def decoded(message: bytes) -> str:
    """What a rival without a reader of mail of its own is given: the headers, and all texts decoded."""
    head = message.partition(b"\n\n")[0].decode("latin-1")
    return "\n".join([head, *(text for _, text in texts_of(message))])


def texts_of(message: bytes) -> list[tuple[str, str]]:
    """The texts of a message, decoded, each with its type: "plain", "html", …"""
    parsed = email.message_from_bytes(message, policy=email.policy.compat32)
    texts = [part for part in parsed.walk() if part.get_content_maintype() == "text"]
    return [(part.get_content_subtype(), _text(part)) for part in texts]


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    try:
        return payload.decode(str(part.get_content_charset() or "latin-1"), "replace")
    except LookupError:
        return payload.decode("latin-1")
