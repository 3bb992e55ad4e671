"""Where a solver begins: β = 0, a point that satisfies the sums, or what is left of another solution."""

from __future__ import annotations

import numpy as np

from deciban.losses import Floats

from .problem import KernelProblem, KernelSolution


def feasible(problem: KernelProblem, start: KernelSolution | Floats | None = None) -> Floats:
    """β (m,) within its bounds and with the sums of its groups, near `start`, or from zero; ValueError where there is
    none.

    What is missing from a sum is taken from the variables in order, each as far as its bounds allow: the start of
    LIBSVM (Chang & Lin 2011, §4.2.4) from zero. What a smaller C cut off is spread in proportion.
    """
    if start is None and not problem.sums.any():
        return np.zeros(problem.m)
    given = None if start is None else start.beta if isinstance(start, KernelSolution) else start
    beta = np.zeros(problem.m) if given is None else np.clip(given, problem.lo, problem.hi)
    for g, wanted in enumerate(problem.sums):
        own = np.flatnonzero(problem.group == g)
        beta[own] = summing_to(beta[own], problem.lo[own], problem.hi[own], float(wanted))
    return beta


def summing_to(beta: Floats, lo: Floats, hi: Floats, wanted: float) -> Floats:
    """β near the given one, lo ≤ β ≤ hi, that sums to what is wanted; ValueError where there is none."""
    missing = wanted - float(beta.sum())
    if beta.any() and missing:
        # The side that has too much shrinks as a whole.
        side = beta > 0.0 if missing < 0.0 else beta < 0.0
        there = float(np.abs(beta[side]).sum())
        beta[side] *= max(0.0, 1.0 - abs(missing) / there) if there else 1.0
        missing = wanted - float(beta.sum())
    room = np.clip((hi if missing > 0.0 else lo) - beta, -abs(missing), abs(missing))
    before = np.cumsum(np.abs(room)) - np.abs(room)
    beta = beta + np.sign(missing) * np.clip(abs(missing) - before, 0.0, np.abs(room))
    left = abs(wanted - float(beta.sum()))
    if left > 1e-9 * max(1.0, abs(wanted)):
        raise ValueError(
            f"the coefficients of a group cannot sum to {wanted:.6g} within their bounds: nu is too large for these "
            f"weights or classes. Lower nu"
        )
    return np.clip(beta, lo, hi)
