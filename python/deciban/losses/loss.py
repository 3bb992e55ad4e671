"""The interface of losses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Loss(ABC):
    """A loss ℓ(y, s) ≥ 0 of a target y and a score s, element by element over arrays of one shape.

    A subclass defines `value` and `slope`, and where they exist `curvature`, `conjugate` and `feasible`. Losses with
    `margin` take y ∈ {−1, +1}, the others any number.

    Attributes
    ----------
    name : str
        Name in the catalogue and in the core.
    margin : bool
        Whether it is a loss of the margin y·s.
    convex : bool
        Whether it is convex in s.
    curvature_bound : float
        Largest second derivative in s; ∞ where the slope jumps.

    Examples
    --------
    >>> from deciban.losses import CATALOGUE
    >>> [loss.name for loss in CATALOGUE if not loss.convex]
    ['zero_one']
    """

    name: ClassVar[str]
    margin: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    # Largest curvature; ∞ where the slope jumps.
    curvature_bound: float = np.inf

    @abstractmethod
    def value(self, y: Floats, s: Floats) -> Floats:
        """Return the loss ℓ(y, s).

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Targets.
        s : ndarray of shape (n_samples,)
            Scores.

        Returns
        -------
        ndarray of shape (n_samples,)
            Losses ≥ 0.
        """

    @abstractmethod
    def slope(self, y: Floats, s: Floats) -> Floats:
        """Return the derivative ∂ℓ/∂s; at a kink that of the flat side.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Targets.
        s : ndarray of shape (n_samples,)
            Scores.

        Returns
        -------
        ndarray of shape (n_samples,)
            Slopes.
        """

    def curvature(self, y: Floats, s: Floats) -> Floats:
        """Return the second derivative ∂²ℓ/∂s²; 0 at kinks.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Targets.
        s : ndarray of shape (n_samples,)
            Scores.

        Returns
        -------
        ndarray of shape (n_samples,)
            Curvatures ≥ 0 of a convex loss.
        """
        return np.zeros_like(s)

    def conjugate(self, y: Floats, u: Floats) -> Floats:
        """Return the convex conjugate ℓ*(y, u) = sup_s u·s − ℓ(y, s).

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Targets.
        u : ndarray of shape (n_samples,)
            Dual variables.

        Returns
        -------
        ndarray of shape (n_samples,)
            Conjugates; ∞ outside the domain, and everywhere for a loss that is not convex.
        """
        return np.full_like(u, np.inf)

    def feasible(self, y: Floats, a: Floats) -> Floats:
        """Return the a' nearest to a for which ℓ*(y, −a') is finite.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Targets.
        a : ndarray of shape (n_samples,)
            Negated dual variables.

        Returns
        -------
        ndarray of shape (n_samples,)
            Projections onto the domain of the conjugate.
        """
        return a
