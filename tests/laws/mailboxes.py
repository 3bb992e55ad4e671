"""A mail account in memory, with a user who moves messages, and a filter that knows spam by its first word."""

from hashlib import sha256
from itertools import count

from deciban.judging import verdict_of
from deciban.serve.rating import rate_verdict
from deciban.watch.watcher import FolderStatus, Message
from deciban.watch.watching import ConnectionLost

INBOX, OTHER, JUNK, ELSEWHERE = FOLDERS = ("INBOX", "Lists", "Junk", "Work")
WATCHED = {INBOX: "inbox", OTHER: "inbox", JUNK: "junk"}


class Killed(BaseException):
    """The program ends here and now."""


def digest(message):
    return sha256(message).digest()[:16]


class Known:
    """A filter that keeps what it was taught, in order: pairs of a message and a label that was news."""

    spam, ham = "spam", "ham"

    def __init__(self, breaks=lambda: None):
        self.rated, self.lessons, self.breaks = [], [], breaks

    def rate(self, message):
        self.rated.append(message)
        nats = 10.0 if message.startswith(b"spam") else -10.0
        verdict = verdict_of(["ham", "spam"], [0.0, nats], (int(nats > 0), int(nats <= 0)), None)
        return rate_verdict(verdict, "spam")

    def explain(self, message):
        raise NotImplementedError

    def learn(self, message, label, source):
        if self.labels_of(message)[-1:] == [label]:
            return "already known"
        self.lessons.append((message, label))
        self.breaks()
        return "learnt"

    def forget(self, message, source):
        raise NotImplementedError

    def labels_of(self, message):
        return [label for each, label in self.lessons if each == message]


class Mailbox:
    """Folders of messages that a server keeps: [uid, bytes, whether it is deleted], each with a UIDVALIDITY."""

    def __init__(self):
        self.folders = {name: [] for name in FOLDERS}
        self.validity, self.next = dict.fromkeys(FOLDERS, 1), dict.fromkeys(FOLDERS, 1)
        self.flags, self._numbers = {}, count()

    def put(self, folder, message):
        self.folders[folder].append([self.next[folder], message, False])
        self.next[folder] += 1

    def deliver(self, folder, kind):
        message = f"{kind} {next(self._numbers)}".encode()
        self.put(folder, message)
        return message

    def move(self, source, uid, target):
        """Move a message, if it is there."""
        for each in [each for each in self.folders[source] if each[0] == uid]:
            self.folders[source].remove(each)
            self.put(target, each[1])

    def copy_and_delete(self, source, uid, target):
        """Move it as mail programs do that know no MOVE, which leave it behind as deleted."""
        for each in [each for each in self.folders[source] if each[0] == uid]:
            each[2] = True
            self.put(target, each[1])

    def expunge(self, folder):
        self.folders[folder] = [each for each in self.folders[folder] if not each[2]]

    def renumber(self, folder):
        """Give all messages of a folder other numbers, in another order."""
        self.validity[folder] += 1
        self.folders[folder].reverse()
        first = 100 * self.validity[folder]
        for uid, each in enumerate(self.folders[folder], first):
            each[0] = uid
        self.next[folder] = len(self.folders[folder]) + first

    def places(self):
        """In which folders each message is, as far as it is not deleted."""
        found = {}
        for name, messages in self.folders.items():
            for _, message, deleted in messages:
                if not deleted:
                    found.setdefault(message, []).append(name)
        return found


class FakeAccount:
    """A connection to a mailbox; `breaks` is asked before and after each command, and may raise."""

    junk = JUNK
    inboxes = (INBOX, OTHER)

    def __init__(self, mailbox, can="move", breaks=lambda: None):
        self.mailbox, self.can, self.breaks, self.changes, self.closed = mailbox, can, breaks, [], False

    def status(self, folder):
        self.breaks()
        return FolderStatus(self.mailbox.validity[folder], self.mailbox.next[folder])

    def messages_after(self, folder, uid, newest=None):
        self.breaks()
        found = sorted(each[0] for each in self.mailbox.folders[folder] if each[0] > uid)
        for number in found if newest is None else found[max(len(found) - newest, 0) :]:
            for each in self.mailbox.folders[folder]:
                if each[0] == number:
                    yield Message(*each)
                    break
            self.breaks()

    def move_to_junk(self, folder, uid):
        self.breaks()
        self.changes.append(("move", folder, uid))
        if self.can == "move":
            self.mailbox.move(folder, uid, JUNK)
            self.breaks()
            return "moved"
        if self.can == "flag":
            self.flag(folder, uid, True)
            return "flagged"
        return "refused"

    def flag(self, folder, uid, is_spam):
        self.breaks()
        self.changes.append(("flag", folder, uid))
        for each in self.mailbox.folders[folder]:
            if each[0] == uid:
                self.mailbox.flags[each[1]] = is_spam
        self.breaks()
        return True

    def wait(self, seconds, next_uid):
        raise NotImplementedError

    def close(self):
        self.closed = True


class Faults:
    """Raises an error at the places of a plan: after so many calls, a lost connection or the end of the program."""

    def __init__(self, plan=()):
        self.plan, self.calls = list(plan), 0

    def __call__(self):
        self.calls += 1
        if self.plan and self.calls >= self.plan[0][0]:
            _, is_killed = self.plan.pop(0)
            self.calls = 0
            raise Killed if is_killed else ConnectionLost("gone")
