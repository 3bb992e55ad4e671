"""The benchmarks import what is there: they run seldom, so that a name that is gone would be found late."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py") if ".venv" not in path.parts)


def imported(script: str) -> Iterator[tuple[str, str | None]]:
    """Every module of ours that a script imports, and each name from it."""
    for node in ast.walk(ast.parse((FOLDER / script).read_text())):
        if isinstance(node, ast.Import):
            yield from ((each.name, None) for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, each.name) for each in node.names)


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_a_benchmark_imports_from_the_package_exists(script):
    for module, name in imported(script):
        if module.split(".")[0] != "deciban":
            continue
        found = import_module(module)
        if name is not None and not hasattr(found, name):
            import_module(f"{module}.{name}")
