"""A mail account over IMAP: its folders, their messages, and the few commands that change something there.

Messages are read by BODY.PEEK, which leaves them unread, and only their first bytes. What moves one is MOVE, or COPY
and then the removal of that one message by UID EXPUNGE; where the server has neither, it is flagged and stays.
"""

from __future__ import annotations

import contextlib
import imaplib
import time
from collections.abc import Iterator, Sequence
from typing import Any

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, ProtocolError

from ..errors import UsageError, escape
from .address import ImapAddress
from .credentials import Secret
from .idle import wait_for_news
from .login import connect, errors_of
from .watcher import FolderStatus, Message, Moved

READ = 2 << 20
"""Bytes of a message that are read, from its beginning."""
_AT_ONCE = 8 << 20  # bytes that one command asks for
_MOST_AT_ONCE = 200  # and messages
_LISTED = 1000  # messages of which one command asks for flags and sizes
_BODY = f"BODY.PEEK[]<0.{READ}>"
_JUNK, _NOT_JUNK = b"$Junk", b"$NotJunk"
_JUNK_NAMES = ("junk", "spam", "junk e-mail", "junk email", "bulk mail")
# A folder of 200,000 messages names all of them on one line.
imaplib._MAXLINE = max(imaplib._MAXLINE, 32 << 20)  # type: ignore[attr-defined]


class ImapAccount:
    """An account that is logged in to.

    Parameters
    ----------
    address : ImapAddress
        Where it is.
    client : IMAPClient
        The connection.
    inboxes : sequence of str
        The folders where mail arrives.
    junk : str, optional
        The folder of spam. By default that which the server calls so, else one named Junk or Spam.
    """

    def __init__(self, address: ImapAddress, client: IMAPClient, inboxes: Sequence[str], junk: str | None) -> None:
        self.address, self._client = address, client
        self._selected: tuple[str, bool] | None = None
        self._keeps_flags, self._messages = False, 0  # of the folder that is selected
        with self._errors("LIST"):
            has = [name for name in (b"MOVE", b"UIDPLUS", b"IDLE") if client.has_capability(name)]
            self._can_move, self._can_expunge, self._can_idle = (name in has for name in (b"MOVE", b"UIDPLUS", b"IDLE"))
            folders = client.list_folders()
        self.inboxes = tuple(dict.fromkeys(_find(folders, name) for name in inboxes))
        self.junk = _find_junk(folders) if junk is None else _find(folders, junk)
        if self.junk in self.inboxes:
            raise UsageError(f"'{escape(self.junk)}': expected another folder for junk than for what arrives.")

    @classmethod
    def open(cls, address: ImapAddress, secret: Secret, inboxes: Sequence[str], junk: str | None) -> ImapAccount:
        """Log in to an account; raises what `connect` raises, and UsageError for folders that are not there."""
        client = connect(address, secret)
        try:
            return cls(address, client, inboxes, junk)
        except BaseException:
            with contextlib.suppress(Exception):
                client.shutdown()
            raise

    # --- what there is ------------------------------------------------------------------------------------

    def status(self, folder: str) -> FolderStatus:
        """Return what the server says of a folder now."""
        if self._selected is not None and self._selected[0] == folder:
            return self._select(folder, readonly=True)  # of the one that is selected, STATUS may not be up to date
        with self._errors(f"STATUS of {escape(folder)}"):
            told = self._client.folder_status(folder, ["UIDNEXT", "UIDVALIDITY"])
        return FolderStatus(int(told.get(b"UIDVALIDITY", 0)), int(told.get(b"UIDNEXT", 0)))

    def messages_after(self, folder: str, uid: int, newest: int | None = None) -> Iterator[Message]:
        """Yield the messages of a folder beyond a UID, in ascending order; or, of these, so many of the newest."""
        self._enter(folder)
        with self._errors("SEARCH"):
            found = self._client.search(["UID", f"{uid + 1}:*"])
        uids = sorted(each for each in found if each > uid)  # `*` names the last one, whichever that is
        uids = uids if newest is None else uids[max(len(uids) - newest, 0) :]
        for first in range(0, len(uids), _LISTED):
            yield from self._fetch(folder, uids[first : first + _LISTED])

    def _fetch(self, folder: str, uids: Sequence[int]) -> Iterator[Message]:
        self._enter(folder)
        with self._errors("FETCH"):
            told = self._client.fetch(uids, ["FLAGS", "RFC822.SIZE"])
        left: list[int] = []
        size = 0
        for uid in uids:
            if uid not in told:  # gone meanwhile
                continue
            left.append(uid)
            size += min(told[uid].get(b"RFC822.SIZE", READ), READ)
            if size > _AT_ONCE or len(left) >= _MOST_AT_ONCE:
                yield from self._read(folder, left, told)
                left, size = [], 0
        yield from self._read(folder, left, told)

    def _read(self, folder: str, uids: Sequence[int], told: dict[int, Any]) -> Iterator[Message]:
        self._enter(folder)
        with self._errors("FETCH"):
            found = self._client.fetch(uids, [_BODY])
        for uid in uids:
            data = found.get(uid, {}).get(b"BODY[]<0>")
            if data is not None:
                yield Message(uid, bytes(data), b"\\Deleted" in told[uid].get(b"FLAGS", ()))

    def _enter(self, folder: str) -> None:
        """Select a folder to read, unless it is selected."""
        if self._selected is None or self._selected[0] != folder:
            self._select(folder, readonly=True)

    def _select(self, folder: str, *, readonly: bool) -> FolderStatus:
        """Select a folder, so that it may be changed or not, and return what the server says of it."""
        with self._errors(f"SELECT of {escape(folder)}"):
            told = self._client.select_folder(folder, readonly=readonly)
        self._selected = (folder, readonly)
        permanent = told.get(b"PERMANENTFLAGS", ())
        self._messages = int(told.get(b"EXISTS", 0))
        self._keeps_flags = b"\\*" in permanent or _JUNK in permanent
        return FolderStatus(int(told.get(b"UIDVALIDITY", 0)), int(told.get(b"UIDNEXT", 0)))

    # --- what changes something ---------------------------------------------------------------------------

    def move_to_junk(self, folder: str, uid: int) -> Moved:
        """Move a message to Junk; flag it where it cannot be moved without a risk for others."""
        self._open(folder)
        if not (self._can_move or self._can_expunge):
            return "flagged" if self.flag(folder, uid, True) else "refused"
        with self._errors("MOVE"):
            try:
                if self._can_move:
                    self._client.move([uid], self.junk)
                    return "moved"
                self._client.copy([uid], self.junk)
                self._client.add_flags([uid], [b"\\Deleted"], silent=True)
                self._client.uid_expunge([uid])
            except IMAPClientError as error:  # such as a quota that is used up
                if isinstance(error, (IMAPClientAbortError, ProtocolError)):
                    raise
                return "refused"
        return "moved"

    def flag(self, folder: str, uid: int, is_spam: bool) -> bool:
        """Set $Junk or $NotJunk; return whether the server keeps such flags."""
        self._open(folder)
        if not self._keeps_flags:
            return False
        right, wrong = (_JUNK, _NOT_JUNK) if is_spam else (_NOT_JUNK, _JUNK)
        with self._errors("STORE"):
            self._client.add_flags([uid], [right], silent=True)
            self._client.remove_flags([uid], [wrong], silent=True)
        return True

    def _open(self, folder: str) -> None:
        if self._selected != (folder, False):
            self._select(folder, readonly=False)

    # --- waiting, and the end -----------------------------------------------------------------------------

    def wait(self, seconds: float, next_uid: int) -> None:
        """Wait, so long at most, until something happens in the first Inbox, without messages from that UID on yet."""
        status = self._select(self.inboxes[0], readonly=True)
        if status.next_uid > next_uid:
            return
        if not self._can_idle:
            time.sleep(seconds)
            return
        with self._errors("IDLE"):
            wait_for_news(self._client, self._messages, seconds)

    def close(self) -> None:
        """Close the connection at once."""
        with contextlib.suppress(Exception):
            self._client.shutdown()

    @contextlib.contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        with errors_of(self.address, what):
            yield


def _find(folders: Sequence[tuple[Any, Any, str]], name: str) -> str:
    """Return the folder of a name as the server writes it; UsageError where there is none."""
    names = [each for _, _, each in folders]
    if name.upper() == "INBOX":
        return "INBOX"
    if name not in names:
        from difflib import get_close_matches

        near = get_close_matches(name, names, n=1)
        hint = f" Did you mean {escape(near[0])}?" if near else ""
        raise UsageError(f"'{escape(name)}': expected a folder of the account; there is none of that name.{hint}")
    return name


def _find_junk(folders: Sequence[tuple[Any, Any, str]]) -> str:
    """Return the folder that the server calls Junk, or that has such a name."""
    for flags, _, name in folders:
        if b"\\junk" in [flag.lower() for flag in flags]:
            return name
    for wanted in _JUNK_NAMES:
        for _, delimiter, name in folders:
            mark = (delimiter or b"/").decode()
            if name.lower().split(mark)[-1] == wanted and name.count(mark) <= 1:
                return name
    listed = ", ".join(escape(name) for _, _, name in folders[:20])
    raise UsageError(f"Expected a folder for junk, named Junk or Spam; there are {listed}. Name it with --junk FOLDER.")
