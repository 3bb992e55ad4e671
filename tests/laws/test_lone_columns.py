"""Laws of columns that one row alone has: gathered to one of the row, the problem has the same optimum."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from deciban import losses, solvers
from deciban._core import gather_lone
from deciban.certificates.duality import prove
from deciban.data.rows import reals_for_core
from deciban.losses import CrammerSinger, Hinge, Logistic, Softmax, SquaredHinge
from deciban.penalties import L1, L2, ElasticNet, NoPenalty
from deciban.solvers import Limits, Problem, Status, solve_each
from deciban.solvers.lone import Gathered
from deciban.solvers.reduction import Siblings

seeds = st.integers(0, 2**32 - 1)
BY_ROWS = [solver for solver in solvers.CATALOGUE if getattr(solver, "BY_ROWS", False)]
LOSSES = [family() for family in losses.CATALOGUE if family.convex and not issubclass(family, Softmax | CrammerSinger)]


def problem(loss, seed, *, l2=1.0, scale=1.0, N=30, d=90, K=1, intercept=True, kind=np.float64, index=np.int32):
    """Sparse rows of which most columns are of one alone, some of two, some of many; and one row has nothing else."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((N, d)) < rng.choice([0.02, 0.3], d, p=[0.9, 0.1]), rng.normal(size=(N, d)), 0.0) * scale
    X[0] = 0.0
    X[0, -2:], X[1:, -2:] = (3.0 * scale, -4.0 * scale), 0.0
    X = sparse.csr_array(X.astype(kind))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    y = np.where(rng.random(N) < 0.5, 1.0, -1.0) if loss.margin else rng.normal(size=N)
    y[:3] = (1.0, 1.0, -1.0)
    if K > 1:
        y = np.arange(N) % K
    c, offset = rng.uniform(0.5, 2.0, N), rng.normal(size=N) if K == 1 else None
    return Problem(reals_for_core(X), y, c, loss, L2(l2), intercept, K, offset=offset)


def products(rows):
    X = sparse.csr_array(rows[:3], shape=(len(rows[2]) - 1, rows[3]))
    return (X @ X.T).toarray()


CASES = [(s, ls) for s in BY_ROWS for ls in LOSSES if s.refusal(problem(ls, 0)) is None]


def test_there_are_solvers_that_go_over_rows():
    assert {s.NAME for s in BY_ROWS} == {"newton", "dual-coordinate", "crammer-singer"}
    assert {s.NAME for s, _ in CASES} == {"newton", "dual-coordinate"}


@pytest.mark.parametrize(("solver", "loss"), CASES, ids=[f"{s.NAME}-{ls.name}" for s, ls in CASES])
@given(
    seed=seeds,
    intercept=st.booleans(),
    l2=st.sampled_from([0.1, 1.0, 1e3]),
    scale=st.sampled_from([1e-3, 1.0, 3.0]),  # dual ascent takes long where errors are dearer
    kind=st.sampled_from([np.float64, np.float32]),
    index=st.sampled_from([np.int32, np.int64]),
)
def test_the_optimum_is_proven_for_the_columns_as_they_come(solver, loss, seed, intercept, l2, scale, kind, index):
    posed = problem(loss, seed, l2=l2, scale=scale, intercept=intercept, kind=kind, index=index)
    assert Gathered.of(posed).problem.shape[1] < 90
    found = solvers.solve(posed, Limits(1e-8, 5000), solver.NAME)
    assert found.w.shape == (1, 90)
    proof = prove(posed, found.w, found.b, found.dual)
    assert found.status is Status.CONVERGED
    assert posed.is_enough(proof.gap, proof.primal, 1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_dear_errors_see_all_digits_of_float32(seed):
    posed = problem(Hinge(), seed, l2=0.1, scale=30.0, intercept=False, kind=np.float32)
    assert Gathered.of(posed).problem.rows[0].dtype == np.float32
    found = solvers.solve(posed, Limits(1e-9, 20_000), "dual-coordinate")
    proof = prove(posed, found.w, found.b, found.dual)
    assert posed.is_enough(proof.gap, proof.primal, 1e-8)


@pytest.mark.parametrize("loss", [Softmax(), CrammerSinger()], ids=lambda loss: loss.name)
@given(seed=seeds, l2=st.sampled_from([0.1, 1.0, 1e3]))
def test_many_scores_learnt_together_have_the_same_optimum(loss, seed, l2):
    posed = problem(loss, seed, l2=l2, K=3)
    found = solvers.solve(posed, Limits(1e-7, 5000))
    proof = prove(posed, found.w, found.b, found.dual)
    assert found.w.shape == (3, 90)
    assert posed.is_enough(proof.gap, proof.primal, 1e-6)


@given(seed=seeds, exponent=st.sampled_from([-180, -30, 0, 30, 150]), kind=st.sampled_from([np.float64, np.float32]))
def test_products_of_rows_scores_and_lengths_stay_what_they_were(seed, exponent, kind):
    scale = 10.0 ** (exponent if kind is np.float64 else np.clip(exponent, -30, 30))
    posed = problem(SquaredHinge(), seed, scale=scale, kind=kind)
    gathered = Gathered.of(posed)
    rough = 1e-12  # of float32, too: what one does not hold is in a second column
    before, after = (products((each.rows[0] / scale, *each.rows[1:])) for each in (posed, gathered.problem))
    assert_allclose(after, before, rtol=rough, atol=rough)
    all_of = np.random.default_rng(seed).normal(size=(2, 90))
    few = gathered.inward(solvers.Solution(all_of, np.zeros(2), Status.CONVERGED, 0, "newton")).w
    solution = solvers.Solution(few, np.zeros(2), Status.CONVERGED, 0, "newton")
    out = gathered.outward(solution)
    assert_allclose(gathered.inward(out).w, few, rtol=rough, atol=rough)
    assert_allclose((out.w**2).sum(), (few**2).sum(), rtol=rough)
    one, other = (replace(each, K=2, offset=None) for each in (posed, gathered.problem))
    assert_allclose(one.scores(out.w, out.b), other.scores(few, out.b), rtol=1e3 * rough, atol=1e3 * rough * scale)


def test_what_is_dense_or_has_another_penalty_or_few_lone_columns_stays_as_it_is():
    posed = problem(Logistic(), 0)
    for penalty in (L1(1.0), ElasticNet(1.0, 0.5), NoPenalty()):
        assert Gathered.of(replace(posed, penalty=penalty)) is None
    full = sparse.csr_array(posed.rows[:3], shape=(30, 90)).toarray()
    assert Gathered.of(replace(posed, rows=full)) is None
    twice = sparse.csr_array(np.vstack([full, full]))
    assert Gathered.of(replace(posed, rows=reals_for_core(twice), y=np.tile(posed.y, 2), c=np.tile(posed.c, 2))) is None


def test_problems_of_the_same_rows_are_gathered_once_and_solved_side_by_side(monkeypatch):
    asked = []
    monkeypatch.setattr("deciban.solvers.lone.gather_lone", lambda rows: asked.append(rows) or gather_lone(rows))
    first = replace(problem(Logistic(), 0), offset=None)
    several = [replace(first, y=np.where(np.arange(30) % 4 == k, 1.0, -1.0)) for k in range(4)]
    found = solve_each(Siblings.join(several), Limits(1e-8), "dual-coordinate", [None] * 4, 0)
    assert len(asked) == 1
    for posed, own in zip(several, found, strict=True):
        proof = prove(posed, own.w, own.b, own.dual)
        assert posed.is_enough(proof.gap, proof.primal, 1e-7)


@given(seeds)
def test_who_begins_at_the_optimum_is_there(seed):
    posed = problem(Logistic(), seed)
    found = solvers.solve(posed, Limits(1e-9, 5000), "newton")
    again = solvers.solve(posed, Limits(1e-8, 5000), "newton", found)
    assert again.iterations <= 1
    assert_allclose(again.w, found.w, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        (lambda data, indices, indptr, d: (data[:1], indices, indptr, d), ValueError, "indptr must run from 0"),
        (lambda data, indices, indptr, d: (data, indices + d, indptr, d), ValueError, "is outside the 90 columns"),
        (
            lambda data, indices, indptr, d: (data, indices.astype(float), indptr, d),
            TypeError,
            "X of float64 or float32",
        ),
        (lambda data, indices, indptr, d: (data.astype(np.int64), indices, indptr, d), TypeError, "X of float64 or"),
    ],
)
def test_rows_that_are_none_are_refused(changed, error, text):
    with pytest.raises(error, match=text):
        gather_lone(changed(*problem(Logistic(), 0).rows))


def test_a_column_that_a_row_tells_twice_is_not_lone():
    data, indices, indptr = np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1], np.int32), np.array([0, 3], np.int32)
    rows, *others = gather_lone((data, indices, indptr, 2))
    assert_array_equal(rows[0], data)
    assert [each.tolist() for each in others] == [[0], [1], [0], [1.0], [0], [1.0]]
