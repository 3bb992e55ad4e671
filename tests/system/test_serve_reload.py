"""SIGHUP: options are read again while connections go on, and what is wrong leaves those that were read."""

import os
import shutil
import signal
import socket

import httpx2
import pytest

from deciban.serve.rating import GTUBE
from laws.mail_server import message_packets, offer, packet, packets
from system.command import HAM, KOREAN, SPAM, run
from system.serving import ask, connected, read_all, request, serving, until, workers_of
from system.test_serve import DID, score_of, tell

TOKENS = ("0123456789abcdef", "fedcba9876543210")
TESTED = b"Subject: test\r\n\r\n" + GTUBE + b"\r\n"
MANY = 24
"""Questions after which every one of two workers was asked."""


class Reloaded:
    """A server with a file of options, which is written anew."""

    def __init__(self, folder, path, process=None):
        self.folder, self.path, self.process = folder, path, process
        self.at, self.http, self.milter = (folder / name for name in ("s", "h", "m"))

    def write(self, text):
        (self.folder / "deciban.toml").write_text(text)

    def reload(self, text):
        self.write(text)
        self.process.send_signal(signal.SIGHUP)

    def client(self):
        return httpx2.Client(transport=httpx2.HTTPTransport(uds=str(self.http)), base_url="http://x", timeout=20.0)

    def always(self, is_so):
        """Whether something is so of all workers."""
        return all(is_so() for _ in range(MANY))


@pytest.fixture
def served(own, tmp_path):
    """A function that starts a server with options in a file, and returns it, in a context."""

    def start(text, *more):
        made = Reloaded(tmp_path, own)
        made.write(text)
        words = ["--config", tmp_path / "deciban.toml", "--workers", 2, *more]
        return made, serving(own, made.at, *words)

    return start


def rejects(path):
    """Whether a milter rejects a message of 1,000 points."""
    with connected(path) as client:
        client.sendall(offer() + message_packets(TESTED) + packet(b"Q"))
        return packets(read_all(client))[-1][0] == b"y"


def test_what_the_file_says_by_now_holds_for_all_workers(served, tmp_path):
    (tmp_path / "token").write_text(TOKENS[0])
    made, context = served("", "--http", tmp_path / "h", "--milter", tmp_path / "m", "--token-file", tmp_path / "token")
    learn = lambda client, token: client.post(  # noqa: E731
        "/v1/learn?label=ham", content=HAM.read_bytes(), headers={"Authorization": f"Bearer {token}"}
    )
    long = request("CHECK", b"Subject: x\n\n" + b"word " * 300_000)
    with context as process, made.client() as client:
        made.process = process
        before = score_of(made.at, SPAM.read_bytes())
        assert tell(made.at, KOREAN.read_bytes(), Message_class="ham", Set="local").startswith(b"SPAMD/1.0 69 ")
        assert not rejects(made.milter)
        assert ask(made.at, long).startswith(b"SPAMD/1.1 0 ")
        assert learn(client, TOKENS[0]).status_code == 200
        (tmp_path / "token").write_text(TOKENS[1])
        made.reload('threshold = "0dB"\nallow-tell = true\nmilter-reject-from = 900\nmessage-mb = 1\n')
        until(
            lambda: made.always(lambda: score_of(made.at, SPAM.read_bytes()) == pytest.approx(before + 2.3, abs=0.11))
        )
        assert made.always(lambda: rejects(made.milter))
        assert made.always(lambda: ask(made.at, long).startswith(b"SPAMD/1.0 65 Message too large"))
        assert tell(made.at, KOREAN.read_bytes(), Message_class="ham", Set="local") == DID
        assert learn(client, TOKENS[0]).status_code == 401  # over the connection that there was
        assert learn(client, TOKENS[1]).status_code == 200
        made.reload("")
        until(lambda: made.always(lambda: not rejects(made.milter)))
        assert process.poll() is None
    assert process.said.count("The options were read again.") == 2
    assert TOKENS[1] not in process.said


def test_no_connection_is_dropped(served, tmp_path):
    made, context = served("", "--http", tmp_path / "h", "--milter", tmp_path / "m")
    message = request("PROCESS", SPAM.read_bytes())
    sent = message_packets(SPAM.read_bytes())
    with context as process, made.client() as client:
        made.process = process
        wanted, known = ask(made.at, message), workers_of(process)
        assert client.get("/healthz").status_code == 200
        with connected(made.at) as spamd, connected(made.milter) as milter, connected(made.http) as http:
            spamd.sendall(message[:500])
            milter.sendall(offer() + sent[:60])
            http.sendall(b"GET /healthz HTTP/1.1\r\n")
            for k in range(5):
                made.reload(f'threshold = "{k + 1}dB"\n')
                until(lambda: made.always(lambda: score_of(made.at, SPAM.read_bytes()) > 5.0))
            made.reload("")
            until(lambda: made.always(lambda: ask(made.at, message) == wanted))
            spamd.sendall(message[500:])
            spamd.shutdown(socket.SHUT_WR)
            assert read_all(spamd) == wanted
            milter.sendall(sent[60:] + packet(b"Q"))
            assert packets(read_all(milter))[-1][0] == b"c"
            http.sendall(b"Host: x\r\nConnection: close\r\n\r\n")
            assert read_all(http).endswith(b"ok\n")
        assert client.get("/healthz").status_code == 200
        assert workers_of(process) == known


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("threshold = ", "expected TOML"),
        ("treshold = 3", "expected one of the options"),
        ('threshold = "soon"', "threshold"),
        ("message-mb = 0", "not in the range"),
        ("milter-reject-from = 9", "--milter-reject-from needs a milter; none is served."),
        ('token-file = "absent"', "absent"),
        (None, "deciban.toml"),
    ],
)
def test_a_wrong_file_leaves_the_options_and_is_reported(served, text, said):
    made, context = served('threshold = "0dB"\nallow-tell = true\n')
    with context as process:
        made.process = process
        before = score_of(made.at, SPAM.read_bytes())
        if text is None:
            (made.folder / "deciban.toml").unlink()
            process.send_signal(signal.SIGHUP)
        else:
            made.reload(text)
        assert tell(made.at, KOREAN.read_bytes(), Message_class="ham", Set="local") == DID
        assert tell(made.at, KOREAN.read_bytes(), Remove="local").startswith(b"SPAMD/1.1 0 EX_OK\r\nDidRemove")
        until(lambda: made.always(lambda: score_of(made.at, SPAM.read_bytes()) == before))
    assert "The options were not read again, and those that were read stay: " in process.said
    assert said in process.said


def test_what_takes_a_restart_is_named_and_the_rest_holds(served):
    made, context = served('threshold = "20dB"\n')
    with context as process:
        made.process = process
        before, known = score_of(made.at, SPAM.read_bytes()), workers_of(process)
        made.reload('threshold = "0dB"\nhttp = "127.0.0.1:1"\npositive = "ham"\n')
        until(lambda: made.always(lambda: score_of(made.at, SPAM.read_bytes()) > before + 4.0))
        assert workers_of(process) == known
    assert "A change of these options takes a restart: --positive, --http." in process.said


def test_a_worker_that_starts_later_has_the_options_that_hold_by_then(served):
    made, context = served("")
    with context as process:
        made.process = process
        before = score_of(made.at, SPAM.read_bytes())
        made.reload('threshold = "0dB"\n')
        until(lambda: made.always(lambda: score_of(made.at, SPAM.read_bytes()) > before + 2.0))
        known = workers_of(process)
        for each in known:
            os.kill(each, signal.SIGKILL)
        until(lambda: len(workers_of(process)) == 2 and not {*known} & {*workers_of(process)})
        assert made.always(lambda: score_of(made.at, SPAM.read_bytes()) > before + 2.0)


def test_signals_in_a_row_end_nothing(served):
    made, context = served("")
    with context as process:
        made.process = process
        before, known = score_of(made.at, SPAM.read_bytes()), workers_of(process)
        for k in range(60):
            made.reload(f'threshold = "{k % 7}dB"\n')
            if k in (10, 30):
                os.kill(known[k // 30], signal.SIGKILL)
        made.reload("")
        until(lambda: made.always(lambda: score_of(made.at, SPAM.read_bytes()) == before))


def test_options_of_a_milter_need_one(trained, tmp_path):
    for what in ("reject", "quarantine"):
        done = run("serve", trained, "--spamd", tmp_path / "s", f"--milter-{what}-from", 9)
        assert done.returncode == 64
        wanted = f"--milter-{what}-from needs a milter; none is served. Add --milter, or leave it out."
        assert wanted in done.stderr.decode()
    assert shutil.which("spamc") is None or not (tmp_path / "s").exists()
