"""Names of a package, and properties, that are made when they are first used."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Self, TypeVar, overload

Value = TypeVar("Value", covariant=True)


class cached_property(functools.cached_property[Value]):  # noqa: N801, TID251
    """A property that is computed once for each object, without a lock: several threads that come at the same time each
    compute it, and all get what the first has kept.

    That of Python 3.11 holds one lock for all objects of a class while it computes. Who computes waits for threads of
    the core, and these, where they prove an optimum or tell a callback, may ask another object for the same property:
    each would wait for the other.

    Parameters
    ----------
    func : callable
        Method that computes it.

    Examples
    --------
    >>> class Numbers:
    ...     @cached_property
    ...     def drawn(self):
    ...         print("drawn")
    ...         return 4
    >>> numbers = Numbers()
    >>> numbers.drawn + numbers.drawn
    drawn
    8
    """

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Return the property of an object, which is computed if it is not yet kept."""
        if instance is None:
            return self
        kept, name = vars(instance), str(self.attrname)
        return kept[name] if name in kept else kept.setdefault(name, self.func(instance))


def lazy_attributes(
    package: str, home: Mapping[str, str], modules: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package that loads its names when they are first used.

    Parameters
    ----------
    package : str
        The package's `__name__`.
    home : mapping of str to str
        Public name → the module that has it, such as ".held_out".
    modules : iterable of str
        Modules and packages in it that `dir` lists; the others are found, too, but not listed.

    Returns
    -------
    tuple of callables
        `__getattr__(name)`, which keeps what it found in the package, and `__dir__()`.

    Examples
    --------
    >>> getattribute, _ = lazy_attributes("deciban.theory", {"vc": ".capacity"})
    >>> getattribute("capacity").__name__
    'deciban.theory.capacity'
    """

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name in home:
            value = getattr(import_module(home[name], package), name)
            setattr(sys.modules[package], name, value)
            return value
        if not name.startswith("_") and _has_module(package, name):
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}; it has {', '.join(sorted(home))}")

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(sys.modules[package]), *home, *modules})

    return __getattr__, __dir__


def _has_module(package: str, name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(f"{package}.{name}") is not None
