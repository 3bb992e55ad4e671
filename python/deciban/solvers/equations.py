"""Systems of equations that may have no solution, or many."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from deciban.losses import Floats

# A solution counts where it leaves this share of the right side, at most.
_LEFT = 1e-9


def solve_nearest(system: Floats, wanted: Floats, rcond: float = 1e-14) -> Floats:
    """Return x (k,) with system·x = wanted; the shortest nearest one where there is none or more than one.

    >>> solve_nearest(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 2.0])).round(6).tolist()
    [1.0, 1.0]
    """
    if not len(wanted):
        return np.zeros(0)
    with np.errstate(all="ignore"):
        factors, swaps, broken = lapack.dgetrf(system)
        x: Floats = np.asarray(lapack.dgetrs(factors, swaps, wanted)[0], dtype=np.float64)
        exact = not broken and _solves(system, x, wanted)
        # A matrix that is singular up to rounding has factors as well, and they lead to any of its solutions.
        if exact and lapack.dgecon(factors, np.abs(system).sum(axis=0).max(initial=0.0))[0] >= rcond:
            return x
    shortest: Floats = np.asarray(np.linalg.lstsq(system, wanted, rcond=rcond)[0], dtype=np.float64)
    return x if exact and not _solves(system, shortest, wanted) else shortest


def _solves(system: Floats, x: Floats, wanted: Floats) -> bool:
    return bool(np.abs(system @ x - wanted).max(initial=0.0) <= _LEFT * np.abs(wanted).max(initial=0.0))
