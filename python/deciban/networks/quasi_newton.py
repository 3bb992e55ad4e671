"""L-BFGS: all examples at once, with the curvature of the last steps.

Liu & Nocedal, Mathematical Programming 45 (1989). SciPy's L-BFGS-B takes the steps; here are the
error, its gradient, and what a fit tells of its way. Weights are float64 meanwhile, whatever type they have in the end:
a line search needs the digits.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import elsewhere, like, on_host

from .batches import Rows, Shuffled, Streamed
from .history import Ending, Epoch
from .measures import describe_overflow, errors_and_gradient, is_finite, mean_errors, measure_units
from .optimizers import IN_NO_BATCHES
from .training import OutOfRangeError, OutOfTimeError, Training

Floats = NDArray[np.float64]

# Pairs of steps and changes of the gradient that are remembered.
_REMEMBERED = 10
# A step must lower the error by so many units in the last place, or the way ends.
_LEAST = 64.0 * np.finfo(np.float64).eps


class _StopError(Exception):
    """The way ends here."""


class FullTraining(Training):
    """A network on its way with all examples in each step; an epoch is one iteration."""

    def run(self, source: Shuffled | Streamed, validation: Rows | None = None) -> None:
        """Run all iterations. Ctrl-C, the time and numbers out of range end them, and the best weights are kept.

        It settles where no part of the gradient is above `tol`, and stalls where no step lowers the error any more.
        """
        if not isinstance(source, Shuffled):
            raise ValueError(IN_NO_BATCHES)
        self._started, self._rows, self._validation = perf_counter(), source.rows, validation
        self._looked_at = source.sample(self.random)
        self._best, self._lowest, self._without = self._flat(), float("inf"), 0
        try:
            self._minimise()
        except _StopError:
            pass
        except (OutOfTimeError, KeyboardInterrupt) as reason:
            if type(reason) not in (OutOfTimeError, KeyboardInterrupt):
                raise  # another signal than Ctrl-C: the process is to end
            self.ending = Ending.OUT_OF_TIME if isinstance(reason, OutOfTimeError) else Ending.INTERRUPTED
        except OutOfRangeError as reason:
            self.ending, self.where = Ending.OVERFLOW, str(reason)
        self._unflatten(self._best)

    def _minimise(self) -> None:
        from scipy.optimize import minimize

        plan = self.plan
        limits = {"maxiter": plan.max_iter, "maxfun": 20 * plan.max_iter, "gtol": plan.tol, "ftol": _LEAST}
        found = minimize(
            self._error,
            self._flat(),
            jac=True,
            method="L-BFGS-B",
            callback=self._note_iteration,
            options={**limits, "maxcor": _REMEMBERED, "maxls": 50},
        )
        if self._lowest == float("inf"):  # it began at the bottom
            self._note_iteration(found.x)
        if found.status in (0, 2):  # nothing lower is found
            self.ending = Ending.SETTLED if self._steepest(found.x) <= plan.tol else Ending.STALLED

    def _error(self, weights: Floats) -> tuple[float, Floats]:
        """Return the mean error with the penalty, and its gradient."""
        if self.plan.time_limit is not None and self._seconds() > self.plan.time_limit and self.history:
            raise OutOfTimeError
        self._unflatten(weights)
        loss, penalty, gradients = errors_and_gradient(self.network, self._rows.parts(), self.plan.decay)
        if not np.isfinite(loss + penalty):
            if not self.history:
                raise OutOfRangeError(describe_overflow(self.network, self._looked_at))
            return float("inf"), np.zeros_like(weights)
        self._last = loss, penalty, gradients
        return loss + penalty, np.concatenate([on_host(g).reshape(-1) for g in gradients])

    def _steepest(self, weights: Floats) -> float:
        return float(np.abs(self._error(weights)[1]).max(initial=0.0))

    def _note_iteration(self, weights: Floats) -> None:
        """Note that one iteration is done: SciPy gives the weights it came to."""
        self._error(weights)
        loss, penalty, gradients = self._last
        judged, plan = self.network, self.plan
        _, wrong = mean_errors(judged, self._rows, plan.wrong)
        held: tuple[Any, Any] = (None, None)
        if self._validation is not None:
            held = mean_errors(judged, self._validation, plan.wrong)
        dead, idle, within = measure_units(judged, self._looked_at)
        if not within or not is_finite(judged.parameters):
            raise OutOfRangeError(describe_overflow(judged, self._looked_at))
        norms = tuple(float(np.linalg.norm(on_host(g))) for g in gradients[::2])
        place = len(self.history) + 1
        told = Epoch(place, loss, wrong, held[0], held[1], 1.0, norms, dead, idle, self._seconds(), penalty)
        self.history.append(told)
        fallen = told.watched < self._lowest - plan.tol * abs(self._lowest) or self._lowest == float("inf")
        self._without = 0 if fallen or self._validation is None else self._without + 1
        if told.watched < self._lowest:
            self._lowest, self._best = told.watched, weights.copy()
        if plan.watch is not None:
            plan.watch(told, plan.max_iter)
        if self._find_ending(told, self._without, self._validation is not None):
            raise _StopError

    def _flat(self) -> Floats:
        return np.concatenate([on_host(each).reshape(-1) for each in self.network.parameters])

    def _unflatten(self, weights: Floats) -> None:
        """Put the weights into the network, in the type and on the device of its own."""
        found, at = [], 0
        for each in self.network.parameters:
            shape = tuple(int(n) for n in each.shape)
            size = int(np.prod(shape))
            part = weights[at : at + size].reshape(shape)
            found.append(like(part, each, each.dtype) if elsewhere(each) else part.astype(each.dtype))
            at += size
        self._set(found)


def as_doubles(rows: Rows) -> Rows:
    """Return the rows for weights of float64."""
    return replace(rows, dtype=np.dtype(np.float64))
