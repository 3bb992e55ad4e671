"""One message, from `exec` to exit, with a filter trained beforehand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import median

import corpora
import environment
from measure import FailedError, Finished, Numbers, Side, process
from problems import Problem
from sides.mail_bogofilter import Bogofilter
from sides.mail_deciban import Deciban

from kinds import Contest, Share

STARTS = 15
SHOWN_PACKAGES = 6


def contest(problem: Problem, folder: Path) -> Contest:
    """Train both on half the corpus; the message is the ham of median size in the other half."""
    archive = environment.data(problem.data)
    environment.deciban(), environment.bogofilter()  # before the long work: are both here?
    mail = corpora.unpack(archive, folder / "corpus")
    (folder / "deciban").mkdir()
    ours = Deciban(mail, "mbox", folder / "deciban")
    theirs = Bogofilter(mail, "mbox", folder / "bogofilter", **problem.sides["bogofilter"])
    ours.train(), theirs.train()
    hams = sorted(mail.path("test", "ham", "folder").iterdir(), key=lambda path: (path.stat().st_size, path.name))
    message = folder / "message.eml"
    message.write_bytes(hams[len(hams) // 2].read_bytes())

    def side(name: str, program: Deciban | Bogofilter) -> Side:
        return Side(name, lambda: _numbers(program.judge_one(message)))

    return Contest(
        [side("deciban", ours), side("bogofilter", theirs)],
        {"train": mail.bytes["train"], "test": message.stat().st_size},
        {"train": sum(mail.counts["train"].values()), "test": 1},
        {"deciban": ours.version(), "bogofilter": theirs.version()},
        lambda: _where(ours, message),
    )


def _numbers(finished: Finished) -> Numbers:
    return {"wall_ms": 1000 * finished.wall_s, "cpu_ms": 1000 * finished.cpu_s}


def _where(ours: Deciban, message: Path) -> list[Share]:
    """Interpreter, imports, reading the filter, judging; each measured apart, so they only nearly add up."""
    start = _start("pass")
    loaded = _start("import deciban.cli.group, deciban.cli.classify")
    command = [ours.command, "classify", str(ours.filter), str(message), "--json"]
    script = environment.HERE / "sides" / "where_message.py"
    done = subprocess.run(
        [sys.executable, script, str(ours.filter), str(message)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise FailedError(f"{script.name} failed:\n{done.stderr.strip()[-2000:]}")
    steps = [tuple(step) for step in json.loads(done.stdout)]
    return [
        ("interpreter, start to end", start),
        ("imports of the command", loaded - start),
        *_imports(command),
        *steps,
    ]


def _start(code: str) -> float:
    """The median time of an interpreter that runs `code` and ends."""
    return median(process([sys.executable, "-c", code]).wall_s for _ in range(STARTS))


def _imports(command: list[str]) -> list[Share]:
    """What `-X importtime` says of a whole command, less what a bare start imports, summed by package.

    Tracing makes imports slower than they are; the shares are what counts.
    """
    bare, _ = _traced(["-c", "pass"])
    found, order = _traced(command)
    packages: Counter[str] = Counter()
    for module in order:
        if module not in bare:
            package = module.partition(".")[0]
            packages["the standard library" if package in sys.stdlib_module_names else package] += found[module]
    shown = packages.most_common(SHOWN_PACKAGES)
    rest = sum(packages.values()) - sum(count for _, count in shown)
    shares = [(f"    {name}", count / 1e6) for name, count in shown]
    shares += [("    others", rest / 1e6)] if rest else []
    modules = sum(module not in bare for module in order)
    return [(f"  traced, {modules} modules", sum(packages.values()) / 1e6), *shares]


TRACE = re.compile(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", re.MULTILINE)


def _traced(arguments: list[str]) -> tuple[dict[str, int], list[str]]:
    """Microseconds each module itself took, and the modules in order."""
    done = subprocess.run([sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True)
    took = {module: int(own) for own, module in TRACE.findall(done.stderr)}
    return took, list(took)
