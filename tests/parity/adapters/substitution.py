"""A plugin of pytest: it installs the adapters and writes down what became of each of scikit-learn's tests.

The environment variable `DECIBAN_PARITY_FOLDER` names a folder. `omitted.json` in it has, for each test module, the
test functions that are left out; `outcomes.json` gets, for each module and the name of each test, whether it passed,
failed or was skipped, the error in a line, the adapters that it used and the seconds that it took.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import sklearn

from .adapter import Adapter
from .catalogue import install_adapters

_FOLDER = Path(os.environ["DECIBAN_PARITY_FOLDER"])
_OTHER_ARRAYS = ("torch", "cupy", "dpnp", "jax")
_OUTCOMES: dict[str, dict[str, Any]] = defaultdict(dict)


def pytest_configure(config: pytest.Config) -> None:
    install_adapters([Path(path).parts[-3] for path in config.args])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    omitted = json.loads((_FOLDER / "omitted.json").read_text())
    items[:] = [
        item
        for item in items
        if item.name.split("[")[0] not in omitted.get(_module_of(item), ())
        and not any(library in item.name for library in _OTHER_ARRAYS)  # may be installed, or not
    ]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    Adapter.used.clear()
    item.stash[_STARTED] = process_time()
    return (yield)


_STARTED = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.when == "call" or report.outcome != "passed":
        seconds = process_time() - item.stash[_STARTED]
        outcome = [report.outcome, _describe(call.excinfo), sorted(Adapter.used), seconds]
        _OUTCOMES[_module_of(item)][item.name] = outcome
    return report


def pytest_unconfigure() -> None:
    (_FOLDER / "outcomes.json").write_text(json.dumps(_OUTCOMES))


def _module_of(item: pytest.Item) -> str:
    """The path of the module of a test inside scikit-learn."""
    return str(item.path.relative_to(Path(sklearn.__file__).parent).with_suffix(""))


def _describe(error: pytest.ExceptionInfo[BaseException] | None) -> str:
    """The type of an error and the beginning of its message."""
    if error is None:
        return ""
    return f"{error.typename}: {' '.join(str(error.value).split())}"[:400]
