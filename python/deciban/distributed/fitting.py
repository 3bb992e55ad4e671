"""Fit an estimator to data in parts, on the workers of an engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import perf_counter
from typing import Any, TypeVar

from ..data.transaction import all_or_nothing
from .engines import engine_of
from .plans import plan_of
from .sources import parts_of

Fitted = TypeVar("Fitted")


def fit(
    estimator: Fitted,
    X: Any,
    y: Any = None,
    *,
    engine: Any,
    columns: str | Sequence[str] | None = None,
    sample_weight: Any = None,
    scratch: str | os.PathLike[str] | None = None,
) -> Fitted:
    """Fit an estimator to data in partitions, on the workers of an engine.

        partitions → statistics → one tree of sums → the estimator

    What is a sum (naive Bayes, also of texts, discriminants, least squares, mutual information) takes one pass, and
    has the same bytes whatever the partitions, their order and the number of workers: counts are whole numbers, and
    sums of measurements are exact. It is the model of `fit`; of least squares that of `partial_fit`, which is not
    calibrated. Where naive Bayes of columns or a discriminant is calibrated, a second pass draws the rows that
    calibrate it. Sums of fractional counts, or counts with fractional weights, are rounded as the partitions are added,
    in a fixed tree. A worker that dies changes nothing: its partitions are done again.

    `LogisticRegression`, `NBSVM`, and `LinearSVM` without calibration, are minimised by Newton's method, with the
    penalties "l1" and "elasticnet" up to 2,048 features: rows are encoded once and kept with the workers, and passes
    over them sum gradients and products with the Hessian; the hinge is smooth over narrower and narrower margins.
    Primal, dual and gap of `certificate_` are sums over all partitions, too: the objective is that of a fit in memory
    within the gap. So it is of a `TextClassifier` with one of these models, whose words are counted first, and whose
    scores are calibrated by folds as in memory.

    Parameters
    ----------
    estimator : estimator
        What to fit; it is unchanged where the fit fails.
    X : Dask collection, Spark data frame, path, pyarrow dataset or list
        Rows in partitions: a Dask array, data frame or bag (of texts, or of pairs of text and label); a Spark data
        frame; a Parquet or Arrow dataset, or files of CSV, lines of JSON or svmlight; a mapping from labels to paths
        of mailboxes, Maildirs or folders, for a `TextClassifier`; or a list of (X, y) or (X, y, sample_weight), or of
        functions that return one, each a partition; or a generator of them.
    y : Dask collection or str, optional
        Labels, or the name of their column.
    engine : Client, SparkSession or Executor
        The workers: a Dask `Client`, a `SparkSession`, or any `concurrent.futures.Executor`.
    columns : str or sequence of str, optional
        Columns of the features, or of the text; by default all but those of labels and weights.
    sample_weight : Dask collection or str, optional
        Weights, or the name of their column.
    scratch : path, optional
        Folder in which executors keep encoded rows while they minimise, 4 to 8 bytes for each value that is not 0; by
        default that of temporary files. All workers must see it.

    Returns
    -------
    estimator
        The fitted estimator itself.

    Raises
    ------
    UsageError
        If the engine is closed, X does not go with it, or the estimator cannot be fitted in partitions.
    DataError
        If a partition cannot be read, or differs from the others in its columns or types; the error names it.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from deciban import NaiveBayes
    >>> parts = [([[2, 0], [1, 1]], ["ham", "ham"]), ([[0, 3]], ["spam"])]
    >>> with ThreadPoolExecutor(2) as threads:
    ...     model = fit(NaiveBayes(), parts, engine=threads)
    >>> model.predict([[0, 1]]).tolist()
    ['spam']
    """
    worked = engine_of(engine, scratch)
    plan = plan_of(estimator)
    worked.require_open()
    try:
        named = [columns] if isinstance(columns, str) else columns
        parts = parts_of(X, y, sample_weight, named, worked, estimator)
        with all_or_nothing(estimator):
            started = perf_counter()
            found = plan.fit(worked, parts)
            given: Any = estimator
            own = {name: value for name, value in vars(given).items() if name in given.get_params(deep=False)}
            given.__dict__ = {**own, **found, **({"_seconds": perf_counter() - started} if "_seconds" in found else {})}
    finally:
        worked.close()
    return estimator
