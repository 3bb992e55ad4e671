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
from .trees import levels

# So many neighbours, a power of two, are combined by one task, of which each costs the scheduler a millisecond or more.
_NEIGHBOURS = 4


class OnDask(Engine):
    """A Dask client. What parts are made of is computed when it is needed, and let go when it was used."""

    def __init__(self, client: Any) -> None:
        self.client = client

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
        arguments = [self._compute(part.arguments) for part in parts]
        leaves = [
            submit(_run, task, _without_arguments(part), common, *own)
            for part, own in zip(parts, arguments, strict=True)
        ]
        del arguments  # the scheduler keeps what is still to be used
        futures: list[Any] = []

        def together(some: list[Any]) -> Any:
            if len(some) == 1:
                return some[0]
            futures.append(submit(_combine, combine, *some))
            return futures[-1]

        while len(leaves) > 1:
            leaves = [together(leaves[i : i + _NEIGHBOURS]) for i in range(0, len(leaves), _NEIGHBOURS)]
        (root,) = leaves
        del leaves, common
        try:
            return _aligned(root.result())
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
        for survey in found[1:]:
            found[0].shape.require_same(survey.shape)
        return found or None

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


def _run(task: Task, part: Part, shared: Any, *arguments: Any) -> Any:
    with using(1):
        return task(part, _aligned(arguments), _aligned(shared))


def _aligned(value: Any) -> Any:
    """Return arrays, and tuples of them, at even addresses, as the core reads them: those of a wire may lie at any."""
    if isinstance(value, np.ndarray):
        return np.require(value, requirements=["A"])
    if not isinstance(value, tuple):
        return value
    each = map(_aligned, value)
    return type(value)(*each) if hasattr(value, "_fields") else tuple(each)


def _combine(combine: Combine, *values: Any) -> Any:
    return levels([*values], combine)


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
