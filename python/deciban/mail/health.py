"""What `deciban doctor` looks at: the files of a model, what it knows, how it did since, and what to do."""

from __future__ import annotations

import os
import stat
from dataclasses import asdict, dataclass, field
from time import time
from typing import Any

from .. import store
from ..data.text_layout import ONLINE
from ..drift import STEADY, Drift
from ..errors import DecibanError
from ..theory import binomial
from .history import History, Prequential
from .journal import SUFFIX, Journal
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

    `problems` and `actions` belong together, one by one. `since` are verdicts before their labels were given, with the
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
    problems: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)

    @property
    def damaged(self) -> bool:
        """Whether the file of the model could not be read."""
        return not self.model

    def to_json(self) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        since = None if self.since is None else self.since.to_json()
        return {**asdict(self), "since": since, "drift": self.drift._asdict()}


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
        act = f"Roll back: deciban rollback {path} {kept[-1].name}." if kept else "Restore it from a backup, or train."
        return Health(files, snapshots=len(kept), problems=[str(error)], actions=[act])
    found = _of_journal(path, _of_file(stored, Health(files, snapshots=len(snapshots(path)))), stored)
    for problem, action in _problems(path, found, time()):
        found.problems.append(problem)
        found.actions.append(action)
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
                low = binomial(errors=since.errors, n=since.n, delta=_DELTA / 2, side="lower")
                high = binomial(errors=since.errors, n=since.n, delta=_DELTA / 2)
                own["error_interval"] = float(low), float(high)
            return Health(**own)
    except DecibanError as error:
        health.problems.append(str(error))
        health.actions.append(f"Restore {path + SUFFIX} from a backup, or move it away.")
        return health


def _problems(path: str, health: Health, now: float) -> list[tuple[str, str]]:
    found = []
    own = [each.path for each in health.files if each.mode & 0o022]
    if own:
        found.append((f"Others may write {', '.join(own)}.", f"Run: chmod go-w {' '.join(own)}"))
    counts = health.classes
    few = [label for label, n in counts.items() if n < _FEW]
    if few:
        found.append(
            (f"There are few examples of {', '.join(few)}.", f"Learn more: deciban learn {path} --as {few[0]}")
        )
    if counts and max(counts.values()) > _UNBALANCED * max(min(counts.values()), 1.0):
        least = min(counts, key=lambda label: counts[label])
        found.append((f"The classes are unbalanced: {least} is rare.", f"Learn more of {least}."))
    if health.waiting and health.items > SOLVED_AT_ONCE:
        found.append((f"{health.waiting:,} items wait in the journal.", f"Run: deciban refresh {path}"))
    last = max([health.files[0].changed, *(health.taught or ())])
    if now - last > _OLD * 86400.0:
        found.append((f"Nothing was learnt for {(now - last) / 86400.0:.0f} days.", "Learn recent messages."))
    return found + _drift(path, health.since, health.drift)


def _drift(path: str, since: Prequential | None, drift: Drift) -> list[tuple[str, str]]:
    """Return whether verdicts were worth less than they said, or certain ones wrong beyond chance if one in a thousand
    is."""
    if drift != STEADY:
        return [
            (
                "Mail has changed: verdicts on what was labelled since were worth less than they claimed, so evidence "
                f"counts {drift.slope:.2f} of what it did until later labels confirm it.",
                f"Learn messages of today, correct ones too, then run: deciban refresh {path}.",
            )
        ]
    if since is None or not since.certain_errors:
        return []
    low = float(binomial(errors=since.certain_errors, n=since.certain, delta=_DELTA, side="lower"))
    if low <= 0.001:
        return []
    share = f"{since.certain_errors:,} of {since.certain:,} verdicts of 30 dB or more"
    return [
        (
            f"{share} were wrong among the messages labelled since; calibrated ones are wrong once in 1,000. If mostly "
            "mistakes were labelled, this says little; else the mail has changed.",
            f"Learn correct messages too, then run: deciban refresh {path}. Raise --unsure-below meanwhile.",
        )
    ]
