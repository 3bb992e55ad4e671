"""What takes long to make, and is made once for all processes of a run of the tests."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def make_once(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that `make` filled, in this process or in another of the same run."""
    base = folders.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, unfinished = base / name, base / f"{name}.unfinished"
    with open(base / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
    return folder
