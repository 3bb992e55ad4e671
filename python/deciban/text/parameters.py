"""Parameters of text estimators, checked once and turned into settings."""

from __future__ import annotations

from dataclasses import asdict
from numbers import Integral
from typing import Any

import numpy as np

from .model import Bayes, TextModel
from .recipes import Recipe, foreign, recipe
from .restoring import AnyText
from .settings import TextSettings

# Of the models that are minimised.
_OWN = ("C", "alpha", "weighting", "hidden_layer_sizes", "dropout", "epochs")


def settings_of(estimator: Any) -> TextSettings:
    """Return the settings that an estimator's parameters amount to; ValueError for what makes no sense."""
    return TextSettings(**_check(estimator))


def recipe_of(estimator: Any, model: str) -> Recipe:
    """Return how a `TextClassifier` with these parameters learns by the model of that name; None are its defaults."""
    checked = _check(estimator)
    prior = estimator.class_prior
    own = {name: getattr(estimator, name) for name in _OWN}
    given = {
        **checked,
        **own,
        "likelihood": estimator.likelihood,
        "estimate": estimator.estimate,
        "class_prior": tuple(prior) if hasattr(prior, "__len__") and not isinstance(prior, str) else prior,
    }
    if estimator.calibration not in (None, "affine"):
        raise ValueError(f"calibration must be None or 'affine', got {estimator.calibration!r}")
    found = recipe(checked["kind"], model, given)
    others = foreign(model, own) if estimator.model == model else []
    if others:
        raise ValueError(f"{model!r} has no {others[0]}; got {others[0]}={own[others[0]]!r}")
    if not isinstance(found.learner, Bayes):
        found.learner.check()
    return found


def parameters_of(model: AnyText) -> dict[str, Any]:
    """Return the parameters of the `TextClassifier` that has learnt this model."""
    settings = model.encoder.settings
    return {
        "model": model.name,
        **(_of_counts(model) if isinstance(model, TextModel) else _of_minimised(model.settings)),
        "words": settings.words,
        "max_features": settings.max_features,
        "hashed_bits": settings.hashed_bits,
        "readable": settings.readable,
        "binary": settings.binary,
        "kind": settings.kind,
        "random_state": settings.key,
    }


def _of_counts(model: TextModel) -> dict[str, Any]:
    own = asdict(model.settings)
    chosen = own.pop("chosen")
    return {
        **own,
        "alpha": None if chosen else own["alpha"],
        "calibration": None if model.scaling is None else "affine",
    }


def _of_minimised(learner: Any) -> dict[str, Any]:
    return {name: getattr(learner, name) for name in learner.takes}


def _check(estimator: Any) -> dict[str, Any]:
    """Return the fields of `TextSettings` that parameters give."""
    if estimator.kind not in ("text", "mail"):
        raise ValueError(f"kind must be 'text' or 'mail', got {estimator.kind!r}")
    features = _whole("max_features", estimator.max_features, None)
    bits = _whole("hashed_bits", estimator.hashed_bits, 30)
    if not estimator.readable and bits is None and getattr(estimator, "n_features", None) is None:
        raise ValueError(
            f"readable={estimator.readable!r} is of hashed features: a dictionary holds its words by name. Expected "
            "hashed_bits beside it. Use hashed_bits=18."
        )
    return {
        "kind": estimator.kind,
        "words": None if estimator.words is None else _sizes(estimator.words),
        "max_features": features,
        "hashed_bits": bits,
        "readable": bool(estimator.readable),
        "binary": None if estimator.binary is None else bool(estimator.binary),
        "key": key_of(estimator.random_state),
    }


def _sizes(given: Any) -> tuple[int, int]:
    """Return the shortest and the longest n-gram."""
    words: tuple[Any, ...] = tuple(given)
    whole = len(words) == 2 and all(isinstance(n, Integral) for n in words)
    if not whole or not 1 <= words[0] <= words[1] <= 5:
        raise ValueError(f"words=(shortest, longest) with 1 ≤ shortest ≤ longest ≤ 5 expected, got {given!r}")
    return int(words[0]), int(words[1])


def _whole(name: str, value: Any, most: int | None) -> int | None:
    """Return none, or a whole number from 1."""
    if value is None:
        return None
    if isinstance(value, Integral) and 1 <= int(value) <= (most or int(value)):
        return int(value)
    limit = "from 1" + (f" to {most}" if most else "")
    raise ValueError(f"{name} must be None or a whole number {limit}, got {value!r}")


def key_of(random_state: Any) -> int:
    """Return the key of the hash: 0 for None, the number itself for a seed, a draw from a generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    raise ValueError(f"random_state must be None, a whole number from 0, or a RandomState, got {random_state!r}")
