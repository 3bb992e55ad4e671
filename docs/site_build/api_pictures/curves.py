"""Pictures of functions: kernels, losses, penalties, calibrators and bounds, from their own values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import deciban
from deciban import calibration, kernels, losses, penalties, theory
from deciban.calibration.beta import Bend
from deciban.calibration.platt import Line as PlattLine
from deciban.evaluation import examples_needed, negatives_needed

from .examples import make_line, make_scores, make_wave
from .sheets import Line, draw_bars, draw_lines

PLACES = np.linspace(-3.0, 3.0, 241)


def draw_kernel(kernel: kernels.Kernel) -> Figure:
    """Draw the values of a kernel of numbers along one of its arguments."""
    lines = [Line(f"z = {z:g}", PLACES, kernel.tile(PLACES[:, None], np.array([[z]]))[:, 0]) for z in (0.5, 2.0)]
    return draw_lines("x", "K(x, z)", lines)


def draw_angles() -> Figure:
    """Draw the cosine kernel by the angle between two vectors."""
    angles = np.linspace(-180.0, 180.0, 181)
    turned = np.column_stack([np.cos(np.radians(angles)), np.sin(np.radians(angles))])
    values = kernels.Cosine().tile(turned, np.array([[1.0, 0.0]]))[:, 0]
    return draw_lines("∠(x, z), °", "K(x, z)", [Line("", angles, values)])


def draw_histograms(kernel: kernels.Kernel) -> Figure:
    """Draw the values of a kernel of histograms along the share of the first of two bins."""
    share = np.linspace(0.0, 1.0, 181)
    bins = np.column_stack([share, 1.0 - share])
    lines = [
        Line(f"z = ({z:g}, {1 - z:g})", share, kernel.tile(bins, np.array([[z, 1 - z]]))[:, 0]) for z in (0.2, 0.7)
    ]
    return draw_lines("x₁ = 1 − x₂", "K(x, z)", lines)


def draw_spectrum() -> Figure:
    """Draw the kernel of a word with others, by the strings that they share."""
    words = np.array(["evidence", "evident", "evidential", "incident", "video", "prior"])
    values = kernels.Spectrum(3, normalized=True).tile(words, words[:1])[:, 0]
    return draw_bars("K(x, evidence)", words.tolist(), values, digits=2)


def draw_approximation(features: Any) -> Figure:
    """Draw a kernel, and the inner products of the features that approximate it."""
    x = PLACES[:, None]
    made = features.fit(x)
    products = made.transform(x) @ made.transform(np.zeros((1, 1))).T
    lines = [
        Line("K(x, 0)", PLACES, made.kernel_.tile(x, np.zeros((1, 1)))[:, 0]),
        Line("Φ(x)·Φ(0)", PLACES, np.asarray(products).ravel()),
    ]
    return draw_lines("x", "", lines)


def draw_loss(loss: losses.Loss, target: float, slope: str = "∂ℓ/∂s") -> Figure:
    """Draw a loss and its slope by the score."""
    y = np.full_like(PLACES, target)
    lines = [Line(f"ℓ({target:g}, s)", PLACES, loss.value(y, PLACES)), Line(slope, PLACES, loss.slope(y, PLACES))]
    return draw_lines("s", "", lines)


def draw_error() -> Figure:
    """Draw the classification error by the score, which has no slope."""
    return draw_lines("s", "", [Line("ℓ(1, s)", PLACES, losses.ZeroOne().value(np.ones_like(PLACES), PLACES))])


def draw_lead(loss: Any) -> Figure:
    """Draw a loss of three classes by the lead of the true one."""
    scores = np.column_stack([PLACES, np.zeros_like(PLACES), np.full_like(PLACES, -1.0)])
    values = loss.value(np.zeros(len(PLACES), dtype=np.int64), scores)
    return draw_lines("s₁", "", [Line("ℓ(1, s), s₂ = 0, s₃ = −1", PLACES, values)])


def draw_penalty(penalty: penalties.Penalty, low: float = -3.0) -> Figure:
    """Draw a penalty by a weight, and the weight that a step shrinks it to."""
    w = PLACES[low <= PLACES]
    lines = [
        Line("Ω(w)", w, [penalty.value(np.array([each])) for each in w]),
        Line("prox(w, 1)", PLACES, penalty.prox(PLACES, 1.0)),
    ]
    return draw_lines("w", "", lines)


def draw_calibrator(kind: type[calibration.Calibrator]) -> Figure:
    """Draw the probability by the score of an overconfident classifier, and the observed shares."""
    scores, y = make_scores()
    fitted, at = kind.fit(scores, y), np.linspace(*np.quantile(scores, [0.02, 0.98]), 200)
    order = np.array_split(np.argsort(scores), 15)
    lines = [
        Line("calibrated", at, np.exp(fitted(at)[:, 1])),
        Line("before", at, 1.0 / (1.0 + np.exp(-at))),
        Line("observed shares", *np.array([[scores[part].mean(), y[part].mean()] for part in order]).T, is_marked=True),
    ]
    return draw_lines("s", "p", lines)


def draw_log_odds(curves: dict[str, Callable[[Any], Any]]) -> Figure:
    """Draw curves of log-odds."""
    return draw_lines("z", "g(z)", [Line(label, PLACES, curve(PLACES)) for label, curve in curves.items()])


SIZES = np.unique(np.rint(10.0 ** np.linspace(1.0, 5.0, 25)).astype(int))
FEW = np.arange(1, 21)


def draw_bound(bounds: dict[str, Callable[[int], Any]], y: str = "bound", first: int = 10) -> Figure:
    """Draw bounds by the number of examples, up to 1, beyond which they say nothing."""
    sizes = SIZES[first <= SIZES]
    lines = [Line(label, sizes, [float(bound(int(n))) for n in sizes]) for label, bound in bounds.items()]
    lines = [Line(each.label, *_below(each, 1.0)) for each in lines]
    return draw_lines("n", y, lines, log="xy")


def _below(line: Line, most: float) -> Sequence[Any]:
    x, y = np.asarray(line.x), np.asarray(line.y)
    return x[y <= most], y[y <= most]


def draw_counts(counts: dict[str, Callable[[int], Any]]) -> Figure:
    """Draw numbers of labellings by the number of examples, beside all that there are."""
    told = {"2ⁿ": lambda n: 2.0**n, **counts}
    return draw_lines(
        "n", "", [Line(label, FEW, [float(f(int(n))) for n in FEW]) for label, f in told.items()], log="y"
    )


def draw_needed(needed: Callable[[float], int], x: str) -> Figure:
    """Draw how many examples a rate takes."""
    rates = 10.0 ** np.linspace(-4.0, -1.0, 31)
    return draw_lines(x, "n", [Line("", rates, [needed(float(rate)) for rate in rates])], log="xy")


def draw_expected_errors() -> Figure:
    """Draw the expected errors of least squares by the number of examples."""
    sizes = np.arange(12, 101, 2)
    found = [theory.linear_regression_expected_error(int(n), 9, 1.0) for n in sizes]
    lines = [
        Line("in sample", sizes, [float(each.in_sample) for each in found]),
        Line("out of sample", sizes, [float(each) for each in found]),
        Line("σ²", sizes, np.ones(len(sizes))),
    ]
    return draw_lines("n", "mean squared error", lines)


def draw_growth_of_skill() -> Figure:
    """Draw the errors of a regression by the number of examples."""
    X, y = make_line(400)
    curve = theory.learning_curve(deciban.LinearRegression(), X, y, sizes=[4, 8, 16, 32, 64, 128], repeats=40)
    inside, outside = curve.mean
    lines = [Line("in sample", curve.sizes, inside), Line("out of sample", curve.sizes, outside)]
    return draw_lines("n", "mean squared error", lines, log="x")


def draw_parts_of_error() -> Figure:
    """Draw bias and variance of polynomials by their degree."""
    X, y = make_wave(240)
    degrees, found = range(1, 8), []
    for degree in degrees:
        powers = np.polynomial.legendre.legvander(X[:, 0] / 3.0, degree)[:, 1:]
        found.append(theory.bias_variance(deciban.LinearRegression(penalty=None), powers, y, size=40, repeats=60))
    lines = [
        Line("bias", degrees, [each.bias for each in found]),
        Line("variance", degrees, [each.variance for each in found]),
        Line("loss", degrees, [each.loss for each in found]),
    ]
    return draw_lines("degree of the polynomial", "", lines, log="y")


KERNELS: dict[str, Callable[[], Figure]] = {
    "AdditiveChiSquared": lambda: draw_histograms(kernels.AdditiveChiSquared()),
    "ChiSquared": lambda: draw_histograms(kernels.ChiSquared()),
    "Cosine": draw_angles,
    "Spectrum": draw_spectrum,
    "Function": lambda: draw_kernel(kernels.Function(lambda x, z: max(0.0, 1.0 - abs(float(x[0] - z[0]))), pairs=True)),
    "Product": lambda: draw_kernel(kernels.RBF() * kernels.Linear()),
    "Sum": lambda: draw_kernel(kernels.RBF() + kernels.Linear()),
    **{
        name: partial(lambda name: draw_kernel(getattr(kernels, name)()), name)
        for name in ("RBF", "Gaussian", "Laplacian", "Linear", "Multiquadric", "Polynomial", "Tanh", "Wave")
    },
}
LOSSES: dict[str, Callable[[], Figure]] = {
    "ZeroOne": draw_error,
    "CrammerSinger": lambda: draw_lead(losses.CrammerSinger()),
    "Softmax": lambda: draw_lead(losses.Softmax()),
    **{
        name: partial(lambda name: draw_loss(getattr(losses, name)(), 1.0), name)
        for name in ("Hinge", "Logistic", "Perceptron", "SquaredHinge")
    },
    **{
        name: partial(lambda name: draw_loss(getattr(losses, name)(), 0.0), name)
        for name in ("Absolute", "Huber", "Squared")
    },
    "EpsilonInsensitive": lambda: draw_loss(losses.EpsilonInsensitive(0.5), 0.0),
    "SquaredEpsilonInsensitive": lambda: draw_loss(losses.SquaredEpsilonInsensitive(0.5), 0.0),
}
PENALTIES: dict[str, Callable[[], Figure]] = {
    "NoPenalty": lambda: draw_penalty(penalties.NoPenalty()),
    "L1": lambda: draw_penalty(penalties.L1()),
    "L2": lambda: draw_penalty(penalties.L2()),
    "ElasticNet": lambda: draw_penalty(penalties.ElasticNet()),
    "NonNegative": lambda: draw_penalty(penalties.NonNegative(penalties.L2()), low=0.0),
}
THEORY: dict[str, Callable[[], Figure]] = {
    "bias_variance": draw_parts_of_error,
    "binomial": lambda: draw_bound(
        {
            f"k/n = {share:g}": partial(lambda share, n: theory.binomial(round(share * n), n), share)
            for share in (0.0, 0.1)
        }
    ),
    "compression": lambda: draw_bound({f"k = {k}": partial(theory.compression, k) for k in (3, 30)}, first=40),
    "dichotomies": lambda: draw_counts(
        {f"d = {d}": partial(lambda d, n: theory.dichotomies(n, d), d) for d in (1, 2, 4)}
    ),
    "growth": lambda: draw_counts({f"d = {d}": partial(lambda d, n: theory.growth(n, d), d) for d in (1, 3, 6)}),
    "hoeffding": lambda: draw_bound(
        {f"M = {m:,}": partial(lambda m, n: theory.hoeffding(n, hypotheses=m), m) for m in (1, 1000, 1_000_000)}
    ),
    "learning_curve": draw_growth_of_skill,
    "linear_regression_expected_error": draw_expected_errors,
    "pac_bayes": lambda: draw_bound(
        {f"γ = {g:g}": partial(lambda g, n: theory.pac_bayes(np.full(n, g)), g) for g in (0.1, 0.3, 0.9)}
    ),
    "support_vectors": lambda: draw_bound({f"k = {k}": partial(theory.support_vectors, k) for k in (3, 30)}, first=40),
    "vc": lambda: draw_bound({f"d = {d}": partial(lambda d, n: theory.vc(n, d), d) for d in (1, 3, 10)}),
}
PICTURES: dict[str, Callable[[], Figure]] = {
    **{f"deciban.kernels.{name}": draw for name, draw in KERNELS.items()},
    **{f"deciban.losses.{name}": draw for name, draw in LOSSES.items()},
    **{f"deciban.penalties.{name}": draw for name, draw in PENALTIES.items()},
    **{f"deciban.theory.{name}": draw for name, draw in THEORY.items()},
    **{
        f"deciban.calibration.{name}": partial(lambda name: draw_calibrator(getattr(calibration, name)), name)
        for name in ("Beta", "Isotonic", "Platt", "Temperature")
    },
    "deciban.calibration.beta.Bend": lambda: draw_log_odds({"a = 1, b = 0.3": Bend(1.0, 0.3, 0.0), "z": lambda z: z}),
    "deciban.calibration.platt.Line": lambda: draw_log_odds({"0.6 z + 0.5": PlattLine(0.6, 0.5), "z": lambda z: z}),
    "deciban.Nystroem": lambda: draw_approximation(deciban.Nystroem("rbf", 4, gamma=1.0, random_state=0)),
    "deciban.RandomFourier": lambda: draw_approximation(deciban.RandomFourier("rbf", 100, gamma=1.0, random_state=0)),
    "deciban.evaluation.examples_needed": lambda: draw_needed(examples_needed, "α"),
    "deciban.evaluation.negatives_needed": lambda: draw_needed(negatives_needed, "false-positive rate"),
}
