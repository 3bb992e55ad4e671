"""A message of 200 MB: read up to the limit, and no further."""

from deciban._core import Files, Reader
from system.command import run, trained

SIZE = 200 << 20


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
    assert (done.returncode, done.stderr) == (0, b"")
