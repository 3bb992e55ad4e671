"""Sources: where the parts of a data set come from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UsageError
from .encoding import spool
from .engines import Engine
from .mailboxes import items_of
from .parts import Block, Part
from .svmlight import files_of, require_no_columns
from .svmlight import parts_of as of_svmlight


def parts_of(
    X: Any, y: Any, weight: Any, columns: Sequence[str] | None, engine: Engine, estimator: Any = None
) -> list[Part]:
    """Return the parts of X and y: Dask collections, Spark frames, files, mailboxes by label or a list of partitions;
    the estimator says how mailboxes are read."""
    if hasattr(X, "__dask_graph__"):
        from .on_dask import OnDask
        from .on_dask import parts_of as of_dask

        if not isinstance(engine, OnDask):
            raise UsageError(
                "X is a Dask collection, and the engine is none of Dask. Expected a Dask Client. Pass engine=client."
            )
        found = of_dask(X, y, weight, columns)
    elif type(X).__module__.startswith("pyspark."):
        from .on_spark import OnSpark
        from .spark_rows import parts_of as of_spark

        if not isinstance(engine, OnSpark):
            raise UsageError(
                "X is a Spark data frame, and the engine is none of Spark. Expected a SparkSession. Pass engine=spark."
            )
        found = of_spark(X, y, weight, columns)
    elif isinstance(X, str | os.PathLike) and (paths := files_of(os.fspath(X))):
        require_no_columns(y, weight, columns)
        found = of_svmlight(paths, engine)
    elif isinstance(X, Mapping):
        require_no_columns(y, weight, columns)
        found = _of_generator(items_of(X, estimator), None, None, engine)
    elif isinstance(X, str | os.PathLike) or type(X).__module__.startswith("pyarrow."):
        from .datasets import parts_of as of_dataset

        found = of_dataset(X, y, weight, columns)
    elif hasattr(X, "__next__"):
        found = _of_generator(X, y, weight, engine)
    else:
        found = _of_list(X, y, weight)
    if not found:
        raise UsageError("X has no partitions. Expected at least one. Check the path, or the list.")
    return found


def _of_list(X: Any, y: Any, weight: Any) -> list[Part]:
    if not isinstance(X, list | tuple):
        raise UsageError(
            f"X is {type(X).__name__}. Expected Dask collections, a Spark data frame, a dataset, files by label or a "
            "list of partitions (X, y). Call the estimator's own fit with rows that are in memory already."
        )
    _require_no_labels(y, weight)
    return [
        Part(i, "", each) if callable(each) else Part(i, "", _give, (each,))  # a function reads it where it is needed
        for i, each in enumerate(X)
    ]


def _of_generator(X: Any, y: Any, weight: Any, engine: Engine) -> list[Part]:
    """Return the batches of a generator, which can be had once, from files."""
    from .on_executors import OnExecutor

    if not isinstance(engine, OnExecutor):
        raise UsageError(
            "X is a generator, and the engine is no executor. Expected partitions that workers can have again. Pass a "
            "list of functions that return them."
        )
    _require_no_labels(y, weight)
    folder = engine.make_folder()
    return [Part(i, "", spool(batch, f"{folder}/batch-{i:06d}")) for i, batch in enumerate(X)]


def _require_no_labels(y: Any, weight: Any) -> None:
    if y is not None or weight is not None:
        raise UsageError(
            "y is given beside a list of partitions. Expected partitions (X, y), or (X, y, sample_weight). Put the "
            "labels of each partition beside its rows."
        )


def _give(partition: Any) -> Block:
    block: Block = partition
    return block
