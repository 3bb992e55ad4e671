"""Names of users and domains, which clients send: checked, and never part of a path."""

from __future__ import annotations

import re

from ..errors import UsageError, escape

LONGEST = 254
"""Characters of an address (RFC 5321)."""
NOBODY = "nobody"
"""The name by which mail servers ask for no user: the filter that all share."""
_ONE = r"[^\s@<>\"\\,;:()\[\]/%\x00-\x1f\x7f-\x9f]"
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
    is_text = not any("\ud800" <= character <= "\udfff" for character in found)
    if not (is_text and len(name.strip()) <= LONGEST and re.fullmatch(PATTERN, found)):
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
