"""Scores of a classifier before calibration: margins, or log-probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.data.classifier import Classifier
from deciban.data.devices import on_host
from deciban.data.estimator import clone
from deciban.data.rows import Rows

from .targets import Floats

# log p below which a model is not believed, in nats; of one whose probabilities have rounded to 0, that of rounding.
_IMPOSSIBLE, _ROUNDED = -1e4, float(np.log(2.0**-53))


def without_calibration(model: Classifier, C: int) -> Any:
    """Return a clone without the calibration of its own that would be thrown away; machines of each class against each
    keep it, as their votes tell little."""
    model = clone(model)
    known = model.get_params(deep=False)
    if known.get("calibration") is None or not hasattr(model, "decision_function"):
        return model
    if C > 2 and known.get("multi_class") == "ovo":
        return model
    return model.set_params(calibration=None)


def response(model: Classifier, C: int) -> str:
    """Return the method to call of a fitted model: margins of two classes, log-probabilities of more, if both exist."""
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


def score_with(model: Classifier, name: str, X: Rows) -> Floats:
    """Return (N, K) the scores of the model, log p perhaps −∞."""
    with np.errstate(divide="ignore"):  # others than ours have log 0
        s = on_host(getattr(model, name)(X))
        s = np.log(s) if name == "predict_proba" else s
    answer: Floats = s.reshape(len(s), -1)
    return answer


def floor(name: str, s: Floats) -> float:
    """Return the least value of log-probabilities, given those s of a model; nothing is too low for a margin."""
    if name == "decision_function":
        return -np.inf
    return _ROUNDED if np.isneginf(s).any() else _IMPOSSIBLE
