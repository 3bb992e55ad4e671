"""Rows of Spark data frames: batches of Arrow that reach Python as they leave Spark, and predictions beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .datasets import LoadTable, features_of
from .on_spark import Promise
from .parts import Block, Part

if TYPE_CHECKING:
    from .scoring import Predict


@dataclass(frozen=True)
class LoadBatches:
    """Reads rows that came as Arrow batches without the `schema` that they share, or as streams where it is None."""

    load: LoadTable
    schema: bytes | None

    def __call__(self, *batches: bytes) -> Block:
        """Return the rows."""
        import pyarrow

        if not batches:
            return Block([], [])
        tables = []
        for each in batches:
            with pyarrow.ipc.open_stream(each if self.schema is None else self.schema + each) as reader:
                tables.append(reader.read_all())
        return self.load.block(pyarrow.concat_tables(tables))


def parts_of(X: Any, y: Any, weight: Any, columns: Sequence[str] | None) -> list[Part]:
    """Return the parts of a Spark data frame; y and weight name columns."""
    require_frame(X)
    names = [each for each in (y, weight) if each is not None]
    if y is None or not all(isinstance(each, str) for each in names):
        raise UsageError(
            "y must name the column of the labels of a Spark data frame, as must sample_weight that of the weights. "
            f"Pass, for example, y={X.columns[-1]!r}."
        )
    require_columns(X, [*names, *(columns or ())])
    chosen = tuple(columns or (each for each in X.columns if each not in names))
    rows, schema = _batches_of(X.select(*dict.fromkeys([*chosen, *names])))
    load = LoadBatches(LoadTable(chosen, y, weight), schema)
    return [Part(i, "", load, (Promise(rows, i),)) for i in range(rows.getNumPartitions())]


def require_frame(X: Any) -> None:
    """Raise UsageError where X is another collection of Spark, or of Spark Connect."""
    module, name = type(X).__module__, type(X).__name__
    if name != "DataFrame" or ".connect." in module or "pandas" in module:
        raise UsageError(
            f"X is {module}.{name}. Expected a data frame of a Spark session in the driver. Pass X.to_spark(), or "
            "X.toDF()."
        )


def require_columns(X: Any, names: Sequence[str]) -> None:
    """Raise UsageError where a Spark data frame lacks a column."""
    for name in names:
        if name not in X.columns:
            shown = ", ".join(map(repr, X.columns[:8]))
            raise UsageError(f"X has no column {name!r}. Expected one of {shown}. Check its name.")


def _batches_of(frame: Any) -> tuple[Any, bytes | None]:
    """Return an RDD of Arrow batches and their schema.

    Spark has them as they leave its Java process, though not in what PySpark documents. Where that is not there they
    make a detour as rows, three times as slow, each as a stream that has its schema.
    """
    try:
        from pyspark.rdd import RDD
        from pyspark.serializers import NoOpSerializer
        from pyspark.sql.pandas.types import to_arrow_schema

        large = frame.sparkSession.conf.get("spark.sql.execution.arrow.useLargeVarTypes", "false") == "true"
        options: Any = {"prefers_large_types": True} if large else {}
        schema: Any = to_arrow_schema(frame.schema, **options)
        batches = frame._jdf.toArrowBatchRdd().toJavaRDD()
        return RDD(batches, frame.sparkSession.sparkContext, NoOpSerializer()), schema.serialize().to_pybytes()
    except (AttributeError, ImportError, TypeError):
        return frame.mapInArrow(_as_streams, "rows binary").rdd.map(lambda row: bytes(row[0])), None


def _as_streams(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield each batch as one row that holds its Arrow stream."""
    import pyarrow

    for batch in batches:
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([sink.getvalue().to_pybytes()], "binary")], ["rows"])


def add_predictions(task: Predict, X: Any, columns: Sequence[str] | None) -> Any:
    """Return a data frame with the column "prediction"."""
    from pyspark.sql.types import ArrayType, BooleanType, DoubleType, LongType, StringType, StructField, StructType

    require_frame(X)
    require_columns(X, columns or ())
    if "prediction" in X.columns:
        raise UsageError(
            "X has a column 'prediction' already. Expected no such name, as predictions are put there. Pass "
            "X.withColumnRenamed('prediction', ...)."
        )
    nothing = task.nothing()
    kinds = {
        "U": (StringType(), "string"),
        "O": (StringType(), "string"),
        "i": (LongType(), "int64"),
        "u": (LongType(), "int64"),
        "b": (BooleanType(), "bool"),
    }
    kind, named = kinds.get(nothing.dtype.kind, (DoubleType(), "float64")) if nothing.ndim == 1 else (None, "")
    schema = StructType([*X.schema.fields, StructField("prediction", kind or ArrayType(DoubleType()))])
    common = X.sparkSession.sparkContext.broadcast(task)
    return X.mapInArrow(OverArrow(common, columns or X.columns, named), schema)


@dataclass(frozen=True)
class OverArrow:
    """Adds the predictions of a broadcast model to batches of Arrow; `kind` is their type, empty of rows of numbers."""

    common: Any
    columns: Sequence[str]
    kind: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield batches with a column more."""
        import pyarrow as pa

        kind = self.kind or pa.list_(pa.float64())
        for batch in batches:
            rows = pa.Table.from_batches([batch])
            found = self.common.value(features_of(rows.select(list(self.columns)))).tolist()
            yield from rows.append_column("prediction", pa.array(found, kind)).to_batches()
