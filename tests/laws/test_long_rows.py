"""Laws of the logistic loss on long sparse rows: dual ascent is tried, and Newton's method proves its end."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from deciban.data.rows import reals_for_core
from deciban.losses import Logistic, SquaredHinge
from deciban.penalties import L2
from deciban.solvers import (
    Limits,
    Problem,
    Status,
    ascend_together,
    choose,
    dual_coordinate,
    newton,
    solve,
    solve_each,
)
from deciban.solvers.auto import CHEAPEST, DEAREST, LASTING, PASSES_OF_SPARSE_ROWS
from deciban.solvers.problem import price_of_errors
from deciban.solvers.reduction import Siblings
from laws.followers import assert_follower_ends, is_proven


def problem(N=300, d=1200, values=60, price=1.0, seed=0, alike=0.0):
    """Sparse rows of length 1, of two classes by a noisy plane; the nearer `alike` is to 1, the more they share."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(N, values)) * np.sqrt(1.0 - alike) + np.sqrt(alike)
    columns = np.array([rng.choice(d, values, replace=False) for _ in range(N)])
    if alike:
        columns[:] = np.arange(values)
    X = sparse.csr_array((own.ravel(), columns.ravel(), np.arange(0, N * values + 1, values)), shape=(N, d))
    X.sort_indices()
    X = sparse.csr_array(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1))[:, None]))
    y = np.where(X @ rng.normal(size=d) + 0.5 * rng.normal(size=N) > 0.0, 1.0, -1.0)
    return Problem(reals_for_core(X), y, np.full(N, price), Logistic(), L2(1.0))


def test_dual_ascent_is_tried_where_sparse_rows_are_long_and_errors_cheap():
    assert choose(problem()).name == dual_coordinate.NAME
    assert choose(problem(price=DEAREST * 1200 / 300 * 0.99)).name == dual_coordinate.NAME
    assert choose(problem(price=DEAREST * 1200 / 300 * 1.01)).name == newton.NAME
    assert choose(problem(price=CHEAPEST * 1.01)).name == dual_coordinate.NAME
    assert choose(problem(price=CHEAPEST * 0.99)).name == newton.NAME
    assert choose(problem(values=49)).name == newton.NAME
    assert choose(problem(d=1000)).name == newton.NAME


@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.sampled_from([20, 150, 600]),
    price=st.sampled_from([1e-3, 0.1, 1.0, 20.0]),
    alike=st.sampled_from([0.0, 0.0, 0.5, 0.99]),
    tol=st.sampled_from([1e-3, 1e-6, 1e-9]),
)
@example(seed=0, N=20, price=0.1, alike=0.99, tol=1e-6)  # rows all but equal: weights gain next to nothing
def test_the_optimum_is_proven_whoever_ends_it(seed, N, price, alike, tol):
    posed = problem(N, price=price, seed=seed, alike=alike)
    found = solve(posed, Limits(tol))
    assert found.status is Status.CONVERGED
    assert found.solver in (dual_coordinate.NAME, newton.NAME)
    assert is_proven(posed, found, tol)


def hard():
    """Rows of columns of different scales, labels by chance: dual ascent takes hundreds of passes."""
    rng = np.random.default_rng(0)
    N, d, values = 200, 30_000, 60
    columns = np.array([np.sort(rng.choice(2 * values, values, replace=False)) for _ in range(N)])
    X = sparse.csr_array(
        (rng.normal(size=N * values), columns.ravel(), np.arange(0, N * values + 1, values)), shape=(N, d)
    )
    X = sparse.csr_array(X.multiply(10.0 ** rng.uniform(-1.0, 1.0, d)[None, :]))
    posed = Problem(reals_for_core(X), np.where(rng.random(N) < 0.5, 1.0, -1.0), np.ones(N), Logistic(), L2(1.0))
    return replace(posed, c=np.full(N, 1000.0 / price_of_errors(posed)))


def test_what_does_not_end_in_the_passes_is_ended_by_newton():
    posed = hard()
    assert choose(posed).name == dual_coordinate.NAME
    assert_follower_ends(posed, PASSES_OF_SPARSE_ROWS, newton)


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("most", [20, PASSES_OF_SPARSE_ROWS, 100])
def test_ascent_that_would_not_end_in_its_passes_ends_sooner_where_another_follows(loss, most):
    posed = replace(hard(), loss=loss)
    followed, alone = (dual_coordinate.solve(posed, Limits(max_iter=most, strict=strict)) for strict in (True, False))
    assert followed.status is alone.status is Status.EXHAUSTED
    assert followed.iterations < alone.iterations == most


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()], ids=lambda loss: loss.name)
def test_of_problems_side_by_side_none_goes_on_alone_where_another_solver_follows(loss, monkeypatch):
    posed, random = replace(hard(), loss=loss), np.random.default_rng(1)
    if isinstance(loss, SquaredHinge):
        posed = replace(posed, c=posed.c * (0.9 * LASTING / price_of_errors(posed)))  # dearer, no other would follow
    several = Siblings.join([replace(posed, y=random.permutation(posed.y)) for _ in range(3)])
    assert ascend_together(several, "auto", Limits())
    monkeypatch.delattr(dual_coordinate, "solve")
    found = solve_each(several, Limits(), "auto", [None] * 3, 0)
    assert {each.solver for each in found} == {newton.NAME}
    assert all(is_proven(*pair, 1e-6) for pair in zip(several, found, strict=True))


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()], ids=lambda loss: loss.name)
def test_problems_side_by_side_end_once_none_would_end_in_its_passes(loss):
    posed, random = replace(hard(), loss=loss), np.random.default_rng(1)
    late = [replace(posed, y=random.permutation(posed.y)) for _ in range(3)]
    most, soon = PASSES_OF_SPARSE_ROWS, replace(posed, y=random.permutation(posed.y))
    known = dual_coordinate.solve(soon, Limits(tol=1e-9, max_iter=10_000))
    for several, starts in ((late, [None] * 3), ([soon, *late], [known, None, None, None])):
        followed = dual_coordinate.solve_each(several, Limits(max_iter=most, strict=True), starts)
        assert {each.status for each in followed[-3:]} == {Status.EXHAUSTED}
        assert max(each.iterations for each in followed) < most
    assert followed[0].status is Status.CONVERGED


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()], ids=lambda loss: loss.name)
def test_ascent_that_ends_in_its_passes_is_not_given_up(loss):
    posed = replace(problem(N=600, price=5.0), loss=loss)
    followed, alone = (dual_coordinate.solve(posed, Limits(1e-9, 60, strict=strict)) for strict in (True, False))
    assert followed.status is alone.status is Status.CONVERGED
    assert followed.iterations > 8  # so that it was looked at


@pytest.mark.parametrize(
    "make", [problem, hard, partial(problem, price=0.5 * CHEAPEST)], ids=["soon", "late", "dear only as one example"]
)
def test_weights_are_repetitions_whoever_ends_it(make):
    posed = make()
    N = len(posed.y)
    times = np.random.default_rng(2).integers(1, 12, N)
    again = np.random.default_rng(3).permutation(np.repeat(np.arange(N), times))
    X = sparse.csr_array(posed.rows[:3], shape=posed.shape)
    weighted = replace(posed, c=posed.c * times)
    repeated = replace(posed, rows=reals_for_core(X[again]), y=posed.y[again], c=posed.c[again])
    one, other = (solve(each, Limits()) for each in (weighted, repeated))
    assert one.solver == other.solver
    assert_allclose(one.w, other.w, rtol=1e-9, atol=1e-12)
    assert_allclose(one.b, other.b, rtol=1e-9)
