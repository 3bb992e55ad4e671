"""Models of typed columns that learn on and forget through the command."""

import json
import os

import numpy as np
import pytest
from numpy.testing import assert_allclose

import deciban
from deciban import NaiveBayes, store
from system.test_cli_typed_tables import HEADER, people, write_csv

COUNTING = ("naive-bayes", "discriminant", "least-squares")


@pytest.fixture
def result(out):
    return lambda *arguments: json.loads(out(*arguments, "--json"))


@pytest.fixture
def split(tmp_path):
    """One table in two halves; the second brings a category of its own, and has its columns in another order."""
    rows = [tuple(map(_whole, row)) for row in people(300)]
    write_csv(tmp_path / "first.csv", rows[:200])
    write_csv(tmp_path / "all.csv", rows)
    write_csv(tmp_path / "second.csv", [row[::-1] for row in rows[200:]], HEADER[::-1])
    return rows


def _whole(cell):
    """Sums of whole numbers are exact."""
    return round(100 * cell) if isinstance(cell, float) else cell


def tensors(path):
    return {name: tensor.array() for name, tensor in store.read(path, tables=True).tensors.items()}


# --- what was learnt and forgotten was never learnt ------------------------------------------------------


@pytest.mark.parametrize("model", COUNTING)
def test_what_is_learnt_and_forgotten_was_never_learnt(model, result, out, split, tmp_path):
    out("train", "first.csv", "--label", "buys", "--model", model, "-o", "m.deciban", "-q")
    path = tmp_path / "m.deciban"
    before, verdicts = path.read_bytes(), result("classify", "m.deciban", "all.csv")
    told = result("learn", "m.deciban", "second.csv")
    assert (told["n"], told["outcomes"], told["filter"]) == (100, {"learnt": 100}, "m.deciban")
    assert sum(result("inspect", "m.deciban")["classes"].values()) == 300
    assert path.read_bytes() != before
    assert out("forget", "m.deciban", "second.csv") == "Forgot 100 rows.\n"
    if model == "naive-bayes":
        assert path.read_bytes() == before
    after = result("classify", "m.deciban", "all.csv")
    assert_allclose([each["decibans"] for each in after], [each["decibans"] for each in verdicts], rtol=1e-8)


def test_learning_is_training_with_more(out, split, tmp_path):
    rows = [(*row[:1], "pilot" if i > 280 else row[1], *row[2:]) for i, row in enumerate(split)]
    write_csv(tmp_path / "more.csv", rows[200:])
    write_csv(tmp_path / "all.csv", rows)
    for table, path in (("first.csv", "m.deciban"), ("all.csv", "whole.deciban")):
        out("train", table, "--label", "buys", "--model", "naive-bayes", "-o", path, "-q")
    before = (tmp_path / "m.deciban").read_bytes()
    assert out("learn", "m.deciban", "more.csv") == "Learnt 100 rows.\n"
    learnt, whole = (deciban.load(tmp_path / name) for name in ("m.deciban", "whole.deciban"))
    assert learnt.scaling_ != whole.scaling_  # it is that of the examples of the training
    for name, model in (("learnt", learnt), ("anew", whole)):
        model.scaling_ = None
        model.save(tmp_path / name)
    assert (tmp_path / "learnt").read_bytes() == (tmp_path / "anew").read_bytes()
    out("forget", "m.deciban", "more.csv", "-q")  # and the new category with it
    assert (tmp_path / "m.deciban").read_bytes() == before


@pytest.mark.parametrize("model", ["discriminant", "least-squares"])
def test_the_statistic_is_that_of_all_rows_over_the_features_of_the_first(model, out, split, tmp_path):
    out("train", "first.csv", "--label", "buys", "--model", model, "-o", "m.deciban", "-q")
    for _ in range(2):  # the same again counts again
        out("learn", "m.deciban", "second.csv", "-q")
    found = deciban.load(tmp_path / "m.deciban")
    rows = split + split[200:]
    index = {None: np.nan, "clerk": 0, "judge": 1, "nurse": 2, False: 0, True: 1}
    matrix = np.array(
        [[np.nan if a is None else a, index[b], index[c], np.nan if d is None else d] for a, b, c, d, _ in rows],
        dtype=float,
    )
    y = np.array([row[-1] for row in rows])
    anew = (
        deciban.GaussianDiscriminant(shrinkage="auto")
        if model == "discriminant"
        else (deciban.LeastSquaresClassifier(calibration=None))
    )
    anew.fit(found.coding(matrix), y)
    scale = 1.0 if found.calibrator is None else found.calibrator
    line = found.scaling
    slope, offset = (scale, 0.0) if line is None else (line.slope, np.array(line.offset))
    assert_allclose(found.scorer.W, slope * anew.scorer_.W, rtol=1e-6, atol=1e-9)
    assert_allclose(found.scorer.prior, slope * np.asarray(anew.scorer_.bias) + offset, rtol=1e-6, atol=1e-9)
    assert found.items.tolist() == [np.sum(y == label) for label in found.classes]
    assert found.certificate().n == 400


# --- where labels come from, and what is told ----------------------------------------------------------------


def test_one_row_moves_the_verdict(result, out, run, tmp_path):
    write_csv(tmp_path / "t.csv", people(60))
    out("train", "t.csv", "--label", "buys", "--model", "naive-bayes", "-o", "m.deciban", "-q")
    before = result("classify", "m.deciban", "t.csv:3")
    other = next(label for label in ("no", "yes") if label != before["label"])
    told = result("learn", "m.deciban", "t.csv:3", "--as", other)
    assert (told["n"], told["label"], told["outcomes"]) == (1, other, {"learnt": 1})
    assert told["before"]["decibans"] == before["decibans"]
    assert told["after"]["probability"][other] > told["before"]["probability"][other]
    assert result("classify", "m.deciban", "t.csv:3")["decibans"] == told["after"]["decibans"]
    lines = out("forget", "m.deciban", "t.csv:3", "--as", other).splitlines()
    assert lines[0] == "Forgot 1 row."
    assert "dB" in lines[1]


def test_labels_are_in_a_column_or_are_all_the_same(out, split, tmp_path, monkeypatch):
    out("train", "first.csv", "--label", "buys", "--model", "naive-bayes", "-o", "m.deciban", "-q")
    path = tmp_path / "m.deciban"
    before = path.read_bytes()
    out("learn", "m.deciban", "second.csv")
    learnt = path.read_bytes()
    path.write_bytes(before)
    renamed = [name.replace("buys", "said") for name in HEADER]
    write_csv(tmp_path / "renamed.csv", split[200:], renamed)
    out("learn", "m.deciban", "renamed.csv", "--label", "said")
    assert path.read_bytes() == learnt
    path.write_bytes(before)
    for label in ("no", "yes"):
        write_csv(tmp_path / f"{label}.tsv", [row[:-1] for row in split[200:] if row[-1] == label], HEADER[:-1], "\t")
    assert out("learn", "m.deciban", "no.tsv", "--as", "no").startswith("Learnt ")
    with (tmp_path / "yes.tsv").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        out("learn", "m.deciban", "--as", "yes", "--format", "tsv", "-q")
    assert path.read_bytes() == learnt


def test_models_saved_from_python_learn_on(out, result, split, tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = polars.read_csv(tmp_path / "first.csv")
    more = polars.read_csv(tmp_path / "second.csv").select(HEADER)
    for likelihood in ("auto", {"age": "poisson", "job": "categorical", "married": "bernoulli", "income": "gaussian"}):
        model = NaiveBayes(likelihood).fit(frame.drop("buys"), frame["buys"])
        model.save(tmp_path / "m.deciban")
        result("learn", "m.deciban", "second.csv", "--label", "buys")
        model.partial_fit(more.drop("buys"), more["buys"]).save(tmp_path / "python.deciban")
        mine, theirs = tensors(tmp_path / "m.deciban"), tensors(tmp_path / "python.deciban")
        assert mine.keys() == theirs.keys()
        assert all(np.array_equal(mine[name], theirs[name]) for name in mine)
    numbers = frame.select("age", polars.col("income").abs()).fill_null(1)
    model = NaiveBayes().fit(pandas.DataFrame(numbers.to_dict(as_series=False)), frame["buys"].to_list())
    model.save(tmp_path / "m.deciban")
    more.select("age", "income", "buys").fill_null(1).filter(polars.col("income") > 0).write_csv(
        tmp_path / "counts.csv"
    )
    result("learn", "m.deciban", "counts.csv", "--label", "buys")
    assert deciban.load(tmp_path / "m.deciban").class_count_.sum() > 290


# --- all or nothing ------------------------------------------------------------------------------------------


def test_whatever_is_wrong_changes_nothing(run, out, tmp_path):
    write_csv(tmp_path / "t.csv", people(60))
    files = {
        "columns": "age,job,buys\n30,clerk,no\n",
        "labels": "age,job,married,income,buys\n30,clerk,true,2,no\n30,clerk,true,2,maybe\n",
        "numbers": "age,job,married,income,buys\n30,clerk,true,2,no\nold,clerk,true,2,no\n",
        "gap": "age,job,married,income,buys\n30,clerk,true,2,\n",
        "empty": "",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    for model in COUNTING:
        out("train", "t.csv", "--label", "buys", "--model", model, "-o", "m.deciban", "-q")
        before, about = (tmp_path / "m.deciban").read_bytes(), os.stat(tmp_path / "m.deciban").st_ino
        for verb in ("learn", "forget"):
            for name in files:
                done = (
                    run(verb, "m.deciban", "t.csv", f"{name}.csv")
                    if verb == "learn"
                    else run(verb, "m.deciban", f"{name}.csv")
                )
                assert done.returncode == 65, (model, verb, name, done.stderr)
                assert done.stderr.startswith("deciban: ")
                assert not done.stdout
        assert (tmp_path / "m.deciban").read_bytes() == before
        assert os.stat(tmp_path / "m.deciban").st_ino == about


@pytest.mark.parametrize("model", ["logistic", "svm", "perceptron", "kernel-svm", "mlp"])
def test_models_that_were_learnt_at_once_say_so(model, run, out, tmp_path):
    write_csv(tmp_path / "t.csv", people(60))
    out("train", "t.csv", "--label", "buys", "--model", model, "-o", "m.deciban", "-q")
    before = (tmp_path / "m.deciban").read_bytes()
    for verb in ("learn", "forget"):
        done = run(verb, "m.deciban", "t.csv")
        assert done.returncode == 65
        assert done.stderr == (
            f"deciban: expected a model that counts, to learn on and forget; this one is '{model}', learnt by "
            "minimising over all rows at once. Train anew with all of them, or train with --model naive-bayes, "
            "discriminant or least-squares.\n"
        )
    assert (tmp_path / "m.deciban").read_bytes() == before


def test_a_file_of_an_earlier_version_judges_and_says_why_it_cannot_learn(run, out, tmp_path):
    write_csv(tmp_path / "t.csv", people(60))
    for model in ("discriminant", "least-squares"):
        out("train", "t.csv", "--label", "buys", "--model", model, "-o", "m.deciban", "-q")
        verdicts = out("classify", "m.deciban", "t.csv")
        stored = store.read(tmp_path / "m.deciban", tables=True)
        arrays = {name: each.array() for name, each in stored.tensors.items() if not name.startswith("sums.")}
        store.write(tmp_path / "m.deciban", stored.header, arrays)
        assert out("classify", "m.deciban", "t.csv") == verdicts
        done = run("learn", "m.deciban", "t.csv")
        assert done.returncode == 65
        assert "this one has none: an earlier version wrote it. Train anew with all rows." in done.stderr
