"""What flatters a table: columns that alone tell the label, and rows that were learnt. Both are named, and nothing
else."""

import numpy as np
import polars as pl
import pytest

from deciban.data.columns import Columns
from deciban.evaluation.leaks import find_leaks
from deciban.table_models.known_rows import KnownRows, hash_rows
from deciban.table_models.table_model import Rows
from deciban.tables.cells import read_cells
from deciban.tables.typed import learnt_from
from system.pages import read
from system.test_cli_typed_tables import HEADER, people, write_csv

FLATTER = "equal rows that the model was trained on, so the figures flatter"


def rows_of(path, label, **more):
    return Rows.of(learnt_from(read_cells(str(path)), label, **more), str(path))


def with_columns(path, columns, n=900):
    """People with more columns, each made of whether they buy and of a number."""
    rows, draw = people(n), np.random.default_rng(5)
    more = [tuple(make(row[-1] == "yes", draw.random()) for make in columns.values()) for row in rows]
    return write_csv(path, [(*row, *own) for row, own in zip(rows, more, strict=True)], (*HEADER, *columns))


@pytest.mark.parametrize(
    ("make", "leaks"),
    [
        (lambda yes, u: "alive" if yes else "dead", True),
        (lambda yes, u: 5 + yes, True),
        (lambda yes, u: f"{u + yes:.6f}", True),
        (lambda yes, u: f"{(u + 3.0) * (1 if yes else -1):.6f}", True),
        (lambda yes, u: (yes != (u < 0.001)) and "x", True),
        (lambda yes, u: "" if yes else f"{u:.3f}", True),
        (lambda yes, u: yes != (u < 0.05), False),
        (lambda yes, u: f"{u + 0.9 * yes:.6f}", False),
        (lambda yes, u: f"{u:.9f}", False),
    ],
)
def test_a_column_that_alone_tells_the_label_is_named(tmp_path, make, leaks):
    rows = rows_of(with_columns(tmp_path / "t.csv", {"other": make}), "buys")
    assert [leak.name for leak in find_leaks(rows)] == ["other"] * leaks


def test_every_verb_names_a_leak(run, tmp_path):
    with_columns(tmp_path / "t.csv", {"al ive": lambda yes, u: "y" if yes else "n"})
    warned = "Warning: column 'al ive' alone tells 'buys': 0 % wrong."
    for given in (
        ("train", "t.csv", "--label", "buys", "--model", "svm", "--report", "r.html"),
        ("evaluate", "model.deciban", "t.csv"),
        ("compare", "t.csv", "--label", "buys", "--models", "naive-bayes", "--sizes", "none"),
    ):
        done = run(*given)
        assert done.returncode == 0
        assert warned in done.stderr
        assert "leave it out: --ignore 'al ive'." in done.stderr
    assert "leaks        each alone tells the label: al ive (0 % wrong)" in run("inspect", "model.deciban").stdout
    assert any("al ive (0 %)" in text for text in read(tmp_path / "r.html").texts)
    done = run("train", "t.csv", "--label", "buys", "--model", "svm", "--ignore", "al ive")
    assert "Warning" not in done.stderr


@pytest.mark.parametrize("name", ["adult.csv:income", "mushroom.csv:class", "letter.csv:letter", "spambase.csv:spam"])
def test_no_column_of_real_tables_is_called_a_leak(data, name):
    path, _, label = name.partition(":")
    assert find_leaks(rows_of(data(path), label)) == []


# --- rows that were learnt -------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["naive-bayes", "svm"])
@pytest.mark.parametrize("end", ["csv", "jsonl"])
def test_an_evaluation_on_training_rows_says_so(run, tmp_path, model, end):
    write_csv(tmp_path / "t.csv", people(400))
    write_csv(tmp_path / "new.csv", people(400, seed=8))
    pl.read_csv(tmp_path / "t.csv").write_ndjson(tmp_path / "t.jsonl")
    run("train", f"t.{end}", "--label", "buys", "--model", model, "-o", "m.deciban")
    done = run("evaluate", "m.deciban", "t.csv", "--report", "r.html")
    assert f"Warning: all of these 400 rows {FLATTER}" in done.stderr
    assert any("400 of them were among its training data" in text for text in read(tmp_path / "r.html").texts)
    assert FLATTER in run("threshold", "m.deciban", "t.csv", "--cost", "no:yes=2").stderr
    done = run("evaluate", "m.deciban", "new.csv", "--json")
    assert done.stderr == ""
    assert '"learnt": 0' in done.stdout


def test_rows_that_are_equal_by_chance_are_not_called_known():
    """Of few cells in all, every row has been met before."""
    draw = np.random.default_rng(2)
    columns = Columns(("a", "b", "c"), ("number", "category", "number"), (None, tuple("abcde"), None))
    for n in (40, 400, 4000):
        for cells in (3, 5, 1000):
            X = draw.integers(0, cells, (n, 3)).astype(float)
            X[:, 1] %= 5
            labels = [str(each) for each in draw.integers(0, 2, n)]
            known, others = (KnownRows.of(hash_rows(columns, X[k::2], labels[k::2])) for k in (0, 1))
            assert known.find(others) == 0
            assert known.find(known) == n // 2
            every = known.plus(others)
            assert (every.minus(others).sums == known.sums).all()
            if cells == 1000:
                assert every.find(known) == pytest.approx(n // 2, rel=0.3)


def test_learning_on_and_forgetting_keeps_what_was_trained_on(run, tmp_path):
    write_csv(tmp_path / "t.csv", people(300))
    write_csv(tmp_path / "new.csv", people(9, seed=8))
    run("train", "t.csv", "--label", "buys", "--model", "naive-bayes")
    before = (tmp_path / "model.deciban").read_bytes()
    run("learn", "model.deciban", "new.csv")
    assert FLATTER in run("evaluate", "model.deciban", "t.csv").stderr
    run("forget", "model.deciban", "new.csv")
    assert (tmp_path / "model.deciban").read_bytes() == before


@pytest.mark.parametrize("kept", [None, 3, {}, {"n": 3}, {"n": 3, "sums": [1]}, {"n": 3, "sums": [0.5] * 2048}])
def test_a_damaged_sketch_is_none(kept):
    assert KnownRows.from_json(kept) is None
