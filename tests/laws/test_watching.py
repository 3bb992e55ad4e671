"""Watching an account over connections that break, the addresses of accounts, and where their passwords come from."""

import sys
from itertools import islice
from types import SimpleNamespace

import pytest

from deciban.errors import DataError, LoginError, UsageError
from deciban.watch.address import parse_address
from deciban.watch.credentials import VARIABLE, Credentials, Secret
from deciban.watch.state import WatchState
from deciban.watch.watcher import Watcher, WatchPolicy
from deciban.watch.watching import ConnectionLost, pauses, watch
from laws.mailboxes import INBOX, FakeAccount, Known, Mailbox, digest

ADDRESS = parse_address("imaps://ann@imap.example.org")


class Server:
    """A server that answers as often as each number says, in between cannot be reached so often, and then stops us."""

    def __init__(self, *turns):
        self.turns, self.mailbox, self.accounts, self.pauses, self.said = list(turns), Mailbox(), [], [], []
        self.known, self.followed = Known(), SimpleNamespace(path="f", is_due=False, follow=lambda: False)
        self.seconds = []

    def connect(self):
        if not self.turns:
            raise KeyboardInterrupt
        self.turns[0] -= 1
        if len(self.turns) % 2 == 0:
            if self.turns[0] == 0:
                self.turns.pop(0)
            raise ConnectionLost("gone.")
        self.accounts.append(FakeAccount(self.mailbox))
        self.accounts[-1].wait = self.wait
        return self.accounts[-1]

    def wait(self, seconds, next_uid):
        self.seconds.append((seconds, next_uid))
        self.mailbox.deliver(INBOX, "spam")
        if self.turns[0] <= 0:
            self.turns.pop(0)
            raise ConnectionLost("gone.")
        self.turns[0] -= 1

    def watch(self, state, seconds=60.0):
        begin = lambda account: Watcher(self.known, digest, state, WatchPolicy(), lambda text: None)  # noqa: E731
        more = {"seconds": seconds, "say": self.said.append, "sleep": self.pauses.append}
        watch(self.connect, begin, lambda: self.followed, **more)


@pytest.fixture
def state(tmp_path):
    made = WatchState(str(tmp_path / "w"), "a")
    yield made
    made.close()


def test_it_is_tried_again_ever_more_seldom_and_said_once(state):
    server = Server(3, 4, 1)
    with pytest.raises(KeyboardInterrupt):
        server.watch(state)
    assert server.pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 1.0]
    assert server.said == [
        "Classified 1, 1 of them as spam.",
        "Classified 1, 1 of them as spam.",
        "gone. It is tried again, at least every 5 minutes.",
        "Classified 1, 1 of them as spam.",
        "The server answers again.",
        "gone. It is tried again, at least every 5 minutes.",
    ]
    assert all(account.closed for account in server.accounts)
    assert server.seconds[0] == (60.0, 1)
    assert len(server.known.rated) == 3


def test_once_ends_or_says_why_not(state):
    server = Server(3)
    server.mailbox.deliver(INBOX, "ham")
    server.watch(state, seconds=None)
    assert server.said == ["Classified 1, 0 of them as spam."]
    with pytest.raises(ConnectionLost):
        Server(3, 3).watch(state, seconds=None)


def test_what_others_teach_is_heeded_and_the_filter_is_refreshed(state, tmp_path):
    server = Server(2)
    server.followed.path, server.followed.is_due = str(tmp_path / "no\nfilter"), True

    def follow():
        raise DataError("it is damaged.")

    server.followed.follow = follow
    server.watch(state, seconds=None)
    assert server.said[:2] == [
        "The filter could not be read again, and the one that was read stays: it is damaged.",
        "Classified 0, 0 of them as spam.",
    ]
    assert server.said[2].startswith("Refreshing the filter failed: deciban: ")
    assert "\n" not in server.said[2]
    assert not server.followed.is_due


def test_pauses_never_end():
    found = [*islice(pauses(), 1000)]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (1.0, 300.0)


@pytest.mark.parametrize(
    ("text", "user", "host", "port"),
    [
        ("imaps://ann@h", "ann", "h", 993),
        ("imap://ann@h", "ann", "h", 143),
        ("imaps://ann%40a.org@h:1/", "ann@a.org", "h", 1),
        ("imaps://ann@a.org@h", "ann@a.org", "h", 993),
        ("imap://ann@[::1]:9", "ann", "::1", 9),
    ],
)
def test_addresses(text, user, host, port):
    address = parse_address(text)
    assert (address.user, address.host, address.port) == (user, host, port)
    assert parse_address(str(address)) == address


@pytest.mark.parametrize("host", ["h", "localhost", "127.0.0.1", "127.evil.org", "localhost.evil.org", "[::1]"])
@pytest.mark.parametrize("insecure", [False, True])
def test_which_servers_need_tls(host, insecure):
    address = parse_address(f"imap://ann@{host}", insecure)
    assert address.needs_tls == (host in ("h", "127.evil.org", "localhost.evil.org") and not insecure)


WANTED = "expected an address such as imaps://ann@imap.example.org"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "imaps://ann:hidden@h",
            f"The address of the account has a password: {WANTED}. Others on this machine could read it: give it in "
            "the environment variable DECIBAN_IMAP_PASSWORD or by --password-command.",
        ),
        ("imaps://ann@h:hidden", f"The address of the account cannot be read: {WANTED}."),
        ("pop3://ann@h", f"'pop3://ann@h': {WANTED}."),
        ("imaps://h", f"'imaps://h': {WANTED}."),
        ("imaps://ann@", f"'imaps://ann@': {WANTED}."),
        (
            "imaps://ann@h/INBOX",
            f"'imaps://ann@h/INBOX': {WANTED}, and nothing after it. Name folders with --inbox and --junk.",
        ),
        (
            "imaps://a%0Ab@h",
            "'imaps://a%0Ab@h': expected the name of a user; it has characters that are no text.",
        ),
    ],
)
def test_addresses_that_are_none(text, error):
    with pytest.raises(UsageError) as caught:
        parse_address(text)
    assert str(caught.value) == error


@pytest.fixture
def keyring(monkeypatch):
    """A keyring, which knows what is put into it."""
    kept = {}
    made = SimpleNamespace(get_password=lambda service, name: kept[service, name])
    monkeypatch.setitem(sys.modules, "keyring", made)
    monkeypatch.delenv(VARIABLE, raising=False)
    return kept


def test_passwords_come_from_the_first_place_that_has_one(monkeypatch, keyring):
    asked = []
    ask = lambda prompt: asked.append(prompt) or "typed"  # noqa: E731
    find = lambda command=None: Credentials(ADDRESS, command, None, ask).secret()  # noqa: E731
    assert find() == Secret("typed")
    assert asked == ["Password of ann at imap.example.org"]
    keyring["deciban", "imaps://ann@imap.example.org"] = "kept"
    assert find() == Secret("kept")
    monkeypatch.setenv(VARIABLE, "set")
    assert find() == Secret("set")
    assert find("echo printed; echo more") == Secret("printed")
    assert "printed" not in repr(find("echo printed"))


def test_tokens_are_asked_for_at_each_login(tmp_path):
    path = tmp_path / "n"
    found = Credentials(ADDRESS, None, f"echo >> {path}; wc -l < {path}", lambda prompt: None)
    assert [found.secret().text.strip() for _ in range(3)] == ["1", "2", "3"]
    assert found.secret().is_token


@pytest.mark.parametrize(
    ("commands", "error"),
    [
        (
            (None, None),
            "imaps://ann@imap.example.org: expected a password; none was given. Set DECIBAN_IMAP_PASSWORD, use "
            "--password-command, or store it in a keyring: keyring set deciban and this address.",
        ),
        (("true", None), "--password-command: expected a password on its standard output; nothing came."),
        ((None, "false"), "--oauth2-command: expected that the command succeeds; it ended with status 1."),
    ],
)
def test_no_password(keyring, commands, error):
    with pytest.raises(LoginError) as caught:
        Credentials(ADDRESS, *commands, lambda prompt: None).secret()
    assert str(caught.value) == error
