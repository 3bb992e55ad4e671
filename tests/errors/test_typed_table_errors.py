"""What the command says of tables of typed columns when something is wrong: the exact words, and the exit code."""

import signal

import polars
import pytest

from deciban.cli import status

TABLE = "id,age,job,y\n" + "".join(
    f"{i},{20 + i * 7 % 31},{'abc'[i % 3]},{'yes' if i % 3 else 'no'}\n" for i in range(30)
)


@pytest.fixture
def said(capsys, tmp_path, monkeypatch):
    """One line on stderr and the exit code, in a folder with a table and a model of it."""
    monkeypatch.chdir(tmp_path)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    (tmp_path / "t.csv").write_text(TABLE)
    assert status(["train", "t.csv", "--label", "y", "--model", "logistic", "-o", "m.deciban", "-q"]) == 0

    def inside(code, *arguments, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.csv").write_text(text)
        capsys.readouterr()
        assert status([str(argument) for argument in arguments]) == code
        told = capsys.readouterr().err
        assert told.startswith("deciban: ")
        assert not (tmp_path / "model.deciban").exists()
        return told.removeprefix("deciban: ").rstrip("\n")

    yield inside
    for number, handler in before.items():
        signal.signal(number, handler)


def test_the_column_of_labels(said):
    assert said(65, "train", "t.csv", "--label", "Y ") == (
        "t.csv: expected a column 'Y '; the columns are 'id', 'age', 'job', 'y'. Did you mean 'y'?"
    )
    assert said(65, "train", "t.csv", "--label", "price") == (
        "t.csv: expected a column 'price'; the columns are 'id', 'age', 'job', 'y'. Choose one with --label."
    )
    assert said(65, "train", "gap.csv", "--label", "y", gap="age,y\n1,no\n2,\n3,yes\n") == (
        "gap.csv, line 3: expected a label in column 'y'; it is empty. Fill it in, or remove the row."
    )
    assert said(65, "train", "one.csv", "--label", "y", one="age,y\n1,no\n2,no\n") == (
        "one.csv: expected items of at least two classes; all 2 are 'no'. Add another class, or name another column "
        "with --label."
    )


def test_tables_of_nothing(said):
    assert said(65, "train", "e.csv", "--label", "y", e="") == "e.csv: expected a table; the file is empty."
    assert said(65, "train", "h.csv", "--label", "y", h="age,y\n") == (
        "h.csv: expected rows under the header; there are none."
    )
    assert said(65, "train", "l.csv", "--label", "y", l="y\nno\nyes\n") == (
        "l.csv: expected a column to learn from; there is none but the labels. Bring more columns, or name one with "
        "--category or --number to learn from it all the same."
    )
    texts = "text,y\n" + "".join(f"film {i} was good,{'yes' if i % 2 else 'no'}\n" for i in range(30))
    assert said(65, "train", "x.csv", "--label", "y", x=texts) == (
        "x.csv: expected a column to learn from; 'text' is left out: its text is another in most rows. "
        "If it is text to be read, add --text text."
    )
    assert said(65, "train", "twice.csv", "--label", "y", twice="a,a,y\n1,2,no\n") == (
        "twice.csv, line 1: expected one column 'a'; there are 2. Rename the others."
    )


def test_models_and_options_of_texts(said):
    assert said(64, "train", "t.csv", "--label", "y", "--model", "nbsvm") == (
        "Expected a model of typed columns; nbsvm weighs the words of texts. Add --text COLUMN, or choose naive-bayes, "
        "discriminant, logistic, svm, perceptron, least-squares, kernel-svm or mlp."
    )
    assert said(64, "train", "t.csv", "--label", "y", "--words", "1,2") == (
        "Expected --words only with --text COLUMN; without it the columns are typed."
    )
    assert said(64, "train", "t.csv", "--label", "y", "--kind", "mail") == (
        "Expected --kind only of files and texts; mail came for a table of typed columns."
    )
    assert said(64, "train", "t.csv", "--label", "y", "--text", "job", "--model", "discriminant") == (
        "Expected --model discriminant for typed columns, a table with --label alone; these are texts."
    )
    assert said(64, "train", "t.csv", "--label", "y", "--text", "job", "--ignore", "id") == (
        "Expected --ignore only for typed columns, a table with --label alone; these are texts."
    )
    assert said(64, "train", "t.csv", "--label", "y", "--model", "naive-bayes", "-C", "2") == (
        "Expected -C only with --model logistic or svm or kernel-svm; the model is naive-bayes."
    )
    assert said(64, "train", "t.csv", "t.csv", "--label", "y") == ("Expected one table with --label; 2 arguments came.")
    assert said(64, "train", "t.csv", "--label", "y", "--ignore", "job", "--category", "job") == (
        "Expected each column in one role; 'job' has another one beside --category."
    )
    assert said(65, "train", "t.csv", "--label", "y", "--ignore", "agee") == (
        "t.csv: expected a column 'agee'; the columns are 'id', 'age', 'job', 'y'. Did you mean 'age'?"
    )


def test_cells(said, tmp_path):
    assert said(65, "train", "n.csv", "--label", "y", "--number", "age", n="age,y\n1,no\nold,yes\n") == (
        "n.csv, line 3: expected a number in column 'age'; came 'old'. Correct it, or leave it empty."
    )
    (tmp_path / "o.jsonl").write_text('{"age": 1, "y": "no"}\n{"age": [2], "y": "yes"}\n')
    assert said(65, "train", "o.jsonl", "--label", "y") == (
        "o.jsonl, line 2: expected a number, text, or true or false in column 'age'; came a list. "
        "Make a column of what matters in it, or leave it out: --ignore age."
    )
    (tmp_path / "m.jsonl").write_text('{"age": 1, "y": "no"}\n{"age": "old", "y": "yes"}\n')
    assert said(65, "train", "m.jsonl", "--label", "y") == (
        "column 'age': expected values of one type; came 1 and 'old'. Write all as numbers, or say --category age."
    )
    frame = polars.DataFrame({"when": ["2026-01-02", "2026-01-03"], "y": ["no", "yes"]})
    frame.with_columns(polars.col("when").str.to_date()).write_parquet(tmp_path / "d.parquet")
    assert said(65, "train", "d.parquet", "--label", "y") == (
        "d.parquet, row 1: expected a number, text, or true or false in column 'when'; came a value of type date. "
        "Make a column of what matters in it, or leave it out: --ignore when."
    )
    (tmp_path / "s.svm").write_text("1 1:2\n-1 2=3\n")
    assert said(65, "train", "s.svm") == (
        "s.svm, line 2: expected index:value; came '2=3'. If this is CSV, rename it to end in .csv."
    )


def test_judging_rows(said):
    assert said(65, "classify", "m.deciban", "g.csv", g="Age,job\n30,a\n") == (
        "g.csv: expected the columns that were learnt; 'age' is missing. Is it 'Age' there? Rename it."
    )
    assert said(65, "classify", "m.deciban", "g.csv", g="weight\n30\n") == (
        "g.csv: expected the columns that were learnt; 'age', 'job' are missing. "
        "Add what is missing; its cells may be empty."
    )
    assert said(65, "classify", "m.deciban", "w.csv", w="age,job\n30,a\nforty,b\n") == (
        "w.csv, line 3: expected a number in column 'age'; came 'forty'. Correct it, or leave it empty."
    )
    assert said(64, "classify", "m.deciban", "t.csv", "--text", "job") == (
        "Expected no --text with a model of typed columns; --text job came. Leave it out."
    )
    assert said(66, "explain", "m.deciban", "t.csv:31") == ("t.csv: expected a row with the number 31; there are 30.")
    assert said(64, "evaluate", "m.deciban", "yes=t.csv") == (
        "Expected a table with its labels in a column, as this model judges rows; came yes=t.csv. "
        "Name the table, and the column with --label."
    )
    assert said(65, "evaluate", "m.deciban", "u.csv", u="age,job\n30,a\n") == (
        "u.csv: expected a column 'y'; the columns are 'age', 'job'. Choose one with --label."
    )
    assert said(65, "learn", "m.deciban", "--as", "yes", "t.csv") == (
        "expected a model that counts, to learn on and forget; this one is 'logistic', learnt by minimising over all "
        "rows at once. Train anew with all of them, or train with --model naive-bayes, discriminant or least-squares."
    )


@pytest.mark.parametrize("more", [(), ("--text", "a")])
def test_a_label_that_nearly_every_row_has_for_itself(said, more):
    rows = "id,a\n" + "".join(f"r{i},{i % 7}\n" for i in range(1500))
    assert said(65, "train", "long.csv", "--label", "id", *more, long=rows) == (
        "--label id names a column with 1,500 distinct values in 1,500 rows; is it the label? A column with few "
        "values, each of many rows, is expected. Name another one with --label."
    )
