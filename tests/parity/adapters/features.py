"""`mutual_info_classif` by `MutualInformation`."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from deciban import MutualInformation

from .adapter import Adapter, draw_seed


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
    automatic = isinstance(discrete_features, str) and discrete_features == "auto"
    information = MutualInformation(
        "all",
        discrete_features=sparse.issparse(X) if automatic else discrete_features,
        n_neighbors=n_neighbors,
        random_state=draw_seed(random_state),
        n_jobs=n_jobs,
    )
    return information.fit(X, y).scores_
