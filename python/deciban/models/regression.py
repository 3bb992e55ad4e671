"""Regressions as problems for solvers, and their proofs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from deciban.certificates.certificate import Certificate
from deciban.certificates.duality import prove
from deciban.losses import Absolute, Huber, Squared
from deciban.solvers import Limits, Problem, Solution, closed_form, hessian, interior_point, newton, solve
from deciban.solvers.catalogue import refusal
from deciban.solvers.closed_form import Fit
from deciban.solvers.problem import whole, worst
from deciban.solvers.second_moments import normal_equations

from .normal_equations import advice
from .proofs import advice_on_scales
from .responses import Responses

_SOLVERS = (
    "closed-form",
    "coordinate",
    "newton",
    "reweighted",
    "smoothing",
    "interior-point",
    "linear-programme",
    "dual-coordinate",
    "descent",
)


def automatic(problem: Problem) -> str:
    """Return the solver that suits the problem; ValueError where none does."""
    loss, penalty = problem.loss, problem.penalty
    if penalty.nonnegative:
        return "coordinate"
    if isinstance(loss, Squared):
        return "coordinate" if penalty.l1 else "closed-form"
    if isinstance(loss, Huber):
        return "coordinate" if penalty.l1 else "newton"
    assert isinstance(loss, Absolute)
    if not penalty.l2:
        return "linear-programme"
    N, d = problem.shape
    if interior_point.refusal(problem) is None and (d < N or penalty.l1):
        return interior_point.NAME
    if penalty.l1:
        raise ValueError(
            f"loss 'absolute' with penalty 'elasticnet' is minimised over at most {hessian.DIRECT:,} features, got "
            f"{d:,}: use penalty 'l1' or 'l2', or loss 'huber'"
        )
    return "smoothing"


def solve_regression(
    problems: list[Problem], limits: Limits, solver: Any, seed: int, moments: Any, start: list[Solution] | None = None
) -> tuple[list[Solution], Fit | None]:
    """Return one problem a target, begun at `start`, and of least squares in closed form what its factorisation
    tells."""
    first = problems[0]
    if any(problem.penalty != first.penalty for problem in problems):
        return _one_by_one(problems, limits, solver, seed, start)
    name = automatic(first) if isinstance(solver, str) and solver == "auto" else solver
    settings = hasattr(name, "solve") and hasattr(name, "refusal")  # one with settings of its own, as Descent(batch=32)
    if not settings and (not isinstance(name, str) or name not in _SOLVERS):
        names = ", ".join(repr(each) for each in ("auto", *_SOLVERS))
        raise ValueError(f"solver must be one of {names}, got {solver!r}")
    module: Any = name if settings else import_module(f"deciban.solvers.{name.replace('-', '_')}")
    refused = refusal(module, first)
    if refused:
        raise ValueError(f"solver {module.NAME!r} {refused}")
    if name == closed_form.NAME:
        normal = None if moments is None else partial(normal_equations, moments, first.shape[1], first.intercept)
        return closed_form.solve_together(problems, limits, normal)
    if start is None and name == newton.NAME:
        start = _starts(problems, limits)
    starts: list[Any] = [None] * len(problems) if start is None else list(start)
    pairs = zip(problems, starts, strict=True)
    return [solve(problem, limits, module, start, seed) for problem, start in pairs], None


def _one_by_one(
    problems: list[Problem], limits: Limits, solver: Any, seed: int, start: list[Solution] | None
) -> tuple[list[Solution], Fit | None]:
    """Return targets of different penalties; the factorisation told of is that of the weakest."""
    starts = [None] * len(problems) if start is None else [[each] for each in start]
    pairs = zip(problems, starts, strict=True)
    found = [solve_regression([problem], limits, solver, seed, None, begun) for problem, begun in pairs]
    weakest = int(np.argmin([problem.penalty.l1 + problem.penalty.l2 for problem in problems]))
    return [solutions[0] for solutions, _ in found], found[weakest][1]


def _starts(problems: list[Problem], limits: Limits) -> list[Solution]:
    """Return least squares, from where Newton's method has not far to go."""
    squares = [Problem(p.rows, p.y, p.c, Squared(), p.penalty, p.intercept, 1, p.n_jobs) for p in problems]
    return list(map(whole, closed_form.solve_together(squares, replace(limits, callback=None))[0]))


def certify_regression(
    problems: list[Problem], solutions: list[Solution], fit: Fit | None, given: Responses
) -> Certificate:
    """Return the sum over the targets; the digest is of X, y and the weights."""
    pairs = zip(problems, solutions, strict=True)
    proofs = [prove(problem, solution.w, solution.b, solution.dual) for problem, solution in pairs]
    status, first = worst(solution.status for solution in solutions), problems[0]
    told = advice(fit, first.shape[1], bool(first.penalty.l2)) if fit is not None else advice_on_scales(first, status)
    return Certificate(
        objective=f"Σ c·{first.loss.name} + {first.penalty.name}, {solutions[0].solver}, {len(problems)} problems",
        primal=sum(proof.primal for proof in proofs),
        dual=float(sum(-np.inf if proof.dual is None else proof.dual for proof in proofs)),
        kkt_violation=max(proof.violation for proof in proofs),
        iterations=max(solution.iterations for solution in solutions),
        status=status.name.lower().replace("_", " "),
        advice="; ".join(part for part in (status.value if not status.finished else "", told) if part),
        seconds=0.0,
        n=float(given.weight.sum()) if given.centre is None else float(len(given.Y)),
        d=first.shape[1],
        class_counts={},
        seed=None,
        digest=given.digest,
    )
