"""What the tests of the pages of studies share: the renderer, and the modules of a study by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS, STUDIES = ROOT / "docs", ROOT / "benchmarks" / "studies"

if str(DOCS / "site_build") not in sys.path:
    sys.path.append(str(DOCS / "site_build"))
renderer: Any = import_module("study_pages")
page_words: Any = import_module("page_words")


@contextmanager
def study(name: str) -> Iterator[ModuleType]:
    """Import a module of benchmarks/studies/, whose modules are forgotten afterwards."""
    before = sys.path[:]
    sys.path.insert(0, str(STUDIES))
    try:
        yield import_module(name)
    finally:
        sys.path[:] = before
        for path in STUDIES.glob("*.py"):
            sys.modules.pop(path.stem, None)
