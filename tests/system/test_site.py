"""The site as a stranger meets it: built strictly, every link leads somewhere, nothing comes from elsewhere, and it is
light, steady, narrow and accessible in a real browser."""

from __future__ import annotations

import gzip
import inspect
import os
import re
import subprocess
import sys
import threading
from functools import cache, partial
from html import unescape
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import docstrings
import pytest

from system.accessibility import find_violations
from system.browser import open_chromium
from system.made_once import make_once
from system.snippets import ROOT

pytest.importorskip("material", reason="MkDocs-Material builds the site: pip install '.[site]'")
pytestmark = pytest.mark.deep

VIEWS = (
    *("", "tutorials/mail-filter/", "how-to/move/", "explanation/overconfidence/", "reference/glossary/"),
    *("reference/api/", "reference/command-line/", "mail/"),
)
KOREAN = (
    *("ko/", "ko/tutorials/reading-an-explanation/", "ko/explanation/decibans/", "ko/reference/errors/"),
    "ko/reference/api/deciban.LogisticRegression/",  # the English one within a Korean frame
)
HEAVIEST = 300_000  # bytes on their way, compressed as any server does it, without figures
UNPACKED = 600_000
TEXTS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}


def build(folder):
    """Build the site strictly: a warning is an error."""
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert run.returncode == 0, run.stderr.decode()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site."""
    return make_once(tmp_path_factory, "site", build)


class Links(HTMLParser):
    """What a page links to or loads, and the places in it that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.places |= {known[name] for name in ("id", "name") if known.get(name)}
        if tag == "a" and known.get("href"):
            self.targets.append(known["href"])
        elif known.get("src") or (tag == "link" and known.get("href")):
            self.loaded.append(known.get("src") or known["href"])


@cache
def read_pages(site: Path) -> dict[str, Links]:
    """Return the links of each page, by its address below the site."""
    files = [path for path in site.rglob("*.html") if path.name != "404.html"]
    return {str(path.relative_to(site)).removesuffix("index.html"): Links(path.read_text()) for path in files}


def test_every_link_leads_to_a_page_and_a_place(site):
    pages, broken = read_pages(site), []
    assert len(pages) > 450
    for address, page in pages.items():
        for link in (*page.targets, *page.loaded):
            target = urlsplit(urljoin(f"site:///{address}".replace("site:", "http://site"), link))
            if target.netloc not in ("", "site") or target.scheme in ("mailto", "data"):
                continue
            path = unquote(target.path).lstrip("/")
            place = unquote(target.fragment)
            there = path in pages or (site / path).is_file()
            if not there or (place and path in pages and place not in pages[path].places):
                broken.append((address, link))
    assert broken == []


def test_no_page_loads_anything_from_elsewhere(site):
    for address, page in read_pages(site).items():
        assert [each for each in page.loaded if urlsplit(each).netloc] == [], address
    for path in filter(Path.is_file, [*site.rglob("*.css"), *site.rglob("*.svg")]):
        text = path.read_text(encoding="utf-8")
        assert "@import" not in text, path
        assert "url(http" not in text.replace("url(http://www.w3.org", ""), path


def test_sources_of_pages_are_not_in_the_site(site):
    assert [path for path in site.rglob("*") if path.suffix in (".py", ".pyc", ".md")] == []
    data = [path.name for path in site.rglob("*.json") if "course" not in path.parts]
    assert sorted(data) == ["search_index.json", "search_index.ko.json"]


def test_formulas_of_docstrings_are_shown_with_their_underscores(site):
    for page in sorted((site / "reference" / "api").glob("*/index.html")):
        value = docstrings.find_public()[page.parent.name]
        shown = unescape(re.sub("<[^>]*>", "", page.read_text(encoding="utf-8")))
        # Types and defaults of parameters are put otherwise, code is shown as it is.
        words = [word for word in inspect.getdoc(value).split() if not re.search('[`"]|^default=', word)]
        assert [word for word in words if "_" in word and word.rstrip(":,") not in shown] == [], page.parent.name


def test_no_part_of_a_docstring_has_an_english_heading_on_a_korean_page(site):
    pages = list((site / "ko" / "reference" / "api").glob("*/index.html"))
    assert len(pages) > 200
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert 'class="doc-section-title">' not in text, page
        assert "default:\n" not in text, page


class Compressed(SimpleHTTPRequestHandler):
    """A server that compresses texts, as those for the world do."""

    def log_message(self, *words):
        pass

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file() or path.suffix not in TEXTS:
            return super().do_GET()
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        for name, value in (
            ("Type", f"{TEXTS[path.suffix]}; charset=utf-8"),
            ("Encoding", "gzip"),
            ("Length", len(body)),
        ):
            self.send_header(f"Content-{name}", str(value))
        self.end_headers()
        self.wfile.write(body)
        return None


@pytest.fixture(scope="module")
def served(site):
    """The address of the site."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Compressed, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    """A browser; the tests are skipped where there is none."""
    with open_chromium() as opened:
        yield opened


SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture
def tab(browser, served):
    """Open a page, wide or narrow, light or dark; what it asked for and complained of are lists."""
    contexts = []

    def open_page(view, width=1280, scheme="light", script=True):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            is_mobile=width < 600,
            java_script_enabled=script,
        )
        contexts.append(context)
        page = context.new_page()
        page.responses, page.complaints = [], []
        page.on("response", lambda response: page.responses.append(response))
        page.on("console", lambda told: page.complaints.append(told.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        if script:
            page.add_init_script(SHIFTS)
        page.goto(served + view, wait_until="networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("view", [*VIEWS, *KOREAN])
def test_a_page_is_light_asks_nobody_else_and_complains_of_nothing(tab, served, view):
    page = tab(view)
    assert page.complaints == []
    assert [each.url for each in page.responses if not each.url.startswith((served, "data:", "blob:"))] == []
    figures = (".svg", ".png")
    loaded = [each for each in page.responses if not each.url.endswith(figures)]
    assert sum(each.request.sizes()["responseBodySize"] for each in loaded) < HEAVIEST
    assert sum(len(each.body()) for each in loaded) < UNPACKED


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("view", [*VIEWS, *KOREAN])
def test_a_page_fits_and_does_not_shift(tab, view, width):
    page = tab(view, width)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.shifts") < 0.1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("view", [*VIEWS, *KOREAN])
def test_everybody_can_use_it(tab, view, width, scheme):
    assert find_violations(tab(view, width, scheme), colours_only=scheme == "dark") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_the_colours_of_the_system(tab, scheme):
    page = tab("", scheme=scheme)
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    bright = sum(map(int, colour.removeprefix("rgb(").rstrip(")").split(",")))
    assert bright > 700 if scheme == "light" else bright < 150


def test_the_start_page_says_everything_without_a_script(tab):
    page = tab("", script=False)
    text = page.inner_text("article")
    for said in ("14.2 dB against ham", "deciban train", "bogofilter"):
        assert said in text


SEARCHES = [("", "forgetting", "Exact forgetting"), ("ko/", "과신", "과신"), ("ko/", "LinearSVM", "서포트 벡터 머신")]


@pytest.mark.parametrize(("view", "word", "found"), SEARCHES)
def test_the_search_finds_pages_of_the_language_and_loads_its_index_only_then(tab, served, view, word, found):
    page = tab(view)
    assert not any("search_index" in each.url for each in page.responses)
    page.click("[data-md-component=search-query]")
    page.keyboard.type(word, delay=20)
    page.wait_for_selector(".md-search-result__item")
    assert found in page.inner_text(".md-search-result__list")
    links = page.eval_on_selector_all(".md-search-result__link", "links => links.map((link) => link.href)")
    assert links
    assert {link.removeprefix(served).startswith("ko/") for link in links} == {view == "ko/"}


@pytest.mark.parametrize(
    ("view", "other"), [("reference/api/deciban.SVM/", "ko/reference/api/deciban.SVM/"), ("", "ko/")]
)
def test_the_other_language_is_a_click_away(tab, served, view, other):
    page = tab(view)
    page.hover("button[aria-label]:has(+ .md-select__inner)")
    page.click("a[hreflang=ko]")
    page.wait_for_url(served + other)
    assert page.get_attribute("html", "lang") == "ko"
