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
    assert set(drawn) == {"error-0", "error-1", "error-2", "log-loss-0", "log-loss-1", "log-loss-2"}
    for m, row in enumerate(comparison.rows):
        assert drawn[f"error-{m}"].get_ydata().tolist() == [point.error for point in row.curve]
        assert drawn[f"error-{m}"].get_xdata() == pytest.approx([point.n for point in row.curve], rel=0.05)
    assert len(drawn["log-loss-1"].get_ydata()) == 0
    assert drawn["log-loss-2"].get_ydata()[-1] == comparison["none"].log_loss


def test_the_picture_is_the_same_again_and_says_what_it_shows():
    comparison = found(sizes=[8])
    once = svg(comparison_curves(comparison, title="나이브 <b> $x$"))
    assert once == svg(comparison_curves(comparison, title="나이브 <b> $x$"))
    assert "나이브 &lt;b&gt; $x$" in once
    assert comparison_curves(comparison, title="T").get_label() == (
        "T: error and log loss of 나이브 <b> $x$, line, none, by 8 to 40 examples learnt."
    )


def test_what_has_no_curves():
    with refused("what deciban.compare gives is expected, got str", TypeError):
        comparison_curves("models")
    with refused("there are no curves: no model was finished", DataError):
        comparison_curves(found(callback=lambda fit: True))
