"""Pictures in a plane of two features, and of regressions along one: what a model makes of examples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import deciban
from deciban.report import decision_regions, regression_tube
from deciban.report.canvas import Canvas, colour, mark, ring
from deciban.report.palette import INK
from deciban.report.plane import Plane
from deciban.report.vector import use_style

from .examples import AXES, NAMES, make_clouds, make_line, make_moons, make_wave
from .sheets import Line, draw_lines


def draw_regions(model: Any, examples: Callable[[], tuple[Any, Any]]) -> Figure:
    """Draw the regions of a classifier fitted to these examples."""
    X, y = examples()
    return decision_regions(model.fit(X, y), X, y, names=AXES, title="")


def draw_outliers() -> Figure:
    """Draw the region of normal examples, and outliers."""
    X, _ = make_moons(noise=0.12)
    model = deciban.OneClassSVM(nu=0.15, gamma=1.2).fit(X)
    return decision_regions(model, X, names=AXES, title="")


def draw_tube(model: Any, examples: Callable[[], tuple[Any, Any]]) -> Figure:
    """Draw the function of a regression fitted to these examples."""
    X, y = examples()
    return regression_tube(model.fit(X, y), X, y, names=["x"], title="")


def draw_suspects() -> Figure:
    """Draw examples of two classes, and rings around those whose label is probably wrong."""
    X, y = make_clouds(apart=1.9)
    middles = [
        np.argmin(np.where(y == name, np.hypot(*(X - X[y == name].mean(axis=0)).T), np.inf)) for name in NAMES[:2]
    ]
    y[middles] = y[middles[::-1]]
    found = deciban.find_label_errors(deciban.GaussianDiscriminant(), X, y)
    seen = Canvas.over(X, Plane.of(X, [0, 1], AXES), [])
    for c, name in enumerate(np.unique(y)):
        seen.marks(X[y == name], mark(c, 6.0), f"class-{c}")
        seen.entry(str(name), mark(c, 5.0))
    for each in found:  # above all others
        seen.marks(X[[each.place]], mark(NAMES.index(each.label), 6.0), f"suspect-{each.place}")
    seen.marks(X[[each.place for each in found]], ring(6.0), "suspects")
    seen.entry("probably wrong", ring(5.0))
    seen.finish("", "")
    return seen.figure


def draw_programme() -> Figure:
    """Draw the constraints of a quadratic programme, the levels of its objective and its solution."""
    Q, c = np.array([[2.0, 0.6], [0.6, 1.2]]), np.array([-4.0, -4.4])
    A, a = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]), np.array([-2.0, 0.0, 0.0])
    solution = deciban.QP(Q, c, A, a).solve().solution
    seen = Canvas.make_framed("z₁", "z₂")
    x = np.linspace(-0.4, 3.0, 60)
    grid = np.stack(np.meshgrid(x, x), axis=-1)
    values = 0.5 * np.einsum("xyi,ij,xyj->xy", grid, Q, grid) + grid @ c
    least = 0.5 * solution @ Q @ solution + c @ solution
    with use_style():
        levels = least + np.array([-1.2, -0.6, 0.0, 1.0, 2.5])
        seen.axes.contour(x, x, values, levels=levels, colors=INK, linewidths=0.7, linestyles="dashed")
        seen.axes.fill([0.0, 2.0, 0.0], [0.0, 0.0, 2.0], color=colour(0), alpha=0.2, linewidth=0.0)
    seen.marks(solution[None], mark(1, 8.0), "solution")
    seen.entry("A z ≥ a", {**mark(0, 7.0), "marker": "s", "alpha": 0.4})
    seen.entry("levels of the objective", {"color": INK, "linewidth": 0.7, "linestyle": "dashed"})
    seen.entry("solution", mark(1, 6.0))
    seen.finish("", "")
    return seen.figure


def draw_leverage() -> Figure:
    """Draw the leverage of examples along their feature."""
    X, _ = make_line()
    h = deciban.HatMatrix.of(X).diagonal()
    return draw_lines("x", "leverage h", [Line("", X[:, 0], h, is_marked=True, has_stems=True)])


def draw_zones() -> Figure:
    """Draw the zones of the examples of a linear machine."""
    return draw_regions(deciban.LinearSVM(calibration=None), partial(make_clouds, apart=1.0))


PICTURES: dict[str, Callable[[], Figure]] = {
    "deciban.GaussianDiscriminant": lambda: draw_regions(
        deciban.GaussianDiscriminant("per_class"), partial(make_clouds, 3)
    ),
    "deciban.LeastSquaresClassifier": lambda: draw_regions(deciban.LeastSquaresClassifier(), partial(make_clouds, 3)),
    "deciban.LogisticRegression": lambda: draw_regions(deciban.LogisticRegression(), partial(make_clouds, 3)),
    "deciban.LinearSVM": lambda: draw_regions(deciban.LinearSVM(), make_clouds),
    "deciban.MLPClassifier": lambda: draw_regions(
        deciban.MLPClassifier((16,), activation="tanh", learning_rate=0.02, random_state=0), make_moons
    ),
    "deciban.NaiveBayes": lambda: draw_regions(deciban.NaiveBayes("gaussian"), partial(make_clouds, 3)),
    "deciban.Perceptron": lambda: draw_regions(deciban.Perceptron(random_state=0), partial(make_clouds, apart=2.2)),
    "deciban.SVM": lambda: draw_regions(deciban.SVM(C=3.0, gamma=1.0), make_moons),
    "deciban.OneClassSVM": draw_outliers,
    "deciban.models.zones.Zones": draw_zones,
    "deciban.LinearRegression": lambda: draw_tube(deciban.LinearRegression(), make_line),
    "deciban.LinearSVR": lambda: draw_tube(deciban.LinearSVR(epsilon=0.4), make_line),
    "deciban.MLPRegressor": lambda: draw_tube(
        deciban.MLPRegressor((16,), activation="tanh", learning_rate=0.02, max_iter=600, random_state=0), make_wave
    ),
    "deciban.SVMRegressor": lambda: draw_tube(deciban.SVMRegressor(C=10.0, epsilon=0.25), make_wave),
    "deciban.find_label_errors": draw_suspects,
    "deciban.HatMatrix": draw_leverage,
    "deciban.QP": draw_programme,
}
