"""The pictures of the API's pages: of whatever can be drawn, from the classes themselves, small, and told in words."""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from deciban import calibration, distributions, kernels, losses, penalties, report
from deciban.report.palette import COLOURS, INK
from system.snippets import ROOT
from tiers import examples

FOLDER = ROOT / "docs" / "site_build"
LARGEST, ALL = 25_000, 600_000  # bytes
LANGUAGES = ("en", "ko")
sys.path.append(str(FOLDER))
try:
    api_figures, api_pages = import_module("api_figures"), import_module("api_pages")
    page_words = import_module("page_words")
    pytest.importorskip("matplotlib", reason="Matplotlib draws the pictures: pip install '.[report]'")
    draw, compact = import_module("api_pictures.draw"), import_module("api_pictures.compact")
    inline_pictures = import_module("inline_pictures")
finally:
    sys.path.remove(str(FOLDER))
CATALOGUES = {
    "kernels": kernels.CATALOGUE,
    "losses": losses.CATALOGUE,
    "distributions": distributions.CATALOGUE,
    "calibration": calibration.CATALOGUE.values(),
    "penalties": penalties.CATALOGUE,
}


def read_labels(drawn: str) -> list[str]:
    """Return the words of a picture but those of the examples."""
    texts = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()) for text in texts if text.get("lang") is None]


def is_estimator(value: object) -> bool:
    return inspect.isclass(value) and hasattr(value, "fit")


def is_drawn(name: str) -> bool:
    return inspect.signature(getattr(report, name)).return_annotation == "Figure"


def test_whatever_can_be_drawn_has_a_picture():
    expected = {f"deciban.{name}" for name in deciban.__all__ if is_estimator(getattr(deciban, name))}
    expected |= {f"deciban.{home}.{each.__name__}" for home, listed in CATALOGUES.items() for each in listed}
    expected |= {f"deciban.report.{name}" for name in report.__all__ if is_drawn(name)}
    assert len(expected) > 50
    assert expected <= set(draw.NAMES)


def test_each_picture_is_kept_and_is_of_a_public_name():
    assert set(draw.NAMES) == set(api_figures.find_names())
    assert set(draw.NAMES) <= set(api_pages.names())
    kept = {file for name in draw.NAMES for file, _ in draw.find_drawings(name)}
    assert {path.name for path in draw.FOLDER.iterdir()} == kept


def test_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in draw.FOLDER.iterdir()}
    assert {name: size for name, size in sizes.items() if size >= LARGEST} == {}
    assert sum(sizes.values()) < ALL


@pytest.mark.deep
@pytest.mark.parametrize("name", draw.NAMES[::6])
@pytest.mark.filterwarnings("ignore")  # networks that are not trained to the end
def test_a_picture_is_what_its_class_draws(name):
    for file, drawn in draw.draw(name).items():
        assert read_labels(drawn) == read_labels((draw.FOLDER / file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_picture_is_told_in_the_language_of_its_page(language):
    for name in draw.NAMES:
        figure = api_figures.write_figure(name, language)
        place, text = re.search(r'<figcaption id="([^"]*)">(.*)</figcaption>', figure).groups()
        assert f'<svg role="img" aria-labelledby="{place}"' in figure
        assert bool(re.search("[가-힣]", text)) == (language == "ko"), name
        assert text.endswith("."), name


def test_every_caption_is_of_a_picture():
    for language in LANGUAGES:
        known = api_figures.read_captions(language)
        longest = {
            name: max((each for each in known if api_figures.fnmatchcase(name, each)), key=len) for name in draw.NAMES
        }
        assert set(longest.values()) == set(known)
    assert set(api_figures.read_captions("en")) == set(api_figures.read_captions("ko"))


def test_labels_of_korean_pictures_are_in_korean():
    """The table has each label with a word in Latin letters, and no other."""
    known, seen = page_words.read_labels("labels", "ko"), set()
    for name in draw.NAMES:
        drawn = (draw.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        if not (draw.FOLDER / f"{name}.ko.svg").exists():
            seen |= {
                page_words.NUMBER.sub("#", label) for label in read_labels(drawn) if re.search("[A-Za-z]{3}", label)
            }
        assert [label for label in read_labels(api_figures.read_picture(name, "ko")) if "#" in label] == []
    assert seen == set(known)
    assert all(re.search("[가-힣]", told) for told in known.values())


def test_pictures_take_the_colours_of_their_page():
    for name in draw.NAMES:
        drawn = api_figures.read_picture(name, "en")
        assert not re.findall("#[0-9a-f]{6}", drawn), name
        assert "currentColor" in drawn, name


def test_pictures_of_other_pages_are_shown_in_the_colours_of_the_page():
    shown = inline_pictures.inline('<p><img alt="Regions of &lt;SVM&gt;" src="../kernel.svg" /></p>')
    assert shown.startswith('<p><svg class="drawn" role="img" aria-label="Regions of &lt;SVM&gt;" data-search-exclude')
    assert not re.findall("#[0-9a-f]{6}", shown)
    referred, places = re.findall(r'(?:href="|url\()#([^")]+)', shown), re.findall(r' id="([^"]+)"', shown)
    assert set(referred) == set(places)
    assert all(place.startswith("kernel-") for place in places)
    assert inline_pictures.inline('<img alt="A street" src="../margins.svg" />').startswith('<svg class="drawn"')
    for other in ("../networks-evidence.svg", "../explain.svg", "other.svg", "https://example.org/kernel.svg"):
        link = f'<img alt="" src="{other}" />'
        assert inline_pictures.inline(link) == link


RENDERED = (
    '<h1 id="svm">SVM</h1>\n<p class="where" data-search-exclude="">API</p>\n'
    '<div class="highlight"><pre>call</pre></div>\n\n'
    '<div class="doc doc-object doc-class">\n<div class="doc doc-contents first">\n<p>Summary.</p>\n'
    '<p><span class="doc-section-title">Parameters:</span></p>\n<p>More.</p></div></div>'
)


def test_a_page_shows_summary_call_and_picture_in_this_order():
    shown = api_pages.arrange(RENDERED, "reference/api/deciban.SVM.md", "en")
    order = [shown.index(part) for part in ("<h1", "Summary", "call", "<svg", "<figcaption", "Parameters", "More")]
    assert order == sorted(order)
    assert api_pages.arrange(RENDERED, "tutorials/table.md", "en") == RENDERED
    assert "<svg" not in api_pages.arrange(RENDERED, "reference/api/deciban.load.md", "en")


def test_the_frame_of_a_korean_page_is_korean_and_its_docstring_is_marked_as_english():
    shown = api_pages.arrange(RENDERED, "reference/api/deciban.SVM.md", "ko")
    frame, docstring = shown.split('<section lang="en">')
    assert api_pages.summarise("deciban.SVM", "ko") in frame
    assert [part in frame for part in ("call", "<svg", "Summary")] == [True, True, False]
    assert 'class="doc-section-title" lang="ko">매개변수<' in docstring
    assert docstring.endswith("<p>More.</p></div></div>\n</section>\n")


@examples(50)
@given(st.lists(st.tuples(*[st.floats(-50.0, 50.0)] * 2), min_size=2, max_size=40))
def test_a_simplified_line_is_near_each_of_its_points(points):
    line = np.array(points)
    kept = compact.simplify(line)
    assert {tuple(each) for each in kept} <= {tuple(each) for each in line}
    starts, ways = kept[:-1], np.diff(kept, axis=0)
    lengths = np.maximum((ways**2).sum(axis=1), 1e-12)
    for point in line:
        share = np.clip(((point - starts) * ways).sum(axis=1) / lengths, 0.0, 1.0)
        apart = np.hypot(*(starts + share[:, None] * ways - point).T)
        assert apart.min() <= compact.LOSS + 1e-9


def test_a_small_picture_has_the_words_marks_and_places_of_the_large_one():
    large = report.svg(draw.CATALOGUE["deciban.LinearSVM"](), transparent=True)
    small = compact.compact(large)
    assert len(small) < 0.4 * len(large)
    assert sorted(read_labels(small)) == sorted(read_labels(large))
    assert small.count("<use ") == large.count("<use ")
    assert INK in small
    assert set(re.findall("#[0-9a-f]{6}", small)) <= {INK, *COLOURS, "#fffffe"}
