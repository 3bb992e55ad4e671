"""Pictures that functions of `deciban.report` draw: of predictions of held-out examples, of sizes, of training."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import deciban
from deciban import kernel_machines, report
from deciban.evaluation import Conformal, Costs, Judgements, cheapest, rate_threshold

from .examples import NAMES, make_clouds, make_judgements, make_moons, make_wave
from .planes import draw_regions, draw_tube
from .sheets import Line, draw_lines


def draw_confusion(language: str) -> Figure:
    """Draw the confusion matrix of held-out examples of three classes."""
    X, y = make_clouds(3, count=60)
    held_out, labels = make_clouds(3, count=60, seed=4)
    log_p = deciban.GaussianDiscriminant().fit(X, y).predict_log_proba(held_out)
    return report.confusion_matrix(
        Judgements(NAMES, np.searchsorted(NAMES, labels), log_p), title="", language=language
    )


def draw_calibrated(language: str) -> Figure:
    """Draw the reliability of a calibrated classifier on held-out examples."""
    X, y = make_moons(200, noise=0.45)
    held_out, labels = make_moons(300, noise=0.45, seed=6)
    log_p = (
        deciban.CalibratedClassifier(deciban.SVM(gamma=1.0, calibration=None), cv=3)
        .fit(X, y)
        .predict_log_proba(held_out)
    )
    return report.reliability_diagram(
        Judgements(NAMES[:2], np.searchsorted(NAMES, labels), log_p), title="", language=language
    )


@cache
def _compare() -> Any:
    X, y = make_clouds(3, count=100)
    models = {"logistic": deciban.LogisticRegression(), "discriminant": deciban.GaussianDiscriminant("per_class")}
    return deciban.compare(models, X, y, sizes=[20, 40, 80, 160], repeats=2)


def draw_comparison(language: str, measure: str = "error") -> Figure:
    """Draw the learning curves of two models on the same folds."""
    return report.comparison_curves(_compare(), measure=measure, title="", language=language)


def draw_judgements(draw: Callable[..., Figure], language: str) -> Figure:
    """Draw a figure of predictions of held-out examples."""
    return draw(make_judgements(), title="", language=language)


def draw_costs(language: str) -> Figure:
    """Draw the cost of decisions where a false alarm costs five times as much as a miss."""
    return report.cost_curve(make_judgements(), (5.0, 1.0), title="", language=language)


def draw_sizes(language: str) -> Figure:
    """Draw errors by the number of examples, with intervals."""
    sizes = [20, 40, 80, 160, 320]
    errors = {"A": 0.05 + 1.2 / np.sqrt(sizes), "B": 0.12 + 0.6 / np.sqrt(sizes)}
    spread = 0.25 / np.sqrt(sizes)
    intervals = {name: np.column_stack([error - spread, error + spread]) for name, error in errors.items()}
    return report.error_curve(sizes, errors, intervals, title="", language=language)


def draw_path(found: Any, x: str) -> Figure:
    """Draw the error along values of a penalty, with its interval."""
    values = [getattr(each, "value", getattr(each, "C", None)) for each in found.tried]
    low, high = np.array([each.interval for each in found.tried]).T
    lines = [
        Line("error on held-out examples", values, [each.error for each in found.tried]),
        Line("95 % interval", [*values, np.nan, *values], [*low, np.nan, *high]),
    ]
    return draw_lines(x, "error", lines, log="x")


def draw_linear_path() -> Figure:
    """Draw the errors of logistic regression along values of C."""
    X, y = make_clouds(count=60, apart=0.9)
    noise = np.random.default_rng(0).normal(size=(len(X), 12))
    return draw_path(deciban.path(deciban.LogisticRegression(penalty="l1"), np.hstack([X, noise]), y), "C")


def draw_machine_path() -> Figure:
    """Draw the errors of kernel machines along values of C."""
    X, y = make_moons(60, noise=0.35)
    return draw_path(kernel_machines.path(deciban.SVM(gamma=1.0), X, y, Cs=(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)), "C")


def draw_sets() -> Figure:
    """Draw the p-values of both classes by the log-odds, from which sets of labels follow."""
    said, odds = make_judgements(), np.linspace(-12.0, 12.0, 241)
    log_p = np.column_stack([-np.logaddexp(0.0, odds), -np.logaddexp(0.0, -odds)])
    p = Conformal.of(said).p_values(log_p)
    lines = [Line(f"p-value of {name}", odds, p[:, c]) for c, name in enumerate(said.classes)]
    return draw_lines("log-odds", "p", [*lines, Line("α = 0.1", odds, np.full_like(odds, 0.1))])


def draw_cheapest(language: str) -> Figure:
    """Draw costs with the threshold that was cheapest on the examples."""
    said, costs = make_judgements(), Costs.of(("ham", "spam"), {("ham", "spam"): 5.0})
    threshold = cheapest(said, costs).probability
    return report.cost_curve(said, (5.0, 1.0), threshold=threshold, title="", language=language)


def draw_guaranteed(language: str) -> Figure:
    """Draw the ROC curve with a threshold of a guaranteed false-positive rate."""
    said = make_judgements(2000)
    found = rate_threshold(said, 0.05)
    return report.roc_curve(said, threshold=1.0 / (1.0 + 10.0 ** (-found.decibans / 10.0)), title="", language=language)


def draw_training() -> Figure:
    """Draw the training of a network by epoch."""
    X, y = make_moons(100)
    network = deciban.MLPClassifier((8,), learning_rate=0.02, max_iter=60, validation_fraction=0.2, random_state=0)
    return report.learning_curves(network.fit(X, y), title="")


PICTURES: dict[str, Callable[[], Figure]] = {
    "deciban.evaluation.Conformal": draw_sets,
    "deciban.kernel_machines.path": draw_machine_path,
    "deciban.path": draw_linear_path,
    "deciban.report.decision_regions": lambda: draw_regions(deciban.SVM(C=3.0, gamma=1.0), partial(make_moons, 20)),
    "deciban.report.learning_curves": draw_training,
    "deciban.report.regression_tube": lambda: draw_tube(deciban.SVMRegressor(C=10.0, epsilon=0.25), make_wave),
}
IN_A_LANGUAGE: dict[str, Callable[[str], Figure]] = {
    "deciban.CalibratedClassifier": draw_calibrated,
    "deciban.compare": draw_comparison,
    "deciban.evaluation.Costs": draw_costs,
    "deciban.evaluation.Evaluation": draw_confusion,
    "deciban.evaluation.cheapest": draw_cheapest,
    "deciban.evaluation.rate_threshold": draw_guaranteed,
    "deciban.report.comparison_curves": partial(draw_comparison, measure="log loss"),
    "deciban.report.confusion_matrix": draw_confusion,
    "deciban.report.cost_curve": draw_costs,
    "deciban.report.error_curve": draw_sizes,
    "deciban.report.precision_recall_curve": partial(draw_judgements, report.precision_recall_curve),
    "deciban.report.reliability_diagram": partial(draw_judgements, report.reliability_diagram),
    "deciban.report.roc_curve": partial(draw_judgements, report.roc_curve),
}
"""Figures of functions that write in the language of their reader."""
