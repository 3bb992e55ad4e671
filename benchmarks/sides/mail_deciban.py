"""Deciban as a mail filter: its commands, and the scores they print."""

from __future__ import annotations

import json
from pathlib import Path

import environment
from corpora import Mail
from measure import Finished, process


class Deciban:
    """`deciban train` and `deciban classify` on whole corpora."""

    def __init__(self, mail: Mail, shape: str, folder: Path) -> None:
        self.command = environment.deciban()
        self.mail, self.shape = mail, shape
        self.filter, self.printed = folder / "filter.deciban", folder / "printed.jsonl"

    def version(self) -> str:
        """What the command says of itself."""
        return environment.version_of(self.command)

    def train(self) -> Finished:
        """One process learns both classes and writes the filter."""
        self.filter.unlink(missing_ok=True)
        classes = [f"{label}={self.mail.path('train', label, self.shape)}" for label in ("spam", "ham")]
        return process([self.command, "train", *classes, "-o", str(self.filter), "--quiet"])

    def classify(self) -> Finished:
        """One process judges both classes of the test part."""
        paths = [str(self.mail.path("test", label, self.shape)) for label in ("spam", "ham")]
        return process([self.command, "classify", str(self.filter), *paths, "--jsonl"], stdout=self.printed)

    def scores(self) -> list[tuple[float, bool]]:
        """Decibans for spam as printed, and whether the message was spam."""
        found = []
        spam_box = str(self.mail.path("test", "spam", self.shape))
        for line in self.printed.read_text().splitlines():
            said = json.loads(line)
            score = said["decibans"] if said["label"] == "spam" else -said["decibans"]
            found.append((score, said["source"].startswith(spam_box)))
        return found

    def judge_one(self, message: Path) -> Finished:
        """One message, one process."""
        return process([self.command, "classify", str(self.filter), str(message), "--json"])
