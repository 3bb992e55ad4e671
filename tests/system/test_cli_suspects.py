"""`deciban suspects` on mail, files of text and tables: planted errors are named by their sources."""

import json
import random
import shutil

import numpy as np
import polars as pl
import pytest

from deciban import TextClassifier
from system.command import TRAIN

KEYS = {"source", "label", "suggested", "decibans", "probability", "kind", "reason", "copies"}


def letters(n=60):
    """(text, label) of two kinds; number 10 has the wrong label, and the last is a copy of number 0 under the other."""
    draw = random.Random(0)
    words = {label: [f"{label}{i}" for i in range(40)] for label in ("spam", "ham")}
    rows = [(" ".join(draw.sample(words[label], 12)), label) for label in ("spam", "ham") * (n // 2)]
    rows[10] = (rows[10][0], "ham")
    return [*rows, (rows[0][0] + " once more", "ham")]


@pytest.fixture
def lines(out):
    return lambda *arguments: [json.loads(line) for line in out("suspects", *arguments, "--jsonl").splitlines()]


def test_a_mailbox(lines, tmp_path):
    for label in ("spam", "ham"):
        shutil.copytree(TRAIN / label, tmp_path / label)
    first = min((tmp_path / "ham").iterdir())
    shutil.copy(first, tmp_path / "spam" / "again.eml")
    found = lines("spam=spam", "ham=ham")
    assert all(each.keys() == KEYS for each in found)
    assert found[0]["kind"] == "duplicate"
    assert found[0]["source"] in ("spam/again.eml", f"ham/{first.name}")
    assert found[0]["copies"] == [{"spam/again.eml": f"ham/{first.name}"}.get(found[0]["source"], "spam/again.eml")]
    assert {each["kind"] for each in found[1:]} <= {"confident", "likelier"}
    assert lines("spam=spam", "ham=ham") == found
    assert not [path for path in tmp_path.iterdir() if path.is_file()]


def test_texts_in_a_table_and_in_files_are_the_same(lines, out, tmp_path):
    rows = letters()
    pl.DataFrame(rows, schema=["text", "label"], orient="row").write_csv(tmp_path / "t.csv")
    for i, (text, label) in enumerate(rows):
        (tmp_path / "box" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "box" / label / f"{i}.txt").write_text(text)
    found = lines("t.csv", "--text", "text", "--label", "label", "--model", "naive-bayes")
    assert [each["source"] for each in found[:2]] == ["t.csv:61", "t.csv:11"]
    assert (found[0]["kind"], found[0]["suggested"], found[0]["copies"]) == ("duplicate", "spam", ["t.csv:1"])
    of_files = lines("box", "--kind", "text", "--model", "naive-bayes")
    assert [each["source"] for each in of_files[:2]] == ["box/ham/60.txt", "box/ham/10.txt"]
    assert [each["decibans"] for each in of_files] == pytest.approx([each["decibans"] for each in found])
    texts, labels = zip(*rows, strict=True)
    in_python = TextClassifier("naive-bayes").find_label_errors(texts, labels)
    assert [each.place + 1 for each in in_python] == [int(each["source"].split(":")[1]) for each in found]


@pytest.mark.parametrize("model", ["naive-bayes", "logistic"])
def test_typed_columns(model, lines, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    frame = pl.DataFrame({"size": rng.normal(size=120) + 6 * y, "job": np.array(["clerk", "judge"])[y], "y": y})
    frame = frame.with_columns(y=pl.when(pl.int_range(pl.len()) == 17).then(1 - pl.col("y")).otherwise(pl.col("y")))
    frame.write_csv(tmp_path / "t.csv")
    found = lines("t.csv", "--label", "y", "--model", model)
    assert found[0]["source"] == "t.csv:18"
    assert (found[0]["label"], found[0]["suggested"]) == ("0", "1")


def test_what_people_read_and_how_much_of_it(out, run, tmp_path):
    rows = letters()
    pl.DataFrame(rows, schema=["text", "label"], orient="row").write_csv(tmp_path / "t.csv")
    asked = ("suspects", "t.csv", "--text", "text", "--label", "label", "--model", "naive-bayes")
    told = run(*asked)
    assert told.stderr == ""
    head, alarms, empty, first, second, *_ = told.stdout.splitlines()
    assert alarms == "Of the 1 suspect that the model names, expect 0 to be right."
    assert head.startswith("About ")
    assert head.endswith("by naive-bayes.")
    assert empty == ""
    assert first.startswith("ham → spam  ")
    assert first.endswith(
        "t.csv:61  near-duplicates labelled 'spam': 1, 'ham': 1; a model that learnt neither prefers 'spam' (t.csv:1)"
    )
    assert "t.csv:11  a model that did not learn it gives 'spam' odds " in second
    whole = json.loads(out(*asked, "--json"))
    assert (whole["n"], whole["model"], whole["folds"], whole["classes"]) == (61, "naive-bayes", 5, ["ham", "spam"])
    assert whole["found"] == len(whole["suspects"])
    limited = out(*asked, "--limit", "1")
    assert f"{whole['found'] - 1:,} more: --limit {whole['found']} lists them all." in limited
    assert len(json.loads(out(*asked, "--json", "--limit", "1"))["suspects"]) == 1
    clean = [row for i, row in enumerate(rows) if i not in (10, 60)]
    pl.DataFrame(clean, schema=["text", "label"], orient="row").write_csv(tmp_path / "c.csv")
    assert out("suspects", "c.csv", "--text", "text", "--label", "label", "--model", "naive-bayes") == (
        "About 0 of 59 labels are wrong, by naive-bayes.\n"
        "No label is suspect: none of its near-duplicates, and no model of 5 folds, says otherwise.\n"
    )


def test_standard_input(out, tmp_path, monkeypatch):
    rows = letters()
    pl.DataFrame(rows, schema=["text", "label"], orient="row").write_csv(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        told = out("suspects", "-", "--text", "text", "--label", "label", "--model", "naive-bayes", "--jsonl")
    assert [json.loads(line)["source"] for line in told.splitlines()[:2]] == ["-:61", "-:11"]


def test_short_messages(lines, data):
    """Of 2 % of the labels turned round, most are found among the first."""
    frame = pl.read_parquet(data("sms.parquet"))[:2500]
    turned = np.random.default_rng(0).choice(len(frame), 50, replace=False)
    labels = frame["label"].to_numpy().copy()
    labels[turned] = np.where(labels[turned] == "spam", "ham", "spam")
    frame.with_columns(label=pl.Series(labels)).write_csv("sms.csv")
    found = lines("sms.csv", "--text", "text", "--label", "label", "--model", "logistic", "--limit", "50")
    places = {int(each["source"].split(":")[1]) - 1 for each in found}
    assert len(places & {*turned.tolist()}) >= 40
