"""When labels contradict a filter its verdicts claim less, whichever verb says them, until later labels confirm it."""

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from deciban import store
from deciban.drift import STEADY
from deciban.mail.taught import judge_of

WORDS = {"spam": ["cheap", "pills", "winner", "loan"], "ham": ["lunch", "meeting", "report", "minutes"]}


def write(folder, label, numbers):
    """Write messages that are easily told apart; return their names."""
    folder.mkdir(exist_ok=True)
    for i in numbers:
        draw = random.Random(i)
        text = " ".join(draw.choices(WORDS[label], k=6) + draw.choices(["the", "of", "and", "we", "you"], k=20))
        sender = f"a{i % 7}@{label}.example"
        (folder / f"{i:03}.eml").write_text(f"From: {sender}\nSubject: number {i}\n\n{text} {i}\n")
    return sorted(map(str, folder.iterdir()))


@pytest.fixture
def mail(tmp_path, monkeypatch, out):
    """A sure filter, and messages that it has not seen."""
    monkeypatch.chdir(tmp_path)
    for label in WORDS:
        write(tmp_path / label, label, range(200))
    out("train", "spam=spam", "ham=ham", "-q", "-o", "f.deciban")
    return {label: write(tmp_path / f"new-{label}", label, range(300, 360)) for label in WORDS}


def drift(out):
    return json.loads(out("doctor", "f.deciban", "--json"))["drift"]


def teach_changed_mail(out, mail):
    """Teach the filter mail most of which it foresaw, and ham that it was sure to be spam."""
    out("learn", "f.deciban", "--as", "ham", *mail["ham"][:40])
    out("learn", "f.deciban", "--as", "ham", *mail["spam"][:6])


def test_every_verb_claims_less_and_says_why(mail, out, tmp_path):
    own = tmp_path / "f.deciban"
    message = mail["spam"][-1]
    assert drift(out) == {"slope": 1.0, "doubt": 0.0}
    teach_changed_mail(out, mail)
    slope = drift(out)["slope"]
    assert 0.1 < slope < 0.9
    assert f"evidence counts {slope:.2f} of what it did until later labels confirm it" in out("doctor", "f.deciban")
    found = json.loads(out("classify", "f.deciban", message, "--json"))
    (steady,) = replace(judge_of(store.read(own), own), drift=STEADY).judge([Path(message).read_bytes()])
    assert (found["decibans"] < 0.9 * steady.decibans, found["label"]) == (True, steady.label)
    why = json.loads(out("explain", "f.deciban", message, "--all", "--json"))
    assert why["decibans"] == found["decibans"]
    assert why["prior_decibans"] + sum(each["decibans"] for each in why["terms"]) == pytest.approx(why["decibans"])
    many = json.loads(out("classify", "f.deciban", *[message] * 20, "--json"))  # which reads all of the file
    assert [each["decibans"] for each in many] == pytest.approx([found["decibans"]] * 20)


def test_solving_keeps_what_labels_told_and_forgetting_them_takes_it_back(mail, out):
    teach_changed_mail(out, mail)
    slope = drift(out)["slope"]
    assert slope < 0.9
    out("refresh", "f.deciban")
    assert drift(out)["slope"] == slope
    evaluated = json.loads(out("evaluate", "f.deciban", f"spam={mail['spam'][-1]}", "--json"))
    verdict = json.loads(out("classify", "f.deciban", mail["spam"][-1], "--json"))
    assert evaluated["log_loss"] == pytest.approx(-math.log(verdict["probability"]["spam"]), rel=1e-6)
    out("forget", "f.deciban", *mail["spam"][:6])
    assert drift(out) == {"slope": 1.0, "doubt": 0.0}


def test_a_filter_in_doubt_does_not_teach_itself(mail, out):
    teach = ("learn", "f.deciban", "--auto", "--at-least", "20", *mail["spam"][6:], "--json")
    assert json.loads(out(*teach))["outcomes"]["learnt"] > 40
    out("reset", "f.deciban", "--automatic")
    teach_changed_mail(out, mail)
    assert "learnt" not in json.loads(out(*teach))["outcomes"]


def test_corrections_alone_change_nothing(mail, out):
    out("learn", "f.deciban", "--as", "ham", *mail["spam"])
    assert drift(out) == {"slope": 1.0, "doubt": 0.0}
