"""What the README shows works as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "python" / "deciban" / "sample"
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def mailbox(tmp_path: Path) -> Path:
    """A folder with the files that the README's commands name."""
    shutil.copytree(SAMPLE / "train" / "spam", tmp_path / "Junk")
    shutil.copytree(SAMPLE / "held-out" / "spam", tmp_path / "NewJunk")
    shutil.copytree(SAMPLE / "held-out" / "ham", tmp_path / "NewInbox")
    with (tmp_path / "Inbox.mbox").open("wb") as mbox:
        for path in sorted((SAMPLE / "train" / "ham").iterdir()):
            mbox.write(b"From sender@mail.example Mon Jan  1 00:00:00 2024\n" + path.read_bytes() + b"\n\n")
    shutil.copy(min((SAMPLE / "held-out" / "spam").iterdir()), tmp_path / "mail.eml")
    (tmp_path / "reviews.csv").write_text("review,sentiment\ngood film,1\nbad film,0\ngood,1\nbad,0\n")
    people = "".join(f"{20 + i},{'clerk' if i % 3 else 'judge'},{'yes' if i % 3 else 'no'}\n" for i in range(30))
    (tmp_path / "people.csv").write_text("age,job,buys\n" + people)
    (tmp_path / "more.csv").write_text("age,job,buys\n33,judge,no\n44,clerk,yes\n")
    return tmp_path


def commands() -> list[list[str]]:
    """The lines of the README that begin with `deciban` and name files that are there."""
    lines = re.findall(r"^    (deciban .*?)(?:\s{2,}#.*)?$", README, flags=re.MULTILINE)
    return [shlex.split(line) for line in [*lines, *re.findall(r"`(deciban train .*?)`", README)]]


def test_the_commands_run_and_forgetting_restores_the_file(mailbox: Path) -> None:
    assert [line[1] for line in commands()] == [
        *("train", "evaluate", "classify", "explain", "learn", "forget", "inspect"),
        "suspects",
        "threshold",
        *("train", "evaluate", "classify", "explain", "learn", "compare"),
        *("train", "evaluate"),
        "train",
    ]
    contents = {}
    for line in commands():
        run = subprocess.run(
            [sys.executable, "-m", *line], cwd=mailbox, capture_output=True, text=True, encoding="utf-8"
        )
        assert run.returncode == 0, (line, run.stderr)
        if "filter.deciban" in line:
            contents[line[1]] = (mailbox / "filter.deciban").read_bytes()
    assert contents["learn"] != contents["explain"] == contents["forget"]


def test_the_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL):
        exec(code, names)
    terms = names["model"].explain(names["people"][3:])[0].terms  # type: ignore[attr-defined,index]
    assert [term.feature for term in terms] == [
        "visits",
        "job = clerk",
    ]
    assert names["clf"].predict(["pills for lunch now"]).tolist() == ["spam"]  # type: ignore[attr-defined]
    assert (tmp_path / "text.deciban").exists()


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^    make (\w+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_number_of_sample_messages_is_true() -> None:
    (said,) = re.findall(r"sample mailbox of (\d+) messages", README)
    assert int(said) == sum(1 for path in SAMPLE.rglob("*.eml"))
