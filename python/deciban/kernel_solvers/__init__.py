"""Solvers of kernel machines: each takes a `KernelProblem` and `Limits` and returns a `KernelSolution`.

A solver is a module with a NAME, `refusal(problem)`, which says in one sentence what a problem lacks for it, and
`solve(problem, limits, start, seed, memory)`. `auto` takes the first row of `TABLE` that fits; `choose` tells which and
why. What goes to `blocks` it begins by pairs if rows of the kernel cost little (`finishing`). `nystroem` alone is an
approximation, which `auto` takes beyond `LARGE` rows only, and the certificate says. `dual-qp` and `primal-qp` are
asked for by name: they hold the whole Gram matrix, for certainty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from deciban.data.devices import elsewhere
from deciban.inner_product import dot
from deciban.kernels import Linear
from deciban.kernels.evaluation import in_core, linear_weights
from deciban.losses import Floats
from deciban.solvers.auto import Choice
from deciban.threads import on_threads

from . import blocks, finishing, smo
from .certificate import prove
from .nystroem import Approximate
from .problem import KernelProblem, KernelSolution, Limits, Status, Step, Watch

CATALOGUE: tuple[Any, ...] = (smo, blocks)

# Up to so many variables, rows of the kernel cost less than choosing blocks.
SMALL = 4000
# From so many rows on an exact machine is minutes or hours; whoever wants it asks for "blocks".
LARGE = 200_000


TABLE: tuple[tuple[str, str, Callable[[KernelProblem], bool]], ...] = (
    (
        blocks.NAME,
        "arrays of another library: tiles of the kernel are computed where they are",
        lambda problem: elsewhere(problem.X),
    ),
    (
        Approximate.NAME,
        f"classes of more than {LARGE:,} rows at a finite C: landmarks, an approximation whose loss is told",
        lambda problem: problem.m > LARGE and Approximate().refusal(problem) is None,
    ),
    (
        smo.NAME,
        f"at most {SMALL:,} coefficients: two at a time, rows of the kernel as they are needed",
        lambda problem: problem.m <= SMALL,
    ),
    (
        smo.NAME,
        "values of the kernel may be large: its rows are wanted in double precision",
        lambda problem: (in_core(problem.kernel) or ("",))[0] in ("linear", "polynomial", "multiquadric"),
    ),
    (blocks.NAME, "many coefficients: hundreds at a time, their kernels as matrix products", lambda _: True),
)
"""What `auto` goes through, top to bottom: a solver, why, and for which problems."""


def decision_table() -> str:
    """Return the table of solvers and problems, by which `auto` chooses, as text.

    Returns
    -------
    str
        A numbered line for each row of `TABLE`.

    Examples
    --------
    >>> print(decision_table().splitlines()[4])
    5. blocks: many coefficients: hundreds at a time, their kernels as matrix products
    """
    return "\n".join(f"{k}. {name}: {why}" for k, (name, why, _) in enumerate(TABLE, 1))


def choose(problem: KernelProblem) -> Choice:
    """Choose the solver of a problem: the first row of `TABLE` that suits it.

    Parameters
    ----------
    problem : KernelProblem
        The problem.

    Returns
    -------
    Choice
        The solver and the reason.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.kernels import Linear
    >>> X, y = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0])
    >>> choose(KernelProblem.classification(Linear(), X, y, np.ones(2))).name in decision_table()
    True
    """
    return next(Choice(name, why) for name, why, suits in TABLE if suits(problem))


def by_name(name: str) -> Any:
    """Return the solver of a name.

    Parameters
    ----------
    name : str
        Name of the solver, such as "smo".

    Returns
    -------
    module
        The solver.

    Raises
    ------
    ValueError
        If there is none of this name; the message lists their names.

    Examples
    --------
    >>> by_name("smo").NAME
    'smo'
    """
    solvers: dict[str, Any] = {solver.NAME: solver for solver in (*CATALOGUE, Approximate())}
    if name in ("dual-qp", "primal-qp"):
        qp: Any = import_module(f"{__name__}.qp")
        return next(solver for solver in qp.CATALOGUE if name == solver.NAME)
    if name not in solvers:
        known = ", ".join(repr(each) for each in ("auto", *solvers, "dual-qp", "primal-qp"))
        raise ValueError(f"solver must be one of {known}, got {name!r}")
    return solvers[name]


@on_threads
def solve(
    problem: KernelProblem,
    limits: Limits,
    solver: Any = "auto",
    start: KernelSolution | Floats | None = None,
    seed: int = 0,
    memory: int = smo.MEMORY,
) -> KernelSolution:
    """Solve a problem, and return the best coefficients.

    Parameters
    ----------
    problem : KernelProblem
        The problem.
    limits : Limits
        When to stop.
    solver : str or module, default="auto"
        A solver or its name, or "auto" for the choice of `TABLE`.
    start : KernelSolution or ndarray of shape (n_variables,), optional
        Where to start.
    seed : int, default=0
        Seed of solvers that draw at random.
    memory : int, default=200_000_000
        Memory for values of the kernel, in bytes.

    Returns
    -------
    KernelSolution
        Coefficients, intercepts, and how the solver ended.

    Raises
    ------
    ValueError
        If the solver is unknown, or cannot solve the problem.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.kernels import Linear
    >>> X, y = np.array([[0.0], [2.0]]), np.array([-1.0, 1.0])
    >>> problem = KernelProblem.classification(Linear(), X, y, np.full(2, 10.0))
    >>> solve(problem, Limits(tol=1e-9)).beta.round(6).tolist()
    [-0.5, 0.5]
    """
    by_choice = isinstance(solver, str) and solver == "auto"
    if isinstance(solver, str):
        solver = by_name(choose(problem).name if by_choice else solver)
    refused = solver.refusal(problem)
    if refused:
        raise ValueError(f"solver {solver.NAME!r} {refused}")
    near, own = about_the_middle(problem)
    if solver not in CATALOGUE:
        apart: KernelSolution = solver.solve(near, limits, start=start, seed=seed, memory=memory)
        return own(apart)
    if by_choice and solver is blocks and start is None and finishing.may_begin_by_pairs(near):
        return own(finishing.begin_by_pairs(near, limits, memory))
    return own(finishing.to_the_end(solver, near, limits, start, seed, memory))


def finish_solution(
    problem: KernelProblem, limits: Limits, found: KernelSolution, memory: int = smo.MEMORY
) -> KernelSolution:
    """Finish the solution of a problem that SMO had the limits of a first try for.

    Parameters
    ----------
    problem : KernelProblem
        The problem.
    limits : Limits
        When to stop.
    found : KernelSolution
        The solution so far.
    memory : int, default=200_000_000
        Memory for values of the kernel, in bytes.

    Returns
    -------
    KernelSolution
        Coefficients, intercepts, and how the solver ended.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.kernels import Linear
    >>> X, y = np.array([[0.0], [2.0]]), np.array([-1.0, 1.0])
    >>> problem = KernelProblem.classification(Linear(), X, y, np.full(2, 10.0))
    >>> finish_solution(problem, Limits(tol=1e-9), solve(problem, Limits(tol=0.1))).beta.round(6).tolist()
    [-0.5, 0.5]
    """
    near, own = about_the_middle(problem)
    if near is not problem:
        proof = prove(near, found.beta)
        found = replace(found, b=proof.b, gradient=proof.scores - near.t)
    return own(finishing.finish_solution(smo, near, limits, found, memory))


__all__ = [
    "CATALOGUE",
    "TABLE",
    "Choice",
    "KernelProblem",
    "KernelSolution",
    "Limits",
    "Status",
    "Step",
    "Watch",
    "by_name",
    "choose",
    "decision_table",
    "finish_solution",
    "solve",
]


# The middle is far where its square is so many times the mean square of the distances from it.
_FAR = 16.0


def about_the_middle(problem: KernelProblem) -> tuple[KernelProblem, Callable[[KernelSolution], KernelSolution]]:
    """Return the problem of the rows less their middle, where that is far and does not matter, and what makes a
    solution of it one of the problem given."""
    X = problem.X
    if not isinstance(problem.kernel, Linear) or not isinstance(X, np.ndarray) or problem.sums.sum() or not X.size:
        return problem, lambda solution: solution
    first = X[0].astype(np.float64)
    away = X - first
    offset = away.mean(axis=0, dtype=np.float64)
    middle = first + offset
    spread = float(np.square(away).sum(dtype=np.float64)) / len(X) - dot(offset, offset)
    if not dot(middle, middle) > _FAR * spread > 0.0:
        return problem, lambda solution: solution

    def own(solution: KernelSolution) -> KernelSolution:
        of_rows = problem.of_rows(solution.beta)
        held = np.flatnonzero(of_rows)
        shift = dot(linear_weights(X[held], of_rows[held, None])[0], middle) if len(held) else 0.0
        gradient = None if solution.gradient is None else solution.gradient + shift
        return replace(solution, b=solution.b - shift, gradient=gradient)

    return replace(problem, X=away - offset), own
