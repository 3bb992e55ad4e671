"""Piecewise linear losses as the larger of two lines: what the solvers that take only these see of a problem."""

from __future__ import annotations

import numpy as np

from deciban.losses import Absolute, Floats, Perceptron

from .problem import Problem


def refusal(problem: Problem) -> str | None:
    """What the loss lacks, or None."""
    if isinstance(problem.loss, Absolute | Perceptron):
        return None
    return f"needs a piecewise linear loss: 'absolute', 'hinge' or 'perceptron'; {problem.loss.name!r} is not"


def lines(problem: Problem) -> tuple[Floats, Floats, Floats]:
    """t, lo and hi (N,) for which c_i ℓ(y_i, s_i + o_i) = max over u in [lo_i, hi_i] of u (t_i − s_i):

    t = y and |u| ≤ c of ℓ = |y − s|,     t = m·y and 0 ≤ y·u ≤ c of ℓ = max(0, m − y·s),     both less the offset o.
    """
    y, c = problem.y, problem.c
    t, lo, hi = y, -c, c
    if isinstance(problem.loss, Perceptron):
        t, lo, hi = problem.loss.reach * y, np.minimum(0.0, c * y), np.maximum(0.0, c * y)
    return (t if problem.offset is None else t - problem.offset), lo, hi
