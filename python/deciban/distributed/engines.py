"""Engines: what computes a task for each part and combines the results in one fixed tree."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from .encoding import Encode, Survey
from .parts import Part

Task = Callable[[Part, tuple[Any, ...], Any], Any]
"""What is computed of a part, of its arguments and of what all parts share; None where it holds nothing."""
Combine = Callable[[Any, Any], Any]


class Engine(ABC):
    """Workers that compute a task for each part; what they return is combined in a fixed tree."""

    @abstractmethod
    def reduce(self, task: Task, parts: Sequence[Part], combine: Combine, shared: Any = None) -> Any:
        """Return the combination of the task of all parts; `shared` is sent once to each worker.

        Parameters
        ----------
        task : callable
            Computes the value of a part, or None.
        parts : sequence of Part
            The parts.
        combine : callable
            Combines the values of two neighbours.
        shared : object, optional
            What the task needs for every part.

        Returns
        -------
        object or None
            The combination.
        """

    @abstractmethod
    def keep(self, parts: Sequence[Part], encode: Encode) -> list[Survey] | None:
        """Encode parts once, keep them where passes over them are made, and return what is known of each.

        Parameters
        ----------
        parts : sequence of Part
            The parts.
        encode : Encode
            Encodes a part.

        Returns
        -------
        list of Survey or None
            What is known of the parts that hold rows, each with the part as it is kept.
        """

    def save_point(self, w: NDArray[np.float64], b: NDArray[np.float64]) -> None:  # noqa: B027
        """Keep the best weights so far, where the engine goes on after it was interrupted."""

    def saved_point(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the weights that were kept; None where none were."""
        return None

    @contextmanager
    def apart(self, name: str) -> Iterator[None]:
        """Keep the weights of another search by themselves, under a name, for as long as the block takes."""
        yield

    def require_open(self) -> None:  # noqa: B027
        """Raise UsageError where the engine takes no more work."""

    def close(self) -> None:  # noqa: B027
        """Give back what the engine has started itself."""


def engine_of(given: Any, scratch: str | os.PathLike[str] | None = None) -> Engine:
    """Return the engine of a Dask client, a Spark session or an executor, which keeps rows in a folder of `scratch`."""
    if isinstance(given, Engine):
        return given
    if isinstance(given, Executor) or (callable(getattr(given, "submit", None)) and not _is_dask(given)):
        from .on_executors import OnExecutor

        return OnExecutor(given, scratch)
    if _is_dask(given):
        from .on_dask import OnDask

        return OnDask(given)
    if type(given).__module__.startswith("pyspark."):
        from .on_spark import OnSpark

        return OnSpark(given)
    raise UsageError(
        f"engine is {type(given).__name__}. Expected a Dask Client, a SparkSession or an executor of "
        "concurrent.futures. Pass engine=ProcessPoolExecutor() to use the cores of this machine."
    )


def _is_dask(given: Any) -> bool:
    return type(given).__module__.startswith("distributed.")
