"""Parameters that fits share, checked: when to stop, and the seed."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from deciban.solvers import Limits


def check_positive(name: str, value: Any) -> float:
    """`value` as a float, or a ValueError unless it is a number > 0."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not value > 0.0:
        raise ValueError(f"{name} must be a number > 0, got {value!r}")
    return float(value)


def limits_of(model: Any) -> Limits:
    """When a model is to stop."""
    tol, iterations = check_positive("tol", model.tol), model.max_iter
    if isinstance(iterations, bool) or not isinstance(iterations, int | np.integer) or iterations < 1:
        raise ValueError(f"max_iter must be a whole number from 1, got {iterations!r}")
    limit = None if model.time_limit is None else check_positive("time_limit", model.time_limit)
    return Limits(tol, int(iterations), limit, iterations_told(model, model.callback))


def seed_of(random_state: Any) -> int:
    """A seed from scikit-learn's `random_state`; None is 0."""
    from sklearn.utils import check_random_state

    if random_state is None:
        return 0
    if isinstance(random_state, int | np.integer):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state must be from 0 to 2^64 − 1, got {random_state!r}")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


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
