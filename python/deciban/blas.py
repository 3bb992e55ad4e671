"""BLAS on one thread, so that its sums have one order, and large products on several threads of ours all the same.

The last bits of a product depend on how many threads BLAS shares it among. `OneThread` keeps NumPy's and SciPy's
libraries on one while the package computes; `matmul` cuts a product into blocks that depend on its shape alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Lock, local
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .threads import await_result, check_halted, effective_threads, on_threads

Result = TypeVar("Result")

# The module with which SciPy's BLAS is loaded.
_SCIPY = "scipy.linalg._fblas"
# Multiplications that make a block worth handing to another thread.
_WORTH = 1 << 22
# Panels of the columns of a Gram matrix at most, and columns of one at least.
_PANELS, _PANEL = 4, 64
# Rows that are weighted at once, and those between two looks at whether to go on.
_ROWS, _MANY_ROWS = 1 << 12, 1 << 17
# Blocks at most: a machine with more cores than this leaves some idle.
_BLOCKS = 16


class OneThread:
    """The BLAS libraries of this process: on one thread from the first `enter` to the last `leave`.

    The number is the whole process's, not a thread's: whoever calls BLAS meanwhile has one thread as well.
    """

    def __init__(self) -> None:
        self._begin()
        self._libraries: dict[str, Any] = {}
        self._before: dict[str, int] = {}
        self._looked = self._scipy = False

    def _begin(self) -> None:
        self._lock, self._users = Lock(), 0

    def enter(self) -> None:
        """Set every library that is loaded to one thread."""
        with self._lock:
            self._users += 1
            self._find()
            if self._users == 1:
                for name in self._libraries:
                    self._hold(name)

    def leave(self) -> None:
        """Give the libraries their threads back, if nobody else computes."""
        with self._lock:
            self._users = max(0, self._users - 1)
            if not self._users:
                self._release()

    def begin_in_child(self) -> None:
        """Begin anew in a child: the threads that computed are not in it."""
        self._begin()
        self._release()

    def has_more(self) -> bool:
        """Return whether there may be libraries that are not known yet: SciPy brings its own."""
        return not self._looked or (not self._scipy and _SCIPY in sys.modules)

    def _find(self) -> None:
        if not self.has_more():
            return
        from threadpoolctl import ThreadpoolController

        self._looked, self._scipy = True, _SCIPY in sys.modules
        for library in ThreadpoolController().select(user_api="blas").lib_controllers:
            if library.filepath not in self._libraries:
                self._libraries[library.filepath] = library
                if self._users > 1:
                    self._hold(library.filepath)

    def _hold(self, name: str) -> None:
        library = self._libraries[name]
        before = library.get_num_threads()
        if before is not None and before > 1:
            self._before[name] = before
            library.set_num_threads(1)

    def _release(self) -> None:
        for name, threads in self._before.items():
            self._libraries[name].set_num_threads(threads)
        self._before.clear()


ONE_THREAD = OneThread()
if sys.platform != "win32":
    os.register_at_fork(after_in_child=ONE_THREAD.begin_in_child)


class _Pool:
    """Threads that are kept for the next blocks; a process that was forked makes its own."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: tuple[int, int] = (0, 0)
        self._pool: ThreadPoolExecutor | None = None

    def of(self, threads: int) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None or self._known != (os.getpid(), threads):
                if self._pool is not None and self._known[0] == os.getpid():
                    self._pool.shutdown(wait=False)
                self._known, self._pool = (os.getpid(), threads), ThreadPoolExecutor(threads)
            return self._pool


_POOL, _WITHIN = _Pool(), local()


def run_each(task: Callable[[Any], Result], items: Iterable[Any], threads: int) -> list[Result]:
    """Return what `task` makes of each item, in their order, on so many threads.

    >>> run_each(abs, [-1, 2], 2)
    [1, 2]
    """
    items = list(items)
    if threads == 1 or len(items) < 2 or getattr(_WITHIN, "pool", False):
        return [task(item) for item in items]

    def done(item: Any) -> Result:
        _WITHIN.pool = True  # who waits for the pool inside of it could wait for ever
        return task(item)

    pool = _POOL.of(threads)
    try:
        futures = [pool.submit(done, item) for item in items]
    except RuntimeError:  # another thread, which asked for another number, has just closed this pool
        return [task(item) for item in items]
    return [await_result(future) for future in futures]


def blocks(rows: int, cost: int) -> list[slice]:
    """Return slices of so many rows, of `cost` multiplications a row: their number depends on nothing else.

    >>> blocks(5, 1), len(blocks(1000, 1 << 20))
    ([slice(0, 5, None)], 16)
    """
    count = max(1, min(_BLOCKS, rows, rows * cost // _WORTH))
    ends = [rows * k // count for k in range(count + 1)]
    return [slice(first, last) for first, last in pairwise(ends)]


@on_threads
def matmul(A: NDArray[Any], B: NDArray[Any]) -> NDArray[Any]:
    """Return A·B (n, m) of A (n, k) and B (k, m), NumPy's, in blocks of rows side by side.

    >>> matmul(np.eye(2), np.array([[1.0], [2.0]])).tolist()
    [[1.0], [2.0]]
    """
    parts = blocks(A.shape[0], A.shape[1] * B.shape[1])
    if len(parts) == 1:
        return np.asarray(A @ B)
    out = np.empty((A.shape[0], B.shape[1]), np.result_type(A, B))

    def multiply(rows: slice) -> None:
        with np.errstate(all="ignore"):  # those who ask look for numbers that left the range
            np.matmul(A[rows], B, out=out[rows])

    run_each(multiply, parts, effective_threads())
    return out


@on_threads
def add_gram(W: NDArray[Any], Z: NDArray[Any]) -> None:
    """Add ZᵀZ of Z (n, d) to the lower triangle of W (d, d), in blocks of it side by side; above it W is left as it is
    or not, block by block.

    >>> W = np.zeros((2, 2))
    >>> add_gram(W, np.array([[1.0, 2.0], [0.0, 1.0]]))
    >>> W[1].tolist()
    [2.0, 5.0]
    """
    n, d = Z.shape
    count = max(1, min(_PANELS, d // _PANEL, n * d * d // _WORTH))
    ends = [d * k // count for k in range(count + 1)]
    panels = [slice(first, last) for first, last in pairwise(ends)]

    def add(places: tuple[slice, slice]) -> None:
        with np.errstate(all="ignore"):
            W[places] += Z[:, places[0]].T @ Z[:, places[1]]

    run_each(add, [(low, left) for k, low in enumerate(panels) for left in panels[: k + 1]], effective_threads())


@on_threads
def gram(X: NDArray[Any], c: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return Σ c_i x_i x_iᵀ (d, d) of X (N, d), in float64, in blocks of rows side by side; c (N,) is 1 by default.

    Cost: N·d²/2 multiplications.

    >>> gram(np.array([[1.0, 2.0], [0.0, 1.0]])).tolist()
    [[1.0, 2.0], [2.0, 5.0]]
    """
    W = lower_gram(X, c)
    return np.tril(W) + np.tril(W, -1).T


@on_threads
def lower_gram(X: NDArray[Any], c: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return the same; what is above the diagonal may be anything. Rows of c = 0 are not looked at.

    >>> lower_gram(np.array([[1.0, 2.0], [np.nan, 1.0]]), np.array([4.0, 0.0]))[1].tolist()
    [8.0, 16.0]
    """
    d = X.shape[1]
    kept = None if c is None or c.all() else np.flatnonzero(c)

    def weigh(rows: slice) -> NDArray[np.float64]:
        some = rows if kept is None else kept[rows]  # a slice is no copy
        Z = X[some].astype(np.float64, copy=False)
        return Z if c is None else np.sqrt(c[some])[:, None] * Z

    def multiply(rows: slice) -> NDArray[np.float64]:
        Z = weigh(rows)
        with np.errstate(all="ignore"):
            return np.asarray(Z.T @ Z)

    N, W = X.shape[0] if kept is None else len(kept), np.zeros((d, d), order="F")
    few = d < 2 * _PANEL
    for i in range(0, N, _MANY_ROWS if few else _ROWS):
        check_halted()
        if few:  # by blocks of rows, else by blocks of W
            parts = blocks(min(N - i, _MANY_ROWS), d * d)
            for own in run_each(
                multiply, [slice(i + part.start, i + part.stop) for part in parts], effective_threads()
            ):
                W += own
        else:
            add_gram(W, weigh(slice(i, min(i + _ROWS, N))))
    return W
