"""Predictions of rows in partitions, by the workers of Dask, Spark or an executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import UsageError
from ..threads import await_result, using
from .datasets import dataset_of, features_of

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")
# Futures for each worker.
_AHEAD = 2


def predict(
    model: Any,
    X: Any,
    *,
    engine: Any = None,
    columns: str | Sequence[str] | None = None,
    method: str = "predict",
) -> Any:
    """Predict rows in partitions, each where it lies.

    Parameters
    ----------
    model : estimator
        A fitted estimator; it is sent once to each worker, or once a partition by an executor.
    X : Dask collection, Spark data frame, path, pyarrow dataset, list or generator
        Rows: a Dask array, data frame or bag of texts; a Spark data frame; a Parquet or Arrow dataset; or partitions,
        or functions that return them.
    engine : Executor, optional
        What computes partitions of a dataset, a list or a generator, side by side; by default this thread does. Dask
        and Spark compute their own collections by their own schedulers.
    columns : str or sequence of str, optional
        Columns of the features, or of the text; by default all.
    method : {"predict", "predict_proba", "predict_log_proba", "decision_function"}, default="predict"
        Which method of the model is asked.

    Returns
    -------
    Dask collection, Spark data frame or iterator of ndarray
        Of Dask, a lazy collection with the partitions of X; of Spark, the data frame with the column "prediction"; else
        the predictions of each partition, in order, of which few wait at a time.

    Raises
    ------
    UsageError
        If the method is none of these, or X no partitions.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes().fit([[2, 0], [1, 1], [0, 3]], ["ham", "ham", "spam"])
    >>> [labels.tolist() for labels in predict(model, [[[0, 1]], [[3, 0], [0, 2]]])]
    [['spam'], ['ham', 'spam']]
    """
    if method not in METHODS or not hasattr(model, method):
        known = [repr(each) for each in METHODS if hasattr(model, each)]
        raise UsageError(
            f"{type(model).__name__} has no {method!r} for partitions. Expected one of {', '.join(known)}. Pass "
            "method='predict'."
        )
    chosen = [columns] if isinstance(columns, str) else None if columns is None else list(columns)
    if hasattr(X, "__dask_graph__"):
        return _of_dask(model, X, chosen, method)
    if type(X).__module__.startswith("pyspark."):
        from .spark_rows import add_predictions

        return add_predictions(Predict(model, method), X, chosen)
    if isinstance(X, list | tuple) or hasattr(X, "__next__"):
        return _in_order(Predict(model, method), X, engine)
    found = dataset_of(X)
    if not hasattr(found, "get_fragments"):
        raise UsageError(
            f"X is {type(X).__name__}. Expected Dask collections, a Spark data frame, a dataset or a list of "
            "partitions. Call the model's own method with rows that are in memory already."
        )
    names = chosen or found.schema.names
    return _in_order(Predict(model, method), (_Fragment(each, names) for each in found.get_fragments()), engine)


@dataclass(frozen=True)
class Predict:
    """Asks a model of the rows of a partition."""

    model: Any
    method: str = "predict"

    def __call__(self, rows: Any) -> Any:
        """Return the predictions of rows, or of what a function returns."""
        rows = rows() if callable(rows) else rows
        with using(1):  # workers are as many as cores
            if not (rows.shape[0] if hasattr(rows, "shape") else len(rows)):
                return self.nothing()
            return getattr(self.model, self.method)(rows)

    def nothing(self) -> Any:
        """Return the predictions of no rows."""
        classes = getattr(self.model, "classes_", None)
        if self.method == "predict":
            return np.zeros(0, np.float64 if classes is None else np.asarray(classes).dtype)
        width = 2 if classes is None else len(classes)
        return np.zeros(0 if self.method == "decision_function" and width == 2 else (0, width))


@dataclass(frozen=True)
class _Fragment:
    """Reads the columns of a fragment of a dataset."""

    fragment: Any
    columns: Sequence[str]

    def __call__(self) -> Any:
        return features_of(self.fragment.to_table(columns=list(self.columns)))


def _in_order(task: Predict, partitions: Any, executor: Any) -> Iterator[Any]:
    """Yield what a task makes of partitions, in their order."""
    if executor is None:
        yield from map(task, partitions)
        return
    ahead = _AHEAD * int(getattr(executor, "_max_workers", None) or 1)
    waiting: deque[Any] = deque()
    try:
        for each in partitions:
            waiting.append(executor.submit(task, each))
            if len(waiting) > ahead:
                yield await_result(waiting.popleft())
        while waiting:
            yield await_result(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def _of_dask(model: Any, X: Any, columns: list[str] | None, method: str) -> Any:
    """Return a lazy collection of predictions with the partitions of X."""
    task = Predict(model, method)
    nothing = task.nothing()
    if hasattr(X, "chunks"):
        rows = X.rechunk({1: -1})
        if nothing.ndim == 1:
            return rows.map_blocks(task, dtype=nothing.dtype, drop_axis=1, meta=nothing)
        chunks = (rows.chunks[0], (nothing.shape[1],))
        return rows.map_blocks(task, dtype=nothing.dtype, chunks=chunks, meta=nothing)
    if not hasattr(X, "columns"):
        return X.map_partitions(_Texts(task))
    chosen = X if columns is None else X[columns[0]] if len(columns) == 1 and _takes_texts(model) else X[columns]
    framed = _Framed(task)
    return chosen.map_partitions(framed, meta=framed.frame(nothing, None))


def _takes_texts(model: Any) -> bool:
    return not hasattr(model, "n_features_in_")


@dataclass(frozen=True)
class _Texts:
    """Predictions of a partition of a bag."""

    task: Predict

    def __call__(self, texts: Any) -> Any:
        return list(self.task(list(texts)))


@dataclass(frozen=True)
class _Framed:
    """Predictions of a partition of a data frame, with its index."""

    task: Predict

    def __call__(self, rows: Any) -> Any:
        given = rows.tolist() if rows.ndim == 1 else rows
        return self.frame(self.task(given), rows.index)

    def frame(self, found: Any, index: Any) -> Any:
        """Return predictions as a series, or as a frame of a column a class."""
        pandas: Any = import_module("pandas")
        if found.ndim == 1:
            return pandas.Series(found, index=index, name="prediction")
        return pandas.DataFrame(found, index=index, columns=list(self.task.model.classes_))
