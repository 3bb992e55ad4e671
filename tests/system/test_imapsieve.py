"""What users move into Junk, or out of it, teaches the filter: the recipe for Dovecot, with the real one."""

import os
import shutil
import time
from pathlib import Path

import pytest

from system.command import HAM, SPAM
from system.imap_server import DOVECOT, imap_server
from system.serving import serving, until
from system.test_serve import score_of
from system.watched import crlf, labels

RECIPE = Path(__file__).parents[2] / "deploy" / "dovecot"
SIEVE = Path("/usr/lib/dovecot/modules/sieve/lib90_sieve_imapsieve_plugin.so")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.programs,
    pytest.mark.skipif(DOVECOT is None or not SIEVE.exists(), reason="apt install dovecot-imapd dovecot-sieve"),
    pytest.mark.skipif(shutil.which("spamc") is None, reason="spamc is not installed"),
]
HAM_LABEL, SPAM_LABEL = 0, 1


@pytest.fixture
def server():
    """Dovecot with the recipe, whose paths are within its home."""
    text = (RECIPE / "90-deciban.conf").read_text()
    for folder in ("/etc/dovecot/sieve", "/usr/local/lib/deciban"):
        assert folder in text
        text = text.replace(folder, "HOME/recipe")

    def prepare(home):
        (home / "recipe").mkdir()
        (home / "spool").mkdir(mode=0o777)
        (home / "spool").chmod(0o777)
        for each in RECIPE.iterdir():
            shutil.copy2(each, home / "recipe")
        (home / "recipe").chmod(0o777)
        settings = home / "recipe" / "deciban-learn.conf"
        settings.write_text(f'spool={home}/spool\nclient="{shutil.which("spamc")} -U {home}/s"\n')
        settings.chmod(0o644)

    with imap_server(prepare, more=text) as made:
        yield made


def waiting(server):
    return sorted(each.name.partition(".")[0] for each in (server.home / "spool").iterdir() if each.name != "lock")


def test_moves_teach_and_the_trash_teaches_nothing(server, own):
    message, other = crlf(HAM), crlf(SPAM)
    at = server.home / "s"
    server.deliver(message, other)
    with serving(own, at, "--allow-tell", "--workers", "1"):
        os.chmod(at, 0o777)
        before = score_of(at, message)
        server.move(message, "INBOX", "Junk")
        until(lambda: labels(own) == [SPAM_LABEL])
        until(lambda: score_of(at, message) > before)
        server.move(message, "Junk", "Work")
        until(lambda: labels(own)[-1:] == [HAM_LABEL])
        taught = labels(own)
        server.move(other, "INBOX", "Junk")
        until(lambda: len(labels(own)) == len(taught) + 1)
        with server.connected() as client:
            client.create("Trash")
        server.move(other, "Junk", "Trash")
        server.move(message, "Work", "INBOX")  # between other folders
        time.sleep(1.0)
        assert len(labels(own)) == len(taught) + 1
        assert waiting(server) == []


def test_what_was_moved_while_the_server_was_down_is_learnt_when_it_is_back(server, own):
    several = [b"Subject: offer %d\r\n\r\nword%d word%d\r\n" % (k, k, k + 1) for k in range(12)]
    server.deliver(*several)
    with server.connected() as client:
        assert client.uid("MOVE", "1:10", "Junk")[0] == "OK"
    until(lambda: waiting(server) == ["spam"] * 10)
    at = server.home / "s"
    with serving(own, at, "--allow-tell", "--workers", "1"):
        os.chmod(at, 0o777)
        assert labels(own) == []
        with server.connected() as client:
            assert client.uid("MOVE", "11:12", "Junk")[0] == "OK"
        until(lambda: labels(own) == [SPAM_LABEL] * 12)
        until(lambda: waiting(server) == [])
