"""What the README and the guides in docs/ show works as it stands there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from deciban.mail.sql_stores import store_at
from deciban.mail.users import users_beside
from deciban.serve.live import LiveFilter
from deciban.serve.user_filters import UserFilters
from system.serving import until, workers_of

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "python" / "deciban" / "sample"
README = ROOT / "README.md"
GUIDES = [
    ROOT / "docs" / f"{name}.md" for name in ("mail", "serve", "text", "tables", "models", "reports", "scale", "onnx")
]
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in [README, *GUIDES]}
SERVED = ("serve", "users", "users", "users", "backup", "restore")
VERBS = {
    "README": ("train", "explain", "learn", "evaluate", "serve", "watch", "train", "evaluate", "explain"),
    "mail": (
        *("train", "evaluate", "classify", "explain", "learn", "forget", "refresh", "inspect", "evaluate"),
        *("suspects", "review", "review", "learn", "canary", "reset", "reset", "reset", "snapshot", "rollback"),
        *("doctor", "threshold"),
    ),
    "serve": ("serve", "serve", "serve", "serve", "filter", "serve", "serve", *SERVED, "watch", "watch"),
    "text": ("train", "evaluate", "explain", "learn", "learn", "train"),
    "tables": ("train", "evaluate", "classify", "explain", "learn", "compare"),
    "models": (),
    "scale": (),
    "onnx": ("export",),
    "reports": ("train", "evaluate", "compare"),
}
TRAINED_ELSEWHERE = ("serve", "onnx")
"""The pages whose commands begin with the filter of the README and the model of the tables."""


@pytest.fixture
def mailbox(tmp_path: Path) -> Path:
    """A folder with the files that the commands name."""
    shutil.copytree(SAMPLE / "train" / "spam", tmp_path / "Junk")
    shutil.copytree(SAMPLE / "held-out" / "spam", tmp_path / "NewJunk")
    shutil.copytree(SAMPLE / "held-out" / "ham", tmp_path / "NewInbox")
    with (tmp_path / "Inbox.mbox").open("wb") as mbox:
        for path in sorted((SAMPLE / "train" / "ham").iterdir()):
            mbox.write(b"From sender@mail.example Mon Jan  1 00:00:00 2024\n" + path.read_bytes() + b"\n\n")
    shutil.copy(min((SAMPLE / "held-out" / "spam").iterdir()), tmp_path / "mail.eml")
    reviews = pl.DataFrame({"review": ["a good film", "a bad film"] * 10, "sentiment": ["pos", "neg"] * 10})
    reviews.write_csv(tmp_path / "reviews.csv")
    reviews.write_csv(tmp_path / "new.csv")
    reviews.write_parquet(tmp_path / "test.parquet")
    reviews.write_ndjson(tmp_path / "more.jsonl")
    people = "".join(f"{20 + i},{'clerk' if i % 3 else 'judge'},{'yes' if i % 3 else 'no'}\n" for i in range(30))
    (tmp_path / "people.csv").write_text("age,job,buys\n" + people)
    (tmp_path / "more.csv").write_text("age,job,buys\n33,judge,no\n44,clerk,yes\n")
    (tmp_path / "token").write_text("0123456789abcdef0123456789abcdef\n")
    return tmp_path


def read_commands(page: str) -> list[list[str]]:
    """Return the lines of a page that begin with `deciban`, and the calls of `train` within its sentences."""
    lines = re.findall(r"^    (deciban .*?)(?:\s{2,}#.*)?$", page, flags=re.MULTILINE)
    return [shlex.split(line) for line in [*lines, *re.findall(r"`(deciban train .*?)`", page)]]


def test_every_command_of_a_page_is_found() -> None:
    assert {name: tuple(line[1] for line in read_commands(page)) for name, page in PAGES.items()} == VERBS


def serve(line: list[str], folder: Path) -> None:
    """Start a server, at a port that is free, until somebody is let in, and end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    at = f"127.0.0.1:{port}"
    words = [re.sub(r"127\.0\.0\.1:\d+", at, word) for word in line]
    words += [] if at in words else ["--http", at]
    with subprocess.Popen([sys.executable, "-m", *words], cwd=folder, stderr=subprocess.PIPE) as process:
        try:
            until(lambda: is_open(port) and workers_of(process), process)
        finally:
            process.terminate()
            said = process.communicate(timeout=30)[1]
    assert process.returncode == 0, (line, said)


def is_open(port: int) -> bool:
    """Return whether somebody listens there."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def teach_user(path: Path) -> None:
    """Let the user whom the page names learn something."""
    filters = UserFilters(LiveFilter(str(path)), store_at(None, users_beside(path), str(path)))
    filters.of("ann@example.com").learn(b"Subject: offers\n\nour best offers\n", "spam", "a test")
    filters.close()


def watch(line: list[str], folder: Path) -> None:
    """Watch an account of a server that is not there, once."""
    words = [sys.executable, "-m", *line, *([] if "--once" in line else ["--once"])]
    known = {**os.environ, "DECIBAN_IMAP_PASSWORD": "x"}
    run = subprocess.run(words, cwd=folder, capture_output=True, env=known)
    assert run.returncode == 69, (line, run.stderr)


@pytest.mark.deep
@pytest.mark.parametrize("name", [name for name, verbs in VERBS.items() if verbs])
def test_the_commands_run_and_forgetting_restores_the_file(name: str, mailbox: Path) -> None:
    commands = read_commands(PAGES[name])
    if name in TRAINED_ELSEWHERE:
        commands = [*read_commands(PAGES["README"])[:1], *read_commands(PAGES["tables"])[:1], *commands]
        assert [line[-1] for line in commands[:2]] == ["filter.deciban", "people.deciban"]
    contents = {}
    for line in commands:
        if line[1] == "serve":
            serve(line, mailbox)
        elif line[1] == "watch":
            watch(line, mailbox)
        else:
            if line[1] == "users":
                teach_user(mailbox / "filter.deciban")
            words = [each if each in "<>" else shlex.quote(each) for each in [sys.executable, "-m", *line]]
            run = subprocess.run(" ".join(words), shell=True, cwd=mailbox, capture_output=True)
            assert run.returncode == 0, (line, run.stderr)
        if "filter.deciban" in line:
            contents[line[1]] = (mailbox / "filter.deciban").read_bytes()
    if "forget" in contents:
        assert contents["explain"] == contents["forget"]
        assert (mailbox / "filter.deciban.journal").exists()


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if "```python" in page])
def test_the_python_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGES[name], flags=re.DOTALL)
    for code in blocks:
        exec(code, names)
    if "people" in names:
        terms = names["model"].explain(names["people"][3:])[0].terms  # type: ignore[attr-defined,index]
        assert [term.feature for term in terms] == ["visits", "job = clerk"]
    if "clf" in names:
        assert names["clf"].predict(["pills for lunch now"]).tolist() == ["spam"]  # type: ignore[attr-defined]
    assert {path.name for path in tmp_path.iterdir()} == set(re.findall(r"\.save\(\"(.*?)\"\)", "".join(blocks)))


def test_every_page_of_commands_or_python_is_run() -> None:
    """A page of docs/ is a guide or a study (test_study_pages.py); of others and Korean ones see test_site_pages.py."""
    pages = {path.stem for path in (ROOT / "docs").glob("*.md") if "." not in path.stem} - {"index"}
    studies = {path.stem for path in (ROOT / "docs" / "studies").glob("*.md")}
    assert pages - studies <= {*PAGES, "file-format"}
    assert set(VERBS) == set(PAGES)


def test_the_readme_is_one_page() -> None:
    assert len(PAGES["README"].splitlines()) <= 100


def test_links_lead_to_files_and_headings() -> None:
    """Those of the start page of the site lead to pages that are generated: tests/system/test_site.py."""
    for path in [*(each for each in (ROOT / "docs").glob("*.md") if each.stem.partition(".")[0] != "index"), README]:
        for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
            name, _, anchor = link.partition("#")
            target = path.parent / name if name else path
            assert "://" in name or target.exists(), (path.name, link)
            if anchor and "://" not in name:
                text = target.read_text(encoding="utf-8")
                headings = re.findall(r"^#+ (.*?)(?: \{ #(.*) \})?$", text, flags=re.MULTILINE)
                assert anchor in {name or "-".join(heading.lower().split()) for heading, name in headings}, (
                    path.name,
                    link,
                )


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^    make (\w+)", PAGES["README"], flags=re.MULTILINE):
        assert re.search(rf"^(\w+ )*{target}( \w+)*:", makefile, flags=re.MULTILINE), target
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_number_of_sample_messages_is_true() -> None:
    (said,) = re.findall(r"sample mailbox of (\d+) messages", PAGES["README"])
    assert int(said) == sum(1 for path in SAMPLE.rglob("*.eml"))
