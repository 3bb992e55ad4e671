"""Systems of equations that may have no solution, or many."""

from __future__ import annotations

import numpy as np

from deciban.losses import Floats

# A solution of the factorised system counts where it leaves this share of the right side, at most.
_LEFT = 1e-9


def solve_nearest(system: Floats, wanted: Floats, rcond: float = 1e-14) -> Floats:
    """Return x (k,) with system·x = wanted; the shortest nearest one where there is none or more than one.

    >>> solve_nearest(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 2.0])).round(6).tolist()
    [1.0, 1.0]
    """
    with np.errstate(all="ignore"):
        try:
            x: Floats = np.asarray(np.linalg.solve(system, wanted), dtype=np.float64)
            if np.abs(system @ x - wanted).max(initial=0.0) <= _LEFT * np.abs(wanted).max(initial=0.0):
                return x
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.lstsq(system, wanted, rcond=rcond)[0], dtype=np.float64)
