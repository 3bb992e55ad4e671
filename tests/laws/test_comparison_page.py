"""The page of a comparison shows what was compared, in either language, and nothing of it is markup."""

import re

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import deciban
from deciban.pages import blocks, compared
from deciban.pages.compared import of_comparison
from deciban.pages.words import LANGUAGES, Words
from laws.compared import Spy, clouds, letters
from system.pages import checked

SCRIPT = "<script>alert(1)</script>"
MODELS = {"bayes": GaussianNB(), SCRIPT: LinearSVC(), "none": DummyClassifier()}


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Figures are made, but not drawn: it is not their lines that are looked at."""
    monkeypatch.setattr(blocks, "inline", lambda drawn, says, prefix="": f'<svg role="img" id="{prefix}"></svg>')
    Spy.seen.clear()


def sections(page):
    return [value for name, value in page.attributes if name == "aria-labelledby"]


def shown(found, language="en", command=""):
    return checked(of_comparison(found, Words(language), command).html(), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_was_found_is_on_the_page(language):
    X, y = clouds(120, 3)
    y = np.array([SCRIPT, "b & c", "다"])[np.unique(y, return_inverse=True)[1]]
    found = deciban.compare(MODELS, X, y, folds=3, sizes=[12, 30], repeats=2)
    page = shown(found, language)
    assert sections(page) == ["models", "differences", "learning", "data", "again"]
    said = set(page.texts)
    for row in found.rows:
        assert {row.model, f"{row.log_loss:.4f}" if row.log_loss is not None else "–"} <= said
        for point in row.curve:
            assert compared.percent(point.error) in said
    words = Words(language)
    for pair in found.pairs:
        assert {f"{pair.a} − {pair.b}", compared.format_p(pair.p), compared.format_p(pair.t_p)} <= said
        assert f"{pair.mcnemar.only_a} : {pair.mcnemar.only_b}" in said
    assert {words("compared.yes"), SCRIPT, "b & c", "다"} <= said
    assert page.texts.count(words("compared.yes")) == sum(
        1 + (found.best in (pair.a, pair.b)) for pair in found.pairs if pair.real
    )


@pytest.mark.parametrize("models", [{"bayes": GaussianNB()}, {"a": GaussianNB(), "b": GaussianNB()}], ids=[1, 2])
def test_of_one_model_there_are_no_differences_and_of_equal_ones_none_is_significant(models):
    page = shown(deciban.compare(models, *clouds(), sizes=()))
    assert ("differences" in sections(page)) == (len(models) > 1)
    assert "learning" not in sections(page)
    none = "No difference from the model of the smallest error is significant."
    assert (none in page.texts) == (len(models) > 1)


def test_a_difference_is_read_from_the_other_model_to_the_best():
    X, y = clouds()
    models = {"bayes": GaussianNB(), "none": DummyClassifier()}
    for given in (models, dict(reversed(models.items()))):
        found = deciban.compare(given, X, y, sizes=())
        (table,) = (
            block
            for section in of_comparison(found, Words()).sections
            for block in section.blocks
            if section.key == "differences" and isinstance(block, compared.Table)
        )
        ((model, difference, interval, only, *_),) = table.rows
        assert (table.head[0], model) == ("against bayes", "none")
        assert difference == f"+{100 * (found['none'].error - found['bayes'].error):.2f}"
        low, high = (float(each.replace("−", "-")) for each in interval.split(" to "))
        assert low < float(difference) < high
        assert int(only.split(" : ")[0]) > int(only.split(" : ")[1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_missing_comes_first_and_says_why(language):
    X, y = clouds()
    words = Words(language)
    found = deciban.compare({"refuses": Spy("refuses"), **MODELS}, X, y, sizes=(), callback=lambda fit: fit.done >= 6)
    page = shown(found, language)
    assert sections(page)[0] == "missing"
    why = words("compared.ended.callback")
    assert words("compared.unfinished", why=why) in page.texts
    assert ("en", "these are not my examples") in page.spoken
    assert page.texts.count(why) == len(found.left_out) - 1
    assert "refuses" in page.texts
    nothing = shown(deciban.compare(MODELS, X, y, callback=lambda fit: True), language)
    assert words("compared.none") in nothing.texts
    assert sections(nothing) == ["missing", "data", "again"]


def test_a_page_says_when_it_was_interrupted_and_when_time_was_short():
    X, y = clouds()
    models = {"none": DummyClassifier(), "spy": Spy("is interrupted", fits=1)}
    assert "Ctrl-C" in " ".join(shown(deciban.compare(models, X, y, sizes=())).texts)
    found = deciban.compare(MODELS, X, y, sizes=(), time_limit=0)
    assert any("the time limit was reached" in text for text in shown(found).texts)


def test_a_korean_page_speaks_korean():
    """No word of English but the names of models and of labels, symbols and what the figures hold."""
    texts, labels = letters()
    found = deciban.compare(["naive-bayes", "svm"], texts, labels, folds=2, sizes=[10])
    page = shown(found, "ko", "가")
    told = {word for language, text in page.spoken if language == "ko" for word in re.findall("[A-Za-z]{2,}", text)}
    names = {"naive", "bayes", "svm", "ham", "spam"}
    assert told - names <= {"Deciban", "repeats", "log", "kB", "ms"}


def test_what_the_command_compares_is_explained_and_what_python_named_is_not():
    X, y = clouds()
    found = deciban.compare({"svm": DecisionTreeClassifier(), "none": DummyClassifier()}, X, y, sizes=())
    assert "linear support vector machine" not in shown(found).texts
    assert "linear support vector machine" in shown(found, command="deciban compare t.csv").texts


def test_it_is_written_from_python(tmp_path):
    found = deciban.compare(MODELS, *clouds(), sizes=())
    report = found.report(language="ko")
    report.save(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page == found.report(language="ko").html()
    assert "모형 비교" in page
