"""What scikit-learn sees in an estimator that does not inherit from its classes: made when it is asked for.

A class that inherits from `sklearn.base` cannot be defined before scikit-learn is imported, which takes longer than a
first fit. Two classes are made instead, each once and only after that import:

`seen_class`   is what `isinstance` sees, and inherits from the class and from scikit-learn's;
`counterpart`  is an estimator of scikit-learn's own with the same signatures, which lists the requests of metadata and
               prints long parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from inspect import getattr_static
from typing import Any

from .loaded import is_imported

# Methods that take metadata; for each there may be a `set_METHOD_request`.
METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "split",
    "transform",
    "inverse_transform",
)
_REQUESTS = "__metadata_request__"

_seen: dict[type, type] = {}
_counterparts: dict[type, Any] = {}


def seen_class(family: type) -> type:
    """Return the class that `isinstance` sees in an estimator: once scikit-learn is imported, with its base classes.

    Parameters
    ----------
    family : type
        The class of the estimator; each of its bases may name one of `sklearn.base`, in `_in_sklearn`.

    Returns
    -------
    type
        The class itself before that; then one that inherits from it and from scikit-learn's, and makes objects of the
        class itself.
    """
    if not is_imported("sklearn.base"):
        return family
    if family not in _seen:
        _seen.setdefault(family, _make_seen(family))
    return _seen[family]


def _make_seen(family: type) -> type:
    base = sys.modules["sklearn.base"]
    theirs = [getattr(base, vars(each)["_in_sklearn"]) for each in family.__mro__ if "_in_sklearn" in vars(each)]

    def make(cls: type, *given: Any, **named: Any) -> Any:
        return family(*given, **named) if cls is seen else object.__new__(cls)

    namespace = {"__new__": make, "__module__": family.__module__, "__qualname__": family.__qualname__}
    seen: type = type(family)(family.__name__, (family, *theirs), {**namespace, "__doc__": family.__doc__})
    return seen


def counterpart(family: type) -> Any:
    """Return scikit-learn's estimator with the parameters, the methods and the requests of a class; it runs none."""
    if family not in _counterparts:
        from sklearn.base import BaseEstimator
        from sklearn.utils.metadata_routing import UNUSED

        namespace: dict[str, Any] = {"__init__": family.__init__, "__module__": family.__module__}  # type: ignore[misc]
        namespace.update((name, getattr(family, name)) for name in METHODS if hasattr(family, name))
        for each in reversed(family.__mro__):
            found = {name: value for name, value in vars(each).items() if _REQUESTS in name}
            for name, known in found.items():  # scikit-learn asks whether it is this very string
                namespace[name] = {key: UNUSED if value == UNUSED else value for key, value in known.items()}
        _counterparts.setdefault(family, type(family.__name__, (BaseEstimator,), namespace))
    return _counterparts[family]


def beside(model: Any, state: Mapping[str, Any]) -> Any:
    """Return an object of the counterpart of a model's class with these attributes."""
    found = object.__new__(counterpart(type(model)))
    vars(found).update(state)
    return found


class SetsRequest:
    """`set_METHOD_request` of an estimator, as scikit-learn makes it; AttributeError where the method takes no
    metadata."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, owner: Any = None) -> Any:
        owner = type(model) if owner is None else owner
        return _bound(counterpart(owner), self.name, model, owner)


class Borrowed:
    """A method that scikit-learn asks estimators for, as its own class has it; AttributeError where that has none, in
    another version."""

    def __init__(self, module: str = "sklearn.base", family: str = "BaseEstimator") -> None:
        self.module, self.family = module, family

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, owner: Any = None) -> Any:
        try:
            family = getattr(import_module(self.module), self.family)
        except ImportError:
            family = object
        return _bound(family, self.name, model, type(model) if owner is None else owner)


def _bound(family: type, name: str, model: Any, owner: Any) -> Any:
    try:
        found = getattr_static(family, name)
    except AttributeError:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {name!r}", name=name, obj=model) from None
    return found.__get__(model, owner)
