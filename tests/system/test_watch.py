"""A mail account that is watched over IMAP: a real server, and the user's own mail program beside."""

import os
import re
import shutil
import signal
import time

import pytest

pytest.importorskip("imapclient")

from system.command import HAM, HELD_OUT, KOREAN, SPAM, TRAIN, run
from system.imap_server import DOVECOT, PASSWORD, imap_server
from system.serving import until
from system.watched import bytes_in, crlf, labels, watch_once, watching

pytestmark = pytest.mark.skipif(DOVECOT is None, reason="Dovecot is not installed: apt install dovecot-imapd")


SPAM_MESSAGE, HAM_MESSAGE, KOREAN_MESSAGE = map(crlf, (SPAM, HAM, KOREAN))
OTHERS = [crlf(path) for path in sorted((HELD_OUT / "ham").glob("*.eml")) if path not in (HAM, KOREAN)]


@pytest.fixture
def server():
    with imap_server() as made:
        yield made


HAM_LABEL, SPAM_LABEL = 0, 1


def test_spam_moves_to_junk_and_nothing_is_done_twice(server, own):
    server.deliver(SPAM_MESSAGE, HAM_MESSAGE)
    told = watch_once(server, own)
    assert "INBOX;UID=1: spam, " in told
    assert told.endswith("; moved to Junk.\nClassified 2, 1 of them as spam.\n")
    [(junk, flags)] = server.messages("Junk")
    assert junk == SPAM_MESSAGE
    assert "\\Seen" not in flags
    [(ham, flags)] = server.messages("INBOX")
    assert ham == HAM_MESSAGE
    assert "\\Seen" not in flags
    assert labels(own) == []
    assert watch_once(server, own).endswith("Classified 0, 0 of them as spam.\n")
    assert labels(own) == []


def test_what_the_user_moves_is_learnt_once(server, own):
    server.deliver(SPAM_MESSAGE, HAM_MESSAGE, KOREAN_MESSAGE)
    watch_once(server, own)
    server.move(SPAM_MESSAGE, "Junk", "INBOX")
    server.move(HAM_MESSAGE, "INBOX", "Junk")
    told = watch_once(server, own)
    assert "Junk;UID=2: learnt as spam.\n" in told
    assert "learnt as ham.\nClassified 0, 0 of them as spam; learnt 2.\n" in told
    assert sorted(labels(own)) == [HAM_LABEL, SPAM_LABEL]
    assert bytes_in(server, "INBOX") == sorted([SPAM_MESSAGE, KOREAN_MESSAGE])  # it is not moved away again
    watch_once(server, own)
    assert len(labels(own)) == 2
    assert server.messages("Junk")[0][0] == HAM_MESSAGE


def test_new_numbers_make_nothing_be_done_twice(server, own):
    server.deliver(SPAM_MESSAGE, HAM_MESSAGE, KOREAN_MESSAGE)
    watch_once(server, own)
    server.move(HAM_MESSAGE, "INBOX", "Junk")
    watch_once(server, own)
    assert labels(own) == [SPAM_LABEL]
    for folder in ("", ".Junk"):  # Dovecot numbers a Maildir anew without this file
        for each in (server.home / "Maildir" / folder).glob("dovecot[.-][ui]*[!y]"):
            each.unlink()
    server.move(KOREAN_MESSAGE, "INBOX", "Junk")
    assert watch_once(server, own).count("learnt as") == 1
    assert labels(own) == [SPAM_LABEL, SPAM_LABEL]
    assert bytes_in(server, "Junk") == sorted([SPAM_MESSAGE, HAM_MESSAGE, KOREAN_MESSAGE])


def test_a_dry_run_changes_nothing(server, own):
    server.deliver(SPAM_MESSAGE, HAM_MESSAGE)
    before, files = server.messages("INBOX"), sorted(os.listdir(own.parent))
    told = watch_once(server, own, "--dry-run")
    assert "; would be moved to Junk.\nClassified 2, 1 of them as spam.\n" in told
    assert (server.messages("INBOX"), server.messages("Junk")) == (before, [])
    assert sorted(os.listdir(own.parent)) == files
    watch_once(server, own)
    server.move(SPAM_MESSAGE, "Junk", "INBOX")
    state = own.with_name("f.deciban.watch").read_bytes()
    assert "would be learnt as ham." in watch_once(server, own, "--dry-run")
    assert own.with_name("f.deciban.watch").read_bytes() == state
    assert labels(own) == []
    assert "learnt as ham." in watch_once(server, own)


def test_flags_instead_of_moves(server, own):
    server.deliver(SPAM_MESSAGE, HAM_MESSAGE)
    assert "; flagged.\n" in watch_once(server, own, "--action", "flag")
    (_, spam), (_, ham) = server.messages("INBOX")
    assert "$Junk" in spam
    assert "$NotJunk" in ham
    assert "\\Seen" not in spam + ham
    assert server.messages("Junk") == []


def test_none_only_says_what_is_spam(server, own):
    server.deliver(SPAM_MESSAGE)
    assert "INBOX;UID=1: spam, " in watch_once(server, own, "--action", "none")
    assert len(server.messages("INBOX")) == 1


@pytest.mark.parametrize(
    ("capability", "moves"), [("IMAP4rev1 UIDPLUS IDLE", True), ("IMAP4rev1", False)], ids=["UIDPLUS", "neither"]
)
def test_servers_without_move(own, capability, moves):
    with imap_server(capability=capability) as server:
        server.deliver(OTHERS[0], SPAM_MESSAGE, HAM_MESSAGE)
        with server.connected() as client:  # which the user is about to remove; that is not our business
            client.uid("STORE", "1", "+FLAGS", "(\\Deleted)")
        told = watch_once(server, own)
        assert ("moved to Junk." in told) == moves
        assert bytes_in(server, "Junk") == [SPAM_MESSAGE] * moves
        assert bytes_in(server, "INBOX") == sorted([OTHERS[0], HAM_MESSAGE, *[SPAM_MESSAGE] * (not moves)])
        if not moves:
            assert "$Junk" in server.messages("INBOX")[1][1]
        assert "Classified 0" in watch_once(server, own)


def test_a_filter_is_trained_on_the_folders_first(server, tmp_path):
    spam, ham = (sorted((TRAIN / name).glob("*.eml")) for name in ("spam", "ham"))
    server.deliver(*map(crlf, ham))
    server.deliver(*map(crlf, spam), folder="Junk")
    path = tmp_path / "new.deciban"
    assert "kept nothing of it, as this is a dry run." in watch_once(server, path, "--dry-run")
    assert os.listdir(tmp_path) == []
    n = len(ham) + len(spam)
    told = watch_once(server, path)
    assert f"Learnt {n:,} messages (ham: {len(ham):,}, spam: {len(spam):,}); wrote {path}.\n" in told
    assert told.endswith("Classified 0, 0 of them as spam.\n")
    server.deliver(SPAM_MESSAGE, HAM_MESSAGE)
    assert watch_once(server, path).endswith("Classified 2, 1 of them as spam.\n")
    assert SPAM_MESSAGE in bytes_in(server, "Junk")
    assert run("classify", path, SPAM).stdout.startswith(b"spam")


def test_news_is_heeded_at_once_and_lessons_too(server, own):
    with watching(server, own, "--poll", "600") as process:
        server.deliver(SPAM_MESSAGE)
        until(lambda: "moved to Junk" in process.said())
        server.move(SPAM_MESSAGE, "Junk", "INBOX")
        until(lambda: "learnt as ham" in process.said())
        server.deliver(HAM_MESSAGE)
        until(lambda: "Classified 1, 0" in process.said())
        server.move(HAM_MESSAGE, "INBOX", "Junk")
        until(lambda: "learnt as spam" in process.said())
    assert labels(own) == [HAM_LABEL, SPAM_LABEL]


def test_folders_that_send_no_news_are_looked_at_while_the_server_is_idle(server, own):
    with watching(server, own, "--poll", "1") as process:
        server.deliver(HAM_MESSAGE, folder="Junk")
        until(lambda: "Junk;UID=1: learnt as spam" in process.said())
        time.sleep(3.0)  # a few times IDLE
        server.deliver(SPAM_MESSAGE)
        until(lambda: "moved to Junk" in process.said())
    assert "cannot be reached" not in process.said()


@pytest.mark.deep
def test_it_ends_while_it_waits_to_try_again(own, server):
    with watching(server, own) as process:
        server.process.kill()
        server.process.wait()
        server.stop_others()
        until(lambda: "cannot be reached" in process.said())
        time.sleep(4.0)
    server.start()


def test_polling_where_there_is_no_idle(own):
    with (
        imap_server(capability="IMAP4rev1 MOVE") as server,
        watching(server, own, "--poll", "1", ends_by=signal.SIGINT) as process,
    ):
        server.deliver(SPAM_MESSAGE)
        until(lambda: "moved to Junk" in process.said())


@pytest.mark.deep
def test_a_server_that_comes_back_is_watched_on(server, own):
    with watching(server, own, "--poll", "600") as process:
        server.deliver(HAM_MESSAGE)
        until(lambda: "Classified 1, 0" in process.said())
        server.process.kill()
        server.process.wait()
        server.stop_others()
        until(lambda: "cannot be reached" in process.said())
        server.start()
        server.deliver(SPAM_MESSAGE)
        until(lambda: "moved to Junk" in process.said())
        assert process.said().count("cannot be reached") == 1
        until(lambda: "The server answers again.\n" in process.said())
    assert bytes_in(server, "INBOX") == [HAM_MESSAGE]


def test_only_the_beginning_of_a_large_message_is_read(server, own):
    rest = b"\r\n" + b"x" * 70 + b"\r\n"
    large = SPAM_MESSAGE + b"\r\n" * 2 + rest * (4_000_000 // len(rest))
    server.deliver(large, HAM_MESSAGE)
    assert watch_once(server, own, "--threshold", "-900dB").endswith("Classified 2, 2 of them as spam.\n")
    assert bytes_in(server, "Junk") == sorted([large, HAM_MESSAGE])  # whole
    log = server.log()
    [read] = [int(size) for size in re.findall(r"body_bytes=(\d+)", log) if int(size) > 1_000_000][:1]
    assert read < 2.2e6
    assert "Classified 0" in watch_once(server, own)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_tls(certificate, own):
    with imap_server(certificate=certificate) as server:
        server.deliver(SPAM_MESSAGE)
        told = watch_once(server.tls_url, own, status=74)
        assert told == (
            f"deciban: {server.tls_url}: the certificate of the server is not valid: self-signed certificate. Check "
            "the host; nothing was sent.\n"
        )
        told = watch_once(server.tls_url, own, SSL_CERT_FILE=str(certificate[0]))
        assert told.endswith("Classified 1, 1 of them as spam.\n")
        with watching(server.tls_url, own, "--poll", "600", SSL_CERT_FILE=str(certificate[0])) as process:
            server.move(SPAM_MESSAGE, "Junk", "INBOX")
            until(lambda: "learnt as ham" in process.said())
        # STARTTLS, of a server on this machine; what is known of another address is not known of this one.
        assert "Classified 1" in watch_once(server, own)
        assert re.findall(r", TLS, session", server.log())


def test_several_folders(server, own):
    server.deliver(SPAM_MESSAGE, folder="Work")
    told = watch_once(server, own, "--inbox", "INBOX", "--inbox", "Work")
    assert "Watching INBOX, Work of imap://ann@127.0.0.1:" in told
    assert bytes_in(server, "Junk") == [SPAM_MESSAGE]


def test_junk_by_its_mark(own):
    with imap_server(junk="Müll") as server:
        server.deliver(SPAM_MESSAGE)
        assert "; moved to Müll.\n" in watch_once(server, own)
        assert bytes_in(server, "M&APw-ll") == [SPAM_MESSAGE]


def test_errors(server, own):
    url = server.url
    told = watch_once(server, own, status=77, password="wrong")
    assert told == (
        f"deciban: {url}: the server does not accept the user and the password: [AUTHENTICATIONFAILED] Authentication "
        "failed. Check both; many providers want a password of its own for each program, or --oauth2-command.\n"
    )
    assert watch_once(server, own, "--junk", "Jnk", status=64) == (
        "deciban: 'Jnk': expected a folder of the account; there is none of that name. Did you mean Junk?\n"
    )
    assert watch_once(server, own, "--junk", "INBOX", status=64) == (
        "deciban: 'INBOX': expected another folder for junk than for what arrives.\n"
    )
    assert watch_once(server, own, "--password-command", "exit 3", status=77) == (
        "deciban: --password-command: expected that the command succeeds; it ended with status 3.\n"
    )
    assert watch_once(server, own, "--password-command", f"echo {PASSWORD}", password="wrong").startswith("Watching")
    told = watch_once(server, own, "--oauth2-command", "echo token", status=77)
    assert told.startswith(f"deciban: {url}: the server does not accept the user and the access token: ")
    own.unlink()
    assert watch_once(server, own, status=65) == (
        "Training on INBOX (ham) and Junk (spam).\ndeciban: INBOX: expected messages to learn a filter from; there are "
        "none. Move some there, or train the filter before: deciban train spam=… ham=….\n"
    )


def test_nobody_listens(own):
    assert watch_once("imap://ann@127.0.0.1:1", own, status=69) == (
        "deciban: imap://ann@127.0.0.1:1: the server cannot be reached: Connection refused.\n"
    )
