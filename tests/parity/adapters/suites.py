"""Run a module of scikit-learn's tests against the estimators here, and read the list of the failures expected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sklearn

HERE = Path(__file__).parent
LIST = HERE / "expected_failures.toml"


def expected() -> dict[str, Any]:
    """The version of scikit-learn that the list is of, its reasons, and the tests of each module by reason."""
    return tomllib.loads(LIST.read_text(encoding="utf-8"))


def run(suite: str, elsewhere: Iterable[str] = ()) -> dict[str, list[Any]]:
    """Id of each test → outcome, failure in a line, adapters used; in a process of its own."""
    module = Path(sklearn.__file__).parent / f"{suite}.py"
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder) / "outcomes.json"
        places = [str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        told = {"DECIBAN_SUITE": suite, "DECIBAN_ELSEWHERE": " ".join(elsewhere), "DECIBAN_OUTCOMES": str(outcomes)}
        quiet = {"SKLEARN_SEED": "0", "SCIPY_ARRAY_API": "1", "SKLEARN_SKIP_NETWORK_TESTS": "1", "MPLBACKEND": "agg"}
        (Path(folder) / "pytest.ini").write_text("[pytest]\nfilterwarnings = ignore\n")
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
        command += ["-c", f"{folder}/pytest.ini", "--rootdir", folder, "-p", "adapters.substitution", str(module)]
        environment = {**os.environ, **told, **quiet, "PYTHONPATH": os.pathsep.join(places)}
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if ran.returncode not in (0, 1) or not outcomes.exists():
            raise RuntimeError(f"{suite}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}")
        found: dict[str, list[Any]] = json.loads(outcomes.read_text())
    return found


def failures(outcomes: dict[str, list[Any]]) -> set[str]:
    """The tests that failed; `name[*]` where all cases of a test did."""
    failed = {test for test, (outcome, *_) in outcomes.items() if outcome == "failed"}
    ran = {test for test, (outcome, *_) in outcomes.items() if outcome in ("failed", "passed")}
    whole = {name for name in map(name_of, failed) if {t for t in ran if name_of(t) == name} <= failed}
    return {f"{name_of(test)}[*]" if "[" in test and name_of(test) in whole else test for test in failed}


def name_of(test: str) -> str:
    """The function of a test, without its case."""
    return test.split("[")[0]
