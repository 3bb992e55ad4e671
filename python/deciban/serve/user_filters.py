"""Filters of users over the one that all share: a new user's is the shared one, and departs from it by own lessons.

What users have taught is in a store, of which the users asked for last are in memory, `MOST_BYTES` of them. Each
request asks the store whether that is still so, so that several workers, and several servers, may have one store. Where
the store cannot be read, mail servers are answered by the shared filter, so that spam is marked all the same.
"""

from __future__ import annotations

import logging
import math
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock, local
from time import monotonic
from typing import Protocol, TypeVar

from ..errors import DataError, DecibanError, StorageError, UsageError, escape
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

log = logging.getLogger("deciban.serve")

MOST_BYTES = 64 << 20
"""Bytes of users in the memory of one worker."""
_USER, _WORD = 1000, 10
"""Bytes of a user, and of each of its words, in memory."""
_PAUSE = 5.0
"""Seconds in which a store that could not be read is not asked again for what the shared filter may answer."""
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
        self._down_until = 0.0

    @property
    def is_remote(self) -> bool:
        """Whether an answer may take long."""
        return self.store.is_remote

    def check(self) -> None:
        """Raise DataError where the filter or the store is none for users; no connection is left open."""
        self.require_experts(self.shared.snapshot.served)
        self.close()

    def of(self, name: str | None, *, teaches: bool = False) -> LiveFilter:
        """Return the filter of a user; the shared one without a name, and for one that is no name.

        Parameters
        ----------
        name : str or None
            The name, as a client sent it.
        teaches : bool, default=False
            Whether an error is raised where the shared filter would answer for what is no name, or for a store that
            cannot be read: what one user teaches is not for all.

        Returns
        -------
        LiveFilter
            The filter.

        Raises
        ------
        UsageError
            If it is no name and its owner `teaches`.
        """
        if name is None or not name.strip() or name.strip().lower() == NOBODY:
            return self.shared
        try:
            user = check_user(name)
        except UsageError:
            if teaches:
                raise
            return self.shared
        return PersonalFilter(self, user, is_strict=teaches)

    def require_experts(self, served: object) -> ServedExperts:
        """Return the shared filter; DataError where it is not that by which the users were taught."""
        if not isinstance(served, ServedExperts) or len(served.classes) != 2:
            raise DataError(
                f"{escape(self.shared.path)}: expected the default model of mail, online, for users of their own; "
                f"this one is {self.shared.model!r}."
            )
        if self._checked is not served:
            self.ask(lambda users: users.require_filter(served.settings.to_json(), served.classes))
            self._checked = served
        return served

    def learnt(self, served: object, levels: Sequence[str], *, is_strict: bool) -> dict[str, PersonalWeights]:
        """Return what those of these levels have learnt that have learnt anything over a shared filter; unless it
        `is_strict`, nothing where the store cannot be read."""
        if not is_strict and monotonic() < self._down_until:
            return {}
        try:
            self.require_experts(served)
            found = {level: self.weights(level) for level in levels}
        except DecibanError as error:
            if is_strict:
                raise
            self._down_until = monotonic() + _PAUSE
            log.error("the filters of users cannot be read, and the shared one answers for %g s: %s", _PAUSE, error)
            return {}
        return {level: weights for level, weights in found.items() if weights is not None}

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

    def __init__(self, filters: UserFilters, user: str, *, is_strict: bool) -> None:
        vars(self).update(vars(filters.shared))
        self.filters, self.user, self.levels, self.is_strict = filters, user, levels_of(user), is_strict

    def judge(self, items: Sequence[Item]) -> list[Verdict]:
        """Return a verdict on each message."""
        known = self._learnt(self.levels)
        if not known:
            return super().judge(items)
        served = self._experts
        _, judged, words = _read(served, items)
        return [verdict_moved(served, *each) for each in zip(judged, _shifts(known, words), strict=True)]

    def explain_item(self, item: Item) -> Explanation:
        """Return the evidence for the verdict on a message."""
        known = self._learnt(self.levels)
        return self._explain(item, known, None) if known else super().explain_item(item)

    def explain(self, message: bytes) -> tuple[Rating, Explanation]:
        """Return the rating of a message, and the evidence for it: the strongest words, and the others in one term."""
        known = self._learnt(self.levels)
        if not known:
            return super().explain(message)
        why = self._explain(message, known, NAMED)
        return self.rating_of(message, why.as_verdict()), why

    def _explain(self, item: Item, known: dict[str, PersonalWeights], most: int | None) -> Explanation:
        served = self._experts
        [words] = served.word_sets([item])
        [judged], own, names = served.judged_sets([words]), words_of(words), names_of(words)
        moves = [
            Move(level, [(names[own[at]], nats) for at, nats in weights.terms(own)]) for level, weights in known.items()
        ]
        return explain_moved(served, item, judged, moves, most)

    def teach(self, items: Sequence[Item], label: str, source: str) -> list[Outcome]:
        """Learn messages under a label, durably, for this user alone."""
        known, served = self._learnt(self.levels[:-1], is_strict=True), self._experts
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
        self._learnt((), is_strict=True)
        served = self._experts
        digests = [each.digest for each in served.word_sets(items)]
        with self._lock:
            return self.filters.tell(lambda users: users.forget(self.user, digests))

    def _learnt(self, levels: Sequence[str], *, is_strict: bool = False) -> dict[str, PersonalWeights]:
        """Return what these levels have learnt, over the shared filter as it is from now on."""
        self.snapshot = self.filters.shared.snapshot
        return self.filters.learnt(self.snapshot.served, levels, is_strict=is_strict or self.is_strict)

    @property
    def _experts(self) -> ServedExperts:
        """The shared filter, over which something was learnt."""
        served = self.snapshot.served
        assert isinstance(served, ServedExperts)
        return served


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
