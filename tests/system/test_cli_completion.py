"""What a shell is offered when somebody presses Tab."""

import os
import shutil
import stat
import subprocess
import sys

import pytest

from deciban.cli.group import VERBS
from system.command import PROGRAM, out, run


@pytest.fixture
def folder(tmp_path):
    """A folder with two models, a message and a folder within."""
    for name in ("a.deciban", "ab.deciban", "mail.eml"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "inner").mkdir()
    return tmp_path


def complete(folder, *words):
    """Return what is offered for the last of these words, as (type, value)."""
    asked = {
        "_DECIBAN_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("deciban", *words)),
        "COMP_CWORD": len(words),
    }
    env = {**os.environ, **{name: str(value) for name, value in asked.items()}}
    done = subprocess.run(PROGRAM, cwd=folder, env=env, capture_output=True, text=True, check=True)
    return [tuple(line.split(",")) for line in done.stdout.split("\n") if line]


def test_commands_options_and_values(folder):
    assert {value for _, value in complete(folder, "")} == {*VERBS}
    assert complete(folder, "cla") == [("plain", "classify")]
    assert complete(folder, "classify", "a.deciban", "--th") == [("plain", "--threshold")]
    assert ("plain", "nbsvm") in complete(folder, "train", "--model", "")
    assert complete(folder, "bound", "vc", "--er") == [("plain", "--error")]
    assert complete(folder, "completion", "b") == [("plain", "bash")]


@pytest.mark.parametrize("verb", ["classify", "explain", "inspect", "learn", "serve", "doctor", "export"])
def test_a_model_is_a_model_file_or_a_folder_on_the_way(verb, folder):
    assert complete(folder, verb, "") == [("dir", ""), ("plain", "a.deciban"), ("plain", "ab.deciban")]
    assert complete(folder, verb, "ab") == [("dir", "ab"), ("plain", "ab.deciban")]


def test_other_files_are_files_and_folders_folders(folder):
    assert complete(folder, "classify", "a.deciban", "m") == [("file", "m")]
    assert complete(folder, "train", "-o", "x") == [("file", "x")]
    assert complete(folder, "classify", "a.deciban", "-o", "x") == [("dir", "x")]
    assert complete(folder, "train", "--label", "x") == []


@pytest.mark.parametrize(
    ("shell", "parts"),
    [
        ("bash", ("_DECIBAN_COMPLETE=bash_complete", "complete -o nosort -F _deciban_completion deciban")),
        ("zsh", ("#compdef deciban", "_DECIBAN_COMPLETE=zsh_complete")),
        ("fish", ("_DECIBAN_COMPLETE=fish_complete", "complete --no-files --command deciban")),
    ],
)
def test_scripts_of_shells(shell, parts):
    text = out("completion", shell)
    assert [each for each in parts if each not in text] == []
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=text, text=True, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_bash_completes_by_its_script(folder):
    program = folder / "deciban"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m deciban "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    script = 'eval "$(deciban completion bash)"; COMP_WORDS=(deciban classify ab); COMP_CWORD=2\n'
    script += 'compopt() { :; }; _deciban_completion deciban; printf "%s\\n" "${COMPREPLY[@]}"'
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ab.deciban"]


def test_another_shell_is_refused():
    done = run("completion", "csh")
    assert done.returncode == 64
    assert b"'csh' is not one of 'bash', 'zsh', 'fish'" in done.stderr
