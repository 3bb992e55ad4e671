"""The password or the access token of a mail account: from a command, the environment, a keyring, or whoever types it.

Neither is ever an argument of a command, nor in what is logged.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import LoginError, escape
from .address import ImapAddress

VARIABLE = "DECIBAN_IMAP_PASSWORD"
SERVICE = "deciban"
"""The name under which a keyring has the password of an address."""


@dataclass(frozen=True)
class Secret:
    """A password, or an access token."""

    text: str
    is_token: bool = False

    def __repr__(self) -> str:
        return "Secret(…)"


@dataclass
class Credentials:
    """Where the secret of an account comes from; a token, which expires, is asked for at every login.

    Parameters
    ----------
    address : ImapAddress
        The account.
    password_command, oauth2_command : str, optional
        Commands that print a password or an access token.
    ask : callable
        Returns what the user types; None where there is no terminal.
    """

    address: ImapAddress
    password_command: str | None
    oauth2_command: str | None
    ask: Callable[[str], str | None]
    _password: Secret | None = None

    def secret(self) -> Secret:
        """Return the secret; LoginError where there is none."""
        if self.oauth2_command is not None:
            return Secret(_first_line(self.oauth2_command, "--oauth2-command", "an access token"), is_token=True)
        if self._password is None:
            self._password = Secret(self._find_password())
        return self._password

    def _find_password(self) -> str:
        if self.password_command is not None:
            return _first_line(self.password_command, "--password-command", "a password")
        found = os.environ.get(VARIABLE) or _from_keyring(self.address)
        found = found or self.ask(f"Password of {escape(self.address.user)} at {self.address.host}")
        if not found:
            raise LoginError(
                f"{self.address}: expected a password; none was given. Set {VARIABLE}, use --password-command, or "
                "store it in a keyring: keyring set deciban and this address."
            )
        return found


def _first_line(command: str, option: str, what: str) -> str:
    """Return the first line that a command of the user prints."""
    done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    lines = done.stdout.decode(errors="replace").splitlines()
    if done.returncode:
        raise LoginError(f"{option}: expected that the command succeeds; it ended with status {done.returncode}.")
    if not lines or not lines[0].strip():
        raise LoginError(f"{option}: expected {what} on its standard output; nothing came.")
    return lines[0]


def _from_keyring(address: ImapAddress) -> str | None:
    """Return what a keyring has for an address; None where there is no keyring, or it is locked."""
    try:
        import keyring

        found: str | None = keyring.get_password(SERVICE, str(address))
    except Exception:  # each keyring has errors of its own
        return None
    return found
