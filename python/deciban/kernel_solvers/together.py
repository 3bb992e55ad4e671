"""Many kernel machines about rows that they share, solved side by side by pairs of coefficients (`smo`).

    min over β_k   D_k(β_k) = ½ β_kᵀK_kβ_k − t_kᵀβ_k     subject to   lo_k ≤ β_k ≤ hi_k,   Σ β_k = 0,      k = 1 … P

K_k are the kernels of the rows of problem k with each other, rows of one X. These are made ready once, and what is
common to the problems is computed once where it is dear and fits into memory: all of K, or of each class its own part
of it. Each problem is solved on one thread: no number of threads changes a bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.data.rows import reals_for_core
from deciban.kernels import Kernel
from deciban.kernels.evaluation import in_core, rows_in_core
from deciban.losses import Floats

from .certificate import KernelProof, averaged
from .problem import KernelSolution, Limits, Places, Watch
from .smo import NAME


@dataclass(frozen=True)
class Together:
    """P problems of classification, one after the other: `rows` (m,) places of their rows, y (m,) of −1 and +1, the
    bounds `upper` (m,) of |β|, and `ends` (P + 1,), from 0, where each ends."""

    rows: Places
    y: Floats
    upper: Floats
    ends: Places
    lo: Floats = field(init=False, repr=False)
    hi: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lo", np.where(self.y > 0.0, 0.0, -self.upper))
        object.__setattr__(self, "hi", np.where(self.y > 0.0, self.upper, 0.0))

    @property
    def sizes(self) -> Places:
        """(P,) how many rows each has."""
        return np.diff(self.ends)

    def parts(self, of: NDArray[Any]) -> list[NDArray[Any]]:
        """Numbers (m,) problem by problem."""
        return [of[a:b] for a, b in zip(self.ends[:-1], self.ends[1:], strict=True)]


def shareable(kernel: Kernel, X: Any) -> bool:
    """Whether the core reads such rows and computes their kernel."""
    return in_core(kernel) is not None and rows_in_core(X)


def shared(
    kernel: Kernel,
    X: Any,
    classes: NDArray[np.intp] | None = None,
    whole: bool = False,
    memory: int = 0,
    n_jobs: int | None = None,
) -> _core.SharedKernel:
    """X made ready; of its kernel within each class, or `whole`, what is worth it and fits into `memory` bytes."""
    named = in_core(kernel)
    assert named is not None
    of = None if classes is None else classes.astype(np.int64)
    return _core.SharedKernel(reals_for_core(X), *named, classes=of, whole=whole, memory=memory, n_jobs=n_jobs)


def bytes_of(kernel: Kernel, count: int) -> int:
    """What all values of the kernel of so many rows take."""
    named = in_core(kernel)
    return (4 if named and named[0] in ("rbf", "wave", "tanh") else 8) * count * count


def solve(
    kernels: _core.SharedKernel, problems: Together, limits: Limits, starts: Floats | None = None, memory: int = 0
) -> list[KernelSolution]:
    """The optimum of each problem from the feasible `starts` (m,), with `memory` bytes for each of those that are
    solved at once. The callback hears of every problem."""
    sizes = problems.sizes
    watches = [Watch(limits) for _ in sizes]
    row = np.arange(len(problems.rows)) - np.repeat(problems.ends[:-1], sizes)
    told: dict[str, Any] = {
        "t": problems.y,
        "lo": problems.lo,
        "hi": problems.hi,
        "group": np.zeros(len(row), dtype=np.int64),
        "row": row,
        "start": np.zeros(len(row)) if starts is None else starts,
        "ends": problems.ends.tolist(),
        "rows": problems.rows,
        "row_ends": problems.ends.tolist(),
        "sums": np.zeros(len(sizes)),
    }

    interrupted: list[int] = []

    def watch(problem: int, iteration: int, primal: float, gap: float) -> bool:
        if interrupted:
            watches[problem].interrupt()
            return True
        try:
            return watches[problem](iteration, primal, gap)
        except KeyboardInterrupt:
            interrupted.append(problem)
            watches[problem].interrupt()
            return True

    beta, gradient, iterations, endings = kernels.solve(
        told, tol=limits.tol, max_iter=limits.max_iter, memory=memory, watch=watch
    )
    b = intercepts(problems, beta, gradient)
    return [
        KernelSolution(
            own,
            b[k : k + 1],
            watches[k].ended("interrupted" if k in interrupted else endings[k]),
            iterations[k],
            NAME,
            tuple(watches[k].trace),
            slope,
        )
        for k, (own, slope) in enumerate(zip(problems.parts(beta), problems.parts(gradient), strict=True))
    ]


def intercepts(problems: Together, beta: Floats, gradient: Floats) -> Floats:
    """(P,) b: −∂D/∂β averaged over lo < β < hi, else the midpoint of the interval that the others leave to it."""
    first = problems.ends[:-1]
    free = (beta > problems.lo) & (beta < problems.hi)
    count = np.add.reduceat(free, first, dtype=np.int64)
    total = np.add.reduceat(np.where(free, -gradient, 0.0), first)
    return averaged(count, total, *_interval(problems, beta, gradient))


def _interval(problems: Together, beta: Floats, gradient: Floats) -> tuple[Floats, Floats]:
    first = problems.ends[:-1]
    top = np.maximum.reduceat(np.where(beta < problems.hi, -gradient, -np.inf), first)
    return top, np.minimum.reduceat(np.where(beta > problems.lo, -gradient, np.inf), first)


def prove(problems: Together, solutions: Sequence[KernelSolution]) -> list[KernelProof]:
    """P at the w of each β and at its b, and −D at β, by the gradients in float64 that the solver ends with."""
    first = problems.ends[:-1]
    beta = np.concatenate([solution.beta for solution in solutions])
    gradient = np.concatenate([np.asarray(solution.gradient) for solution in solutions])
    b = np.concatenate([solution.b for solution in solutions])
    f = gradient + problems.y
    top, bottom = _interval(problems, beta, gradient)
    with np.errstate(invalid="ignore"):
        violation = np.maximum(np.nan_to_num(top - bottom, nan=0.0, posinf=0.0, neginf=0.0), 0.0)
    r = -gradient - np.repeat(b, problems.sizes)
    half = 0.5 * np.add.reduceat(beta * f, first)
    loss = np.add.reduceat(np.maximum(problems.hi * r, problems.lo * r), first)
    dual = np.add.reduceat(problems.y * beta, first) - half
    return [
        KernelProof(float(half[k] + loss[k]), float(dual[k]), float(violation[k]), solutions[k].b, scores)
        for k, scores in enumerate(problems.parts(f))
    ]
