"""Pseudo-counts of priors: one number for all, one a feature, or one a class and feature."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from ..data.refusal import check_prior
from .counts import Floats

PseudoCounts = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
"""α for every feature, (d,) one a feature, or (C, d) one a class, in the order of `classes_`, and feature."""

_ESTIMATES = ("bayes", "predictive", "map", "ml")


def checked(name: str, value: Any) -> Any:
    """Return pseudo-counts as a number, or as tuples of floats, which can be compared and kept in a file.

    A ValueError for what is negative, infinite, no number or of more than two dimensions.
    """
    if np.ndim(value) == 0:
        value = value[()] if isinstance(value, np.ndarray) else value
        check_prior(name, value)
        return float(value)
    try:
        counts = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        counts = np.zeros(0)
    if counts.ndim > 2 or counts.size == 0 or not (np.isfinite(counts) & (counts >= 0.0)).all():
        raise ValueError(
            f"{name} must be a finite number ≥ 0, one a feature, or one a class and feature, got {value!r}"
        )
    if counts.ndim == 1:
        return tuple(counts.tolist())
    return tuple(map(tuple, counts.tolist()))


def is_vector(alpha: Any) -> bool:
    """Return whether these are pseudo-counts of several features."""
    return isinstance(alpha, tuple)


def of_columns(alpha: Any, columns: list[int]) -> Any:
    """Return the pseudo-counts of some features."""
    if not is_vector(alpha):
        return alpha
    return checked("alpha", np.asarray(alpha)[..., columns])


def pseudo_counts(alpha: Any, estimate: str) -> Any:
    """What an estimate adds to a count before taking shares, for a Dirichlet or Beta prior alpha: a number or an array.

    "bayes" and "predictive" alpha (the posterior mean), "map" alpha − 1 (the posterior mode), "ml" 0 (the raw ratio).
    """
    if estimate not in _ESTIMATES:
        raise ValueError(f"estimate must be one of {', '.join(map(repr, _ESTIMATES))}, got {estimate!r}")
    if estimate == "ml":
        return 0.0
    counts: Any = np.array(alpha) if is_vector(alpha) else alpha
    return counts - 1.0 if estimate == "map" else counts


def at(alpha: Any, c: int, j: int) -> float:
    """Return the pseudo-count of class c and feature j."""
    counts: Floats = np.asarray(alpha, dtype=np.float64)
    return float(counts if counts.ndim == 0 else counts[j] if counts.ndim == 1 else counts[c, j])


def check_shapes(family: Any, C: int, d: int) -> None:
    """Raise a ValueError unless the pseudo-counts of `family` are those of d features, or of C classes and these."""
    for columns, part in getattr(family, "parts", ((range(d), family),)):
        for field in fields(part):
            value = getattr(part, field.name)
            if field.name != "sizes" and is_vector(value):
                check_shape(field.name, np.shape(value), C, len(columns))


def check_shape(name: str, shape: tuple[int, ...], C: int, d: int) -> None:
    """Raise a ValueError unless an array of this shape holds pseudo-counts of d features, or of C classes and these."""
    if shape in ((d,), (C, d)):
        return
    if shape[-1] != d:
        raise ValueError(
            f"{name} has pseudo-counts of {shape[-1]} features, but X has {d} features. Expected one number, one a "
            f"feature, ({d},), or one a class and feature, ({C}, {d}). Give {name} for these features."
        )
    raise ValueError(
        f"{name} has pseudo-counts of {shape[0]} classes, but {C} {'is' if C == 1 else 'are'} known. Expected one row "
        f"a class, ({C}, {d}), in the order of classes_. Declare all classes in the first partial_fit (classes=), or "
        "give one pseudo-count a feature."
    )
