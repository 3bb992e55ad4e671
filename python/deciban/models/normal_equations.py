"""Least squares from its sufficient statistic: what learning in pieces, forgetting and merging come to."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.certificates.certificate import Certificate
from deciban.data.digest import digest
from deciban.distributions.scatter import PooledScatter
from deciban.losses import Floats
from deciban.solvers.closed_form import Fit, add_ridge
from deciban.solvers.second_moments import Factor, Normal, joint_scatter

from .responses import Responses

# A condition number beyond this costs half the digits of a float64.
_ILL = 1e8


def statistic(given: Responses) -> PooledScatter:
    """Return n, Σ w (x, y) and the scatter of (x, y); of whitened rows the same sums over L⁻¹(x, y) and L⁻¹1."""
    if given.centre is None:
        return joint_scatter(given.X, given.Y, given.weight)
    rows = np.hstack([given.X, given.Y])
    worth = np.array([given.worth])
    return PooledScatter.about(worth, given.centre[None, :], np.zeros((1, rows.shape[1])), rows.T @ rows)


def leverage(normal: Normal, l2: float, intercept: bool, X: Any) -> Floats:
    """Return (N,) h(x) = 1/n + zᵀ(ZᵀZ + ½λI)⁺z, z = x − x̄; without an intercept xᵀ(XᵀX + ½λI)⁺x. Never forms H."""
    factor = Factor.of_gram(add_ridge(normal.G, 0.5 * l2), normal.floor)
    centre = normal.mean[: len(normal.G)]
    h = np.empty(X.shape[0])
    for i in range(0, len(h), 4096):
        rows = X[i : i + 4096]
        z = (rows.toarray() if hasattr(rows, "toarray") else rows) - centre
        h[i : i + 4096] = np.square(factor.whiten(z.T)).sum(axis=0)
    return h + (1.0 / normal.n if intercept else 0.0)


def certify_moments(normal: Normal, fit: Fit, l2: float, seen: PooledScatter) -> Certificate:
    """Certify from the statistic alone: P is quadratic, and its gradient bounds what is left to gain.

    With λ > 0 P is λ-strongly convex, so that P − min ≤ ‖∇‖²/2λ; without, min is over weights up to twice as long as
    those found, for which P − min ≤ 3‖w‖‖∇‖.
    """
    w = fit.w
    half = add_ridge(normal.G, 0.5 * l2) @ w
    primal = max(0.0, float((normal.tt - 2.0 * (w * normal.z).sum(axis=0) + (w * half).sum(axis=0)).sum()))
    gradient = 2.0 * (half - normal.z)
    slope = float(np.vdot(gradient, gradient))
    gap = slope / (2.0 * l2) if l2 else 3.0 * np.sqrt(slope) * float(np.linalg.norm(w))
    return Certificate(
        objective=f"Σ c·squared + {'l2' if l2 else 'none'}, from the sufficient statistic, {w.shape[1]} problems",
        primal=primal,
        dual=primal - gap,
        kkt_violation=float(np.abs(gradient).max(initial=0.0)),
        iterations=0,
        status="exact",
        advice=advice(fit, len(w), bool(l2)),
        seconds=0.0,
        n=normal.n,
        d=len(w),
        class_counts={},
        seed=None,
        digest=digest(*seen.arrays()),
    )


def advice(fit: Fit | None, d: int, penalised: bool) -> str:
    """Return what to do about columns that are combinations of others, nearly so, or of very different size."""
    if fit is None:
        return ""
    if fit.rank is not None and fit.rank < d and not penalised:
        return (
            f"the rank is {fit.rank} of {d}: the weights are not unique, and the shortest were taken; drop columns "
            "that are combinations of others, learn more rows, or use penalty='l2'"
        )
    if fit.condition is None or fit.condition <= _ILL:
        return ""
    remedy = "scale the columns"
    if fit.scaled_condition is not None and fit.scaled_condition > _ILL:
        remedy = "columns are nearly combinations of others: drop some, or use penalty='l2'"
    return f"the condition number is {fit.condition:.0e}: {remedy}"
