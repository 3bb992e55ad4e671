"""Parameters of a network, checked: its shape, and the plan of its training."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.solvers.limits import check_positive, limits_of

from ..networks.measures import Wrong
from ..networks.optimizers import FullBatch
from ..networks.optimizers import by_name as optimizer_by_name
from ..networks.schedules import schedule
from ..networks.training import Plan


def plan_of(model: Any, wrong: Wrong) -> Plan:
    """How the model's parameters say to go down; ValueError for what is none."""
    limits = limits_of(model)
    optimizer = optimizer_by_name(model.solver, model.momentum, model.nesterov)
    rate = optimizer.rate if model.learning_rate is None else _finite("learning_rate", model.learning_rate)
    if isinstance(optimizer, FullBatch) and (model.dropout or model.clip is not None or model.averaging is not None):
        raise ValueError("dropout, clip and averaging are of steps by batches: leave them out, or take solver='adam'")
    return Plan(
        optimizer=optimizer,
        schedule=schedule(model.schedule, rate, limits.max_iter),
        decay=_share("weight_decay", model.weight_decay, np.inf),
        dropout=_share("dropout", model.dropout, 1.0),
        clip=None if model.clip is None else _finite("clip", model.clip),
        averaging=None if model.averaging is None else _share("averaging", model.averaging, 1.0),
        max_iter=limits.max_iter,
        patience=_whole("n_iter_no_change", model.n_iter_no_change),
        tol=limits.tol,
        time_limit=limits.time_limit,
        callback=limits.callback,
        wrong=wrong,
        watch=model._watch,
    )


def hidden_sizes(hidden: Any) -> tuple[int, ...]:
    """How many units each hidden layer has, from below; none is a linear model."""
    sizes = (hidden,) if isinstance(hidden, int | np.integer) else hidden
    if isinstance(sizes, str) or not hasattr(sizes, "__iter__"):
        raise ValueError(f"hidden must be the sizes of the hidden layers, as in (128,) or (64, 32), got {hidden!r}")
    for layer, units in enumerate(sizes, 1):
        if isinstance(units, bool) or not isinstance(units, int | np.integer) or units < 1:
            raise ValueError(f"hidden layers need one unit at least: hidden[{layer - 1}] is {units!r}, in {hidden!r}")
    return tuple(int(units) for units in sizes)


def batch_of(size: Any, n: int) -> int:
    """How many of n examples make a step; None is all of them."""
    return n if size is None else min(n, _whole("batch_size", size))


def type_of(dtype: Any) -> Any:
    """float32 or float64."""
    known = {"float32": np.float32, "float64": np.float64}
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))
    if name not in known:
        raise ValueError(f"dtype must be 'float32' or 'float64', got {dtype!r}")
    return np.dtype(known[name])


def fraction_of(value: Any) -> float:
    """The share of the examples that is held out."""
    share = _share("validation_fraction", value, 1.0)
    if not share:
        raise ValueError("validation_fraction must be above 0, got 0: early_stopping=False holds nothing out")
    return share


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number from 1, got {value!r}")
    return int(value)


def _finite(name: str, value: Any) -> float:
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
