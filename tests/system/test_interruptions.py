"""Ctrl-C at any moment: what the command says had been written is what had been written, and nothing else is left."""

import gc
import os
import re
import signal
import sys
from pathlib import Path

import pytest

import deciban
from system.command import HAM, HELD_OUT, KOREAN, SPAM, identities
from tiers import is_deep

# A file that was just opened when the signal came is closed by whoever collects it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

OTHER = HELD_OUT / "spam" / "en-002-job-mystery-shopper.eml"
HOUSE = Path(deciban.__file__).parent
SOURCES = (
    "cli/",
    "store.py",
    "written.py",
    "mail/filter.py",
    "mail/database.py",
    "mail/journal.py",
    "artifact/artifact.py",
)
WATCHED = tuple(str(HOUSE / name) for name in SOURCES)
WRITING = tuple(str(HOUSE / each) for each in ("store.py", "files/", "mail/database.py", "mail/journal.py"))
TAUGHT = ["f.deciban.journal", "f.deciban"]
ROWS = "a,b,y\n" + "".join(f"{i % 7},{i % 5},{'yes' if i % 3 else 'no'}\n" for i in range(40))

# What is there before, the command, and the files that it may write, the last of which a page if there are two.
VERBS = {
    "train": ([], ["train", f"spam={SPAM}", f"ham={HAM}", "-o", "f.deciban"], ["f.deciban"]),
    "train again": ("filter", ["train", f"spam={SPAM}", f"ham={HAM}", "-o", "f.deciban", "--json"], ["f.deciban"]),
    "learn": ("filter", ["learn", "f.deciban", "--as", "ham", str(KOREAN)], TAUGHT),
    "forget": ("filter", ["forget", "f.deciban", str(OTHER)], TAUGHT),
    "train rows": ([], ["train", "t.csv", "--label", "y", "--model", "naive-bayes", "-o", "m.deciban"], ["m.deciban"]),
    "learn rows": ("table", ["learn", "m.deciban", "t.csv"], ["m.deciban"]),
    "forget a row": ("table", ["forget", "m.deciban", "t.csv:2"], ["m.deciban"]),
    "train and report": (
        [],
        ["train", "t.csv", "--label", "y", "--model", "naive-bayes", "-o", "m.deciban", "--report", "r.html"],
        ["m.deciban", "r.html"],
    ),
    "evaluate and report": (
        "table",
        ["evaluate", "m.deciban", "t.csv", "--label", "y", "--report", "r.html"],
        ["r.html"],
    ),
    "compare and report": (
        "table",
        ["compare", "t.csv", "--label", "y", "--models", "naive-bayes", "--sizes", "none", "--report", "r.html"],
        ["r.html"],
    ),
    "demo": ([], ["demo", "--keep", "kept"], ["kept/demo.deciban"]),
    "demo that keeps nothing": ([], ["demo"], []),
}  # fmt: skip


class Watched(dict):
    """By name of a file, whether its lines are counted: known of each once, as every call of a function asks."""

    def __missing__(self, name):
        self[name] = name.startswith(WATCHED)
        return self[name]


class Moments:
    """Counts the lines of the watched files that are run, and raises the signal at one of them."""

    def __init__(self, at=None):
        self.at, self.count, self.writing = at, 0, {}

    def trace(self):
        """From now on, until the moment has come."""
        watched, line = Watched(), self.line
        sys.settrace(lambda frame, event, argument: line if watched[frame.f_code.co_filename] else None)

    def line(self, frame, event, argument):
        if event == "line":
            name = frame.f_code.co_filename
            if name.startswith(WRITING):
                self.writing[name, frame.f_lineno] = self.count
            self.count += 1
            if self.count - 1 == self.at:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return self.line

    def some(self):
        """The last time that each line that writes is run, and moments all over; fewer in the quick tier."""
        writing = sorted(self.writing.values())
        if not is_deep():
            return [self.count // 3, *writing[-16:]]
        return sorted({*range(0, self.count, max(1, self.count // 15)), *writing})


@pytest.fixture
def begin(run, tmp_path):
    """Puts there what a verb begins with."""

    def inside(what):
        for path in tmp_path.iterdir():
            if path.is_file():
                path.unlink()
        (tmp_path / "t.csv").write_text(ROWS)
        if what == "filter":
            assert run("train", f"spam={OTHER}", f"spam={SPAM}", f"ham={HAM}", "-o", "f.deciban", "-q").returncode == 0
        if what == "table":
            train = ("train", "t.csv", "--label", "y", "--model", "naive-bayes", "-o", "m.deciban", "-q")
            assert run(*train).returncode == 0

    return inside


@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=[pytest.mark.deep] * ("report" in verb)) for verb in VERBS]
)  # drawing takes a second
def test_what_is_said_is_what_was_done(verb, run, begin, monkeypatch):
    what, arguments, names = VERBS[verb]
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.default_int_handler)

    def watched(moments):
        begin(what)
        before, told = identities(names), sorted(os.listdir())
        moments.trace()
        try:
            done = run(*arguments)
        finally:
            sys.settrace(None)
        gc.collect()  # the connection that was just opened
        after = identities(names)
        changed = [name for name in names if after.get(name) != before.get(name)]
        left = {*os.listdir()} - {"kept", *(name for name in names if name.endswith(".journal"))}
        assert left == {*told, *changed} - {
            "kept",
            "kept/demo.deciban",
            *(n for n in changed if n.endswith(".journal")),
        }
        return done, changed

    watched(Moments())  # which imports modules
    done, changed = watched(counted := Moments())
    assert (done.returncode, changed) == (0, names), done.stderr
    ended = 0
    for at in counted.some():
        done, changed = watched(Moments(at))
        last = done.stderr.splitlines()[-1] if done.stderr else ""
        if done.returncode == 0:
            assert (changed, "Interrupted" in done.stderr) == (names, False)
            continue
        assert (done.returncode, last[:13]) == (130, "Interrupted: "), (at, done.stderr)
        assert re.findall(r"([^ ]+) had been written", last) == changed, (at, last)
        assert (" was not" in last) <= (changed != names)
        assert bool(changed) or "nothing was written" in last or "was not written" in last or "is told" in last, last
        ended += 1
    assert ended
