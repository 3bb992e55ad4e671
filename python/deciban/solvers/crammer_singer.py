"""Dual coordinate ascent for the multi-class machine of Crammer & Singer.

    min over W (K, d), b (K,) of   Σ c_i [max_k (1{k ≠ y_i} + s_ik) − s_iy] + ½λ‖W‖²,      s_i = W x_i + b

by its dual, all K variables of an example at a time and exactly: Crammer & Singer, JMLR 2 (2001); Keerthi,
Sundararajan, Chang, Hsieh & Lin, KDD 2008. The loop over examples is the core's
(`crates/core/src/solve/crammer_singer.rs`). Cost: a pass reads and writes X K times.
"""

from __future__ import annotations

import numpy as np

from deciban import _core
from deciban.certificates.duality import Proof, prove
from deciban.inner_product import dot
from deciban.losses import CrammerSinger, Floats

from .limits import Watch
from .problem import Limits, Problem, Solution, Status

NAME = "crammer-singer"
EXACT = True
# The answer depends, within the tolerance, on the order of the examples and on how many there are.
ORDERED = True
BY_ROWS = True
# Passes after which the gap is looked at, however large it seemed on the way.
_PATIENCE = 20


def refusal(problem: Problem) -> str | None:
    """Return what the problem lacks, or None."""
    if not isinstance(problem.loss, CrammerSinger):
        return f"needs the loss 'crammer_singer', which {problem.loss.name!r} is not"
    if not problem.penalty.l2 or problem.penalty.l1:
        return f"needs the penalty 'l2', whose dual has no bounds on w; {problem.penalty.name!r} has"
    return None


def solve(problem: Problem, limits: Limits, start: Solution | None = None, seed: int = 0) -> Solution:
    """Return the optimum; `start` may bring a dual to begin from."""
    watch, (N, d), K = Watch(limits), problem.shape, problem.K
    y, l2 = problem.y.astype(np.int64), problem.penalty.l2
    a = np.zeros((N, K)) if start is None or start.dual is None else start.dual
    a = problem.loss.feasible(problem.y, a)
    constant = _constant(problem) if problem.intercept else 0.0
    w = problem.combination(problem.c[:, None] * a) / l2
    residual = problem.c @ a
    b = np.zeros(K) if start is None else start.b.copy()
    status, iteration, best, looked = Status.EXHAUSTED, 0, None, 0
    try:
        while iteration < limits.max_iter:
            iteration += 1
            parts, loss, gap = _core.crammer_singer(
                problem.rows,
                y,
                problem.c,
                np.ascontiguousarray(w).reshape(-1),
                b,
                np.ascontiguousarray(a).reshape(-1),
                residual,
                strength=l2,
                constant=constant,
                seed=int(np.random.SeedSequence([seed, iteration]).generate_state(1, np.uint64)[0]),
                n_jobs=problem.n_jobs,
            )
            w, b, a, residual = parts[0].reshape(K, d), parts[1], parts[2].reshape(N, K), parts[3]
            guess = loss + 0.5 * l2 * dot(w, w)
            due = gap <= 4.0 * limits.tol * guess or iteration - looked >= _PATIENCE or iteration == limits.max_iter
            if due:
                looked, proof = iteration, prove(problem, w, b, a)
                best = _better(best, (w, b, proof))
                if best[2].is_enough(problem, limits.tol):
                    status = Status.CONVERGED
            stop = watch(iteration, best[2].primal if due and best else np.nan, best[2].gap if due and best else np.nan)
            if status is Status.CONVERGED or stop:
                status = status if status is Status.CONVERGED else watch.status or status
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    if best is None:
        best = (w, b, prove(problem, w, b, a))
    # All intercepts may move together without changing anything: they sum to 0.
    w, b, proof = best
    return Solution(w, b - b.mean(), status, iteration, NAME, proof.dual_point, tuple(watch.trace))


def _better(
    best: tuple[Floats, Floats, Proof] | None, found: tuple[Floats, Floats, Proof]
) -> tuple[Floats, Floats, Proof]:
    return found if best is None or found[2].gap <= best[2].gap else best


def _constant(problem: Problem) -> float:
    """Return σ², the square of the constant feature that an intercept moves as within a pass: the mean ‖x‖²."""
    values = problem.rows[0] if isinstance(problem.rows, tuple) else problem.rows.reshape(-1)
    squares = dot(values, values) / len(problem.y)
    return max(squares, problem.penalty.l2 / float(problem.c.sum()))
