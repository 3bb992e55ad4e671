"""The one way from an estimator to a file, whatever it is."""

from __future__ import annotations

import os
from typing import Any

from .. import store
from ..data.validation import check_is_fitted
from . import registry
from .state import Writer


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a .deciban file, which `deciban.load` reads, in one step or not at all.

    The same fit is the same bytes: times are not written, nor `n_jobs` and `callback`, which belong to a run. Networks
    keep neither their epochs nor what the optimizer remembers. The file is data only, never code; docs/file-format.md
    describes it field by field.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package.
    path : str or path
        The file. One that is there is replaced, and stays as it was if anything fails.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted.
    ValueError
        If it holds what a file cannot keep: code, such as a kernel that is a function, or another library's estimator.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> import deciban
    >>> model = deciban.LogisticRegression().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "model.deciban"))
    ...     deciban.load(os.path.join(folder, "model.deciban")).predict([[2.0]]).tolist()
    ['yes']
    """
    check_is_fitted(model)
    layout = registry.layout(type(model).__name__)
    if layout is not None:
        store.write(path, layout.header_of(model), layout.arrays_of(model))
        return
    writer = Writer()
    tree = writer.estimator(model)
    store.write(path, {"model": type(model).__name__, "estimator": tree}, writer.arrays)
