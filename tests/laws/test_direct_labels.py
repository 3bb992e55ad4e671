"""Labels beside curves: all are within the axes, none covers another, and a figure of curves has no legend."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from deciban import report
from deciban.report.canvas import Canvas
from deciban.report.direct_labels import Label
from laws.opinions import EVERY

FIGURES = {
    "roc": report.roc_curve,
    "precision and recall": report.precision_recall_curve,
    "cost": lambda said: report.cost_curve(said, positive=said.classes[0]),
    "reliability": report.reliability_diagram,
}
NAMES = ["few", "nearly perfect", "too sure", "ties", "certain and wrong", "one example", "three", "thirty"]


def boxes(figure):
    """The labels of a figure and where they stand, in pixels."""
    sheet = FigureCanvasAgg(figure)
    sheet.draw()
    axes = figure.axes[0]
    texts = [text for text in axes.texts if str(text.get_gid()).startswith("label-")]
    return [(text.get_text(), text.get_window_extent(sheet.get_renderer())) for text in texts], axes


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("name", NAMES)
def test_labels_are_within_the_axes_and_do_not_overlap(figure, name):
    made = FIGURES[figure](EVERY[name])
    found, axes = boxes(made)
    assert made.legends == []
    whole = axes.get_window_extent()
    for text, box in found:
        assert whole.x0 - 3.0 <= box.x0 < box.x1 <= whole.x1 + 3.0, text
        assert whole.y0 - 3.0 <= box.y0 < box.y1 <= whole.y1 + 3.0, text
    for (one, a), (other, b) in combinations(found, 2):
        across, up = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= 1.0 or up <= 1.0, (one, other)


def curves(labelled):
    """A figure with lines at these heights, each with its label."""
    seen = Canvas.make_framed("x", "y")
    seen.axes.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    for text, height in labelled.items():
        seen.path([0.0, 1.0], [height, height], gid=text, color="k")
        seen.label(text, [0.0, 1.0], [height, height])
    seen.finish("", "lines.")
    return seen.figure


def test_each_label_is_nearest_to_its_own_curve_and_covers_none():
    heights = {"low": 0.1, "middle": 0.45, "high": 0.9}
    found, axes = boxes(curves(heights))
    for text, box in found:
        low, high = (float(axes.transData.inverted().transform((0.0, y))[1]) for y in (box.y0, box.y1))
        gaps = {key: max(low - y, y - high) for key, y in heights.items()}
        assert min(gaps, key=gaps.get) == text
        assert gaps[text] > 0.0


def test_equal_figures_have_their_labels_in_equal_places():
    once, again = (report.svg(curves({"a": 0.3, "b": 0.35, "c": 0.4})) for _ in range(2))
    assert once == again


def test_a_label_is_in_lines_that_do_not_part_a_number_from_its_unit():
    text = "everything that has been classified as spam: 33.3 %"
    lines = Label.of(text, [0.0], [0.0]).text.split("\n")
    assert " ".join(lines) == text
    assert len(lines) == 2
    assert all(not line.startswith("%") for line in lines)
    assert Label.of("x", [np.nan, 1.0], [0.0, np.nan]).x.size == 0
