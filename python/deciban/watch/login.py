"""Logging in to a mail server over IMAP, with TLS, and what its errors mean."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Iterator

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, ProtocolError
from imapclient.exceptions import LoginError as RefusedLogin

from ..errors import DataError, LoginError, StorageError, UsageError, escape
from .address import ImapAddress
from .credentials import Secret
from .watching import ConnectionLost

_TIMEOUT = SocketTimeout(connect=30, read=120)
# By which a server says that it is busy, not that the password is wrong (RFC 5530).
_BUSY = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]")


def connect(address: ImapAddress, secret: Secret) -> IMAPClient:
    """Return a connection that is logged in.

    Raises ConnectionLost where the server cannot be reached at the moment, LoginError where it does not let the user
    in, StorageError where it is another than it should be.
    """
    with errors_of(address, "the greeting"):
        is_tls = address.scheme == "imaps"
        context = ssl.create_default_context()
        given = context if is_tls else None
        client = IMAPClient(address.host, address.port, ssl=is_tls, ssl_context=given, timeout=_TIMEOUT)
    try:
        with errors_of(address, "STARTTLS"):
            if not is_tls:
                _start_tls(address, client)
        with errors_of(address, "LOGIN"):
            _log_in(address, client, secret)
    except BaseException:
        with contextlib.suppress(Exception):
            client.shutdown()
        raise
    return client


def _start_tls(address: ImapAddress, client: IMAPClient) -> None:
    """Go on with TLS where it is offered; with any certificate of a server on this machine, as nobody is in between."""
    if not client.has_capability("STARTTLS"):
        if address.needs_tls:
            raise UsageError(
                f"{address}: the server offers no TLS, and others could read the password. Use imaps://, or allow it "
                "with --insecure."
            )
        return
    context = ssl.create_default_context()
    if address.is_loopback:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    client.starttls(context)


def _log_in(address: ImapAddress, client: IMAPClient, secret: Secret) -> None:
    try:
        if secret.is_token:
            if client.has_capability("AUTH=OAUTHBEARER"):
                client.oauthbearer_login(address.user, secret.text)
            else:
                client.oauth2_login(address.user, secret.text)
        elif client.has_capability("AUTH=PLAIN"):  # which knows letters of all languages
            client.plain_login(address.user, secret.text)
        elif client.has_capability("LOGINDISABLED"):
            raise LoginError(f"{address}: the server takes no password here. Use imaps://, or --oauth2-command.")
        else:
            client.login(address.user, secret.text)
    except RefusedLogin as error:
        told = escape(" ".join(str(error).replace(secret.text, "…").split()))[:200]
        if isinstance(error.__context__, IMAPClientAbortError) or any(code in told for code in _BUSY):
            raise ConnectionLost(f"{address}: the server is busy: {told}.") from None
        what = "access token" if secret.is_token else "password"
        raise LoginError(
            f"{address}: the server does not accept the user and the {what}: {told.rstrip('.')}. Check both; many "
            "providers want a password of its own for each program, or --oauth2-command."
        ) from None


@contextlib.contextmanager
def errors_of(address: ImapAddress, what: str) -> Iterator[None]:
    """Turns what goes wrong with a server into the errors of this program."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise StorageError(
            f"{address}: the certificate of the server is not valid: {error.verify_message}. Check the host; nothing "
            "was sent."
        ) from error
    except (OSError, IMAPClientAbortError, ProtocolError) as error:
        told = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise ConnectionLost(f"{address}: the server cannot be reached: {escape(told)[:200]}.") from error
    except IMAPClientError as error:
        told = escape(str(error))[:200].rstrip(".")
        if any(code in told for code in _BUSY):
            raise ConnectionLost(f"{address}: the server is busy: {told}.") from error
        raise DataError(f"{address}: {what} was refused: {told}.") from error
