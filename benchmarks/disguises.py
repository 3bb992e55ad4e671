"""Disguises of spam: a message in, the same message as its sender would hide it out."""

from __future__ import annotations

import base64
import html
import random
import re
from collections.abc import Callable, Sequence

from real_mail import texts_of

Disguise = Callable[[bytes, random.Random], bytes]

_LEET = str.maketrans("aeiostlAEIOSTL", "4310$714310$71")
_CYRILLIC = dict(zip("aceopxyijsABCEHKMOPTX", "асеорхуіјѕАВСЕНКМОРТХ", strict=True))
_TAGS = re.compile(r"(?s)<(script|style).*?</\1>|<!--.*?-->|<[^>]*>")
_OF_CONTENT = re.compile(r"(?i)(subject|mime-version|content-[\w-]+)\s*:")
_PICTURE = base64.b64encode(bytes(range(256)) * 8).decode()


def content_alone(message: bytes) -> bytes:
    """The message without headers other than those of its content: who sent it, and on which way, is not known."""
    head, blank, body = message.partition(b"\n\n")
    kept = [field for field in _fields(head) if _OF_CONTENT.match(field)]
    return "\n".join(kept).encode("latin-1") + blank + body


def _fields(head: bytes) -> list[str]:
    return re.split(r"\n(?![ \t])", head.decode("latin-1"))


def plain(message: bytes) -> tuple[str, str, str]:
    """The headers but for subject and content, the subject, and the text that a reader sees, tags removed."""
    fields = _fields(message.partition(b"\n\n")[0])
    kept = [each for each in fields if not _OF_CONTENT.match(each)]
    subject = next((each.partition(":")[2].strip() for each in fields if each.lower().startswith("subject:")), "")
    texts = [html.unescape(_TAGS.sub(" ", text)) if kind == "html" else text for kind, text in texts_of(message)]
    return "\n".join(kept), subject, "\n".join(texts)


def build(head: str, subject: str, body: str, kind: str = "text/plain; charset=utf-8", how: str = "8bit") -> bytes:
    """A message of these parts."""
    content = f"MIME-Version: 1.0\nContent-Type: {kind}\nContent-Transfer-Encoding: {how}"
    top = "\n".join(filter(None, [head, f"Subject: {subject}", content]))
    return f"{top}\n\n{body}\n".encode("utf-8", "replace")


def parts(head: str, subject: str, bodies: Sequence[str]) -> bytes:
    """A message of many parts, each a header and a text."""
    inside = "".join(f"--=_b\n{body}\n" for body in bodies)
    return build(head, subject, f"{inside}--=_b--", 'multipart/mixed; boundary="=_b"', "7bit")


def of_text(change: Callable[[str, random.Random], str]) -> Disguise:
    """A change of every text that a reader sees, subject and body, sent as plain text."""

    def disguise(message: bytes, chance: random.Random) -> bytes:
        head, subject, body = plain(message)
        return build(head, change(subject, chance), change(body, chance))

    return disguise


def appended(words: Callable[[random.Random], str]) -> Disguise:
    """The message as it is, and more text behind its own."""

    def disguise(message: bytes, chance: random.Random) -> bytes:
        more = words(chance)
        head, _, body = message.partition(b"\n\n")
        simple = re.search(rb"(?im)^content-type\s*:\s*(?!text/)", head) is None
        if simple and not re.search(rb"(?i)base64", head):
            is_page = re.search(rb"(?im)^content-type\s*:\s*text/html", head)
            return message + b"\n" + (f"<p>{html.escape(more)}</p>" if is_page else more).encode() + b"\n"
        inner = re.findall(rb"(?im)^content-[\w-]+\s*:.*(?:\n[ \t].*)*", head)
        outer = re.sub(rb"(?im)^(content-[\w-]+|mime-version)\s*:.*(?:\n[ \t].*)*\n?", b"", head).strip(b"\n")
        start = b'\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=_o"\n\n--=_o\n'
        end = b"\n--=_o\nContent-Type: text/plain; charset=utf-8\n\n" + more.encode() + b"\n--=_o--\n"
        return outer + start + b"\n".join(inner) + b"\n\n" + body + end

    return disguise


def image_only(message: bytes, chance: random.Random) -> bytes:
    """The text is a picture."""
    head, subject, _ = plain(message)
    picture = f"Content-Type: image/gif\nContent-Transfer-Encoding: base64\nContent-ID: <p>\n\n{_PICTURE}"
    return parts(head, subject, ['Content-Type: text/html\n\n<html><img src="cid:p"></html>', picture])


def split_parts(message: bytes, chance: random.Random) -> bytes:
    """Ten words a part."""
    head, subject, body = plain(message)
    words = body.split()
    pieces = [" ".join(words[i : i + 10]) for i in range(0, min(len(words), 900), 10)]
    return parts(head, subject, [f"Content-Type: text/plain; charset=utf-8\n\n{piece}" for piece in pieces or [""]])


def as_base64(message: bytes, chance: random.Random) -> bytes:
    """The text in base64."""
    head, subject, body = plain(message)
    return build(head, subject, base64.encodebytes(body.encode("utf-8", "replace")).decode(), how="base64")


def quoted_printable(message: bytes, chance: random.Random) -> bytes:
    """The text in quoted-printable, every byte of it, and the subject in encoded words."""
    head, subject, body = plain(message)
    encoded = (base64.b64encode(subject[at : at + 15].encode()).decode() for at in range(0, len(subject), 15))
    quoted = "".join(f"={byte:02X}" for byte in body.encode("utf-8", "replace"))
    lines = "=\n".join(quoted[at : at + 72] for at in range(0, len(quoted), 72))
    return build(head, " ".join(f"=?utf-8?B?{each}?=" for each in encoded), lines, how="quoted-printable")


def utf_16(message: bytes, chance: random.Random) -> bytes:
    """The text in UTF-16, which mail can have in base64 alone."""
    head, subject, body = plain(message)
    wide = base64.encodebytes(body.encode("utf-16-le", "replace")).decode()
    return build(head, subject, wide, "text/plain; charset=utf-16le", "base64")


def referenced(message: bytes, chance: random.Random) -> bytes:
    """A page of which every letter is a character reference."""
    head, subject, body = plain(message)
    page = f"<html><body>{''.join(f'&#{ord(each)};' if each.isalpha() else html.escape(each) for each in body)}</body>"
    return build(head, subject, page, "text/html; charset=utf-8")


def torn_html(message: bytes, chance: random.Random) -> bytes:
    """A page whose every word is torn by an empty tag or a comment."""
    head, subject, body = plain(message)
    tear = ["<b></b>", "<!-- good -->", '<span style="display:none">lunch</span>']
    words = [_torn(word, chance.choice(tear)) for word in body.split()]
    return build(head, subject, f"<html><body>{' '.join(words)}</body></html>", "text/html; charset=utf-8")


def _torn(word: str, tag: str) -> str:
    at = len(word) // 2
    return html.escape(word[:at]) + tag + html.escape(word[at:])


def hidden_words(words: Callable[[random.Random], str]) -> Disguise:
    """A page with good words that nobody sees."""

    def disguise(message: bytes, chance: random.Random) -> bytes:
        head, subject, body = plain(message)
        unseen = f'<div style="display:none">{html.escape(words(chance))}</div>'
        page = f"<html><body><p>{html.escape(body)}</p>{unseen}</body></html>"
        return build(head, subject, page, "text/html; charset=utf-8")

    return disguise


def _letters(text: str, change: Callable[[str], str]) -> str:
    return "".join(change(letter) if letter.isalpha() else letter for letter in text)


def _cased(text: str, chance: random.Random) -> str:
    return _letters(text, lambda each: each.upper() if chance.random() < 0.5 else each.lower())


def _mixed(text: str, chance: random.Random) -> str:
    return _letters(text, lambda each: _CYRILLIC.get(each, each) if chance.random() < 0.5 else each)


def _alike(text: str, chance: random.Random) -> str:
    return _letters(text, lambda each: chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each)


def _zero_width(text: str, chance: random.Random) -> str:
    return re.sub(r"(?<=\w)(?=\w)", "\u200b", text)


def _spaced(text: str, chance: random.Random) -> str:
    return " ".join(" ".join(word) if word.isalpha() else word for word in text.split())


FORMS: dict[str, Disguise] = {
    "as it came": lambda message, chance: message,
    "as plain text": of_text(lambda text, chance: text),
    "image only": image_only,
    "split into parts": split_parts,
    "mixed case": of_text(_cased),
    "leetspeak": of_text(lambda text, chance: text.translate(_LEET)),
    "mixed scripts": of_text(_mixed),
    "look-alikes": of_text(_alike),
    "zero-width characters": of_text(_zero_width),
    "spaced letters": of_text(_spaced),
    "base64": as_base64,
    "quoted-printable": quoted_printable,
    "UTF-16": utf_16,
    "character references": referenced,
    "torn by HTML": torn_html,
}
