"""The command as people run it: a process of its own, in the quick tier where it tells no more within this one."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, chdir, closing, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from deciban.cli import status
from deciban.mail import reading
from tiers import is_deep

SAMPLE = Path(str(files("deciban") / "sample"))
TRAIN, HELD_OUT = SAMPLE / "train", SAMPLE / "held-out"
# Of both, a filter of the training messages is sure.
SPAM = HELD_OUT / "spam" / "en-012-lottery-charity-grant.eml"
HAM = HELD_OUT / "ham" / "en-015-ci-fixed.eml"
KOREAN = HELD_OUT / "ham" / "ko-007-parcel-absent.eml"

_HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PROGRAM = [sys.executable, "-m", "deciban"]


def run(*arguments: object, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """`deciban ARGUMENT…`; `input` is standard input, empty unless given."""
    if not is_deep() and more.keys() <= {"input", "cwd"} and not any(isinstance(a, bytes) for a in arguments):
        return _run_here([str(a) for a in arguments], more)
    if "stdin" not in more:
        more.setdefault("input", b"")
    words = [a if isinstance(a, bytes) else str(a) for a in (*PROGRAM, *arguments)]
    env = {**os.environ, "PYTHONWARNINGS": "error", **more.pop("env", {})}
    env.pop("COLUMNS", None)
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(words, stderr=subprocess.PIPE, env=env, timeout=120, check=False, **more)


def run_here(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    """The same, in either tier within this process, whose modules the test has changed."""
    return _run_here([str(a) for a in arguments], {})


def _run_here(words: list[str], more: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
    """The same within this process, whose standard streams are files for as long; it takes no time to start."""
    columns, handlers = os.environ.pop("COLUMNS", None), {n: signal.getsignal(n) for n in _HANDLED}
    with ExitStack() as stack:
        given, *written = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(more.get("input", b""))
        given.seek(0)
        stack.enter_context(chdir(more.get("cwd", ".")))
        with _streams(given.fileno(), *(each.fileno() for each in written)):
            reading._copy = None  # a process reads its standard input once
            code = status(words)
        said = [(each.seek(0), each.read())[1] for each in written]
    for number, handler in handlers.items():
        signal.signal(number, handler)
    if columns is not None:
        os.environ["COLUMNS"] = columns
    return subprocess.CompletedProcess(words, code, *said)


@contextmanager
def _streams(*replaced: int) -> Iterator[None]:
    """Put three open files in the place of the standard streams."""
    names = ("stdin", "stdout", "stderr")
    before, kept = [getattr(sys, name) for name in names], [os.dup(number) for number in range(3)]
    try:
        for number, name in enumerate(names):
            os.dup2(replaced[number], number)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
        yield
    finally:
        for number, name in enumerate(names):
            getattr(sys, name).flush()
            setattr(sys, name, before[number])
            os.dup2(kept[number], number)
            os.close(kept[number])


def out(*arguments: object, **more: Any) -> str:
    """What it prints; it must succeed."""
    done = run(*arguments, **more)
    assert done.returncode == 0, (done.returncode, done.stderr.decode())
    return done.stdout.decode()


def result(*arguments: object, **more: Any) -> Any:
    """What it prints, as JSON."""
    return json.loads(out(*arguments, **more))


def trained(path: Path, *arguments: object) -> Path:
    """A filter of the sample mailbox at `path`."""
    out("train", TRAIN, "-o", path, "--quiet", *arguments)
    return path


def identities(names: Iterable[str], folder: Path = Path()) -> dict[str, Any]:
    """What tells one state of a file from another, of those that are there; of a journal, its entries."""
    known: dict[str, Any] = {}
    for name in names:
        if not (folder / name).exists():
            continue
        if not name.endswith(".journal"):
            about = os.stat(folder / name)
            known[name] = about.st_ino, about.st_ctime_ns
            continue
        with closing(sqlite3.connect(folder / name)) as journal:
            tables = journal.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables and (entries := journal.execute("SELECT id, state FROM entries").fetchall()):
                known[name] = entries
    return known
