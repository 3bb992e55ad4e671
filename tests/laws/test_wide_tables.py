"""Tables of very many columns: memory goes with the size of the file, and sparse rows say what dense ones say."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

from deciban import NaiveBayes, store
from deciban.distributions import Gaussian
from deciban.errors import DataError
from deciban.models import likelihoods
from deciban.report.table_inventory import TableInventory
from deciban.table_models import served as served_table
from deciban.table_models.recipes import recipe
from deciban.table_models.served import ServedTable
from deciban.table_models.table_model import Origin, Rows
from deciban.tables import sparse
from deciban.tables.cells import read_cells
from deciban.tables.typed import learnt_from

BYTES = 60
"""So many bytes of memory a byte of the file takes at most, beside what a small table takes."""
SPARE = 40 << 20
PROGRAMME = r"""
import re, resource, sys
from deciban import NaiveBayes, store
from deciban.distributions import Gaussian
from deciban.table_models.served import ServedTable
from deciban.table_models.recipes import recipe
from deciban.table_models.table_model import Origin, Rows
from deciban.tables.cells import read_cells
from deciban.report.table_inventory import TableInventory, table_inventory
from deciban.report.terminal import Screen
from deciban.tables.typed import learnt_from

def peak():
    try:  # Linux hands ru_maxrss down from the process that started this one
        return int(re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1]) * 1024
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def train(path, model, target):
    table = learnt_from(read_cells(path), "label")
    recipe(model, {}, 0).learn(Rows.of(table, path)).save(target, Origin("label", {}).header())

def judge(path, target):
    served = ServedTable.from_stored(store.read(target, tables=True))
    for cells in read_cells(path):
        served.judge(cells)
        next(served.explain(cells.only(0)))

def inspect(target):
    list(table_inventory(TableInventory.of(store.read(target, tables=True), target, 12), Screen(80, False, True)))

def run(path, model, target):
    train(path, model, target)
    judge(path, target)
    inspect(target)

small, path, model, target = sys.argv[1:]
import os
run(small, model, target)
os.remove(target)
before = peak()
run(path, model, target)
print(peak() - before)
"""


def written_svm(path, rows):
    path.write_text("".join(f"{y} {' '.join(f'{j}:{v:g}' for j, v in row.items())}\n" for y, row in rows))


def one_long_line(path):
    long = {j: j % 9 + 1 for j in range(1, 60_001)}
    written_svm(path, [(1, long), *((i % 2, {i + 1: 1, 500: i % 7 + 1}) for i in range(40))])


def many_features(path):
    random = np.random.default_rng(1)
    rows = (
        {int(j): int(j) % 9 + 1 for j in sorted(random.choice(200_000, 20, replace=False) + 3)} for _ in range(1500)
    )
    written_svm(path, [(i % 2, {1 + i % 2: 1, **row}) for i, row in enumerate(rows)])


def wide_csv(path, separator=","):
    rows = [["label", *(f"c{j}" for j in range(12_000))]]
    rows += [["ab"[i % 2], *(str((i * j) % 97) for j in range(12_000))] for i in range(6)]
    path.write_text("\n".join(separator.join(row) for row in rows) + "\n")


def wide_tsv(path):
    wide_csv(path, "\t")


def wide_json(path):
    rows = ({"label": "ab"[i % 2], **{f"c{j}": (i * j) % 97 for j in range(12_000)}} for i in range(6))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def wide_parquet(path):
    columns = {f"c{j}": [(i * j) % 97 for i in range(6)] for j in range(6_000)}
    pl.DataFrame({"label": ["a", "b"] * 3, **columns}).write_parquet(path)


WIDE = {
    "line.svm": one_long_line,
    "features.svm": many_features,
    "wide.csv": wide_csv,
    "wide.tsv": wide_tsv,
    "wide.jsonl": wide_json,
    "wide.parquet": wide_parquet,
}


@pytest.mark.deep
@pytest.mark.parametrize("model", ["naive-bayes", "logistic"])
@pytest.mark.parametrize("name", WIDE)
def test_memory_goes_with_the_size_of_the_file(tmp_path, name, model):
    path, small = tmp_path / name, tmp_path / f"small{(tmp_path / name).suffix}"
    WIDE[name](path)
    if path.suffix == ".svm":
        written_svm(small, [(i % 2, {1: i % 3 + 1, 2: 1}) for i in range(8)])
    elif path.suffix == ".jsonl":
        small.write_text("".join(json.dumps({"label": "ab"[i % 2], "x": i}) + "\n" for i in (3, 1, 4, 1)))
    elif path.suffix == ".parquet":
        pl.DataFrame({"label": ["a", "b"] * 2, "x": [3, 1, 4, 1]}).write_parquet(small)
    else:
        small.write_text("label,x\na,3\nb,1\na,4\nb,1\n".replace(",", "\t" if path.suffix == ".tsv" else ","))
    command = [sys.executable, "-c", PROGRAMME, str(small), str(path), model, str(tmp_path / "m.deciban")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    taken = int(done.stdout)
    assert taken <= SPARE + BYTES * path.stat().st_size


def judged(path, model, target):
    table = learnt_from(read_cells(str(path)), "label")
    learnt = recipe(model, {}, 0).learn(Rows.of(table, "t"))
    learnt.save(target, Origin("label", table.ignored).header())
    served = ServedTable.from_stored(store.read(target, tables=True))
    cells = next(iter(read_cells(str(path))))
    return served.scores(cells), list(served.explain(cells)), table


@pytest.fixture
def few(tmp_path):
    """Rows of few features: one is constant, one numbers the rows."""
    random = np.random.default_rng(3)
    rows = []
    for i in range(60):
        y = i % 2
        row = {int(j): float(v) for j, v in enumerate(random.poisson(0.6 + y * (np.arange(6) == 2)), 1) if v}
        rows.append((y, {**row, 7: 3.0, 8: i + 1, 9: i % 3 + 1.0}))
    path = tmp_path / "few.svm"
    written_svm(path, rows)
    return path


@pytest.mark.parametrize("model", ["naive-bayes", "logistic"])
def test_sparse_rows_say_what_dense_rows_say(few, tmp_path, monkeypatch, model):
    dense, why, table = judged(few, model, tmp_path / "dense.deciban")
    assert not hasattr(table.matrix, "indptr")
    monkeypatch.setattr(sparse, "_CELLS", 0)
    scores, reasons, other = judged(few, model, tmp_path / "sparse.deciban")
    assert hasattr(other.matrix, "indptr")
    assert other.columns == table.columns
    assert other.ignored == table.ignored
    assert other.missing == table.missing
    assert_allclose(other.matrix.toarray(), table.matrix)
    assert_allclose(scores, dense, rtol=1e-3, atol=1e-3)
    for each, told in zip(reasons, why, strict=True):
        total = each.prior_decibans + sum(term.decibans for term in each.terms)
        assert_allclose(total, each.verdict.decibans, rtol=1e-9, atol=1e-9)
        assert each.verdict.label == told.verdict.label


@pytest.mark.parametrize(("zeros", "most"), [(0, 1 << 14), (3, 1 << 14), (20, 2), (0, 0)])
def test_what_is_not_named_is_told_together(few, tmp_path, monkeypatch, zeros, most):
    """Of sparse rows all but some zeros, and of every row all but the strongest terms: the sum stays the same."""
    monkeypatch.setattr(sparse, "_CELLS", 0)
    every = judged(few, "naive-bayes", tmp_path / "sparse.deciban")[1]
    monkeypatch.setattr(served_table, "NAMED_ABSENT", zeros)
    monkeypatch.setattr(served_table, "_NAMED", most)
    for each, told in zip(judged(few, "naive-bayes", tmp_path / "sparse.deciban")[1], every, strict=True):
        others = [term for term in each.terms if term.term.startswith("(")]
        named = [term for term in each.terms if term not in others]
        left_out = [term for term in told.terms if term not in named]
        assert len(named) == len(told.terms) - len(left_out) <= most
        assert sum(term.term.endswith(" = 0") for term in named) <= zeros
        assert [term.term for term in others] == ([f"({len(left_out)} other columns)"] if left_out else [])
        assert_allclose(sum(term.decibans for term in others), sum(term.decibans for term in left_out), atol=1e-9)
        assert [*each.terms] == sorted(each.terms, key=lambda term: -abs(term.decibans))
        assert each.text == told.text
        for term in named:
            assert all(f" = {each.text[at:end]}" in term.term for at, end in term.places)


def test_columns_in_pieces_are_the_same_columns(few, tmp_path, monkeypatch):
    scores, why, table = judged(few, "naive-bayes", tmp_path / "whole.deciban")
    whole = TableInventory.of(store.read(tmp_path / "whole.deciban", tables=True), str(few), 9)
    monkeypatch.setattr(likelihoods, "_TOGETHER", 2)
    others, reasons, _ = judged(few, "naive-bayes", tmp_path / "pieces.deciban")
    assert_allclose(others, scores, rtol=1e-12)
    for each, told in zip(reasons, why, strict=True):
        assert_allclose(each.verdict.interval, told.verdict.interval, rtol=1e-9)
        assert [term.term for term in each.terms] == [term.term for term in told.terms]
    pieces = TableInventory.of(store.read(tmp_path / "pieces.deciban", tables=True), str(few), 9)
    assert [each.name for each in pieces.columns] == [each.name for each in whole.columns] == [*table.columns.names]
    assert_allclose([each.bits for each in pieces.columns], [each.bits for each in whole.columns], rtol=1e-9)
    assert_allclose(pieces.certificate["primal"], whole.certificate["primal"], rtol=1e-12)


@pytest.mark.parametrize("model", ["svm", "perceptron", "kernel-svm", "mlp"])
def test_every_model_learns_sparse_rows(few, tmp_path, monkeypatch, model):
    monkeypatch.setattr(sparse, "_CELLS", 0)
    scores, reasons, table = judged(few, model, tmp_path / "sparse.deciban")
    assert hasattr(table.matrix, "indptr")
    assert np.isfinite(scores).all()
    for each in reasons:
        total = each.prior_decibans + sum(term.decibans for term in each.terms)
        assert_allclose(total, each.verdict.decibans, rtol=1e-9, atol=1e-9)


def test_what_is_missing_of_sparse_rows_stays_missing(tmp_path, monkeypatch):
    path = tmp_path / "t.svm"
    path.write_text("".join(f"{i % 2} 1:{'nan' if i % 5 == 0 else i % 3 + i % 2} 2:1\n" for i in range(20)) + "1 3:2\n")
    dense = learnt_from(read_cells(str(path)), "label")
    monkeypatch.setattr(sparse, "_CELLS", 0)
    other = learnt_from(read_cells(str(path)), "label")
    assert_allclose(other.matrix.toarray(), dense.matrix)
    assert other.missing == dense.missing == 4
    for model in ("naive-bayes", "logistic"):
        assert np.isfinite(judged(path, model, tmp_path / "m.deciban")[0]).all()


@pytest.mark.parametrize("cells", [0, 1 << 22])
def test_what_is_wrong_is_said_alike(tmp_path, monkeypatch, cells):
    monkeypatch.setattr(sparse, "_CELLS", cells)
    path = tmp_path / "t.svm"
    path.write_text("1 1:2 5:inf\n0 1:3\n")
    with pytest.raises(DataError, match=r"t\.svm, line 1: expected a number in column '5'; came inf\."):
        learnt_from(read_cells(str(path)), "label")
    path.write_text("1 1:2 5:3\n0 1:2 5:3\n")
    with pytest.raises(DataError, match="expected a column to learn from; '1' is left out: it has one value"):
        learnt_from(read_cells(str(path)), "label")
    path.write_text("1 1:2 5:1\n0 1:3\n")
    with pytest.raises(DataError, match="expected a column '9'; the columns are"):
        learnt_from(read_cells(str(path)), "label", ["9"])
    for part in ("x:1", "1:1_0", "1:", ":1", "1:0x1", "1:--1"):
        path.write_text(f"1 1:2 {part}\n0 1:3\n")
        with pytest.raises(DataError, match=rf"line 1: expected index:value; came '{part}'"):
            learnt_from(read_cells(str(path)), "label")


def test_of_a_feature_that_comes_twice_the_last_value_counts(tmp_path):
    path = tmp_path / "t.svm"
    path.write_text("1 7:1 3:2 7:4\n0 3:0 9:1\n")
    (cells,) = read_cells(str(path))
    assert list(cells.columns) == ["label", "3", "7", "9"]
    assert {own: list(values) for own, values in cells.columns.items()} == {
        "label": ["1", "0"],
        "3": [2.0, 0.0],
        "7": [4.0, 0.0],
        "9": [0.0, 1.0],
    }
    assert list(cells.only(1).columns["9"]) == [1.0]
    assert "08" not in cells.columns
    assert "8" not in cells.columns


@pytest.mark.parametrize(
    "options", [{"alpha": 0.5}, {"alpha": np.array([0.5, 1.0, 2.0])}, {"var_smoothing": 0.1}, None]
)
def test_pieces_change_no_prior(monkeypatch, options):
    """Neither one of each column, nor one that columns share, nor that of an object."""
    X = pd.DataFrame(np.random.default_rng(4).normal(size=(30, 3)), columns=["a", "b", "c"])
    y, given = np.arange(30) % 2, Gaussian(kappa=np.array([1.0, 2.0, 3.0]), nu=np.array([1.0, 2.0, 3.0]))
    likelihood = "auto" if options is not None else dict.fromkeys(X.columns, given)
    whole = NaiveBayes(likelihood, **(options or {})).fit(X, y)
    scores, intervals = whole.predict_joint_log_proba(X), whole.credible_interval(X)
    monkeypatch.setattr(likelihoods, "_TOGETHER", 2)
    pieces = NaiveBayes(likelihood, **(options or {})).fit(X, y)
    assert_allclose(pieces.predict_joint_log_proba(X), scores, rtol=1e-12)
    assert_allclose(pieces.credible_interval(X), intervals, rtol=1e-9)
