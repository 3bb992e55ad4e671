"""Whether modules are imported already: who has not imported them has none of their objects, nor set their options."""

from __future__ import annotations

import sys


def is_imported(name: str) -> bool:
    """Return whether a module is imported, wholly."""
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)


def sklearn_option(name: str, default: object) -> object:
    """Return an option of `sklearn.set_config`; before scikit-learn is imported its default."""
    if not is_imported("sklearn"):
        return default
    from sklearn import get_config

    return get_config()[name]
