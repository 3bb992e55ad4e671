"""Who looks at the clock, the callback and the keyboard while a solver runs."""

from __future__ import annotations

from time import perf_counter

from .problem import Limits, Status, Step


class Watch:
    """Called by a solver after each iteration; true means stop, and `status` says why.

    Ctrl-C does not lose the work: a solver that runs in Python wraps its loop in `try … except KeyboardInterrupt` and
    calls `interrupt`, one in the core ends with "interrupted".
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.status: Status | None = None
        self.trace: list[Step] = []
        self._started = perf_counter()

    def __call__(self, iteration: int, primal: float, gap: float) -> bool:
        seconds = perf_counter() - self._started
        self.trace.append(Step(iteration, primal, gap, seconds))
        if self.limits.callback is not None and self.limits.callback(iteration, primal, gap):
            self.status = Status.STOPPED
        elif self.limits.time_limit is not None and seconds >= self.limits.time_limit:
            self.status = Status.OUT_OF_TIME
        return self.status is not None

    def interrupt(self) -> None:
        """Ctrl-C came."""
        self.status = Status.INTERRUPTED

    def ended(self, ending: str) -> Status:
        """What the core's word for its end means."""
        if ending == "converged":
            return Status.CONVERGED
        if ending == "interrupted":
            return Status.INTERRUPTED
        if ending == "overflow":
            return Status.OVERFLOW
        return self.status or Status.EXHAUSTED
