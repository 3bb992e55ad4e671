"""By which name the `fit` of a model, of a pipeline or of a search takes the weights of the examples."""

from __future__ import annotations

import sys
from inspect import Parameter, signature
from typing import Any

from numpy.typing import ArrayLike

from deciban.data.classifier import Classifier

from .loaded import sklearn_option


def is_routing_enabled() -> bool:
    """Return whether scikit-learn routes metadata: `set_config(enable_metadata_routing=True)`."""
    return bool(sklearn_option("enable_metadata_routing", False))


def _is_pipeline(model: object) -> bool:
    """Return whether it is a `Pipeline`, whose module is loaded where there is one."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(model, module.Pipeline)


def is_frozen(model: object) -> bool:
    """Return whether it is a `FrozenEstimator`, whose module is loaded where there is one."""
    module = sys.modules.get("sklearn.frozen")
    return module is not None and isinstance(model, module.FrozenEstimator)


def has_fit_parameter(model: Any, name: str) -> bool:
    """Return whether `model.fit` has a parameter of this name."""
    return hasattr(model, "fit") and name in signature(model.fit).parameters


def weight_keyword(model: Any) -> str | None:
    """Return the keyword by which `model.fit` takes weights, or None where it takes none.

    Of a pipeline it is that of the last step, "step__sample_weight", and of a model that hands the parameters of its
    `fit` on, as `GridSearchCV` does, that of its `estimator`.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from deciban import LinearSVM
    >>> weight_keyword(LinearSVM()), weight_keyword(make_pipeline(StandardScaler(), LinearSVM()))
    ('sample_weight', 'linearsvm__sample_weight')
    """
    if is_frozen(model) or has_fit_parameter(model, "sample_weight"):
        return "sample_weight"
    if _is_pipeline(model):
        name, last = model.steps[-1]
        keyword = weight_keyword(last) if hasattr(last, "fit") else None
        return None if keyword is None else f"{name}__{keyword}"
    hands_on = any(each.kind is Parameter.VAR_KEYWORD for each in signature(model.fit).parameters.values())
    return weight_keyword(model.estimator) if hands_on and hasattr(model, "estimator") else None


def weight_parameters(model: Classifier, weight: ArrayLike | None) -> dict[str, Any]:
    """Return what to give to `model.fit` so that it learns with these weights (N,), nothing where they are None.

    Where scikit-learn routes metadata a pipeline or search takes `sample_weight` and hands it to whoever requests it.
    ValueError where the model takes no weights.
    """
    if weight is None:
        return {}
    keyword = weight_keyword(model)
    if is_routing_enabled() and (_is_pipeline(model) or hasattr(model, "estimator")):
        keyword = "sample_weight"
    if keyword is None:
        raise ValueError(f"{_last(model)} takes no sample_weight: leave it out")
    return {keyword: weight}


def _last(model: Any) -> str:
    """Return the name of the type that refuses the weights: of a pipeline that of its last step."""
    while _is_pipeline(model) and hasattr(model.steps[-1][1], "fit"):
        model = model.steps[-1][1]
    return type(model).__name__
