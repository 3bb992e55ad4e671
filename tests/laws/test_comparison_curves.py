"""Pictures of comparisons hold the numbers that they are of, and say so."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import deciban
from deciban.errors import DataError
from deciban.report import comparison_curves, svg
from errors.refusals import refused


def found(**given):
    y = np.arange(80) % 2
    X = np.random.default_rng(0).normal(size=(80, 2)) + y[:, None]
    models = {"나이브 <b> $x$": GaussianNB(), "line": LinearSVC(), "none": DummyClassifier()}
    return deciban.compare(models, X, y, folds=2, **given)


def lines(figure):
    return {line.get_gid(): line for axis in figure.axes for line in axis.get_lines()}


@pytest.mark.parametrize("sizes", [(), (8, 20)], ids=["a point", "curves"])
def test_lines_go_through_the_numbers(sizes):
    comparison = found(sizes=sizes)
    drawn = lines(comparison_curves(comparison))
    for m, row in enumerate(comparison.rows):
        assert drawn[f"model-{m}"].get_ydata().tolist() == [point.error for point in row.curve]
        assert drawn[f"model-{m}"].get_xdata() == pytest.approx([point.n for point in row.curve], rel=0.05)
    losses = lines(comparison_curves(comparison, measure="log loss"))  # of two: one gives no probabilities
    assert losses["model-1"].get_ydata()[-1] == comparison["none"].log_loss
    assert "model-2" not in losses


def test_the_picture_is_the_same_again_and_says_what_it_shows():
    comparison = found(sizes=[8])
    once = svg(comparison_curves(comparison, title="나이브 <b> $x$"))
    assert once == svg(comparison_curves(comparison, title="나이브 <b> $x$"))
    assert "나이브 &lt;b&gt; $x$" in once
    label = comparison_curves(comparison, title="T").get_label()
    assert label.startswith("T: error by the number of examples learnt, 8 to 40; 나이브 <b> $x$ ")


def test_what_has_no_curves():
    with refused("what deciban.compare gives is expected, got str", TypeError):
        comparison_curves("models")
    with refused("measure must be 'error' or 'log loss', got 'auc'", ValueError):
        comparison_curves(found(), measure="auc")
    with refused("there are no curves: no model was finished", DataError):
        comparison_curves(found(callback=lambda fit: True))
