"""Filters beside Deciban: each gives the log-odds of spam for messages, by those that it knows."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import environment
import numpy as np
from numpy.typing import NDArray
from real_mail import decoded
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

GROWTH = 0.05  # a model that does not learn message by message is fitted anew so often
LIMIT = 1e-6  # no probability is nearer to 0 and 1: a rival's certainty costs it 13.8 nats where it is wrong


class Bogofilter:
    """bogofilter as it comes: a process for each message that is judged or learnt."""

    def __init__(self, folder: str) -> None:
        self.command = [environment.bogofilter(), "-C", "-d", folder]

    def score(self, message: bytes) -> float:
        """The log-odds of its spamicity, printed with 17 decimals."""
        how = [*self.command, "-v", "--header-format=%c %0.17f"]
        said = subprocess.run(how, input=message, capture_output=True, check=False).stdout
        return odds(float(said.split()[-1])) if said.split() else 0.0

    def learn(self, message: bytes, spam: bool) -> None:
        """Register one message."""
        subprocess.run([*self.command, "-s" if spam else "-n"], input=message, check=True)


def odds(p: float) -> float:
    """Log-odds of a probability."""
    p = min(max(p, LIMIT), 1.0 - LIMIT)
    return float(np.log(p) - np.log1p(-p))


def bogofilter_online(messages: list[bytes], spam: Flags) -> Floats:
    """Score first, label afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        filter_, scores = Bogofilter(folder), np.zeros(len(spam))
        for i, (message, label) in enumerate(zip(messages, spam, strict=True)):
            scores[i] = filter_.score(message)
            filter_.learn(message, bool(label))
    return scores


def bogofilter_once(known: list[bytes], spam: Flags, new: list[bytes]) -> Floats:
    """All that is known first, then all scores."""
    with tempfile.TemporaryDirectory() as folder:
        filter_ = Bogofilter(folder)
        for message, label in zip(known, spam, strict=True):
            filter_.learn(message, bool(label))
        return np.array([filter_.score(message) for message in new])


def stretches(n: int) -> Iterator[tuple[int, int]]:
    """Where a model is fitted anew, and up to where it judges."""
    start = 1
    while start < n:
        stop = min(n, start + max(1, int(GROWTH * start)))
        yield start, stop
        start = stop


class Linear:
    """TF-IDF of words and a linear model, as scikit-learn has them (sublinear counts, words in any case)."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def once(self, known: Any, spam: Flags, new: Any) -> Floats:
        """Scores of new rows of counts by a model of known ones: log-odds, or margins of LinearSVC."""
        if spam.all() or not spam.any():
            return np.full(new.shape[0], np.log((spam.sum() + 1.0) / ((~spam).sum() + 1.0)))
        seen = np.flatnonzero(np.bincount(known.indices, minlength=known.shape[1]))
        weigh = TfidfTransformer(sublinear_tf=True).fit(known[:, seen])
        model = self.kind(C=10.0, max_iter=1000).fit(weigh.transform(known[:, seen]), spam)
        return np.asarray(model.decision_function(weigh.transform(new[:, seen])), np.float64)

    def online(self, counts: Any, spam: Flags) -> Floats:
        """Score first; a model of all labels so far whenever they have grown by a twentieth."""
        scores, margins = np.zeros(len(spam)), np.zeros(len(spam))
        for start, stop in stretches(len(spam)):
            margins[start:stop] = self.once(counts[:start], spam[:start], counts[start:stop])
            scores[start:stop] = margins[start:stop]
            if self.kind is LinearSVC:  # its margins are no log-odds: Platt's line through those of the past
                scores[start:stop] = platt(margins[:start], spam[:start], margins[start:stop])
        return scores


def platt(margins: Floats, spam: Flags, new: Floats) -> Floats:
    """Log-odds of margins, by those whose labels are known."""
    if len(np.unique(spam)) < 2:
        return new
    line = LogisticRegression(C=1e3).fit(margins[:, None], spam)
    return np.asarray(line.decision_function(new[:, None]), np.float64)


def counted(messages: list[bytes]) -> Any:
    """Counts of words of decoded messages, CSR."""
    return CountVectorizer().fit_transform(map(decoded, messages)).tocsr()


def vowpal_wabbit(messages: list[bytes], spam: Flags, known: int | None = None) -> Floats:
    """Vowpal Wabbit in one pass: what it predicts of each line before it learns it, if it is not behind `known`."""
    reserved = str.maketrans(":|\n\r", "    ")
    with tempfile.TemporaryDirectory() as folder:
        lines, found = Path(folder, "lines"), Path(folder, "found")
        labels = [("1 " if label else "-1 ") if known is None or i < known else "" for i, label in enumerate(spam)]
        rows = zip(messages, labels, strict=True)
        text = [f"{label}| {decoded(message).lower().translate(reserved)}" for message, label in rows]
        lines.write_text("\n".join(text) + "\n", encoding="utf-8", errors="replace")
        options = f"--quiet --loss_function logistic -b 22 --ngram 2 -d {lines} -p {found}"
        run = f"import vowpalwabbit; vowpalwabbit.Workspace({options!r}).finish()"
        subprocess.run([environment.rivals_python(), "-c", run], check=True)
        return np.array([float(line.split()[0]) for line in found.read_text().splitlines()])[known or 0 :]


LINEAR = {"TF-IDF, LinearSVC": Linear(LinearSVC), "TF-IDF, LogisticRegression": Linear(LogisticRegression)}
