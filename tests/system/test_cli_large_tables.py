"""A source that is larger than --memory is learnt as a stream, or by passes over files: to the same model."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import deciban
from deciban.cli import memory
from deciban.distributed import table_cache, tables
from deciban.distributed.mapped import Mapped
from deciban.errors import DataError
from deciban.files.locks import hold_at_once
from deciban.tables import cells, sparse
from system.command import run_here as run

RANDOM = np.random.default_rng(0)
N = 1500
NUMBERS = RANDOM.normal(size=(N, 3)).round(3)
JOBS = np.array(["clerk", "nurse", "judge"])[RANDOM.integers(0, 3, N)]
SCORE = NUMBERS @ [1.0, -2.0, 0.5] + (JOBS == "judge") + RANDOM.logistic(size=N)
LABELS = np.array(["no", "maybe", "yes"])[np.digitize(SCORE, [-0.5, 0.8])]
ROWS = [
    {"a": a if k % 9 else None, "b": b, "c": int(10 * c), "job": job, "id": k, "sex": bool(k % 3 % 2), "label": label}
    for k, ((a, b, c), job, label) in enumerate(zip(NUMBERS.tolist(), JOBS.tolist(), LABELS.tolist(), strict=True))
]
SUMS, MINIMA = ["naive-bayes", "discriminant"], ["logistic", "svm"]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(cells, "_ROWS", 128)
    monkeypatch.setattr(sparse, "_ROWS", 128)
    monkeypatch.setattr(table_cache, "_CELLS", 1000)
    monkeypatch.setattr("deciban.tables.survey.is_small", lambda rows, columns: False)
    monkeypatch.setattr("deciban.tables.typed.is_small", lambda rows, columns: False)


def write_csv(path):
    def text(cell):
        return "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)

    path.write_text("".join(",".join(map(text, row)) + "\n" for row in [ROWS[0].keys(), *(r.values() for r in ROWS)]))


def write_jsonl(path):
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))


def write_parquet(path):
    parquet.write_table(pa.Table.from_pylist(ROWS), path)


def write_svm(path):
    lines = (f"{row['label'] == 'yes':d} 2:{row['b']} 7:{row['c']} {40 + len(row['job'])}:1" for row in ROWS)
    path.write_text("".join(line.replace(" 7:0 ", " ") + "\n" for line in lines))


def write_folder(path):
    path.mkdir()
    (path / "deep").mkdir()
    for name, rows in (("a.parquet", ROWS[:700]), ("b.parquet", ROWS[700:701]), ("deep/c.parquet", ROWS[701:])):
        parquet.write_table(pa.Table.from_pylist(rows), path / name)
    (path / "_SUCCESS").write_text("")
    (path / "notes.csv").write_text("another,table\n")


FORMATS = {"folder": write_folder, "csv": write_csv, "jsonl": write_jsonl, "parquet": write_parquet, "svm": write_svm}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("large")


@pytest.fixture(params=FORMATS)
def table(request, folder):
    path = folder / f"rows.{request.param}"
    if not path.exists():
        FORMATS[request.param](path)
    return path


def train(table, model, output, *more):
    column = [] if table.suffix == ".svm" else ["--label", "label"]
    return run("train", table, *column, "--model", model, "-o", output, *more)


@pytest.mark.parametrize("model", SUMS)
def test_a_sum_has_the_same_file(table, model, tmp_path):
    assert train(table, model, tmp_path / "whole.deciban").returncode == 0
    done = train(table, model, tmp_path / "parts.deciban", "--memory", "10kB")
    assert b"is larger than memory: its rows are learnt from files" in done.stderr
    assert (tmp_path / "parts.deciban").read_bytes() == (tmp_path / "whole.deciban").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"whole.deciban", "parts.deciban"}


@pytest.mark.parametrize("model", MINIMA)
def test_a_minimum_has_the_same_objective_within_the_gap(table, model, tmp_path):
    found = {}
    for name, more in (("whole", ()), ("parts", ("--memory", "10kB"))):
        done = train(table, model, tmp_path / name, *more, "--json", "-q")
        found[name] = json.loads(done.stdout)
    whole, parts = (found[name]["certificate"] for name in ("whole", "parts"))
    assert parts["status"] == "converged"
    assert parts["dual"] <= whole["primal"] * (1 + 1e-12)
    assert whole["dual"] <= parts["primal"] * (1 + 1e-12)
    assert {name: found["parts"][name] for name in ("n", "classes", "columns", "ignored", "missing")} == {
        name: found["whole"][name] for name in ("n", "classes", "columns", "ignored", "missing")
    }
    probe = table if table.suffix not in (".svm", ".folder") else None
    if probe is not None:
        p = [run("classify", tmp_path / name, table, "--jsonl").stdout.splitlines() for name in ("whole", "parts")]
        told = np.array([[list(json.loads(line)["probability"].values()) for line in each] for each in p])
        assert np.abs(told[0] - told[1]).max() < 0.06  # lines of three folds, and of rows left out


def test_a_model_is_chosen_by_some_of_the_rows(folder, tmp_path, monkeypatch):
    write_csv(tmp_path / "rows.csv")
    monkeypatch.setattr(tables, "SOME", 800)
    done = train(tmp_path / "rows.csv", "auto", tmp_path / "m", "--memory", "10kB", "--json")
    found = json.loads(done.stdout)
    assert [each["model"] for each in found["tried"]] == ["naive-bayes", "discriminant", "logistic", "svm"]
    assert 600 < found["tried"][0]["n"] + found["tried"][0]["learnt"] < 1000
    assert found["n"] == N
    assert b"The model is chosen by " in done.stderr


def test_files_of_the_same_rows_do_not_depend_on_jobs(folder, tmp_path):
    write_csv(tmp_path / "rows.csv")
    for jobs in (1, 3):
        train(tmp_path / "rows.csv", "logistic", tmp_path / str(jobs), "--memory", "10kB", "-j", jobs)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


@pytest.mark.parametrize("model", ["kernel-svm", "mlp", "perceptron", "least-squares"])
def test_what_passes_do_not_learn_is_refused_with_what_they_do(model, tmp_path):
    write_csv(tmp_path / "rows.csv")
    done = train(tmp_path / "rows.csv", model, tmp_path / "m", "--memory", "10kB")
    assert done.returncode == 64
    assert done.stderr.decode() == (f"deciban: {tables.refused(model)}\n")
    assert (
        "Expected --model naive-bayes, discriminant, logistic or svm, which are learnt by passes"
        in done.stderr.decode()
    )
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_texts_that_are_larger_are_counted_as_a_stream(tmp_path):
    texts = [{"text": f"word{k % 7} word{k % 11} {'spam' if k % 2 else 'ham'}", "label": k % 2} for k in range(900)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(each) + "\n" for each in texts))
    options = ("train", tmp_path / "t.jsonl", "--text", "text", "--label", "label", "-o")
    done = run(*options, tmp_path / "stream", "--memory", "1kB")
    assert b"it is learnt as a stream, by naive-bayes" in done.stderr
    run(*options, tmp_path / "named", "--model", "naive-bayes")
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "named").read_bytes()


@pytest.mark.parametrize("size", ["2", "0", "-1GB", "GB", "2XB", "1iB", "1e9", "two", "9999999999TB", ""])
def test_a_size_is_understood_or_refused(size, tmp_path):
    (tmp_path / "rows.csv").write_text("a,label\n1,x\n")
    done = run("train", tmp_path / "rows.csv", "--label", "label", "-o", tmp_path / "m", "--memory", size)
    wrong = f"expected a size such as 2GB, 500MB or 1.5GiB; came {size!r}" in done.stderr.decode()
    assert wrong == (size != "2")


def test_memory_is_the_least_that_control_groups_and_the_machine_leave(tmp_path):
    machine = memory.available(str(tmp_path / "none"), str(tmp_path / "none"))
    assert machine == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    (tmp_path / "slice" / "job").mkdir(parents=True)
    (tmp_path / "memory" / "old").mkdir(parents=True)
    (tmp_path / "cgroup").write_text("4:cpu,memory:/old\n0::/slice/job\n")
    given = str(tmp_path), str(tmp_path / "cgroup")
    (tmp_path / "slice" / "job" / "memory.max").write_text("max\n")
    assert memory.available(*given) == machine
    (tmp_path / "slice" / "memory.max").write_text("2000000\n")
    assert memory.available(*given) == 2_000_000
    (tmp_path / "memory" / "old" / "memory.limit_in_bytes").write_text("1000000\n")
    assert memory.available(*given) == 1_000_000


# What is interrupted goes on.

DIES = """
import os, signal
from deciban.cli import main
from deciban.distributed import mapped, on_executors, table_cache
from deciban.tables import cells
cells._ROWS, table_cache._CELLS = 128, 1000
count = 0
def at(module, name, number, after):
    own = getattr(module, name)
    def counted(*given, **more):
        global count
        count += 1
        if count == number and not after:
            os.kill(os.getpid(), signal.{signal})
        found = own(*given, **more)
        if count == number and after:
            os.kill(os.getpid(), signal.{signal})
        return found
    setattr(module, name, counted)
at({where}, {number}, {after})
main()
"""
MOMENTS = {
    "survey": ("table_cache.TableCache, 'fill'", 1, False),
    "first-part": ("table_cache, 'write'", 1, False),
    "fourth-part": ("table_cache, 'write'", 4, True),
    "half-a-part": ("mapped, '_write_arrays'", 3, True),
    "last-part": ("table_cache.TableCache, 'fill'", 1, True),
    "first-weights": ("on_executors.OnExecutor, 'save_point'", 1, True),
    "third-weights": ("on_executors.OnExecutor, 'save_point'", 3, False),
    "end": ("table_cache.TableCache, 'remove'", 1, False),
}


def dying(table, output, model, moment, sent="SIGKILL"):
    where, number, after = MOMENTS[moment]
    code = textwrap.dedent(DIES.format(where=where, number=number, after=after, signal=sent))
    words = ["train", table, "--label", "label", "--model", model, "-o", output, "--memory", "10kB"]
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, timeout=120, check=False)


@pytest.mark.deep
@pytest.mark.parametrize("model", ["naive-bayes", "logistic"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_is_killed_goes_on_to_the_same_model(moment, model, tmp_path):
    write_csv(tmp_path / "rows.csv")
    train(tmp_path / "rows.csv", model, tmp_path / "whole", "--memory", "10kB")
    done = dying(tmp_path / "rows.csv", tmp_path / "m", model, moment)
    reached = model == "logistic" or "weights" not in moment
    assert done.returncode == (-signal.SIGKILL if reached else 0)
    again = train(tmp_path / "rows.csv", model, tmp_path / "m", "--memory", "10kB", "-q")
    assert again.returncode == 0, again.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "rows.csv", "whole"]
    if model == "naive-bayes":
        assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    else:
        found, whole = (deciban.load(tmp_path / name).certificate_ for name in ("m", "whole"))
        assert found.primal - found.dual <= 1e-6 * found.primal * 3
        assert max(found.dual, whole.dual) <= min(found.primal, whole.primal)


@pytest.mark.deep
def test_ctrl_c_says_what_is_kept_and_how_to_go_on(tmp_path):
    write_csv(tmp_path / "rows.csv")
    done = dying(tmp_path / "rows.csv", tmp_path / "m", "logistic", "fourth-part", "SIGINT")
    assert done.returncode == 130
    assert done.stderr.decode().splitlines()[-1] == (
        f"Interrupted: the rows in {tmp_path / 'm.part'} are kept, and the same command goes on with them."
    )
    assert (tmp_path / "m.part").stat().st_mode & 0o077 == 0
    kept = sorted(path.name for path in (tmp_path / "m.part").glob("part-*"))
    assert kept == [f"part-{k:06d}" for k in range(4)]
    again = train(tmp_path / "rows.csv", "logistic", tmp_path / "m", "--memory", "10kB")
    assert again.stderr.decode().startswith(f"Going on with the rows in {tmp_path / 'm.part'}.\n")


@pytest.mark.parametrize("error", [KeyboardInterrupt, DataError("no")], ids=["interrupted", "refused"])
def test_what_goes_into_a_pipe_leaves_no_folder(error, tmp_path, monkeypatch):
    """No later run would find it."""
    path = tmp_path / "rows.csv"
    write_csv(path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tables.LargeTable, "learn", lambda *_, **__: (_ for _ in ()).throw(error))
    done = train(path, "naive-bayes", "/dev/null", "--memory", "10kB")
    assert done.returncode == (130 if error is KeyboardInterrupt else 65)
    assert b"kept" not in done.stderr.splitlines()[-1]
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


@pytest.mark.parametrize("change", ["source", "options", "damage", "truncation", "nothing"])
def test_rows_that_are_kept_are_those_of_the_source_and_the_options(change, tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    write_csv(path)
    with monkeypatch.context() as patch:
        patch.setattr(tables.LargeTable, "learn", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert train(path, "naive-bayes", tmp_path / "m", "--memory", "10kB").returncode == 130
    part = tmp_path / "m.part" / "part-000002"
    more = []
    if change == "source":
        ROWS.append(ROWS[5])
        write_csv(path)
        ROWS.pop()
    elif change == "options":
        more = ["--ignore", "b"]
    elif change == "damage":
        X = Mapped(str(part))().X
        kept, changed = (part / "arrays").read_bytes(), X.copy()
        changed[3, 1] += 1.0
        assert kept.count(X.tobytes()) == 1
        (part / "arrays").write_bytes(kept.replace(X.tobytes(), changed.tobytes()))
    elif change == "truncation":
        (part / "arrays").write_bytes((part / "arrays").read_bytes()[:-100])
    read = []
    own = table_cache.read_as
    monkeypatch.setattr(table_cache, "read_as", lambda *given: read.append(1) or own(*given))
    done = train(path, "naive-bayes", tmp_path / "m", "--memory", "10kB", *more)
    assert done.returncode == 0, done.stderr
    assert (b"Going on" in done.stderr) == (change not in ("source", "options"))
    assert bool(read) == (change != "nothing")
    train(path, "naive-bayes", tmp_path / "whole", *more)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_folder_that_is_something_else_is_left_alone(tmp_path):
    write_csv(tmp_path / "rows.csv")
    (tmp_path / "m.part").mkdir()
    (tmp_path / "m.part" / "mine").write_text("mine")
    done = train(tmp_path / "rows.csv", "naive-bayes", tmp_path / "m", "--memory", "10kB")
    assert done.returncode == 64
    assert done.stderr.decode() == (
        f"deciban: {tmp_path / 'm.part'}: expected a free name for the rows that are kept meanwhile; it is something "
        "else. Remove it, or choose another name with -o.\n"
    )
    assert (tmp_path / "m.part" / "mine").read_text() == "mine"


def test_two_commands_do_not_learn_in_the_same_folder(tmp_path):
    write_csv(tmp_path / "rows.csv")
    (tmp_path / "m.part").mkdir()
    with hold_at_once(tmp_path / "m.part" / "lock") as is_held:
        assert is_held
        done = train(tmp_path / "rows.csv", "naive-bayes", tmp_path / "m", "--memory", "10kB")
    assert done.returncode == 64
    assert done.stderr.decode() == (
        f"deciban: {tmp_path / 'm.part'}: expected a folder that no other process learns from; one does. Wait until it "
        "ends, or choose another name with -o.\n"
    )
    assert [*map(str, (tmp_path / "m.part").iterdir())] == [str(tmp_path / "m.part" / "lock")]
    assert train(tmp_path / "rows.csv", "naive-bayes", tmp_path / "m", "--memory", "10kB").returncode == 0
    assert not (tmp_path / "m.part").exists()


def test_files_of_a_folder_have_the_same_columns(tmp_path):
    (tmp_path / "a.csv").write_text("x,label\n1,a\n2,b\n")
    (tmp_path / "b.csv").write_text("y,label\n1,a\n")
    done = run("train", tmp_path, "--label", "label", "-o", tmp_path / "m")
    assert (done.returncode, done.stderr.decode()) == (
        65,
        f"deciban: {tmp_path / 'b.csv'}: expected the columns of {tmp_path / 'a.csv'}; only one of them has 'x', 'y'. "
        "Write all files of a folder with the same columns, or name one file.\n",
    )
