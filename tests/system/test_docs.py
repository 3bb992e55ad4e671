"""The pages that compute what they say, say what is computed: written anew they are what stands in docs/."""

import re
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.text import Text

DOCS = Path(__file__).parents[2] / "docs"
PARTS = ("networks", "networks_cases", "networks_pictures", "networks_prose", "networks_runs")


@pytest.fixture(scope="module")
def written():
    """The text of the page on networks, and its figures by the name of their file."""
    before = sys.path[:]
    sys.path.insert(0, str(DOCS))
    try:
        return import_module("networks").page()
    finally:
        sys.path[:] = before
        for name in PARTS:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def page():
    return (DOCS / "networks.md").read_text(encoding="utf-8")


def test_the_page_on_networks_is_what_its_script_writes(written, page):
    told, said = written[0].splitlines(), page.splitlines()
    assert [(k, one, other) for k, (one, other) in enumerate(zip(told, said, strict=False), 1) if one != other] == []
    assert len(told) == len(said)


def test_its_pictures_say_what_is_drawn(written, page):
    figures = written[1]
    assert set(re.findall(r"\]\((\S+\.svg)\)", page)) == set(figures)
    for name, figure in figures.items():
        root = ElementTree.fromstring((DOCS / name).read_text(encoding="utf-8"))
        there = {part.text for part in root.iter() if part.tag.endswith("}text")}
        labels = {line for text in figure.findobj(Text) for line in text.get_text().split("\n")}
        words = {line for line in labels if re.search(r"[^\W\d]", line)}
        assert words
        assert words <= there, name


def test_the_code_that_it_shows_is_in_the_source(page):
    shown = re.findall(r"```python\n# (python/deciban/\S+)\n(.*?)```", page, flags=re.DOTALL)
    assert {path.rpartition("/")[2] for path, _ in shown} == {"network.py", "layers.py"}
    for path, code in shown:
        source = [line.strip() for line in (DOCS.parent / path).read_text(encoding="utf-8").splitlines()]
        lines = [line.strip() for line in code.splitlines() if not line.startswith("class ")]
        assert set(lines) <= {*source, ""}


def test_the_page_on_decisions_says_how_many_messages_it_takes(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    page = (DOCS / "decisions.md").read_text(encoding="utf-8")
    assert import_module("decisions").of_sizes() in page
    for name in [name for name in sys.modules if name.startswith("decisions")]:
        sys.modules.pop(name)
