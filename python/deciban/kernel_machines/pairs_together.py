"""The machines of many classes that the core solves at once, over rows that it makes ready once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban import kernel_solvers
from deciban.certificates.certificate import is_within
from deciban.kernel_solvers import finishing, smo
from deciban.kernel_solvers.problem import KernelProblem, KernelSolution, adjust_sum
from deciban.losses import Floats
from deciban.models.side_by_side import threads_for
from deciban.solvers.problem import Limits, Status

from ..kernels.items import Items, among
from .margins import Machine, soft_margins

if TYPE_CHECKING:
    from .svm import SVM


Side = tuple[NDArray[np.intp], Floats]


def can_solve_together(model: SVM, given: Items, sides: Sequence[Side]) -> bool:
    """Return whether the core solves all problems at once: several, with a price, of a kernel it computes, by pairs of
    coefficients."""
    several = len(sides) > 1 and model._nu() is None and np.isfinite(model._price())
    if not several or not smo.can_share(given.kernel, given.X) or model.solver not in ("auto", smo.NAME):
        return False
    largest = max(sides, key=lambda side: len(side[0]))
    problem = KernelProblem.classification(given.kernel, given.X, largest[1], largest[1])
    return model.solver == smo.NAME or kernel_solvers.choose(problem).name == smo.NAME


def solve_together(
    model: SVM, given: Items, limits: Limits, sides: Sequence[Side], starts: Sequence[KernelSolution] = ()
) -> list[Machine]:
    """Return a solved machine for each problem, in their order, begun at `starts` where these fit."""
    problems = stack_problems(given, sides, model._price())
    threads = threads_for(len(sides), model._threads())
    memory = model._share(int(problems.sizes.max()), threads) // 2
    known = {"classes": given.y} if len(sides[0][0]) < len(given.y) else {"whole": True}
    kernels = smo.share_kernel(given.kernel, given.X, **known, memory=memory * threads, n_jobs=model._threads())
    begun = stack_starts(problems, starts)
    return soft_margins(problems, run_to_end(kernels, given, problems, limits, begun, memory))


def run_to_end(
    kernels: Any, given: Items, problems: smo.Together, limits: Limits, starts: Floats | None, memory: int
) -> list[KernelSolution]:
    """Return the solution of each problem, to its optimum where it has not come within the tolerance of it."""

    def problem(k: int) -> KernelProblem:
        own = slice(problems.ends[k], problems.ends[k + 1])
        X = among(given.kernel, given.X, problems.rows[own])
        return KernelProblem.classification(given.kernel, X, problems.y[own], problems.upper[own])

    within = finishing.first_try(problem(int(problems.sizes.argmax())), limits, memory)
    found = smo.solve_together(kernels, problems, within, starts, memory)
    for k, (size, proof) in enumerate(zip(problems.sizes, smo.prove_together(problems, found), strict=True)):
        closed = found[k].status is Status.CONVERGED and is_within(proof.primal - proof.dual, proof.primal, limits.tol)
        if size <= finishing.ROWS or not closed:
            found[k] = kernel_solvers.finish_solution(problem(k), limits, found[k], memory=memory)
    return found


def stack_problems(given: Items, sides: Sequence[Side], price: float) -> smo.Together:
    """Return the problems one after the other."""
    rows, y = (np.concatenate([side[k] for side in sides]) for k in (0, 1))
    ends = np.cumsum([0, *(len(side[0]) for side in sides)])
    return smo.Together(rows.astype(np.int64), y, price * given.weight[rows], ends)


def stack_starts(problems: smo.Together, starts: Sequence[KernelSolution]) -> Floats | None:
    """Return feasible coefficients near those of other problems, if these are of as many examples; None for zeros."""
    if [len(start.beta) for start in starts] != problems.sizes.tolist():
        return None
    bounds = zip(problems.parts(problems.lo), problems.parts(problems.hi), starts, strict=True)
    return np.concatenate([adjust_sum(np.clip(start.beta, lo, hi), lo, hi, 0.0) for lo, hi, start in bounds])
