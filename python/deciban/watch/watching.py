"""Watching an account for as long as it is wanted, however often the connection breaks."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from ..errors import DecibanError, escape
from ..serve.live import refresh_command
from .watcher import Account, WatchCounts, Watcher

LONGEST_PAUSE = 300.0
"""Seconds between two attempts to reach a server."""


class ConnectionLost(DecibanError):  # noqa: N818
    """The server cannot be reached at the moment, or has broken off (EX_UNAVAILABLE)."""

    exit_code = 69


class Followed(Protocol):
    """A filter in a file that others teach, too: see `live.LiveFilter`."""

    path: str
    is_due: bool

    def follow(self) -> bool:
        """Read the filter again if its files are others by now."""


def pauses() -> Iterator[float]:
    """Yield how long to wait before each attempt: twice as long each time.

    >>> from itertools import islice
    >>> [*islice(pauses(), 10)]
    [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 300.0]
    """
    pause = 1.0
    while True:
        yield pause
        pause = min(2.0 * pause, LONGEST_PAUSE)


def watch(
    connect: Callable[[], Account],
    begin: Callable[[Account], Watcher],
    known: Callable[[], Followed],
    *,
    seconds: float | None,
    say: Callable[[str], object],
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Watch an account for ever, or look through it once.

    Parameters
    ----------
    connect : callable
        Returns the account, logged in; raises ConnectionLost where it cannot be reached at the moment.
    begin : callable
        Returns the rules, at the first connection.
    known : callable
        Returns the filter, once the rules are there.
    seconds : float or None
        How long it is waited for news; None to look through it once, and to raise ConnectionLost.
    say : callable
        Told what happens.
    sleep : callable
        Waits for some seconds.
    """
    watcher: Watcher | None = None
    waiting, is_lost = pauses(), False
    while True:
        account: Account | None = None
        try:
            account = connect()
            watcher = watcher or begin(account)
            while True:
                _follow(known(), say)
                _tell(watcher.look_through(account), say, always=seconds is None)
                _refresh(known(), say)
                if seconds is None:
                    return
                if is_lost:
                    say("The server answers again.")
                waiting, is_lost = pauses(), False
                account.wait(seconds, watcher.next_uid(account))
        except ConnectionLost as error:
            if seconds is None:
                raise
            if not is_lost:
                say(f"{error} It is tried again, at least every {LONGEST_PAUSE / 60.0:.0f} minutes.")
            is_lost = True
        finally:
            if account is not None:
                account.close()
        sleep(next(waiting))


def _tell(counts: WatchCounts, say: Callable[[str], object], always: bool) -> None:
    if always or counts.classified:
        say(str(counts))


def _follow(known: Followed, say: Callable[[str], object]) -> None:
    """Take in what others taught the filter."""
    try:
        known.follow()
    except DecibanError as error:
        say(f"The filter could not be read again, and the one that was read stays: {error}")


def _refresh(known: Followed, say: Callable[[str], object]) -> None:
    """Solve the filter when lessons wait that only that takes in whole, in a process of its own."""
    if not known.is_due:
        return
    known.is_due = False
    done = subprocess.run(refresh_command(known.path), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        say(f"Refreshing the filter failed: {escape(done.stderr.decode(errors='replace').strip())}")
