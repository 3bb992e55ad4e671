"""The first filter of a mail account: learnt from the messages that lie in its folders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .._core import WordSets
from ..errors import DataError, escape
from ..mail.filter import Filter
from ..mail.journal import begin_anew
from ..mail.online_training import read_sets, train_online
from ..text.settings import ALL_WORDS_OF_MAIL, TextSettings
from .state import Place, Seen, Side, WatchState
from .watcher import Account

HAM, SPAM = "ham", "spam"
MOST = 20_000
"""Messages of each side that are learnt: the newest."""
_TOGETHER = 64  # messages that are cut into words at once


@dataclass
class _Reading:
    """Messages as they are read into sets of words; see `mail.online_training.Reading`."""

    settings: TextSettings = ALL_WORDS_OF_MAIL
    classes: tuple[str, str] = (HAM, SPAM)
    sets: WordSets = field(init=False)
    _items: list[bytes] = field(default_factory=list)
    _labels: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sets = WordSets(self.settings.reader(), len(self.classes), self.settings.max_words, None)

    def add(self, message: bytes, label: int) -> None:
        """Read one message."""
        self._items.append(message)
        self._labels.append(label)
        if len(self._items) >= _TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Read those that wait."""
        if self._items:
            self.sets.add(self._items, self._labels)
            self._items, self._labels = [], []


def train_from_account(
    account: Account, path: str, state: WatchState, progress: Callable[[int], object] = lambda size: None
) -> tuple[int, int]:
    """Write the filter that the folders of an account teach, and note that their messages are known.

    Parameters
    ----------
    account : Account
        The account: what is in Junk is spam, what is in an Inbox is ham.
    path : str
        Name of the file to write.
    state : WatchState
        Where it is noted, once the filter is written.
    progress : callable
        Told the size of each message that was read.

    Returns
    -------
    ham : int
        How many messages of the Inbox were learnt.
    spam : int
        How many of Junk.
    """
    reading = _Reading()
    digest = reading.settings.reader().digest
    seen: dict[str, Seen] = {}
    places: dict[bytes, Side] = {}
    counts = {"inbox": 0, "junk": 0}
    sides: list[tuple[str, Side]] = [(account.junk, "junk"), *((name, "inbox") for name in account.inboxes)]
    for folder, side in sides:
        last = 0
        status = account.status(folder)
        for message in account.messages_after(folder, 0, newest=MOST - counts[side]):
            last = message.uid
            if not message.deleted and places.setdefault(digest(message.data), side) == side:
                reading.add(message.data, reading.classes.index(SPAM if side == "junk" else HAM))
                counts[side] += 1
                progress(len(message.data))
        seen[folder] = Seen(status.validity, max(last, status.next_uid - 1))
    _require_both(account, counts)
    reading.flush()
    trained: Filter = train_online(read_sets(reading))
    with begin_anew(path, trained.model.compile):
        trained.save(path)
    with state.at_once():
        for name, each in seen.items():
            state.note_seen(name, each)
        for key, side in places.items():
            state.note_place(key, Place(side))
    return counts["inbox"], counts["junk"]


def _require_both(account: Account, counts: dict[str, int]) -> None:
    """Raise DataError unless there are messages of both sides."""
    for side, name in (("inbox", ", ".join(account.inboxes)), ("junk", account.junk)):
        if not counts[side]:
            raise DataError(
                f"{escape(name)}: expected messages to learn a filter from; there are none. Move some there, or train "
                "the filter before: deciban train spam=… ham=…."
            )
