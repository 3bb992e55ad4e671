"""The problems of a kernel machine that tells classes apart: one, one a class, or one a pair of classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.kernel_solvers.problem import KernelProblem, KernelSolution
from deciban.kernel_solvers.smo import KnownGram
from deciban.kernels import Kernel
from deciban.losses import Floats
from deciban.solvers.problem import Limits
from deciban.solvers.side_by_side import Halt, side_by_side, threads_for

from ..kernels.items import Items, among
from .margins import Machine, hard_margin, largest_nu, nu_margin, soft_margin
from .pairs_together import can_solve_together, solve_together
from .seen import fits_gram, precompute_sparse
from .sides import sides_of

if TYPE_CHECKING:
    from .svm import SVM


def machines(
    model: SVM,
    given: Items,
    limits: Limits,
    starts: Sequence[KernelSolution] = (),
    clipped: bool = False,
    solvers: Sequence[str] = (),
    gram: KnownGram | None = None,
) -> list[Machine]:
    """Return a solved machine for each problem, begun at `starts` where these fit; where `clipped`, a ν that is too
    large becomes the largest feasible one; `solvers` names that of each problem, if it is not the model's; `gram` is
    what is known of the examples' kernel.

    Each is solved on a thread of its own, many small ones by the core at once, so that the answer is the same on any
    number of threads. Ctrl-C ends all of them.
    """
    sides = list(sides_of(given.y, len(given.classes), model._style(len(given.classes))))
    halt = Halt(limits.callback)
    if gram is not None or (
        set(solvers) <= {"auto"}
        and not fits_gram(model, given.kernel, given.X)
        and can_solve_together(model, given, sides)
    ):
        begin = partial(solve_together, model, given, replace(limits, callback=halt), sides, starts, gram)
        [found], interrupted = side_by_side([begin], 1, halt)
        return [each.interrupted() for each in found] if interrupted else found
    whole = any(len(rows) == len(given.y) for rows, _ in sides)
    shared = precompute_sparse(model, given.kernel, given.X, model._threads()) if whole else (given.kernel, given.X)
    threads = threads_for(len(sides), model._threads())
    solve = partial(model._solve, shares=threads)
    inner = 1 if len(sides) > threads else model._threads()  # threads within a problem would wait for each other
    watched = replace(limits, callback=halt)
    fit = [len(start.beta) for start in starts] == [len(rows) for rows, _ in sides]
    begun: Sequence[Any] = starts if fit else [None] * len(sides)
    each = [partial(solve, solver=name) for name in solvers] or [solve] * len(sides)
    of_each = zip(each, begun, sides, strict=True)
    tasks = [
        partial(_machine, model, given, shared, watched, by, clipped, inner, start, *side)
        for by, start, side in of_each
    ]
    found, interrupted = side_by_side(tasks, threads, halt)
    return [each.interrupted() for each in found] if interrupted else found


def _machine(
    model: SVM,
    given: Items,
    shared: tuple[Kernel, Any],
    limits: Limits,
    solve: Any,
    clipped: bool,
    n_jobs: int | None,
    start: KernelSolution | None,
    rows: NDArray[np.intp],
    y: Floats,
) -> Machine:
    """Return the machine of the examples at the given places, with −1 or +1 for each; of all of them, as they are
    `shared`."""
    nu, price = model._nu(), model._price()
    kernel, X = shared
    if len(rows) < len(given.y):
        kernel, X = precompute_sparse(model, given.kernel, among(given.kernel, given.X, rows), n_jobs)
    weight = given.weight[rows]
    if nu is not None:
        share = _feasible(nu, y, weight, clipped)
        problem = KernelProblem.nu_classification(kernel, X, y, weight, share, n_jobs)
        return nu_margin(rows, problem, solve(problem, limits, start))
    problem = KernelProblem.classification(kernel, X, y, price * weight, n_jobs)
    if price == np.inf:
        return hard_margin(rows, problem, limits, solve, model._memory())
    return soft_margin(rows, problem, solve(problem, limits, start))


def _feasible(nu: float, y: Floats, weight: Floats, clipped: bool) -> float:
    largest = largest_nu(y, weight)
    if nu <= largest * (1.0 + 1e-12):
        return min(nu, largest)
    if clipped:
        return largest
    raise ValueError(
        f"nu={nu:g} is infeasible: the smaller one of two classes allows at most {largest:.6g}; give nu up to that, or "
        "class_weight='balanced'"
    )
