"""Work on the executors of a Spark session; Spark does again what an executor that died has lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import DataError, UsageError
from ..threads import using
from .datasets import LoadTable
from .engines import Combine, Engine, Task
from .parts import Block, Part
from .trees import Tree

# As many partitions are combined into one, on an executor, before the next round or the driver has them.
_FAN = 16


class SparkParts(list[Part]):
    """The parts of a Spark data frame, which only its executors read: (number, rows as an Arrow stream) each."""

    def __init__(self, rows: Any, load: LoadTable) -> None:
        super().__init__([Part(0, "", load)])
        self.rows, self.load = rows, load


class OnSpark(Engine):
    """A Spark session."""

    def __init__(self, session: Any) -> None:
        self.session = session

    def require_open(self) -> None:
        """Raise UsageError where the session has ended."""
        context = self.session.sparkContext
        if context._jsc is None or context._jsc.sc().isStopped():
            raise UsageError(
                "the Spark session has ended. Expected one that is running. Call fit before spark.stop(), or start one."
            )

    def reduce(self, task: Task, parts: Sequence[Part], combine: Combine, shared: Any = None) -> Any:
        """Return the combination of the task of all parts."""
        context = self.session.sparkContext
        common = context.broadcast(shared)
        if isinstance(parts, SparkParts):
            load = parts.load
            found = parts.rows.mapPartitionsWithIndex(lambda i, rows: _of_rows(i, rows, task, load, combine, common))
            count = parts.rows.getNumPartitions()
        else:
            count = len(parts)
            numbered = context.parallelize(list(parts), count)
            found = numbered.map(lambda part: (part.index, _run(task, part, (), common)))
        try:
            while count > _FAN:
                found = found.map(lambda pair: (pair[0] // _FAN, pair)).groupByKey((count - 1) // _FAN + 1)
                found = found.map(lambda group: (group[0], _in_order(group[1], combine)))
                count = (count - 1) // _FAN + 1
            return _in_order(found.collect(), combine)
        except Exception as error:
            raise _translate(error) from error
        finally:
            common.unpersist()


def _run(task: Task, part: Part, arguments: tuple[Any, ...], common: Any) -> Any:
    with using(1):
        return task(part, arguments, common.value)


def _of_rows(
    i: int, rows: Iterator[Any], task: Task, load: LoadTable, combine: Combine, common: Any
) -> Iterator[tuple[int, Any]]:
    """Yield what a partition of a data frame holds; its batches are added in their order."""
    total = None
    for k, row in enumerate(rows):
        part = Part(i, f"batch {k}", LoadStream(load), (bytes(row[0]),))
        value = _run(task, part, (), common)
        total = value if total is None else total if value is None else combine(total, value)
    yield i, total


def _in_order(pairs: Iterable[tuple[int, Any]], combine: Combine) -> Any:
    """Return the combination of neighbours, in a tree over their order."""
    values = [value for _, value in sorted(pairs, key=lambda pair: pair[0])]
    tree: Tree[Any] = Tree(len(values), combine)
    for k, value in enumerate(values):
        tree.push(k, value)
    return tree.result()


def _translate(error: Exception) -> Exception:
    """Return the error of a worker as one of this process, if it is one of Deciban's."""
    text = str(error)
    marker = "PartError: "
    if marker in text:
        return DataError(text.split(marker, 1)[1].splitlines()[0].strip())
    return error


class LoadStream:
    """Reads rows that came as an Arrow stream."""

    def __init__(self, load: LoadTable) -> None:
        self.load = load

    def __call__(self, stream: bytes) -> Block:
        """Return the rows."""
        import pyarrow

        with pyarrow.ipc.open_stream(stream) as reader:
            return self.load.block(reader.read_all())


def _as_streams(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield each batch as one row that holds its Arrow stream."""
    import pyarrow

    for batch in batches:
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([sink.getvalue().to_pybytes()], "binary")], ["rows"])


def parts_of(X: Any, y: Any, weight: Any, columns: Sequence[str] | None) -> SparkParts:
    """Return the parts of a Spark data frame; y and weight name columns."""
    names = [each for each in (y, weight) if each is not None]
    if y is None or not all(isinstance(each, str) for each in names):
        raise UsageError(
            "y must name the column of the labels of a Spark data frame, as must sample_weight that of the weights. "
            f"Pass, for example, y={X.columns[-1]!r}."
        )
    for name in [*names, *(columns or ())]:
        if name not in X.columns:
            shown = ", ".join(map(repr, X.columns[:8]))
            raise UsageError(f"X has no column {name!r}. Expected one of {shown}. Check its name.")
    chosen = tuple(columns or (each for each in X.columns if each not in names))
    rows = X.select(*dict.fromkeys([*chosen, *names])).mapInArrow(_as_streams, "rows binary").rdd
    return SparkParts(rows, LoadTable(chosen, y, weight))
