"""The certificate of a model that is learnt by minimising, whoever solved it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.certificates import duality
from deciban.certificates.certificate import Certificate
from deciban.certificates.duality import Proof
from deciban.losses import Logistic, Softmax, ZeroOne
from deciban.solvers import Problem, Solution, Status
from deciban.solvers.problem import worst
from deciban.threads import using

from ..data.examples import RowExamples

if TYPE_CHECKING:
    from .responses import Responses


# Of so many values at most nothing is found beside: a thread costs more.
_FEW = 1 << 18


@contextmanager
def preparing(problems: list[Problem], given: RowExamples | Responses) -> Iterator[None]:
    """Find, on a core that most solvers leave idle, what a certificate needs beside the solution, as far as that goes
    while the problems are solved in the block."""
    if given.X.size <= _FEW:
        yield
        return
    solved = Event()
    with ThreadPoolExecutor(1) as aside:
        aside.submit(_prepare, problems, given, solved)
        try:
            yield
        finally:
            solved.set()


def _prepare(problems: list[Problem], given: RowExamples | Responses, solved: Event) -> None:
    with using(1):
        for find in (lambda: given.digest, problems[0].find_sizes, problems[0].find_slopes):
            if not solved.is_set():
                find()


def prove(problem: Problem, solution: Solution) -> Proof:
    """Return what is proven of a solution."""
    return duality.prove(problem, solution.w, solution.b, solution.dual)


def certify(problems: list[Problem], solutions: list[Solution], proofs: list[Proof], given: RowExamples) -> Certificate:
    """Return the sum over the problems; the data digest is of X, y and the weights."""
    duals = [proof.dual for proof in proofs]
    status = worst(solution.status for solution in solutions)
    told = _endless(problems, solutions), advice_on_scales(problems[0], status)
    advice = (status.value if not status.finished else "", *told)
    first = problems[0]
    count = np.bincount(given.y, given.repetition, minlength=len(given.classes))
    return Certificate(
        objective=f"Σ c·{first.loss.name} + {first.penalty.name}, {solutions[0].solver}, {len(problems)} problems",
        primal=sum(proof.primal for proof in proofs),
        dual=None if any(dual is None for dual in duals) else float(sum(dual for dual in duals if dual is not None)),
        kkt_violation=max(proof.violation for proof in proofs),
        iterations=max(solution.iterations for solution in solutions),
        status=status.name.lower().replace("_", " "),
        advice="; ".join(part for part in advice if part),
        seconds=0.0,
        n=float(given.repetition.sum()),
        d=first.shape[1],
        class_counts=dict(zip(given.classes.tolist(), count.tolist(), strict=True)),
        seed=None,
        digest=given.digest,
        training_error=_training_error(problems, proofs, given),
    )


def _training_error(problems: list[Problem], proofs: list[Proof], given: RowExamples) -> float | None:
    """Return the share of errors of the one score that tells two classes apart, from the scores of its proof."""
    if len(problems) > 1 or problems[0].K > 1:
        return None
    loss, s = problems[0].loss, proofs[0].scores
    wrong = loss.value(problems[0].y, s) > 0.0 if isinstance(loss, ZeroOne) else (s > 0.0) != (given.y == 1)
    return float(given.repetition[wrong].sum() / given.repetition.sum())


def mark_interrupted(proof: Certificate) -> Certificate:
    """Return the same proof of a fit that Ctrl-C ended before all was done."""
    advice = (Status.INTERRUPTED.value, proof.advice)
    status = Status.INTERRUPTED.name.lower()
    return replace(proof, status=status, advice="; ".join(dict.fromkeys(part for part in advice if part)))


def _endless(problems: list[Problem], solutions: list[Solution]) -> str:
    """Return advice where longer weights would always be better: nothing penalises them, and nothing is misjudged."""
    first = problems[0]
    free = not first.penalty.l1 and not first.penalty.l2 and isinstance(first.loss, Logistic | Softmax)
    if free and any(_is_separated(*pair) for pair in zip(problems, solutions, strict=True)):
        return Status.SEPARABLE.value
    return ""


def _is_separated(problem: Problem, solution: Solution) -> bool:
    s = problem.scores(solution.w, solution.b)
    if problem.K == 1:
        return bool((problem.y * s > 0.0).all())
    own = s[np.arange(len(s)), problem.y]
    return bool(((s >= own[:, None]).sum(axis=1) == 1).all())


def advice_on_scales(problem: Problem, status: Status) -> str:
    """Return advice where columns are of very different size; none to who interrupted the fit, and waits."""
    if status is Status.INTERRUPTED:
        return ""
    rows: Any = problem.rows
    least, most = problem.sizes
    if most <= 1e6 * least:
        return ""
    size = np.zeros(problem.shape[1])
    if isinstance(rows, tuple):
        np.maximum.at(size, rows[1], np.abs(rows[0]))
    else:
        size = np.maximum(rows.max(axis=0), -rows.min(axis=0))
    size = size[size > 0.0]
    if size.max() <= 1e6 * size.min():
        return ""
    return f"columns differ in size by a factor of {size.max() / size.min():.1g}: scale them, as the penalty cannot"
