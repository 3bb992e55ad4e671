"""`deciban compare` on mail, files of text and tables: what it tells is what Python finds."""

import json
import random
import signal
import subprocess

import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer

import deciban
from deciban.table_models.recipes import TableRecipe
from system.command import PROGRAM, TRAIN
from system.pages import read

TEXT = ("--text", "글", "--label", "label")
FEW = ("--models", "naive-bayes,svm", "--folds", "3", "-j", "1")


def letters(n=60):
    draw = random.Random(0)
    own = {"spam": [f"대출{i}" for i in range(20)], "ham": [f"점심{i}" for i in range(20)]}
    both = [f"word{i}" for i in range(40)]
    return [
        (" ".join(draw.sample(own[label], 2) + draw.sample(both, 6)), label) for label in ("spam", "ham") * (n // 2)
    ]


@pytest.fixture
def table(tmp_path):
    pl.DataFrame(letters(), schema=["글", "label"], orient="row").write_csv(tmp_path / "t.csv")


@pytest.fixture
def columns(tmp_path):
    draw = random.Random(0)
    rows = [(round(draw.gauss(40, 9), 2), draw.choice(["clerk", "judge"])) for _ in range(80)]
    told = [(age, job, "네" if age + 9 * (job == "judge") + draw.gauss(0, 5) > 43 else "아니요") for age, job in rows]
    pl.DataFrame(told, schema=["age", "job", "buys"], orient="row").write_csv(tmp_path / "p.csv")


def figures(told):
    return [(row["model"], row["error"], row["log_loss"], row["size"]) for row in told["models"]]


def test_texts_in_a_table_in_files_and_from_python_are_the_same(out, run, table, tmp_path, monkeypatch):
    for i, (text, label) in enumerate(letters()):
        (tmp_path / "box" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "box" / label / f"{i:03}.txt").write_text(text)
    found = json.loads(out("compare", "t.csv", *TEXT, *FEW, "--sizes", "20", "--json"))
    texts, labels = zip(*letters(), strict=True)
    python = deciban.compare(["naive-bayes", "svm"], texts, labels, folds=3, sizes=[20], n_jobs=1).to_json()
    assert figures(found) == figures(python)
    assert found["pairs"] == python["pairs"]
    assert [[point["error"] for point in row["curve"]] for row in found["models"]] == [
        [point["error"] for point in row["curve"]] for row in python["models"]
    ]
    with (tmp_path / "t.csv").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert figures(json.loads(out("compare", "-", *TEXT, *FEW, "--json"))) == figures(found)
    of_files = json.loads(out("compare", "box", "--kind", "text", *FEW, "--sizes", "none", "--json"))
    assert (of_files["n"], of_files["classes"]) == (60, ["ham", "spam"])
    assert [len(row["curve"]) for row in of_files["models"]] == [1, 1]
    assert not [path for path in tmp_path.iterdir() if path.is_file() and path.suffix != ".csv"]


def test_a_mailbox(out, run, monkeypatch):
    found = json.loads(out("compare", TRAIN, *FEW, "--sizes", "none", "--json"))
    assert all(row["error"] < 0.4 for row in found["models"])
    monkeypatch.setattr("deciban.cli.labelled_items.MEMORY", 0)  # their tokens, from the disk for every fit
    assert figures(json.loads(out("compare", TRAIN, *FEW, "--sizes", "none", "--json"))) == figures(found)


def test_typed_columns_and_what_people_read(out, run, columns):
    told = run("compare", "p.csv", "--label", "buys", *FEW, "--sizes", "20")
    assert told.stderr == ""
    head, _, names, bayes, svm, _, statement, *_ = told.stdout.splitlines()
    assert head == "80 examples of 2 classes, each judged by models that did not learn it: 3 folds."
    assert names.split() == ["model", "error", "95", "%", "interval", "log", "loss", "fit", "judge", "size"]
    assert (bayes.split()[0], svm.split()[0]) == ("naive-bayes", "svm")
    assert " errs least, " in statement
    assert "error, by examples learnt       20" in told.stdout
    whole = json.loads(out("compare", "p.csv", "--label", "buys", "--folds", "2", "--sizes", "none", "--json"))
    assert [row["model"] for row in whole["models"]] == ["naive-bayes", "discriminant", "logistic", "svm"]
    assert all(row["size_of_file"] for row in whole["models"])


def test_no_time(out, columns):
    told = out("compare", "p.csv", "--label", "buys", *FEW, "--time-limit", "0")
    assert told.endswith("Not all was done: the time limit was reached.\n\nLeft out: svm: the time limit was reached\n")


@pytest.fixture
def interrupted(monkeypatch):
    """Ctrl-C comes when the SVM is to be learnt."""
    learn = TableRecipe.learn

    def interrupting(recipe, *arguments, **more):
        if recipe.model == "svm":
            signal.raise_signal(signal.SIGINT)
        return learn(recipe, *arguments, **more)

    monkeypatch.setattr(TableRecipe, "learn", interrupting)


@pytest.mark.usefixtures("interrupted")
def test_ctrl_c_tells_what_is_done_and_ends_as_ctrl_c_does(run, columns):
    done = run("compare", "p.csv", "--label", "buys", *FEW, "--json")
    assert (done.returncode, done.stderr) == (130, "Interrupted: what was finished by then is told.\n")
    told = json.loads(done.stdout)
    assert ([row["model"] for row in told["models"]], told["ended"]) == (["naive-bayes"], "interrupt")
    done = run("compare", "p.csv", "--label", "buys", *FEW, "--models", "svm")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted: nothing was written.\n")


def test_a_page_of_what_was_compared(run, columns, tmp_path):
    given = ("compare", "p.csv", "--label", "buys", *FEW, "--sizes", "20", "--report", "r.html")
    done = run(*given, "--json")
    assert (done.returncode, done.stderr) == (0, "Wrote r.html.\n")
    told, page = json.loads(done.stdout), read(tmp_path / "r.html")
    assert f"deciban {' '.join(given)} --json" in page.texts
    for row in told["models"]:
        assert {row["model"], f"{row['log_loss']:.4f}"} <= set(page.texts)
    assert "linear support vector machine" in page.texts
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "r.html"]
    assert run(*given, "--language", "ko", "--time-limit", "0", "-q").stderr == ""
    page = read(tmp_path / "r.html", "ko")
    assert {"모형 비교", "서포트 벡터 머신", "나이브 베이즈", "시간제한에 도달함"} & set(page.texts) >= {
        "모형 비교",
        "시간제한에 도달함",
    }


@pytest.mark.usefixtures("interrupted")
def test_the_page_of_an_interrupted_comparison_says_so(run, columns, tmp_path):
    given = ("compare", "p.csv", "--label", "buys", *FEW, "--sizes", "20", "--report", "r.html")
    done = run(*given)
    assert (done.returncode, done.stderr) == (
        130,
        "Wrote r.html.\nInterrupted: r.html had been written, what was finished by then is told.\n",
    )
    assert any("Ctrl-C" in text for text in read(tmp_path / "r.html").texts)


def test_who_reads_no_more_ends_it_quietly(columns, tmp_path):
    with subprocess.Popen(
        [*PROGRAM, "compare", "p.csv", "--label", "buys", *FEW, "--sizes", "none"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        told = process.stderr.read()
    assert (process.returncode, told) == (141, b"")


def test_breast_cancer():
    """Real measurements: a line beats naive Bayes, whose columns are far from independent, beyond doubt."""
    X, y = load_breast_cancer(return_X_y=True)
    found = deciban.compare(["naive-bayes", "logistic"], X, y, folds=3, sizes=(), n_jobs=1)
    assert found["logistic"].error < 0.04 < 0.05 < found["naive-bayes"].error < 0.12
    assert (found.best, found.simplest, found.pairs[0].real) == ("logistic", "logistic", True)
    assert ("one deal of 3 folds tells little" in " ".join(str(found).split())) == (found.pairs[0].t_p > 0.05)


def test_short_messages(out, data):
    frame = pl.read_parquet(data("sms.parquet"))[:1500]
    frame.write_csv("sms.csv")
    told = json.loads(out("compare", "sms.csv", "--text", "text", "--label", "label", *FEW, "--sizes", "100", "--json"))
    assert told["copies"] > 20
    for row in told["models"]:
        assert row["error"] < 0.04
        assert row["curve"][0]["error"] > row["error"]
