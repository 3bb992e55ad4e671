"""The relative duality gap: one definition for certificates, proofs and stopping rules, of linear and kernel machines.

    relative gap = (P − D) / |P|

P and D scale together with C, with sample weights and with the units of the data, so that the quotient does not.
"""

from __future__ import annotations

import math


def relative_gap(primal: float, dual: float) -> float:
    """Return (P − D)/|P|: 0 where P = D, and ∞ where only P is 0 or D is −∞.

    >>> relative_gap(2e-9, 1e-9), relative_gap(0.0, 0.0), relative_gap(0.0, -1.0)
    (0.5, 0.0, inf)
    """
    gap = primal - dual
    if gap == 0.0:
        return 0.0
    return gap / abs(primal) if primal and math.isfinite(gap) else math.nan if math.isnan(gap) else math.inf


def is_within(gap: float, primal: float, tol: float) -> bool:
    """Return whether a gap P − D is at most tol·|P|; NaN never is.

    >>> is_within(1e-9, 1e-3, 1e-6), is_within(1e-9, 1e-4, 1e-6)
    (True, False)
    """
    return gap <= tol * abs(primal)
