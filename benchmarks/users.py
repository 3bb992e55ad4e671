"""What filters of users add to the one that they share, and what many users cost.

    python benchmarks/users.py [--record]
    python benchmarks/users.py --load USERS LESSONS [--store URL] [--record]

The shared filter has learnt the SpamAssassin corpus. The users are the recipients of TREC 2007 with 20 messages or
more: each message is classified as it comes, and then taught to its recipient alone: always, or where the verdict was
wrong or less than 10 dB. τ² and ν of `mail/personal.py` were chosen on SpamAssassin, nothing on TREC.

With --load so many users teach so many messages each, drawn from TREC 2007; then messages of users at random are
classified by one process, of which the memory is measured.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from real_mail import Mail, spamassassin, trec
from run import begin_record, keep_record

from deciban import TextClassifier
from deciban.conventions import DECIBANS_PER_NAT
from deciban.mail.sql_stores import store_at
from deciban.mail.stored_words import words_of
from deciban.mail.users import Taught, Users, users_beside
from deciban.serve.live import LiveFilter
from deciban.serve.user_filters import UserFilters

LEAST = 20
UNSURE = 10.0
_TO = re.compile(rb"(?im)^(?:Delivered-To|X-Original-To|To):[^\n]*?([\w.+-]+@[\w.-]+)")
ASKED = 20_000


def shared_filter(folder: str) -> str:
    """The file of the filter that all share."""
    known = spamassassin()
    path = f"{folder}/shared.deciban"
    labels = np.where(known.spam, "spam", "ham")
    TextClassifier(kind="mail", model="online").fit(known.messages, labels).save(path)
    return path


def recipients(mail: Mail) -> dict[str, list[int]]:
    """The messages of each recipient, in order of time."""
    found = defaultdict(list)
    for at, message in enumerate(mail.messages):
        header = re.split(rb"\r?\n\r?\n", message, maxsplit=1)[0]
        to = _TO.search(header)
        if to:
            found[to[1].decode("latin-1").lower()].append(at)
    return {name: places for name, places in sorted(found.items()) if len(places) >= LEAST}


def judge(path: str, mail: Mail, *, corrections: bool) -> dict[str, float]:
    """Errors and log losses of the shared filter and of those of users, which learn."""
    users = recipients(mail)
    with tempfile.TemporaryDirectory() as folder:
        filters = UserFilters(LiveFilter(path), store_at(None, f"{folder}/{'c' if corrections else 'a'}.users", path))
        said: dict[str, list[float]] = {"shared": [], "users": []}
        taught = 0
        for name, places in users.items():
            for at in places:
                label = "spam" if mail.spam[at] else "ham"
                known = filters.of(name)
                for side, each in (("shared", filters.shared), ("users", known)):
                    said[side].append(each.judge([mail.messages[at]])[0].towards(label).decibans)
                if not corrections or said["users"][-1] < UNSURE:
                    taught += known.learn(mail.messages[at], label, "") == "learnt"
        filters.close()
    found: dict[str, float] = {"users": len(users), "messages": len(said["users"]), "taught": taught}
    for side, decibans in said.items():
        odds = np.array(decibans) / DECIBANS_PER_NAT
        found[f"error_percent_{side}"] = 100.0 * float((odds <= 0.0).mean())
        found[f"log_loss_{side}"] = float(np.logaddexp(0.0, -odds).mean())
    return found


def load(path: str, mail: Mail, users: int, lessons: int, url: str | None) -> dict[str, float]:
    """What many users cost: bytes of the store and of memory, and milliseconds."""
    shared = LiveFilter(path)
    store = store_at(url, users_beside(path), path)
    served, draw = shared.snapshot.served, random.Random(0)
    sets = served.word_sets(mail.messages)
    odds = [scores[1] - scores[0] for scores, *_ in served.judged_sets(sets)]
    taught = [Taught(each.digest, words_of(each), "benchmark") for each in sets]
    del sets
    known, began = Users.connect(store), time.process_time()
    known.require_filter(served.settings.to_json(), served.classes)
    for user in range(users):
        places = draw.sample(range(len(taught)), lessons)
        for label in (0, 1):
            some = [(taught[at], odds[at]) for at in places if mail.spam[at] == label]
            known.learn(f"user{user}@example.com", some, label)
    filled = time.process_time() - began
    known.close()
    del taught
    filters = UserFilters(shared, store)
    found = {"users": users, "lessons": lessons, "fill_ms_per_lesson": 1e3 * filled / (users * lessons)}
    if url is None:
        found["store_megabytes"] = sum(each.stat().st_size for each in Path(path).parent.glob("*.users*")) / 1e6
    for name, asked in (("user", ASKED), ("learn", ASKED // 40)):
        began, wall = time.process_time(), time.perf_counter()
        for _ in range(asked):
            of, at = filters.of(f"user{draw.randrange(users)}@example.com"), draw.randrange(len(mail.messages))
            if name == "user":
                of.rate(mail.messages[at])
            else:
                of.learn(mail.messages[at], "spam" if mail.spam[at] else "ham", "benchmark")
        found[f"{name}_cpu_ms"] = 1e3 * (time.process_time() - began) / asked
        found[f"{name}_wall_ms"] = 1e3 * (time.perf_counter() - wall) / asked
    began = time.process_time()
    for at in range(ASKED // 10):
        shared.rate(mail.messages[at % len(mail.messages)])
    found["shared_cpu_ms"] = 1e4 * (time.process_time() - began) / ASKED
    filters.close()
    own = sum(map(len, mail.messages)) / 1e6
    return {**found, "resident_megabytes": _resident() - own, "messages_megabytes": own}


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    """0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--load", nargs=2, type=int, metavar=("USERS", "LESSONS"))
    parser.add_argument("--store", metavar="URL")
    asked = parser.parse_args()
    record: dict[str, Any] = begin_record(found={})
    with tempfile.TemporaryDirectory() as folder:
        path, mail = shared_filter(folder), trec()
        if asked.load:
            record["found"]["load"] = load(path, mail, *asked.load, asked.store)
        else:
            for name, corrections in (("everything", False), ("corrections", True)):
                record["found"][name] = judge(path, mail, corrections=corrections)
    for name, found in record["found"].items():
        print(f"{name:12} " + "  ".join(f"{key} {value:.4g}" for key, value in found.items()), flush=True)
    if asked.record:
        keep_record(record, "users-load" if asked.load else "users")
    return 0


if __name__ == "__main__":
    sys.exit(main())
