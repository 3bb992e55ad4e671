"""Every verb reads its examples once, whatever it learns of them, and tokenises them once."""

import os
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from deciban.cli.group import deciban
from deciban.cli.labelled_items import MEMORY
from deciban.data.text_layout import MODELS
from deciban.mail import reading
from deciban.tables import cells as typed_tables
from deciban.tables import rows as tables
from system import command

pytestmark = pytest.mark.filterwarnings("ignore")


def messages(n):
    """Labels and mail, of which those of one class share some words."""
    for i in range(n):
        label, words = [("spam", "cheap pills"), ("ham", "lunch at noon")][i % 2]
        yield label, f"From: a{i}@b.example\nSubject: {words} {i % 7}\n\n{words} number {i} and {i * i % 31}\n"


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """Arguments for mail in two mailboxes and for texts in a table, of enough items for a choice of models."""
    folder = tmp_path_factory.mktemp("examples")
    boxes = {"spam": "", "ham": ""}
    lines = ["text,label"]
    for label, message in messages(220):
        boxes[label] += f"From x Mon Jan  1 00:00:00 2001\n{message}\n"
        lines.append(f'"{message}",{label}')
    for label, text in boxes.items():
        (folder / label).write_text(text)
    (folder / "texts.csv").write_text("\n".join(lines))
    table = [str(folder / "texts.csv"), "--text", "text", "--label", "label"]
    return {"mail": [f"{label}={folder / label}" for label in boxes], "text": table}


class Counted:
    """How often each item was given by what reads files and tables, and how many items came in all."""

    def __init__(self, monkeypatch):
        self.items, self.readings = 0, 0
        files, read = reading.Files, tables.read

        counted = self

        class CountedFiles:
            def __init__(self, *given):
                counted.readings += 1
                self.files = files(*given)

            def __iter__(self):
                for numbers, items in self.files:
                    counted.items += len(items)
                    yield numbers, items

            @property
            def gone(self):
                return self.files.gone

        def counted_rows(*given, **more):
            self.readings += 1
            for batch in read(*given, **more):
                self.items += len(batch.texts)
                yield batch

        monkeypatch.setattr(reading, "Files", CountedFiles)
        typed = typed_tables._read

        def counted_cells(*given):
            self.readings += 1
            for cells in typed(*given):
                self.items += len(cells)
                yield cells

        monkeypatch.setattr(tables, "read", counted_rows)
        monkeypatch.setattr(typed_tables, "_read", counted_cells)


def run(arguments):
    found = CliRunner().invoke(deciban, [str(each) for each in arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output


@pytest.mark.parametrize("report", [False, True], ids=["", "report"])
@pytest.mark.parametrize("model", ["auto", *MODELS])
@pytest.mark.parametrize("kind", ["mail", "text"])
def test_train_reads_each_item_once(examples, tmp_path, monkeypatch, kind, model, report):
    counted = Counted(monkeypatch)
    page = ["--report", tmp_path / "page.html"] if report else []
    run(["train", *examples[kind], "--model", model, "-o", tmp_path / "a.deciban", "--quiet", *page])
    assert (counted.items, counted.readings) == (220, 1)
    assert report == (tmp_path / "page.html").exists()


@pytest.mark.parametrize("verb", ["suspects", "compare"])
@pytest.mark.parametrize("kind", ["mail", "text"])
def test_verbs_of_many_fits_read_each_item_once(examples, monkeypatch, kind, verb):
    counted = Counted(monkeypatch)
    run([verb, *examples[kind], "--quiet"])
    assert (counted.items, counted.readings) == (220, 1)


@pytest.mark.parametrize("report", [False, True], ids=["", "report"])
@pytest.mark.parametrize("kind", ["mail", "text"])
def test_evaluate_reads_each_item_once(examples, tmp_path, monkeypatch, kind, report):
    run(["train", *examples[kind], "--model", "naive-bayes", "-o", tmp_path / "a.deciban", "--quiet"])
    counted = Counted(monkeypatch)
    page = ["--report", tmp_path / "page.html"] if report else []
    run(["evaluate", tmp_path / "a.deciban", *examples[kind], "--quiet", *page])
    assert (counted.items, counted.readings) == (220, 1)


def typed_columns(path):
    """A table of 220 rows in the file's format, and the arguments that name its label."""
    rng = np.random.default_rng(0)
    y = np.arange(220) % 2
    x = rng.normal(size=220) + y
    if path.suffix == ".svm":
        path.write_text("".join(f"{label} 1:{value:.3f}\n" for label, value in zip(y, x, strict=True)))
        return [path]
    frame = pl.DataFrame({"x": x, "place": np.where(x > rng.normal(size=220), "a", "b"), "y": np.array(["n", "p"])[y]})
    {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[path.suffix](path)
    return [path, "--label", "y"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "svm"])
@pytest.mark.parametrize("verb", ["train", "evaluate", "compare", "suspects"])
def test_verbs_read_each_row_of_typed_columns_once(tmp_path, monkeypatch, verb, suffix):
    table, model, page = typed_columns(tmp_path / f"a.{suffix}"), tmp_path / "a.deciban", tmp_path / "page.html"
    output = {"train": ["-o", model], "evaluate": [], "compare": [], "suspects": []}[verb]
    if verb == "evaluate":
        run(["train", *table, "--model", "naive-bayes", "-o", model, "--quiet"])
        table = [model, *table]
    counted = Counted(monkeypatch)
    run([verb, *table, *output, "--quiet", *(() if verb == "suspects" else ("--report", page))])
    assert (counted.items, counted.readings) == (220, 1)
    assert page.exists() == (verb != "suspects")


def test_a_page_shows_the_same_rows_of_a_file_and_of_standard_input(tmp_path):
    table, model, page = typed_columns(tmp_path / "a.csv"), tmp_path / "a.deciban", tmp_path / "page.html"
    run(["train", *table, "--model", "naive-bayes", "-o", model, "--quiet"])
    run(["evaluate", model, *table, "--quiet", "--report", page])
    rows = re.findall(re.escape(f"{table[0]}:") + r"(\d+)", page.read_text())
    arguments = ["evaluate", model, "-", "--format", "csv", "--quiet", "--report", page]
    done = command.run(*arguments, input=table[0].read_bytes())
    assert done.returncode == 0, done.stderr
    assert rows
    assert re.findall(r"standard input:(\d+)", page.read_text()) == rows


@pytest.mark.parametrize("model", ["auto", "nbsvm"])
def test_a_corpus_beyond_memory_gives_the_same_file(examples, tmp_path, monkeypatch, model):
    """Tokens and items are read back from temporary files, which leave nothing behind."""
    run(["train", *examples["text"], "--model", model, "-o", tmp_path / "a.deciban", "--quiet"])
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr("deciban.cli.labelled_items.MEMORY", 0)
    page = tmp_path / "page.html"
    run(["train", *examples["text"], "--model", model, "-o", tmp_path / "b.deciban", "--report", page, "--quiet"])
    assert (tmp_path / "a.deciban").read_bytes() == (tmp_path / "b.deciban").read_bytes()
    assert os.listdir(folder) == []
    assert MEMORY > 0


def test_where_there_is_no_room_for_temporary_files(examples, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    monkeypatch.setattr("deciban.cli.labelled_items.MEMORY", 0)
    output = tmp_path / "a.deciban"
    with pytest.raises(FileNotFoundError) as caught:
        run(["train", *examples["mail"], "--model", "nbsvm", "-o", output, "--quiet"])
    assert os.fspath(caught.value.filename) == str(tmp_path / "nowhere")
    assert not output.exists()


def test_what_is_said_where_there_is_no_room(examples, tmp_path):
    """The folder for temporary files is full, or nobody may write there: no model, one sentence, and the exit code."""
    environment = {**os.environ, "TMPDIR": str(tmp_path / "nowhere")}
    program = "from deciban.cli import labelled_items, main; labelled_items.MEMORY = 0; main()"
    arguments = ["train", *examples["text"], "--model", "nbsvm", "-o", str(tmp_path / "a.deciban")]
    done = subprocess.run([sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (66, 1)
    assert f"{tmp_path / 'nowhere'}: " in done.stderr
    assert not (tmp_path / "a.deciban").exists()
