"""The benchmark that sets the families side by side on every data set reads each set, and keeps what it found."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark_of(monkeypatch):
    """A module of the benchmarks."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module


@pytest.fixture
def ran(benchmark_of, monkeypatch, capsys, tmp_path):
    """What the script returns and prints, with its records in `tmp_path`."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["compare.py", *arguments])
        monkeypatch.setattr(benchmark_of("environment"), "HERE", tmp_path / "benchmarks")
        return benchmark_of("compare").main(), capsys.readouterr().out

    (tmp_path / "benchmarks").mkdir()
    return run


@pytest.fixture
def mushrooms(benchmark_of, tmp_path, monkeypatch):
    """A folder of data with one small set, and of all families two."""
    script = benchmark_of("compare")
    monkeypatch.setattr(script, "SETS", [replace(each, models=each.models[:2]) for each in script.SETS])
    rows = [f"{'ab'[k % 2]},{'xyz'[k % 3]},{k % 5},{'pe'[(k // 2 + (k % 7 == 0)) % 2 * (k % 2)]}" for k in range(200)]
    (tmp_path / "mushroom.csv").write_text("\n".join(["cap,gill,ring,class", *rows]) + "\n", encoding="utf-8")
    monkeypatch.setenv("DECIBAN_DATA", str(tmp_path))


def test_it_names_its_sets(ran):
    status, said = ran("--list")
    assert status == 0
    assert len(said.splitlines()) == 13
    assert "\nmushroom      Mushroom: categories, " in said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["mushrooms"], "no set is named mushrooms; there are spamassassin, trec07, sms, "),
        (["--rows", "99"], "--rows takes a whole number from 100, got 99"),
        (["--time-limit", "0"], "--time-limit takes seconds above 0, got 0"),
        (["--continue", "none.json"], "--continue takes a record that is there, got none.json"),
    ],
)
def test_it_says_what_is_wrong(arguments, told, ran, capsys):
    with pytest.raises(SystemExit):
        ran(*arguments)
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("mushrooms")
def test_it_keeps_what_it_found_and_says_what_is_missing(ran, tmp_path):
    status, said = ran("mushroom", "sms", "--rows", "120", "--record")
    assert status == 0
    assert "\nMushroom: categories: 120 of 200 rows, " in said
    assert "\nSKIPPED  sms: sms.parquet is not in " in said
    (path,) = (tmp_path / "benchmarks" / "records").iterdir()
    assert path.name.endswith("-compare-mushroom-sms.json")
    record = json.loads(path.read_text(encoding="utf-8"))
    assert set(record["unfinished"]) == {"sms"}
    (entry,) = record["sets"].values()
    assert entry["of"] == 200
    assert entry["comparison"]["n"] == 120
    assert [model["model"] for model in entry["comparison"]["models"]] == ["naive-bayes", "discriminant"]
    status, said = ran("mushroom", "a9a", "--continue", str(path))
    assert status == 0
    assert "Mushroom" not in said
    again = json.loads(path.read_text(encoding="utf-8"))
    assert again["sets"] == record["sets"]
    assert set(again["unfinished"]) == {"sms", "a9a"}


def test_rows_are_drawn_by_a_seed(benchmark_of):
    chosen = [import_one(benchmark_of, 5) for _ in range(2)]
    assert chosen[0] == chosen[1]
    assert len(set(chosen[0][0])) == 5
    assert chosen[0][0] == sorted(chosen[0][0])
    assert [f"label {x}" for x in chosen[0][0]] == chosen[0][1]
    assert import_one(benchmark_of, 50)[0] == list(range(20))


def import_one(benchmark_of, most):
    import numpy as np

    rows = list(range(20)), np.array([f"label {k}" for k in range(20)])
    X, y, of = benchmark_of("compared_sets").Set("a", "A", lambda: rows, (), most).rows(most)
    assert of == 20
    return X, y.tolist()
