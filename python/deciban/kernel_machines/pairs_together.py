"""The machines of many classes that the core solves at once, over rows that it makes ready once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban import kernel_solvers
from deciban.certificates.certificate import is_within
from deciban.data.devices import elsewhere
from deciban.kernel_solvers import blocks, finishing, smo
from deciban.kernel_solvers.certificate import KernelProof
from deciban.kernel_solvers.problem import KernelProblem, KernelSolution, adjust_sum
from deciban.kernels import Linear
from deciban.losses import Floats
from deciban.solvers.problem import Limits, Status
from deciban.solvers.side_by_side import Halt, side_by_side, threads_for

from ..kernels.items import Items, among
from .margins import Machine, soft_margins
from .sides import Side, sides_of

if TYPE_CHECKING:
    from .svm import SVM


def can_solve_together(model: SVM, given: Items, sides: Sequence[Side]) -> bool:
    """Return whether the core solves all problems at once, or begins to: several, with a price, of a kernel it
    computes, by pairs of coefficients."""
    several = len(sides) > 1 and model._nu() is None and np.isfinite(model._price())
    if not several or not smo.can_share(given.kernel, given.X) or model.solver not in ("auto", smo.NAME):
        return False
    largest = max(sides, key=lambda side: len(side[0]))
    problem = KernelProblem.classification(given.kernel, given.X, largest[1], largest[1])
    chosen = smo.NAME if model.solver == smo.NAME else kernel_solvers.choose(problem).name
    return chosen == smo.NAME or (chosen == blocks.NAME and finishing.may_begin_by_pairs(problem))


def know_gram(model: SVM, given: Items) -> smo.KnownGram | None:
    """Return the Gram matrix of all examples, which problems of a finite price and folds take their parts of; None
    where a problem is too large to be finished by it, or memory cannot hold it.

    Each value is computed once: by pairs those of a class with itself would be wanted C − 1 times, and all in each
    fold.
    """
    C, N = len(given.classes), len(given.y)
    style = model._style(C)
    largest = int(np.sort(np.bincount(given.y, minlength=C))[-2:].sum()) if style == "ovo" else N
    by_pairs = isinstance(model.solver, str) and model.solver in ("auto", smo.NAME)
    if model._nu() is not None or not np.isfinite(model._price()) or not by_pairs or elsewhere(given.X):
        return None
    if largest > finishing.ROWS or model._memory() < 2 * 8 * N * N or _is_far(given, style):
        return None
    order = np.argsort(given.y, kind="stable")  # those of a class are neighbours
    K = finishing.compute_gram(_whole(given, order, model._threads()))
    place = np.empty(N, dtype=np.int64)
    place[order] = np.arange(N)
    return None if K is None else smo.KnownGram(K, smo.are_floats_enough(given.kernel), model._threads(), place)


def _whole(given: Items, rows: NDArray[np.intp], n_jobs: int | None) -> KernelProblem:
    ones, X = np.ones(len(rows)), among(given.kernel, given.X, rows)
    return KernelProblem.classification(given.kernel, X, ones, ones, n_jobs)


def _is_far(given: Items, style: str) -> bool:
    """Return whether rows of a problem of the linear kernel are so far from the origin that this takes digits."""
    if not isinstance(given.kernel, Linear):
        return False
    problems = (_whole(given, rows, 1) for rows, _ in sides_of(given.y, len(given.classes), style))
    return any(kernel_solvers.about_the_middle(problem)[0] is not problem for problem in problems)


def solve_together(
    model: SVM,
    given: Items,
    limits: Limits,
    sides: Sequence[Side],
    starts: Sequence[KernelSolution] = (),
    gram: smo.KnownGram | None = None,
) -> list[Machine]:
    """Return a solved machine for each problem, in their order, begun at `starts` where these fit."""
    problems = stack_problems(given, sides, model._price())
    threads = threads_for(len(sides), model._threads())
    memory = model._share(int(problems.sizes.max()), threads) // 2
    begun = stack_starts(problems, starts)
    if gram is not None:
        return soft_margins(problems, run_to_end(gram, given, problems, limits, begun, memory))
    known = {"classes": given.y} if len(sides[0][0]) < len(given.y) else {"whole": True}
    kernels = smo.share_kernel(given.kernel, given.X, **known, memory=memory * threads, n_jobs=model._threads())
    found = run_to_end(kernels, given, problems, limits, begun, memory, by_choice=model.solver == "auto")
    return soft_margins(problems, found)


def run_to_end(
    kernels: smo.Kernels,
    given: Items,
    problems: smo.Together,
    limits: Limits,
    starts: Floats | None,
    memory: int,
    by_choice: bool = False,
) -> list[KernelSolution]:
    """Return the solution of each problem, to its optimum where it has not come within the tolerance of it.

    Where the solver is ours to choose, large problems that few rows of the kernel do not solve are left to blocks.
    """
    started, small = perf_counter(), problems.sizes <= finishing.ROWS
    known = isinstance(kernels, smo.KnownGram)
    exact = small if known or not isinstance(given.kernel, Linear) else np.zeros_like(small)  # which may lie far away
    brief = by_choice and not known and smo.are_floats_enough(given.kernel)
    within = finishing.first_rounds(int(problems.sizes.max()), limits, memory)
    if known:
        ends: dict[str, Any] = {"exact_below": limits.max_iter}
    else:
        within = limits if exact.all() else within
        ends = {"small": (finishing.ROWS, finishing.ROUNDS)} if exact.any() else {}
        ends |= {"large": (kernel_solvers.SMALL, finishing.FEW_ROWS)} if brief else {}
    found = smo.solve_together(kernels, problems, within, starts, memory, **ends)
    proofs = smo.prove_together(problems, found)
    found = finishing.close_together(limits, found, proofs, exact.tolist())
    closed = [_is_closed(each, proof, limits) for each, proof in zip(found, proofs, strict=True)]
    left = np.flatnonzero((small & ~exact) | ~np.array(closed)).tolist()
    threads = threads_for(len(left), None)

    def finish(k: int) -> KernelSolution:
        own = slice(problems.ends[k], problems.ends[k + 1])
        X, n_jobs = among(given.kernel, given.X, problems.rows[own]), 1 if len(left) > threads else None
        problem = KernelProblem.classification(given.kernel, X, problems.y[own], problems.upper[own], n_jobs)
        if brief and problem.m > kernel_solvers.SMALL:
            return finishing.go_on_by_blocks(problem, limits, found[k], memory, started)
        return kernel_solvers.finish_solution(problem, limits, found[k], memory=memory)

    halt = limits.callback if isinstance(limits.callback, Halt) else Halt(limits.callback)
    for k, end in zip(left, side_by_side([partial(finish, k) for k in left], threads, halt)[0], strict=True):
        found[k] = end
    return found


def _is_closed(solution: KernelSolution, proof: KernelProof, limits: Limits) -> bool:
    return solution.status is Status.CONVERGED and is_within(proof.primal - proof.dual, proof.primal, limits.tol)


def stack_problems(given: Items, sides: Sequence[Side], price: float) -> smo.Together:
    """Return the problems one after the other."""
    rows, y = (np.concatenate([side[k] for side in sides]) for k in (0, 1))
    ends = np.cumsum([0, *(len(side[0]) for side in sides)])
    return smo.Together(rows.astype(np.int64), y, price * given.weight[rows], ends)


def stack_starts(problems: smo.Together, starts: Sequence[KernelSolution]) -> Floats | None:
    """Return feasible coefficients near those of other problems, if these are of as many examples; None for zeros."""
    if [len(start.beta) for start in starts] != problems.sizes.tolist():
        return None
    bounds = zip(starts, problems.parts(problems.lo), problems.parts(problems.hi), strict=True)
    return np.concatenate([_balance(start.beta, lo, hi) for start, lo, hi in bounds])


def _balance(beta: Floats, lo: Floats, hi: Floats) -> Floats:
    """Return feasible coefficients near these: what is missing goes to those between their bounds, if they have room,
    so that those at a bound stay there."""
    beta = np.clip(beta, lo, hi)
    missing = -float(beta.sum())
    room = np.where((beta > lo) & (beta < hi), (hi if missing > 0.0 else lo) - beta, 0.0)
    total = float(room.sum())
    if total:
        beta = beta + min(1.0, missing / total) * room
    return adjust_sum(beta, lo, hi, 0.0)
