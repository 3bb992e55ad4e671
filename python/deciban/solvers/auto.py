"""The choice of a solver: by a table, and by what dual ascent tells of a problem that no table could know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from deciban.data.folds import hashes
from deciban.losses import Logistic, SquaredHinge

from . import (
    closed_form,
    coordinate,
    crammer_singer,
    dual_coordinate,
    hessian,
    interior_point,
    linear_programme,
    newton,
)
from .catalogue import BY_NAME, CATALOGUE, is_sorted_for, refusal, run, run_on_merged
from .problem import Limits, Problem, Solution, Status, price_of_errors
from .reduction import Merged

# Iterations that the solver after dual ascent may take; where fewer are allowed, somebody wants no optimum.
_STEPS = 50
# Dense rows of so many features, and fewer than twice as many of them, are a square: in so many passes dual ascent ends
# or does not for long, of the logistic loss, whose steps are dearer and whose systems are few, in a third. Systems
# of fewer features cost next to nothing.
_WIDE = 100
PASSES_OF_SQUARES = 300
# Sparse rows of so many values make a pass of dual ascent, which looks for the dual of each example, cheap beside
# Newton's conjugate gradients, of which the logistic loss takes dozens; and it ends in few passes where the price of
# errors is at most so many features an example. Its time over Newton's, at prices of 1, 10 and 100, to 1e-6: 20
# Newsgroups 0.5, 0.5 and, dearer than that, 0.8; IMDB 0.5, 0.6, 0.8, with pairs 0.3 and at 100 0.4; film reviews in
# Korean, of 7 values a row, 2.6, 16, 60. Below the lowest price Newton needs one or two steps. The squared hinge ends
# in 3 to 50 passes on seven sets of texts of 24 to 370 values a row, where Newton's method takes up to 20 times as
# long; on 150,000 of those reviews in 333, 19 times as long as Newton's method. Whether it ends in so many passes, its
# gap after 12 tells, by how much it fell since the eighth (`Look` in `crates/core/src/solve/dual_coordinate.rs`);
# where not, Newton goes on from there.
LONG_ROWS = 50
CHEAPEST = 0.03
DEAREST = 10.0
PASSES_OF_SPARSE_ROWS = 50
# Of other sparse rows they are tried where errors are not dearer than that.
LASTING = 30.0
# Where interior points may follow, dual ascent is worth so many times as long as these take: it is never far above the
# best, whatever the price of errors told wrongly.
WORTH = 3.0


@dataclass(frozen=True)
class Choice:
    """The solver that `auto` takes, with the reason.

    Parameters
    ----------
    name : str
        Name of the solver.
    why : str
        The reason, in one sentence.

    Examples
    --------
    >>> Choice("newton", "a smooth loss without a penalty").name
    'newton'
    """

    name: str
    why: str


def _has_corners(problem: Problem) -> bool:
    return bool(problem.penalty.l1) or problem.penalty.nonnegative


def _is_wide(problem: Problem) -> bool:
    return isinstance(problem.loss, dual_coordinate.TOGETHER) and not problem.sparse and problem.shape[1] >= _WIDE


def _is_square(problem: Problem) -> bool:
    """Return whether dense rows are few beside their features, so that a step of a system costs many passes."""
    N, d = problem.shape
    return _is_wide(problem) and 2 * d > N


def _may_be_square(problem: Problem) -> bool:
    """Return whether rows are few once equal ones are one. The first rows tell, unless many of them are equal."""
    least = 2 * problem.shape[1]
    if not _is_wide(problem):
        return False
    return all(len(np.unique(hashes(rows, 0))) < least for rows in (problem.rows[: 2 * least], problem.rows))


def _is_long(problem: Problem) -> bool:
    """Return whether the loss is logistic, sparse rows are long, and errors cheap: dual ascent takes few passes."""
    N, d = problem.shape
    if not _may_be_long(problem) or problem.stored < LONG_ROWS * N:
        return False
    return CHEAPEST <= price_of_errors(problem) <= DEAREST * d / N


def _is_short(problem: Problem) -> bool:
    """Return whether the loss is the squared hinge, and sparse rows are short and more than features: dual ascent takes
    hundreds of passes."""
    N, d = problem.shape
    return _may_be_short(problem) and problem.stored < LONG_ROWS * N and d < N


def _may_be_short(problem: Problem) -> bool:
    """Return whether rows may be short, once equal rows are one."""
    many = problem.sparse and problem.shape[1] > hessian.DIRECT
    return many and isinstance(problem.loss, SquaredHinge) and dual_coordinate.refusal(problem) is None


def _may_last(problem: Problem) -> bool:
    """Return whether the loss is smooth, rows are sparse, and errors not dear: dual ascent takes few passes, or, of
    many short texts that are alike, hundreds, which Newton's method does without."""
    wide = problem.sparse and problem.shape[1] > hessian.DIRECT
    return wide and isinstance(problem.loss, SquaredHinge | Logistic) and price_of_errors(problem) <= LASTING


def _may_be_long(problem: Problem) -> bool:
    """Return whether rows may be long, and errors cheap, once equal rows are one."""
    many = problem.sparse and problem.shape[1] > hessian.DIRECT
    return many and isinstance(problem.loss, Logistic) and dual_coordinate.refusal(problem) is None


TABLE: tuple[tuple[str, str, Callable[[Problem, Limits], bool]], ...] = (
    (closed_form.NAME, "a squared loss without kinks: one system of equations", lambda *_: True),
    (crammer_singer.NAME, "many scores learnt together, the largest of which counts", lambda problem, _: problem.K > 1),
    (newton.NAME, "many scores learnt together, no kinks", lambda problem, _: problem.K > 1),
    (
        dual_coordinate.NAME,
        "a loss of margins, dense rows fewer than twice the features: dual ascent ends in at most "
        f"{PASSES_OF_SQUARES} passes, or another solver follows",
        lambda problem, _: _is_square(problem),
    ),
    (
        newton.NAME,
        f"a smooth loss and at most {hessian.DIRECT:,} features: the Hessian is cheap",
        lambda problem, _: problem.shape[1] <= hessian.DIRECT,
    ),
    (
        interior_point.NAME,
        f"a piecewise linear loss, a square in the penalty too small for dual ascent, at most {hessian.DIRECT:,} "
        "features: some 20 steps",
        lambda problem, limits: problem.shape[1] < problem.shape[0] and interior_point.is_quicker(problem, limits),
    ),
    (
        dual_coordinate.NAME,
        f"the logistic loss, sparse rows of {LONG_ROWS} values or more, errors cheap beside the features of an "
        f"example: dual ascent ends in at most {PASSES_OF_SPARSE_ROWS} passes, or another solver follows",
        lambda problem, _: _is_long(problem),
    ),
    (
        newton.NAME,
        "the logistic loss of one problem: few conjugate gradients, whatever C is",
        lambda problem, _: isinstance(problem.loss, Logistic) and problem.siblings is None,
    ),
    (
        newton.NAME,
        f"the squared hinge, sparse rows shorter than {LONG_ROWS} values, more of them than features",
        lambda problem, _: _is_short(problem),
    ),
    (dual_coordinate.NAME, "the penalty 'l2': each example's dual has a closed step", lambda *_: True),
    (
        coordinate.NAME,
        "a smooth loss and a penalty with corners: most weights are 0",
        lambda problem, _: _has_corners(problem),
    ),
    (newton.NAME, "a smooth loss without a penalty", lambda *_: True),
    (linear_programme.NAME, "piecewise linear loss and penalty", lambda *_: True),
    (interior_point.NAME, "a piecewise linear loss, a penalty with corners and a square", lambda *_: True),
)
"""What `auto` goes through, top to bottom: a solver, why, and for which problems; those it cannot solve are passed."""


def decision_table() -> str:
    """Return the table of solvers and problems, by which `auto` chooses, as text.

    Returns
    -------
    str
        A numbered line for each row of `TABLE`.

    Examples
    --------
    >>> print(decision_table().splitlines()[0])
    1. closed-form: a squared loss without kinks: one system of equations
    """
    return "\n".join(f"{k}. {name}: {why}" for k, (name, why, _) in enumerate(TABLE, 1))


def choose(problem: Problem, limits: Limits | None = None) -> Choice:
    """Choose the solver of a problem: the first row of `TABLE` that suits it.

    Parameters
    ----------
    problem : Problem
        The problem.
    limits : Limits, optional
        When it is to stop: fewer digits are worth another solver. By default those of `Limits()`.

    Returns
    -------
    Choice
        The solver and the reason.

    Raises
    ------
    ValueError
        If no solver can minimise it; the message has the reason of each.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban import losses, penalties
    >>> rows = np.array([[0.0], [1.0], [2.0]])
    >>> choose(Problem(rows, np.ones(3), np.ones(3), losses.Squared(), penalties.L2())).name
    'closed-form'
    """
    limits = limits or Limits()
    for name, why, suits in TABLE:
        if suits(problem, limits) and refusal(BY_NAME[name], problem) is None:
            return Choice(name, why)
    reasons = "; ".join(f"{solver.NAME!r} {refusal(solver, problem)}" for solver in CATALOGUE)
    raise ValueError(f"no solver minimises {problem.loss.name!r} with {problem.penalty.name!r}: {reasons}")


def solve_by_choice(problem: Problem, limits: Limits, start: Solution | None, seed: int) -> Solution:
    """Solve by the solver of the table; where order matters to it, the examples that differ.

    A weight must not choose another solver than the repetitions that it means.
    """
    solver = BY_NAME[choose(problem, limits).name]
    depends = _may_be_square(problem) or _may_be_long(problem) or _may_be_short(problem)
    if not (is_sorted_for(solver, problem) or depends):
        return run_on_merged(solver, problem, limits, start, seed)

    def solve_few(few: Problem, known: Solution | None) -> Solution:
        chosen = BY_NAME[choose(few, limits).name]
        if chosen is not dual_coordinate:
            return run(chosen, few, limits, known, seed)
        found = run(chosen, few, limits_of_ascent(few, limits), known, seed)
        return or_what_follows(few, found, limits, seed)

    return Merged.of_problem(problem).solve(solve_few, start)


def limits_of_ascent(few: Problem, limits: Limits) -> Limits:
    """Return the limits of dual ascent: it ends soon or late, and late is after what follows it. Problems tell which it
    is only by trying, where errors are cheap, rows few, or sparse ones long."""
    follower = _find_follower(few, limits)
    if follower is None:
        return limits
    if _is_square(few):
        most = PASSES_OF_SQUARES // (3 if isinstance(few.loss, Logistic) else 1)
    elif _is_long(few) or _may_last(few):
        most = PASSES_OF_SPARSE_ROWS
    else:
        return replace(limits, work=WORTH * interior_point.count_passes_instead(few))
    # Newton's method proves in a step or two what little the weights gain; an interior point begins from the start.
    return replace(limits, max_iter=min(limits.max_iter, most), strict=follower is newton)


def or_what_follows(few: Problem, found: Solution, limits: Limits, seed: int) -> Solution:
    """Return what dual ascent found; where it did not end, what the solver after it does, in the time that is left, if
    that is better."""
    follower = _find_follower(few, limits) if found.status is Status.EXHAUSTED else None
    if follower is None:
        return found
    spent = found.trace[-1].seconds if found.trace else 0.0
    more = run(follower, few, limits.after(spent), found, seed)
    before, after = (few.primal(each.w, few.scores(each.w, each.b)) for each in (found, more))
    return more if more.status.finished or after <= before else replace(found, status=more.status)


def _find_follower(few: Problem, limits: Limits) -> ModuleType | None:
    """Return the solver of systems of d, or of N, equations that follows where dual ascent does not end."""
    by_newton = _may_last(few)
    is_tried = by_newton or _is_square(few) or _is_long(few)
    if limits.max_iter < _STEPS or not (is_tried or few.shape[1] < few.shape[0]):
        return None
    if by_newton or isinstance(few.loss, Logistic):
        return newton if is_tried else None
    return interior_point if refusal(interior_point, few) is None else None
