"""The rules by which a mail account is watched: what is classified, what moves, and what is learnt.

A message that comes to an Inbox is classified, once; spam moves to Junk, or is flagged. A message that is found on the
other side than it was is one that the user has moved there: its label is learnt, once. Nothing is ever deleted. Each
step is noted when it is done, and a move before it begins, so that whatever breaks off goes on where it was.

Nothing here knows of sockets: `imap_account` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from ..errors import DataError, escape
from ..serve.live import Filter
from .state import Place, Seen, Side, WatchState

Action = Literal["move", "flag", "none"]
ACTIONS: tuple[Action, ...] = ("move", "flag", "none")
Moved = Literal["moved", "flagged", "refused"]
"""What became of a message that was to be moved: "flagged" where the server has no command that moves it."""


class Message(NamedTuple):
    """A message by the UID that it has in its folder, its first bytes, and whether it is `deleted`, but still there."""

    uid: int
    data: bytes
    deleted: bool = False


class FolderStatus(NamedTuple):
    """The UIDVALIDITY of a folder, and the UID that its next message will have."""

    validity: int
    next_uid: int


class Account(Protocol):
    """What the rules ask of a mail account: see `imap_account.ImapAccount`."""

    @property
    def inboxes(self) -> tuple[str, ...]:
        """The folders where mail arrives."""

    @property
    def junk(self) -> str:
        """The folder of spam."""

    def status(self, folder: str) -> FolderStatus:
        """Return what the server says of a folder now."""

    def messages_after(self, folder: str, uid: int, newest: int | None = None) -> Iterator[Message]:
        """Yield the messages of a folder beyond a UID, in ascending order; or, of these, so many of the newest."""

    def move_to_junk(self, folder: str, uid: int) -> Moved:
        """Move a message to Junk; flag it where it cannot be moved without a risk for others."""

    def flag(self, folder: str, uid: int, is_spam: bool) -> bool:
        """Set $Junk or $NotJunk; return whether the server keeps such flags."""

    def wait(self, seconds: float, next_uid: int) -> None:
        """Wait until something happens in the first Inbox, which has no message from that UID on yet, or so long."""

    def close(self) -> None:
        """Close the connection."""


@dataclass(frozen=True)
class WatchPolicy:
    """What happens to spam, whether moves of the user are learnt, and whether it is only said what would happen."""

    action: Action = "move"
    learns: bool = True
    dry_run: bool = False


@dataclass
class WatchCounts:
    """How many messages were classified, how many of them as spam, and how many were learnt."""

    classified: int = 0
    spam: int = 0
    learnt: int = 0

    def __str__(self) -> str:
        learnt = f"; learnt {self.learnt:,}" if self.learnt else ""
        return f"Classified {self.classified:,}, {self.spam:,} of them as spam{learnt}."


class _Look(NamedTuple):
    """A folder as it is looked through: for the first time, or because its messages have new numbers."""

    folder: str
    side: Side
    is_first: bool
    is_renumbered: bool

    @property
    def is_whole(self) -> bool:
        """Whether it begins anew where it breaks off: a first look at Junk, and one at new numbers."""
        return self.is_renumbered or (self.is_first and self.side == "junk")


class Watcher:
    """A filter that watches an account.

    Parameters
    ----------
    known : Filter
        The filter.
    digest : callable
        Returns the digest by which the filter knows a message.
    state : WatchState
        What was done so far.
    policy : WatchPolicy
        What is to be done.
    say : callable
        Told what was done, without any words of messages.
    """

    def __init__(
        self,
        known: Filter,
        digest: Callable[[bytes], bytes],
        state: WatchState,
        policy: WatchPolicy,
        say: Callable[[str], object],
    ) -> None:
        self.known, self.digest, self.state, self.policy, self.say = known, digest, state, policy, say
        self.counts = WatchCounts()

    def look_through(self, account: Account) -> WatchCounts:
        """Do with all messages that came, or were moved, since the last time what is to be done."""
        self.counts = WatchCounts()
        self._look(account, account.junk, "junk")
        for folder in account.inboxes:
            self._look(account, folder, "inbox")
        with self.state.at_once():
            self.state.note_none_pending()  # what had not moved yet was met again
        return self.counts

    def next_uid(self, account: Account) -> int:
        """Return from which UID on messages of the first Inbox are news."""
        seen = self.state.seen(account.inboxes[0])
        return 1 if seen is None else seen.last + 1

    def _look(self, account: Account, folder: str, side: Side) -> None:
        status, seen = account.status(folder), self.state.seen(folder)
        met = _Look(folder, side, seen is None, seen is not None and seen.validity != status.validity)
        if seen is None or met.is_renumbered:
            seen = Seen(status.validity, 0)
        elif status.next_uid and seen.last + 1 >= status.next_uid:
            return
        for message in account.messages_after(folder, seen.last):
            place = None if message.deleted else self._meet(account, met, message)
            seen = seen._replace(last=message.uid)
            with self.state.at_once():
                if not met.is_whole:
                    self.state.note_seen(folder, seen)
                if place is not None:
                    self.state.note_place(*place)
        with self.state.at_once():
            self.state.note_seen(folder, seen._replace(last=max(seen.last, status.next_uid - 1)))

    def _meet(self, account: Account, look: _Look, message: Message) -> tuple[bytes, Place] | None:
        """Do what is to be done with a message, and return where it is by then, if that is news."""
        digest = self.digest(message.data)
        place = self.state.place(digest)
        if place is None and look.side == "inbox":
            return digest, self._arrive(account, look.folder, message, digest)
        if place is not None and place.side == look.side:
            return None
        name = _name(look.folder, message.uid)
        if place is not None and place.pending and (place.pending == message.uid or look.is_renumbered):
            return digest, self._dispose(account, look.folder, message.uid, digest, f"{name}: spam, as found before")
        if place is not None or not look.is_first:  # what was in Junk before was not put there while we watched
            self._learn(look.side, message, name)
        return digest, Place(look.side)

    # --- what arrives -------------------------------------------------------------------------------------

    def _arrive(self, account: Account, folder: str, message: Message, digest: bytes) -> Place:
        """Classify a message, and return where it is then."""
        rating = self.known.rate(message.data)
        self.counts.classified += 1
        self.counts.spam += rating.is_spam
        if rating.is_spam:
            name = f"{_name(folder, message.uid)}: spam, {rating.score:.1f} points"
            return self._dispose(account, folder, message.uid, digest, name)
        if self.policy.action == "flag" and "DECIBAN_HAM" in rating.tests and not self.policy.dry_run:
            account.flag(folder, message.uid, False)
        return Place("inbox")

    def _dispose(self, account: Account, folder: str, uid: int, digest: bytes, name: str) -> Place:
        """Do with spam what the policy says, and return where it is then."""
        action = self.policy.action
        if action == "none":
            self.say(f"{name}.")
        elif self.policy.dry_run:
            self.say(f"{name}; would be {f'moved to {escape(account.junk)}' if action == 'move' else 'flagged'}.")
        elif action == "flag":
            self._say_flagged(name, account.flag(folder, uid, True))
        else:
            return self._move(account, folder, uid, digest, name)
        return Place("inbox")

    def _move(self, account: Account, folder: str, uid: int, digest: bytes, name: str) -> Place:
        with self.state.at_once():
            self.state.note_place(digest, Place("junk", pending=uid))
        became = account.move_to_junk(folder, uid)
        if became == "moved":
            self.say(f"{name}; moved to {escape(account.junk)}.")
            return Place("junk")
        if became == "flagged":
            self._say_flagged(name, True)
        else:
            self.say(f"{name}; the server did not move it.")
        return Place("inbox")

    def _say_flagged(self, name: str, is_kept: bool) -> None:
        self.say(f"{name}; {'flagged' if is_kept else 'the server keeps no such flags'}.")

    # --- what the user moves ------------------------------------------------------------------------------

    def _learn(self, side: Side, message: Message, name: str) -> None:
        """Learn the label that the user gave a message by moving it."""
        label = self.known.spam if side == "junk" else self.known.ham
        if not self.policy.learns:
            return
        if self.policy.dry_run:
            self.say(f"{name}: would be learnt as {escape(label)}.")
            return
        try:
            became = self.known.learn(message.data, label, name)
        except DataError as error:  # such as a canary that it would change
            self.say(f"{name}: was not learnt as {escape(label)}: {error}")
            return
        self.counts.learnt += 1
        self.say(f"{name}: {became} as {escape(label)}.")


def _name(folder: str, uid: int) -> str:
    """Return how a message is called where nothing of it may be told."""
    return f"{escape(folder)};UID={uid}"
