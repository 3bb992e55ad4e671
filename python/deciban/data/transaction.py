"""Bad input never corrupts a model, and two threads that teach one model lose nothing of either."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Any
from weakref import WeakKeyDictionary

from deciban.data.convergence import warn_once
from deciban.data.refusal import StatisticError


@contextmanager
def all_or_nothing(model: object) -> Iterator[None]:
    """Either the block succeeds or `model` stays as it was; refusals speak its own names. A fit that fell short of its
    optimum warns, once with all fits within.

    Attributes are put back as they were bound, so the block may bind new values but not change old ones. What other
    threads do to the same model inside such a block waits for the end of this one.
    """
    with _lock_of(model):
        before = dict(model.__dict__)
        try:
            with warn_once(model), named_refusals(model):
                yield
        except BaseException:
            model.__dict__ = before  # at once, for threads that read it meanwhile
            raise


@contextmanager
def named_refusals(model: object) -> Iterator[None]:
    """Let the refusals of a block, which changes nothing, speak the names of the model."""
    try:
        yield
    except StatisticError as error:
        names, classes = getattr(model, "feature_names_in_", None), getattr(model, "classes_", None)
        raise error.named(
            lambda j: f"feature {j if names is None else repr(names[j])}",
            lambda c: f"class {c if classes is None else repr(classes.tolist()[c])}",
        ) from None


# Beside the models, not in them: a copy or a pickle of a model has a lock of its own.
_locks: WeakKeyDictionary[object, Any] = WeakKeyDictionary()
_entry = Lock()


def _lock_of(model: object) -> Any:
    with _entry:
        return _locks.setdefault(model, RLock())


def _forget_locks() -> None:
    """Forget the locks in a child process, which has only the thread that forked it."""
    global _locks, _entry
    _locks, _entry = WeakKeyDictionary(), Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_locks)
