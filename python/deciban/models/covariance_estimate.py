"""Covariances by an estimator of scikit-learn's rules, such as those of `sklearn.covariance`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.estimator import clone
from deciban.data.fit_parameters import has_fit_parameter
from deciban.data.rows import Rows, is_sparse
from deciban.distributions.counts import Floats

if TYPE_CHECKING:
    from .discriminant import GaussianDiscriminant


def estimate_covariances(estimator: Any, X: Rows, y: NDArray[np.intp], weight: Floats | None, shared: bool) -> Floats:
    """Return (G, d, d) the covariance that clones of the estimator find in each class; shared, their mean by weight.

    `weight` (N,) goes to an estimator whose `fit` takes `sample_weight`; otherwise it means repetition and must be of
    whole numbers. ValueError where the estimator finds no `covariance_` of d features.
    """
    found = []
    w = np.ones(len(y)) if weight is None else weight
    C = int(y.max()) + 1
    for c in range(C):
        rows = np.flatnonzero(y == c)
        found.append(_covariance(estimator, X, rows, None if weight is None else w[rows]))
    every = np.stack(found)
    if not shared:
        return every
    share = np.bincount(y, w, minlength=C) / w.sum()
    pooled: Floats = np.einsum("c,cij->ij", share, every)[None]
    return pooled


def _covariance(estimator: Any, X: Any, rows: NDArray[np.intp], weight: Floats | None) -> Floats:
    made, more = clone(estimator), {}
    if weight is not None and has_fit_parameter(made, "sample_weight"):
        more = {"sample_weight": weight}
    elif weight is not None:
        if (weight % 1.0).any():
            raise ValueError(
                f"{type(made).__name__} takes no sample_weight, so weights are repetitions; expected whole numbers, "
                f"got {weight[weight % 1.0 != 0.0][0]:g}"
            )
        rows = np.repeat(rows, weight.astype(np.intp))
    some = X[rows].toarray() if is_sparse(X) else np.asarray(X)[rows]
    made.fit(some.astype(np.float64, copy=False), **more)
    if not hasattr(made, "covariance_"):
        raise ValueError(f"{type(made).__name__} does not have a covariance_ attribute")
    covariance: Floats = np.asarray(made.covariance_, dtype=np.float64)
    d = some.shape[1]
    if covariance.shape != (d, d) or not np.isfinite(covariance).all():
        raise ValueError(
            f"covariance_ of {type(made).__name__} must be ({d}, {d}) finite numbers, got the shape {covariance.shape}"
        )
    return (covariance + covariance.T) / 2.0


def check_covariance_estimator(estimator: object, model: GaussianDiscriminant) -> None:
    """Raise ValueError for what estimates no covariance, and beside parameters of the model that it leaves nothing to
    do."""
    if estimator is None:
        return
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise ValueError(
            "covariance_estimator must be None or an estimator with fit and covariance_, such as LedoitWolf(), got "
            f"{estimator!r}"
        )
    if model.shrinkage is not None:
        raise ValueError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")
    if model.estimate != "ml" or model.covariance == "diagonal":
        which = f"estimate={model.estimate!r}" if model.estimate != "ml" else "covariance='diagonal'"
        raise ValueError(
            f"covariance_estimator is for estimate='ml' and a 'shared' or 'per_class' covariance, not {which}: leave "
            "one of them out"
        )


def require_statistics(model: GaussianDiscriminant, what: str) -> None:
    """Raise ValueError for a model whose covariance no statistic determines."""
    if model.covariance_estimator is not None:
        raise ValueError(
            f"{what} needs statistics that determine the covariance; covariance_estimator="
            f"{model.covariance_estimator!r} looks at the rows. Set shrinkage='auto' instead, or fit all rows anew."
        )
