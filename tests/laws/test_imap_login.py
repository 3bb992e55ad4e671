"""By which command one logs in, and what a server means that does not let one in."""

import pytest

pytest.importorskip("imapclient")

from imapclient.exceptions import IMAPClientAbortError
from imapclient.exceptions import LoginError as RefusedLogin

from deciban.errors import DataError, LoginError, UsageError
from deciban.watch.account import _find_junk
from deciban.watch.address import parse_address
from deciban.watch.credentials import Secret
from deciban.watch.login import _log_in, _start_tls, errors_of
from deciban.watch.watching import ConnectionLost

ADDRESS = parse_address("imaps://ann@h")
PASSWORD, TOKEN = Secret("hidden"), Secret("hidden", is_token=True)


class Client:
    """A connection to a server of these capabilities; what is called is noted, and fails with an error."""

    def __init__(self, *capabilities, error=None, cause=None):
        self.capabilities, self.error, self.cause, self.called = capabilities, error, cause, []

    def has_capability(self, name):
        return name in self.capabilities

    def __getattr__(self, name):
        def call(*arguments):
            self.called.append(name)
            if self.error:
                try:
                    raise self.cause or ZeroDivisionError
                except Exception:
                    raise RefusedLogin(self.error)  # noqa: B904 - as the library does

        return call


@pytest.mark.parametrize(
    ("capabilities", "secret", "command"),
    [
        (["AUTH=PLAIN"], PASSWORD, "plain_login"),
        (["AUTH=PLAIN", "LOGINDISABLED"], PASSWORD, "plain_login"),
        ([], PASSWORD, "login"),
        (["AUTH=OAUTHBEARER", "AUTH=XOAUTH2", "AUTH=PLAIN"], TOKEN, "oauthbearer_login"),
        (["AUTH=XOAUTH2", "AUTH=PLAIN"], TOKEN, "oauth2_login"),
    ],
)
def test_the_command(capabilities, secret, command):
    client = Client(*capabilities)
    _log_in(ADDRESS, client, secret)
    assert client.called == [command]


def test_no_password_is_sent_where_the_server_takes_none():
    client = Client("LOGINDISABLED")
    with pytest.raises(LoginError, match=r"^imaps://ann@h: the server takes no password here. Use imaps://, or "):
        _log_in(ADDRESS, client, PASSWORD)
    assert client.called == []


@pytest.mark.parametrize(
    ("told", "cause", "kind"),
    [
        ("login failed: [AUTHENTICATIONFAILED] no", None, LoginError),
        ("login failed", None, LoginError),
        ("login failed: [UNAVAILABLE] too many connections", None, ConnectionLost),
        ("socket error: EOF", IMAPClientAbortError("EOF"), ConnectionLost),
    ],
)
def test_a_busy_server_is_no_wrong_password(told, cause, kind):
    with pytest.raises(kind) as caught:
        _log_in(ADDRESS, Client(error=told, cause=cause), PASSWORD)
    assert type(caught.value) is kind


def test_what_a_server_repeats_of_a_password_is_not_told():
    with pytest.raises(LoginError) as caught:
        _log_in(ADDRESS, Client(error="no such hidden\r\n\x1b[2Jthing"), PASSWORD)
    assert "hidden" not in str(caught.value)
    assert str(caught.value).isprintable()


def test_without_tls_no_password_leaves_this_machine():
    with pytest.raises(UsageError) as caught:
        _start_tls(parse_address("imap://ann@h"), Client())
    assert str(caught.value) == (
        "imap://ann@h: the server offers no TLS, and others could read the password. Use imaps://, or allow it with "
        "--insecure."
    )
    for address in (parse_address("imap://ann@h", insecure=True), parse_address("imap://ann@localhost")):
        client = Client()
        _start_tls(address, client)
        assert client.called == []
        client = Client("STARTTLS")
        _start_tls(address, client)
        assert client.called == ["starttls"]


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (OSError(111, "Connection refused"), ConnectionLost, "the server cannot be reached: Connection refused."),
        (TimeoutError("timed out"), ConnectionLost, "the server cannot be reached: timed out."),
        (IMAPClientAbortError("BYE"), ConnectionLost, "the server cannot be reached: BYE."),
        (RefusedLogin("[INUSE] later"), ConnectionLost, "the server is busy: [INUSE] later."),
        (RefusedLogin("no."), DataError, "SELECT was refused: no."),
    ],
)
def test_errors(error, kind, words):
    with pytest.raises(kind) as caught, errors_of(ADDRESS, "SELECT"):
        raise error
    assert str(caught.value) == f"imaps://ann@h: {words}"


@pytest.mark.parametrize(
    ("folders", "found"),
    [
        ([((b"\\Junk",), b"/", "Müll"), ((), b"/", "Junk")], "Müll"),
        ([((b"\\HasNoChildren",), b"/", "INBOX"), ((), b"/", "Spam"), ((), b"/", "junk")], "junk"),
        ([((), b".", "INBOX.Spam"), ((), b".", "INBOX.Old.Junk")], "INBOX.Spam"),
        ([((), None, "Junk E-mail")], "Junk E-mail"),
    ],
)
def test_the_folder_of_junk(folders, found):
    assert _find_junk(folders) == found


def test_no_folder_of_junk():
    with pytest.raises(UsageError) as caught:
        _find_junk([((), b"/", "INBOX"), ((), b"/", "Old\x07")])
    assert str(caught.value) == (
        "Expected a folder for junk, named Junk or Spam; there are INBOX, Old\\x07. Name it with --junk FOLDER."
    )
