"""Who may see the page: whoever has shown the token, and then holds a cookie that only this server can make.

    session = expires "." random "." HMAC(token, "session" expires random)       csrf = HMAC(token, "form" session)

The cookie does not hold the token. All workers know it again, as they share the token, and it ends when the token is
another. A form holds `csrf`, so that a page elsewhere cannot send it.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from time import time

COOKIE = "deciban_session"
SECONDS = 30 * 86400
"""How long a session lasts."""


@dataclass(frozen=True)
class Sessions:
    """Makes and checks sessions by the token of the server."""

    token: str

    def is_token(self, given: str) -> bool:
        """Return whether this is the token, in a time that does not tell how much of it is right."""
        return hmac.compare_digest(given.strip().encode("utf-8", "surrogatepass"), self.token.encode())

    def begin(self, now: float | None = None) -> str:
        """Return a new session."""
        start = f"{int((time() if now is None else now) + SECONDS)}.{secrets.token_hex(16)}"
        return f"{start}.{self._sign('session', start)}"

    def is_valid(self, session: str, now: float | None = None) -> bool:
        """Return whether a cookie is a session that has not ended.

        >>> sessions = Sessions("0123456789abcdef")
        >>> known = sessions.begin(0.0)
        >>> [sessions.is_valid(known, at) for at in (1.0, SECONDS + 1.0)], sessions.is_valid("0.x.y")
        ([True, False], False)
        """
        start, _, signature = session.rpartition(".")
        expires = start.partition(".")[0]
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), self._sign("session", start).encode()):
            return False
        return int(expires) > (time() if now is None else now)

    def csrf(self, session: str) -> str:
        """Return what the forms of a session hold."""
        return self._sign("form", session)

    def is_csrf(self, session: str, given: str) -> bool:
        """Return whether a form is one of the session's."""
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self.csrf(session).encode())

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.digest(self.token.encode(), f"{purpose}\0{text}".encode("utf-8", "replace"), sha256).hex()
