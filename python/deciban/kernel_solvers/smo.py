"""Sequential minimal optimisation: two coefficients a step, rows of the kernel kept in a cache.

    min over β   D(β) = ½ βᵀK̃β − tᵀβ     subject to   lo ≤ β ≤ hi,   Σ β of each group = sums

Second-order choice of the two, after Fan, Chen & Lin (2005), both of one group; shrinking and cache after Chang & Lin
(2011). The loops, and rows of all kernels of numbers, are the core's (`crates/core/src/solve/smo.rs`); other kernels
are asked for the whole Gram matrix where `memory` holds it, else row by row.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from deciban import _core
from deciban.data.devices import on_host, take_any
from deciban.data.rows import reals_for_core
from deciban.kernels.evaluation import in_core, rows_in_core
from deciban.losses import Floats

from .certificate import intercepts
from .problem import KernelProblem, KernelSolution, Limits, Places, Status, Watch, scores_of_rows
from .start import feasible

NAME = "smo"
EXACT = True
MEMORY = 200_000_000


def refusal(problem: KernelProblem) -> str | None:
    """What the problem lacks, or None."""
    return None


def solve(
    problem: KernelProblem,
    limits: Limits,
    start: KernelSolution | Floats | None = None,
    seed: int = 0,
    memory: int = MEMORY,
) -> KernelSolution:
    """The optimum, within `memory` bytes for rows of the kernel; an iteration is up to 1000 steps.

    It stops when relative gap or largest violation is at most `limits.tol`, both in float64.
    """
    watch = Watch(limits)
    settings: dict[str, Any] = {
        "parts": (problem.t, problem.lo, problem.hi, problem.group, problem.sums, problem.row),
        "start": feasible(problem, start),
        "tol": limits.tol,
        "max_iter": limits.max_iter,
        "memory": memory,
        "watch": watch,
        "n_jobs": problem.n_jobs,
    }
    known = in_core(problem.kernel)
    if known and rows_in_core(problem.X):
        found = _core.smo(reals_for_core(problem.X), *known, **settings)
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
    """A function from places (q,) to K (q, N) in float64: out of the whole Gram matrix where there is room."""
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
    """K(x_i, x_j) in float64, from X as it is."""
    X, centres = problem.X, problem.kernel.centres(problem.X)
    return np.ascontiguousarray(on_host(problem.kernel.tile(take_any(X, rows), take_any(centres, columns)), np.float64))
