"""Laws of the choice between dual ascent and an interior point: dear errors, many digits and even classes take that."""

from dataclasses import replace

import numpy as np
import pytest

from deciban import losses, penalties
from deciban.solvers import Limits, Problem, choose, dual_coordinate, interior_point
from deciban.solvers.interior_point import DEAR, FREE, LONG, LOOSE
from deciban.solvers.problem import price_of_errors

N, D = 400, 5


def problem(price, loss=None, intercept=True, positive=N // 2):
    """Dense rows of D features, errors at a price, so many examples of the second class."""
    X = np.random.default_rng(3).normal(size=(N, D))
    y = np.where(np.arange(N) < positive, 1.0, -1.0)
    one = Problem(X, y, np.ones(N), loss or losses.Hinge(), penalties.L2(), intercept)
    return replace(one, c=one.c * price / price_of_errors(one))


@pytest.mark.parametrize("loss", [losses.Hinge(), losses.Absolute()], ids=lambda loss: loss.name)
@pytest.mark.parametrize(
    ("intercept", "tol", "times"),
    [(True, 1e-6, 1.0), (True, 1e-9, 1.0), (True, 1e-2, LOOSE), (False, 1e-6, FREE), (False, 1e-2, FREE * LOOSE)],
)
def test_errors_are_dear_by_digits_and_intercept(loss, intercept, tol, times):
    limits, dear = Limits(tol=tol), DEAR * (1.0 + D / LONG) * times
    assert choose(problem(0.99 * dear, loss, intercept), limits).name == dual_coordinate.NAME
    assert choose(problem(1.01 * dear, loss, intercept), limits).name == interior_point.NAME


def test_of_a_rare_class_errors_are_less_dear_where_there_is_an_intercept():
    dear, evenness = DEAR * (1.0 + D / LONG), 4.0 * 0.05 * 0.95
    for intercept, least in ((True, dear / evenness), (False, FREE * dear)):
        few = [problem(times * least, intercept=intercept, positive=N // 20) for times in (0.99, 1.01)]
        assert [choose(each).name for each in few] == [dual_coordinate.NAME, interior_point.NAME]
