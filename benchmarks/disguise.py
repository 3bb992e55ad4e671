"""Known spam in disguise: which share of it Deciban's default and bogofilter still catch.

    python benchmarks/disguise.py [trec | spamassassin | folders …] [--messages N] [--record]

Each filter learns one part of a corpus (of TREC 2007 the first half, of SpamAssassin a half drawn at random, or the
first folders) and has the threshold that loses 0.5 % of the other part's ham. Of the spam of that part which both catch
as it came, N messages are disguised. Stuffing is by an attacker who knows the filter: each is stuffed with the words
that speak most for ham in it. `ablation.py` measures the steps of reading one by one.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable

import numpy as np
from disguises import FORMS, Disguise, appended, hidden_words, plain
from mail_rivals import Bogofilter, Floats
from real_mail import Mail, spamassassin, trec
from run import begin_record, keep_record

from deciban import TextClassifier

LOST = 0.005
CORPORA = ("trec", "spamassassin", "folders")
EARLIER = ("easy-ham-1", "hard-ham-1", "spam-1")


def halves(name: str) -> tuple[Mail, Mail]:
    """What filters learn, and what they have not seen."""
    mail = trec() if name == "trec" else spamassassin()
    n = len(mail.spam)
    known = np.arange(n) < n // 2 if name == "trec" else np.random.default_rng(0).random(n) < 0.5
    if name == "folders":
        known = np.isin(mail.folders, EARLIER)
    return mail.take(np.flatnonzero(known)), mail.take(np.flatnonzero(~known))


class Ours:
    """Deciban's default for mail."""

    def __init__(self, known: Mail) -> None:
        self.model = TextClassifier(kind="mail", model="online")
        self.model.fit(known.messages, np.where(known.spam, "spam", "ham"))

    def scores(self, messages: list[bytes]) -> Floats:
        """Log-odds of spam."""
        said = self.model.predict_joint_log_proba(messages)
        return np.asarray(said[:, 1] - said[:, 0])

    def hammy(self) -> list[str]:
        """Words of text that speak most for ham, the strongest first."""
        served = self.model.model_.compile()
        said = served.by_word()
        order = np.argsort(said[:, 1] - said[:, 0], kind="stable")
        words = (name for name in (served.names[i] for i in order) if ":" not in name and name.isalnum())
        return [word for _, word in zip(range(500), words, strict=False)]


class Theirs:
    """bogofilter as it comes."""

    def __init__(self, known: Mail, folder: str) -> None:
        self.filter, self.folder = Bogofilter(folder), folder
        for message, label in zip(known.messages, known.spam, strict=True):
            self.filter.learn(message, bool(label))

    def scores(self, messages: list[bytes]) -> Floats:
        """Log-odds of spam."""
        return np.array([self.filter.score(message) for message in messages])

    def hammy(self) -> list[str]:
        """Words of text that no spam has, by how many ham have them."""
        told = subprocess.run(["bogoutil", "-d", f"{self.folder}/wordlist.db"], capture_output=True, check=True).stdout
        rows = [line.split() for line in told.decode("latin-1").splitlines()]
        known = [(int(row[2]), row[0]) for row in rows if len(row) == 4 and row[1] == "0" and row[0].isalnum()]
        return [word for _, word in sorted(known, reverse=True)[:500]]


def running(ham: list[bytes]) -> Callable[[random.Random], str]:
    """200 words as they follow each other in some message."""
    texts = [words for words in (plain(message)[2].split() for message in ham[:500]) if len(words) >= 250]

    def words(chance: random.Random) -> str:
        text = chance.choice(texts)
        start = chance.randrange(len(text) - 200)
        return " ".join(text[start : start + 200])

    return words


def disguises(hammy: list[str], ham: list[bytes]) -> dict[str, Disguise]:
    """Every disguise against a filter."""

    def best(n: int) -> Callable[[random.Random], str]:
        return lambda chance: " ".join(chance.sample(hammy[:n], len(hammy[:n])))

    stuffed = {f"{n} hammy words": appended(best(n)) for n in (50, 200, 500)}
    stuffed["200 running words of ham"] = appended(running(ham))
    return {**FORMS, **stuffed, "200 hammy words, hidden": hidden_words(best(200))}


def ham_and_spam(mail: Mail) -> tuple[list[bytes], list[bytes]]:
    """The ham of some mail, and its spam in random order."""
    ham = [message for message, label in zip(mail.messages, mail.spam, strict=True) if not label]
    spam = [message for message, label in zip(mail.messages, mail.spam, strict=True) if label]
    random.Random(0).shuffle(spam)
    return ham, spam


def caught_by_form(each: Ours | Theirs, limit: float, spam: list[bytes], ham: list[bytes]) -> dict[str, float]:
    """The share of spam that scores above a limit, by disguise."""
    found = {}
    for form, disguise in disguises(each.hammy(), ham).items():
        hidden = [disguise(message, random.Random(i)) for i, message in enumerate(spam)]
        found[form] = float((each.scores(hidden) > limit).mean())
    return found


def run(known: Mail, new: Mail, n: int) -> dict[str, dict[str, float]]:
    """The share of spam that is caught, by disguise and filter."""
    ham, spam = ham_and_spam(new)
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        filters: dict[str, Ours | Theirs] = {"deciban": Ours(known), "bogofilter": Theirs(known, folder)}
        limits = {name: threshold(each.scores(ham)) for name, each in filters.items()}
        caught = {name: each.scores(spam[: 3 * n]) > limits[name] for name, each in filters.items()}
        found["any spam"] = {"messages": len(spam[: 3 * n]), **{name: float(of.mean()) for name, of in caught.items()}}
        chosen = [spam[i] for i in np.flatnonzero(np.all([*caught.values()], axis=0))[:n]]
        for name, each in filters.items():
            for form, share in caught_by_form(each, limits[name], chosen, ham).items():
                found.setdefault(form, {"messages": len(chosen)})[name] = share
    return found


def threshold(ham: Floats) -> float:
    """The score that 0.5 % of ham exceed."""
    return float(np.sort(ham)[len(ham) - 1 - int(LOST * len(ham))])


def main() -> int:
    """0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpora", nargs="*", choices=[*CORPORA, []])
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    record = begin_record(ham_lost=LOST, corpora={})
    for name in asked.corpora or CORPORA:
        found = record["corpora"][name] = run(*halves(name), asked.messages)
        print(f"{name}: {found['as it came']['messages']} messages")
        for form, each in found.items():
            print(f"  {form:28} {100 * each['deciban']:6.1f} %  {100 * each['bogofilter']:6.1f} %", flush=True)
    if asked.record:
        keep_record(record, "disguise")
    return 0


if __name__ == "__main__":
    sys.exit(main())
