"""The bounds and the parts of errors of the course, in a browser, are those of `deciban.theory`."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import LinearRegression, theory
from deciban.theory.expected_errors import _decompose_squared
from system.course import call_module

pytestmark = pytest.mark.deep

SEEDS = range(12)


@pytest.mark.parametrize("n", [10, 137, 5000])
def test_bounds(course_page, n):
    for M in (1, 30):
        for epsilon in (0.02, 0.1, 0.3):
            wanted = min(1.0, float(theory.hoeffding(n, epsilon=epsilon, hypotheses=M)))
            found = call_module(course_page, "bounds", f"m.hoeffdingProbability({n}, {epsilon}, {M})", None)
            assert found == pytest.approx(wanted, rel=1e-12)
        wanted = float(theory.hoeffding(n, delta=0.05, hypotheses=M))
        found = call_module(course_page, "bounds", f"m.hoeffdingEpsilon({n}, 0.05, {M})", None)
        assert found == pytest.approx(wanted, rel=1e-12)
    for d in (1, 3, 1000):
        wanted = float(theory.vc(n, d, training_error=0.0, delta=0.05, growth="polynomial"))
        assert call_module(course_page, "bounds", f"m.vcEpsilon({n}, {d}, 0.05)", None) == pytest.approx(
            wanted, rel=1e-12
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_largest_deviation_of_rays(course_page, seed):
    x = np.random.default_rng(seed).random(1 + 7 * seed)
    found = call_module(course_page, "bounds", "m.rayDeviation(given)", x.tolist())
    thresholds = np.concatenate([np.linspace(0, 1, 4001), x, np.nextafter(x, -1)])
    wrong = np.abs((x > thresholds[:, None]).astype(int) - (x > 0.5)).mean(axis=1)
    assert found == pytest.approx(np.abs(wrong - np.abs(thresholds - 0.5)).max(), abs=3e-4)


@pytest.mark.parametrize("degree", [1, 3, 7])
@pytest.mark.parametrize("seed", SEEDS)
def test_polynomials_of_least_squares(course_page, seed, degree):
    random = np.random.default_rng(seed)
    x, y = np.sort(random.random(12) * 2 - 1), random.normal(size=12)
    grid = np.linspace(-1, 1, 9)
    script = f"""(() => {{
      const w = m.leastSquares(given.x.map((v) => m.basis(v, {degree})), given.y);
      return given.grid.map((v) => m.evaluate(w, v));
    }})()"""
    found = call_module(course_page, "bias_variance", script, {"x": x.tolist(), "y": y.tolist(), "grid": grid.tolist()})
    legendre = lambda v: np.polynomial.legendre.legvander(v, degree)[:, 1:]  # noqa: E731
    model = LinearRegression(penalty=None).fit(legendre(x), y)
    assert_allclose(found, model.predict(legendre(grid)), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_bias_and_variance(course_page, seed):
    random = np.random.default_rng(seed)
    predictions, y = random.normal(size=(20, 15)) + 0.3, random.normal(size=15)
    given = {"p": predictions.tolist(), "y": y.tolist()}
    found = call_module(course_page, "bias_variance", "m.decompose(given.p, given.y)", given)
    wanted = _decompose_squared(predictions, predictions.mean(axis=0), y)[:3]
    assert_allclose([found["loss"], found["bias"], found["variance"]], wanted, rtol=1e-12)
    errors = call_module(course_page, "bias_variance", "m.expectedErrors(20, 4, 0.7)", None)
    stated = theory.linear_regression_expected_error(20, 3, noise=0.7**2)
    assert_allclose([errors["in"], errors["out"]], [float(stated.in_sample), float(stated.out_of_sample)])
