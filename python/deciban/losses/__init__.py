"""Losses: scalar functions of a target and a score. A loss never sees X, never owns weights.

    value ℓ(y, s)     slope ∂ℓ/∂s     curvature ∂²ℓ/∂s²     conjugate ℓ*(y, u) = sup_s u·s − ℓ(y, s)

Each is here as formulas over arrays, and in the core (`crates/core/src/loss.rs`) as the scalar functions that solvers
call in their loops; a law holds the two together. `margin` losses take y ∈ {−1, +1}, the others any number; the
softmax takes class indices. At a kink the slope is that of the flat side. Convex losses have a conjugate; by the
inequality of Fenchel and Young, ℓ(y, s) + ℓ*(y, u) ≥ u·s, it is what bounds every fit from below.
"""

from __future__ import annotations

from .loss import Floats, Loss
from .margins import CrammerSinger, Hinge, Logistic, Perceptron, Softmax, SquaredHinge, ZeroOne
from .residuals import Absolute, EpsilonInsensitive, Huber, Squared, SquaredEpsilonInsensitive

CATALOGUE: tuple[type[Loss], ...] = (
    ZeroOne,
    Perceptron,
    Hinge,
    SquaredHinge,
    Logistic,
    Squared,
    Absolute,
    Huber,
    EpsilonInsensitive,
    SquaredEpsilonInsensitive,
)


def by_name(name: object, *among: type[Loss]) -> type[Loss]:
    """Return the loss of a name.

    Parameters
    ----------
    name : str
        Name of the loss, such as "hinge".
    *among : type of Loss
        Losses to choose from. By default all in `CATALOGUE`.

    Returns
    -------
    type of Loss
        The class of the loss.

    Raises
    ------
    ValueError
        If none of them has this name; the message lists their names.

    Examples
    --------
    >>> by_name("hinge")()
    Hinge()
    """
    known = among or CATALOGUE
    for loss in known:
        if isinstance(name, str) and loss.name == name:
            return loss
    raise ValueError(f"loss must be one of {', '.join(repr(loss.name) for loss in known)}, got {name!r}")


__all__ = [
    "CATALOGUE",
    "Absolute",
    "CrammerSinger",
    "EpsilonInsensitive",
    "Floats",
    "Hinge",
    "Huber",
    "Logistic",
    "Loss",
    "Perceptron",
    "Softmax",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "ZeroOne",
    "by_name",
]
