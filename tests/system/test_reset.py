"""What is taken back by time, source or class was never taught, to the last byte."""

import json
import shutil
import sqlite3
from datetime import datetime

import pytest

from deciban.cli import status
from deciban.errors import UsageError
from deciban.mail.reset import parse_moment
from system.command import HELD_OUT, TRAIN

HELD = {label: sorted((HELD_OUT / label).iterdir()) for label in ("spam", "ham")}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = tmp_path_factory.mktemp("filter") / "f.deciban"
    assert status(["train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-q", "-o", str(path)]) == 0
    return path


@pytest.fixture
def own(trained, run, tmp_path):
    """A copy of the filter, in the folder where commands run, and two folders of messages."""
    shutil.copy(trained, tmp_path / "f.deciban")
    for name, items in (("trap", HELD["spam"][:12]), ("box", HELD["ham"][:2])):
        (tmp_path / name).mkdir()
        for item in items:
            shutil.copy(item, tmp_path / name)
    return tmp_path / "f.deciban"


def reset(out, *how):
    return json.loads(out("reset", "f.deciban", *how, "--json"))


@pytest.mark.parametrize("solved", [False, True])
def test_what_came_from_a_source_was_never_taught(own, out, solved):
    out("learn", "f.deciban", "box", "--as", "ham")
    out("refresh", "f.deciban")
    wanted = own.read_bytes()
    out("learn", "f.deciban", "trap", "--as", "spam")
    out("learn", "f.deciban", f"box/{HELD['ham'][0].name}", "--as", "spam")
    if solved:
        out("refresh", "f.deciban")
    before = own.read_bytes()
    dry = reset(out, "--source", "trap/*", "--dry-run")
    assert (dry["n"], dry["taught"], dry["dry_run"]) == (12, 14, True)
    assert own.read_bytes() == before
    assert reset(out, "--source", "trap/*")["n"] == 12
    assert reset(out, "--source", "trap/*") == {"filter": "f.deciban", "n": 0, "taught": 2, "dry_run": False}
    assert reset(out, "--source", "box/*", "--class", "spam")["n"] == 1
    out("learn", "f.deciban", "box", "--as", "ham")
    out("refresh", "f.deciban")
    assert own.read_bytes() == wanted


def test_since_a_moment_takes_back_what_came_later(own, out):
    before = own.read_bytes()
    out("learn", "f.deciban", "box", "--as", "ham")
    with sqlite3.connect("f.deciban.journal") as journal:
        journal.execute("UPDATE entries SET told = told - 86400 * 3")
    out("learn", "f.deciban", "trap", "--as", "spam")
    assert reset(out, "--since", "1d", "--class", "ham")["n"] == 0
    assert reset(out, "--since", "1d")["n"] == 12
    assert reset(out, "--since", "1d")["n"] == 0
    assert "Took back the labels of 2 of 2 messages" in out("reset", "f.deciban", "--since", "2w")
    out("refresh", "f.deciban")
    assert own.read_bytes() == before


def test_a_label_goes_from_where_it_stands(own, out):
    item = HELD["spam"][0]
    out("learn", "f.deciban", item, "--as", "spam")
    out("refresh", "f.deciban")
    wanted = own.read_bytes()
    shutil.copy(item, own.parent / "copy.eml")
    out("learn", "f.deciban", "copy.eml", "--as", "ham")
    out("learn", "f.deciban", item, "--as", "spam")
    assert reset(out, "--source", "copy.eml")["n"] == 1
    out("refresh", "f.deciban")
    assert own.read_bytes() == wanted


def test_what_makes_no_sense_is_refused(own, run, out):
    for arguments, code, said in (
        ((), 64, "Nothing is selected. Expected --since WHEN, --source GLOB or --class LABEL."),
        (("--since", "yesterday"), 64, "--since 'yesterday' is no moment. Expected a date"),
        (("--class", "eggs"), 65, "expected one of the filter's labels"),
    ):
        done = run("reset", "f.deciban", *arguments)
        assert done.returncode == code, arguments
        assert said in done.stderr
    assert not (own.parent / "f.deciban.journal").exists()
    out("train", f"spam={TRAIN}/spam", f"ham={TRAIN}/ham", "-q", "-o", "n.deciban", "--model", "naive-bayes")
    done = run("reset", "n.deciban", "--since", "1d")
    assert done.returncode == 64
    assert "keeps no journal" in done.stderr


def test_moments_are_dates_or_ages():
    now = datetime(2026, 3, 8, 12)
    assert parse_moment("2026-03-01", now) == datetime(2026, 3, 1).timestamp()
    assert parse_moment("2026-03-01T06:30", now) == datetime(2026, 3, 1, 6, 30).timestamp()
    assert parse_moment("36h", now) == datetime(2026, 3, 7).timestamp()
    for text in ("", "7", "7y", "-1d", "999999w", "2026-13-01", "일주일"):
        with pytest.raises(UsageError, match="Expected a date"):
            parse_moment(text, now)
