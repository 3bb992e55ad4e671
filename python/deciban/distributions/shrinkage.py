"""How much of a covariance to replace by a multiple of the identity, so that its error is smallest.

Σ̂ = (1 − ρ) S + ρ m I,      m = tr S / p,      S (p, p) the covariance of N examples about the means of their classes
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..data.refusal import StatisticError
from .counts import Floats

Shrinkage = float | Literal["ledoit-wolf", "oracle-approximating", "auto"] | None

NAMES = ("ledoit-wolf", "oracle-approximating", "auto")


def check_shrinkage(option: Any) -> None:
    """None, a number from 0 to 1, or the name of a rule; otherwise a ValueError."""
    number = isinstance(option, int | float | np.integer | np.floating) and not isinstance(option, bool)
    if option is None or (number and 0.0 <= option <= 1.0) or (isinstance(option, str) and option in NAMES):
        return
    raise ValueError(
        f"shrinkage must be None, a number from 0 to 1, 'ledoit-wolf', 'oracle-approximating' or 'auto', got {option!r}"
    )


def by_fourth_moments(option: Any) -> bool:
    """Whether the rule asks for the fourth moments of the data: that of Ledoit and Wolf does, which "auto" means."""
    return isinstance(option, str) and option in ("ledoit-wolf", "auto")


def of_matrix(option: Any, W: Floats, p: int, N: float, fourth: float) -> float:
    """ρ for the scatter W = N S (d, d) of N examples, p of whose features vary, with Σ ‖z‖⁴ = fourth.

    "ledoit-wolf": ρ = min(b², δ²) / δ²,  b² = (Σ ‖z‖⁴ / N − ‖S‖²) / N,  δ² = ‖S − m I‖².  Ledoit & Wolf, Journal of
        Multivariate Analysis 88, 2004, Lemma 3.3.
    "oracle-approximating": ρ = min(1, (tr S² + tr² S) / ((N + 1) (tr S² − tr² S / p))).  Chen, Wiesel, Eldar & Hero,
        IEEE Transactions on Signal Processing 58, 2010, eq. 23 without its terms in 2/p, as scikit-learn has it.
    """
    if not isinstance(option, str) or N == 0.0:
        return float(option or 0.0)
    trace = float(W.trace())
    if trace <= 0.0:
        return 0.0
    square = float(np.square(W / trace).sum())  # of S in the unit in which its trace is 1
    apart = square - 1.0 / p
    if by_fourth_moments(option):
        return _share((fourth / trace * N / trace - square) / N, apart)
    return _share(square + 1.0, (N + 1.0) * apart)


def of_diagonal(option: Any, w: Floats, p: int, N: float, fourth: float) -> float:
    """ρ for a diagonal covariance s = w/N (d,), from N examples with Σ_i Σ_j z_ij⁴ = fourth.

    The same two arguments for estimators that are diagonal. "ledoit-wolf" with sums over the diagonal only;
    "oracle-approximating" with var s_j = 2 σ_j⁴ / N in the place of the Wishart moments, whose fixed point is
    ρ = min(1, k Σ s² / ((N + k) (Σ s² − (Σ s)² / p))),  k = 2 (1 − 1/p).
    """
    if not isinstance(option, str) or N == 0.0:
        return float(option or 0.0)
    trace = float(w.sum())
    if trace <= 0.0:
        return 0.0
    square = float(np.square(w / trace).sum())
    apart = square - 1.0 / p
    if by_fourth_moments(option):
        return _share((fourth / trace * N / trace - square) / N, apart)
    k = 2.0 * (1.0 - 1.0 / p)
    return _share(k * square, (N + k) * apart)


def refuse_shrinkage(estimate: str) -> None:
    """A prior shrinks already."""
    raise ValueError(
        f"shrinkage is for estimate='ml', not {estimate!r}, whose prior shrinks already: leave one of them out"
    )


def refuse_no_variance(n: float, label: int | None = None) -> None:
    """Without any variance there is nothing to shrink towards."""
    where = "within the classes" if label is None else "in {label}"
    raise StatisticError(
        f"no feature varies {where} (n_samples={n:g}), so there is no variance to shrink towards: "
        "learn more examples, or use estimate='bayes'",
        label=label,
    )


def _share(numerator: float, denominator: float) -> float:
    """numerator / denominator from 0 to 1; 0 where S is a multiple of the identity already."""
    return min(1.0, max(0.0, numerator / denominator)) if denominator > 0.0 else 0.0
