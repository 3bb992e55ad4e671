"""Sparse rows as data frames, where `set_output` asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.declared_types import Estimator
from deciban.data.mixins import has_container

if TYPE_CHECKING:
    from scipy import sparse


def in_container(estimator: Estimator, X: sparse.csr_array, names: Callable[[], NDArray[Any]], original: object) -> Any:
    """Return the rows X (N, d) as `estimator.set_output` asks for them.

    A frame of pandas has sparse columns and the index of `original`; polars has none that are sparse, so that its
    frame takes N·d numbers.
    """
    if not has_container(estimator):
        return X
    from scipy import sparse
    from sklearn.utils._set_output import _get_output_config

    wanted = _get_output_config("transform", estimator)["dense"]
    columns = names().tolist()
    if wanted == "pandas":
        import pandas as pd  # type: ignore[import-untyped, unused-ignore]

        index = getattr(original, "index", None)
        frame = pd.DataFrame.sparse.from_spmatrix(sparse.csc_array(X), columns=columns)
        return frame if not isinstance(index, pd.Index) or len(index) != X.shape[0] else frame.set_axis(index, axis=0)
    import polars as pl

    columnwise = sparse.csc_array(X)
    made = {}
    for j, name in enumerate(columns):
        values = np.zeros(X.shape[0], X.dtype)
        at = slice(columnwise.indptr[j], columnwise.indptr[j + 1])
        values[columnwise.indices[at]] = columnwise.data[at]
        made[name] = values
    return pl.DataFrame(made)
