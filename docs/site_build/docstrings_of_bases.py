"""Methods without a docstring have that of the method that they implement, as `help` shows it."""

from __future__ import annotations

from typing import Any

import griffe


class DocstringsOfBases(griffe.Extension):
    """Give public methods of a class the docstrings of its bases."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Look at every class of a package that was read."""
        for kind in _classes(pkg):
            bases = _bases(kind)
            for name, member in kind.members.items():
                if not member.is_alias and not member.docstring and not name.startswith("_"):
                    found = [base.members[name].docstring for base in bases if name in base.members]
                    member.docstring = next(filter(None, found), None)


def _classes(module: griffe.Object) -> list[griffe.Class]:
    own = [each for each in module.members.values() if not each.is_alias]
    inner = [kind for each in own if each.is_module or each.is_class for kind in _classes(each)]
    return [*(each for each in own if each.is_class), *inner]


def _bases(kind: griffe.Class) -> list[griffe.Class]:
    try:
        return kind.mro()
    except (griffe.AliasResolutionError, griffe.CyclicAliasError, ValueError):
        return []
