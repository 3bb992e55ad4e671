"""The relative gap is relative: optima are found whatever C, the units of X, its offset and the weights are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer

from deciban import LinearSVM, LogisticRegression
from deciban.certificates.certificate import relative_gap
from deciban.certificates.duality import prove
from deciban.data.rows import reals_for_core
from deciban.losses import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from deciban.penalties import by_name
from deciban.solvers import CATALOGUE, Limits, Problem, solve

LOSSES = (Logistic, Hinge, SquaredHinge, Squared, Absolute, Huber, EpsilonInsensitive, SquaredEpsilonInsensitive)
UNITS = ((1.0, 0.0), (1e-3, 0.0), (1e3, 0.0), (1.0, 1e3), (1.0, 1e6))
PRICES = (1e-8, 1e-4, 1.0, 1e4, 1e8)


def posed(loss, penalty, C, scale=1.0, shift=0.0, share=0.5, weighted=False, N=150):
    random = np.random.default_rng(1)
    X = random.normal(size=(N, 4))
    s = X @ np.array([1.0, -2.0, 0.5, 0.0]) + random.normal(size=N)
    y = np.where(s > np.quantile(s, share), 1.0, -1.0) if loss.margin else 3.0 * s + 10.0
    c = C * (random.integers(1, 5, N) if weighted else np.ones(N))
    return Problem(reals_for_core(X * scale + shift), y, c, loss, by_name(penalty, 1.0))


@pytest.mark.parametrize("loss", [family() for family in LOSSES], ids=lambda loss: loss.name)
@pytest.mark.parametrize("penalty", ["l2", "elasticnet"])
@pytest.mark.parametrize(("share", "weighted"), [(0.5, False), (0.95, True)], ids=["even", "rare-and-weighted"])
def test_an_optimum_is_proven_whatever_the_price_and_the_units_are(loss, penalty, share, weighted):
    if penalty == "elasticnet" and isinstance(loss, EpsilonInsensitive):
        penalty = "l2"
    for scale, shift in UNITS:
        for C in PRICES:
            problem = posed(loss, penalty, C, scale, shift, share, weighted)
            found = solve(problem, Limits())
            assert found.status.finished, (scale, shift, C)
            assert prove(problem, found.w, found.b, found.dual).relative_gap <= 2e-6, (scale, shift, C)


@pytest.mark.parametrize("loss", [family() for family in LOSSES], ids=lambda loss: loss.name)
@pytest.mark.parametrize("C", [1e-6, 1e-2, 10.0])
def test_solvers_agree_to_a_millionth_at_their_default_tolerance(loss, C):
    problem = posed(loss, "l2", C)
    exact = [solver for solver in CATALOGUE if solver.EXACT and solver.refusal(problem) is None]
    found = [solver.solve(problem, Limits(max_iter=100_000)) for solver in exact]
    values = [problem.primal(each.w, problem.scores(each.w, each.b)) for each in found]
    assert_allclose(values, min(values), rtol=1.01e-6)


@given(st.floats(1e-100, 1e100) | st.floats(-1e100, -1e-100), st.floats(1e-12, 1e12))
def test_the_definition_has_no_unit(primal, factor):
    dual = primal - 1e-3 * abs(primal)
    assert_allclose(relative_gap(primal * factor, dual * factor), relative_gap(primal, dual), rtol=1e-6)


@pytest.mark.parametrize("C", [1e-8, 1e-6, 1e-4, 1.0])
def test_weights_of_small_prices_are_right(C):
    X, y = load_breast_cancer(return_X_y=True)
    for rows in (X, (X - X.mean(axis=0)) / X.std(axis=0)):
        one, exact = (LogisticRegression(C=C, **more).fit(rows, y) for more in ({}, {"tol": 1e-12}))
        assert_allclose(one.coef_, exact.coef_, atol=2e-3 * np.abs(exact.coef_).max())


def test_a_small_price_does_not_end_a_support_vector_machine_early():
    X, y = load_breast_cancer(return_X_y=True)
    proof = LinearSVM(C=1e-6, calibration=None).fit(X, y).certificate_
    assert_allclose(proof.primal, 1.3398e-4, rtol=1e-4)
    assert proof.relative_gap == (proof.primal - proof.dual) / abs(proof.primal) <= 1e-6


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_kkt_violations_are_in_units_of_the_problem(scale):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for C in (1e-6, 1.0):
        one, other = (
            LogisticRegression(C=C / factor**2, tol=1e-10).fit(factor * X, y).certificate_ for factor in (1.0, scale)
        )
        assert one.kkt_violation < 1e-3
        assert other.kkt_violation < 1e-3
