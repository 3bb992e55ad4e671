"""Figures of judgements: what is drawn is what was judged, in two languages, in the dark, and whatever was said."""

import re
import string
import warnings
from functools import cache
from html import escape
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D
from matplotlib.text import Text
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import confusion_matrix as counted

from deciban import report
from deciban.conventions import percent
from deciban.evaluation.reliability import reliability
from deciban.evaluation.roc import operating_points, roc
from deciban.report import canvas
from deciban.report.figure_words import CATALOGUES
from deciban.report.judged import abbreviate, clip_name, nearly_one
from deciban.report.vector import NOTE, inline
from laws.opinions import EVERY, MANY, TWO, of_odds, two

FIGURES = {
    "confusion": report.confusion_matrix,
    "roc": report.roc_curve,
    "precision and recall": report.precision_recall_curve,
    "cost": lambda said, **how: report.cost_curve(
        said, **({"positive": said.classes[0]} if len(said.classes) > 2 else {}), **how
    ),
    "reliability": report.reliability_diagram,
}
RATES = [0.12, 0.1, 0.09, np.nan]
ERRORS = {"naive Bayes": RATES, "나비 $x_1$ <b>": [0.3, 0.2, 0.05, 0.01]}
ENDS = {"naive Bayes": [[0.8 * each, 1.2 * each] for each in RATES]}
SIZES = [10, 100, 1000, 10_000]


def over(names):
    return pytest.mark.parametrize("name", list(names))


def over_figures(names=FIGURES):
    return pytest.mark.parametrize("figure", list(names))


@cache
def drawn(figure, name, language="en"):
    return FIGURES[figure](EVERY[name], language=language)


def line(figure, gid):
    """Where a line goes, by the name of its group."""
    (found,) = figure.findobj(lambda each: each.get_gid() == gid)
    return np.column_stack(found.get_data())


def gids(figure):
    return {each.get_gid() for each in figure.findobj(Line2D)} - {None}


def words(figure):
    parts = [part for part in figure.findobj(Text) if part.get_gid() != NOTE]
    return [text for part in parts for text in part.get_text().split("\n") if text]


# --- whatever was said -------------------------------------------------------------------------------------


@pytest.mark.each_once
@over_figures()
@over(EVERY)
def test_whatever_was_said_is_drawn_without_a_warning_and_told(figure, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = drawn(figure, name).get_label()
    assert told.endswith(".")
    assert "nan" not in told
    assert "{" not in told
    assert "\n" not in told


@over_figures()
@over(["long names"])
def test_what_is_drawn_is_written_without_a_warning(figure, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        root = ElementTree.fromstring(report.svg(drawn(figure, name)))
    assert not [part.text for part in root.iter() if "mathdefault" in (part.text or "")]


@pytest.mark.each_once
@over_figures()
@pytest.mark.parametrize(
    ("name", "language"),
    [("long names", "en"), ("long names", "ko"), ("ten", "en")],
)
@pytest.mark.parametrize("fonts", ["all", "Matplotlib's own"])
def test_every_word_is_on_the_sheet(figure, name, language, fonts, monkeypatch):
    """The canvas that measures letters knows Hangul by the box that stands for it, as wide as its letters."""
    if fonts != "all":
        monkeypatch.setattr(canvas, "_others", tuple)
    found = FIGURES[figure](EVERY[name], language=language)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+")
        sheet = FigureCanvasAgg(found)
        sheet.draw()
        needed, (wide, high) = found.get_tightbbox(sheet.get_renderer()), found.get_size_inches()
    assert -0.02 <= needed.x0 < needed.x1 <= wide + 0.02
    assert -0.02 <= needed.y0 < needed.y1 <= high + 0.02


@over_figures()
@over(["nearly perfect"])
def test_a_page_can_put_its_own_colours_in_the_place_of_all(figure, name):
    element = inline(drawn(figure, name), "")
    assert "currentColor" in element
    assert not re.findall(r": #[0-9a-f]{3,6}", element)


@over_figures(["confusion", "roc", "cost"])
def test_equal_figures_are_equal_bytes_whatever_the_settings_around(figure):
    once = report.svg(FIGURES[figure](EVERY["nearly perfect"]))
    with rc_context({"font.size": 25.0, "text.usetex": True, "axes.grid": True, "svg.fonttype": "path"}):
        assert once == report.svg(FIGURES[figure](EVERY["nearly perfect"]))


@over_figures()
def test_figures_stand_on_a_page_and_are_small(figure):
    made = drawn(figure, "ten")
    element = inline(made, made.get_label(), "a-")
    assert len(element) < 100_000
    assert f'aria-label="{escape(made.get_label())}"' in element


def test_a_figure_is_saved_without_a_display():
    file = BytesIO()
    drawn("roc", "few").savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")


@over_figures()
def test_a_title_of_ones_own_or_none(figure):
    said = TWO["few"]
    assert "mine $x$" in words(FIGURES[figure](said, title="mine $x$"))
    assert FIGURES[figure](said, title="mine").get_label().startswith("mine: ")
    none = FIGURES[figure](said, title="")
    assert none.get_label() == FIGURES[figure](said).get_label()
    assert FIGURES[figure](said).axes[0].get_title(loc="left").endswith(none.axes[0].get_title(loc="left"))


# --- words -------------------------------------------------------------------------------------------------


def fields(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_say_the_same_things():
    english, korean = CATALOGUES["en"], CATALOGUES["ko"]
    assert list(english) == list(korean)
    for key, text in english.items():
        assert fields(korean[key]) <= fields(text) | {"n"}, key
        assert fields(text) - fields(korean[key]) <= {"positive"}, key
        assert "  " not in text + korean[key]


@over_figures()
def test_in_korean_no_english_is_left(figure):
    made = drawn(figure, "many examples", "ko")
    left = set(re.findall(r"[A-Za-z]+", " ".join([*words(made), made.get_label()])))
    assert left <= {"ROC", "ham", "spam", "nat"}


def test_names_are_cut_so_that_they_differ():
    long = [f"comp.sys.ibm.pc.hardware.{c}" for c in range(40)]
    assert len(set(abbreviate(long))) == 40
    assert abbreviate(["ham", "", 7, True]) == ["ham", "(empty)", "7", "True"]
    assert clip_name("a name that goes on") == "a name th…"
    assert abbreviate(["가나다라마바사아자차카타", "가나다라마바사아자차카파"], 9) == ["가나…카타", "가나…카파"]
    assert [nearly_one(each) for each in (0.0, 0.5, 0.9994, 1.0)] == ["0.0000", "0.5000", "0.999400", "1.0000"]


# --- what is drawn is what was judged ----------------------------------------------------------------------


@over([name for name in EVERY if "forty" not in name])
def test_the_counts_of_the_confusion_matrix(name):
    said = EVERY[name]
    expected = counted(said.y, said.predicted, labels=range(len(said.classes)))
    figure = drawn("confusion", name)
    (cells,) = (each for each in figure.axes[0].collections if each.get_gid() == "cells")
    at = {(int(path.vertices[0][1] + 0.5), int(path.vertices[0][0] + 0.5)) for path in cells.get_paths()}
    assert at == set(map(tuple, np.argwhere(expected).tolist()))
    told = {tuple(int(v) for v in text.get_position()[::-1]): text.get_text() for text in figure.axes[0].texts}
    for place, text in told.items():
        assert text.split("\n")[0] == f"{expected[place]:,}"
    n, wrong = len(said), int(said.errors.sum())
    assert f"{wrong:,} misclassified, {percent(wrong / n)}" in figure.get_label()
    assert set(told) >= {place for place in at if expected[place] < 100}


def test_a_threshold_moves_the_verdicts():
    said = two(200)
    for positive, threshold in (("spam", 0.9), ("ham", 0.3), (None, 1.0), (None, 0.0)):
        side = said.classes.index(positive or "spam")
        above = np.where(np.exp(said.log_p[:, side]) > threshold, side, 1 - side)
        figure = report.confusion_matrix(said, positive=positive, threshold=threshold)
        assert f"{int((above != said.y).sum())} misclassified" in figure.get_label()


def test_of_many_classes_the_most_confused_are_drawn_and_nobody_is_lost():
    figure = drawn("confusion", "forty, of long names")
    said = EVERY["forty, of long names"]
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert len(labels) == 21
    assert labels[-1] == "21 others (20)"
    assert sum(int(text.get_text().replace(",", "")) for text in figure.axes[0].texts) == len(said)
    assert "the 20 of 40 classes that are confused most" in figure.get_label()


@over([name for name in TWO if not operating_points(TWO[name]).one_sided])
def test_the_roc_and_its_chosen_point(name):
    said, figure = TWO[name], drawn("roc", name)
    ways = operating_points(said)
    curve, (point,) = line(figure, "curve"), line(figure, "chosen")
    assert set(map(tuple, curve)) <= set(zip(ways.false_positive_rate, ways.true_positive_rate, strict=True))
    wrong, right = ((said.predicted == 1)[said.y == c].mean() for c in (0, 1))
    assert_allclose(point, [wrong, right])
    across, up = line(figure, "interval-across")[:, 0], line(figure, "interval-up")[:, 1]
    assert across[0] <= wrong <= across[1]
    assert up[0] <= right <= up[1]
    area = roc(said.log_odds(1), said.y == 1)
    assert f"area {nearly_one(1.0 - area.inverted)}" in figure.get_label()
    assert ("corner" in gids(figure)) == (name == "nearly perfect")


@over([name for name in TWO if operating_points(TWO[name]).positives])
def test_precision_and_recall_and_the_base_rate(name):
    said, figure = TWO[name], drawn("precision and recall", name)
    ways = operating_points(said)
    curve = line(figure, "curve")
    assert set(map(tuple, curve)) <= set(zip(*ways.precision_recall(), strict=True))
    assert set(line(figure, "base")[:, 1]) == {(said.y == 1).mean()}
    called = said.predicted == 1
    assert ("chosen" in gids(figure)) == called.any()
    if called.any():
        assert_allclose(line(figure, "chosen")[0], [called[said.y == 1].mean(), (said.y == 1)[called].mean()])
    assert f"area {nearly_one(ways.precision_recall_area)}" in figure.get_label()


@over([name for name in TWO if not operating_points(TWO[name]).one_sided])
@pytest.mark.parametrize("costs", [None, (10.0, 1.0), (1.0, 4.0)], ids=["equal", "alarms", "misses"])
def test_the_cost_curve_and_the_threshold_that_costs_ask_for(name, costs):
    said = TWO[name]
    alarm, miss = costs or (1.0, 1.0)
    figure = report.cost_curve(said, costs)
    ways = operating_points(said)
    called = said.log_odds(1) > np.log(alarm / miss)  # Elkan 2001
    false, missed = (called & (said.y == 0)).sum(), (~called & (said.y == 1)).sum()
    x, cost = line(figure, "chosen")[0]
    assert x == pytest.approx(ways.positives * miss / (ways.positives * miss + ways.negatives * alarm))
    assert cost == pytest.approx((alarm * false + miss * missed) / (alarm * ways.negatives + miss * ways.positives))
    assert_allclose(line(figure, "threshold")[:, 1], [false / ways.negatives, missed / ways.positives])
    assert_allclose(line(figure, "envelope"), np.column_stack(ways.lower_envelope()))
    assert f"cost is {percent(cost)} of the worst" in figure.get_label()
    low, high = figure.axes[0].get_ylim()
    assert low < cost < high


def test_costs_in_every_form_are_the_same_costs():
    said = two(100)
    once = report.cost_curve(said, (5.0, 1.0)).get_label()
    matrix = [[0.0, 5.0], [1.0, 0.0]]
    for costs in (
        matrix,
        np.array(matrix) + np.array([[2.0], [3.0]]),
        type("Costs", (), {"matrix": np.array(matrix)})(),
    ):
        assert report.cost_curve(said, costs).get_label() == once
    other = report.cost_curve(said, matrix, positive="ham")
    assert "a missed ham counts 5, a false alarm 1; at threshold 0.167" in other.get_label()
    assert "at threshold 0.3" in report.cost_curve(said, matrix, threshold=0.3).get_label()


@over(EVERY)
def test_the_bins_of_the_reliability_diagram(name):
    said, figure = EVERY[name], drawn("reliability", name)
    found = reliability(said)
    assert_allclose(line(figure, "bins"), np.column_stack([found.predicted, found.observed]))
    for b, ends in enumerate(found.intervals):
        assert_allclose(line(figure, f"interval-{b}")[:, 1], ends)
    assert f"calibration error {percent(found.error)}" in figure.get_label()


@over(MANY)
@over_figures(["roc", "precision and recall"])
def test_of_many_classes_each_has_a_curve_or_the_worst_eight(figure, name):
    said, made = MANY[name], drawn(figure, name)
    areas = {}
    for c in said.classes:
        ways = operating_points(said, c)
        areas[c] = ways.roc_area if figure == "roc" else ways.precision_recall_area
    known = sorted((area, c) for c, area in enumerate(areas.values()) if area is not None)
    assert {gid for gid in gids(made) if gid.startswith("class")} == {f"class-{c}" for _, c in known[:8]}
    assert (f"the 8 of {len(said.classes)} classes" in made.get_label()) == (len(known) > 8)
    one = FIGURES[figure](said, positive=said.classes[0])
    assert "the rest" in one.get_label()


# --- errors by the number of examples ----------------------------------------------------------------------


@pytest.mark.parametrize("language", list(CATALOGUES))
def test_errors_by_the_number_of_examples(language):
    figure = report.error_curve(SIZES, ERRORS, ENDS, language=language, measure="log loss")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ElementTree.fromstring(report.svg(figure))
    for place, (model, errors) in enumerate(ERRORS.items()):
        at = line(figure, f"model-{place}")
        assert_array_equal(at[:, 1], errors)
        assert_allclose(at[:, 0], SIZES, rtol=0.1)
        assert any(model in text for text in words(figure))
    (bars,) = (each for each in figure.axes[0].collections if each.get_gid() == "intervals-0")
    told = [segment[:, 1] for segment in bars.get_segments() if len(segment)]
    assert_allclose(told, ENDS["naive Bayes"][: len(told)])
    assert len(told) == 3
    assert "log loss" in words(figure)
    assert "0.09" in figure.get_label()
    assert "1,000" in figure.get_label()


def test_one_size_and_errors_that_are_none():
    figure = report.error_curve([50], {"a": [0.0], "b": [np.nan]})
    assert figure.axes[0].get_ylim() == (0.0, 1.0)
    assert figure.get_label() == "learning curve: error by the number of examples learnt, 50 to 50; a 0 after 50."
    near = report.error_curve([100, 150, 200], {"a": [0.3, 0.2, 0.1]}, title="t")
    assert near.axes[0].get_xscale() == "linear"
    assert [label.get_text() for label in near.axes[0].get_xticklabels()] == ["100", "150", "200"]


def test_nothing_positive_and_nothing_called():
    """With nothing called positive precision is not known, and no point is drawn for it."""
    said = of_odds([-3.0, -2.0, -1.0], [0, 1, 0])
    assert "–" in report.precision_recall_curve(said).get_label()
    assert "there are no examples of spam" in report.precision_recall_curve(of_odds([-3.0], [0])).get_label()
