"""Pages in a real browser: nothing is loaded, the policy lets the page's own script run, it fits, and the slider tells
what the table tells."""

import json
from importlib.resources import files

import numpy as np
import pytest

from deciban.evaluation.judgements import Judgements
from deciban.pages.blocks import Bars, Opened, Paragraph, Section
from deciban.pages.measured import Measured, Size
from deciban.pages.page import Report
from deciban.pages.summary import summarise
from deciban.pages.words import Words
from deciban.report.decisions import prices
from system.browser import Browser, program

pytestmark = pytest.mark.deep

WIDTHS = (320, 390, 900, 1400)
N = 50_000
CLASSES = ("ham", "spam")
SLIDER = "document.querySelector('.slider')"


@pytest.fixture(scope="module")
def browser():
    """A browser; the tests are skipped where there is none."""
    found = program()
    if found is None:
        pytest.skip("there is no Chromium here: on Debian, apt install chromium")
    with Browser(found) as opened:
        yield opened


def predict(seed, N, classes):
    """Return what a fairly good model says of N examples."""
    random = np.random.default_rng(seed)
    y = random.integers(2, size=N)
    s = (2 * y - 1) * 2.0 + random.normal(size=N) * 2.0
    return Judgements(classes, y, -np.logaddexp(0.0, -np.column_stack([-s, s])))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A whole page of many judgements at a path."""
    said = predict(0, N, ("<b>ham", "spam" * 20))
    words = Words("en")
    measured = Measured.of(
        said, words("how.evaluated", judged=f"{N:,}"), sizes=[Size(4000, 9000, N), Size(40000, 8000, N)]
    )
    path = tmp_path_factory.mktemp("page") / "r.html"
    more = Section("more", "h", [Opened("t", [Paragraph("p")], shut=True)])
    proof = {"status": "exhausted", "advice": "raise max_iter"}
    summary = summarise(measured, proof, ["a column" * 9], words)
    certificate = Section("certificate", "proof", [Paragraph("p")])
    Report("m", summary.claim, [*measured.sections(words), more, certificate], words, summary).save(path)
    return path


def test_nothing_is_loaded_and_nothing_is_wrong(browser, page):
    browser.open(page)
    assert browser.requests() == [page.as_uri()]
    assert browser.complaints() == []
    assert browser.ask("document.compatMode") == "CSS1Compat"
    assert page.stat().st_size < 3e6


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_the_window(browser, page, width):
    browser.open(page, width)
    assert browser.ask("document.documentElement.scrollWidth") <= width
    for element in ("svg", "figcaption", "dd", "h2"):
        widest = f"Math.max(...[...document.querySelectorAll('{element}')].map(e => e.getBoundingClientRect().right))"
        assert browser.ask(widest) <= width


@pytest.mark.parametrize(("width", "columns"), [(390, 1), (900, 1), (1100, 2), (1400, 2)])
def test_figures_are_in_two_columns_on_wide_screens(browser, page, width, columns):
    browser.open(page, width)
    figures = [f"document.querySelector('[id^={each}-]').closest('figure')" for each in ("roc", "precision")]
    one, other = browser.ask(f"[{', '.join(figures)}].map((each) => each.getBoundingClientRect().toJSON())")
    assert (one["right"] <= other["left"]) == (columns == 2)
    assert (one["bottom"] <= other["top"]) == (columns == 1)


@pytest.mark.parametrize(("width", "height"), [(1400, 500), (390, 900)])
def test_the_summary_is_on_the_first_screen(browser, page, width, height):
    browser.open(page, width)
    assert browser.ask("document.querySelector('.summary').getBoundingClientRect().bottom") <= height
    assert browser.ask("document.querySelectorAll('.summary dd.value').length") == 3
    assert "did not converge" in browser.ask("document.querySelector('.summary .warning').textContent")


def test_nothing_moves_once_it_is_shown(browser, page):
    browser.open(page)
    moved = "new PerformanceObserver(() => {}).observe({type: 'layout-shift', buffered: true})"
    browser.ask(moved)
    shifts = "performance.getEntriesByType('layout-shift').reduce((sum, each) => sum + each.value, 0)"
    assert browser.ask(shifts) == 0


def test_details_open_by_the_keyboard_without_a_script(browser, page):
    browser.open(page, script=False)
    browser.ask("document.querySelector('details.item summary').focus()")
    before = browser.ask("document.querySelector('details.item').open")
    for kind in ("keyDown", "keyUp"):
        browser.say("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    assert browser.ask("document.querySelector('details.item').open") is not before


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, page, scheme, width):
    pytest.importorskip("axe_playwright_python", reason="it brings axe-core: pip install axe-playwright-python")
    rules = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    browser.open(page, width, scheme)
    browser.ask("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    browser.ask(f"(() => {{ {rules} }})()")
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = browser.say(
        "Runtime.evaluate",
        expression=f"axe.run(document, {json.dumps(options)}).then((found) => JSON.stringify(found.violations))",
        awaitPromise=True,
        returnByValue=True,
    )
    told = [
        (each["id"], [node["html"][:200] for node in each["nodes"]]) for each in json.loads(found["result"]["value"])
    ]
    assert told == []


def test_dark_and_print_have_colours_of_their_own(browser, page):
    ink, paper = ("getComputedStyle(document.body).color", "getComputedStyle(document.body).backgroundColor")
    browser.open(page, scheme="light")
    light = browser.ask(paper), browser.ask(ink)
    browser.open(page, scheme="dark")
    dark = browser.ask(paper), browser.ask(ink)
    assert sum(map(int, light[0][4:-1].split(","))) > 700 > 120 > sum(map(int, dark[0][4:-1].split(",")))
    assert sum(map(int, light[1][4:-1].split(","))) < 120 < 600 < sum(map(int, dark[1][4:-1].split(",")))
    lines = "getComputedStyle(document.querySelector('svg text')).fill"
    assert browser.ask(lines) == dark[1]
    browser.open(page, scheme="dark", medium="print")
    assert (browser.ask(paper), browser.ask(ink)) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
    assert browser.ask(f"getComputedStyle({SLIDER}).display") == "none"
    assert browser.ask("[...document.querySelectorAll('details:not([open])')].length") > 0
    shut = "getComputedStyle(document.querySelector('details:not([open])'), '::details-content').contentVisibility"
    assert browser.ask(shut) == "visible"


def test_the_slider_tells_what_its_stops_hold(browser, page):
    browser.open(page)
    assert browser.ask(f"{SLIDER}.hidden") is False
    stops = browser.ask(f"JSON.parse({SLIDER}.dataset.stops)")
    assert browser.ask("Number(document.getElementById('threshold').max)") == len(stops) - 1
    at = browser.ask("Number(document.getElementById('threshold').value)")
    assert stops[at][0] == 0.0
    for price in (1, 50):
        browser.ask(f"price.value = {price}; price.dispatchEvent(new Event('input')); cheapest.click();")
        costs = [price * alarms + missed for *_, alarms, missed in stops]
        at = browser.ask("Number(threshold.value)")
        assert costs[at] == min(costs)
        told = browser.ask("told.value")
        assert all(f"{value}" in told.replace(",", "") for value in (stops[at][3], costs[at]))


@pytest.mark.parametrize("used", [0.5, 0.9])
@pytest.mark.parametrize("positive", CLASSES)
def test_the_cheapest_is_what_the_command_threshold_names(browser, tmp_path, positive, used):
    said = predict(1, 200, CLASSES)
    words, path = Words("en"), tmp_path / "r.html"
    measured = Measured.of(said, "how", positive=positive, threshold=used)
    Report("m", "", list(measured.sections(words)), words).save(path)
    browser.open(path)
    negative = next(label for label in CLASSES if label != positive)
    for price in (0.01, 0.5, 1.0, 3.0, 20.0, 1e6):
        found = prices(said, CLASSES.index(positive), [f"{negative}:{positive}={price}"], None).found["cheapest here"]
        browser.ask(f"price.value = {price}; price.dispatchEvent(new Event('input')); cheapest.click();")
        decibans = found[0].decibans
        signed = f"{decibans:+.12g}".replace("-", "−", 1) if decibans else "0"
        told = browser.ask("told.value").replace(",", "")
        assert told.startswith(f"Threshold {signed} dB"), (price, told)
        assert f"{found[2][0]} false positives {found[2][1]} false negatives" in told
        assert f"The cheapest {signed} dB costs" in told
        assert browser.ask("threshold.getAttribute('aria-valuetext')").startswith(signed)


def test_all_bars_begin_at_one_line(browser, tmp_path):
    rows = [("a", "+1.0", "for", 100), ("b", "−0.5", "against", 50), ("c", "+0.1", "for", 10), ("d", "0", "", 0)]
    path = tmp_path / "r.html"
    Report("m", "", [Section("s", "h", [Bars("t", ("what", "dB"), rows)])], Words("en")).save(path)
    browser.open(path)
    places = browser.ask(
        "[...document.querySelectorAll('.length span')].map((bar) => [bar.getBoundingClientRect(), "
        "bar.closest('td').getBoundingClientRect()]).map(([bar, cell]) => [bar.left - cell.left, "
        "bar.right - cell.left, cell.width])"
    )
    (first, _, width), (_, against, _), (third, *_) = places
    assert first == pytest.approx(width / 3, abs=0.5)
    assert (against, third) == pytest.approx((first, first), abs=0.5)


def test_without_a_script_the_table_tells(browser, page):
    browser.open(page, script=False)
    assert browser.ask(f"{SLIDER}.hidden") is True
    assert browser.ask("document.querySelectorAll('section[aria-labelledby=costs] tbody tr').length") > 5


def test_a_screen_reader_is_told_of_everything(browser, page):
    browser.open(page)
    nodes = browser.say("Accessibility.getFullAXTree")["nodes"]
    roles = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
    for role, least in (("heading", 6), ("image", 5), ("table", 3), ("slider", 1), ("button", 1), ("navigation", 1)):
        named = [name for found, name in roles if found.lower() in (role, {"image": "img"}.get(role))]
        assert len(named) >= least, role
        if role not in ("table",):
            assert all(named), role
