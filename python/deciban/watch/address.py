"""Which mail account an address names: imaps://user@host[:port], with TLS, or imap://, which begins without."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, unquote, urlsplit

from ..errors import UsageError, escape

_PORTS = {"imaps": 993, "imap": 143}


@dataclass(frozen=True)
class ImapAddress:
    """An account of a user at a server; `is_insecure` allows to send the password without TLS to another machine."""

    scheme: str
    user: str
    host: str
    port: int
    is_insecure: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{quote(self.user, safe='@+')}@{host}{port}"

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine, whatever a name server says."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def needs_tls(self) -> bool:
        """Whether a password may not be sent without TLS."""
        return not (self.is_loopback or self.is_insecure)


def parse_address(text: str, insecure: bool = False) -> ImapAddress:
    """Return the account that an address names.

    >>> parse_address("imaps://ann@example.org@imap.example.org")
    ImapAddress(scheme='imaps', user='ann@example.org', host='imap.example.org', port=993, is_insecure=False)
    >>> str(parse_address("imap://ann@[::1]:1143"))
    'imap://ann@[::1]:1143'
    """
    wanted = "expected an address such as imaps://ann@imap.example.org"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # a port that is no number may be a part of a password
        raise UsageError(f"The address of the account cannot be read: {wanted}.") from None
    if parts.password is not None:
        raise UsageError(
            f"The address of the account has a password: {wanted}. Others on this machine could read it: give it in "
            "the environment variable DECIBAN_IMAP_PASSWORD or by --password-command."
        )
    if parts.scheme not in _PORTS or not parts.hostname or not parts.username:
        raise UsageError(f"'{escape(text)}': {wanted}.")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise UsageError(f"'{escape(text)}': {wanted}, and nothing after it. Name folders with --inbox and --junk.")
    user = unquote(parts.username)
    if not user.isprintable():
        raise UsageError(f"'{escape(text)}': expected the name of a user; it has characters that are no text.")
    return ImapAddress(parts.scheme, user, parts.hostname, port or _PORTS[parts.scheme], insecure)
