"""The pages of the course: what they show is true, both languages say the same, and their figures serve everybody."""

from __future__ import annotations

import doctest
import re
import sys
from importlib import import_module
from xml.etree import ElementTree

import numpy as np
import pytest

from deciban.report.palette import TONES
from system.accessibility import find_violations
from system.browser import open_chromium
from system.course import CHAPTERS, COURSE, LANGUAGES, read_page, serve_course

ROOT = COURSE.parents[1]
PAGES = ("index", *CHAPTERS)
EVERY_PAGE = [(name, language) for name in PAGES for language in LANGUAGES]


def blocks(text):
    return re.findall(r"```(\w+)\n(.*?)```", text, flags=re.DOTALL)


def without_code(text):
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def import_here(name):
    """Import a module of docs/course, which is no package."""
    sys.path.insert(0, str(COURSE))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(COURSE))


# What the pages show


@pytest.mark.parametrize("name", PAGES)
def test_the_code_beside_a_formula_is_in_the_source(name):
    shown = [code for _, code in blocks(read_page(name)) if not code.startswith(">>>")]
    for code in shown:
        first, *lines = code.splitlines()
        found = re.fullmatch(r"(?:#|//) ((?:python|crates)/\S+)", first)
        assert found is not None, first
        source = {line.strip() for line in (ROOT / found[1]).read_text(encoding="utf-8").splitlines()}
        assert [line for line in lines if line.strip() not in source] == []
    assert shown or name in ("bias-variance",)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_calls_of_a_page_return_what_it_shows(name, capsys):
    calls = [code for _, code in blocks(read_page(name)) if code.startswith(">>>")]
    failed = 0
    for code in calls:
        example = doctest.DocTestParser().get_doctest(code, {}, name, name, 0)
        failed += doctest.DocTestRunner().run(example).failed
    assert failed == 0, capsys.readouterr().out


@pytest.mark.parametrize(("name", "language"), EVERY_PAGE)
def test_links_and_pictures_lead_somewhere(name, language):
    for target in re.findall(r"\]\(([^)]+)\)", without_code(read_page(name, language))):
        path, _, anchor = target.partition("#")
        assert (COURSE / path).is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", (COURSE / path).read_text(encoding="utf-8"), flags=re.MULTILINE)
            slugs = [re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings]
            assert anchor in slugs, target


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CHAPTERS)
def test_room_is_kept_for_the_picture(name, language):
    width, height = re.search(r"\.svg\)\{ width=(\d+) height=(\d+) \}", read_page(name, language)).groups()
    assert f'width="{width}" height="{height}"' in (COURSE / f"{name}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "language"), EVERY_PAGE)
def test_every_formula_becomes_mathml(name, language):
    pytest.importorskip("latex2mathml", reason="the site needs it: pip install latex2mathml")
    formulas = import_here("formulas")

    class Page:
        class file:  # noqa: N801  # named as in MkDocs
            src_uri = f"course/{name}.md"

    page, text = Page(), read_page(name, language)
    left = formulas.on_page_markdown(text, page=page)
    assert "$" not in without_code(left)
    assert without_code(text).count("$$") % 2 == 0
    shown = formulas.on_page_content(left, page=page)
    assert shown.count("<math") == len(page.course_formulas) > 0
    for formula in page.course_formulas:
        root = ElementTree.fromstring(formula.replace("&", "&amp;"))
        assert not [part.text for part in root.iter() if part.text and "\\" in part.text], formula


def shapes(svg):
    """Return the elements of a picture, and all numbers in it."""
    root = ElementTree.fromstring(svg)
    numbers = [float(n) for part in root.iter() for n in re.findall(r"-?\d+\.?\d*", " ".join(part.attrib.values()))]
    return [part.tag for part in root.iter()], numbers, [part.text for part in root.iter() if part.tag.endswith("text")]


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_still_pictures_are_what_their_script_draws():
    pictures = import_here("pictures")
    assert tuple(pictures.DRAWN) == CHAPTERS
    for name, draw in pictures.DRAWN.items():
        drawn, kept = shapes(pictures.stack_plots(draw())), shapes((COURSE / f"{name}.svg").read_text(encoding="utf-8"))
        assert drawn[0] == kept[0], name
        assert drawn[2] == kept[2], name
        np.testing.assert_allclose(drawn[1], kept[1], atol=0.21, err_msg=name)


# Two languages


# Headings, figures, links, items of lists, and pairs of a formula and its code.
PARTS = (r"^(#+) ", r'data-course="(.*?)"', r"\]\(([^)#]+)", r"^([-\d])\.? ", r'(<div class="course-pair")')


@pytest.mark.parametrize("name", PAGES)
def test_both_languages_have_the_same_parts(name):
    english, korean = (read_page(name, language) for language in LANGUAGES)
    for part in PARTS:
        one, other = (re.findall(part, without_code(text), flags=re.MULTILINE) for text in (english, korean))
        assert one == other, part
    assert blocks(english) == blocks(korean)
    one, other = (without_code(text).count("$$") for text in (english, korean))
    assert one == other
    prose = re.sub(r"<div class=\"course-pair\".*?</div>|\$.*?\$", "", without_code(korean), flags=re.DOTALL)
    assert len(re.findall(r"[가-힣]", prose)) > 300
    assert not re.findall(r"[가-힣]", english)


def test_the_index_names_every_chapter():
    for language in LANGUAGES:
        assert re.findall(r"^\d+\. \[.*?\]\((.*?)\.md\)", read_page("index", language), flags=re.MULTILINE) == list(
            CHAPTERS
        )


# In a browser

IN_BROWSER = [pytest.param(name, language, marks=pytest.mark.deep) for name in CHAPTERS for language in LANGUAGES]
FOCUSED = """(() => {
  const e = document.activeElement;
  return [e.dataset.order, e.tagName.toLowerCase(), e.type ?? '', e.value ?? '', e.max ?? ''];
})()"""
ONCE = [pytest.param(name, marks=pytest.mark.deep) for name in CHAPTERS]
INTERACTIVE = "figure button, figure input, figure select, figure textarea, figure [tabindex='0']"


@pytest.fixture(scope="module")
def browser():
    """A browser and the address of the course; the tests are skipped where there is none."""
    with open_chromium() as opened, serve_course() as address:
        yield opened, address


class Figure:
    """A figure in a window of its own, and what the browser finds wrong with it."""

    def __init__(self, browser, name, language="en", *, width=1000, scheme="default", script=True):
        opened, address = browser
        self.context = opened.new_context(
            viewport={"width": width, "height": 900},
            java_script_enabled=script,
            is_mobile=width < 500,
            has_touch=width < 500,
        )
        self.page, self.complaints, self.asked = self.context.new_page(), [], []
        self.page.on("console", lambda told: self.complaints.append(told.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"{address}/page/{language}/{scheme}/{name}")
        if script:
            self.page.wait_for_selector("figure[data-mounted=yes] output p")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.close()

    def look(self):
        """Return what there is to see and to hear."""
        fields = "[...document.querySelectorAll('figure input, textarea')].map((e) => e.value + e.checked)"
        return self.page.evaluate(f"document.querySelector('figure').innerHTML + {fields}")


@pytest.mark.parametrize(("name", "language"), IN_BROWSER)
def test_a_figure_moves_by_the_keyboard_alone(browser, name, language):
    with Figure(browser, name, language) as figure:
        keyboard, page = figure.page.keyboard, figure.page
        count = page.locator(INTERACTIVE).count()
        assert count >= 2
        page.evaluate(f'document.querySelectorAll("{INTERACTIVE}").forEach((node, k) => node.dataset.order = k)')
        reached, moved = set(), {"range": 0, "point": 0, "other": 0}
        for _ in range(count):
            keyboard.press("Tab")
            kind = page.evaluate(FOCUSED)
            order, tag, form, value, most = kind
            assert order is not None, kind
            reached.add(order)
            before = figure.look()
            if form == "range":
                keyboard.press("ArrowLeft" if float(value) >= float(most) else "ArrowRight")
                assert figure.look() != before, kind
                moved["range"] += 1
            elif tag == "g":
                keyboard.press("ArrowLeft")
                assert figure.look() != before, kind
                keyboard.press("Shift+ArrowUp")
                moved["point"] += 1
            elif tag == "textarea":
                keyboard.type("free 무료")
                assert figure.look() != before
            elif tag == "select":
                keyboard.press("ArrowDown")
                assert figure.look() != before
            else:
                keyboard.press("Space" if form == "checkbox" else "Enter")
                keyboard.press("Space" if form == "checkbox" else "Enter")
                moved["other"] += 1
        assert reached == {str(k) for k in range(count)}
        assert sum(moved.values()) >= 2
        assert figure.complaints == []
        assert all(url.startswith(browser[1]) for url in figure.asked)


@pytest.mark.parametrize(("name", "language"), IN_BROWSER)
def test_everything_has_a_name_in_the_language_of_the_page(browser, name, language):
    with Figure(browser, name, language) as figure:
        said = figure.page.evaluate(
            "[...document.querySelectorAll('figure svg, figure [tabindex]')].map((e) => e.getAttribute('aria-label'))"
        )
        controls = figure.page.evaluate(
            "[...document.querySelectorAll('figure button, figure label')].map((e) => e.textContent)"
        )
        results = figure.page.locator("output").inner_text()
        assert all(said)
        assert all(controls)
        assert bool(re.search(r"[가-힣]", "".join(said))) == (language == "ko")
        assert bool(re.search(r"[가-힣]", results + "".join(controls))) == (language == "ko")


@pytest.mark.parametrize("name", ONCE)
def test_both_languages_have_the_same_words(browser, name):
    with Figure(browser, name) as figure:
        keys = """async (name) => {
          const { WORDS } = await import(`/widgets/${name}.js`);
          const shape = (value) => Array.isArray(value) ? value.map(shape) : value && typeof value === "object"
            ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shape(each)])) : typeof value;
          return [shape(WORDS.en), shape(WORDS.ko)];
        }"""
        english, korean = figure.page.evaluate(keys, name)
        assert english == korean


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("name", ONCE)
def test_axe_finds_nothing(browser, name, scheme):
    with Figure(browser, name, scheme=scheme) as figure:
        assert find_violations(figure.page, colours_only=scheme == "slate") == []


@pytest.mark.parametrize(("name", "language"), IN_BROWSER)
def test_a_narrow_window_does_not_scroll_sideways(browser, name, language):
    with Figure(browser, name, language, width=360) as figure:
        assert figure.page.evaluate("document.documentElement.scrollWidth") <= 360
        parts = "figure svg, figure button, figure input, figure select, figure p"
        right = f"[...document.querySelectorAll('{parts}')].map((e) => e.getBoundingClientRect().right)"
        assert figure.page.evaluate(f"Math.max(...{right})") <= 360


@pytest.mark.parametrize("name", ONCE)
def test_without_a_script_there_is_a_picture_and_a_caption(browser, name):
    with Figure(browser, name, script=False) as figure:
        picture = figure.page.locator("figure img")
        assert picture.bounding_box()["height"] > 100
        assert len(picture.get_attribute("alt")) > 30
        assert len(figure.page.locator("figcaption").inner_text()) > 60
        assert figure.page.locator("figure button").count() == 0


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("name", ONCE)
def test_in_print_the_controls_are_gone_and_the_picture_is_dark_on_white(browser, name, scheme):
    with Figure(browser, name, scheme=scheme) as figure:
        figure.page.emulate_media(media="print")
        assert not figure.page.locator(".course-controls").is_visible()
        assert figure.page.locator("figure svg").first.is_visible()
        assert figure.page.locator("output").is_visible()
        ink = figure.page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
        assert ink == f"rgb({', '.join(str(part) for part in bytes.fromhex(TONES['dim'].light[1:]))})"


@pytest.mark.deep
def test_a_point_follows_the_mouse_and_a_finger(browser):
    with Figure(browser, "perceptron") as figure:
        point = figure.page.locator("figure [tabindex='0']").first
        box = point.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        figure.page.mouse.move(x, y)
        figure.page.mouse.down()
        figure.page.mouse.move(x + 60, y + 30, steps=4)
        figure.page.mouse.up()
        after = point.bounding_box()
        assert (after["x"] - box["x"], after["y"] - box["y"]) == pytest.approx((60, 30), abs=1.5)
        assert point.evaluate("(node) => getComputedStyle(node).touchAction") == "none"
