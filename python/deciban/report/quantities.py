"""Numbers of things, and sizes of files, as people read them."""

from __future__ import annotations


def counted(n: int, what: str, many: str | None = None) -> str:
    """`1 message`, `2,000 messages`.

    >>> counted(1, "class", "classes"), counted(2000, "message")
    ('1 class', '2,000 messages')
    """
    return f"{n:,} {what if n == 1 else many or what + 's'}"


def size_of(count: float) -> str:
    """Bytes as people read them.

    >>> size_of(512), size_of(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    if count < 1000:
        return f"{int(count)} bytes"
    power = 1 if count < 999.5e3 else 2 if count < 999.5e6 else 3
    return f"{count / 1000**power:,.{2 if power == 3 else 0 if count / 1000**power >= 100 else 1}f} {'kMG'[power - 1]}B"
