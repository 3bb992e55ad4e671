"""When fits stop: their parameters and seed, checked, and the clock, the callback and the keyboard while they run."""

from __future__ import annotations

from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from deciban._core import Trace
from deciban.data.refusal import check_whole
from deciban.data.validation import check_random_state

from .problem import Limits, Problem, Status, Step


def check_positive(name: str, value: Any) -> float:
    """Return `value` as a float, or a ValueError unless it is a number > 0."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not value > 0.0:
        raise ValueError(f"{name} must be a number > 0, got {value!r}")
    return float(value)


def read_limits(model: Any) -> Limits:
    """Return when a model is to stop."""
    tol, iterations = check_positive("tol", model.tol), check_whole("max_iter", model.max_iter)
    limit = None if model.time_limit is None else check_positive("time_limit", model.time_limit)
    return Limits(tol, iterations, limit, wrap_callback(model, model.callback))


def draw_seed(random_state: object) -> int:
    """Return a seed from scikit-learn's `random_state`; None is 0."""
    if random_state is None:
        return 0
    if isinstance(random_state, int | np.integer):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state must be from 0 to 2^64 − 1, got {random_state!r}")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def wrap_callback(model: Any, callback: Any) -> Any:
    """Return a solver's callback that also tells scikit-learn's of each iteration; True from any of them stops."""
    context = model.__dict__.get("_callback_fit_ctx")
    if context is None:
        return callback
    lock = Lock()

    def told(iteration: int, objective: float, gap: float) -> bool:
        stop = callback is not None and bool(callback(iteration, objective, gap))
        if iteration == 0:
            return stop
        with lock:
            task = context.subcontext(task_name="iteration")
            task.call_on_fit_task_begin(estimator=model)
            return bool(task.call_on_fit_task_end(estimator=model)) or stop

    return told


class Watch:
    """A stop criterion, called by a solver after each iteration; true means stop, and `status` has the reason.

    Ctrl-C does not lose the work: a solver that runs in Python wraps its loop in `try … except KeyboardInterrupt` and
    calls `interrupt`, one in the core ends with "interrupted".

    Parameters
    ----------
    limits : Limits
        When to stop.

    Examples
    --------
    >>> watch = Watch(Limits(max_iter=2))
    >>> watch.ended("interrupted").name
    'INTERRUPTED'
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.status: Status | None = None
        self._steps: list[Step] = []
        self._noted: Trace | None = None
        self._started = perf_counter()

    @property
    def trace(self) -> list[Step]:
        """The iterations until now."""
        self._take_noted()
        return self._steps

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return perf_counter() - self._started

    def __call__(self, iteration: int, primal: float, gap: float) -> bool:
        seconds = self.seconds
        self._steps.append(Step(iteration, primal, gap, seconds))
        if self.limits.callback is not None and self.limits.callback(iteration, primal, gap):
            self.status = Status.STOPPED
        elif self.limits.time_limit is not None and seconds >= self.limits.time_limit:
            self.status = Status.OUT_OF_TIME
        return self.status is not None

    def for_core(self) -> Any:
        """Return what the core is to tell of its iterations.

        Where no callback is to hear of them they are noted without the interpreter, for which a thread may wait longer
        than a small fit takes.

        Returns
        -------
        Watch or Trace
            What the core calls after each iteration.
        """
        callback, limit = self.limits.callback, self.limits.time_limit
        if callback is not None and not getattr(callback, "silent", False):
            return self
        self._take_noted()
        self._noted = Trace(self.seconds, np.inf if limit is None else limit)
        return self._noted

    def limits_for_core(self, problem: Problem) -> dict[str, Any]:
        """Return what tells the core when to stop, whom it tells of its iterations, and on how many threads.

        Parameters
        ----------
        problem : Problem
            What is to be minimised.

        Returns
        -------
        dict
            Arguments of a solver of the core.
        """
        return {
            "tol": self.limits.tol,
            "max_iter": self.limits.max_iter,
            "null": problem.null,
            "floor": problem.floor,
            "watch": self.for_core(),
            "n_jobs": problem.n_jobs,
        }

    def _take_noted(self) -> None:
        if self._noted is not None:
            steps, late = self._noted.steps()
            self._steps += map(Step._make, steps)
            self.status, self._noted = Status.OUT_OF_TIME if late else self.status, None

    def interrupt(self) -> None:
        """Note that Ctrl-C came."""
        self.status = Status.INTERRUPTED

    def ended(self, ending: str) -> Status:
        """Return the status for the ending that the core reports.

        Parameters
        ----------
        ending : str
            Ending in the words of the core.

        Returns
        -------
        Status
            The status.
        """
        self._take_noted()
        if ending == "converged":
            return Status.CONVERGED
        if ending == "interrupted":
            return Status.INTERRUPTED
        if ending == "overflow":
            return Status.OVERFLOW
        return self.status or Status.EXHAUSTED
