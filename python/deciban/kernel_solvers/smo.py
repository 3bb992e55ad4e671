"""Sequential minimal optimisation: two coefficients a step, rows of the kernel kept in a cache.

    min over β   D(β) = ½ βᵀK̃β − tᵀβ     subject to   lo ≤ β ≤ hi,   Σ β of each group = sums

Second-order choice of the two, after Fan, Chen & Lin (2005), both of one group; shrinking and cache after Chang & Lin
(2011). The loops, and rows of all kernels of numbers, are the core's (`crates/core/src/solve/smo.rs`); other kernels
are asked for the whole Gram matrix where `memory` holds it, else row by row.

Many machines about rows that they share are solved side by side (`Together`):

    min over β_k   D_k(β_k) = ½ β_kᵀK_kβ_k − t_kᵀβ_k     subject to   lo_k ≤ β_k ≤ hi_k,   Σ β_k = 0,      k = 1 … P

K_k are the kernels of the rows of problem k with each other, rows of one X. These are made ready once, and what is
common to the problems is computed once where it is dear and fits into memory: all of K, or of each class its own part
of it. Each problem is solved on one thread: no number of threads changes a bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.data.devices import on_host, take_any
from deciban.data.rows import Rows, reals_for_core
from deciban.kernels import Kernel
from deciban.kernels.evaluation import in_core, rows_in_core
from deciban.losses import Floats

from .certificate import KernelProof, apart, average_free, intercepts
from .problem import KernelProblem, KernelSolution, Limits, Places, Status, Watch, feasible_start, scores_of_rows

NAME = "smo"
EXACT = True
MEMORY = 200_000_000


def refusal(problem: KernelProblem) -> str | None:
    """Return what the problem lacks, or None."""
    return None


def solve(
    problem: KernelProblem,
    limits: Limits,
    start: KernelSolution | Floats | None = None,
    seed: int = 0,
    memory: int = MEMORY,
    rows: int | None = None,
) -> KernelSolution:
    """Return the optimum, within `memory` bytes for rows of the kernel; an iteration is up to 1000 steps.

    It stops when relative gap or largest violation is at most `limits.tol`, both in float64; or, of kernels that the
    core computes, when about so many `rows` were computed.
    """
    watch = Watch(limits)
    settings: dict[str, Any] = {
        "parts": (problem.t, problem.lo, problem.hi, problem.group, problem.sums, problem.row),
        "start": feasible_start(problem, start),
        "tol": limits.tol,
        "max_iter": limits.max_iter,
        "memory": memory,
        "watch": watch,
        "n_jobs": problem.n_jobs,
    }
    known = in_core(problem.kernel)
    if known and rows_in_core(problem.X):
        found = _core.smo(reals_for_core(problem.X), *known, **settings, rows=rows)
    else:
        diagonal = np.ascontiguousarray(on_host(problem.kernel.diagonal(problem.X), np.float64))
        found = _core.smo_of_rows(_rows(problem, memory), partial(_scores, problem), diagonal, **settings)
    beta, gradient, iterations, ending = found
    status = Status.CONVERGED if ending == "converged" else watch.ended(ending)
    b = intercepts(problem, beta, gradient)
    return KernelSolution(beta, b, status, iterations, NAME, tuple(watch.trace), gradient)


def _scores(problem: KernelProblem, of_rows: Floats) -> Floats:
    return np.ascontiguousarray(scores_of_rows(problem, of_rows))


def _rows(problem: KernelProblem, memory: int) -> Any:
    """Return a function from places (q,) to K (q, N) in float64: out of the whole Gram matrix where there is room."""
    everything = slice(None)
    if 16 * problem.count**2 > memory:  # the core keeps rows, too
        return lambda places: _tile(problem, places, everything)
    step = max(1, (1 << 22) // max(1, problem.count))
    parts = [_tile(problem, slice(i, i + step), everything) for i in range(0, problem.count, step)]
    gram = np.concatenate(parts)

    def row(places: Places) -> Any:
        return gram[places]

    return row


def _tile(problem: KernelProblem, rows: Any, columns: Any) -> Any:
    """Return K(x_i, x_j) in float64, from X as it is."""
    X, centres = problem.X, problem.kernel.centres(problem.X)
    return np.ascontiguousarray(on_host(problem.kernel.tile(take_any(X, rows), take_any(centres, columns)), np.float64))


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
        """Return numbers (m,) problem by problem."""
        return [of[a:b] for a, b in pairwise(self.ends.tolist())]

    def describe(self, start: Floats) -> dict[str, Any]:
        """Return the problems as the core takes them, with a start (m,)."""
        ends = self.ends.tolist()
        return {
            "t": self.y,
            "lo": self.lo,
            "hi": self.hi,
            "group": np.zeros(len(self.y), dtype=np.int64),
            "row": np.arange(len(self.y)) - np.repeat(self.ends[:-1], self.sizes),
            "start": start,
            "ends": ends,
            "rows": self.rows,
            "row_ends": ends,
            "sums": np.zeros(len(self.sizes)),
        }


@dataclass(frozen=True)
class KnownGram:
    """All of K (N, N), in float64, of rows that problems are about: those at the places `place` (n,) in it.

    The steps of a solver read floats where these hold the values of the kernel well enough.
    """

    K: Floats
    floats: bool
    n_jobs: int | None
    place: Places

    def only(self, rows: Places) -> KnownGram:
        """Return the same of some of the rows."""
        return replace(self, place=self.place[rows])

    def between(self, rows: Places, columns: Places) -> Floats:
        """Return K(x_i, x_j) of rows and columns."""
        return self.K[self.place[rows][:, None], self.place[columns]]

    def solve(self, problems: dict[str, Any], **settings: Any) -> Any:
        """Return what `SharedKernel.solve` does; with `exact_below`, at the optimum up to rounding."""
        told = {**problems, "rows": self.place[problems["rows"]]}
        return _core.smo_of_gram(self.K, told, floats=self.floats, n_jobs=self.n_jobs, **settings)


Kernels: TypeAlias = "_core.SharedKernel | KnownGram"


def can_share(kernel: Kernel, X: Rows) -> bool:
    """Return whether the core reads such rows and computes their kernel."""
    return in_core(kernel) is not None and rows_in_core(X)


def share_kernel(
    kernel: Kernel,
    X: Rows,
    classes: NDArray[np.intp] | None = None,
    whole: bool = False,
    memory: int = 0,
    n_jobs: int | None = None,
) -> _core.SharedKernel:
    """Return X made ready; of its kernel within each class, or `whole`, what is worth it and fits into `memory`
    bytes."""
    named = in_core(kernel)
    assert named is not None
    of = None if classes is None else classes.astype(np.int64)
    return _core.SharedKernel(reals_for_core(X), *named, classes=of, whole=whole, memory=memory, n_jobs=n_jobs)


def kernel_bytes(kernel: Kernel, count: int) -> int:
    """Return what all values of the kernel of so many rows take."""
    return (4 if are_floats_enough(kernel) else 8) * count * count


def are_floats_enough(kernel: Kernel) -> bool:
    """Return whether the steps may read values of the kernel as floats: they are of size one."""
    named = in_core(kernel)
    return bool(named and named[0] in ("rbf", "wave", "tanh"))


def solve_together(
    kernels: Kernels,
    problems: Together,
    limits: Limits,
    starts: Floats | None = None,
    memory: int = 0,
    **ends: Any,
) -> list[KernelSolution]:
    """Return the optimum of each problem from the feasible `starts` (m,), with `memory` bytes for each of those that
    are solved at once. The callback hears of every problem.

    `ends` are what `solve` of the `kernels` takes besides: where the Gram matrix is known, what converged, or ended
    before `exact_below` iterations, is at the optimum up to rounding; else what has at most `small[0]` rows is.
    """
    watches = [Watch(limits) for _ in problems.sizes]
    told = problems.describe(np.zeros(len(problems.rows)) if starts is None else starts)
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

    ends |= {"tol": limits.tol, "max_iter": limits.max_iter, "memory": memory, "watch": watch}
    beta, gradient, iterations, endings = kernels.solve(told, **ends)
    b = _intercepts_together(problems, beta, gradient)
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


def _intercepts_together(problems: Together, beta: Floats, gradient: Floats) -> Floats:
    """Return (P,) b: −∂D/∂β averaged over lo < β < hi, else the midpoint of the interval that the others leave to
    it."""
    first = problems.ends[:-1]
    free = (beta > problems.lo) & (beta < problems.hi)
    count = np.add.reduceat(free, first, dtype=np.int64)
    total = np.add.reduceat(np.where(free, -gradient, 0.0), first)
    return average_free(count, total, *_interval(problems, beta, gradient))


def _interval(problems: Together, beta: Floats, gradient: Floats) -> tuple[Floats, Floats]:
    first = problems.ends[:-1]
    top = np.maximum.reduceat(np.where(beta < problems.hi, -gradient, -np.inf), first)
    return top, np.minimum.reduceat(np.where(beta > problems.lo, -gradient, np.inf), first)


def prove_together(problems: Together, solutions: Sequence[KernelSolution]) -> list[KernelProof]:
    """Return P at the w of each β and at its b, and −D at β, by the gradients in float64 that the solver ends with."""
    first = problems.ends[:-1]
    beta = np.concatenate([solution.beta for solution in solutions])
    gradient = np.concatenate([np.asarray(solution.gradient) for solution in solutions])
    b = np.concatenate([solution.b for solution in solutions])
    f = gradient + problems.y
    top, bottom = _interval(problems, beta, gradient)
    violation = apart(top, bottom)
    r = -gradient - np.repeat(b, problems.sizes)
    half = 0.5 * np.add.reduceat(beta * f, first)
    loss = np.add.reduceat(np.maximum(problems.hi * r, problems.lo * r), first)
    dual = np.add.reduceat(problems.y * beta, first) - half
    return [
        KernelProof(float(half[k] + loss[k]), float(dual[k]), float(violation[k]), solutions[k].b, scores)
        for k, scores in enumerate(problems.parts(f))
    ]
