"""A snapshot is the filter as it was, and a rollback returns to it whatever was learnt and forgotten since."""

import json
import os
import shutil
import sqlite3
from itertools import count
from pathlib import Path

import pytest

from deciban import store
from deciban.cli import status
from deciban.mail import snapshots as module
from deciban.mail.snapshots import roll_back, snapshots, take_snapshot
from deciban.mail.taught import open_filter, read_solved
from system.command import HAM, HELD_OUT, SPAM, TRAIN
from system.faults import KILLS, Fault, Process

MORE = sorted((HELD_OUT / "spam").iterdir())[:9]


@pytest.fixture(scope="module", params=["online", "naive-bayes"])
def trained(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("filter") / "f.deciban"
    sources = [f"spam={TRAIN}/spam", f"ham={TRAIN}/ham"]
    assert status(["train", *sources, "-q", "-o", str(path), "--model", request.param]) == 0
    return path


def history(path):
    """What a filter's journal tells of the past."""
    journal = path.parent / "f.deciban.journal"
    if not journal.exists():
        return []
    with sqlite3.connect(journal) as connection:
        return connection.execute("SELECT digest, labels, source, told, verdict FROM entries ORDER BY id").fetchall()


def test_a_rollback_returns_to_what_was_and_can_be_undone(own, out):
    before = own.read_bytes()
    assert "Kept snapshot first" in out("snapshot", "f.deciban", "first")
    out("learn", "f.deciban", *MORE, "--as", "spam")
    out("learn", "f.deciban", HAM, "--as", "ham")
    out("forget", "f.deciban", MORE[0])
    told = history(own)
    after = json.loads(out("classify", "f.deciban", SPAM, "--json"))
    out("snapshot", "f.deciban", "second")
    replaced = json.loads(out("rollback", "f.deciban", "first", "--json"))["replaced"]
    assert own.read_bytes() == before
    assert not history(own)
    out("rollback", "f.deciban", "second")
    assert "Nothing was replaced." in out("rollback", "f.deciban", "second")
    assert "Undo: deciban rollback f.deciban replaced-" in out("rollback", "f.deciban", "first")
    out("rollback", "f.deciban", replaced)
    out("refresh", "f.deciban")
    assert history(own) == told
    assert own.read_bytes() == (own.parent / "f.deciban.snapshots" / "second.deciban").read_bytes()
    again = json.loads(out("classify", "f.deciban", SPAM, "--json"))
    assert again["label"] == after["label"]
    out("rollback", "f.deciban", "first")
    out("rollback", "f.deciban", "first")  # once more changes nothing
    assert own.read_bytes() == before


def test_a_snapshot_knows_what_waits_in_the_journal(own, out):
    out("learn", "f.deciban", MORE[0], "--as", "spam")
    kept = take_snapshot(own, "now")
    out("refresh", "f.deciban")
    assert own.read_bytes() == Path(kept.path).read_bytes()


def test_snapshots_are_listed_and_removed(own, out):
    assert "There are no snapshots." in out("snapshot", "f.deciban", "--list")
    out("snapshot", "f.deciban", "a")
    out("snapshot", "f.deciban")
    told = json.loads(out("snapshot", "f.deciban", "--list", "--json"))["snapshots"]
    assert len(told) == 2
    assert told[0]["name"] == "a"
    out("snapshot", "f.deciban", "a", "--remove")
    assert [each.name for each in snapshots(own)] == [told[1]["name"]]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("rollback", "f.deciban", "nix"), 66, "f.deciban: no snapshot nix. Expected one of: a."),
        (("rollback", "f.deciban", "../f"), 64, "'../f' is no name of a snapshot."),
        (("snapshot", "f.deciban", "a"), 64, "Snapshot a exists."),
        (("snapshot", "f.deciban", "b", "--remove"), 66, "f.deciban: no snapshot b. Nothing was removed."),
        (("snapshot", "f.deciban", "--remove"), 64, "--remove needs the NAME"),
        (("snapshot", "f.deciban", "b", "--list"), 64, "--list takes neither NAME nor --remove."),
        (("snapshot", "none.deciban"), 66, "none.deciban: expected a file"),
    ],
)
def test_what_makes_no_sense_is_refused(own, run, arguments, code, said):
    take_snapshot(own, "a")
    before = own.read_bytes()
    done = run(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert own.read_bytes() == before


def test_a_damaged_snapshot_is_refused_and_a_damaged_filter_replaced(own, run):
    kept = take_snapshot(own, "a")
    before = own.read_bytes()
    own.write_bytes(before[:-7] + b"damaged")
    assert run("classify", "f.deciban", SPAM).returncode == 65
    roll_back(own, "a")
    assert own.read_bytes() == before
    with open(kept.path, "r+b") as file:
        file.seek(-7, 2)
        file.write(b"damaged")
    assert run("rollback", "f.deciban", "a").returncode == 65
    assert own.read_bytes() == before


def state(path):
    """The tensors of a filter with what its journal says, and its verdicts."""
    tensors = {name: bytes(tensor.data) for name, tensor in read_solved(path).tensors.items()}
    with store.open_file(path) as opened:
        judged = open_filter(opened, path).judge([each.read_bytes() for each in (SPAM, HAM, *MORE)])
    return tensors, [(each.label, round(each.decibans, 6)) for each in judged]


VERBS = {"snapshot": ["new"], "rollback": ["a"], "reset": ["--since", "1h"], "refresh": []}


@pytest.mark.parametrize("kind", KILLS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_kill_at_any_moment_leaves_what_was_or_what_is_to_be(verb, kind, own, out, tmp_path_factory):
    take_snapshot(own, "a")
    for one in MORE[:2]:
        out("refresh", "f.deciban")
        out("learn", "f.deciban", one, "--as", "spam")

    def run_in_copy(fault, *verbs):
        folder = tmp_path_factory.mktemp("copy") / "own"
        shutil.copytree(own.parent, folder)

        def work():
            os.chdir(folder)
            return max(status([each, "f.deciban", *VERBS[each], "-q"]) for each in verbs)

        return folder / own.name, Process(work, fault).wait()

    possible = []
    for verbs in ([], [verb]):  # a filter that is solved is the same filter
        path, ended = run_in_copy(None, *verbs, "refresh")
        possible.append(state(path))
        assert ended.code in (0, 65)  # naive Bayes has nothing to reset
    for at in count():
        path, ended = run_in_copy(Fault(kind, at), verb)
        assert state(path)[0] in [tensors for tensors, _ in possible], at
        status(["refresh", str(path), "-q"])
        assert state(path) in possible, at
        if ended.calls <= at:
            break
        for again in ["rollback", "a"], ["learn", str(MORE[2]), "--as", "spam"]:
            assert status([again[0], str(path), *again[1:], "-q"]) == 0
        assert not [name for name in os.listdir(f"{path}.snapshots") if name.endswith("-part")]
        assert not [name for name in os.listdir(path.parent) if name.endswith(".part")]


def test_an_interrupted_rollback_is_repeated(own, monkeypatch, out):
    take_snapshot(own, "a")
    before = own.read_bytes()
    out("learn", "f.deciban", MORE[0], "--as", "spam")
    whole = module.replace

    def interrupted(path, content):
        whole(path, content)
        if str(path) == str(own):
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        roll_back(own, "a")
    monkeypatch.undo()
    store.read(own)
    (kept,) = (each for each in snapshots(own) if each.name.startswith("replaced-"))
    wanted = Path(kept.path).read_bytes()
    assert roll_back(own, "a")[0].name == "a"
    assert own.read_bytes() == before
    assert not history(own)
    assert Path(kept.path).read_bytes() == wanted != before  # what the first one replaced is still there
