"""The list of failures that are expected, each with a reason, and what is left out."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

LIST = Path(__file__).parent / "expected_failures.toml"
UNEXPLAINED = "?"
KINDS = {
    "definition": "Deciban defines or computes it otherwise by design; the words say what.",
    "attribute": "It reads an attribute that is an artefact of scikit-learn's implementation.",
    "private": "It uses private names of scikit-learn.",
    "wording": "Deciban raises the error, in other words.",
    "lenient": "Deciban accepts what scikit-learn refuses or warns of.",
    "strict": "Deciban refuses what scikit-learn accepts.",
    "adapter": "The adapter cannot translate it; the words say why that is no lack of the estimator.",
    "test": "The test itself is at fault or depends on random numbers of scikit-learn.",
    "missing": "A feature that Deciban does not have; the words say why.",
}


@dataclass(frozen=True)
class Group:
    """Tests of one module that are expected to fail for one reason."""

    module: str
    kind: str
    reason: str
    tests: list[str]


@dataclass
class Expectation:
    """Version of scikit-learn that the list is of, groups of failures, and functions that use no adapter."""

    version: str = ""
    groups: list[Group] = field(default_factory=list)
    unrelated: dict[str, list[str]] = field(default_factory=dict)

    def failures(self, module: str) -> Iterator[str]:
        """The tests of a module that are expected to fail."""
        return (test for group in self.groups if group.module == module for test in group.tests)


def read_expectation() -> Expectation:
    """Return the list."""
    known = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return Expectation(known["scikit-learn"], [Group(**each) for each in known["group"]], known["unrelated"])


def write_expectation(expectation: Expectation) -> None:
    """Write the list, by module and kind."""
    lines = [f"scikit-learn = {json.dumps(expectation.version)}", "", "[unrelated]"]
    for module, functions in sorted(expectation.unrelated.items()):
        lines += [f"{json.dumps(module)} = {_format_list(functions)}"]
    for group in sorted(expectation.groups, key=lambda each: (each.module, each.kind, each.reason)):
        lines += ["", "[[group]]", f"module = {json.dumps(group.module)}", f"kind = {json.dumps(group.kind)}"]
        lines += [f"reason = {json.dumps(group.reason, ensure_ascii=False)}", f"tests = {_format_list(group.tests)}"]
    LIST.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _format_list(names: list[str]) -> str:
    rows = "".join(f"    {json.dumps(name, ensure_ascii=False)},\n" for name in sorted(names))
    return f"[\n{rows}]"
