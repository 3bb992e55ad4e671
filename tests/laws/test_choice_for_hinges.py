"""Laws of the choice between dual ascent and an interior point: dear errors, many digits and few features take that;
where ascent lasts all the same, it ends after what an interior point is worth."""

from dataclasses import replace

import numpy as np
import pytest

from deciban import losses, penalties
from deciban.certificates.duality import prove
from deciban.solvers import Limits, Problem, choose, dual_coordinate, interior_point, solve
from deciban.solvers.interior_point import FREE, PASSES, RARER, count_passes_instead
from deciban.solvers.problem import price_of_errors

N, D = 400, 5


def problem(price, loss=None, intercept=True, positive=N // 2, d=D):
    """Dense rows of d features, errors at a price, so many examples of the second class."""
    X = np.random.default_rng(3).normal(size=(N, d))
    y = np.where(np.arange(N) < positive, 1.0, -1.0)
    one = Problem(X, y, np.ones(N), loss or losses.Hinge(), penalties.L2(), intercept)
    return replace(one, c=one.c * price / price_of_errors(one))


def dear(of, tol=1e-6):
    """The price at which dual ascent is expected to take as long as an interior point."""
    passes = PASSES * (1.0 if of.intercept else FREE) * (1e-6 / tol) ** 0.25
    return (count_passes_instead(of) / passes) ** 2


@pytest.mark.parametrize("loss", [losses.Hinge(), losses.Absolute()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("d", [1, D, 80])
def test_errors_are_dear_by_digits_and_intercept(loss, intercept, tol, d):
    there = dear(problem(1.0, loss, intercept, d=d), tol)
    for times, name in ((0.98, dual_coordinate.NAME), (1.02, interior_point.NAME)):
        assert choose(problem(times * there, loss, intercept, d=d), Limits(tol=tol)).name == name


def test_more_digits_than_usual_make_errors_no_dearer():
    there = problem(0.98 * dear(problem(1.0)))
    assert choose(there, Limits(tol=1e-9)).name == choose(there).name == dual_coordinate.NAME


def test_an_interior_point_is_worth_more_passes_the_more_features_and_the_rarer_a_class_beside_an_intercept():
    by_features = [count_passes_instead(problem(1.0, d=d)) for d in (20, 80, 320)]
    assert by_features == sorted(by_features)
    even, rare = (count_passes_instead(problem(1.0, positive=positive)) for positive in (N // 2, N // 20))
    assert rare / even == pytest.approx((4.0 * 0.05 * 0.95) ** -RARER)
    even, rare = (count_passes_instead(problem(1.0, None, False, positive)) for positive in (N // 2, N // 20))
    assert rare == even


@pytest.mark.parametrize("positive", [0, N])
def test_one_class_alone_is_no_division_by_zero(positive):
    assert np.isfinite(count_passes_instead(problem(1.0, positive=positive)))


def lasting(seed):
    """Labels that nothing tells, of rows of heavy tails, at a price that is not dear."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_t(2, size=(N, D)), np.where(rng.random(N) < 0.5, 1.0, -1.0)
    one = Problem(X, y, np.ones(N), losses.Hinge(), penalties.L2())
    return replace(one, c=one.c * 0.9 * dear(one) / price_of_errors(one))


def test_where_dual_ascent_lasts_an_interior_point_follows():
    solvers = []
    for seed in range(6):
        there = lasting(seed)
        assert choose(there).name == dual_coordinate.NAME
        found = solve(there, Limits())
        assert found.status.finished
        assert prove(there, found.w, found.b, found.dual).is_enough(there, 1e-6)
        solvers.append(found.solver)
    assert set(solvers) == {dual_coordinate.NAME, interior_point.NAME}


def test_work_is_visits_and_not_passes():
    there = lasting(0)
    iterations = [dual_coordinate.solve(there, Limits(max_iter=10**4, work=work)).iterations for work in (20.0, 40.0)]
    assert iterations[0] < iterations[1]
    assert dual_coordinate.solve(there, Limits(max_iter=10**4, work=1.0)).iterations == 1
