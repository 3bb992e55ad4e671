"""On how many threads work is done: what `n_jobs` means, in one place, for all that computes in parallel."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import update_wrapper
from time import perf_counter
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from deciban._core import available_threads, halt_by, limit_threads
from deciban.lazy import cached_property

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., Any])

_here = threading.local()


def effective_threads(n_jobs: Any = None) -> int:
    """Return how many threads `n_jobs` means here, by joblib's rules.

    None is what `joblib.parallel_config(n_jobs=…)` says around it, one inside a thread of joblib's, and otherwise all
    that are available. A number above 0 is meant as it is said; -1 is all that are available, -2 all but one. Available
    is the least of the cores that affinity and cgroups leave the process, `RAYON_NUM_THREADS` and `OMP_NUM_THREADS`;
    the workers that joblib starts have the last one set to their share (`inner_max_num_threads`).

    Parameters
    ----------
    n_jobs : None or a whole number other than 0

    Returns
    -------
    int, at least 1

    Raises
    ------
    ValueError
        Of 0, and of what is no whole number.

    Examples
    --------
    >>> effective_threads(3), effective_threads(-100)
    (3, 1)
    """
    backend = None
    if n_jobs is None:
        known: int | None = getattr(_here, "threads", None)
        if known is not None:
            return known
        backend, n_jobs = _of_joblib()
    elif "bool" in type(n_jobs).__name__ or not hasattr(n_jobs, "__index__") or int(n_jobs) == 0:
        raise ValueError(
            f"n_jobs must be None or a whole number other than 0, got {n_jobs!r}: -1 is all cores, -2 all but one"
        )
    threads = int(n_jobs)
    if threads > 0:
        return threads
    backend = backend or _of_joblib()[0]
    return max(1, (1 if _in_thread_of_joblib(backend) else available_threads()) + 1 + threads)


def _of_joblib() -> tuple[Any, int]:
    """Return joblib's backend, if anybody has loaded joblib, and what its settings around us say: -1 where they say
    nothing."""
    joblib = sys.modules.get("joblib.parallel")
    if joblib is None:
        return None, -1
    around = getattr(joblib, "_backend", None)  # without settings around us joblib would make a backend to say so
    if around is not None and not hasattr(around, "config"):
        return None, -1
    backend, n_jobs = joblib.get_active_backend()
    return backend, -1 if n_jobs is None else int(n_jobs)


def _in_thread_of_joblib(backend: Any) -> bool:
    """Return whether this is one of the threads, or forked processes, that joblib works with: those of them that are
    processes of their own find their share in OMP_NUM_THREADS."""
    if backend is None or backend.nesting_level in (None, 0):
        return False
    processes = sys.modules.get("multiprocessing.process")
    return processes is None or not processes.current_process().name.startswith("LokyProcess")


def using(n_jobs: Any = None) -> Using:
    """Compute on the threads that `n_jobs` means: BLAS on one, so that its sums have one order, the core on all.

    None keeps what holds around it. It may be entered again inside, and on several threads at once.

    >>> with using(2):
    ...     effective_threads(), effective_threads(1)
    (2, 1)
    """
    return Using(n_jobs)


class Using:
    """What `using` enters and leaves; no generator, which would take longer than a prediction of one row."""

    __slots__ = ("_before", "_n_jobs", "_of_core")

    def __init__(self, n_jobs: Any) -> None:
        self._n_jobs = n_jobs

    def __enter__(self) -> None:
        from .blas import ONE_THREAD  # needs NumPy, which whoever scores one message does without

        self._before = getattr(_here, "threads", None)
        _here.threads = effective_threads(self._n_jobs)
        self._of_core = limit_threads(_here.threads)
        ONE_THREAD.enter()

    def __exit__(self, *raised: object) -> None:
        from .blas import ONE_THREAD

        ONE_THREAD.leave()
        limit_threads(self._of_core)
        _here.threads = self._before


def inherit_threads(task: Callable[[], Result]) -> Callable[[], Result]:
    """Return the task as another thread is to do it: on as many threads as are used here."""
    threads = effective_threads()

    def done() -> Result:
        with using(threads):
            return task()

    return done


LISTEN = 0.1
"""Seconds after which whoever waits looks for a signal: one that comes just before a wait begins does not wake it."""


def await_result(future: Future[Result]) -> Result:
    """Return what a future comes to, or raise what it raises; a signal is heard while this thread waits."""
    while not future.done():
        with suppress(TimeoutError):
            future.exception(LISTEN)
    return future.result()


@contextmanager
def halting(is_halted: Callable[[], bool], is_overdue: Callable[[], bool]) -> Iterator[None]:
    """Let `check_halted` end the work of this thread, to which Ctrl-C does not come, once `is_halted`, and
    `check_overdue`, as well as loops of the core that may take long, once `is_overdue`."""
    _here.is_halted, _here.is_overdue = is_halted, is_overdue
    of_core = halt_by(is_overdue)
    try:
        yield
    finally:
        halt_by(of_core)
        _here.is_halted = _here.is_overdue = None


class HaltOfThread(NamedTuple):
    """What `halting` lets end the work of a thread."""

    is_halted: Callable[[], bool]
    is_overdue: Callable[[], bool]


def halt_of_thread() -> HaltOfThread:
    """Return what lets the work of this thread end; what never does, where nothing was told."""
    asked = getattr(_here, "is_halted", None), getattr(_here, "is_overdue", None)
    return HaltOfThread(*(ask or _never for ask in asked))


def _never() -> bool:
    return False


GRACE = 0.5
"""Seconds that are waited after Ctrl-C for the proof of what was best until then."""


@contextmanager
def ending(interrupted: bool) -> Iterator[None]:
    """Give up long work of the core, by KeyboardInterrupt, that is still to be done after Ctrl-C ended the rest."""
    if not interrupted or getattr(_here, "is_overdue", None) is not None:  # which may have begun earlier
        yield
        return
    since = perf_counter()
    with halting(lambda: True, lambda: perf_counter() - since > GRACE):
        yield


def check_halted() -> None:
    """Raise KeyboardInterrupt where the work of this thread is to end."""
    is_halted = getattr(_here, "is_halted", None)
    if is_halted is not None and is_halted():
        raise KeyboardInterrupt


def check_overdue() -> None:
    """Raise KeyboardInterrupt where the proof of what was best until Ctrl-C takes longer than is waited for."""
    is_overdue = getattr(_here, "is_overdue", None)
    if is_overdue is not None and is_overdue():
        raise KeyboardInterrupt


def on_threads(function: Function) -> Function:
    """Decorate a function: it runs inside `using`, on the threads that its keyword `n_jobs`, if it has one, means."""
    decorated: Function = _decorate(function, lambda given, named: named.get("n_jobs"))
    return decorated


# Operators that compute: judging, learning, forgetting.
_OPERATORS = ("__call__", "__add__", "__radd__", "__iadd__", "__sub__", "__isub__")
# Methods that compute nothing, and that answer whatever the parameters are.
_OF_PARAMETERS = ("get_params", "set_params", "get_typed_params", "learning_params", "watch_with")


class OnThreads:
    """What computes on the threads that its `n_jobs` means, all if it has none; its numbers do not depend on how many.

    The public methods and properties of whoever inherits run inside `using(self.n_jobs)`.
    """

    def __init_subclass__(cls, **settings: Any) -> None:
        for name, member in list(vars(cls).items()):
            if name in _OPERATORS or not (name.startswith("_") or name in _OF_PARAMETERS):
                kept = method_on_threads(member)
                if kept is not member:
                    setattr(cls, name, kept)
        super().__init_subclass__(**settings)


def method_on_threads(member: Any) -> Any:
    """Return a method or property that runs inside `using`; other members as they are."""
    if isinstance(member, FunctionType):
        return _decorate(member, lambda given, named: getattr(given[0], "n_jobs", None))
    if isinstance(member, property):
        return property(method_on_threads(member.fget), member.fset, member.fdel, member.__doc__)
    if isinstance(member, cached_property):
        member.func = method_on_threads(member.func)
    elif isinstance(getattr(member, "method", None), FunctionType):  # offered by some settings only
        member.method = method_on_threads(member.method)
    return member


def _decorate(function: Any, n_jobs_of: Callable[[Any, Any], Any]) -> Any:
    scope, is_using = using, _is_using  # by closure: its globals will be others

    def computed(*given: Any, **named: Any) -> Any:
        n_jobs = n_jobs_of(given, named)
        if is_using(n_jobs):
            return function(*given, **named)
        with scope(n_jobs):
            return function(*given, **named)

    # Its globals are the function's, so that doctest finds the examples where they stand.
    made = FunctionType(computed.__code__, function.__globals__, function.__name__, None, computed.__closure__)
    return update_wrapper(made, function)


def _is_using(n_jobs: Any) -> bool:
    """Return whether nothing is left to do for who computes on so many threads: what called it has done it."""
    if n_jobs is not None or getattr(_here, "threads", None) is None:
        return False
    from .blas import ONE_THREAD

    return not ONE_THREAD.has_more()
