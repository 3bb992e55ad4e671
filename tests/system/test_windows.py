"""The library, and the commands that serve nobody, ask nothing of the system that Windows has not.

There is no Windows here: types are checked as for it, and a process is run that has no more of POSIX than it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAILS = ROOT / "python" / "deciban" / "sample" / "train"
SERVERS = ("python/deciban/serve/", "python/deciban/watch/")

LIBRARY = """
import numpy as np
import deciban
X, y = np.random.default_rng(0).normal(size=(300, 4)), np.arange(300) % 3
X[:, 0] += y
for model in (deciban.NaiveBayes("auto"), deciban.LogisticRegression(), deciban.SVM(), deciban.LinearSVM(n_jobs=2)):
    model.fit(X, y)
    model.save("model.deciban")
    model.save("model.deciban")
    again = deciban.load("model.deciban")
    assert (again.predict(X) == model.predict(X)).all()
    assert model.explain(X[:2])
"""


def run(folder, code, *arguments, given=None):
    """Run code as on Windows, and return what it prints."""
    begin = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import as_windows; as_windows.begin()\n"
    words = [sys.executable, "-c", begin + code, *map(str, arguments)]
    (folder / "temporary").mkdir(exist_ok=True)
    more = {**os.environ, "TMPDIR": str(folder / "temporary")}
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, input=given, env=more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def deciban(folder, *arguments, given=None):
    code = "from deciban.cli import main; main()"
    return run(folder, code, *arguments, given=given)


@pytest.mark.deep
def test_models_are_fitted_saved_over_older_ones_and_loaded(tmp_path):
    run(tmp_path, LIBRARY)
    assert {path.name for path in tmp_path.iterdir()} == {"model.deciban", "model.deciban.lock", "temporary"}


@pytest.mark.deep
def test_a_filter_is_trained_judges_and_learns(tmp_path):
    deciban(tmp_path, "train", MAILS, "-o", "filter.deciban")
    mail = next((MAILS / "spam").iterdir())
    before = json.loads(deciban(tmp_path, "classify", "filter.deciban", mail, "--json"))
    deciban(tmp_path, "learn", "filter.deciban", "--as", "ham", mail)
    deciban(tmp_path, "forget", "filter.deciban", mail)
    deciban(tmp_path, "learn", "filter.deciban", "--as", "spam", mail)
    after = json.loads(deciban(tmp_path, "classify", "filter.deciban", "-", "--json", given=mail.read_bytes()))
    assert before["label"] == after["label"] == "spam"
    assert "filter.deciban" in deciban(tmp_path, "doctor", "filter.deciban")
    assert '"decibans"' in deciban(tmp_path, "demo", "--json")


@pytest.mark.deep
def test_tables_are_learnt_and_judged_in_several_parts(tmp_path):
    rows = "".join(f"{i % 7},{i % 5},{'ab'[i % 7 > 3]}\n" for i in range(300))
    (tmp_path / "rows.csv").write_text("x,z,label\n" + rows)
    (tmp_path / "more.csv").write_text("x,z\n1,2\n5,4\n")
    deciban(
        tmp_path,
        "train",
        "rows.csv",
        "--label",
        "label",
        "--model",
        "logistic",
        "-o",
        "table.deciban",
        "--memory",
        "1kB",
    )
    deciban(tmp_path, "classify", "table.deciban", "rows.csv", "more.csv", "-o", "verdicts", "--jobs", "2")
    assert not (tmp_path / "table.deciban.part").exists()
    told = "".join(path.read_text() for path in sorted((tmp_path / "verdicts").glob("*.jsonl")))
    lines = [json.loads(line) for line in told.splitlines()]
    assert [line["label"] for line in lines].count("a") == sum(i % 7 <= 3 for i in range(300)) + 1


@pytest.mark.deep
def test_types_are_those_that_windows_has():
    """The standard library has other types there; those of packages, which take most of the time, are left unknown."""

    def errors(platform):
        words = ["--platform", platform, "--no-site-packages", "--ignore-missing-imports", "--cache-dir", os.devnull]
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert "Found" in done.stdout, done
        return {line for line in done.stdout.splitlines() if ": error:" in line}

    apart = errors("win32") - errors("linux")
    assert any("AF_UNIX" in line for line in apart)
    assert [line for line in apart if not line.startswith(SERVERS)] == []
