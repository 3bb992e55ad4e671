"""Draws the still pictures of the course, docs/course/*.svg, from Deciban's own results.

python docs/course/pictures.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from mail_model import fit as fit_mail_model
from plots import LINE, MINUS, PLUS, SECOND, Plot, stack_plots
from scipy.stats import beta

from deciban import SVM, GaussianDiscriminant, HatMatrix, LinearRegression, MLPClassifier, Perceptron, theory
from deciban.distributions import Bernoulli
from deciban.losses import Logistic

HERE = Path(__file__).parent


def constant(module: str, name: str) -> Any:
    """Return an array of numbers that a widget begins with."""
    source = (HERE / "widgets" / f"{module}.js").read_text(encoding="utf-8")
    found = re.search(rf"\b{name}(?: =|:) (\[.*?\])[;,]\n(?=\n|const|  \w|function)", source, flags=re.DOTALL)
    assert found is not None, name
    return json.loads(re.sub(r",\s*\]", "]", found[1]))


def draw_points(plot: Plot, X: Any, y: Any, rings: Iterable[int] = (), radius: float = 7) -> None:
    """Draw examples of two classes."""
    held = set(rings)
    for k, (row, label) in enumerate(zip(X, y, strict=True)):
        plot.point(*row, label > 0, radius, k in held)


def draw_perceptron() -> list[Plot]:
    """Draw the line after the last update, and the pocket after the same number of passes less one."""
    rows = np.array(constant("perceptron", "POINTS"))
    X, y = rows[:, :2], rows[:, 2]
    plot = Plot((-2, 2), (-1.6, 1.6))
    for passes, dashes in ((1000, ""), (1, "8 5")):
        model = Perceptron(pocket=True, shuffle=False, calibration=None, max_iter=passes).fit(X, y)
        plot.contour(model.decision_function, 0.0, dashes=dashes)
    draw_points(plot, X, y)
    return [plot]


def draw_least_squares() -> list[Plot]:
    """Draw the line, the residuals, and points as large as their leverage."""
    x, y = np.array(constant("least-squares", "X")), np.array(constant("least-squares", "Y"))
    model, h = LinearRegression(penalty=None).fit(x[:, None], y), HatMatrix.of(x[:, None]).diagonal()
    plot = Plot((0, 10), (-1, 8))
    plot.path([(a, float(model.predict([[a]])[0])) for a in (0.0, 10.0)])
    for a, b, leverage, fitted in zip(x, y, h, model.predict(x[:, None]), strict=True):
        plot.path([(a, b), (a, fitted)], MINUS, 1.4)
        plot.point(a, b, True, round(4 + 8.4 * float(leverage) ** 0.5, 1))
        if leverage > 0.24:
            plot.text(a - 0.3 if a > 5 else a + 0.3, b - 0.7, f"h = {leverage:.2f}", anchor="end" if a > 5 else "start")
    row = Plot((0, 10), (-0.5, 1), 190)
    for a, share in zip(x, HatMatrix.of(x[:, None]).matrix()[-1], strict=True):
        row.path([(a, 0), (a, share)], SECOND if a == x[-1] else PLUS, 10)
    row.path([(0, 0), (10, 0)], LINE, 1, "5 4")
    plot.name_axes("x", "y")
    row.name_axes("x", "h")
    return [plot, row]


def draw_gaussians() -> list[Plot]:
    """Draw two fitted classes, the boundary and lines of ±10 and ±20 dB."""
    random = np.random.RandomState(1)
    spread = np.linalg.cholesky([[1.0, 0.5], [0.5, 1.0]])
    X = np.vstack(
        [random.standard_normal((80, 2)) @ spread.T + [1.2, 0.4], random.standard_normal((80, 2)) * 0.7 - [1.2, 0.4]]
    )
    y = np.repeat([1, -1], 80)
    model = GaussianDiscriminant("per_class").fit(X, y)
    plot = Plot((-4, 4), (-3.2, 3.2))
    for decibans in (-20, -10, 0, 10, 20):
        plot.contour(
            lambda rows: np.diff(model.scorer_(rows)), decibans * np.log(10) / 10, LINE, 0.8 if decibans else 2.4
        )
    turn = np.linspace(0, 2 * np.pi, 73)
    for mean, covariance, colour in zip(model.means_, model.covariance_, (MINUS, PLUS), strict=True):
        for radius in (1, 2):
            circle = radius * np.column_stack([np.cos(turn), np.sin(turn)])
            plot.path(circle @ np.linalg.cholesky(covariance).T + mean, colour, 2, "6 4" if radius > 1 else "")
    draw_points(plot, X, y, radius=2.5)
    return [plot]


def draw_smoothing() -> list[Plot]:
    """Draw what 2 of 6 and 0 of 6 tell, with α = 1."""
    coin = Bernoulli(1.0, 1.0)
    plot, grid = Plot((0, 1), (0, 12), 320), np.linspace(0.001, 0.999, 200)
    for k, colour, is_plus in ((2, PLUS, True), (0, MINUS, False)):
        seen = coin.count(np.array([[1]] * k + [[0]] * (6 - k)), np.zeros(6, dtype=int), np.ones(6), 1)
        mean = float(coin.parameters(seen, "bayes")[0, 0])
        plot.path(zip(grid, beta(k + 1, 7 - k).pdf(grid), strict=True), colour)
        plot.path([(k / 6, 0), (k / 6, 12)], colour, 1.4, "6 4")
        plot.point(mean, 0.35, is_plus)
        plot.text(mean + 0.02, 9.6 if is_plus else 8.2, f"({k} + 1) / (6 + 2) = {mean:.3f}", colour)
    return [plot]


def draw_naive_bayes() -> list[Plot]:
    """Draw the evidence of each word of a message."""
    source = (HERE / "widgets" / "naive-bayes.js").read_text(encoding="utf-8")
    message = re.search(r'\["Spam", "(.*?)"\]', source)
    assert message is not None
    vectorizer, model = fit_mail_model()
    found = model.explain(vectorizer.transform([message[1]]), pair=("spam", "ham"))[0]
    names = vectorizer.get_feature_names_out()
    terms = sorted(found.terms, key=lambda term: -abs(term.decibans))[:12]
    plot = Plot((-20, 20), (0, 13), ticked="x")
    plot.path([(0, 0), (0, 13)], LINE, 1, "5 4")
    for k, term in enumerate(terms):
        word, colour = names[int(str(term.term).split()[-1])], PLUS if term.decibans >= 0 else MINUS
        plot.bar(max(-20.0, min(20.0, term.decibans)), 12 - k, 0.3, colour)
        side = -1 if term.decibans >= 0 else 1
        plot.text(
            0.4 * side,
            12 - k - 0.18,
            f"{word} {term.decibans:+.1f}".replace("-", "−"),
            colour,
            "end" if side < 0 else "start",
        )
    return [plot]


def draw_gradient_descent() -> list[Plot]:
    """Draw the surface of the cross-entropy, and thirty steps with η = 1."""
    x, y = np.array(constant("gradient-descent", "X")), np.array(constant("gradient-descent", "Y"), dtype=float)
    design, loss = np.column_stack([np.ones_like(x), x]), Logistic()
    plot = Plot((-4, 4), (-2, 5), 330)
    for level in (0.36, 0.42, 0.5, 0.6, 0.75, 1, 1.3, 1.7, 2.2, 3, 4):
        plot.contour(lambda w: [loss.value(y, design @ each).mean() for each in w], level, LINE, 0.8)
    w = np.array(constant("gradient-descent", "START"), dtype=float)
    trail = [w]
    curve, grid = Plot((-4, 4), (-0.1, 1.1), 230), np.linspace(-4, 4, 121)
    for _ in range(60):
        w = w - design.T @ loss.slope(y, design @ w) / len(y)
        trail.append(w)
    plot.path(trail, SECOND)
    for each in trail:
        plot.point(*each, True, 2.5)
    curve.path(zip(grid, 1 / (1 + np.exp(-w[0] - w[1] * grid)), strict=True), LINE, 2.4)
    draw_points(curve, np.column_stack([x, y > 0]), y)
    curve.name_axes("x", "P(y = +1 | x)")
    plot.name_axes("b", "w")
    return [curve, plot]


def draw_hidden_layer() -> list[Plot]:
    """Draw the exclusive or, and what a network makes of it."""
    random = np.random.RandomState(4)
    corners = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])[np.arange(24) % 4]
    X, y = corners + 0.25 * random.standard_normal((24, 2)), np.where(corners.prod(axis=1) < 0, 1, -1)
    model = MLPClassifier(
        (4,),
        activation="tanh",
        learning_rate=0.02,
        max_iter=600,
        n_iter_no_change=600,
        tol=1e-12,
        random_state=1,
        dtype="float64",
    )
    model.fit(X, y)
    plot = Plot((-2, 2), (-1.8, 1.8))
    for p in (0.1, 0.5, 0.9):
        plot.contour(lambda rows: model.predict_proba(rows)[:, 1], p, LINE, 2.4 if p == 0.5 else 0.8)
    draw_points(plot, X, y, radius=6)
    history = Plot((0, 600), (0.003, 3), 170, log="y")
    history.path(enumerate(max(0.003, epoch.loss) for epoch in model.history_), SECOND)
    history.name_axes("", "E")
    plot.name_axes("x₁", "x₂")
    return [plot, history]


def draw_margins() -> list[Plot]:
    """Draw the street between two clouds, and its support vectors."""
    rows = np.array(constant("margins", "blobs"))
    X, y = rows[:, :2], rows[:, 2]
    model = SVM("linear", C=1.0, calibration=None, tol=1e-8).fit(X, y)
    plot = Plot((-2.5, 6.5), (-2, 5), 390)
    for level in (-1, 0, 1):
        plot.contour(model.decision_function, level, LINE, 1.2 if level else 2.4, "5 4" if level else "")
    draw_points(plot, X, y, model.support_.tolist(), 6)
    return [plot]


def draw_bounds() -> list[Plot]:
    """Draw how often 100 tosses stray by more than ε, and Hoeffding's bound."""
    grid, random = np.linspace(0.001, 0.3, 150), np.random.RandomState(1)
    strayed = np.abs(random.binomial(100, 0.3, 20_000) / 100 - 0.3)
    plot = Plot((0, 0.3), (0, 1.05), 280)
    plot.path([(e, min(1.0, float(theory.hoeffding(100, epsilon=float(e))))) for e in grid], MINUS)
    plot.path([(e, float((strayed > e).mean())) for e in grid], PLUS)
    plot.text(0.14, 0.5, "2 e^(−2ε²N), N = 100", MINUS)
    plot.name_axes("ε")
    sizes, n = Plot((10, 1e6), (0.001, 10), 280, log="xy"), 10 ** np.linspace(1, 6, 51)
    sizes.path([(k, float(theory.vc(int(k), 1, training_error=0.0))) for k in n], MINUS)
    sizes.path([(k, float(theory.hoeffding(int(k)))) for k in n], SECOND)
    sizes.path([(10, 1), (1e6, 1)], LINE, 1, "5 4")
    sizes.text(7e5, 0.06, "VC, d = 1", MINUS, "end")
    sizes.text(2e3, 0.006, "√(ln(2/δ) / 2N)", SECOND, "end")
    sizes.name_axes("N", "ε")
    return [plot, sizes]


def draw_bias_variance() -> list[Plot]:
    """Draw cubic polynomials through 25 samples of a sine, and their mean."""
    random, grid, samples = np.random.RandomState(1), np.linspace(-1, 1, 81), []
    powers = lambda x: np.column_stack([x, x**2, x**3])  # noqa: E731
    for _ in range(25):
        x = -1 + 2 * (np.arange(12) + random.random_sample(12)) / 12
        y = np.sin(np.pi * x) + 0.3 * random.standard_normal(12)
        samples.append(LinearRegression(penalty=None).fit(powers(x), y).predict(powers(grid)))
    plot = Plot((-1, 1), (-2, 2), 320)
    for each in samples:
        plot.path(zip(grid, each, strict=True), SECOND, 1, opacity=0.4)
    plot.path(zip(grid, np.sin(np.pi * grid), strict=True), PLUS)
    plot.path(zip(grid, np.mean(samples, axis=0), strict=True), MINUS)
    plot.name_axes("x", "y")
    return [plot, draw_parts()]


def draw_parts() -> Plot:
    """Draw bias² and variance of polynomials by their degree."""
    random, parts = np.random.RandomState(1), Plot((0, 9), (0.001, 10), 240, log="y")
    X = np.linspace(-1, 1, 400)
    y, found = np.sin(np.pi * X), []
    noisy = y + 0.3 * random.standard_normal(400)
    for degree in range(1, 10):
        powers = np.polynomial.legendre.legvander(X, degree)[:, 1:]
        each = theory.bias_variance(LinearRegression(penalty=None), powers, noisy, size=48, repeats=60)
        found.append((degree, each.bias - 0.09, each.variance))
    for column, colour, name, at in ((1, MINUS, "(f − ȳ)²", 0), (2, SECOND, "E(ŷ − ȳ)²", 5)):
        parts.path([(row[0], min(10.0, max(0.001, row[column]))) for row in found], colour)
        parts.text(found[at][0] + 0.2, found[at][column] * 1.5, name, colour, "start" if at == 0 else "end")
    return parts


DRAWN = {
    "perceptron": draw_perceptron,
    "least-squares": draw_least_squares,
    "gaussians": draw_gaussians,
    "smoothing": draw_smoothing,
    "naive-bayes": draw_naive_bayes,
    "gradient-descent": draw_gradient_descent,
    "hidden-layer": draw_hidden_layer,
    "margins": draw_margins,
    "bounds": draw_bounds,
    "bias-variance": draw_bias_variance,
}

if __name__ == "__main__":
    for name, draw in DRAWN.items():
        (HERE / f"{name}.svg").write_text(stack_plots(draw()), encoding="utf-8")
