"""A plugin of pytest: adapters stand for scikit-learn's estimators while a module of its own tests runs.

`DECIBAN_SUITE` is that module, `DECIBAN_ELSEWHERE` names its tests that use no adapter and are left out, and
`DECIBAN_OUTCOMES` is the file that gets a JSON object: the id of a test → outcome, failure in a line, adapters used.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from . import catalogue
from .adapter import Adapter

_outcomes: dict[str, list[Any]] = {}


def pytest_configure() -> None:
    catalogue.put_in_place(os.environ["DECIBAN_SUITE"])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    elsewhere = set(os.environ["DECIBAN_ELSEWHERE"].split())
    items[:] = [item for item in items if item.name.split("[")[0] not in elsewhere]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    Adapter.used.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.when == "call" or report.outcome != "passed":
        told = str(call.excinfo.value).strip().splitlines() if call.excinfo else []
        line = f"{call.excinfo.typename}: {told[0] if told else ''}" if call.excinfo else ""
        _outcomes[item.name] = [report.outcome, line[:200], sorted(Adapter.used)]
    return report


def pytest_unconfigure() -> None:
    Path(os.environ["DECIBAN_OUTCOMES"]).write_text(json.dumps(_outcomes))
