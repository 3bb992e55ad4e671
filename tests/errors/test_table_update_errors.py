"""What learn and forget say of tables when something is wrong: the exact words, and that nothing changes."""

import signal

import pytest

from deciban.cli import status

TABLE = "age,job,y\n" + "".join(f"{20 + i * 7 % 31},{'abc'[i % 3]},{'yes' if i % 3 else 'no'}\n" for i in range(30))


@pytest.fixture
def said(capsys, tmp_path, monkeypatch):
    """One line on stderr and the exit code, in a folder with a table and models of it, which stay as they are."""
    monkeypatch.chdir(tmp_path)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    (tmp_path / "t.csv").write_text(TABLE)
    for name, model in (("m", "naive-bayes"), ("d", "discriminant")):
        words = ["train", "t.csv", "--label", "y", "--model", model, "-o", f"{name}.deciban", "-q"]
        assert status(words) == 0
    files = {path: path.read_bytes() for path in tmp_path.glob("*.deciban")}

    def inside(code, *arguments, **tables):
        for name, text in tables.items():
            (tmp_path / f"{name}.csv").write_text(text)
        capsys.readouterr()
        assert status([str(argument) for argument in arguments]) == code
        told = capsys.readouterr().err
        assert told.startswith("deciban: ")
        assert {path: path.read_bytes() for path in tmp_path.glob("*.deciban")} == files
        return told.removeprefix("deciban: ").rstrip("\n")

    yield inside
    for number, handler in before.items():
        signal.signal(number, handler)


def test_columns_that_do_not_fit(said):
    for model in ("m", "d"):
        assert said(65, "learn", f"{model}.deciban", "c.csv", c="Age,job,y\n30,a,no\n") == (
            "c.csv: expected the columns that were learnt; 'age' is missing. Is it 'Age' there? Rename it."
        )
        assert said(65, "learn", f"{model}.deciban", "c.csv", c="age,job\n30,a\n") == (
            "c.csv: expected a column 'y'; the columns are 'age', 'job'. Choose one with --label."
        )
        assert said(65, "learn", f"{model}.deciban", "c.csv", c="age,job,y\n30,a,no\nold,a,no\n") == (
            "c.csv, line 3: expected a number in column 'age'; came 'old'. Correct it, or leave it empty."
        )


def test_labels_that_were_never_learnt(said):
    for verb in ("learn", "forget"):
        assert said(65, verb, "m.deciban", "l.csv", l="age,job,y\n30,a,no\n30,a,ye\n") == (
            "l.csv, line 3: expected one of the model's labels, 'no', 'yes'; got 'ye'. Did you mean 'yes'?"
        )
        assert said(65, verb, "m.deciban", "t.csv", "--as", "maybe") == (
            "expected one of the model's labels, 'no', 'yes'; got 'maybe'."
        )
        assert said(65, verb, "m.deciban", "l.csv", l="age,job,y\n30,a,\n") == (
            "l.csv, line 2: expected a label in column 'y'; it is empty. Fill it in, or remove the row."
        )
        assert said(64, verb, "m.deciban", "t.csv", "--as", "no", "--label", "y") == (
            "Expected --as LABEL for all rows, or --label COLUMN; both came. Leave one out."
        )


def test_categories_that_were_never_learnt(said):
    assert said(65, "learn", "d.deciban", "n.csv", n="age,job,y\n30,a,no\n30,z,no\n") == (
        "n.csv, line 3: expected one of the categories learnt in column 'job', 'a', 'b', 'c'; came 'z'. This model "
        "learns no new categories: leave the cell empty, or train anew with all rows."
    )
    for model in ("m", "d"):
        assert said(65, "forget", f"{model}.deciban", "n.csv", n="age,job,y\n30,z,no\n") == (
            "n.csv, line 2: expected one of the categories learnt in column 'job', 'a', 'b', 'c'; came 'z'. What was "
            "never learnt cannot be forgotten: leave the row out."
        )


def test_more_than_was_learnt(said):
    assert said(65, "forget", "m.deciban", "n.csv", n="age,job,y\n" + "20,b,no\n") == (
        "n.csv: cannot forget more than was learnt: category 1 of feature 'job' in class 'no': 0 learnt, 1 to forget; "
        "forget only what was learnt, with the same label and weight. Nothing was changed."
    )
    for model in ("m", "d"):
        assert said(65, "forget", f"{model}.deciban", "t.csv") == (
            "Expected that something is left in the model; this is all it knows. Delete its file instead."
        )
        rows = [line for line in TABLE.splitlines() if line.endswith(("y", "no"))]
        assert said(65, "forget", f"{model}.deciban", "no.csv", no="\n".join(rows) + "\n") == (
            "no.csv: expected that rows of every class are left; 'no' would have none. Train anew without that class."
        )


def test_options_of_tables_with_a_filter_of_texts(said, tmp_path):
    for label, text in (("spam", "cheap pills"), ("ham", "lunch at noon")):
        (tmp_path / label).mkdir()
        (tmp_path / label / "a.txt").write_text(text)
    assert status(["train", "spam=spam", "ham=ham", "--kind", "text", "-o", "f.bin", "-q"]) == 0
    for option, value in (("--label", "y"), ("--format", "csv"), ("--encoding", "cp949")):
        assert said(64, "learn", "f.bin", "--as", "spam", option, value) == (
            f"Expected no {option} with messages or texts in files; {option} {value} came. Leave it out."
        )
    assert said(64, "learn", "f.bin", "spam/a.txt") == "Missing option '--as'. See deciban learn --help."


def test_numbers_whose_squares_are_beyond_a_float64(said):
    told = "column 'age' is 1e+300, whose square is beyond a float64: give the feature in a larger unit"
    assert said(65, "learn", "m.deciban", "h.csv", h="age,job,y\n30,a,no\n1e300,a,no\n") == (
        f"h.csv, line 3: {told}. Nothing was changed."
    )
    table = TABLE.replace("34,c,yes", "1e300,c,yes", 1)
    row = table.splitlines().index("1e300,c,yes")
    for model in ("naive-bayes", "auto"):
        assert said(65, "train", "h.csv", "--label", "y", "--model", model, "-o", "x.bin", h=table) == (
            f"h.csv, row {row}: {told}, or leave it out: --ignore."
        )
