"""Names of users and domains, which clients send: checked, and never part of a path."""

from __future__ import annotations

import re

from ..errors import UsageError, escape

LONGEST = 254
"""Characters of an address (RFC 5321)."""
NOBODY = "nobody"
"""The name by which mail servers ask for no user: the filter that all share."""
_ONE = (
    r"[!#$&'*+\-.0-9=?A-Z\^-~\u00a1-\u00ac\u00ae-\u05ff\u0606-\u061b\u061d-\u06dc\u06de-\u070e\u0710-\u088f\u0892-\u08e1"
    r"\u08e3-\u167f\u1681-\u180d\u180f-\u1fff\u2010-\u2027\u2030-\u205e\u2065\u2070-\u2fff\u3001-\ud7ff\uf900-\ufefe"
    r"\uff00-\uffef]"
)
"""One of the first 65,536 characters, if it is seen and means nothing elsewhere, as blanks, quotes and brackets do."""
PATTERN = f"^{_ONE}*@?{_ONE}+$"
"""What a name is like, as a regular expression that JSON Schema understands, too."""


def check_user(name: str) -> str:
    """Return the name of a user, `ann` or `ann@example.com`, or of a domain, `@example.com`, in lower case.

    Raises
    ------
    UsageError
        If it is none.

    Examples
    --------
    >>> check_user(" Ann@Example.com ")
    'ann@example.com'
    """
    found = name.strip().lower()
    if len(name.strip()) > LONGEST or not re.fullmatch(PATTERN, found):
        raise UsageError(
            f"{escape(name[:80])!r} is no name of a user. Expected NAME, NAME@DOMAIN or @DOMAIN, of at most {LONGEST} "
            "characters without spaces, quotes, brackets, slashes and the like."
        )
    return found


def levels_of(name: str) -> tuple[str, ...]:
    """Return a checked name after that of its domain, if it has one.

    >>> levels_of("ann@example.com"), levels_of("@example.com"), levels_of("ann")
    (('@example.com', 'ann@example.com'), ('@example.com',), ('ann',))
    """
    local, at, domain = name.rpartition("@")
    return (f"@{domain}", name) if at and local else (name,)
