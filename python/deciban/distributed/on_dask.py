"""Work on the workers of a Dask client; Dask does again what a worker that died has lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DataError, UsageError
from ..threads import using
from .encoding import Encode, Survey
from .engines import Combine, Engine, Task
from .mapped import Encoded
from .parts import Block, Part
from .trees import Node, Tree

# So many nodes of the tree are combined by one task, of which each costs the scheduler a millisecond or more.
_TOGETHER = 4
# Parts that lie on one worker are one task, up to so many bytes, so that a worker that spills reads few back at once;
# but each thread has so many tasks, and a slow one does not keep the others waiting.
_BYTES, _TASKS = 1 << 26, 2


class OnDask(Engine):
    """A Dask client. What parts are made of is computed when it is needed, and let go when it was used."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._bytes: dict[str, int] = {}
        """Of the encoded parts that the workers keep, by key."""
        self._grouped: tuple[Sequence[Part], list[list[int]]] = ((), [])

    def require_open(self) -> None:
        """Raise UsageError where the client is closed."""
        if self.client.status != "running":
            raise UsageError(
                f"the Dask client is {self.client.status}. Expected one that is running. Call fit before "
                "client.close(), or connect anew."
            )

    def reduce(self, task: Task, parts: Sequence[Part], combine: Combine, shared: Any = None) -> Any:
        """Return the combination of the task of all parts."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        self.require_open()
        submit: Any = lambda *given: self.client.submit(*given, pure=False)  # noqa: E731
        common = submit(_given, shared)  # a task, so that it can be had again where its worker died
        leaves = []
        for group in self._groups(parts):
            arguments = [own for i in group for own in self._compute(parts[i].arguments)]
            some = {i: _without_arguments(parts[i]) for i in group}
            leaves.append(submit(_run, task, combine, len(parts), some, common, *arguments))
            del arguments  # the scheduler keeps what is still to be used
        futures: list[Any] = []

        def together(some: list[Any]) -> Any:
            if len(some) == 1:
                return some[0]
            futures.append(submit(_combine, combine, len(parts), *some))
            return futures[-1]

        while len(leaves) > 1:
            leaves = [together(leaves[i : i + _TOGETHER]) for i in range(0, len(leaves), _TOGETHER)]
        (root,) = leaves
        del leaves, common
        try:
            ((_, value, _),) = root.result()
            return _aligned(value)
        except KilledWorker as error:
            raise DataError(
                f"workers died again and again over one partition: {error}. Expected partitions that fit the memory "
                "of a worker. Make smaller partitions, or give the workers more memory."
            ) from error
        except FutureCancelledError as error:
            raise DataError(
                f"the cluster gave the work up: {error}. Expected a client that runs until the end. Fit again."
            ) from error
        except BaseException:
            self.client.cancel([root, *futures], force=True)
            raise

    def keep(self, parts: Sequence[Part], encode: Encode) -> list[Survey] | None:
        """Encode parts in the memory of the workers, which Dask spills to their disks where there are too many."""
        self.require_open()
        submit: Any = lambda *given: self.client.submit(*given, pure=False)  # noqa: E731
        kept: list[Any] = [
            submit(_encode, encode, _without_arguments(part), *self._compute(part.arguments)) for part in parts
        ]
        told = self.client.gather([submit(_survey, each) for each in kept])
        found = [
            survey._replace(part=Part(part.index, part.name, _first, (each,)))
            for part, each, survey in zip(parts, kept, told, strict=True)
            if survey is not None
        ]
        self._bytes = {survey.part.arguments[0].key: 8 * survey.stored for survey in found}
        for survey in found[1:]:
            found[0].shape.require_same(survey.shape)
        return found or None

    def _groups(self, parts: Sequence[Part]) -> list[list[int]]:
        """Return the places of parts that one task takes: of encoded ones that are small those on the same worker."""
        if parts is self._grouped[0]:
            return self._grouped[1]
        keys: list[str] = [getattr(part.arguments[0], "key", "") if len(part.arguments) == 1 else "" for part in parts]
        small = [
            part.arguments[0] for part, key in zip(parts, keys, strict=True) if self._bytes.get(key, _BYTES) < _BYTES
        ]
        where = self.client.who_has(small) if len(small) > 1 else {}
        threads = self.client.nthreads() if where else {}
        of_worker: dict[Any, list[int]] = {}
        for i, key in enumerate(keys):
            of_worker.setdefault(next(iter(where.get(key, ())), i), []).append(i)
        found: list[list[int]] = []
        for worker, places in of_worker.items():
            most, held = -(-len(places) // (_TASKS * threads.get(worker, 1))), _BYTES + 1
            for i in places:
                size = self._bytes.get(keys[i], _BYTES)
                if held + size > _BYTES or len(found[-1]) == most:
                    found.append([])
                    held = 0
                found[-1].append(i)
                held += size
        self._grouped = parts, found
        return found

    def _compute(self, arguments: tuple[Any, ...]) -> list[Any]:
        from dask.base import is_dask_collection

        return [self.client.compute(each) if is_dask_collection(each) else each for each in arguments]


def _encode(encode: Encode, part: Part, *arguments: Any) -> tuple[Encoded, Survey] | None:
    with using(1):
        return encode(part, _aligned(arguments))


def _survey(found: tuple[Encoded, Survey] | None) -> Survey | None:
    return None if found is None else found[1]


def _first(found: tuple[Encoded, Survey]) -> Any:
    return found[0]


def _given(value: Any) -> Any:
    """Return the value itself."""
    return value


def _without_arguments(part: Part) -> Part:
    from dask.base import is_dask_collection

    promised = any(is_dask_collection(each) or hasattr(each, "key") for each in part.arguments)
    return Part(part.index, part.name, part.load, () if promised else part.arguments)


def _run(task: Task, combine: Combine, count: int, parts: dict[int, Part], shared: Any, *arguments: Any) -> list[Node]:
    """Return the nodes that the task of some of `count` parts makes; each has as many of the arguments."""
    tree: Tree[Any] = Tree(count, combine)
    each, shared = len(arguments) // len(parts), _aligned(shared)
    with using(1):
        for k, (place, part) in enumerate(parts.items()):
            own = arguments[k * each : (k + 1) * each]
            tree.push(place, task(part, _aligned(own), shared))
    return tree.nodes()


def _aligned(value: Any) -> Any:
    """Return arrays, and tuples of them, at even addresses, as the core reads them: those of a wire may lie at any."""
    if isinstance(value, np.ndarray):
        return np.require(value, requirements=["A"])
    if not isinstance(value, tuple):
        return value
    each = map(_aligned, value)
    return type(value)(*each) if hasattr(value, "_fields") else tuple(each)


def _combine(combine: Combine, count: int, *some: list[Node]) -> list[Node]:
    """Return the nodes that others make together."""
    tree: Tree[Any] = Tree(count, combine)
    for place, value, level in sorted((node for nodes in some for node in nodes), key=lambda node: node[::2]):
        tree.push(place, value, level)
    return tree.nodes()


def parts_of(X: Any, y: Any, weight: Any, columns: Sequence[str] | None) -> list[Part]:
    """Return the parts of Dask arrays, data frames or bags."""
    kind = type(X).__name__
    if hasattr(X, "to_bag") and hasattr(X, "divisions"):
        return _parts_of_frame(X, y, weight, columns)
    load: Any = _load_texts if kind == "Bag" else Block
    pieces = [_pieces(each, name) for name, each in (("X", X), ("y", y), ("sample_weight", weight)) if each is not None]
    for name, other in zip(("y", "sample_weight"), pieces[1:], strict=False):
        if len(other) != len(pieces[0]):
            raise UsageError(
                f"{name} has {len(other)} partitions and X has {len(pieces[0])}. Expected the same partitions. "
                "Use rechunk or repartition on one of them."
            )
    if kind == "Bag" and y is None:
        load = _load_pairs
    return [Part(i, "", load, each) for i, each in enumerate(zip(*pieces, strict=True))]


def _pieces(collection: Any, name: str) -> list[Any]:
    if not hasattr(collection, "to_delayed"):
        raise UsageError(
            f"{name} is {type(collection).__name__}, and X is a Dask collection. Expected a Dask collection with the "
            f"same partitions. Make one of {name}, for example with dask.array.from_array."
        )
    if getattr(collection, "ndim", 1) == 2 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})
    found = collection.to_delayed()
    return list(found.ravel()) if hasattr(found, "ravel") else list(found)


def _parts_of_frame(X: Any, y: Any, weight: Any, columns: Sequence[str] | None) -> list[Part]:
    names = [each for each in (y, weight) if isinstance(each, str)]
    for name in [*names, *(columns or ())]:
        if name not in X.columns:
            shown = ", ".join(map(repr, list(X.columns)[:8]))
            raise UsageError(f"X has no column {name!r}. Expected one of {shown}. Check its name.")
    chosen = list(columns or [each for each in X.columns if each not in names])
    load = LoadFrame(chosen, *(each if isinstance(each, str) else None for each in (y, weight)))
    beside = [("y", y), ("sample_weight", weight)]
    frames = [_pieces(X, "X"), *(_pieces(each, name) for name, each in beside if not isinstance(each, str | None))]
    return [Part(i, "", load, each) for i, each in enumerate(zip(*frames, strict=True))]


class LoadFrame:
    """Takes the columns of a data frame apart."""

    def __init__(self, columns: list[str], y: str | None, weight: str | None) -> None:
        self.columns, self.y, self.weight = columns, y, weight

    def __call__(self, frame: Any, *others: Any) -> Block:
        """Return the rows of a pandas data frame; labels and weights may come beside it."""
        beside = iter(others)
        y = frame[self.y].to_numpy() if self.y else next(beside)
        weight = frame[self.weight].to_numpy() if self.weight else next(beside, None)
        return Block(frame[self.columns], getattr(y, "values", y), getattr(weight, "values", weight))


def _load_texts(texts: Any, y: Any, weight: Any = None) -> Block:
    return Block(list(texts), list(y), None if weight is None else list(weight))


def _load_pairs(pairs: Any) -> Block:
    """Return texts and labels of pairs, or of triples with weights."""
    columns = [list(each) for each in zip(*pairs, strict=True)] or [[], []]
    return Block(*columns)
