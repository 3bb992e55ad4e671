"""Keeping what filters of users classify: their ratings, and not what they teach, which is for nobody else."""

from __future__ import annotations

from dataclasses import dataclass

from .keeping import Keeper, KeepingFilter, Notes
from .live import LiveFilter
from .rating import Rating
from .user_filters import NamedFilters, UserFilters


@dataclass(frozen=True)
class RatingKeeper:
    """What keeps messages with their ratings, and notes no labels."""

    keeper: Notes

    def note(self, message: bytes, rating: Rating, protocol: str) -> None:
        """Keep a message that was classified."""
        self.keeper.note(message, rating, protocol)

    def label(self, message: bytes, label: str | None) -> None:
        """Do nothing: the label is of one user."""


@dataclass(frozen=True)
class KeepingUsers:
    """The filters of users, whose ratings are kept as those of one protocol."""

    users: UserFilters
    keeper: Keeper
    protocol: str

    @property
    def is_remote(self) -> bool:
        """Whether an answer may take long."""
        return self.users.is_remote

    def of(self, name: str | None, *, teaches: bool = False) -> KeepingFilter:
        """Return the filter of a user, as `UserFilters.of`."""
        known = self.users.of(name, teaches=teaches)
        keeper = self.keeper if known is self.users.shared else RatingKeeper(self.keeper)
        return KeepingFilter(known, keeper, self.protocol)


def keep_of_all(
    known: LiveFilter, users: UserFilters | None, keeper: Keeper | None, protocol: str
) -> tuple[LiveFilter | KeepingFilter, NamedFilters | None]:
    """Return the shared filter and those of users as a protocol asks them: with what keeps messages, if they are."""
    if keeper is None:
        return known, users
    return KeepingFilter(known, keeper, protocol), None if users is None else KeepingUsers(users, keeper, protocol)
