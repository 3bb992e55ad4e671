"""Where the sides run: this machine, Deciban's interpreter and command, the rivals' own environment."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RIVALS = HERE / "rivals.txt"
VENV = HERE / ".venv"


class MissingError(Exception):
    """Something that a problem needs is not there; the text says what, and how to get it."""


def data(name: str) -> Path:
    """A file of the data folder: DECIBAN_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("DECIBAN_DATA", HERE.parent.parent / "shared" / "data"))
    if not (folder / name).is_file():
        raise MissingError(f"{name} is not in {folder}; name the folder that has it in DECIBAN_DATA")
    return folder / name


def deciban() -> str:
    """The `deciban` command of the environment that runs this."""
    beside = Path(sys.executable).with_name("deciban")
    command = str(beside) if beside.exists() else shutil.which("deciban")
    if command is None:
        raise MissingError("the deciban command is not installed beside this Python; install the package first")
    return command


def bogofilter() -> str:
    """The `bogofilter` command."""
    command = shutil.which("bogofilter")
    if command is None:
        raise MissingError("bogofilter is not installed; `apt install bogofilter` brings it")
    return command


def rivals_python() -> str:
    """The interpreter of the rivals' environment, made or brought up to date first."""
    python, stamp = VENV / "bin" / "python", VENV / "rivals.txt"
    wanted = RIVALS.read_text()
    if not (stamp.exists() and stamp.read_text() == wanted):
        print(f"installing the rivals into {VENV} …", file=sys.stderr)
        venv.create(VENV, with_pip=True, clear=True)
        pip = [python, "-m", "pip"]
        for step in ([*pip, "install", "-q", "--no-deps", "-r", RIVALS], [*pip, "check", "-q"]):
            done = subprocess.run(step, stdout=sys.stderr, check=False)
            if done.returncode:
                raise MissingError(f"pip {step[3]} failed for {RIVALS.name} (exit status {done.returncode}); see above")
        stamp.write_text(wanted)
    return str(python)


def version_of(command: str) -> str:
    """The first line that `command` says of its version."""
    argument = "-V" if command.endswith("bogofilter") else "--version"
    said = subprocess.run([command, argument], capture_output=True, text=True, check=False)
    return (said.stdout or said.stderr).strip().splitlines()[0]


def machine() -> dict[str, Any]:
    """Processor, cores, memory, system, and how busy it was when the run began."""
    facts = {
        line.split(":", 1)[0].strip(): line.split(":", 1)[1].strip()
        for name in ("/proc/cpuinfo", "/proc/meminfo")
        for line in Path(name).read_text().splitlines()
        if ":" in line
    }
    return {
        "processor": facts.get("model name", platform.processor()),
        "cores": cores(),
        "memory_gib": round(int(facts["MemTotal"].split()[0]) / 2**20, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load_average": round(os.getloadavg()[0], 2),
    }


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def revision() -> str:
    """The commit of the repository, with a + if files differ from it; empty without git."""
    if shutil.which("git") is None:
        return ""
    git = ["git", "-C", str(HERE)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=False)
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")
