"""What a filter is taught is in its journal at once, and in its file as if it had been trained with it."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path
from time import sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban import store
from deciban.cli import status
from deciban.mail import taught as taught_module
from deciban.mail.filter import Filter
from deciban.mail.journal import Journal
from deciban.mail.taught import TaughtFilter, judge_of
from system.command import HAM, HELD_OUT, KOREAN, PROGRAM, SPAM, TRAIN
from tiers import examples

HELD = sorted((HELD_OUT / "spam").iterdir()) + sorted((HELD_OUT / "ham").iterdir())


def verdict(path, item=SPAM):
    """What a filter says of an item, by its words alone and, the same, by all words."""
    few, whole = both(path, item)
    assert few == whole
    return whole.decibans


def both(path, item):
    item = item.read_bytes()
    with store.open_file(path) as opened:
        few = TaughtFilter(opened, path).judge([item])[0]
    return few, judge_of(store.read(path), path).judge([item])[0]


def replayed(path):
    """A copy of a filter whose journal has lost what steps came to."""
    folder = path.parent / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for each in path.parent.glob("f.deciban*"):
        shutil.copy(each, folder)
    if (folder / "f.deciban.journal").exists():
        with contextlib.closing(sqlite3.connect(folder / "f.deciban.journal")) as journal:
            journal.executescript("DELETE FROM steps; DELETE FROM solution")
    return folder / path.name


def test_what_is_learnt_tells_at_once_and_is_in_the_file_by_and_by(own, out):
    before, content = verdict(own), own.read_bytes()
    told = json.loads(out("learn", "f.deciban", SPAM, "--as", "spam", "--json"))
    assert own.read_bytes() == content
    assert told["before"]["decibans"] == before < told["after"]["decibans"] == verdict(own)
    assert json.loads(out("classify", "f.deciban", SPAM, "--json"))["decibans"] == verdict(own)
    assert json.loads(out("explain", "f.deciban", SPAM, "--json"))["decibans"] == verdict(own)
    assert "Already known as spam: 1 item" in out("learn", "f.deciban", SPAM, "--as", "spam")
    assert json.loads(out("evaluate", "f.deciban", f"spam={SPAM}", f"ham={HAM}", "--json"))["learnt"] == 1
    assert json.loads(out("inspect", "f.deciban", "--json"))["ledger"] == 193
    assert own.read_bytes() == content
    assert out("refresh", "f.deciban") == "Solved with 1 item more.\n"
    assert out("refresh", "f.deciban") == "There was nothing to solve.\n"
    once = Filter.load(own)
    assert (len(once.ledger), content) == (193, content)
    shutil.copy(own, "g.deciban")
    assert out("forget", "f.deciban", SPAM).startswith("Forgot 1 item.\n")
    assert own.read_bytes() == content
    out("learn", "f.deciban", SPAM, "--as", "spam")
    out("refresh", "f.deciban")
    assert own.read_bytes() == Path("g.deciban").read_bytes()


steps = st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["spam", "ham", "forget", "refresh"])), max_size=14)


@given(steps=steps)
@examples(3)
def test_any_order_ends_in_what_counting_by_hand_gives(steps, trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("order")
    path, labels = folder / "f.deciban", {}
    shutil.copy(trained, path)
    by_hand = Filter.load(path)
    for n, what in steps:
        item = HELD[5 * n]
        if what == "refresh":
            assert status(["refresh", str(path), "-q"]) == 0
            continue
        if what == "forget":
            assert status(["forget", str(path), str(item), "-q"]) == 0
            by_hand, _ = by_hand.forget([item.read_bytes()])
            labels.setdefault(n, [])[-1:] = []
        else:
            assert status(["learn", str(path), str(item), "--as", what, "-q"]) == 0
            by_hand, _ = by_hand.learn([item.read_bytes()], what)
            labels[n] = [*labels.get(n, []), *([what] if labels.get(n, [])[-1:] != [what] else [])]
        few, whole = both(path, item)
        assert few.interval is not None
        assert few == whole == both(replayed(path), item)[0]
    assert status(["refresh", str(path), "-q"]) == 0
    by_hand.save(folder / "g.deciban")
    assert path.read_bytes() == (folder / "g.deciban").read_bytes()


def test_a_filter_that_was_solved_and_not_noted_so_is_solved_the_same_again(own, out):
    for n in range(3):
        out("learn", "f.deciban", HELD[n], "--as", "spam")
    out("learn", "f.deciban", HELD[0], "--as", "ham")  # relabelled: solved at once
    out("learn", "f.deciban", HELD[5], "--as", "spam")
    out("refresh", "f.deciban")
    content = own.read_bytes()
    with contextlib.closing(sqlite3.connect("f.deciban.journal")) as journal:
        journal.execute("UPDATE entries SET state = 0 WHERE state < 2")
        journal.commit()
    before = verdict(own)
    out("refresh", "f.deciban")
    assert (own.read_bytes(), verdict(own)) == (content, before)


def test_readers_of_the_file_before_find_what_it_lacks(own, out):
    before = store.read(own)
    out("learn", "f.deciban", SPAM, "--as", "spam")
    told = verdict(own)
    out("refresh", "f.deciban")
    assert judge_of(before, own).judge([SPAM.read_bytes()])[0].decibans == told


def test_a_twentieth_more_is_solved(own, out):
    content = own.read_bytes()
    for n in range(9):
        out("learn", "f.deciban", HELD[n], "--as", "spam")
        assert own.read_bytes() == content
    out("learn", "f.deciban", HELD[9], "--as", "spam")
    with Journal.open(own, write=False) as journal:
        assert journal.waiting() == 0
    assert len(Filter.load(own).ledger) == 202
    assert sorted(os.listdir()) == ["f.deciban", "f.deciban.journal"]


def test_a_large_filter_waits_for_refresh(own, out, monkeypatch):
    """Learning takes a step, whatever it is told; forgetting what the file has is never put off."""
    monkeypatch.setattr(taught_module, "SOLVED_AT_ONCE", 100)
    monkeypatch.setattr("deciban.mail.teaching.SOLVED_AT_ONCE", 100)
    content, known, item = own.read_bytes(), next((TRAIN / "ham").iterdir()), own.parent / "known.eml"
    shutil.copy(known, item)
    before = verdict(own, item)
    assert out("learn", "f.deciban", item, "--as", "spam").startswith("Relabelled 1 item as spam.\n")
    assert verdict(own, item) != before
    by_hand, _ = Filter.load(own).learn([item.read_bytes()], "spam")
    for n in range(10):
        told = out("learn", "f.deciban", HELD[n], "--as", "spam")
        by_hand, _ = by_hand.learn([HELD[n].read_bytes()], "spam")
        assert ("run deciban refresh" in told) == (n >= 8)
    assert "Verdicts heed 11 items that the filter was not solved with" in told
    assert own.read_bytes() == content
    assert verdict(own) == verdict(replayed(own))
    out("refresh", "f.deciban")
    by_hand.save(own.parent / "g.deciban")
    assert own.read_bytes() == (own.parent / "g.deciban").read_bytes()
    assert out("forget", "f.deciban", HELD[0]).startswith("Forgot 1 item.\n")
    assert len(Filter.load(own).ledger) == 192 + 10


def test_a_file_is_verified_once_and_whenever_it_was_touched(own, run, out, monkeypatch):
    verified = []
    monkeypatch.setattr(store.Opened, "verify", lambda self, verify=store.Opened.verify: verified.append(verify(self)))
    out("classify", "f.deciban", HAM)
    out("learn", "f.deciban", SPAM, "--as", "spam")
    assert len(verified) == 2
    out("classify", "f.deciban", HAM)
    out("explain", "f.deciban", HAM)
    out("learn", "f.deciban", HAM, "--as", "ham")
    out("refresh", "f.deciban")
    out("learn", "f.deciban", KOREAN, "--as", "spam")
    assert len(verified) == 2
    os.utime(own)
    out("classify", "f.deciban", HAM)
    out("learn", "f.deciban", HELD[3], "--as", "spam")
    out("classify", "f.deciban", HAM)
    assert len(verified) == 4
    with own.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last[0] ^ 1]))
    for verb in (("classify", HAM), ("explain", HAM), ("learn", HELD[1], "--as", "spam"), ("inspect",), ("refresh",)):
        done = run(verb[0], "f.deciban", *verb[1:])
        assert (done.returncode, "the file was altered or damaged" in done.stderr) == (65, True), verb


def test_journals_of_earlier_versions_are_brought_up_to_date(own, out):
    out("learn", "f.deciban", SPAM, "--as", "spam")
    told = verdict(own)
    with contextlib.closing(sqlite3.connect("f.deciban.journal")) as journal:
        journal.executescript(
            "DROP TABLE steps; DROP TABLE solution; DROP TABLE canaries; ALTER TABLE entries DROP COLUMN automatic; "
            "PRAGMA user_version = 1"
        )
        ((passages,),) = journal.execute("SELECT experts FROM entries").fetchall()
        experts = bytes(not bits for bits in array("H", passages))  # of headers 1
        journal.execute("UPDATE entries SET experts = ?", (experts,))
        journal.commit()
    assert {*experts} == {0, 1}
    assert verdict(own) == told
    out("learn", "f.deciban", HAM, "--as", "ham")
    assert verdict(own) == verdict(replayed(own))
    out("refresh", "f.deciban")
    assert both(own, SPAM)[0].label == "spam"


def test_training_a_large_filter_notes_that_it_is_whole(tmp_path, run, out, monkeypatch):
    for least in (1000, 1 << 40):  # the second finds a journal
        monkeypatch.setattr("deciban.mail.journal._LARGE", least)
        out("train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-q", "-o", "f.deciban")
        with monkeypatch.context() as patch:
            patch.setattr(store.Opened, "verify", None)
            assert "ham" in out("classify", "f.deciban", HAM)


def test_training_anew_begins_a_new_journal(own, out):
    out("learn", "f.deciban", SPAM, "--as", "spam")
    out("train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-q", "-o", "f.deciban")
    with Journal.open(own, write=False) as journal:
        assert journal.last() == 0


def test_what_is_refused_changes_nothing(own, run, out):
    out("learn", "f.deciban", SPAM, "--as", "spam")
    done = run("forget", "f.deciban", HELD[30], SPAM, "--as", "ham")
    assert (done.returncode, "was learnt as 'spam', not as 'ham'" in done.stderr) == (65, True)
    with Journal.open(own, write=False) as journal:
        assert journal.waiting() == 1
    assert run("learn", "f.deciban", SPAM, "--as", "eggs").returncode == 65


def test_journals_of_others_are_refused(own, run, out):
    out("learn", "f.deciban", SPAM, "--as", "spam")
    journal_file = Path("f.deciban.journal")
    content = journal_file.read_bytes()
    judges, learns, replays = (
        ("classify", SPAM),
        ("learn", HAM, "--as", "ham"),
        ("evaluate", f"spam={SPAM}", f"ham={HAM}"),
    )
    everyone = (judges, learns, replays)
    for statement, said, verbs in (
        ("PRAGMA user_version = 9", "written by a newer version", everyone),
        ("""UPDATE about SET classes = '["a", "b"]'""", "expected the journal of a filter of", everyone),
        ("DELETE FROM solution; UPDATE entries SET hashes = x'00'", "it is damaged", everyone),
        ("DELETE FROM solution; UPDATE entries SET labels = x'0900'", "it is damaged", everyone),
        ("UPDATE steps SET row = x'00'", "it is damaged", (judges, learns)),
        ("UPDATE solution SET offsets = x'00'", "it is damaged", (judges, learns)),
        ("DROP TABLE entries", "it is damaged (no such table: entries)", (learns, replays)),
        (None, "it is damaged", everyone),
    ):
        if statement is None:
            journal_file.write_bytes(content[:100] + b"\xff" * 3000)
        else:
            journal_file.write_bytes(content)
            with contextlib.closing(sqlite3.connect("f.deciban.journal")) as journal:
                journal.executescript(statement)
        for verb in verbs:
            done = run(verb[0], "f.deciban", *verb[1:])
            assert done.returncode in (65, 74), (statement, done)
            assert said in done.stderr, (statement, verb, done.stderr)
    os.unlink("f.deciban.journal")
    assert "spam" in out("classify", "f.deciban", SPAM)


WRITERS = {
    "learn": ["learn", "f.deciban", None, "--as", "spam", "-q"],
    "learn by itself": ["learn", "f.deciban", None, "--auto", "--at-least", "10", "-q"],
    "hold canaries": ["canary", "f.deciban", None, "-q"],
    "refresh": ["refresh", "f.deciban", "-q"],
}
"""What somebody does with one message after the other."""


@pytest.mark.deep
@pytest.mark.parametrize("other", WRITERS)
def test_two_who_write_at_once_lose_nothing(own, out, other):
    program = (
        "import json, sys\nfrom deciban.cli import status\n"
        "for each in json.loads(sys.argv[1]):\n    assert status(each) == 0, each\n"
    )
    spam, ham, writers = HELD[:36], HELD[36:], []
    known = sorted((TRAIN / "ham").iterdir())[:18]  # of these the filter is sure
    given = {"learn": spam[1::2], "hold canaries": known}.get(other, ham)
    for verb, taken in [("learn", spam[::2]), (other, given)]:
        calls = [[str(item) if word is None else word for word in WRITERS[verb]] for item in taken]
        writers.append(subprocess.Popen([sys.executable, "-c", program, json.dumps(calls)], cwd=own.parent))
    for _ in range(10):
        subprocess.run([*PROGRAM, "classify", own, SPAM], check=True, capture_output=True)
    assert [each.wait() for each in writers] == [0, 0]
    with Journal.open(own, write=False) as journal:
        by_itself, canaries = len(journal.automatic()), journal.canary_count()
    assert status(["refresh", str(own), "-q"]) == 0
    assert len(Filter.load(own).ledger) == 192 + 18 + {"learn": 18, "learn by itself": by_itself}.get(other, 0)
    assert (by_itself > 0, canaries) == (other == "learn by itself", 18 if other == "hold canaries" else 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_who_may_only_read_judges_by_what_was_taught(own, out):
    out("learn", "f.deciban", SPAM, "--as", "spam")
    told, item = verdict(own), SPAM.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.deciban"
        for name in ("f.deciban", "f.deciban.journal"):
            shutil.copy(name, folder)
            os.chmod(Path(folder) / name, 0o644)
        os.chmod(folder, 0o755)
        pid = os.fork()
        if not pid:
            status_of_child = 1
            try:
                os.setegid(65534)
                os.seteuid(65534)
                same = judge_of(store.read(path), path).judge([item])[0].decibans == told
                status_of_child = 0 if same and not os.access(folder, os.W_OK, effective_ids=True) else 2
            finally:
                os._exit(status_of_child)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.deep
def test_what_is_learnt_while_a_filter_is_solved_is_not_lost(own, out, monkeypatch):
    out("learn", "f.deciban", *HELD[:3], "--as", "spam")
    whole, learners = Filter.save, []

    def save(self, path):
        served = whole(self, path)
        if not learners:  # the file is the new one, and the journal does not know it yet
            learners.append(subprocess.Popen([*PROGRAM, "learn", own, HELD[10], "--as", "spam", "-q"]))
            sleep(2.0)
        return served

    monkeypatch.setattr(Filter, "save", save)
    out("refresh", "f.deciban")
    assert learners[0].wait(60) == 0
    out("refresh", "f.deciban")
    assert len(Filter.load(own).ledger) == 192 + 4
