"""A reset gives back the filter that never learnt what matches, byte for byte, and refuses to empty a class."""

import json
import shutil
import sqlite3

import pytest

from system.command import HELD_OUT, TRAIN

SPAM = sorted((HELD_OUT / "spam").iterdir())[:6]
HAM = sorted((HELD_OUT / "ham").iterdir())[:3]
OLD = sorted((TRAIN / "ham").iterdir())[0]


def learn(out, label, *files):
    out("learn", "f.deciban", "--as", label, *files)


def reset(out, *options):
    return json.loads(out("reset", "f.deciban", *options, "--json"))


def refreshed(own, out):
    out("refresh", "f.deciban")
    return own.read_bytes()


def age(own, source, days):
    """Let what was learnt from a source have been learnt some days before."""
    with sqlite3.connect(f"{own}.journal") as connection:
        assert connection.execute(
            "UPDATE entries SET told = told - ? WHERE source = ?", (86400 * days, str(source))
        ).rowcount
    connection.close()


@pytest.mark.parametrize("solved", [False, True])
@pytest.mark.parametrize(
    "options", [["--since", "1h"], ["--source", "*/held-out/*"], ["--since", "1h", "--source", "*"]]
)
def test_what_was_learnt_is_as_if_it_never_had_been(own, out, options, solved):
    before = own.read_bytes()
    learn(out, "spam", *SPAM)
    learn(out, "ham", *HAM)
    if solved:
        refreshed(own, out)
    assert reset(out, *options, "--dry-run")["n"] == 9
    found = reset(out, *options)
    assert (found["n"], found["of"] - found["unknown"]) == (9, 9)
    assert own.read_bytes() == before
    assert reset(out, *options)["n"] == 0
    assert own.read_bytes() == before


def test_only_what_matches_all_options_goes(own, out):
    learn(out, "spam", *SPAM[1:])
    learn(out, "ham", HAM[0])
    expected = refreshed(own, out)
    learn(out, "spam", SPAM[0])
    learn(out, "ham", HAM[1])
    learn(out, "ham", OLD)
    age(own, HAM[0], 30)
    for each in SPAM[1:]:
        age(own, each, 30)
    assert reset(out, "--since", "7d", "--class", "spam")["n"] == 1
    assert reset(out, "--since", "7d", "--source", "*/ham/*")["n"] == 1
    assert own.read_bytes() == expected


def test_a_label_between_others_goes_and_what_came_later_stays(own, out):
    before = own.read_bytes()
    for label, days in (("spam", 30), ("ham", 20), ("spam", 1)):
        learn(out, label, OLD)
        with sqlite3.connect(f"{own}.journal") as connection:
            connection.execute(
                "UPDATE entries SET told = told - ? WHERE id = (SELECT max(id) FROM entries)", (86400 * days,)
            )
        connection.close()
    relabelled = refreshed(own, out)
    assert reset(out, "--since", "25d", "--class", "ham")["n"] == 1
    kept = own.read_bytes()
    assert kept != relabelled
    assert reset(out, "--since", "25d")["n"] == 0  # the spam of 30 days ago is what is left of the two
    assert own.read_bytes() == kept
    assert reset(out, "--since", "31d")["n"] == 1
    assert own.read_bytes() == before


def test_what_came_later_keeps_its_time_and_source(own, out):
    before = own.read_bytes()
    learn(out, "spam", SPAM[0])
    copy = own.parent / "again.eml"
    shutil.copy(SPAM[0], copy)
    learn(out, "ham", copy)
    assert reset(out, "--source", "*/spam/*")["n"] == 1
    kept = own.read_bytes()
    assert reset(out, "--source", "*/spam/*")["n"] == 0
    assert own.read_bytes() == kept != before
    assert reset(out, "--source", "*again.eml")["n"] == 1
    assert own.read_bytes() == before


def test_trained_messages_match_their_class_only(own, out):
    assert "no time and no source" in out("reset", "f.deciban", "--since", "2000-01-01")
    learn(out, "spam", OLD)
    assert reset(out, "--since", "1h", "--class", "ham")["n"] == 0


@pytest.mark.parametrize("options", [["--class", "spam"], ["--class", "spam", "--dry-run"]])
def test_the_last_message_of_a_class_stays(own, run, options):
    before = own.read_bytes()
    done = run("reset", "f.deciban", *options)
    assert done.returncode != 0
    assert "this takes all of 'spam'. Narrow what is to be reset, or learn others" in done.stderr
    assert own.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "Expected --since, --source, --class or --automatic"),
        (["--since", "soon"], "expected an ISO date or time"),
        (["--class", "spma"], "Did you mean 'spam'?"),
    ],
)
def test_what_cannot_be_meant_is_refused(own, run, options, told):
    done = run("reset", "f.deciban", *options)
    assert done.returncode != 0
    assert told in done.stderr
