"""Work on the executors of a Spark session; Spark does again what an executor that died has lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import DataError, UsageError
from ..threads import using
from .encoding import Encode, Survey
from .engines import Combine, Engine, Task
from .mapped import Encoded
from .parts import Part
from .trees import Tree

# As many partitions are combined into one, on an executor, before the next round or the driver has them.
_FAN = 16


@dataclass(frozen=True)
class Promise:
    """Partition `index` of an RDD, which only executors have; `gathered` has all of them in fewer, by their places."""

    rows: Any
    index: int
    gathered: Any = None
    place: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Promise, (None, self.index, None, self.place)


class OnSpark(Engine):
    """A Spark session."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self._kept: list[Any] = []

    def require_open(self) -> None:
        """Raise UsageError where the session has ended, or has no executors of its own."""
        if ".connect." in type(self.session).__module__:
            raise UsageError(
                "the session is one of Spark Connect, which has no RDDs. Expected a session in the driver. Start one "
                "with SparkSession.builder.master(...)."
            )
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
        found, places = self._over(parts, RunTask(task, common))
        count = len(parts)
        try:
            while count > _FAN:
                places = None
                found = found.map(lambda pair: (pair[0] // _FAN, pair)).groupByKey((count - 1) // _FAN + 1)
                found = found.map(lambda group: (group[0], _in_order(group[1], combine)))
                count = (count - 1) // _FAN + 1
            # Of the other partitions nothing is sent to Python.
            return _in_order(self.session.sparkContext.runJob(found, iter, places), combine)
        except Exception as error:
            raise _translate(error) from error
        finally:
            common.unpersist()

    def keep(self, parts: Sequence[Part], encode: Encode) -> list[Survey] | None:
        """Encode parts in the memory of the executors, and on their disks where there are too many."""
        from pyspark import StorageLevel

        rows, places = self._over(parts, encode, gather=False)
        rows.persist(StorageLevel.MEMORY_AND_DISK_DESER)  # what is serialised once more is compressed, too
        self._kept.append(rows)
        try:
            told = self.session.sparkContext.runJob(rows, _surveys, places)
        except Exception as error:
            raise _translate(error) from error
        # PySpark spends a twentieth of a second on a task, whatever it does: passes have one for each core.
        gathered = rows.coalesce(self.session.sparkContext.defaultParallelism)
        found = []
        for k, survey in sorted(told, key=lambda pair: pair[0]):
            if survey is not None:
                promise = Promise(rows, k if places is None else places[k], gathered, k)
                found.append(survey._replace(part=Part(parts[k].index, parts[k].name, _first, (promise,))))
        for survey in found[1:]:
            found[0].shape.require_same(survey.shape)
        return found or None

    def _over(
        self, parts: Sequence[Part], work: Callable[..., Any], gather: bool = True
    ) -> tuple[Any, list[int] | None]:
        """Return an RDD of the place of each part and what is computed of it, and in which partitions they are, if not
        in all. Where `gather` lets, a task has several parts."""
        first = parts[0].arguments
        if not first or not isinstance(first[0], Promise):
            given = self.session.sparkContext.parallelize(list(enumerate(parts)), len(parts))
            return given.map(lambda pair: (pair[0], _work(work, pair[1], ()))), None
        bare = [(k, replace(part, arguments=())) for k, part in enumerate(parts)]
        promises, gathered = [part.arguments[0] for part in parts], first[0].gathered
        if gather and gathered is not None and len(parts) > gathered.getNumPartitions():
            places = {each.place: own for each, own in zip(promises, bare, strict=True)}
            return gathered.mapPartitions(lambda rows: _work_through(rows, places, work)), None
        chosen = {each.index: own for each, own in zip(promises, bare, strict=True)}

        def of_partition(i: int, rows: Iterator[Any]) -> Iterator[Any]:
            if i in chosen:
                place, part = chosen[i]
                yield place, _work(work, part, tuple(rows))

        return first[0].rows.mapPartitionsWithIndex(of_partition), list(chosen)


def _work_through(rows: Iterator[Any], places: dict[int, tuple[int, Part]], work: Callable[..., Any]) -> Iterator[Any]:
    """Yield what is computed of the encoded parts of a partition, those that are chosen."""
    for kept in rows:
        if kept[0] in places:
            place, part = places[kept[0]]
            yield place, _work(work, part, (kept,))


def _work(work: Callable[..., Any], part: Part, arguments: tuple[Any, ...]) -> Any:
    with using(1):
        return work(part, arguments)


@dataclass(frozen=True)
class RunTask:
    """Computes a task of a part and of what was broadcast."""

    task: Task
    common: Any

    def __call__(self, part: Part, arguments: tuple[Any, ...]) -> Any:
        """Return what the task finds."""
        return self.task(part, arguments, self.common.value)


def _surveys(pairs: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    return ((place, None if found is None else found[1]) for place, found in pairs)


def _first(kept: tuple[int, tuple[Encoded, Survey]]) -> Encoded:
    return kept[1][0]


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
    if "can not serialize object larger than 2G" in text:
        return DataError(
            "a partition has more than 2 GB of encoded rows, or of sums, which Spark cannot send. Expected smaller "
            "ones. Make more of them by X.repartition."
        )
    return error
