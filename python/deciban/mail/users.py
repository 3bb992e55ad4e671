"""What users have taught, in a store: the lessons of each, and the weights that follow from them.

The weights of a user are a function of the lessons of this user, in the order in which they came: see `personal`. A
message has the label that it was given last; the labels before are kept, as forgetting takes back the last one. What is
learnt and then forgotten was never learnt. A user without lessons is not in the store.

This is the path of one message from the command line: it loads neither NumPy nor SciPy nor scikit-learn.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import time
from typing import Any, NamedTuple

from ..errors import DataError, escape
from .outcomes import Outcome
from .personal import PersonalLesson, PersonalWeights
from .sql_stores import Session, Store
from .stored_words import Words, pack_words, unpack_words

SUFFIX = ".users"
"""Of the SQLite database beside the file of a filter."""
LAYOUT = 1
MOST_LESSONS = 20_000
MOST_BYTES = 16 << 20
"""Lessons of one user, and bytes of their words, at most."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS user_store (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS users (id {integer} PRIMARY KEY, name TEXT NOT NULL UNIQUE, version {integer} NOT NULL,"
    " weights {blob} NOT NULL)",
    "CREATE TABLE IF NOT EXISTS user_lessons (user_id {integer} NOT NULL, number {integer} NOT NULL, "
    "digest {blob} NOT NULL, label {integer} NOT NULL, odds {real} NOT NULL, words {blob} NOT NULL, "
    "told {real} NOT NULL, source TEXT NOT NULL, PRIMARY KEY (user_id, number))",
    "CREATE INDEX IF NOT EXISTS user_lessons_by_digest ON user_lessons (user_id, digest)",
)
_LAST = "number IN (SELECT max(number) FROM user_lessons WHERE user_id = ? GROUP BY digest)"


class Taught(NamedTuple):
    """A message that a user teaches: its digest and words, and where it came from."""

    digest: bytes
    words: Words
    source: str


class StoredUser(NamedTuple):
    """What a user has learnt; `version` is another one after each change."""

    version: int
    weights: PersonalWeights


class UserSummary(NamedTuple):
    """A user in a list: the name, how many lessons, and when the first and the last were given, in seconds since
    1970."""

    name: str
    lessons: int
    first: float
    last: float

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return self._asdict()


class Users:
    """The users in a store, by one connection, which one thread uses at a time."""

    def __init__(self, session: Session, name: str) -> None:
        self.session, self.name = session, name

    @classmethod
    def connect(cls, store: Store) -> Users:
        """Return the users in a store; their tables are made where there are none."""
        session = store.connect()
        try:
            users = cls(session, store.name)
            users._prepare()
            return users
        except BaseException:
            session.close()
            raise

    def _prepare(self) -> None:
        session = self.session
        with session.write():
            for statement in _TABLES:
                session.execute(statement.format(**vars(session.dialect)))
            known = self._about("layout")
            if known is None:
                session.execute("INSERT INTO user_store VALUES ('layout', ?)", (str(LAYOUT),))
            elif known != str(LAYOUT):
                raise DataError(
                    f"{self.name}: written by a newer version (layout {escape(known[:20])}; this one reads {LAYOUT}). "
                    "Upgrade: pip install --upgrade deciban."
                )

    def _about(self, name: str) -> str | None:
        row = self.session.execute("SELECT value FROM user_store WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def require_filter(self, settings: dict[str, Any], classes: Sequence[Any]) -> None:
        """Raise DataError where users were taught with a filter that reads words otherwise, or of other classes."""
        own = json.dumps({"settings": settings, "classes": [str(c) for c in classes]}, sort_keys=True)
        if self._about("filter") == own:
            return
        with self.session.write():
            if self._about("filter") == own:
                return
            if self.session.execute("SELECT 1 FROM users LIMIT 1").fetchone() is not None:
                raise DataError(
                    f"{self.name}: expected users of a filter of the same classes that reads mail the same way; these "
                    "were taught with another. Serve that one, or delete the users: deciban users --delete."
                )
            self.session.execute("DELETE FROM user_store WHERE name = 'filter'")
            self.session.execute("INSERT INTO user_store VALUES ('filter', ?)", (own,))

    def version(self, name: str) -> int | None:
        """Return the version of what a user has learnt; None for one that has learnt nothing."""
        row = self.session.execute("SELECT version FROM users WHERE name = ?", (name,)).fetchone()
        return None if row is None else int(row[0])

    def load(self, name: str) -> StoredUser | None:
        """Return what a user has learnt; None for one that has learnt nothing."""
        row = self.session.execute("SELECT version, weights FROM users WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        with self._sound(name):
            return StoredUser(int(row[0]), PersonalWeights.from_bytes(bytes(row[1])))

    def learn(self, name: str, lessons: Sequence[tuple[Taught, float]], label: int) -> list[Outcome]:
        """Learn messages under a label, each with the log-odds of class 1 by the levels above, all of them or none."""
        if not lessons:
            return []
        with self.session.write():
            user = self._user(name) or self._add(name)
            return self._settle(user, [self._learn(user, *each, label) for each in lessons])

    def forget(self, name: str, digests: Sequence[bytes]) -> list[Outcome]:
        """Take back the last label of each message, all of them or none."""
        with self.session.write():
            user = self._user(name)
            if user is None:
                return ["not known" for _ in digests]
            return self._settle(user, [self._forget(user, digest) for digest in digests])

    def _user(self, name: str) -> _User | None:
        row = self.session.execute("SELECT id, weights FROM users WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        with self._sound(name):
            return _User(int(row[0]), name, PersonalWeights.from_bytes(bytes(row[1])), self._number(row[0]))

    def _number(self, user_id: int) -> int:
        row = self.session.execute("SELECT max(number) FROM user_lessons WHERE user_id = ?", (user_id,)).fetchone()
        return int(row[0] or 0)

    def _add(self, name: str) -> _User:
        row = self.session.execute("SELECT max(id) FROM users").fetchone()
        user = _User(int(row[0] or 0) + 1, name, PersonalWeights(), 0)
        self.session.execute("INSERT INTO users VALUES (?, ?, ?, ?)", (user.id, name, 0, b""))
        return user

    def _learn(self, user: _User, taught: Taught, odds: float, label: int) -> Outcome:
        had = self._label(user, taught.digest)
        if had == label:
            return "already known"
        self._require_room(user)
        user.number += 1
        self.session.execute(
            "INSERT INTO user_lessons VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                user.id,
                user.number,
                taught.digest,
                label,
                odds,
                pack_words(taught.words),
                time(),
                escape(taught.source),
            ),
        )
        if had is None:
            user.pending.append(PersonalLesson(taught.words, label, odds))
            return "learnt"
        user.is_stale = True
        return "relabelled"

    def _forget(self, user: _User, digest: bytes) -> Outcome:
        if self._label(user, digest) is None:
            return "not known"
        self.session.execute(
            "DELETE FROM user_lessons WHERE user_id = ? AND number = "
            "(SELECT max(number) FROM user_lessons WHERE user_id = ? AND digest = ?)",
            (user.id, user.id, digest),
        )
        user.is_stale = True
        return "forgotten"

    def _label(self, user: _User, digest: bytes) -> int | None:
        """Return the class of a message that a user has taught."""
        row = self.session.execute(
            "SELECT label FROM user_lessons WHERE user_id = ? AND digest = ? ORDER BY number DESC LIMIT 1",
            (user.id, digest),
        ).fetchone()
        return None if row is None else int(row[0])

    def _require_room(self, user: _User) -> None:
        count, size = self.session.execute(
            "SELECT count(*), coalesce(sum(length(words)), 0) FROM user_lessons WHERE user_id = ?", (user.id,)
        ).fetchone()
        if count >= MOST_LESSONS or size >= MOST_BYTES:
            raise DataError(
                f"{escape(user.name)} has {count:,} lessons, {size:,} bytes of words: as many as one user may. Forget "
                "some, or teach the filter that all share."
            )

    def _settle(self, user: _User, outcomes: list[Outcome]) -> list[Outcome]:
        """Write the weights that follow from the lessons that there are now."""
        if user.is_stale:
            user.weights, user.pending = PersonalWeights(), [*self._lessons(user)]
        elif not user.pending:
            return outcomes
        weights = user.weights.learn(user.pending)
        if not self._number(user.id):
            self.session.execute("DELETE FROM users WHERE id = ?", (user.id,))
            return outcomes
        self.session.execute(
            "UPDATE users SET version = ?, weights = ? WHERE id = ?", (_new_version(), weights.to_bytes(), user.id)
        )
        return outcomes

    def _lessons(self, user: _User) -> Iterator[PersonalLesson]:
        """Yield the lessons that are in force."""
        rows = self.session.execute(
            f"SELECT words, label, odds FROM user_lessons WHERE user_id = ? AND {_LAST} ORDER BY number",
            (user.id, user.id),
        ).fetchall()
        with self._sound(user.name):
            for words, label, odds in rows:
                yield PersonalLesson(unpack_words(bytes(words)), int(label), float(odds))

    def summaries(self) -> list[UserSummary]:
        """Return all users, by name."""
        rows = self.session.execute(
            "SELECT name, count(*), min(told), max(told) FROM users JOIN user_lessons ON user_id = id GROUP BY id, name"
        ).fetchall()
        return sorted(UserSummary(str(name), int(n), float(a), float(b)) for name, n, a, b in rows)

    def export(self, name: str, classes: Sequence[Any]) -> dict[str, Any] | None:
        """Return all that is kept of a user, as plain Python objects; None for one that has learnt nothing."""
        with self.session.read():
            user = self._user(name)
            if user is None:
                return None
            rows = self.session.execute(
                "SELECT digest, label, odds, words, told, source FROM user_lessons WHERE user_id = ? ORDER BY number",
                (user.id,),
            ).fetchall()
        with self._sound(name):
            lessons = [
                {
                    "digest": bytes(digest).hex(),
                    "label": str(classes[label]),
                    "odds": odds,
                    "told": told,
                    "source": source,
                    "words": unpack_words(bytes(words)).tolist(),
                }
                for digest, label, odds, words, told, source in rows
            ]
        weights = user.weights
        parts = zip(weights.words, weights.means, weights.counts, strict=True)
        return {
            "user": name,
            "lessons": lessons,
            "weights": [{"word": word, "mean": mean, "lessons": n} for word, mean, n in parts],
        }

    def delete(self, name: str) -> bool:
        """Delete all that is kept of a user, and return whether there was anything."""
        with self.session.write():
            row = self.session.execute("SELECT id FROM users WHERE name = ?", (name,)).fetchone()
            if row is None:
                return False
            self.session.execute("DELETE FROM user_lessons WHERE user_id = ?", (row[0],))
            self.session.execute("DELETE FROM users WHERE id = ?", (row[0],))
        return True

    @contextmanager
    def _sound(self, name: str) -> Iterator[None]:
        """Turn what cannot be read into an error that says whose it is."""
        try:
            yield
        except (ValueError, TypeError, IndexError) as error:
            raise DataError(
                f"{self.name}: what {escape(name)} has taught is damaged ({error}). Restore it from a backup, or "
                "delete this user: deciban users --delete."
            ) from error

    def close(self) -> None:
        """End the connection."""
        self.session.close()


class _User:
    """A user while lessons are added and taken back."""

    def __init__(self, id_: int, name: str, weights: PersonalWeights, number: int) -> None:
        self.id, self.name, self.weights, self.number = id_, name, weights, number
        self.pending: list[PersonalLesson] = []
        self.is_stale = False


def _new_version() -> int:
    """Return a number that no version before had."""
    return int.from_bytes(os.urandom(7), "little")


def users_beside(filter_file: str | os.PathLike[str]) -> str:
    """Return where the users of a filter are kept unless a store is named."""
    return os.fspath(filter_file) + SUFFIX
