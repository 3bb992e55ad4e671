"""The hard margin where nothing separates the classes, and what shows it."""

from __future__ import annotations

import numpy as np

from deciban.errors import DataError, NotSeparableError
from deciban.inner_product import dot
from deciban.losses import Floats

from .gram import Gram
from .problem import KernelProblem

# Squared distance of two mixtures, in units of the largest ‖φ(x)‖², below which they are one point.
_SAME = 1e-12


def refute(problem: KernelProblem, K: Gram, ray: Floats) -> None:
    """A DataError if the direction `ray` (m,), along which D falls for ever, shows that no machine satisfies what
    infinite bounds ask: a NotSeparableError where they ask for a margin between classes. `K` is K̃.
    """
    up, down = np.maximum(ray, 0.0), np.maximum(-ray, 0.0)
    if not (up.sum() > 0.0 and down.sum() > 0.0):
        return
    signed = up / up.sum() - down / down.sum()
    if dot(signed, K.times(signed)) > _SAME * float(K.diagonal().max()):
        return
    if problem.plain:
        raise NotSeparableError(None, np.abs(signed), _told(np.abs(signed)))
    if dot(problem.t, signed) > 0.0:
        raise DataError(
            "an infinite C asks for a score within epsilon of every target, and no function of this kernel has that. "
            "Give a finite C, which lets errors have a price, or a larger epsilon."
        )


def _told(mixture: Floats) -> str:
    """Which examples weigh most in a mixture (N,) ≥ 0: a hyperplane would have it on both sides (Farkas 1902)."""
    known = np.count_nonzero(mixture > 1e-6)
    heaviest = np.sort(np.argsort(-mixture, kind="stable")[: min(6, known)])
    shown = ", ".join(str(i) for i in heaviest) + (", …" if known > 6 else "")
    return f"one mixture of examples of either class (rows {shown}) is the same point"
