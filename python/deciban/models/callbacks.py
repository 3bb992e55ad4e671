"""Callbacks of scikit-learn, from its version 1.9 on: what happens in a fit is told to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from numpy.typing import ArrayLike

from deciban.data.counterpart import Borrowed
from deciban.data.rows import Rows


class TellsCallbacks:
    """A model whose fit is told to the callbacks of `set_callbacks`, which is there where scikit-learn has them."""

    set_callbacks = Borrowed("sklearn.callback", "CallbackSupportMixin")
    _init_callback_context = Borrowed("sklearn.callback", "CallbackSupportMixin")


Fit = TypeVar("Fit", bound=Callable[..., Any])


def report_to_callbacks(fit: Fit) -> Fit:
    """Decorate a `fit` whose begin and end, and the iterations between, are told to the callbacks of the model."""

    def told(model: Any, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None, **more: Any) -> Any:
        context = model._init_callback_context(max_subtasks=None)
        given = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        context.call_on_fit_task_begin(estimator=model, **given)
        fit(model, X, y, sample_weight, **more)
        context.call_on_fit_task_end(estimator=model, reconstruction_attributes={}, **given)
        return model

    @wraps(fit)
    def fitted(model: Any, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None, **more: Any) -> Any:
        if not model.__dict__.get("_skl_callbacks") and not hasattr(model, "_parent_callback_ctx"):
            return fit(model, X, y, sample_weight, **more)
        from sklearn.callback import with_callbacks

        return with_callbacks(told)(model, X, y, sample_weight, **more)

    return cast(Fit, fitted)
