"""Work on an executor of concurrent.futures: processes or threads of this machine, those of loky, joblib or Ray."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from pickle import PicklingError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, StorageError, UsageError
from ..threads import LISTEN, using
from .encoding import Encode, EncodeToFolder, Survey
from .engines import Combine, Engine, Task
from .mapped import Mapped
from .parts import Part
from .trees import Tree, groups

# Tasks for each worker, so that a slow one does not keep the others waiting, and futures that wait for a worker.
_TASKS, _AHEAD = 4, 2
# So often a worker may die over one group of parts, the last time alone, before the parts are to blame.
_DEATHS = 3


class OnExecutor(Engine):
    """An executor. One of processes that loses a worker is replaced by another like it, and what was lost is done
    again."""

    def __init__(
        self, executor: Executor, scratch: str | os.PathLike[str] | None = None, point: Path | None = None
    ) -> None:
        self._executor, self._own, self._scratch, self._point = executor, False, scratch, point
        self._folders: list[str] = []

    def save_point(self, w: NDArray[np.float64], b: NDArray[np.float64]) -> None:
        """Keep the best weights so far in the file `point`, if there is one."""
        if self._point is not None:
            unfinished = self._point.with_name(f"{self._point.name}.unfinished.npy")
            np.save(unfinished, np.column_stack([w, b]))
            unfinished.rename(self._point)

    def saved_point(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the weights in that file; None where there are none, or they are damaged."""
        if self._point is None or not self._point.exists():
            return None
        with suppress(ValueError, EOFError):
            both = np.load(self._point, allow_pickle=False)
            if both.ndim == 2 and both.dtype == np.float64 and np.isfinite(both).all():
                return np.ascontiguousarray(both[:, :-1]), np.ascontiguousarray(both[:, -1])
        return None

    @contextmanager
    def apart(self, name: str) -> Iterator[None]:
        own = self._point
        if own is not None:
            self._point = own.with_name(f"{own.stem}-{name}{own.suffix}")
        try:
            yield
        finally:
            self._point = own

    def keep(self, parts: Sequence[Part], encode: Encode) -> list[Survey] | None:
        """Encode parts into files, which workers of this machine map into memory."""
        task = EncodeToFolder(encode, self.make_folder())
        found: list[Survey] | None = self.reduce(task, parts, task.combine)
        return found

    def make_folder(self) -> str:
        """Return a new folder, which `close` takes away with all in it."""
        try:
            self._folders.append(tempfile.mkdtemp(prefix="deciban-", dir=self._scratch))
        except OSError as error:
            raise StorageError(
                f"no folder can be made in {self._scratch}: {error.strerror}. Expected one to keep encoded rows in. "
                "Give another with scratch=."
            ) from error
        return self._folders[-1]

    @property
    def workers(self) -> int:
        """How many workers there are, as far as the executor tells."""
        return int(getattr(self._executor, "_max_workers", None) or os.cpu_count() or 1)

    def require_open(self) -> None:
        """Raise UsageError where the executor was shut down."""
        try:
            self._executor.submit(_nothing).cancel()
        except BrokenExecutor:
            self._replace()
        except RuntimeError as error:
            raise UsageError(
                f"the executor takes no more work: {error}. Expected one that is open. Call fit inside its with block."
            ) from error

    def reduce(self, task: Task, parts: Sequence[Part], combine: Combine, shared: Any = None) -> Any:
        """Return the combination of the task of all parts."""
        level, each = groups(len(parts), _TASKS * self.workers)
        tree: Tree[Any] = Tree(len(parts), combine)
        todo, deaths = list(reversed(range(len(each)))), Counter[int]()
        pending: dict[Future[Any], int] = {}
        try:
            while todo or pending:
                alone = any(deaths[k] >= _DEATHS - 1 for k in [*todo, *pending.values()])
                while todo and len(pending) < (1 if alone else self.workers * _AHEAD):
                    group = todo.pop()
                    chosen = [parts[i] for i in each[group]]
                    pending[self._submit(task, chosen, combine, shared)] = group
                for future in wait(pending, LISTEN, FIRST_COMPLETED).done:
                    if future not in pending:
                        continue
                    try:
                        value = future.result()
                    except BrokenExecutor:
                        lost = sorted(pending.values(), reverse=True)
                        deaths.update(lost)
                        self._blame(deaths, each, parts)
                        pending.clear()
                        todo += lost
                        self._replace()
                        break
                    except (PicklingError, AttributeError, TypeError) as error:
                        if "pickle" not in str(error):
                            raise
                        raise UsageError(
                            f"a partition cannot be sent to another process: {error}. Expected arrays, or functions "
                            "at the top of a module. Use a ThreadPoolExecutor, or move the function there."
                        ) from error
                    tree.push(pending.pop(future), value, level)
        except BaseException:
            for future in pending:
                future.cancel()
            raise
        return tree.result()

    def _submit(self, task: Task, parts: list[Part], combine: Combine, shared: Any) -> Future[Any]:
        for _ in range(2):
            try:
                return self._executor.submit(run_group, task, parts, combine, shared)
            except BrokenExecutor:
                self._replace()
        return self._executor.submit(run_group, task, parts, combine, shared)

    def _blame(self, deaths: Counter[int], each: list[range], parts: Sequence[Part]) -> None:
        worst = [k for k, count in deaths.items() if count >= _DEATHS]
        if worst:
            first = parts[each[worst[0]].start]
            raise DataError(
                f"a worker died {_DEATHS} times over {first.said} or its neighbours, the last time with nothing else "
                "to do. Expected partitions that fit the memory of a worker. Make smaller partitions, or give the "
                "workers more memory."
            )

    def _replace(self) -> None:
        """Take a new executor like the one that is broken."""
        broken = self._executor
        module = type(broken).__module__
        if module.startswith(("loky.", "joblib.externals.loky.")):
            from importlib import import_module

            loky = import_module(module.rpartition(".")[0])
            self._executor = loky.get_reusable_executor(max_workers=self.workers)
            return
        kept = {name: getattr(broken, f"_{name}", None) for name in ("mp_context", "initializer", "initargs")}
        if kept["mp_context"] is None:
            raise DataError(
                f"the executor lost its workers, and a {type(broken).__name__} cannot be made anew here. Expected "
                "workers that live until the end. Fit again with a new executor."
            )
        kept = {name: value for name, value in kept.items() if value is not None}
        if self._own:
            broken.shutdown(wait=False, cancel_futures=True)
        self._executor, self._own = type(broken)(max_workers=self.workers, **kept), True  # type: ignore[call-arg]

    def close(self) -> None:
        """Shut down an executor that took the place of another, and take the files away."""
        for folder in self._folders:
            with suppress(OSError):  # who still writes there finds no folder, and leaves none
                os.rename(folder, f"{folder}.gone")
            for left in (folder, f"{folder}.gone"):
                shutil.rmtree(left, ignore_errors=True)
        if self._own:
            self._executor.shutdown(wait=False, cancel_futures=True)


def run_group(task: Task, parts: list[Part], combine: Combine, shared: Any) -> Any:
    """Return the combination of the task of neighbouring parts."""
    tree: Tree[Any] = Tree(len(parts), combine)
    with using(1):  # workers are as many as cores
        for k, (part, after) in enumerate(zip(parts, [*parts[1:], None], strict=True)):
            if after is not None and isinstance(after.load, Mapped):
                after.load.read_ahead()
            tree.push(k, task(part, (), shared))
    return tree.result()


def _nothing() -> None:
    """Do nothing, to learn whether work is taken."""
