"""What verdicts are worth when mail changes, and what heeding the labels given since adds.

    python benchmarks/drift.py [--record]

A filter learns the first part of a corpus and judges the second in order of time, without learning it. After each
verdict its label is known, by which the evidence of the next ones counts. Log losses in nats: as the filter says, as it
says heeding the labels, and with the best temperature in hindsight.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import date
from typing import Any

import environment
import numpy as np
from mail_replay import FIRST
from mail_rivals import Flags, Floats
from real_mail import Mail, spamassassin, trec
from run import new_record
from scipy.optimize import minimize_scalar

from deciban import TextClassifier
from deciban.claims import Claims
from deciban.drift import WINDOW, Drift


def splits() -> Iterator[tuple[str, Mail, Mail]]:
    """What is learnt, and what comes then."""
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


def judge(known: Mail, new: Mail) -> tuple[Floats, Claims]:
    """The log-odds of what is so, whatever may be claimed, and what may be."""
    labels = np.where(known.spam, "spam", "ham")
    model = TextClassifier(kind="mail", model="online").fit(known.messages, labels)
    said = model.predict_joint_log_proba(new.messages)
    spam: Flags = new.spam
    return np.where(spam, 1.0, -1.0) * (said[:, 1] - said[:, 0]), Claims(float(len(known.spam)))


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
    record: dict[str, Any] = {
        "date": date.today().isoformat(),
        "revision": environment.revision(),
        "machine": environment.machine(),
        "splits": {},
    }
    for name, known, new in splits():
        found = record["splits"][name] = measure(*judge(known, new))
        print(f"{name:34} " + "  ".join(f"{key} {value:.4g}" for key, value in found.items()), flush=True)
    if asked.record:
        path = new_record(record, ["drift"])
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"recorded in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
