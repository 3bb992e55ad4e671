"""The problems of a kernel machine that tells classes apart: one, one a class, or one a pair of classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.kernel_solvers.problem import KernelProblem, KernelSolution
from deciban.kernels import Kernel, Precomputed
from deciban.losses import Floats
from deciban.models.side_by_side import Halt, side_by_side, threads_for
from deciban.rows import is_sparse
from deciban.solvers.problem import Limits

from .margins import Machine, largest_nu, nu_margin, soft_margin, solve_hard
from .one_vs_one import pairs
from .rows import Items, among, of_gram


def machines(
    model: Any,
    given: Items,
    limits: Limits,
    starts: Sequence[KernelSolution] = (),
    clipped: bool = False,
    solvers: Sequence[str] = (),
) -> list[Machine]:
    """A solved machine for each problem, begun at `starts` where these fit; where `clipped`, a ν that is too large
    becomes the largest feasible one; `solvers` names that of each problem, if it is not the model's.

    Each is solved by itself, so that the answer is the same on any number of threads. Ctrl-C ends all of them.
    """
    sides = list(_sides(given, model._style(len(given.labels))))
    whole = any(len(rows) == len(given.y) for rows, _ in sides)
    shared = seen(model, given.kernel, given.X) if whole else (given.kernel, given.X)
    halt = Halt(limits.callback)
    threads = threads_for(len(sides), model._threads())
    solve = partial(model._solved, shares=threads)
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
    model: Any,
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
    """The machine of the examples at the given places, with −1 or +1 for each; of all of them, as they are `shared`."""
    nu, price = model._nu(), model._price()
    kernel, X = shared
    if len(rows) < len(given.y):
        kernel, X = seen(model, given.kernel, among(given.kernel, given.X, rows))
    weight = given.weight[rows]
    if nu is not None:
        share = _feasible(nu, y, weight, clipped)
        problem = KernelProblem.nu_classification(kernel, X, y, weight, share, n_jobs)
        return nu_margin(rows, problem, solve(problem, limits, start))
    problem = KernelProblem.classification(kernel, X, y, price * weight, n_jobs)
    solution = solve_hard(problem, limits, solve) if price == np.inf else solve(problem, limits, start)
    return soft_margin(rows, problem, solution)


# Bytes that a value of a Gram matrix takes while it is made.
_GRAM = 16


def seen(model: Any, kernel: Kernel, X: Any) -> tuple[Kernel, Any]:
    """The kernel and the rows as a solver sees them: few sparse rows as their Gram matrix, one sparse product, which
    costs as much as the features that two rows share, where kernel rows one by one cost all that are there."""
    exact = isinstance(model.solver, str) and model.solver in ("auto", "smo") and (np.inf != model.C or model.nu)
    if not exact or not is_sparse(X) or of_gram(kernel) or _GRAM * X.shape[0] ** 2 > model._memory():
        return kernel, X
    gram = np.asarray(kernel.tile(X, X), dtype=np.float64)
    return Precomputed(), 0.5 * (gram + gram.T)


def _sides(given: Items, style: str) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    """For each problem the places of its examples, and −1 or +1 for these."""
    C, every = len(given.labels), np.arange(len(given.y))
    if style == "two":
        yield every, np.where(given.y == 1, 1.0, -1.0)
    elif style == "ovr":
        for c in range(C):
            yield every, np.where(given.y == c, 1.0, -1.0)
    else:
        for i, j in pairs(C):
            rows = np.flatnonzero((given.y == i) | (given.y == j))
            yield rows, np.where(given.y[rows] == i, 1.0, -1.0)


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
