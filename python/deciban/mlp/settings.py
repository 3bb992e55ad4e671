"""Parameters of a network, checked: its shape, and the plan of its training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from deciban.data.refusal import check_whole
from deciban.solvers.limits import check_positive, read_limits

from ..networks.measures import Wrong
from ..networks.optimizers import FullBatch, schedule
from ..networks.optimizers import by_name as optimizer_by_name
from ..networks.training import Plan


def plan_of(model: Any, wrong: Wrong) -> Plan:
    """Return the plan of training that the model's parameters describe; ValueError for what is none."""
    limits = read_limits(model)
    optimizer = optimizer_by_name(model.solver, model.momentum, model.nesterov)
    rate = optimizer.rate if model.learning_rate is None else _finite("learning_rate", model.learning_rate)
    if isinstance(optimizer, FullBatch) and (
        model.dropout or model.clip_norm is not None or model.weight_averaging is not None
    ):
        raise ValueError(
            "dropout, clip_norm and weight_averaging are of steps by batches: leave them out, or take solver='adam'"
        )
    return Plan(
        optimizer=optimizer,
        schedule=schedule(model.schedule, rate, limits.max_iter),
        decay=_share("weight_decay", model.weight_decay, np.inf),
        dropout=_share("dropout", model.dropout, 1.0),
        clip_norm=None if model.clip_norm is None else _finite("clip_norm", model.clip_norm),
        weight_averaging=None
        if model.weight_averaging is None
        else _share("weight_averaging", model.weight_averaging, 1.0),
        max_iter=limits.max_iter,
        patience=check_whole("n_iter_no_change", model.n_iter_no_change),
        tol=limits.tol,
        time_limit=limits.time_limit,
        callback=limits.callback,
        wrong=wrong,
        watch=model._watch,
    )


def hidden_sizes(hidden: object) -> tuple[int, ...]:
    """Return the number of units of each hidden layer, from below; none is a linear model."""
    sizes = (hidden,) if isinstance(hidden, int | np.integer) else hidden
    if isinstance(sizes, str) or not hasattr(sizes, "__iter__"):
        raise ValueError(
            f"hidden_layer_sizes must be the sizes of the hidden layers, as in (128,) or (64, 32), got {hidden!r}"
        )
    for layer, units in enumerate(sizes, 1):
        if isinstance(units, bool) or not isinstance(units, int | np.integer) or units < 1:
            raise ValueError(
                f"hidden layers need one unit at least: hidden_layer_sizes[{layer - 1}] is {units!r}, in {hidden!r}"
            )
    return tuple(int(units) for units in sizes)


def batch_of(size: object, n: int) -> int:
    """Return how many of n examples make a step; None is all of them."""
    return n if size is None else min(n, check_whole("batch_size", size))


def type_of(dtype: DTypeLike) -> Any:
    """Return float32 or float64."""
    known = {"float32": np.float32, "float64": np.float64}
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))
    if name not in known:
        raise ValueError(f"dtype must be 'float32' or 'float64', got {dtype!r}")
    return np.dtype(known[name])


def fraction_of(value: object) -> float:
    """Return the share of the examples that is held out."""
    share = _share("validation_fraction", value, 1.0)
    if not share:
        raise ValueError("validation_fraction must be above 0, got 0: early_stopping=False holds nothing out")
    return share


def _finite(name: str, value: object) -> float:
    number = check_positive(name, value)
    if number == np.inf:
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    return number


def _share(name: str, value: Any, below: float) -> float:
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not 0.0 <= value < below:
        least = "a finite number from 0" if below == np.inf else f"from 0 to below {below:g}"
        raise ValueError(f"{name} must be {least}, got {value!r}")
    return float(value)
