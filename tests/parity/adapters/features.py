"""`mutual_info_classif` by `MutualInformation`."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from deciban import MutualInformation

from .adapter import Adapter, refuse, seed


def mutual_info_classif(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: Any = None,
) -> Any:
    Adapter.used.add("mutual_info_classif")
    discrete = sparse.issparse(X) if isinstance(discrete_features, str) else discrete_features
    refuse("discrete_features", discrete, True)
    return MutualInformation("all", random_state=seed(random_state), n_jobs=n_jobs).fit(X, y).scores_
