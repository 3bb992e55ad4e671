"""Methods that a class knows by name only, as what makes them stands on a floor above it: pages, tables in a terminal.

`deciban/__init__.py`, which is above all floors, says where they are.
"""

from __future__ import annotations

from importlib import import_module
from types import MethodType
from typing import Any

HOMES: dict[str, tuple[str, str]] = {}
"""The module and the function of each."""


class Attached:
    """A method whose function, of the object and the arguments, is loaded when it is first asked for."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __get__(self, given: Any, family: Any = None) -> Any:
        from .threads import method_on_threads

        module, name = HOMES[self.what]
        function = method_on_threads(getattr(import_module(module), name))
        return function if given is None else MethodType(function, given)


class Saves:
    """An estimator that writes itself to a file."""

    save = Attached("save")


class Reports:
    """A classifier that tells of itself on a page."""

    report = Attached("report")


class FindsLabelErrors:
    """A classifier that names the examples whose labels are probably wrong."""

    find_label_errors = Attached("label errors")


class StatesBounds:
    """A model whose errors to come theory bounds."""

    bounds = Attached("bounds")
