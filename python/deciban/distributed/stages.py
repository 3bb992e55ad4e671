"""The hinge, whose slope jumps, by stages in which it is smooth over narrower and narrower margins.

At any width δ the slopes of the smooth hinge are feasible for the dual of the hinge itself, so that each pass proves a
gap of it; at the minimum of a stage this is at most δ ln 2 Σ c. Nesterov, Mathematical Programming 103 (2005), with the
entropy as distance: the minima of all widths are a path as that of an interior point method, which Newton's method
follows in some steps a stage. A square as distance (Huber's hinge) took three times as many.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from ..losses import Floats
from ..solvers import Status
from .newton import Found, Search, Value
from .passes import CURVATURES

# How much narrower each stage is, and at most: from farther away Newton's steps lead astray; how far it goes as a share
# of what it can prove, and how many there are at most.
_NARROWER, _NARROWEST, _FAR, _STAGES = 0.2, 0.05, 0.2, 40


@dataclass
class Stage(Search):
    """A search for the minimum at one width, as far as `least` (K,) tells."""

    least: Floats | None = None

    def enough(self, value: Value) -> Floats:
        """Return by problem whether its smooth gap is small enough, or that of the hinge is."""
        assert self.least is not None
        found: Floats = np.logical_or(value.gap <= self.least, super().enough(self.show(value)))
        return found

    def show(self, value: Value) -> Value:
        """Return the value for the hinge itself."""
        sums = value.sums
        return self.judge(value.point, sums._replace(loss=sums.sharp[0], conjugate=sums.sharp[1:]))


class Stages(Search):
    """A search for the minimum of the hinge."""

    def run(self, d: int, start: Callable[[], tuple[Floats, Floats] | None]) -> Found:
        """Return the minimum, as far as the limits let."""
        begun, width, total = perf_counter(), 1.0, np.array([each.c.sum() for each in self.surrogates])
        best: Found | None = None
        for _ in range(_STAGES):
            found = self._at(width, _FAR * width * total, begun, best, d, start)
            best = found if best is None else _following(best, found)
            ended = found.status not in (Status.CONVERGED, Status.OVERFLOW)
            if ended or self.enough(best.value).all():
                return best if ended else best._replace(status=Status.CONVERGED)
            gap = float((best.value.gap / np.maximum(total, 1e-300)).max())
            width = max(min(_NARROWER * width, gap), _NARROWEST * width, 1e-300)
        assert best is not None
        return best._replace(status=Status.EXHAUSTED)

    def _at(
        self,
        width: float,
        least: Floats,
        begun: float,
        before: Found | None,
        d: int,
        start: Callable[[], tuple[Floats, Floats] | None],
    ) -> Found:
        """Return what the stage of a width finds, judged by the hinge itself."""
        objective = replace(self.objective, width=width, name=uuid.uuid4().hex)
        spent = 0 if before is None else before.iterations
        stage = Stage(
            objective,
            self.penalty,
            self.surrogates,
            self.limits.after(perf_counter() - begun, spent),
            self.reduce,
            self.save,
            spent=spent,
            least=least,
        )
        from_there = start if before is None else lambda: (before.value.point.w, before.value.point.b)
        try:
            found = stage.run(d, from_there)
        finally:
            CURVATURES.forget(objective)
        return found._replace(value=stage.show(found.value))


def _following(before: Found, found: Found) -> Found:
    """Return what was found after what was before: the better one, and what both took."""
    value = found.value if found.value.primal.sum() <= before.value.primal.sum() else before.value
    value = value._replace(gap=np.minimum(value.gap, value.primal - _dual(before, found)))
    return Found(
        value,
        found.status,
        before.iterations + found.iterations,
        before.passes + found.passes,
        before.slope_at_zero,
        before.trace + found.trace,
    )


def _dual(*found: Found) -> Floats:
    """Return the best bound (K,) of all of them."""
    bound: Floats = np.maximum.reduce([each.value.primal - each.value.gap for each in found])
    return bound
