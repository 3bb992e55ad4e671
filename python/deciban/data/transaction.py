"""Bad input never corrupts a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deciban.data.convergence import warned_once
from deciban.data.refusal import StatisticError


@contextmanager
def all_or_nothing(model: Any) -> Iterator[None]:
    """Either the block succeeds or `model` stays as it was; refusals speak its own names. A fit that fell short of its
    optimum warns, once with all fits within.

    Attributes are put back as they were bound, so the block may bind new values but not change old ones.
    """
    before = dict(model.__dict__)
    try:
        with warned_once(model):
            yield
    except BaseException as error:
        names, classes = getattr(model, "feature_names_in_", None), getattr(model, "classes_", None)
        model.__dict__.clear()
        model.__dict__.update(before)
        if isinstance(error, StatisticError):
            raise error.named(
                lambda j: f"feature {j if names is None else repr(names[j])}",
                lambda c: f"class {c if classes is None else repr(classes.tolist()[c])}",
            ) from None
        raise
