"""The hooks of .pre-commit-hooks.yaml, run as pre-commit runs them: the entry, the arguments, the names of files."""

import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deciban import TextClassifier

HOOKS = {
    hook["id"]: hook for hook in yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())
}
GOOD = ["fix the parser", "add tests of the loader", "improve docs", "remove dead code"]
VAGUE = ["wip", "asdf", "stuff", "temp"]


@pytest.fixture
def folder(tmp_path):
    """A repository with a model of messages, a broken one, and the command."""
    texts = [f"{text} {i}" for i, text in enumerate((GOOD + VAGUE) * 12)]
    model = TextClassifier("naive-bayes").fit(texts, (["fine"] * 4 + ["vague"] * 4) * 12)
    model.save(tmp_path / "messages.deciban")
    (tmp_path / "broken.deciban").write_bytes((tmp_path / "messages.deciban").read_bytes()[:500])
    (tmp_path / "good").write_text("fix the parser\n")
    (tmp_path / "vague").write_text("wip\n")
    program = tmp_path / "deciban"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m deciban "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def run_hook(name, folder, args, files):
    words = [*shlex.split(HOOKS[name]["entry"]), *args, *files]
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, check=False).returncode


def test_they_are_whole():
    for hook in HOOKS.values():
        assert {"id", "name", "description", "entry", "language"} <= set(hook)
        assert hook["language"] == "system"
    assert re.search(HOOKS["deciban-doctor"]["files"], "models/a.deciban")


def test_damaged_models_fail(folder):
    assert run_hook("deciban-doctor", folder, [], ["messages.deciban"]) == 0
    assert run_hook("deciban-doctor", folder, [], ["messages.deciban", "broken.deciban"]) == 1


@pytest.mark.parametrize("name", ["deciban-classify", "deciban-commit-message"])
def test_messages_of_the_second_class_fail(name, folder):
    assert run_hook(name, folder, ["messages.deciban"], ["good"]) == 0
    assert run_hook(name, folder, ["messages.deciban"], ["good", "vague"]) == 1
