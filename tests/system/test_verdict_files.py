"""`deciban classify --output`: many files judged into a folder, part by part, and on from where it was interrupted."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

from deciban import TextClassifier
from deciban.cli import verdict_files
from system.command import run_here

ROWS = {"a": ["cheap pills now", "lunch at noon?"], "b": ["cheap loan", "see you at lunch", "cheap"]}


@pytest.fixture
def folder(tmp_path):
    texts = ["cheap pills now", "cheap loan now", "lunch at noon?", "see you at lunch"]
    TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"]).save(tmp_path / "model.deciban")
    for name, rows in ROWS.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps({"body": row}) + "\n" for row in rows))
    return tmp_path


def classify(folder, *words):
    run = subprocess.run(
        [sys.executable, "-m", "deciban", "classify", "model.deciban", *words],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return run.returncode, run.stdout, run.stderr


def test_each_file_has_its_verdicts_and_what_is_there_is_kept(folder):
    files = ["--text", "body", "a.jsonl", "b.jsonl"]
    printed = classify(folder, *files, "--jsonl")[1]
    assert classify(folder, *files, "-o", "out") == (
        0,
        "",
        "out/a.jsonl.jsonl is written.\nout/b.jsonl.jsonl is written.\n",
    )
    written = [(folder / "out" / f"{name}.jsonl.jsonl").read_text() for name in ROWS]
    assert "".join(written) == printed
    (folder / "out" / "b.jsonl.jsonl").unlink()
    (folder / "out" / "a.jsonl.jsonl").write_text("as it was\n")
    os.link(folder / "out" / "a.jsonl.jsonl", folder / "out" / ".a.jsonl.jsonl.0123abcd.part")  # killed before unlink
    assert classify(folder, *files, "-o", "out")[0] == 0
    assert (folder / "out" / "a.jsonl.jsonl").read_text() == "as it was\n"
    assert (folder / "out" / "b.jsonl.jsonl").read_text() == written[1]
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["a.jsonl.jsonl", "about.json", "b.jsonl.jsonl"]


def test_processes_write_what_one_does_and_say_what_failed(folder, monkeypatch):
    names = [f"{k}.jsonl" for k in range(7)]
    for k, name in enumerate(names):
        (folder / name).write_text("".join(json.dumps({"body": f"cheap {row}"}) + "\n" for row in range(k, 2 * k + 3)))
    (folder / names[3]).write_text('{"body": ')
    monkeypatch.setattr(verdict_files, "_LONG", 1)
    monkeypatch.chdir(folder)
    words = ["classify", "model.deciban", "--text", "body", *names, "-o"]
    done = run_here(*words, "several", "-j", 3)
    assert done.returncode == 65
    lines = done.stderr.decode().splitlines()
    assert sorted(lines)[0].startswith("deciban: 3.jsonl, line 1, ")
    assert sorted(lines)[1:] == [f"several/{k}.jsonl.jsonl is written." for k in range(7) if k != 3]
    monkeypatch.setattr(verdict_files, "_LONG", 1 << 30)
    (folder / names[3]).write_text('{"body": "lunch"}\n')
    assert run_here(*words, "one").returncode == 0
    assert run_here(*words, "several", "-j", 3).returncode == 0
    for name in names:
        assert (folder / "several" / f"{name}.jsonl").read_bytes() == (folder / "one" / f"{name}.jsonl").read_bytes()


@pytest.mark.parametrize("end", ["killed", "interrupted"])
def test_processes_that_end_early_are_gone_on_from(end, folder):
    code = textwrap.dedent("""
        import os, signal, sys, time
        from deciban.cli import main, verdict_files
        verdict_files._LONG, own = 1, verdict_files.replace
        def replace(path, *content):
            own(path, *content)
            if "b.jsonl" in str(path):
                if END == "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                os.kill(os.getppid(), signal.SIGINT)
                time.sleep(60)
        verdict_files.replace = replace
        sys.argv[0] = "deciban"
        main()
    """).replace("END", repr(end))
    words = ["classify", "model.deciban", "--text", "body", "a.jsonl", "b.jsonl", "-o", "out", "-j", "2"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, capture_output=True, timeout=50, check=False
    )
    assert done.returncode == {"killed": 70, "interrupted": 130}[end]
    assert (folder / "out" / "b.jsonl.jsonl").exists()
    assert classify(folder, *words[2:])[0] == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["a.jsonl.jsonl", "about.json", "b.jsonl.jsonl"]


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (
            ["--text", "body", "-o", "out"],
            64,
            "Expected files with --output FOLDER, which names its own after them; standard input has none.",
        ),
        (
            ["--text", "body", "a.jsonl", "./a.jsonl", "-o", "out"],
            64,
            "a.jsonl and ./a.jsonl have the same name. Expected files with names of their own for --output. Judge them "
            "into different folders.",
        ),
        (
            ["--text", "body", "a.jsonl", "-o", "out", "--jsonl"],
            64,
            "Expected --output alone: it writes JSON lines, and leaves --json, --jsonl, --exit-code out.",
        ),
        (
            ["--text", "body", "a.jsonl", "-o", "model.deciban"],
            74,
            "model.deciban: File exists. Expected a folder to write to. Choose another one.",
        ),
    ],
    ids=["nothing", "twice", "printed", "no-folder"],
)
def test_what_cannot_be_is_said(words, status, text, folder):
    assert classify(folder, *words) == (status, "", f"deciban: {text}\n")


def test_verdicts_of_another_model_are_not_mixed_in(folder):
    assert classify(folder, "--text", "body", "a.jsonl", "-o", "out")[0] == 0
    TextClassifier().fit(["one", "two"], ["spam", "ham"]).save(folder / "model.deciban")
    assert classify(folder, "--text", "body", "b.jsonl", "-o", "out") == (
        65,
        "",
        "deciban: out holds verdicts of another model, or of other options. Expected those of this one, or none. "
        "Choose another folder.\n",
    )
