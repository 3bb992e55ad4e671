"""Run scikit-learn's test modules against the adapters, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import sklearn

_SETTINGS = {"SKLEARN_TESTS_GLOBAL_RANDOM_SEED": "42", "SKLEARN_SKIP_NETWORK_TESTS": "1", "MPLBACKEND": "agg"}
_SETTINGS |= {"SCIPY_ARRAY_API": "1"}


@dataclass(frozen=True)
class Outcome:
    """What became of one test: "passed", "failed" or "skipped"; the error; the adapters it used; seconds of CPU."""

    outcome: str
    error: str
    adapters: list[str]
    seconds: float


def run_modules(
    modules: Iterable[str], omitted: Mapping[str, Iterable[str]] | None = None
) -> dict[str, dict[str, Outcome]]:
    """Return the outcomes of test modules: module → name of the test → outcome. Functions `omitted` are left out."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "omitted.json").write_text(
            json.dumps({module: list(each) for module, each in (omitted or {}).items()})
        )
        (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = ignore\n")
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
        command += ["-c", str(folder / "pytest.ini"), "--rootdir", name, "-p", "adapters.substitution"]
        command += [str(Path(sklearn.__file__).parent / f"{module}.py") for module in modules]
        path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = os.environ | _SETTINGS | {"PYTHONPATH": path, "DECIBAN_PARITY_FOLDER": name}
        ran = subprocess.run(command, cwd=name, env=environment, capture_output=True, text=True)
        if ran.returncode not in (0, 1):
            raise RuntimeError(f"pytest ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
        found = json.loads((folder / "outcomes.json").read_text())
    return {module: {test: Outcome(*each) for test, each in tests.items()} for module, tests in found.items()}


def function_of(test: str) -> str:
    """The name of a test without its case."""
    return test.split("[")[0]


def find_failures(outcomes: Mapping[str, Outcome]) -> set[str]:
    """Return the tests of a module that failed with an adapter; `name[*]` where all cases of a test did."""
    failed = {test for test, each in outcomes.items() if each.outcome == "failed" and each.adapters}
    passed = {function_of(test) for test, each in outcomes.items() if each.outcome == "passed"}
    return {f"{function_of(test)}[*]" if "[" in test and function_of(test) not in passed else test for test in failed}


def find_unrelated(outcomes: Mapping[str, Outcome]) -> set[str]:
    """Return the test functions of a module that use no adapter in any case."""
    used = {function_of(test) for test, each in outcomes.items() if each.adapters}
    return {function_of(test) for test in outcomes} - used
