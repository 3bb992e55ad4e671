"""The one way back from a file to a model, whatever its kind."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from .. import store
from ..data.rows import is_sparse
from ..store import Stored

# The section of a header that tells which module restores the model.
_SECTIONS = {
    "linear": "table_models.recipes",
    "coded": "table_models.recipes",
    "machine": "kernel_machines.stored",
    "network": "mlp.stored",
    "table": "models.stored",
}


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model in a .deciban file: the estimator that was saved, or the model of a table.

    Parameters
    ----------
    path : str or path
        A file that `save` or the command wrote, by this version or an older one.

    Returns
    -------
    estimator or TableModel
        What predicts, explains, and learns on as the model that was saved.

    Raises
    ------
    NoInputError
        If there is no such file.
    DataError
        If it is not a whole, unaltered .deciban file.

    Examples
    --------
    >>> import os, tempfile
    >>> from deciban import LogisticRegression, load
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "model.deciban"))
    ...     load(os.path.join(folder, "model.deciban")).predict([[2.0]]).tolist()
    ['yes']
    """
    return restore(store.read(path, tables=True))


def restore(stored: Stored) -> Any:
    """Return the model in a file that `store.read` has checked."""
    if "estimator" in stored.header:
        return store.rebuild(stored, _estimator)
    if not store.of_table(stored.header):
        return import_module("deciban.text.stored").restore(stored)
    section = next(name for name in _SECTIONS if name in stored.header)
    return import_module(f"deciban.{_SECTIONS[section]}").restore(stored)


def _estimator(header: Mapping[str, Any], arrays: Mapping[str, Any]) -> Any:
    """Return the estimator of a tree, which answers for a row: parts that do not fit together are found out here."""
    from .state import Reader

    reader = Reader(dict(arrays))
    model = reader.estimator(header["estimator"])
    if unused := reader.unused():
        raise ValueError(f"the tensor {unused[0]!r} is no part of it")
    if type(model).__name__ != header["model"]:
        raise ValueError(f"a model that is no {header['model']!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names, and of what a row of 0 is to a model
        _try(model, arrays)
    return model


def _try(model: Any, arrays: Mapping[str, Any]) -> None:
    """Raise ValueError and its like for a model that cannot answer."""
    import numpy as np
    from sklearn.utils import get_tags
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if get_tags(model).input_tags.string:
        rows: Any = ["text", "another text"]
    else:
        d = model.n_features_in_
        if type(d) is not int or not 0 < d <= max((array.size for array in arrays.values()), default=0):
            raise ValueError(f"{d!r} features")
        rows = np.arange(2.0)[:, None] * np.ones(d)
    for name in ("predict", "transform", "decision_function", "predict_proba"):
        if not hasattr(model, name):
            continue
        answer = getattr(model, name)(rows)
        if answer.shape[0] != 2:
            raise ValueError("an answer of another length")
        numbers = answer.data if is_sparse(answer) else np.asarray(answer)
        if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
            raise ValueError("answers that are not finite")
    with suppress(AttributeError):  # of a model without probabilities, or of one that explains nothing
        model.explain(rows)
    if hasattr(type(model), "certificate_"):
        model.certificate_  # noqa: B018
