"""deciban train --report: a page that stands alone, of every model."""

import re
from html.parser import HTMLParser

import polars
import pytest

from deciban.models.table_recipes import MODELS
from deciban.report import regions
from system.command import TRAIN
from system.test_cli_typed_tables import people, write_csv

VOID = {"meta", "br", "img", "link", "hr", "input"}
SCRIPT = "<script>alert(1)</script>"


class Page(HTMLParser):
    """The tags of a page, which must close as they opened; its texts; and its attributes."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.texts, self.attributes = [], [], [], []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text.strip())


def read(path):
    """The page at a path, which must need nothing from elsewhere."""
    html = path.read_text(encoding="utf-8")
    page = Page(html)
    assert html.startswith("<!doctype html>")
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(page.tags)
    addresses = re.findall(r"\w+://[^\s\"'<]*", re.sub(r'xmlns(:\w+)?="[^"]*"', "", html))
    assert not addresses
    assert not re.search(r"url\((?!#)|@import", html)
    assert all(not name.startswith("on") for name, _ in page.attributes)
    assert all(value.startswith("#") for name, value in page.attributes if name in ("href", "xlink:href", "src"))
    assert {"prefers-color-scheme: dark", "@media print", "width=device-width", 'lang="en"'} <= {
        said
        for said in ("prefers-color-scheme: dark", "@media print", "width=device-width", 'lang="en"')
        if said in html
    }
    return page


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Fewer points of the plane are asked about: it is not the lines that are looked at."""
    monkeypatch.setattr(regions, "_STEPS", 31)
    monkeypatch.setattr(regions, "_MORE_STEPS", 31)


@pytest.fixture
def table(tmp_path):
    """Two measurements, and labels that nobody should trust."""
    rows = [(150.0 + i + 9 * (i % 2), 50.0 + i % 7, ("예", SCRIPT)[i % 2]) for i in range(40)]
    return write_csv(tmp_path / "t.csv", rows, ("키", "a<b>&", "성별"))


@pytest.mark.parametrize("model", MODELS)
def test_a_page_of_every_model_of_a_table_stands_alone(model, run, table, tmp_path):
    done = run("train", table, "--label", "성별", "--model", model, "-o", "m.deciban", "--report", "r.html")
    assert done.returncode == 0, done.stderr
    assert "Wrote r.html." in done.stderr.splitlines()
    page = read(tmp_path / "r.html")
    assert {SCRIPT, "예", "A model of '성별'", "키", "a<b>&", "Certificate"} <= set(page.texts)
    told = [value for name, value in page.attributes if name == "aria-label"]
    assert page.tags.count("svg") == len(told) == (2 if model == "mlp" else 1)  # its learning curves, too
    (regions,) = (each for each in told if "over 키 and a<b>&" in each)
    assert "'예' (20" in regions
    assert set(told) <= set(page.texts)
    digest = run("inspect", "m.deciban", "--json").stdout.split('"digest": "')[2].split('"')[0]
    assert any(digest[:16] in text for text in page.texts)


@pytest.mark.parametrize("model", ["naive-bayes", "discriminant", "svm"])
def test_columns_of_all_kinds_are_drawn_along_their_components_or_it_is_said_why_not(model, run, tmp_path):
    write_csv(tmp_path / "t.csv", people(120))
    assert run("train", "t.csv", "--label", "buys", "--model", model, "--report", "r.html").returncode == 0
    page = read(tmp_path / "r.html")
    said = " ".join(page.texts)
    if model == "naive-bayes":
        assert "There is no picture of naive-bayes with categories" in said
    else:
        assert "through the mean of 6 features, along the 2 leading principal components" in said
        assert page.tags.count("svg") == 1


def test_naive_bayes_of_numbers_and_a_single_column(run, tmp_path):
    rows = [(float(i), i % 3 + 0.5 * (i > 20), None if i == 3 else i % 4 / 3, "ab"[i > 20]) for i in range(40)]
    write_csv(tmp_path / "t.csv", rows, ("u", "v", "w", "y"))
    given = ("--label", "y", "--number", "u", "--report", "r.html")
    assert run("train", "t.csv", *given, "--model", "naive-bayes").returncode == 0
    assert "mean of 3 features" in " ".join(read(tmp_path / "r.html").texts)
    assert run("train", "t.csv", *given, "--model", "svm", "--ignore", "v", "--ignore", "w").returncode == 0
    assert "There is no picture of one column: regions need two features or more." in read(tmp_path / "r.html").texts


@pytest.mark.parametrize("model", ["naive-bayes", "logistic"])
def test_a_page_of_a_filter_of_mail_lists_its_strongest_words(model, run, tmp_path):
    assert run("train", TRAIN, "--model", model, "-o", "f.deciban", "--report", "r.html").returncode == 0
    page = read(tmp_path / "r.html")
    assert {"A filter of mail", "ham", "spam", "Strongest evidence", "for spam"} <= set(page.texts)
    assert "svg" not in page.tags
    assert not any(text.startswith("There is no picture") for text in page.texts)


def test_a_page_of_texts_escapes_their_words(run, tmp_path):
    texts = [f"{'gut' if i % 2 else '<img src=x onerror=alert(1)>'} 좋은 {i}" for i in range(40)]
    polars.DataFrame({"t": texts, "y": [SCRIPT if i % 2 else "b" for i in range(40)]}).write_csv(tmp_path / "t.csv")
    given = ("--text", "t", "--label", "y", "--model", "nbsvm")
    assert run("train", "t.csv", *given, "--report", "r.html").returncode == 0
    assert {f"for {SCRIPT}", "for b"} <= set(read(tmp_path / "r.html").texts)


def test_a_report_is_replaced_by_equal_bytes_and_its_mode_kept(run, table, tmp_path):
    given = ("train", table, "--label", "성별", "--model", "least-squares", "--report", "r.html")
    assert run(*given).returncode == 0
    first = (tmp_path / "r.html").read_bytes()
    (tmp_path / "r.html").chmod(0o600)
    assert run(*given).returncode == 0
    assert (tmp_path / "r.html").read_bytes() == first
    assert (tmp_path / "r.html").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.deciban", "r.html", "t.csv"]
