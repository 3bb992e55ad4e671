"""Callbacks of scikit-learn, from its version 1.9 on: what happens in a fit is told to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin as _Support
    from sklearn.callback import with_callbacks as _managed
except ImportError:  # scikit-learn before 1.9 has none, and estimators then have no set_callbacks
    _Support = object

    def _managed(method: Any) -> Any:
        return method


class TellsCallbacks(_Support):  # type: ignore[misc]
    """A model whose fit is told to the callbacks of `set_callbacks`, where scikit-learn has them."""


def reported(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `fit` whose begin and end, and the iterations between, are told to the callbacks of the model."""

    @wraps(fit)
    def told(model: Any, X: Any, y: Any, sample_weight: Any = None, **more: Any) -> Any:
        if not model.__dict__.get("_skl_callbacks") and not hasattr(model, "_parent_callback_ctx"):
            return fit(model, X, y, sample_weight, **more)
        context = model._init_callback_context(max_subtasks=None)
        given = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        context.call_on_fit_task_begin(estimator=model, **given)
        fit(model, X, y, sample_weight, **more)
        context.call_on_fit_task_end(estimator=model, reconstruction_attributes={}, **given)
        return model

    managed: Callable[..., Any] = _managed(told)
    return managed


def iterations_told(model: Any, callback: Any) -> Any:
    """Return a solver's callback that also tells scikit-learn's of each iteration; True from any of them stops."""
    context = model.__dict__.get("_callback_fit_ctx")
    if context is None:
        return callback
    lock = Lock()

    def told(iteration: int, objective: float, gap: float) -> bool:
        stop = callback is not None and bool(callback(iteration, objective, gap))
        if iteration == 0:
            return stop
        with lock:
            task = context.subcontext(task_name="iteration")
            task.call_on_fit_task_begin(estimator=model)
            return bool(task.call_on_fit_task_end(estimator=model)) or stop

    return told
