"""A model of the texts of a table knows its columns: no verb asks for them again, whatever the format."""

import csv
import io
import json

import polars as pl
import pytest
from command import out, result, run

from deciban import store
from deciban.data import header_fields, text_layout

WORDS = {"pos": ["great", "재미있다", "superb", "최고"], "neg": ["awful", "지루하다", "dull", "최악"]}
ROWS = [(f"{WORDS[y][i % 4]} film {WORDS[y][i // 4 % 4]} {i}", y) for i in range(40) for y in WORDS]
TRAIN, TEST = ROWS[:60], ROWS[60:]
FORMATS = ["csv", "tsv", "jsonl", "parquet"]
MODELS = ["online", "naive-bayes"]


def write(path, rows, header=("review", "mood")):
    """A table of these rows, in the format that the name of the file says."""
    if path.suffix == ".parquet":
        pl.DataFrame(rows, schema=list(header), orient="row").write_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows))
    else:
        text = io.StringIO()
        csv.writer(text, delimiter="\t" if path.suffix == ".tsv" else ",").writerows([header, *rows])
        path.write_text(text.getvalue())


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for form in FORMATS:
        write(folder / f"test.{form}", TEST)
    write(folder / "train.csv", TRAIN)
    write(folder / "bare.csv", [row[:1] for row in TEST], ("review",))
    write(folder / "other.csv", TEST, ("body", "mood"))
    for model in (*MODELS, "nbsvm"):
        columns = ("--text", "review", "--label", "mood", "--model", model)
        out("train", "train.csv", *columns, "-o", f"{model}.deciban", "--quiet", cwd=folder)
    return folder


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("model", ["online", "naive-bayes", "nbsvm"])
def test_no_verb_asks_for_the_columns_again(here, model, form):
    file, table, named = f"{model}.deciban", f"test.{form}", ("--text", "review", "--label", "mood")
    for verb in (("evaluate",), ("threshold", "--cost", "pos:neg=2")):
        told = result(verb[0], file, table, *verb[1:], "--json", cwd=here)
        assert told == result(verb[0], file, table, *verb[1:], *named, "--json", cwd=here)
    judged = result("classify", file, table, "--json", cwd=here)
    assert judged == result("classify", file, table, "--text", "review", "--json", cwd=here)
    assert [each["source"] for each in judged] == [f"{table}:{i + 1}" for i in range(len(TEST))]
    row = result("explain", file, f"{table}:7", "--json", cwd=here)
    assert (row["source"], row["label"]) == (f"{table}:7", judged[6]["label"])
    assert row == result("explain", file, f"{table}:7", "--text", "review", "--json", cwd=here)
    assert result("classify", file, f"{table}:7", "--json", cwd=here) == judged[6]


@pytest.mark.parametrize("model", MODELS)
def test_rows_are_learnt_and_forgotten(here, model, tmp_path):
    file = tmp_path / f"{model}.deciban"
    file.write_bytes((here / file.name).read_bytes())
    before = file.read_bytes()
    assert result("learn", file, "test.csv:3", "--as", "neg", "--json", cwd=here)["outcomes"] == {"learnt": 1}
    # The label of its own column: another one.
    assert result("learn", file, "test.jsonl:3", "--json", cwd=here)["outcomes"] == {"relabelled": 1}
    done = result("learn", file, "test.parquet", "--json", cwd=here)
    assert done["outcomes"] == {"learnt": len(TEST) - 1, "already known": 1}
    whole = tmp_path / "whole.deciban"
    write(tmp_path / "all.csv", ROWS)
    columns = ("--text", "review", "--label", "mood", "--model", model)
    out("train", tmp_path / "all.csv", *columns, "-o", whole, "--quiet")
    out("refresh", file)
    told, wanted = (result("classify", each, "test.csv", "--json", cwd=here) for each in (file, whole))
    if model == "online":  # of naive Bayes the calibration is kept until it is trained anew
        assert told == wanted
    assert [each["label"] for each in told] == [each["label"] for each in wanted]
    assert result("forget", file, "test.tsv", "--json", cwd=here)["outcomes"] == {"forgotten": len(TEST)}
    assert result("forget", file, "test.tsv:3", "--json", cwd=here)["outcomes"] == {"forgotten": 1}
    out("refresh", file)
    assert file.read_bytes() == before


def test_what_is_doubtful_in_a_table_is_found(here):
    assert result("suspects", "online.deciban", "train.csv", "--json", cwd=here)["model"] == "online"
    flipped = [*TRAIN[:10], (TRAIN[10][0], {"pos": "neg", "neg": "pos"}[TRAIN[10][1]]), *TRAIN[11:]]
    write(here / "flipped.csv", flipped)
    for table, reason in (("flipped.csv", "labelled"), ("bare.csv", "its verdict is unsure")):
        lines = out("review", "online.deciban", table, "--json", cwd=here).splitlines()
        found = {each["path"]: each["why"] for each in map(json.loads, lines)}
        assert all(why.startswith(reason) for why in found.values())
        assert ("flipped.csv:11" in found) == (table == "flipped.csv")


def test_files_and_tables_and_standard_input_together(here):
    (here / "one.txt").write_text(TEST[0][0])
    table = (here / "bare.csv").read_bytes()
    judged = result("classify", "online.deciban", "one.txt", "bare.csv", "test.tsv:1", "--json", cwd=here)
    assert [each["source"] for each in judged] == [
        "one.txt", *(f"bare.csv:{i + 1}" for i in range(len(TEST))), "test.tsv:1",
    ]  # fmt: skip
    assert judged[0]["decibans"] == judged[1]["decibans"] == judged[-1]["decibans"]
    piped = result("classify", "online.deciban", "--format", "csv", "--json", cwd=here, input=table)
    assert [each["decibans"] for each in piped] == [each["decibans"] for each in judged[1:-1]]
    text = result("classify", "online.deciban", "--json", cwd=here, input=TEST[0][0].encode())
    assert text["decibans"] == judged[0]["decibans"]


def test_what_is_wrong_is_said_and_changes_nothing(here):
    files = {path: path.read_bytes() for path in here.glob("*.deciban")}
    missing = "expected a column 'review'; the columns are 'body', 'mood'. Choose one with --text."
    none = (
        "bare.csv: expected a column 'mood' of labels, as in the table that the model was trained on; there is none. "
        "Add --as LABEL, or --label COLUMN for another column."
    )
    write(here / "strange.csv", [("fine film", "pos"), ("dull film", "mixed")])
    strange = "strange.csv:2: expected one of the filter's labels, 'neg', 'pos'; got 'mixed'."
    for verb in ("classify", "evaluate", "explain", "threshold", "review", "learn", "forget"):
        more = ("--as", "pos") if verb == "learn" else ()
        assert said(here, 65, verb, "online.deciban", "other.csv", *more) == f"other.csv, line 1: {missing}"
    for model in MODELS:
        assert said(here, 65, "learn", f"{model}.deciban", "bare.csv") == none
        assert said(here, 65, "learn", f"{model}.deciban", "strange.csv") == strange
        assert said(here, 66, "learn", f"{model}.deciban", "test.csv:99", "--as", "pos") == (
            "test.csv: expected a row with the number 99; there are 20."
        )
        both = said(here, 64, "learn", f"{model}.deciban", "test.csv", "--as", "pos", "--label", "mood")
        assert both.startswith("Expected --as LABEL for all rows, or --label COLUMN; both came.")
    assert {path: path.read_bytes() for path in here.glob("*.deciban")} == files


def said(folder, code, *arguments):
    """What it says on standard error when it ends with this code."""
    done = run(*arguments, cwd=folder)
    assert done.returncode == code, done
    return done.stderr.decode().removeprefix("deciban: ").rstrip("\n")


def test_inspect_names_the_columns(here):
    told = out("inspect", "online.deciban", "--top", "0", cwd=here)
    assert "deciban train TABLE --text review --label mood --kind text --model online" in told
    assert result("inspect", "online.deciban", "--json", cwd=here)["origin"] == {"text": "review", "label": "mood"}


def test_an_origin_is_two_names(here):
    stored = store.read(here / "online.deciban")
    assert stored.header["origin"] == {"text": "review", "label": "mood"}
    header_fields.check_names(stored.header, "f")
    for wrong in (None, {}, {"text": "a"}, {"text": "a", "label": 1}, {"text": "a", "label": "b", "rows": "c"}):
        with pytest.raises(Exception, match="'origin' in its header to name a column of texts and one of labels"):
            text_layout.check({**stored.header, "origin": wrong}, stored.tensors, "f")
