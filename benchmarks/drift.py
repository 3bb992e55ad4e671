"""What verdicts are worth when mail changes, and what heeding the labels given since adds.

    python benchmarks/drift.py [--record]

How many labels tell, and which temperatures there are, was chosen on the splits of mail; on those of texts nothing was.

A filter learns the first part of a corpus and judges the second in order of time, without learning it. After each
verdict its label is known, by which the evidence of the next ones counts. Log losses in nats: as the filter says, as it
says heeding the labels, and with the best temperature in hindsight.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from compared_sets import texts as of_texts
from mail_replay import FIRST
from mail_rivals import Flags, Floats
from real_mail import Mail, spamassassin, trec
from run import begin_record, keep_record
from scipy.optimize import minimize_scalar

from deciban import TextClassifier
from deciban.claims import Claims
from deciban.drift import WINDOW, Drift


class Items(NamedTuple):
    """Messages or texts, and which of them are of the second class."""

    items: list[Any]
    second: Flags
    kind: str = "text"

    @classmethod
    def of_mail(cls, mail: Mail) -> Items:
        """Mail, of which spam is the second class."""
        return cls(mail.messages, mail.spam, "mail")

    @classmethod
    def of_set(cls, name: str, second: str, places: slice) -> Items:
        """Some of the texts of a set, which are in a random order."""
        texts, labels = of_texts(name)
        order = np.random.default_rng(0).permutation(len(texts))[places]
        return cls([texts[i] for i in order], labels[order] == second)


def splits() -> Iterator[tuple[str, Items, Items]]:
    """What is learnt, and what comes then."""
    for name, known, new in splits_of_mail():
        yield name, Items.of_mail(known), Items.of_mail(new)
    films = [Items.of_set(name, "pos", slice(5000)) for name in ("imdb.parquet", "mr.parquet")]
    yield "IMDB → MR", films[0], films[1]
    yield "MR → IMDB", films[1], films[0]
    for title, name, second in (
        ("SMS", "sms.parquet", "spam"),
        ("Korean reviews", "korean-reviews.parquet", "pos"),
    ):
        parts = [Items.of_set(name, second, slice(first, first + 2500)) for first in (0, 2500)]
        yield f"{title}, 2,500 → 2,500 at random", parts[0], parts[1]


def splits_of_mail() -> Iterator[tuple[str, Mail, Mail]]:
    """The same of mail."""
    first, second = trec(), spamassassin().by_date()
    folder, n = np.isin(second.folders, FIRST), len(second.spam)
    mixed = np.random.default_rng(0).permutation(n)
    yield "SpamAssassin, random halves", second.take(mixed[: n // 2]), second.take(np.sort(mixed[n // 2 :]))
    yield "SpamAssassin, older → newer half", second.take(np.arange(n // 2)), second.take(np.arange(n // 2, n))
    yield "SpamAssassin, folders 1 → 2", second.take(np.flatnonzero(folder)), second.take(np.flatnonzero(~folder))
    yield "TREC 2007, 5,000 → next 5,000", first.take(np.arange(5000)), first.take(np.arange(5000, 10_000))
    yield "TREC 2007 → SpamAssassin", first, second
    yield "SpamAssassin → TREC 2007", second, first


def loss(odds: Floats) -> float:
    """The log loss of the log-odds of what is so."""
    return float(np.logaddexp(0.0, -odds).mean())


def heeded(odds: Floats, claims: Claims) -> Floats:
    """The log-odds of what is so, each as it counts by the labels before it."""
    said = odds.tolist()
    found = [Drift.of(said[max(0, i - WINDOW) : i]).slope * z for i, z in enumerate(said)]
    return np.array([claims.odds(z) for z in found])


def judge(known: Items, new: Items) -> tuple[Floats, Claims]:
    """The log-odds of what is so, whatever may be claimed, and what may be."""
    labels = np.where(known.second, "spam", "ham") if known.kind == "mail" else known.second
    model = TextClassifier(kind=known.kind, model="online").fit(known.items, labels)
    said = model.predict_joint_log_proba(new.items)
    return np.where(new.second, 1.0, -1.0) * (said[:, 1] - said[:, 0]), Claims(float(len(known.items)))


def measure(odds: Floats, claims: Claims) -> dict[str, float]:
    """Log losses, and the share of errors."""
    own = np.array([claims.odds(z) for z in odds])
    best = minimize_scalar(lambda log: loss(own * np.exp(log)), bounds=(-3.0, 3.0), method="bounded")
    return {
        "error_percent": 100.0 * float((odds <= 0.0).mean()),
        "log_loss": loss(own),
        "heeding_labels": loss(heeded(odds, claims)),
        "best_temperature": float(best.fun),
    }


def main() -> int:
    """0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    record = begin_record(splits={})
    for name, known, new in splits():
        found = record["splits"][name] = measure(*judge(known, new))
        print(f"{name:34} " + "  ".join(f"{key} {value:.4g}" for key, value in found.items()), flush=True)
    if asked.record:
        keep_record(record, "drift")
    return 0


if __name__ == "__main__":
    sys.exit(main())
