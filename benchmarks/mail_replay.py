"""Mail in the order in which it came, judged first and labelled afterwards: Deciban's default beside its rivals.

    python benchmarks/mail_replay.py [trec | spamassassin | folders …] [--record] [--without RIVAL …]

Every filter meets the same messages in the same order, without the verdicts of other filters.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import perf_counter

import environment
import numpy as np
from mail_rivals import LINEAR, Flags, Floats, bogofilter_once, bogofilter_online, counted, platt, vowpal_wabbit
from real_mail import NAMES, Mail, spamassassin, trec
from run import begin_record, keep_record

from deciban import TextClassifier
from deciban.evaluation.online import Feedback, replay_texts
from deciban.text.corpus import Corpus
from deciban.text.recipes import recipe

FIRST = ("easy-ham-1", "hard-ham-1", "spam-1")


def measure(scores: Floats, spam: Flags) -> dict[str, float]:
    """(1 − ROCA)%, spam missed where one ham, or two, in a thousand may be lost, and log loss."""
    ham, caught = np.sort(scores[~spam]), scores[spam]
    above = len(ham) - np.searchsorted(ham, caught, "right")
    level = len(ham) - np.searchsorted(ham, caught, "left")
    missed = {h: float((caught <= ham[len(ham) - 1 - int(h * len(ham))]).mean()) for h in (0.001, 0.002)}
    return {
        "one_minus_roca_percent": 100.0 * float((above + level).sum()) / 2.0 / (len(ham) * len(caught)),
        "missed_at_0.1_percent": 100.0 * missed[0.001],
        "missed_at_0.2_percent": 100.0 * missed[0.002],
        "error_percent": 100.0 * float(((scores > 0.0) != spam).mean()),
        "log_loss": float(np.logaddexp(0.0, np.where(spam, -scores, scores)).mean()),
    }


def online(mail: Mail) -> dict[str, Callable[[], Floats]]:
    """Each filter, message by message."""
    rows = np.arange(len(mail.spam))

    def ours() -> Floats:
        default = recipe("mail", "online", {})
        corpus = Corpus.of_texts(mail.messages, default.settings.reader(), NAMES, mail.spam.astype(np.int64))
        said = replay_texts(corpus, default, rows, Feedback())
        return said[:, 1] - said[:, 0]

    sides: dict[str, Callable[[], Floats]] = {"deciban": ours}
    sides["bogofilter"] = lambda: bogofilter_online(mail.messages, mail.spam)
    for name, each in LINEAR.items():
        sides[name] = lambda each=each: each.online(counted(mail.messages), mail.spam)  # type: ignore[misc]
    sides["Vowpal Wabbit"] = lambda: vowpal_wabbit(mail.messages, mail.spam)
    return sides


def once(known: Mail, new: Mail) -> dict[str, Callable[[], Floats]]:
    """Each filter, of all that is known first."""

    def ours() -> Floats:
        labels = np.where(known.spam, "spam", "ham")
        model = TextClassifier(kind="mail", model="online").fit(known.messages, labels)
        said = model.predict_joint_log_proba(new.messages)
        return np.asarray(said[:, 1] - said[:, 0])

    def linear(name: str) -> Floats:
        counts, n = counted(known.messages + new.messages), len(known.spam)
        said = LINEAR[name].once(counts[:n], known.spam, counts[n:])
        if "SVC" not in name:
            return said
        halves = np.arange(n) % 2 == 0
        apart = LINEAR[name].once(counts[:n][halves], known.spam[halves], counts[:n][~halves])
        return platt(apart, known.spam[~halves], said)

    def vowpal() -> Floats:
        both = known.messages + new.messages
        unknown = np.concatenate([known.spam, new.spam])
        return vowpal_wabbit(both, unknown, len(known.spam))

    sides: dict[str, Callable[[], Floats]] = {"deciban": ours}
    sides["bogofilter"] = lambda: bogofilter_once(known.messages, known.spam, new.messages)
    sides |= {name: lambda name=name: linear(name) for name in LINEAR}  # type: ignore[misc]
    sides["Vowpal Wabbit"] = vowpal
    return sides


def problem(name: str) -> tuple[dict[str, Callable[[], Floats]], Flags]:
    """The sides of one problem, and the labels of what is judged."""
    if name == "trec":
        mail = trec()
        return online(mail), mail.spam
    mail = spamassassin()
    if name == "spamassassin":
        mail = mail.by_date()
        return online(mail), mail.spam
    mail = mail.by_date()
    first = np.isin(mail.folders, FIRST)
    new = mail.take(np.flatnonzero(~first))
    return once(mail.take(np.flatnonzero(first)), new), new.spam


def main() -> int:
    """0; rivals that are missing are told, and skipped."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("problems", nargs="*", choices=["trec", "spamassassin", "folders", []])
    parser.add_argument("--without", nargs="*", default=[], metavar="RIVAL")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    record = begin_record(problems={}, unfinished={})
    for name in asked.problems or ["trec", "spamassassin", "folders"]:
        sides, spam = problem(name)
        found = record["problems"][name] = {}
        for side, scores in sides.items():
            if side in asked.without:
                continue
            start = perf_counter()
            try:
                found[side] = {**measure(scores(), spam), "seconds": perf_counter() - start}
            except environment.MissingError as reason:
                record["unfinished"][f"{name}, {side}"] = str(reason)
                continue
            told = "  ".join(f"{key} {value:.4g}" for key, value in found[side].items())
            print(f"{name:13} {side:28} {told}", flush=True)
    if asked.record:
        keep_record(record, "mail-replay")
    return 0


if __name__ == "__main__":
    sys.exit(main())
