"""Laws of hinges on dense rows fewer than twice the features: dual ascent is tried, and what follows proves its end."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from deciban.data.rows import reals_for_core
from deciban.losses import Hinge, Logistic, SquaredHinge
from deciban.penalties import L2
from deciban.solvers import Limits, Problem, Status, choose, dual_coordinate, interior_point, newton, solve, solve_each
from deciban.solvers.auto import PASSES_OF_SQUARES
from deciban.solvers.reduction import Siblings
from laws.followers import assert_follower_ends, is_proven

seeds = st.integers(0, 2**32 - 1)
LOSSES = [
    (Hinge(), interior_point, interior_point),
    (SquaredHinge(), interior_point, newton),
    (Logistic(), newton, newton),
]
"""Losses, the solver that follows, and that of more dense rows."""
IDS = [loss.name for loss, *_ in LOSSES]
CASES = pytest.mark.parametrize(("loss", "follower", "otherwise"), LOSSES, ids=IDS)


def problem(loss, N, d=100, seed=0, price=1.0, alike=0.0, form=np.asarray):
    """Rows whose columns are the more alike the nearer `alike` is to 1, of two classes by a noisy plane."""
    rng = np.random.default_rng(seed)
    X = np.sqrt(1.0 - alike) * rng.normal(size=(N, d)) + np.sqrt(alike) * rng.normal(size=(N, 1))
    y = np.where(X @ rng.normal(size=d) + 0.3 * np.sqrt(d) * rng.normal(size=N) > 0.0, 1.0, -1.0)
    return Problem(reals_for_core(form(X)), y, np.full(N, price), loss, L2(1.0))


def hard(loss):
    """Labels by chance, as many as can just be separated: dual ascent takes thousands of passes."""
    posed = problem(loss, 195, price=1e3, alike=0.9)
    return replace(posed, y=np.where(np.random.default_rng(0).random(195) < 0.5, 1.0, -1.0))


@CASES
def test_dual_ascent_is_tried_where_dense_rows_are_fewer_than_twice_the_features(loss, follower, otherwise):
    assert choose(problem(loss, 199)).name == dual_coordinate.NAME
    assert choose(problem(loss, 50)).name == dual_coordinate.NAME
    assert choose(problem(loss, 197, d=99, price=100.0)).name == otherwise.NAME
    assert choose(problem(loss, 200, price=100.0)).name == otherwise.NAME
    assert choose(problem(loss, 199, price=100.0, form=sparse.csr_array)).name == otherwise.NAME


@CASES
@given(seed=seeds, N=st.sampled_from([40, 100, 150, 199]), price=st.sampled_from([1e-4, 1e-2, 1.0, 100.0]))
def test_the_optimum_is_proven_whoever_ends_it(loss, follower, otherwise, seed, N, price):
    posed = problem(loss, N, seed=seed, price=price, alike=0.5)
    found = solve(posed, Limits(1e-6))
    assert found.status is Status.CONVERGED
    assert found.solver in (dual_coordinate.NAME, follower.NAME)
    assert is_proven(posed, found, 1e-6)


@CASES
def test_what_does_not_end_in_the_passes_is_ended_by_what_follows(loss, follower, otherwise):
    assert_follower_ends(hard(loss), PASSES_OF_SQUARES, follower)


@pytest.mark.parametrize("price", [1e-7, 1e-4])
def test_no_interior_point_begins_where_weights_gain_little(price):
    posed = problem(Hinge(), 150, price=price)
    posed = replace(posed, rows=1e-3 * posed.rows)
    found = solve(posed, Limits())
    assert (found.status, found.solver) == (Status.CONVERGED, dual_coordinate.NAME)
    assert posed.null - posed.primal(found.w, posed.scores(found.w, found.b)) < 1e-5 * posed.null


@CASES
def test_problems_side_by_side_find_what_each_finds_alone(loss, follower, otherwise):
    first, rng = hard(loss), np.random.default_rng(1)
    others = [replace(first, y=np.where(rng.random(195) < 0.5, 1.0, -1.0)) for _ in range(2)]
    each = Siblings.join([first, *others])
    found = solve_each(each, Limits(), "auto", [None] * 3, 0)
    assert found[0].solver == follower.NAME
    for posed, own in zip(each, found, strict=True):
        alone = solve(posed, Limits())
        assert own.status is alone.status is Status.CONVERGED
        assert_allclose(*(posed.primal(s.w, posed.scores(s.w, s.b)) for s in (own, alone)), rtol=3e-6)


@CASES
def test_weights_are_repetitions_whoever_ends_it(loss, follower, otherwise):
    posed = hard(loss)
    times = np.random.default_rng(2).integers(1, 4, 195)
    again = np.random.default_rng(3).permutation(np.repeat(np.arange(195), times))
    weighted = replace(posed, c=posed.c * times)
    repeated = replace(posed, rows=posed.rows[again], y=posed.y[again], c=posed.c[again])
    one, other = solve(weighted, Limits()), solve(repeated, Limits())
    assert choose(repeated).name == otherwise.NAME
    assert one.w.tobytes() == other.w.tobytes()
