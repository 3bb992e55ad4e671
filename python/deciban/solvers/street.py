"""The widest street between two classes of rows, exactly: the programme of SPEC S2.

    min over w, b   ½‖w‖²      subject to      y_i (x_i·w + b) ≥ 1

by the interior-point method, and once it is known which rows are on the margin, by one system of equations. Cost: of n
features, or of as many rows if there are fewer, some tens of n³ + N·n².
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deciban.data.rows import is_sparse
from deciban.losses import Floats

from .active_set import polished, scaled
from .quadratic_programme import minimum

# How many features, or rows if there are fewer, and how many values are taken.
_LARGEST = 1500
_VALUES = 4_000_000
# Violations of the conditions, relative: what is rounding, and what is taken for a solution.
_ROUNDING = 1e-11
ENOUGH = 1e-7


class Street(NamedTuple):
    """w (d,), b, the multipliers α (N,) ≥ 0, and how far the conditions of optimality are violated, relatively."""

    w: Floats
    b: float
    alpha: Floats
    violation: float


def suits(X: Any) -> bool:
    """Return whether the programme of rows X (N, d) is small enough."""
    N, d = X.shape
    return bool(min(N, d) <= _LARGEST and N * d <= _VALUES)


def widest(X: Any, y: Floats, intercept: bool = True, start: Street | None = None) -> Street | None:
    """Return the street of rows X (N, d) with classes y (N,) of −1 and +1, or None where there is none.

    `start` is made exact if it knows nearly which rows are on the margin.
    """
    X = X.toarray() if is_sparse(X) else X
    N, d = X.shape
    basis = None
    if d > N:  # w is a combination of rows: as many coordinates are enough
        basis, coordinates = np.linalg.qr(X.T)
        X, d = coordinates.T, N
    ahead = np.zeros(int(intercept))
    A = np.hstack([np.tile(y[:, None], (1, len(ahead))), y[:, None] * X])
    inside = scaled(np.diag([*ahead, *np.ones(d)]), np.zeros(d + len(ahead)), A, np.ones(N))

    def made(z: Floats, u: Floats) -> Street:
        violation, z, u = inside.violation(z, u), inside.own(z), inside.prices * u
        w = z[len(ahead) :]
        return Street(w if basis is None else basis @ w, float(z[0]) if intercept else 0.0, u, violation)

    if start is not None:
        w = start.w if basis is None else basis.T @ start.w
        near = made(*polished(inside, *inside.within(np.append(ahead + start.b, w), start.alpha)))
        if near.violation <= _ROUNDING and near.alpha.any():
            return near
    found = minimum(inside)
    if found.refuted is not None:
        return None
    return made(found.z, found.u)
