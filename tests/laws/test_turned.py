"""Laws of problems of fewer rows than columns: turned to as many columns as rows they have the same optimum."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import losses, solvers
from deciban.certificates.duality import prove
from deciban.data.rows import reals_for_core
from deciban.losses import SquaredHinge
from deciban.penalties import L1, L2, ElasticNet, NoPenalty
from deciban.solvers import Limits, Problem
from deciban.solvers.reduction import Siblings, Turned

seeds = st.integers(0, 2**32 - 1)
CUBIC = [solver for solver in solvers.CATALOGUE if getattr(solver, "CUBIC", False)]
LOSSES = [family() for family in losses.CATALOGUE if family.convex]


def problem(loss, penalty, seed, intercept=True, N=12, d=40, form=np.asarray):
    random = np.random.default_rng(seed)
    X = random.normal(size=(N, d)) * 10.0 ** random.uniform(-1, 1, d)
    X[1] = X[0]  # rank is not full
    y = np.where(random.random(N) < 0.5, 1.0, -1.0) if loss.margin else random.normal(size=N)
    y[:3] = (1.0, 1.0, -1.0)
    c, offset = random.uniform(0.5, 2.0, N), random.normal(size=N)
    return Problem(reals_for_core(form(X)), y, c, loss, penalty, intercept, offset=offset)


CASES = [(s, ls) for s in CUBIC for ls in LOSSES if s.refusal(problem(ls, L2(1.0), 0)) is None]


def test_there_are_solvers_of_systems():
    assert {s.NAME for s, _ in CASES} == {"newton", "interior-point"}


@pytest.mark.parametrize(("solver", "loss"), CASES, ids=[f"{s.NAME}-{ls.name}" for s, ls in CASES])
@given(seed=seeds, intercept=st.booleans(), l2=st.sampled_from([0.1, 1.0, 1e3]))
def test_the_optimum_of_the_turned_problem_is_proven_for_the_columns_as_they_come(solver, loss, seed, intercept, l2):
    given = problem(loss, L2(l2), seed, intercept)
    assert Turned.of(given) is not None
    found = solvers.solve(given, Limits(1e-8, 2000), solver.NAME)
    assert found.w.shape == (1, 40)
    proof = prove(given, found.w, found.b, found.dual)
    reached = found.status is solvers.Status.CONVERGED  # a path may end at rounding
    assert given.is_enough(proof.gap, proof.primal, 1e-7 if reached else 1e-3)


@given(seeds)
def test_scores_and_length_stay_what_they_were(seed):
    given = problem(SquaredHinge(), L2(1.0), seed)
    turned = Turned.of(given)
    v = np.random.default_rng(seed).normal(size=(1, 12))
    solution = solvers.Solution(v, np.zeros(1), solvers.Status.CONVERGED, 0, "newton")
    out = turned.outward(solution)
    assert_allclose(np.linalg.norm(out.w), np.linalg.norm(v), rtol=1e-12)
    assert_allclose(given.scores(out.w, out.b), turned.problem.scores(v, out.b), rtol=1e-9, atol=1e-9)
    assert_allclose(turned.inward(out).w, v, rtol=1e-9, atol=1e-9)


def test_what_has_as_many_rows_or_another_penalty_or_is_sparse_stays_as_it_is():
    loss = SquaredHinge()
    for penalty in (L1(1.0), ElasticNet(1.0, 0.5), NoPenalty()):
        assert Turned.of(problem(loss, penalty, 0)) is None
    assert Turned.of(problem(loss, L2(1.0), 0, N=40)) is None
    assert Turned.of(problem(loss, L2(1.0), 0, form=sparse.csr_array)) is None


def test_problems_of_the_same_rows_are_turned_once():
    first = replace(problem(SquaredHinge(), L2(1.0), 0), offset=None)
    others = [Problem(first.rows, -first.y, first.c, first.loss, first.penalty), first]
    one, other = (Turned.of(each) for each in Siblings.join(others))
    assert one.Q is other.Q
    assert one.problem.rows is other.problem.rows
    assert_array_equal(one.problem.y, -first.y)
