"""Work on the executors of a Spark session; Spark does again what an executor that died has lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import DataError, UsageError
from ..threads import using
from .datasets import LoadTable
from .encoding import Encode, Survey
from .engines import Combine, Engine, Task
from .mapped import Encoded
from .parts import Block, Part
from .trees import Tree

# As many partitions are combined into one, on an executor, before the next round or the driver has them.
_FAN = 16


@dataclass(frozen=True)
class Promise:
    """Partition `index` of an RDD, which only executors have."""

    rows: Any
    index: int


class OnSpark(Engine):
    """A Spark session."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self._kept: list[Any] = []

    def require_open(self) -> None:
        """Raise UsageError where the session has ended."""
        context = self.session.sparkContext
        if context._jsc is None or context._jsc.sc().isStopped():
            raise UsageError(
                "the Spark session has ended. Expected one that is running. Call fit before spark.stop(), or start one."
            )

    def close(self) -> None:
        """Let the rows go that were kept."""
        for rows in self._kept:
            rows.unpersist()

    def reduce(self, task: Task, parts: Sequence[Part], combine: Combine, shared: Any = None) -> Any:
        """Return the combination of the task of all parts."""
        common = self.session.sparkContext.broadcast(shared)
        found = self._over(parts, lambda part, own: _run(task, part, own, common)).zipWithIndex()
        found, count = found.map(lambda pair: (pair[1], pair[0])), len(parts)
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

    def keep(self, parts: Sequence[Part], encode: Encode) -> list[Survey] | None:
        """Encode parts in the memory of the executors, and on their disks where there are too many."""
        from pyspark import StorageLevel

        rows = self._over(parts, lambda part, own: encode(part, own)).persist(StorageLevel.MEMORY_AND_DISK)
        self._kept.append(rows)
        try:
            told = rows.map(lambda found: None if found is None else found[1]).collect()
        except Exception as error:
            raise _translate(error) from error
        found = [
            survey._replace(part=Part(part.index, part.name, _first, (Promise(rows, k),)))
            for k, (part, survey) in enumerate(zip(parts, told, strict=True))
            if survey is not None
        ]
        for survey in found[1:]:
            found[0].shape.require_same(survey.shape)
        return found or None

    def _over(self, parts: Sequence[Part], work: Callable[[Part, tuple[Any, ...]], Any]) -> Any:
        """Return an RDD of what is computed of each part and its arguments, in their order."""
        first = parts[0].arguments
        if not first or not isinstance(first[0], Promise):
            return self.session.sparkContext.parallelize(list(parts), len(parts)).map(lambda part: work(part, ()))
        chosen = {part.arguments[0].index: replace(part, arguments=()) for part in parts}

        def of_partition(i: int, rows: Iterator[Any]) -> Iterator[Any]:
            if i in chosen:
                yield work(chosen[i], tuple(rows))

        return first[0].rows.mapPartitionsWithIndex(of_partition)


def _first(found: tuple[Encoded, Survey]) -> Encoded:
    return found[0]


def _run(task: Task, part: Part, arguments: tuple[Any, ...], common: Any) -> Any:
    with using(1):
        return task(part, arguments, common.value)


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


@dataclass(frozen=True)
class LoadStreams:
    """Reads rows that came as Arrow streams."""

    load: LoadTable

    def __call__(self, *rows: Any) -> Block:
        """Return the rows."""
        import pyarrow

        if not rows:
            return Block([], [])
        tables = []
        for (stream,) in rows:
            with pyarrow.ipc.open_stream(bytes(stream)) as reader:
                tables.append(reader.read_all())
        return self.load.block(pyarrow.concat_tables(tables))


def _as_streams(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield each batch as one row that holds its Arrow stream."""
    import pyarrow

    for batch in batches:
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([sink.getvalue().to_pybytes()], "binary")], ["rows"])


def parts_of(X: Any, y: Any, weight: Any, columns: Sequence[str] | None) -> list[Part]:
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
    load = LoadStreams(LoadTable(chosen, y, weight))
    return [Part(i, "", load, (Promise(rows, i),)) for i in range(rows.getNumPartitions())]
