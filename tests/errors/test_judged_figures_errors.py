"""What figures of judgements say of what cannot be drawn, word for word."""

import numpy as np
import pytest
from refusals import refused

from deciban import report
from deciban.evaluation.judgements import Judgements
from deciban.evaluation.reliability import reliability
from deciban.evaluation.roc import operating_points
from deciban.report import vector

P = np.array([0.1, 0.6, 0.7, 0.8])
TWO = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - P, P]).T)
THREE = Judgements(("a", "b", "c"), np.array([0, 1]), np.log(np.full((2, 3), 1 / 3)))
OF_JUDGEMENTS = (
    report.confusion_matrix,
    report.roc_curve,
    report.precision_recall_curve,
    report.cost_curve,
    report.reliability_diagram,
)


@pytest.mark.parametrize("draw", OF_JUDGEMENTS, ids=lambda draw: draw.__name__)
def test_no_such_language(draw):
    with refused("language must be one of 'en', 'ko', got 'fr'"):
        draw(TWO, language="fr")


@pytest.mark.parametrize("draw", OF_JUDGEMENTS[1:], ids=lambda draw: draw.__name__)
def test_no_such_class(draw):
    with refused("positive must be one of ['ham', 'spam'], got 'egg'"):
        draw(TWO, positive="egg")


def test_no_class_named_of_many():
    none = "positive must be one of ['a', 'b', 'c'], got None"
    for ask in (operating_points, report.cost_curve):
        with refused(none):
            ask(THREE)
    with refused("a threshold is of two classes; there are 3: leave it out"):
        report.confusion_matrix(THREE, threshold=0.5)


@pytest.mark.parametrize("draw", OF_JUDGEMENTS[:4], ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan")])
def test_a_threshold_that_is_no_probability(draw, threshold):
    with refused(f"threshold must be a probability, got {threshold!r}"):
        draw(TWO, threshold=threshold)


@pytest.mark.parametrize(
    "costs", [(0.0, 1.0), (1.0, -1.0), (float("inf"), 1.0), [1.0, 2.0, 3.0], [[0.0, 1.0], [1.0, 2.0]]]
)
def test_costs_by_which_nothing_can_be_decided(costs):
    with refused(
        "costs must be those of a false alarm and of a miss, both above 0, or of two classes a (2, 2) matrix whose "
        f"diagonal is the least of each row; got {list(costs)}"
    ):
        report.cost_curve(TWO, costs)


@pytest.mark.parametrize("bins", [0, -1, 2.5, True])
def test_bins_that_are_none(bins):
    for ask in (reliability, lambda said, bins: report.reliability_diagram(said, bins=bins)):
        with refused(f"bins must be a whole number of at least 1, got {bins!r}"):
            ask(TWO, bins)


@pytest.mark.parametrize("sizes", [[], [0, 1], [10, 10], [20, 10], [1, float("nan")], 5])
def test_sizes_that_do_not_grow(sizes):
    with refused(f"sizes must be numbers of examples, each larger than the one before, got {sizes!r}"):
        report.error_curve(sizes, {"a": [0.1]})


def test_errors_that_do_not_fit_their_sizes():
    for errors in ({}, [0.1, 0.2]):
        with refused("errors must be a mapping from the names of models to their errors, and not empty"):
            report.error_curve([1, 2], errors)
    with refused("errors of 'a': (2,), and intervals (2, 2), are expected, got (1,)"):
        report.error_curve([1, 2], {"a": [0.1]})
    with refused("errors of 'a': (2,), and intervals (2, 2), are expected, got (2,) and (2,)"):
        report.error_curve([1, 2], {"a": [0.1, 0.2]}, {"a": [0.1, 0.2]})
    with refused("intervals are of models without errors: 'b'"):
        report.error_curve([1, 2], {"a": [0.1, 0.2]}, {"b": [[0.1, 0.2]] * 2})


def test_without_what_draws(monkeypatch):
    monkeypatch.setattr(vector, "find_spec", lambda name: None)
    for draw in OF_JUDGEMENTS:
        needed = "needs Matplotlib, which is not installed: pip install 'deciban[report]'"
        with refused(f"{draw.__name__} {needed}", ImportError):
            draw(TWO)
    with refused(f"error_curve {needed}", ImportError):
        report.error_curve([1], {"a": [0.1]})
