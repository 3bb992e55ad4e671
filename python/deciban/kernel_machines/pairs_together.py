"""The machines of many classes that the core solves at once, over rows that it makes ready once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban import kernel_solvers
from deciban.certificates.gap import is_within
from deciban.kernel_solvers import finishing, smo, together
from deciban.kernel_solvers.problem import KernelProblem, KernelSolution
from deciban.kernel_solvers.start import summing_to
from deciban.losses import Floats
from deciban.models.side_by_side import threads_for
from deciban.solvers.problem import Limits, Status

from ..kernels.items import Items, among
from .margins import Machine, soft_margins

Side = tuple[NDArray[np.intp], Floats]


def suits(model: Any, given: Items, sides: Sequence[Side]) -> bool:
    """Whether the core solves all problems at once: several, with a price, of a kernel it computes, by pairs of
    coefficients."""
    several = len(sides) > 1 and model._nu() is None and np.isfinite(model._price())
    if not several or not together.shareable(given.kernel, given.X) or model.solver not in ("auto", smo.NAME):
        return False
    largest = max(sides, key=lambda side: len(side[0]))
    problem = KernelProblem.classification(given.kernel, given.X, largest[1], largest[1])
    return model.solver == smo.NAME or kernel_solvers.choose(problem).name == smo.NAME


def solved_together(
    model: Any, given: Items, limits: Limits, sides: Sequence[Side], starts: Sequence[KernelSolution] = ()
) -> list[Machine]:
    """A solved machine for each problem, in their order, begun at `starts` where these fit."""
    problems = stacked(given, sides, model._price())
    threads = threads_for(len(sides), model._threads())
    memory = model._share(int(problems.sizes.max()), threads) // 2
    known = {"classes": given.y} if len(sides[0][0]) < len(given.y) else {"whole": True}
    kernels = together.shared(given.kernel, given.X, **known, memory=memory * threads, n_jobs=model._threads())
    begun = started(problems, starts)
    return soft_margins(problems, to_the_end(kernels, given, problems, limits, begun, memory))


def to_the_end(
    kernels: Any, given: Items, problems: together.Together, limits: Limits, starts: Floats | None, memory: int
) -> list[KernelSolution]:
    """The solution of each problem, to its optimum where it has not come within the tolerance of it."""

    def problem(k: int) -> KernelProblem:
        own = slice(problems.ends[k], problems.ends[k + 1])
        X = among(given.kernel, given.X, problems.rows[own])
        return KernelProblem.classification(given.kernel, X, problems.y[own], problems.upper[own])

    within = finishing.first_try(problem(int(problems.sizes.argmax())), limits, memory)
    found = together.solve(kernels, problems, within, starts, memory)
    for k, (size, proof) in enumerate(zip(problems.sizes, together.prove(problems, found), strict=True)):
        closed = found[k].status is Status.CONVERGED and is_within(proof.primal - proof.dual, proof.primal, limits.tol)
        if size <= finishing.ROWS or not closed:
            found[k] = kernel_solvers.ended(problem(k), limits, found[k], memory=memory)
    return found


def stacked(given: Items, sides: Sequence[Side], price: float) -> together.Together:
    """The problems one after the other."""
    rows, y = (np.concatenate([side[k] for side in sides]) for k in (0, 1))
    ends = np.cumsum([0, *(len(side[0]) for side in sides)])
    return together.Together(rows.astype(np.int64), y, price * given.weight[rows], ends)


def started(problems: together.Together, starts: Sequence[KernelSolution]) -> Floats | None:
    """Feasible coefficients near those of other problems, if these are of as many examples; None for zeros."""
    if [len(start.beta) for start in starts] != problems.sizes.tolist():
        return None
    bounds = zip(problems.parts(problems.lo), problems.parts(problems.hi), starts, strict=True)
    return np.concatenate([summing_to(np.clip(start.beta, lo, hi), lo, hi, 0.0) for lo, hi, start in bounds])
