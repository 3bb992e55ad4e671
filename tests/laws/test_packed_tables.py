"""Tables of very many columns, which are kept packed and read row by row, are what tables of few columns are."""

import json
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import GaussianDiscriminant
from deciban.errors import DataError
from deciban.features.column_information import information_of, information_of_rows
from deciban.report import table_inventory
from deciban.table_models.recipes import MODELS, recipe
from deciban.table_models.served import ServedTable
from deciban.table_models.table_model import Origin, Rows
from deciban.tables import cells, gathered, matching
from deciban.tables.cells import read_cells
from deciban.tables.matching import read_as
from deciban.tables.typed import learnt_from
from tiers import deep

COLUMNS = {
    "whole": lambda i: str(i * 7 % 5 - 2),
    "number": lambda i: f"{(i * 37 % 11) / 4}",
    "scientific": lambda i: f"{i * 13 % 7}.5e-{i % 3}",
    "exponent": lambda i: f"{1 + i % 3}e{i % 2}",
    "gaps": lambda i: "" if i % 4 == 0 else str(i % 3),
    "gone": lambda i: ("NA", "1.5", "?", "2")[i % 4],
    "truth": lambda i: ("true", "FALSE", "True")[i % 3],
    "job": lambda i: ("clerk", " nurse ", "judge")[i % 3],
    "codes": lambda i: f"00{i % 3}",
    "twice": lambda i: ("1", "1.0")[i % 2],
    "mixed": lambda i: ("1", "x", "")[i % 3],
    "constant": lambda i: "3.0",
    "empty": lambda i: " ",
    "number of the row": lambda i: str(i + 5),
    "text": lambda i: f"text {i}",
    "huge": lambda i: ("1e300", "-1e300")[i % 2],
    "한국어": lambda i: ("가", "나")[i * 3 % 2],
}


def written(path, n=50):
    rows = [{"y": "ab"[i % 2], **{own: made(i) for own, made in COLUMNS.items()}} for i in range(n)]
    if path.suffix == ".jsonl":
        typed = {"whole": int, "number": float, "truth": lambda text: text.lower() == "true", "huge": float}
        kept = [[own for own in row if i % 9 or own in ("y", "whole")] for i, row in enumerate(rows)]
        rows = [
            {own: typed[own](row[own]) if own in typed else row[own] or None for own in names}
            for row, names in zip(rows, kept, strict=True)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        separator = "\t" if path.suffix == ".tsv" else ","
        lines = [separator.join(rows[0]), *(separator.join(row.values()) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def packed(monkeypatch):
    def switched(on):
        for module in (gathered, matching):
            monkeypatch.setattr(module, "MANY", 0 if on else 1 << 12)
        monkeypatch.setattr(table_inventory, "_DENSE", 0 if on else 1 << 12)

    return switched


@pytest.mark.parametrize("batch", [1, 7, 1 << 18])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl"])
def test_packed_columns_are_those_that_are_gathered(tmp_path, monkeypatch, packed, name, batch):
    monkeypatch.setattr(cells, "_CELLS", batch)
    path, found = written(tmp_path / name), []
    for on in (False, True):
        packed(on)
        for wanted in ({}, {"whole": "category", "text": "category"}):
            table = learnt_from(read_cells(path), "y", ["job"], wanted)
            again = np.concatenate([read_as(table.columns, each) for each in read_cells(path)])
            found.append((table.columns, table.matrix.tobytes(), table.labels, table.ignored, again.tobytes()))
    assert found[:2] == found[2:]
    assert found[0][1] == found[0][4]


@pytest.mark.parametrize("cell", ["x", "1e999", "١", "1_0", "inf", "0x1", "--1", "1e5000"])
def test_what_is_wrong_with_a_cell_is_said_alike(tmp_path, packed, cell):
    path, wrong = written(tmp_path / "t.csv"), tmp_path / "wrong.csv"
    table = learnt_from(read_cells(path), "y")
    names = list(COLUMNS)
    row = [made(1) for made in COLUMNS.values()]
    row[names.index("whole")] = cell
    wrong.write_text(",".join(["y", *names]) + "\n" + ",".join(["a", *row]) + "\n")
    said = []
    for on in (False, True):
        packed(on)
        try:
            said.append(np.concatenate([read_as(table.columns, each) for each in read_cells(str(wrong))]).tobytes())
        except DataError as error:
            said.append(str(error))
    assert said[0] == said[1]


@pytest.mark.parametrize("model", MODELS)
def test_values_of_many_columns_say_what_rows_of_one_value_say(tmp_path, packed, model):
    path = written(tmp_path / "t.csv")
    learnt = recipe(model, {}, 0).learn(Rows.of(learnt_from(read_cells(path), "y", ["huge", "text"]), path))
    packed(False)
    few = table_inventory.strongest(learnt, 8)
    packed(True)
    many = table_inventory.strongest(learnt, 8)
    for label, values in few.items():
        found = [[each.decibans for each in side] for side in (many[label], values)]
        assert_allclose(found[0], found[1], rtol=1e-6, atol=1e-6)


def test_rows_of_many_columns_are_explained_and_judged_as_rows_of_few(tmp_path, packed):
    path = written(tmp_path / "t.jsonl")
    table = learnt_from(read_cells(path), "y", ["huge"])
    served = ServedTable(recipe("naive-bayes", {}).learn(Rows.of(table, path)), Origin())
    told = []
    for on in (False, True):
        packed(on)
        (each,) = read_cells(path)
        told.append((served.judge(each), [why.to_json() for why in served.explain(each)]))
    assert told[0] == told[1]


def test_rows_with_columns_of_their_own_are_refused_before_memory_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(gathered, "_CELLS", 1 << 20)
    path = tmp_path / "apart.jsonl"
    rows = [{"y": "ab"[i % 2], **{f"{i}-{j}": j for j in range(200)}} for i in range(100)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataError, match=r"100 rows have 20,001 columns together, of which each has 201\."):
        learnt_from(read_cells(str(path)), "y")


@pytest.mark.parametrize("suffix", [*deep(".csv", ".jsonl"), ".svm"])
def test_memory_of_reading_is_linear_in_the_columns(tmp_path, suffix):
    """Four times the columns take four times the memory, not sixteen times: counted, not timed."""
    taken = []
    for d in (5_000, 20_000):
        path, numbers = tmp_path / f"{d}{suffix}", [[(i * j) % 97 + i for j in range(d)] for i in range(3)]
        if suffix == ".csv":
            rows = [",".join(["label", *(f"c{j}" for j in range(d))])]
            rows += [",".join(["ab"[i % 2], *map(str, row)]) for i, row in enumerate(numbers)]
        elif suffix == ".svm":
            rows = [
                " ".join([str(i % 2), *(f"{j + 1}:{x}" for j, x in enumerate(row))]) for i, row in enumerate(numbers)
            ]
        else:
            rows = [
                json.dumps({"label": "ab"[i % 2], **{f"c{j}": x for j, x in enumerate(row)}})
                for i, row in enumerate(numbers)
            ]
        path.write_text("\n".join(rows) + "\n")
        tracemalloc.start()
        table = learnt_from(read_cells(str(path)), "label")
        for each in read_cells(str(path)):
            read_as(table.columns, each)
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(table.columns.names) > 0.9 * d
    assert taken[1] <= 5 * taken[0]
    assert taken[1] <= 50 * path.stat().st_size


@pytest.mark.parametrize("n", [1, 5, 19, 40, 41, 100, 333])
def test_information_of_many_columns_is_that_of_each(n):
    random = np.random.default_rng(n)
    matrix = random.normal(size=(n, 40)) * 10.0 ** random.integers(-300, 300, 40)
    matrix[:, :10] = random.integers(0, 3, (n, 10))
    matrix[:, 10:20] = random.poisson(4.0, (n, 10))
    matrix[random.random(matrix.shape) < 0.01] = np.nan
    y, labels = random.integers(0, 3, n), np.arange(40) % 7 == 0
    each = [information_of(matrix[:, j], y, 3, bool(labels[j])) for j in range(40)]
    assert information_of_rows(matrix, y, 3, labels).tolist() == each


def test_covariances_of_too_many_features_are_refused_before_memory_is_asked_for():
    X = np.zeros((2, 10_001))
    with pytest.raises(ValueError, match="X has 10,001 features; the covariances of at most 10,000 are kept"):
        GaussianDiscriminant().fit(X, [0, 1])
    GaussianDiscriminant("diagonal").fit(np.arange(40_004.0).reshape(4, -1), [0, 1, 0, 1])


def test_rows_of_few_columns_that_no_other_has_are_refused_as_well(tmp_path):
    """Their table is begun narrow: what there is to fill is known before it is filled."""
    path = tmp_path / "apart.jsonl"
    path.write_text("".join(json.dumps({"y": "ab"[i % 2], f"k{i}": 1}) + "\n" for i in range(3_000)))
    with pytest.raises(DataError, match=r"3,000 rows have 3,001 columns together, of which each has 2\."):
        learnt_from(read_cells(str(path)), "y")
    path.write_text("".join(json.dumps({"y": "ab"[i % 2], f"k{i % 40}": 1}) + "\n" for i in range(3_000)))
    assert learnt_from(read_cells(str(path)), "y") is not None
