"""Modules that are imported and that few verbs use: they are executed at their first use."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

# scikit-learn's base classes import scipy.stats (0.4 s), joblib asyncio; SciPy's `from numpy import *` the first two.
# One message for a filter without a journal takes 4 ms less where the last two are not executed.
DEFERRED = {"numpy.f2py", "numpy.testing", "scipy.stats", "asyncio", "sqlite3", "hashlib"}

# scikit-learn imports it where it is installed (0.25 s); no verb makes a frame of it.
ABSENT = "pandas"


class Deferred:
    """A finder of modules, as in `sys.meta_path`: those of `DEFERRED` are executed at their first use."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the specification of a module that is deferred or absent; None for all others."""
        if name not in DEFERRED and name != ABSENT:
            return None
        from importlib.machinery import ModuleSpec, PathFinder

        if name == ABSENT:
            return ModuleSpec(name, _Absent)  # type: ignore[arg-type]
        found = PathFinder.find_spec(name, path, target)
        if found is not None and found.loader is not None:
            found.loader = _Loader(found.loader)  # type: ignore[assignment]
        return found


class _Loader:
    """The loader of a deferred module, which leaves the work to the module itself.

    `importlib.util.LazyLoader` shows other threads a module that is half executed, before Python 3.12.3.
    """

    def __init__(self, loader: Any) -> None:
        from threading import RLock

        self.loader, self.lock, self.begun = loader, RLock(), False

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to the default."""

    def exec_module(self, module: ModuleType) -> None:
        """Execute nothing yet."""
        module.__class__ = _Module

    def execute(self, module: ModuleType) -> None:
        """Execute the module, once; other threads wait for that, and the module itself does not."""
        with self.lock:
            if not self.begun:
                self.begun = True
                self.loader.exec_module(module)
                module.__class__ = ModuleType


class _Absent:
    """The loader of a module that is as if it were not installed."""

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Raise what the import of a missing module raises."""
        raise ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Do nothing: it is never called."""


class _Module(ModuleType):
    """A module that is executed when it is first asked for something that is in it."""

    def __getattribute__(self, name: str) -> Any:
        if name not in ("__class__", "__spec__"):
            self.__spec__.loader.execute(self)  # type: ignore[union-attr]
        return ModuleType.__getattribute__(self, name)  # whose class is another by now


def defer_imports() -> None:
    """Defer the imports of this process."""
    if Deferred not in sys.meta_path:
        sys.meta_path.insert(0, Deferred)
