"""Text problems: each side is a script that times fit and predict inside a fresh process; of rows, as `transform`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import environment
from measure import FailedError, Numbers, Side
from problems import Problem

from kinds import Contest, Share

SIDES = environment.HERE / "sides"
SCRIPTS = {
    "deciban": "text_deciban.py",
    "scikit-learn": "text_sklearn.py",
    "scikit-learn-alike": "text_sklearn.py",
    "vowpal-wabbit": "text_vw.py",
    "vowpal-wabbit-prepared": "text_vw.py",
}
ROWS = "rows_fit.py"
WHERE = {"text": "where_text.py", "rows": "rows_where.py"}


def contest(problem: Problem, folder: Path) -> Contest:
    """Prepare the texts once, for all sides."""
    rivals = environment.rivals_python()
    sizes = _said([sys.executable, SIDES / "prepare_texts.py", environment.data(problem.data), folder])
    versions: dict[str, str] = {}

    def side(name: str, settings: dict[str, Any]) -> Side:
        python = sys.executable if name == "deciban" else rivals

        def run() -> Numbers:
            script = ROWS if problem.kind == "rows" else SCRIPTS[name]
            said = _said([python, SIDES / script, folder, json.dumps(settings)])
            versions.update(said["versions"])
            return said["numbers"]

        return Side(name, run)

    def where() -> list[Share]:
        settings = json.dumps(problem.sides["deciban"])
        return [tuple(step) for step in _said([sys.executable, SIDES / WHERE[problem.kind], folder, settings])]

    sides = [side(name, settings) for name, settings in problem.sides.items()]
    notes = tuple(sizes["notes"]) if problem.kind == "text" else ()
    return Contest(sides, sizes["bytes"], sizes["items"], versions, where, notes)


def _said(command: list[Any]) -> Any:
    """What a script printed as JSON."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError(f"{Path(command[1]).name} failed:\n{done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])
