"""deciban doctor says what is known of a filter and its files, and what to do."""

import json
import math
import os
import sqlite3

import pytest

from system.command import HAM, HELD_OUT, TRAIN

HELD = {label: sorted((HELD_OUT / label).iterdir()) for label in ("spam", "ham")}


def doctor(out):
    return json.loads(out("doctor", "f.deciban", "--json"))


def test_a_filter_that_was_never_taught_has_counts_and_files(own, out):
    told = doctor(out)
    assert (told["model"], told["classes"], told["items"]) == ("online", {"ham": 96.0, "spam": 96.0}, 192)
    assert told["since"] is None
    assert [each["path"] for each in told["files"]] == ["f.deciban"]
    assert len(told["problems"]) == len(told["actions"]) == 1
    assert "There are few examples of ham, spam." in out("doctor", "f.deciban")


def test_verdicts_before_their_labels_are_counted(own, out):
    errors, losses = 0, []
    for label, items in HELD.items():
        for item in items[:12]:
            said = json.loads(out("learn", "f.deciban", item, "--as", label, "--json"))["before"]
            errors += said["label"] != label
            odds = said["decibans"] * math.log(10.0) / 10.0 * (1.0 if said["label"] == label else -1.0)
            losses.append(math.log1p(math.exp(-odds)))
    out("learn", "f.deciban", HELD["spam"][0], "--as", "ham")  # a label that changes is not another verdict
    out("learn", "f.deciban", min((TRAIN / "spam").iterdir()), "--as", "ham")  # nor one that was trained
    told = doctor(out)
    assert (told["since"]["n"], told["since"]["errors"]) == (24, errors)
    assert told["since"]["log_loss"] == pytest.approx(math.fsum(losses) / 24)
    low, high = told["error_interval"]
    assert low < errors / 24 < high
    assert "24 messages labelled" in out("doctor", "f.deciban")


def test_certain_verdicts_that_were_wrong_are_a_problem(own, out):
    for item in HELD["ham"][:3]:
        out("learn", "f.deciban", item, "--as", "ham")
    with sqlite3.connect("f.deciban.journal") as journal:
        journal.execute("UPDATE entries SET verdict = 'spam', decibans = 40")
    told = doctor(out)
    assert told["since"]["certain_errors"] == 3
    assert any("3 of 3 verdicts of 30 dB or more were wrong" in each for each in told["problems"])


def test_rights_age_and_balance_are_told(own, out):
    os.chmod("f.deciban", 0o666)
    os.utime("f.deciban", (1e9, 1e9))
    told = doctor(out)
    assert any("Others may write f.deciban" in each for each in told["problems"])
    assert any("Nothing was learnt for" in each for each in told["problems"])
    assert "chmod go-w f.deciban" in out("doctor", "f.deciban")


def test_a_restore_that_was_broken_off_is_told(own, out, run):
    out("backup", "f.deciban", "b")
    (own.parent / "f.deciban.restoring").touch()
    told = doctor(out)
    assert (told["problems"][0], told["actions"][0]) == (
        "A restore was broken off: filter, journal, users and messages may be of different moments, and nothing is "
        "learnt.",
        "Restore again: deciban restore BACKUP f.deciban --force",
    )
    refused = (
        "deciban: f.deciban: expected a filter, journal and users of one moment; a restore was broken off. Restore "
        "again: deciban restore BACKUP f.deciban --force.\n"
    )
    for words in (
        ("backup", "f.deciban", "c"),
        ("learn", "f.deciban", "--as", "spam", HAM),
        ("forget", "f.deciban", HAM),
    ):
        done = run(*words)
        assert (done.returncode, done.stderr) == (74, refused), words
    out("restore", "b", "f.deciban", "--force")
    assert not any("restore" in each for each in doctor(out)["problems"])


def test_what_is_damaged_is_told(own, out, run):
    out("snapshot", "f.deciban", "a")
    own.write_bytes(own.read_bytes()[:-5] + b"wrong")
    assert "deciban rollback f.deciban a" in out("doctor", "f.deciban")
    out("rollback", "f.deciban", "a")
    (own.parent / "f.deciban.journal").write_bytes(b"no database at all" * 100)
    assert any("f.deciban.journal" in each for each in doctor(out)["problems"])
    assert run("doctor", "none.deciban").returncode == 66


def test_other_models_have_counts_too(run, out):
    with open("t.csv", "w") as file:
        file.write("size,buys\n" + "".join(f"{n % 7},{'no' if n % 2 else 'yes'}\n" for n in range(300)))
    out("train", "t.csv", "--label", "buys", "-q", "-o", "f.deciban")
    told = doctor(out)
    assert told["items"] == 300
    assert told["problems"] == []
    assert "No problem was found." in out("doctor", "f.deciban")


def test_many_filters_are_checked_at_once_and_damage_is_told_by_the_exit_code(own, out, run, tmp_path):
    broken = tmp_path / "broken.deciban"
    broken.write_bytes(b"nothing")
    told = json.loads(out("doctor", "f.deciban", broken, "--json"))
    assert [bool(each["model"]) for each in told] == [True, False]
    assert out("doctor", "f.deciban", broken).count("model      online") == 1
    assert run("doctor", "f.deciban", "--exit-code").returncode == 0
    assert run("doctor", "f.deciban", broken).returncode == 0
    assert run("doctor", "f.deciban", broken, "--exit-code").returncode == 1
