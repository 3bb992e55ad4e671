"""Matrix problems: each side is a fresh process that times fit and predict of one estimator on the same matrix."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import environment
import numpy as np
from measure import FailedError, Numbers, Side
from problems import Agrees, Problem

from kinds import Contest, Share

SIDES = environment.HERE / "sides"


def contest(problem: Problem, folder: Path) -> Contest:
    """Make the matrix once, for all sides."""
    rivals = environment.rivals_python()
    data = environment.data(problem.data) if problem.data else ""
    sizes = said([sys.executable, SIDES / "matrix_prepare.py", problem.options["matrix"], data, folder])
    versions: dict[str, str] = {}
    alike = {goal.rival for goal in problem.goals if isinstance(goal, Agrees)}
    beyond = problem.options.get("once_beyond_s", float("inf"))

    def side(name: str, settings: dict[str, Any]) -> Side:
        python = sys.executable if name == "deciban" else rivals
        answer = folder / f"{name}.npy"
        earlier: list[Numbers] = []

        def run() -> Numbers:
            if earlier and earlier[0]["fit_s"] > beyond:
                return earlier[0]
            came = said([python, SIDES / "matrix_fit.py", folder, json.dumps(settings), answer])
            versions.update(came["versions"])
            numbers = came["numbers"]
            if alike:
                numbers["apart"] = _apart(answer, folder / "deciban.npy") if name in alike else 0.0
            earlier.append(numbers)
            return numbers

        return Side(name, run)

    def where() -> list[Share]:
        settings = json.dumps(problem.sides["deciban"])
        return [tuple(step) for step in said([sys.executable, SIDES / "matrix_where.py", folder, settings])]

    sides = [side(name, settings) for name, settings in problem.sides.items()]
    notes = () if beyond == float("inf") else (f"a side whose fit takes more than {beyond} s runs once",)
    return Contest(sides, sizes["bytes"], sizes["items"], versions, where, notes)


def _apart(theirs: Path, ours: Path) -> float:
    """How far two answers lie apart: the share of labels that differ, or the largest difference of scores."""
    a, b = np.load(theirs), np.load(ours)
    return float(np.abs(a - b).max() if a.dtype.kind == "f" else (a != b).mean())


def said(command: list[Any]) -> Any:
    """What a script printed as JSON."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError(f"{Path(command[1]).name} failed:\n{done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])
