"""Filters of users over the one that all share: a new user's is the shared one, and departs from it by own lessons.

What users have taught is in a store, of which the users asked for last are in memory, `MOST_BYTES` of them. Each
request asks the store whether that is still so, so that several workers, and several servers, may have one store.
"""

from __future__ import annotations

import math
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock, local
from typing import Protocol, TypeVar

from ..errors import DataError, StorageError, UsageError, escape
from ..mail.outcomes import Outcome, label_among
from ..mail.personal import PersonalWeights
from ..mail.sql_stores import Store
from ..mail.stored_words import Words, names_of, words_of
from ..mail.user_names import NOBODY, check_user, levels_of
from ..mail.users import StoredUser, Taught, Users
from ..text.experts import ServedExperts
from ..text.moved_experts import Move, explain_moved, move_judged, verdict_moved
from ..text.served import Judged
from ..text.word_sets import WordSet
from ..verdict import Explanation, Verdict
from .live import NAMED, Filter, Item, LiveFilter
from .rating import Rating

MOST_BYTES = 64 << 20
"""Bytes of users in the memory of one worker."""
_USER, _WORD = 1000, 10
"""Bytes of a user, and of each of its words, in memory."""
_FARTHEST = 700.0  # nats of log-odds that a lesson keeps
Result = TypeVar("Result")


class NamedFilters(Protocol):
    """The filters of users, by name: see `UserFilters`."""

    @property
    def is_remote(self) -> bool:
        """Whether an answer may take long."""

    def of(self, name: str | None, *, teaches: bool = False) -> Filter:
        """Return the filter of a user."""


class UserFilters:
    """The filters of all users.

    Parameters
    ----------
    shared : LiveFilter
        The filter that all share.
    store : Store
        Where users are kept.
    most_bytes : int, default=MOST_BYTES
        Bytes of users in memory.
    """

    def __init__(self, shared: LiveFilter, store: Store, most_bytes: int = MOST_BYTES) -> None:
        self.shared, self.store, self.most_bytes = shared, store, most_bytes
        self._known: OrderedDict[str, StoredUser | None] = OrderedDict()
        self._bytes, self._lock, self._own = 0, Lock(), local()
        self._checked: ServedExperts | None = None

    @property
    def is_remote(self) -> bool:
        """Whether an answer may take long."""
        return self.store.is_remote

    def check(self) -> None:
        """Raise DataError where the filter or the store is none for users; no connection is left open."""
        self.experts()
        self.close()

    def of(self, name: str | None, *, teaches: bool = False) -> LiveFilter:
        """Return the filter of a user; the shared one without a name, and for one that is no name.

        Raises
        ------
        UsageError
            If it is no name and its owner `teaches`: what one user teaches is not for all.
        """
        if name is None or not name.strip() or name.strip().lower() == NOBODY:
            return self.shared
        try:
            user = check_user(name)
        except UsageError:
            if teaches:
                raise
            return self.shared
        return PersonalFilter(self, user)

    def experts(self) -> ServedExperts:
        """Return the shared filter as it is now; DataError where it is not that by which the users were taught."""
        served = self.shared.snapshot.served
        if not isinstance(served, ServedExperts) or len(served.classes) != 2:
            raise DataError(
                f"{escape(self.shared.path)}: expected the default model of mail, online, for users of their own; "
                f"this one is {self.shared.model!r}."
            )
        if self._checked is not served:
            self.ask(lambda users: users.require_filter(served.settings.to_json(), served.classes))
            self._checked = served
        return served

    def weights(self, name: str) -> PersonalWeights | None:
        """Return what a user has learnt; None for one that has learnt nothing."""
        version = self.ask(lambda users: users.version(name))
        with self._lock:
            if name in self._known:
                known = self._known[name]
                if (None if known is None else known.version) == version:
                    self._known.move_to_end(name)
                    return None if known is None else known.weights
        loaded = None if version is None else self.ask(lambda users: users.load(name))
        self._remember(name, loaded)
        return None if loaded is None else loaded.weights

    def _remember(self, name: str, user: StoredUser | None) -> None:
        with self._lock:
            if name in self._known:
                self._bytes -= _size(self._known.pop(name))
            self._known[name] = user
            self._bytes += _size(user)
            while self._bytes > self.most_bytes and len(self._known) > 1:
                self._bytes -= _size(self._known.popitem(last=False)[1])

    def ask(self, act: Callable[[Users], Result]) -> Result:
        """Return what is asked of the store, by a connection of this thread; once more where that was lost."""
        try:
            return act(self._users())
        except StorageError:
            self.close()
            return act(self._users())

    def tell(self, act: Callable[[Users], Result]) -> Result:
        """Return what is written to the store; nothing is written twice."""
        try:
            return act(self._users())
        except StorageError:
            self.close()
            raise

    def _users(self) -> Users:
        """Return the connection of this thread, which no other process has."""
        if getattr(self._own, "pid", None) != os.getpid():
            self._own.users, self._own.pid = Users.connect(self.store), os.getpid()
        users: Users = self._own.users
        return users

    def close(self) -> None:
        """Close the connection of this thread."""
        if getattr(self._own, "pid", None) == os.getpid():
            self._own.users.close()
        self._own.pid = None


def _size(user: StoredUser | None) -> int:
    return _USER + (0 if user is None else _WORD * len(user.weights.words))


class PersonalFilter(LiveFilter):
    """The filter of one user: the shared one as it is at the moment, and what the levels of the user have learnt."""

    def __init__(self, filters: UserFilters, user: str) -> None:
        vars(self).update(vars(filters.shared))
        self.filters, self.user, self.levels = filters, user, levels_of(user)

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return a verdict on each message."""
        served, known = self._known(self.levels)
        if not known:
            return super().judge(items)
        _, judged, words = _read(served, items)
        return [verdict_moved(served, *each) for each in zip(judged, _shifts(known, words), strict=True)]

    def explain_item(self, item: Item) -> Explanation:
        """Return the evidence for the verdict on a message."""
        return self._explain(item, None)

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return the rating of a message, and the evidence for it: the strongest words, and the others in one term."""
        why = self._explain(message, NAMED)
        return self.rating_of(message, why.as_verdict()), why

    def _explain(self, item: Item, most: int | None) -> Explanation:
        served, known = self._known(self.levels)
        if not known:
            return served.explain(item, most=most)
        [words] = served.word_sets([item])
        [judged], own, names = served.judged_sets([words]), words_of(words), names_of(words)
        moves = [
            Move(level, [(names[own[at]], nats) for at, nats in weights.terms(own)]) for level, weights in known.items()
        ]
        return explain_moved(served, item, judged, moves, most)

    def teach(self, items: Sequence[Item], label: str, source: str) -> list[Outcome]:
        """Learn messages under a label, durably, for this user alone."""
        served, known = self._known(self.levels[:-1])
        place = label_among(self.classes, label)
        sets, judged, words = _read(served, items)
        lessons = [
            (Taught(each.digest, own, source), _odds(move_judged(served, told, nats)))
            for each, own, told, nats in zip(sets, words, judged, _shifts(known, words), strict=True)
        ]
        with self._lock:
            return self.filters.tell(lambda users: users.learn(self.user, lessons, place))

    def unteach(self, items: Sequence[Item], source: str) -> list[Outcome]:
        """Take back the label that this user gave each message; the one before it holds again."""
        served, _ = self._known(())
        digests = [each.digest for each in served.word_sets(items)]
        with self._lock:
            return self.filters.tell(lambda users: users.forget(self.user, digests))

    def _known(self, levels: Sequence[str]) -> tuple[ServedExperts, dict[str, PersonalWeights]]:
        """Return the shared filter, and what those of these levels have learnt that have learnt anything."""
        served = self.filters.experts()
        self.snapshot = self.filters.shared.snapshot
        found = {level: self.filters.weights(level) for level in levels}
        return served, {level: weights for level, weights in found.items() if weights is not None}


def _read(served: ServedExperts, items: Sequence[Item]) -> tuple[Sequence[WordSet], Sequence[Judged], Sequence[Words]]:
    """Return items as sets of words, as the shared filter judges them, and their words as users keep them."""
    sets = served.word_sets(items)
    return sets, served.judged_sets(sets), [words_of(each) for each in sets]


def _shifts(known: dict[str, PersonalWeights], words: Sequence[Words]) -> list[float]:
    """Return what all levels add to the log-odds of class 1 of each item, in nats."""
    return [math.fsum(nats for weights in known.values() for _, nats in weights.terms(own)) for own in words]


def _odds(judged: Judged) -> float:
    """Return the log-odds of class 1, within what is kept."""
    scores = judged[0]
    return min(max(scores[1] - scores[0], -_FARTHEST), _FARTHEST)
