"""The command as people run it: a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

SAMPLE = Path(str(files("deciban") / "sample"))
TRAIN, HELD_OUT = SAMPLE / "train", SAMPLE / "held-out"
# Of both, a filter of the training messages is sure.
SPAM = HELD_OUT / "spam" / "en-012-lottery-charity-grant.eml"
HAM = HELD_OUT / "ham" / "en-015-ci-fixed.eml"
KOREAN = HELD_OUT / "ham" / "ko-007-parcel-absent.eml"

PROGRAM = [sys.executable, "-m", "deciban"]


def run(*arguments: object, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """`deciban ARGUMENT…`; `input` is standard input, empty unless given."""
    if "stdin" not in more:
        more.setdefault("input", b"")
    words = [a if isinstance(a, bytes) else str(a) for a in (*PROGRAM, *arguments)]
    env = {**os.environ, "PYTHONWARNINGS": "error", **more.pop("env", {})}
    env.pop("COLUMNS", None)
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(words, stderr=subprocess.PIPE, env=env, timeout=120, check=False, **more)


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
