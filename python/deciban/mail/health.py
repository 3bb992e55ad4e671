"""What `deciban doctor` looks at: the files of a model, what it knows, how it did since, and what to do."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from time import time
from typing import Any

from .. import store, theory
from ..data.text_layout import ONLINE
from ..drift import STEADY, Drift
from ..errors import DecibanError
from .history import History, Prequential
from .journal import OF_RESTORING, SUFFIX, Journal
from .ledger import Ledger
from .snapshots import snapshots
from .taught import SOLVED_AT_ONCE, drift_of

_FEW = 100
"""Examples of a class below which a filter has seen little of it."""
_UNBALANCED = 20.0
"""One class has more than so many times the examples of another."""
_OLD = 90.0
"""Days without a label after which mail has changed."""
_ENOUGH = 20
"""Labelled verdicts from which something can be said of them."""
_DELTA = 0.05


TEXTS: Mapping[str, tuple[str, str]] = {
    "unreadable": ("{error}", "Restore it from a backup, or train."),
    "unreadable_now": ("{error}", "Roll back: deciban rollback {path} {snapshot}."),
    "restoring": (
        "A restore was broken off: filter, journal, users and messages may be of different moments, and nothing is "
        "learnt.",
        "Restore again: deciban restore BACKUP {path} --force",
    ),
    "journal": ("{error}", "Restore {path} from a backup, or move it away."),
    "writable": ("Others may write {paths}.", "Run: chmod go-w {words}"),
    "few": ("There are few examples of {labels}.", "Learn more: deciban learn {path} --as {label}"),
    "unbalanced": ("The classes are unbalanced: {label} is rare.", "Learn more of {label}."),
    "waiting": ("{n} items wait in the journal.", "Run: deciban refresh {path}"),
    "old": ("Nothing was learnt for {days} days.", "Learn recent messages."),
    "changed": (
        "Mail has changed: verdicts on what was labelled since were worth less than they claimed, so evidence counts "
        "{slope} of what it did until later labels confirm it.",
        "Learn messages of today, correct ones too, then run: deciban refresh {path}.",
    ),
    "wrong": (
        "{errors} of {n} verdicts of 30 dB or more were wrong among the messages labelled since; calibrated ones are "
        "wrong once in 1,000. If mostly mistakes were labelled, this says little; else the mail has changed.",
        "Learn correct messages too, then run: deciban refresh {path}. Raise --unsure-below meanwhile.",
    ),
}
"""Texts of findings by kind: the problem, and what to do."""


@dataclass(frozen=True)
class Finding:
    """Something to do: its kind, and the values in its texts.

    >>> Finding("old", {"days": "100"}).problem
    'Nothing was learnt for 100 days.'
    """

    kind: str
    values: Mapping[str, str]

    @property
    def problem(self) -> str:
        """Return what is wrong."""
        return TEXTS[self.kind][0].format(**self.values)

    @property
    def action(self) -> str:
        """Return what to do."""
        return TEXTS[self.kind][1].format(**self.values)


@dataclass(frozen=True)
class FileState:
    """A file: its path, bytes, mode, as in 0o600, owner's number and the seconds since 1970 of its last change."""

    path: str
    size: int
    mode: int
    owner: int
    changed: float

    @classmethod
    def of(cls, path: str) -> FileState:
        """Return the state of the file at `path`."""
        about = os.stat(path)
        return cls(path, about.st_size, stat.S_IMODE(about.st_mode), about.st_uid, about.st_mtime)


@dataclass(frozen=True)
class Health:
    """What is known of a model without judging anything.

    `since` are verdicts before their labels were given, with the
    lowest error rate that they show with a confidence of 97.5 % and the highest; `promised` is the log loss on
    examples that the model was not trained on, in nats, by its certificate; `drift` is what evidence counts by what was
    labelled since.
    """

    files: list[FileState]
    model: str = ""
    classes: dict[str, float] = field(default_factory=dict)
    items: int = 0
    words: int = 0
    waiting: int = 0
    taught: tuple[float, float] | None = None
    since: Prequential | None = None
    error_interval: tuple[float, float] | None = None
    promised: float | None = None
    snapshots: int = 0
    canaries: int = 0
    drift: Drift = STEADY
    findings: list[Finding] = field(default_factory=list)

    @property
    def damaged(self) -> bool:
        """Whether the file of the model could not be read."""
        return not self.model

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        since = None if self.since is None else self.since.to_json()
        own = {name: value for name, value in asdict(self).items() if name != "findings"}
        own |= {"since": since, "drift": self.drift._asdict()}
        problems, actions = ([getattr(each, name) for each in self.findings] for name in ("problem", "action"))
        return {**own, "problems": problems, "actions": actions}


def examine(path: str) -> Health:
    """Return the health of the model at `path` and of what stands beside it.

    Raises
    ------
    NoInputError
        If there is no file.
    """
    files = [FileState.of(path)]
    files += [FileState.of(path + own) for own in (SUFFIX, f"{SUFFIX}-wal") if os.path.exists(path + own)]
    try:
        stored = store.read(path, tables=True)
    except DecibanError as error:
        if not os.path.isfile(path):
            raise
        kept = snapshots(path)
        kind, values = "unreadable", {"error": str(error)}
        if kept:
            kind, values = "unreadable_now", values | {"path": path, "snapshot": kept[-1].name}
        return Health(files, snapshots=len(kept), findings=[Finding(kind, values)])
    found = _of_journal(path, _of_file(stored, Health(files, snapshots=len(snapshots(path)))), stored)
    found.findings.extend(_findings(path, found, time()))
    return found


def _of_file(stored: store.Stored, health: Health) -> Health:
    header, tensors = stored.header, stored.tensors
    own = asdict(health) | {"files": health.files, "model": str(header["model"])}
    certificate = header.get("certificate", {})
    counts = certificate.get("class_counts")
    own["classes"] = {str(c): float(n) for c, n in counts} if isinstance(counts, list) else dict(counts or {})
    calibration = certificate.get("calibration") or {}
    own["promised"] = calibration.get("log_loss") if isinstance(calibration, dict) else None
    own["items"] = round(sum(own["classes"].values()))
    if not store.of_table(header) and "state.hashes" in tensors:
        own["words"] = tensors["state.hashes"].shape[0]
        own["items"] = len(Ledger.from_stored(stored)) or own["items"]
    return Health(**own)


def _of_journal(path: str, health: Health, stored: store.Stored) -> Health:
    if store.of_table(stored.header) or health.model != ONLINE:
        return health
    try:
        with Journal.open(path, write=False) as journal:
            if journal is None:
                return health
            journal.require_classes(stored.header["classes"])
            history = History(journal.connection)
            since, own = history.prequential(), asdict(health)
            own |= {"files": health.files, "waiting": journal.waiting(), "taught": history.times(), "since": since}
            own["canaries"], own["drift"] = journal.canary_count(), drift_of(journal)
            if since.n >= _ENOUGH:
                low = theory.binomial(errors=since.errors, n=since.n, delta=_DELTA / 2, side="lower")
                high = theory.binomial(errors=since.errors, n=since.n, delta=_DELTA / 2)
                own["error_interval"] = float(low), float(high)
            return Health(**own)
    except DecibanError as error:
        health.findings.append(Finding("journal", {"error": str(error), "path": path + SUFFIX}))
        return health


def _findings(path: str, health: Health, now: float) -> Iterator[Finding]:
    """Yield what is to be done."""
    if os.path.lexists(path + OF_RESTORING):
        yield Finding("restoring", {"path": path})
    own = [each.path for each in health.files if each.mode & 0o022]
    if own:
        yield Finding("writable", {"paths": ", ".join(own), "words": " ".join(own)})
    counts = health.classes
    few = [label for label, n in counts.items() if n < _FEW]
    if few:
        yield Finding("few", {"labels": ", ".join(few), "label": few[0], "path": path})
    if counts and max(counts.values()) > _UNBALANCED * max(min(counts.values()), 1.0):
        yield Finding("unbalanced", {"label": min(counts, key=lambda label: counts[label])})
    if health.waiting and health.items > SOLVED_AT_ONCE:
        yield Finding("waiting", {"n": f"{health.waiting:,}", "path": path})
    last = max([health.files[0].changed, *(health.taught or ())])
    if now - last > _OLD * 86400.0:
        yield Finding("old", {"days": f"{(now - last) / 86400.0:.0f}"})
    yield from _drift(path, health.since, health.drift)


def _drift(path: str, since: Prequential | None, drift: Drift) -> Iterator[Finding]:
    """Yield whether verdicts were worth less than they said, or certain ones wrong beyond chance if one in a thousand
    is."""
    if drift != STEADY:
        yield Finding("changed", {"slope": f"{drift.slope:.2f}", "path": path})
    elif since is not None and since.certain_errors:
        low = float(theory.binomial(errors=since.certain_errors, n=since.certain, delta=_DELTA, side="lower"))
        if low > 0.001:
            yield Finding("wrong", {"errors": f"{since.certain_errors:,}", "n": f"{since.certain:,}", "path": path})
