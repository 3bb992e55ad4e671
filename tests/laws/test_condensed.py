"""Laws of least squares condensed to as many rows as columns: the same optimum, objective and proof."""

from dataclasses import replace

import numpy as np
import pytest

from deciban import losses, penalties
from deciban.certificates.duality import prove
from deciban.solvers import Limits, Problem, coordinate
from deciban.solvers.condensed import Condensed

N, D = 4000, 9
PENALTIES = {
    "l1": penalties.L1(30.0),
    "weak l1": penalties.L1(1e-3),
    "so strong an l1 that all weights are 0": penalties.L1(1e9),
    "elasticnet": penalties.ElasticNet(40.0, 0.7),
    "no weight below 0": penalties.NonNegative(penalties.L1(10.0)),
    "l2": penalties.L2(3.0),
}


def problem(penalty, intercept=True, weighed=False, shifted=False, units=0.0, kind=np.float64):
    """Columns that hang together, some in other units, some without a weight."""
    rng = np.random.default_rng(8)
    X = (rng.normal(size=(N, D)) + 0.7 * rng.normal(size=(N, 1))) * 10.0 ** np.linspace(-units, units, D) + 0.3
    y = X @ (rng.normal(size=D) * (np.arange(D) % 3 > 0) / X.std(axis=0)) + rng.normal(size=N) + 5.0
    c = rng.exponential(size=N) if weighed else np.ones(N)
    offset = rng.normal(size=N) if shifted else None
    return Problem(X.astype(kind), y, c, losses.Squared(), penalty, intercept, offset=offset)


def each_problem():
    """Problems of every kind."""
    for name, penalty in PENALTIES.items():
        for intercept in (True, False):
            yield f"{name}, {intercept}", problem(penalty, intercept)
        yield f"{name}, weighed and shifted", problem(penalty, weighed=True, shifted=True)
        yield f"{name}, in other units", problem(penalty, units=3.0)
        yield f"{name}, float32", problem(penalty, kind=np.float32)


CASES = dict(each_problem())


each_given = pytest.mark.parametrize("given", CASES.values(), ids=CASES)


@each_given
def test_the_objective_is_the_same_at_any_weights(given):
    few = Condensed.of(given, Limits()).problem
    assert few.shape == (D + 1, D)
    assert few.null == pytest.approx(given.null, rel=1e-9)
    for seed in range(3):
        w = np.random.default_rng(seed).normal(size=(1, D)) / np.abs(given.rows).mean(axis=0)
        left = given.without_offset()
        mean = np.average(left.y - left.product(w, np.zeros(1)), weights=given.c) if given.intercept else 0.0
        b = np.array([mean])
        there = given.primal(w, given.scores(w, b))
        assert few.primal(w, few.scores(w, np.zeros(1))) == pytest.approx(there, rel=1e-9)


@each_given
def test_what_is_found_is_the_optimum_and_its_dual_proves_it(given):
    condensed = Condensed.of(given, Limits())
    found = condensed.solve(lambda few, known: coordinate.solve(few, Limits(), known), None)
    assert found.status.finished
    assert found.dual.shape == (N,)
    proof = prove(given, found.w, found.b, found.dual)
    assert proof.is_enough(given, 1.01e-6)
    plain = coordinate.solve(given, Limits(tol=1e-9))
    there = given.primal(plain.w, given.scores(plain.w, plain.b))
    assert proof.primal <= there * (1.0 + 2e-6)
    assert proof.dual <= there * (1.0 + 1e-9)


@each_given
def test_a_solution_is_where_it_starts(given):
    condensed = Condensed.of(given, Limits())
    first = condensed.solve(lambda few, known: coordinate.solve(few, Limits(), known), None)
    again = condensed.solve(lambda few, known: coordinate.solve(few, Limits(), known), first)
    assert again.iterations <= first.iterations
    assert given.primal(again.w, given.scores(again.w, again.b)) <= prove(given, first.w, first.b).primal * (1.0 + 1e-6)


def test_what_is_not_to_be_condensed_is_not():
    plain = problem(PENALTIES["l1"])
    assert Condensed.of(plain, Limits()) is not None
    few = {name: getattr(plain, name)[: 4 * D] for name in ("rows", "y", "c")}
    assert Condensed.of(replace(plain, **few), Limits()) is None  # rows too few
    assert Condensed.of(replace(plain, loss=losses.Huber()), Limits()) is None
    twice = np.column_stack([plain.rows, plain.rows[:, 0]])
    assert Condensed.of(replace(plain, rows=twice), Limits()) is None  # a column that another one is
    nearly = np.column_stack([plain.rows, plain.rows[:, 0] + 1e-6 * plain.y])
    assert Condensed.of(replace(plain, rows=nearly), Limits()) is None
    constant = np.column_stack([plain.rows, np.ones(N)])
    assert Condensed.of(replace(plain, rows=constant), Limits()) is None
    exact = plain.rows @ np.ones(D)
    assert Condensed.of(replace(plain, y=exact), Limits()) is None  # nothing is left to explain
    assert Condensed.of(plain, Limits(tol=1e-15)) is None  # more digits than the normal equations have
    large = np.full(N, 1e200)
    assert Condensed.of(replace(plain, y=plain.y * large), Limits()) is None
