"""Callbacks of scikit-learn, from its version 1.9 on: what happens in a fit is told to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from numpy.typing import ArrayLike

from deciban.data.rows import Rows

if TYPE_CHECKING:
    # scikit-learn has no types; a class whose base is Any passes for an int, and `sum(models)` for one too.
    class _Support:
        """What is used of scikit-learn's."""

    def _managed(method: Any) -> Any: ...
else:
    try:
        from sklearn.callback import CallbackSupportMixin as _Support
        from sklearn.callback import with_callbacks as _managed
    except ImportError:  # scikit-learn before 1.9 has none, and estimators then have no set_callbacks
        _Support = object

        def _managed(method):
            return method


class TellsCallbacks(_Support):
    """A model whose fit is told to the callbacks of `set_callbacks`, where scikit-learn has them."""


Fit = TypeVar("Fit", bound=Callable[..., Any])


def report_to_callbacks(fit: Fit) -> Fit:
    """Decorate a `fit` whose begin and end, and the iterations between, are told to the callbacks of the model."""

    @wraps(fit)
    def told(model: Any, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None, **more: Any) -> Any:
        if not model.__dict__.get("_skl_callbacks") and not hasattr(model, "_parent_callback_ctx"):
            return fit(model, X, y, sample_weight, **more)
        context = model._init_callback_context(max_subtasks=None)
        given = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        context.call_on_fit_task_begin(estimator=model, **given)
        fit(model, X, y, sample_weight, **more)
        context.call_on_fit_task_end(estimator=model, reconstruction_attributes={}, **given)
        return model

    return cast(Fit, _managed(told))
