"""A canary keeps its verdict: whatever would change it is refused and changes nothing, or gives the canary up."""

import json
import os
import shutil
import sqlite3
from itertools import count

import pytest

from deciban import store
from deciban.cli import status
from deciban.mail import canaries as canary_module
from deciban.mail import filter as module
from deciban.mail.taught import open_filter
from system.command import HAM, HELD_OUT, SPAM, TRAIN
from system.faults import KILLS, Fault, Process

HELD = {label: sorted((HELD_OUT / label).iterdir()) for label in ("spam", "ham")}
SAID = "would change the verdict on 1 of 3 canaries: "


def canaries(out):
    return json.loads(out("canary", "f.deciban", "--list", "--json"))["canaries"]


def verdict(path, item):
    with store.open_file(path) as opened:
        return open_filter(opened, path).judge([item.read_bytes()])[0]


@pytest.fixture
def guarded(own, out):
    """A filter with three canaries, and, among its snapshots, one of a filter that gives the first another verdict."""
    out("snapshot", "f.deciban", "before")
    out("learn", "f.deciban", HELD["ham"][0], "--as", "ham")
    out("learn", "f.deciban", HELD["ham"][0], "--as", "spam")  # from now on it is spam
    out("canary", "f.deciban", HELD["ham"][0], "--as", "spam")
    out("canary", "f.deciban", SPAM, HAM)
    return own


def test_a_canary_has_the_verdict_that_the_filter_gives_it(guarded, out):
    found = canaries(out)
    assert [each["label"] for each in found] == ["spam", "spam", "ham"]
    for each, item in zip(found, (HELD["ham"][0], SPAM, HAM), strict=True):
        assert each["decibans"] == verdict(guarded, item).decibans
        assert each["source"] == str(item)
    again = json.loads(out("canary", "f.deciban", SPAM, "--json"))
    assert (again["added"], again["canaries"]) == (1, 3)  # it is one already
    assert out("canary", "f.deciban", SPAM, "--remove") == "Removed 1 canary; 2 are left.\n"
    assert json.loads(out("canary", "f.deciban", "--remove", "--json")) == {
        "filter": "f.deciban",
        "removed": 2,
        "canaries": 0,
    }
    assert canaries(out) == []


CHANGES = {
    "learn": ("learn", "f.deciban", HELD["ham"][0], "--as", "ham"),
    "forget": ("forget", "f.deciban", HELD["ham"][0]),
    "reset": ("reset", "f.deciban", "--since", "1h"),
    "rollback": ("rollback", "f.deciban", "before"),
}


@pytest.mark.parametrize("solved", [False, True], ids=["waiting", "solved"])
@pytest.mark.parametrize("verb", CHANGES)
def test_what_would_change_a_canary_is_refused_or_gives_it_up(verb, solved, guarded, run, out):
    if solved:
        out("refresh", "f.deciban")
    content, found, before = guarded.read_bytes(), canaries(out), verdict(guarded, HELD["ham"][1])
    done = run(*CHANGES[verb])
    assert done.returncode == 65
    assert SAID in done.stderr
    assert f"{HELD['ham'][0]} from spam to ham" in done.stderr
    assert (guarded.read_bytes(), canaries(out), verdict(guarded, HELD["ham"][1])) == (content, found, before)
    out(*CHANGES[verb], "--force")
    assert verdict(guarded, HELD["ham"][0]).label == "ham"
    assert [each["label"] for each in canaries(out)] == ["spam", "ham"]
    out("refresh", "f.deciban")
    assert verdict(guarded, HELD["ham"][0]).label == "ham"


def test_training_anew_over_a_filter_keeps_its_canaries_or_is_refused(guarded, run, out):
    content, found = guarded.read_bytes(), canaries(out)
    sources = [f"spam={TRAIN}/spam", f"ham={TRAIN}/ham"]
    done = run("train", *sources, "-q", "-o", "f.deciban")
    assert done.returncode == 65
    assert SAID in done.stderr
    assert (guarded.read_bytes(), canaries(out)) == (content, found)
    done = run("train", *sources, "-q", "-o", "f.deciban", "--model", "naive-bayes")
    assert done.returncode == 65
    assert "has 3 canaries, which a filter trained so reads otherwise" in done.stderr
    assert (guarded.read_bytes(), canaries(out)) == (content, found)
    out("canary", "f.deciban", HELD["ham"][0], "--remove")
    out("train", *sources, "-q", "-o", "f.deciban")
    assert [each["label"] for each in canaries(out)] == ["spam", "ham"]
    assert json.loads(out("doctor", "f.deciban", "--json"))["canaries"] == 2


def test_a_file_that_would_change_a_canary_is_not_written_by_itself(guarded, out, monkeypatch):
    """When a twentieth has come, the filter is solved only if canaries stay as they are."""
    content, guard, every = guarded.read_bytes(), module.guard, canary_module.Canaries.all

    def refuse(journal, known, what, force):
        other = every(journal.canaries)[0]._replace(label="ham")
        monkeypatch.setattr(canary_module.Canaries, "all", lambda _: [other])
        return guard(journal, known, what, force)

    monkeypatch.setattr(module, "guard", refuse)
    told = out("learn", "f.deciban", *HELD["spam"][:12], "--as", "spam")
    assert "Learnt, but the file was not solved. Solving the filter would change the verdict on 1 of 1 canaries" in told
    assert guarded.read_bytes() == content
    monkeypatch.setattr(module, "guard", guard)
    monkeypatch.setattr(canary_module.Canaries, "all", every)
    assert json.loads(out("learn", "f.deciban", HELD["spam"][13], "--as", "spam", "--json"))["waiting"] == 0
    assert guarded.read_bytes() != content


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("canary", "f.deciban", SPAM, "--as", "ham"), 65, "expected a verdict of 'ham'; the filter gives 'spam'"),
        (("canary", "f.deciban", SPAM, "--as", "eggs"), 65, "expected one of the filter's labels, 'ham', 'spam'"),
        (("canary", "f.deciban", SPAM, "--list"), 64, "Expected FILE… [--as LABEL], --list, or --remove"),
        (("canary", "f.deciban", "--list", "--remove"), 64, "Expected FILE… [--as LABEL], --list, or --remove"),
        (("canary", "nb.deciban", SPAM), 65, "nb.deciban: expected a filter of the default model of mail, online"),
        (("canary", "f.deciban", "none.eml"), 66, "none.eml"),
    ],
)
def test_what_makes_no_sense_is_refused(own, run, out, arguments, code, said):
    out("train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-q", "-o", "nb.deciban", "--model", "naive-bayes")
    done = run(*arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert not os.path.exists("f.deciban.journal")  # none is left that nobody needs


def test_a_journal_of_before_there_were_canaries_is_read_and_brought_up_to_date(own, out):
    out("learn", "f.deciban", SPAM, "--as", "spam")
    with sqlite3.connect("f.deciban.journal") as journal:
        journal.executescript("DROP TABLE canaries; ALTER TABLE entries DROP COLUMN automatic; PRAGMA user_version = 2")
    before = verdict(own, SPAM)
    assert canaries(out) == []
    assert json.loads(out("doctor", "f.deciban", "--json"))["canaries"] == 0
    assert json.loads(out("reset", "f.deciban", "--since", "1h", "--dry-run", "--json"))["n"] == 1
    out("snapshot", "f.deciban", "old")
    out("canary", "f.deciban", SPAM)
    assert (len(canaries(out)), verdict(own, SPAM)) == (1, before)
    out("rollback", "f.deciban", "old")
    assert len(canaries(out)) == 1


@pytest.mark.parametrize("verb", [*CHANGES, "list", "train"])
def test_canaries_that_are_damaged_are_told_and_change_nothing(verb, guarded, run, out):
    with sqlite3.connect("f.deciban.journal") as journal:
        journal.execute("UPDATE canaries SET passages = x'0000'")
    more = {
        "list": ("canary", "f.deciban", "--list"),
        "train": ("train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-q", "-o", "f.deciban"),
    }
    content = guarded.read_bytes()
    done = run(*{**CHANGES, **more}[verb])
    assert done.returncode == 65
    assert "f.deciban.journal: expected the journal of a filter; it is damaged" in done.stderr
    assert guarded.read_bytes() == content
    assert out("canary", "f.deciban", "--remove").startswith("Removed 3 canaries")


@pytest.mark.parametrize("kind", KILLS)
def test_a_kill_at_any_moment_leaves_a_canary_or_none(kind, own, tmp_path_factory):
    for at in count():
        folder = tmp_path_factory.mktemp("copy")
        shutil.copy(own, folder)

        def work(folder=folder):
            os.chdir(folder)
            return status(["canary", "f.deciban", str(SPAM), str(HAM), "-q"])

        ended = Process(work, Fault(kind, at)).wait()
        assert status(["canary", str(folder / "f.deciban"), str(HAM), "-q"]) == 0
        with sqlite3.connect(folder / "f.deciban.journal") as journal:
            assert journal.execute("SELECT count(*) FROM canaries").fetchone()[0] in (1, 2), at
        assert verdict(folder / "f.deciban", SPAM).label == "spam"
        if ended.calls <= at:
            break
