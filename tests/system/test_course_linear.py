"""The lines, networks and machines of the course, in a browser, are those that Deciban fits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from deciban import SVM, HatMatrix, LinearRegression, Perceptron
from deciban.kernels import RBF, Linear, Polynomial, Tanh, mercer
from deciban.losses import Logistic
from deciban.networks.layers import CrossEntropy, LogisticOutput
from deciban.networks.layers import Tanh as TanhUnits
from deciban.networks.network import Network
from system.course import call_module

pytestmark = pytest.mark.deep

SEEDS = range(12)


def draw_classes(seed, n=14, apart=1.0):
    random = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return random.normal(size=(n, 2)) + apart * y[:, None], y


def as_points(X, y):
    return [{"x": float(a), "y": float(b), "label": int(label)} for (a, b), label in zip(X, y, strict=True)]


@pytest.mark.parametrize("passes", [1, 2, 7])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_perceptron_and_its_pocket(course_page, seed, passes):
    X, y = draw_classes(seed, apart=0.3 + 0.2 * seed)
    found = call_module(course_page, "perceptron", f"m.fit(given, {passes})", as_points(X, y))
    for pocket, w in ((False, found["w"]), (True, found["best"]["w"])):
        model = Perceptron(pocket=pocket, shuffle=False, calibration=None, max_iter=passes).fit(X, y)
        if pocket and found["separated"]:
            w = found["w"]
        assert w == [*model.intercept_.tolist(), *model.coef_[0].tolist()]
        assert found["updates"] == model.mistakes_[0]
        assert found["separated"] == np.isfinite(model.novikoff_bound_[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_one_by_one_are_the_passes(course_page, seed):
    X, y = draw_classes(seed, apart=2.5)
    step = """(() => {
      let s = m.start(given);
      while (!s.separated) s = m.step(s, given);
      return {...s, bound: m.novikoffBound(s.w, given)};
    })()"""
    found = call_module(course_page, "perceptron", step, as_points(X, y))
    model = Perceptron(shuffle=False, calibration=None).fit(X, y)
    assert found["w"] == [*model.intercept_.tolist(), *model.coef_[0].tolist()]
    assert found["bound"] == pytest.approx(model.novikoff_bound_[0], rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_hat_matrix_and_the_line(course_page, seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=9) * 3 + 5, random.normal(size=9)
    script = """(() => {
      const H = m.hatMatrix(given.x);
      const left = given.x.map((_, i) => m.leaveOneOutResidual(H, given.y, i));
      return {H, fit: m.fittedValues(H, given.y), line: m.fitLine(given.x, given.y), left};
    })()"""
    found = call_module(course_page, "least_squares", script, {"x": x.tolist(), "y": y.tolist()})
    hat, model = HatMatrix.of(x[:, None]), LinearRegression(penalty=None).fit(x[:, None], y)
    assert_allclose(found["H"], hat.matrix(), atol=1e-12)
    assert_allclose(found["fit"], model.predict(x[:, None]), atol=1e-9)
    assert_allclose([found["line"]["slope"], found["line"]["intercept"]], [model.coef_[0], model.intercept_], atol=1e-9)
    for i in range(9):
        others = np.arange(9) != i
        without = LinearRegression(penalty=None).fit(x[others, None], y[others])
        assert found["left"][i] == pytest.approx(y[i] - without.predict([[x[i]]])[0], abs=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradient_of_the_cross_entropy(course_page, seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=11) * 4, np.where(random.random(11) < 0.5, 1.0, -1.0)
    w = random.normal(size=2) * (1 + 9 * (seed % 3))
    given = {"x": x.tolist(), "y": y.tolist(), "w": w.tolist()}
    script = """(({w, x, y}) => [
      m.crossEntropy(w, x, y), ...m.gradient(w, x, y), ...m.descend(w, x, y, 0.7), m.largestStep(x),
    ])(given)"""
    found = call_module(course_page, "logistic", script, given)
    design, loss = np.column_stack([np.ones(11), x]), Logistic()
    g = design.T @ loss.slope(y, design @ w) / 11
    curvature = 0.25 * np.linalg.eigvalsh(design.T @ design / 11)[-1]
    wanted = [loss.value(y, design @ w).mean(), *g, *(w - 0.7 * g), 2 / curvature]
    assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("units", [1, 2, 5])
@pytest.mark.parametrize("seed", SEEDS)
def test_back_propagation(course_page, seed, units):
    X, y = draw_classes(seed, 13)
    points = as_points(X, (y > 0).astype(int))
    script = f"""await import('/widgets/numbers/random.js').then((r) => {{
      const net = m.drawNetwork({units}, r.generator({seed}), 1.5);
      return [net, m.gradients(net, given), m.meanError(net, given), given.map((p) => m.forward(net, [p.x, p.y]).s)];
    }})"""
    net, g, error, signals = call_module(course_page, "network", script, points)
    network = Network(
        [np.array(net["W"]), np.array(net["v"])[:, None]],
        [np.array(net["b"]), np.array([net["c"]])],
        TanhUnits(),
        LogisticOutput(),
        CrossEntropy(),
    )
    target, weight = (y > 0).astype(float)[:, None], np.full((13, 1), 1 / 13)
    losses, s, _, wanted = network.gradients(X, target, weight)
    assert_allclose(signals, s[:, 0], atol=1e-12)
    assert error == pytest.approx(losses.mean(), rel=1e-12)
    flat = [np.array(g["W"]), np.array(g["b"]), np.array(g["v"])[:, None], np.array([g["c"]])]
    for one, other in zip(flat, wanted, strict=True):
        assert_allclose(one, other, atol=1e-13)


KERNELS = {
    "linear": lambda gamma: Linear(),
    "poly": lambda gamma: Polynomial(scale=gamma, shift=1.0, degree=3),
    "rbf": lambda gamma: RBF(gamma),
    "tanh": lambda gamma: Tanh(scale=gamma, shift=-1.0),
}


@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("seed", range(4))
def test_the_dual_reaches_what_the_machine_proves(course_page, seed, name, C):
    X, y = draw_classes(seed, 16, 0.7)
    K = call_module(course_page, "kernels", f"m.gramMatrix(m.KERNELS.{name}(0.5), given)", X.tolist())
    assert_allclose(K, KERNELS[name](0.5).tile(X, X), rtol=1e-12, atol=1e-12)
    found = call_module(course_page, "svm", f"m.solveDual(given.K, given.y, {C})", {"K": K, "y": y.tolist()})
    model = SVM(KERNELS[name](0.5), C=C, calibration=None, tol=1e-9).fit(X, y)
    proof = model.certificate_
    slack = 1e-6 * max(1.0, abs(proof.primal))
    assert proof.dual - slack <= found["primal"]
    assert found["dual"] <= proof.primal + slack
    assert -slack <= found["gap"] <= slack
    s = np.array(found["f"]) + found["b"]
    assert_allclose(s, model.decision_function(X), atol=1e-3 * max(1.0, np.abs(s).max()))


def test_the_five_points_of_the_notes(course_page):
    X, y = [[1, 3], [3, 3], [4, 4], [2, 1], [5, 2]], [1, 1, 1, -1, -1]
    K = (np.array(X) @ np.array(X).T).tolist()
    found = call_module(course_page, "svm", "m.solveDual(given.K, given.y, 1000)", {"K": K, "y": y})
    assert_allclose(found["alpha"], [0, 4 / 5, 0, 2 / 5, 2 / 5], atol=1e-7)
    assert found["b"] == pytest.approx(-7 / 5)
    assert 1 / found["square"] ** 0.5 == pytest.approx(10**0.5 / 4)
    assert found["zones"] == ["outside", "on", "outside", "on", "on"]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_smallest_eigenvalue_and_its_witness(course_page, seed, name):
    X, _ = draw_classes(seed, 10)
    K = np.array(call_module(course_page, "kernels", f"m.gramMatrix(m.KERNELS.{name}(0.8), given)", X.tolist()))
    found = call_module(course_page, "kernels", "m.smallestEigenvalue(given)", K.tolist())
    v = np.array(found["vector"])
    wanted = mercer(KERNELS[name](0.8), X)
    scale = np.abs(K).sum(axis=1).max()
    assert found["value"] == pytest.approx(wanted.smallest, abs=1e-11 * scale)
    assert float(v @ K @ v) == pytest.approx(found["value"], abs=1e-11 * scale)
    assert (found["value"] < -1e-9 * scale) == (wanted.witness is not None)
