"""Users of one store in another, of whatever sort: for backups, and to move them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .users import Users

_USER = "id, name, version, weights"
_LESSON = "number, digest, label, odds, words, told, source"


@contextmanager
def replacing_users(source: Users | None, target: Users) -> Iterator[int]:
    """Put the users of one store, as they are at one moment, in the place of those of another; without one, nobody.
    Yield how many there are: they are there when the block has ended, and not if it fails. One user at a time is held
    in memory."""
    with target.session.write():
        for table in ("user_lessons", "users"):
            target.session.execute(f"DELETE FROM {table}")
        target.session.execute("DELETE FROM user_store WHERE name = 'filter'")
        count = 0
        if source is not None:
            with source.session.read():
                count = _copy(source, target)
        yield count


def _copy(source: Users, target: Users) -> int:
    for (value,) in source.session.execute("SELECT value FROM user_store WHERE name = 'filter'").fetchall():
        target.session.execute("INSERT INTO user_store VALUES ('filter', ?)", (value,))
    known = source.session.execute("SELECT id FROM users ORDER BY id").fetchall()
    for (id_,) in known:
        row = source.session.execute(f"SELECT {_USER} FROM users WHERE id = ?", (id_,)).fetchone()
        target.session.execute(f"INSERT INTO users ({_USER}) VALUES (?, ?, ?, ?)", tuple(row))
        lessons = source.session.execute(
            f"SELECT {_LESSON} FROM user_lessons WHERE user_id = ? ORDER BY number", (id_,)
        ).fetchall()
        target.session.execute_many(
            f"INSERT INTO user_lessons (user_id, {_LESSON}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(id_, *lesson) for lesson in lessons],
        )
    return len(known)
