"""Mail that is delivered by procmail and maildrop goes through the filter, and none is lost or altered."""

import shutil
import subprocess
import sys

import pytest

from deciban.serve.markup import remove_marks, split_message
from system.command import HAM, SPAM
from system.serving import serving

pytestmark = [pytest.mark.deep, pytest.mark.programs]
PROCMAIL, MAILDROP, SPAMC = map(shutil.which, ("procmail", "maildrop", "spamc"))


PROCMAILRC = """MAILDIR={folder}
DEFAULT={folder}/in
SHELL=/bin/sh
:0fw
| {command}
:0:
* ^X-Spam-Flag: YES
{folder}/junk
"""
MAILFILTER = """SHELL="/bin/sh"
xfilter "{command}"
if (/^X-Spam-Flag: YES/)
{{
  to "{folder}/junk"
}}
to "{folder}/in"
"""


def by_procmail(folder, command, message):
    """Where procmail puts a message that goes through a command, and what is there."""
    (folder / "rc").write_text(PROCMAILRC.format(folder=folder, command=command))
    return delivered(folder, [PROCMAIL, "-p", "-m", str(folder / "rc")], message)


def by_maildrop(folder, command, message):
    """The same by maildrop, whose filter must end well."""
    (folder / "mailfilter").write_text(MAILFILTER.format(folder=folder, command=command))
    (folder / "mailfilter").chmod(0o600)
    return delivered(folder, [MAILDROP, str(folder / "mailfilter")], message)


def delivered(folder, words, message):
    done = subprocess.run(words, input=message, capture_output=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    (place,) = (each for each in ("in", "junk") if (folder / each).exists())
    content = (folder / place).read_bytes()
    (folder / place).unlink()
    return place, content


def check(found, message, place):
    """A message is where it belongs, marked, and the same but for its marks."""
    where, content = found
    assert where == place
    _, fields, body = split_message(content)
    assert b"X-Spam-Status: " in fields
    _, own_fields, own_body = split_message(message)
    assert remove_marks(own_fields) in remove_marks(fields)
    assert body.rstrip(b"\n") == own_body.rstrip(b"\n")


DELIVERIES = [
    pytest.param(by_procmail, marks=pytest.mark.skipif(PROCMAIL is None, reason="procmail is not installed")),
    pytest.param(by_maildrop, marks=pytest.mark.skipif(MAILDROP is None, reason="maildrop is not installed")),
]


@pytest.mark.parametrize("deliver", DELIVERIES)
def test_a_filter_of_standard_input(deliver, trained, tmp_path):
    command = f"{sys.executable} -m deciban filter {trained}"
    check(deliver(tmp_path, command, SPAM.read_bytes()), SPAM.read_bytes(), "junk")
    check(deliver(tmp_path, command, HAM.read_bytes()), HAM.read_bytes(), "in")


@pytest.mark.skipif(SPAMC is None, reason="spamc is not installed")
@pytest.mark.parametrize("deliver", DELIVERIES)
def test_the_client_of_a_server(deliver, trained, tmp_path):
    at = tmp_path / "s"
    with serving(trained, at, "--workers", 1):
        command = f"{SPAMC} -U {at}"
        check(deliver(tmp_path, command, SPAM.read_bytes()), SPAM.read_bytes(), "junk")
        check(deliver(tmp_path, command, HAM.read_bytes()), HAM.read_bytes(), "in")
    where, content = deliver(tmp_path, command, SPAM.read_bytes())  # the server is gone: the mail is not
    assert where == "in"
    assert content.rstrip(b"\n").endswith(SPAM.read_bytes().rstrip(b"\n"))


@pytest.mark.parametrize("deliver", DELIVERIES)
def test_a_filter_that_is_broken(deliver, tmp_path):
    (tmp_path / "broken.deciban").write_bytes(b"no filter")
    command = f"{sys.executable} -m deciban filter {tmp_path / 'broken.deciban'}"
    where, content = deliver(tmp_path, command, SPAM.read_bytes())
    assert where == "in"
    assert content.rstrip(b"\n").endswith(SPAM.read_bytes().rstrip(b"\n"))
