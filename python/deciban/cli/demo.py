"""deciban demo: the whole of it, on mail that comes along."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import as_file, files
from time import perf_counter

import click
from rich.console import Console
from rich.text import Text

from .. import store
from ..errors import UsageError, escape
from ..mail.filter import Filter, updating
from ..mail.ledger import Ledger
from ..mail.reading import read_files
from ..mail.sources import Source, find
from ..report.explanation import contrast, explanation
from ..report.figures import evaluation
from ..report.terminal import Screen, console, screen, write
from ..text.served import ServedText
from ..verdict import Verdict
from . import options
from .destination import check_destination
from .evaluate import evaluate_items, read_labelled
from .labelled_items import LabelledItems, Wanted
from .models import default_recipe
from .output import print_json, quote


@click.command("demo", short_help="Show an example on a sample mailbox.")
@click.option("--keep", metavar="DIR", help="Keep the filter in this folder.")
@options.as_json
def command(keep: str | None, as_json: bool) -> None:
    """Train a filter on a small sample mailbox, in English and Korean, classify mail that it was not trained on,
    explain one verdict, correct another, and undo the correction.
    """
    with _folder(keep) as folder, as_file(files("deciban") / "sample") as sample:
        path = os.path.join(folder, "demo.deciban")
        check_destination(path, [], "--keep")
        Demo(path, str(sample), as_json).run(bool(keep))


@contextmanager
def _folder(keep: str | None) -> Iterator[str]:
    with ExitStack() as stack:
        if keep is None:
            yield stack.enter_context(tempfile.TemporaryDirectory(prefix="deciban-demo-"))
            return
        if os.path.lexists(keep) and not os.path.isdir(keep):
            raise UsageError(f"{escape(keep)}: expected a folder for --keep; this is a file. Choose another name.")
        os.makedirs(keep, exist_ok=True)
        yield keep


class Demo:
    """The steps, in order."""

    def __init__(self, path: str, sample: str, as_json: bool) -> None:
        self.path, self.sample, self.as_json = path, sample, as_json
        self.console: Console = console()
        self.screen: Screen = screen(self.console)
        self.result: dict[str, object] = {}

    def run(self, kept: bool) -> None:
        """Run all of it."""
        self.train()
        self.evaluate()
        judged = self.judged()
        self.explain(judged)
        self.correct(judged)
        if self.as_json:
            print_json(self.result)
            return
        self.next(kept)

    def say(self, *lines: str | Text) -> None:
        if not self.as_json:
            write([Text(line) if isinstance(line, str) else line for line in lines], self.console)

    def step(self, title: str) -> None:
        self.say("", Text(title, style="bold underline" if self.screen.colour else ""), "")

    def train(self) -> None:
        started = perf_counter()
        recipe = default_recipe("mail")
        items = LabelledItems.of_files(find([os.path.join(self.sample, "train")]), Wanted([recipe], None, quiet=True))
        corpus, *_ = items.distinct()
        trained = Filter(recipe.learn(corpus), Ledger.of_distinct(corpus.keys, corpus.y))
        trained.save(self.path)
        seconds = perf_counter() - started
        classes = dict(zip(trained.model.classes, map(round, trained.model.encoder.book.items), strict=True))
        counts = " and ".join(f"{n} {label}" for label, n in classes.items())
        self.result["train"] = {"n": sum(classes.values()), "classes": classes, "seconds": seconds}
        self.step("1. Learn")
        self.say(
            f"A mailbox, invented for this purpose, in English and Korean: {counts}.",
            f"Learnt in {seconds * 1000:.0f} ms: {len(trained.model.encoder.book):,} words, weighed.",
        )

    def evaluate(self) -> None:
        stored = store.read(self.path)
        self.served, ledger = ServedText.from_stored(stored), Ledger.from_stored(stored)
        items = read_labelled(self.served, (self.held_out,), {"text": None, "label": None}, quiet=True)
        found, _ = evaluate_items(self.served, ledger, items)
        self.result["evaluate"] = found.to_json()
        self.step("2. Judge mail it has not seen")
        self.say(*evaluation(found, self.screen))

    @property
    def held_out(self) -> str:
        return os.path.join(self.sample, "held-out")

    def judged(self) -> list[tuple[Source, bytes, Verdict]]:
        """Return the held-out messages with their verdicts."""
        sources = find([self.held_out])
        found = []
        for numbers, items in read_files(sources, self.served.settings):
            verdicts = self.served.judge(items)
            found += [(sources[i], item, v) for i, item, v in zip(numbers, items, verdicts, strict=True)]
        return found

    def explain(self, judged: list[tuple[Source, bytes, Verdict]]) -> None:
        """Explain the recognised spam with the median evidence: neither the plainest nor the hardest."""
        spam = [each for each in judged if each[0].label == each[2].label == "spam"]
        spam.sort(key=lambda each: (each[2].decibans, each[0].path))
        source, item, _ = spam[len(spam) // 2]
        why = self.served.explain(item)
        name = os.path.relpath(source.path, self.sample)
        self.result["explain"] = {"source": name, **why.to_json()}
        self.step("3. Explain a verdict, in decibans: ten for each factor of ten in the odds")
        self.say(*explanation(why, name, self.screen, top=10))

    def correct(self, judged: list[tuple[Source, bytes, Verdict]]) -> None:
        """Correct the worst mistake, or the least sure verdict if there is none: learn it, then forget it."""
        wrong = [each for each in judged if each[0].label != each[2].label]
        worst = max(wrong, key=lambda each: (each[2].decibans, each[0].path), default=None)
        source, item, verdict = worst or min(judged, key=lambda each: (each[2].decibans, each[0].path))
        name = os.path.relpath(source.path, self.sample)
        before = _content(self.path)
        with updating(self.path) as update:
            update.filter, _ = update.filter.learn([item], source.label)
        after = ServedText.from_stored(store.read(self.path)).judge([item])[0]
        with updating(self.path) as update:
            update.filter, _ = update.filter.forget([item])
        same = _content(self.path) == before
        self.result["correct"] = {
            "source": name,
            "label": source.label,
            "before": verdict.to_json(),
            "after": after.to_json(),
            "same_file_after_forget": same,
        }
        kind = "A mistake" if worst else "The least sure verdict"
        self.step("4. Correct it, and take the correction back")
        self.say(
            f"{kind}: {name}, called {verdict.label}.",
            f"deciban learn --as {source.label}",
            contrast(verdict, after, self.screen, self.served.classes),
            "deciban forget",
            "The file is what it was before, byte for byte." if same else "The file is NOT what it was before.",
        )

    def next(self, kept: bool) -> None:
        name = quote(self.path) if kept else "filter.deciban"
        self.step("Now your own mail")
        self.say(
            "deciban train spam=PATH ham=PATH      each an mbox, a Maildir, or a folder of messages",
            f"deciban classify {name} mail.eml",
            f"deciban explain {name} mail.eml",
        )
        if kept:
            self.say("", f"The demo's filter is {quote(self.path)}; its mail is in {quote(self.sample)}.")


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
