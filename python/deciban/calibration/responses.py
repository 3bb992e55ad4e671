"""What a classifier says before it is calibrated: margins, or log-probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from deciban.data.devices import on_host

from .targets import Floats

# log p below which a model is not believed, in nats; of one whose probabilities have rounded to 0, that of rounding.
_IMPOSSIBLE, _ROUNDED = -1e4, float(np.log(2.0**-53))


def bare(model: Any, C: int) -> Any:
    """A clone without the calibration of its own that would be thrown away; machines of each class against each keep
    it, as their votes tell little."""
    model = clone(model)
    known = model.get_params(deep=False)
    if known.get("calibration") is None or not hasattr(model, "decision_function"):
        return model
    if C > 2 and known.get("multi_class") == "ovo":
        return model
    return model.set_params(calibration=None)


def response(model: Any, C: int) -> str:
    """The method to ask of a fitted model: margins of two classes, log-probabilities of more, where there are both."""
    wanted = ["decision_function", "predict_log_proba", "predict_proba"]
    if C > 2:
        wanted = [*wanted[1:], wanted[0]]
    for name in wanted:
        if hasattr(model, name):
            return name
    raise ValueError(
        "a classifier with decision_function, predict_log_proba or predict_proba is expected; "
        f"{type(model).__name__} has none of them"
    )


def said(model: Any, name: str, X: Any) -> Floats:
    """(N, K) as the model answers, log p perhaps −∞."""
    with np.errstate(divide="ignore"):  # others than ours have log 0
        s = on_host(getattr(model, name)(X))
        s = np.log(s) if name == "predict_proba" else s
    answer: Floats = s.reshape(len(s), -1)
    return answer


def floor(name: str, s: Floats) -> float:
    """What log-probabilities count as at least, given those s of a model; nothing is too low for a margin."""
    if name == "decision_function":
        return -np.inf
    return _ROUNDED if np.isneginf(s).any() else _IMPOSSIBLE
