"""deciban review: what is worth a look comes first, answers are learnt as `learn` learns them, and nothing is lost."""

import json
import os
import shutil

import pytest

from deciban import store
from deciban.cli import review
from deciban.cli.output import Remarks
from deciban.cli.review_items import find_candidates
from deciban.mail.filter import Filter
from deciban.text.served import ServedText
from system.command import HELD_OUT, TRAIN

DOUBTFUL = "From: {name}\nSubject: lunch and cheap pills {name}\n\nmeeting at noon about the offer, {body}\n"


@pytest.fixture
def box(run, tmp_path):
    """A filter, and a folder of new messages, two of which say nearly the same, and one that steers terminals."""
    run("train", TRAIN, "-o", "f.deciban", "-q")
    (tmp_path / "new").mkdir()
    words = " ".join(f"word{i}" for i in range(40))
    for name, body in (("a", words), ("b", f"{words} more"), ("c", "\x1b[2Jred\u202e"), ("d", "see you")):
        (tmp_path / "new" / f"{name}.eml").write_text(DOUBTFUL.format(name=name, body=body))
    shutil.copy(min((HELD_OUT / "ham").iterdir()), tmp_path / "new" / "z.eml")
    return tmp_path


def listed(run, *paths):
    done = run("review", "f.deciban", *paths, "--json")
    assert done.returncode == 0, done.stderr
    assert all(c.isprintable() for line in done.stdout.splitlines() for c in line)
    return [json.loads(line) for line in done.stdout.splitlines()]


def verdicts(run, *paths):
    return [json.loads(line) for line in run("classify", "f.deciban", *paths, "--jsonl").stdout.splitlines()]


def test_what_is_unsure_is_listed_and_near_duplicates_are_together(box, run):
    found = listed(run, "new")
    unsure = {each["source"]: each for each in verdicts(run, "new") if each["unsure"]}
    assert {each["path"] for each in found} == unsure.keys()
    for each in found:
        told = unsure[each["path"]]
        assert (each["verdict"], each["score"]) == (told["label"], told["decibans"])
        assert each["given"] is None
        assert 0 < len(each["reasons"]) <= 5
    group = {os.path.basename(each["path"]): each["group"] for each in found}
    if {"a.eml", "b.eml"} <= group.keys():
        assert group["a.eml"] == group["b.eml"]
    assert [each["group"] for each in found] == sorted(each["group"] for each in found)


def test_a_wrong_label_is_listed(box, run):
    shutil.copytree(TRAIN / "spam", box / "spam")
    shutil.copytree(TRAIN / "ham", box / "ham")
    wrong = max((box / "spam").iterdir(), key=lambda path: path.stat().st_size).read_bytes()
    for n in range(3):
        (box / "spam" / f"again-{n}.eml").write_bytes(wrong + b"\nAgain %d.\n" % n)
    (box / "ham" / "moved.eml").write_bytes(wrong + b"\nOnce more.\n")
    found = {os.path.basename(each["path"]): each for each in listed(run, "spam=spam", "ham=ham")}
    assert (found["moved.eml"]["given"], found["moved.eml"]["suggested"]) == ("ham", "spam")
    assert found["moved.eml"]["why"].startswith("labelled ham, probably spam: ")


def test_answers_are_learnt_as_learn_does(box, run):
    found = listed(run, "new")
    labels = ["spam", "ham"] * len(found)
    lines = [json.dumps({**each, "answer": label}) for each, label in zip(found, labels, strict=False)]
    more = [json.dumps({"digest": "0" * 32, "answer": "ham"}), json.dumps({"digest": "1" * 32, "answer": "skip"}), ""]
    (box / "answers.jsonl").write_text("\n".join([*lines, *more]))
    shutil.copy(box / "f.deciban", box / "g.deciban")
    done = run("review", "f.deciban", "new", "--answers", "answers.jsonl")
    assert done.returncode == 0, done.stderr
    assert "1 answer left out: the message is not among those given." in done.stderr
    for each, label in zip(found, labels, strict=False):
        run("learn", "g.deciban", "--as", label, each["path"])
    inspected = [json.loads(run("inspect", path, "--json").stdout) for path in ("f.deciban", "g.deciban")]
    assert inspected[0]["classes"] == inspected[1]["classes"]
    assert (
        run("evaluate", "f.deciban", HELD_OUT, "--json").stdout
        == run("evaluate", "g.deciban", HELD_OUT, "--json").stdout
    )
    assert listed(run, "new") == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "a.jsonl:1: expected a JSON object; came '{'. Mend the line."),
        ('{"answer": "spam"}', "a.jsonl:1: expected an object with the digest of a message. Copy it from --json."),
        ('{"digest": "0", "answer": "egg"}', "a.jsonl:1: expected as answer ham, spam, skip or null; came egg."),
    ],
)
def test_answers_that_are_none_are_named(box, run, line, told):
    (box / "a.jsonl").write_text(line + "\n")
    before = (box / "f.deciban").read_bytes()
    done = run("review", "f.deciban", "new", "--answers", "a.jsonl")
    assert (done.returncode, done.stderr) == (65, f"deciban: {told}\n")
    assert (box / "f.deciban").read_bytes() == before


@pytest.fixture
def press(box, monkeypatch, capsys):
    """Answer at a terminal that has these keys."""

    def answer(keys):
        pressed = iter(keys)

        def key():
            found = next(pressed)
            if found == "^C":
                raise KeyboardInterrupt
            return found

        monkeypatch.setattr(review.click, "getchar", key)
        stored = store.read(box / "f.deciban")
        served, ledger = ServedText.from_stored(stored), Filter.load(box / "f.deciban").ledger
        found = find_candidates(served, ledger, [str(box / "new")], None, Remarks(True))
        review._ask_all(str(box / "f.deciban"), found)
        return capsys.readouterr().out

    return answer


def test_each_key_is_an_answer(box, run, press):
    groups = {each["group"]: each for each in reversed(listed(run, str(box / "new")))}  # the first of each
    assert len(groups) >= 2
    told = press(["x", "n", "y", "q"])
    assert f"1 of {len(groups)}   {groups[1]['path']}" in told
    assert "  From: " in told
    assert "  Subject: lunch and cheap pills" in told
    assert "\x1b" not in told
    left = {each["path"] for each in listed(run, str(box / "new"))}
    assert {groups[1]["path"], groups[2]["path"]}.isdisjoint(left)


def test_ctrl_c_keeps_what_was_answered_and_says_so(box, run, press):
    first = listed(run, str(box / "new"))[0]
    with pytest.raises(KeyboardInterrupt) as interruption:
        press(["y", "^C"])
    assert f"as {first['suggested']}" in interruption.value.__notes__[0]
    assert first["path"] not in {each["path"] for each in listed(run, str(box / "new"))}


def test_a_model_that_cannot_learn_is_refused_before_it_asks(box, run):
    run("train", TRAIN, "-o", "f.deciban", "--model", "svm", "-q")
    (box / "a.jsonl").write_text("")
    done = run("review", "f.deciban", "new", "--answers", "a.jsonl")
    assert done.returncode == 65
    assert "learns on and forgets" in done.stderr
    assert isinstance(listed(run, "new"), list)
