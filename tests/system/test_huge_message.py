"""A message of 200 MB: read up to the limit, and no further."""

import pytest

from deciban._core import Files, Reader
from system.command import run, trained

SIZE = 200 << 20


@pytest.mark.deep
def test_a_huge_message_is_cut_at_the_limit_and_says_so(tmp_path):
    path = tmp_path / "huge.eml"
    with path.open("wb") as file:
        file.write(b"From: a@example.org\nSubject: huge\n\nfree money\n")
        file.truncate(SIZE)
    reader = Reader("mail")
    ((_, (item,)),) = Files([path], [False], reader.most_bytes)
    assert len(item) == reader.most_bytes + 1 < SIZE
    tokens = reader.tokens(item)
    assert {"subject:huge", "money", "shape:limit-message-bytes", "shape:nul-bytes"} <= set(tokens)
    done = run("classify", trained(tmp_path / "filter.deciban"), path)
    assert done.returncode == 0
    assert done.stderr.decode() == (
        f"{path}: only the beginning is read: of messages 16 MB, and 4 MB of decoded text.\n"
    )


def test_of_what_the_beginning_is_read():
    """More bytes than are read, or more text than is decoded, which short bytes may become."""
    mail, text = Reader("mail"), Reader("text")
    assert not any(reader.is_cut(b"Subject: a\n\n" + b"word " * 200_000) for reader in (mail, text))
    assert mail.is_cut(b"Subject: a\n\n" + b"word " * 900_000)
    assert not text.is_cut(b"word " * 900_000)
    assert mail.is_cut(b"\n" * (mail.most_bytes + 1))
    assert text.is_cut(b"\n" * (text.most_bytes + 1))
    spread = b"Content-Type: text/plain; charset=windows-1252\n\n" + b"\x80 " * 1_100_000
    assert mail.is_cut(spread)
