"""Laws of all pages of studies: each is what its template and its recorded numbers give, and says nothing else."""

import ast
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import jinja2
import pytest

import deciban
from system.written_studies import DOCS, ROOT, STUDIES, page_words, renderer, study

NAMES = renderer.NAMES
PAGES = [(name, language) for name in NAMES for language in renderer.LANGUAGES]
MODULES = sorted(path for folder in (DOCS, STUDIES) for path in folder.rglob("*.py") if "__pycache__" not in path.parts)
WORDS = 30
"""From so many on, a string is prose."""


def numbers_changed(value, change):
    """The same groups and lists with other numbers, also where one is missing; what is true, false or a text stays."""
    if isinstance(value, dict):
        return {key: numbers_changed(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [numbers_changed(each, change) for each in value]
    if isinstance(value, bool | str):
        return value
    return 0.01 if value is None else type(value)(change(value))


def with_one_best(numbers):
    """Numbers among which a record says of all sets that one model is the best and the simplest that is as good."""
    changed = json.loads(json.dumps(numbers))
    for each in changed.get("record", {"sets": {}})["sets"].values():
        each["comparison"]["best"] = each["comparison"]["simplest"] = "logistic"
    return changed


def changes() -> list[Callable[[float], float]]:
    """All numbers the same; each of them larger or smaller at random, within bounds so that shares stay shares."""
    drawn = [random.Random(seed) for seed in range(12)]
    return [lambda _: 1, *(lambda value, draw=draw: value * draw.choice((0.02, 0.2, 0.7, 1)) for draw in drawn)]


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_a_page_is_what_its_template_and_its_numbers_give(name, language):
    page = (DOCS / renderer.file_of(name, language)).read_text(encoding="utf-8")
    assert page == renderer.page(name, language=language), "run make pages"


def test_every_template_has_a_study_and_its_numbers():
    recorded = {path.stem for path in STUDIES.glob("*.json")}
    assert set(NAMES) == recorded
    assert all((STUDIES / f"{name}.py").exists() and (DOCS / f"{name}.md").exists() for name in NAMES)
    assert len(NAMES) >= 11


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_every_placeholder_is_filled(name, language):
    page = renderer.page(name, language=language)
    template = (DOCS / "studies" / renderer.file_of(name, language)).read_text(encoding="utf-8")
    assert re.findall(r"\{\{|\}\}|\{%|%\}|\bnan\b|<bound|<function", page) == []
    said, written = (re.sub(r"```.*?```", "", text, flags=re.DOTALL) for text in (page, template))
    assert len(re.findall(r"\bNone\b", said)) == len(re.findall(r"\bNone\b", written))


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_a_page_without_one_of_its_numbers_is_not_written(name, language):
    numbers = renderer.recorded(name)
    for key in numbers:
        left = {other: value for other, value in numbers.items() if other != key}
        with pytest.raises((jinja2.UndefinedError, KeyError)):
            renderer.page(name, left, language=language)


# --- claims ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_holds_and_other_numbers_contradict_it(name):
    claims = renderer.claims(name)
    assert claims
    assert [str(claim) for claim in claims if not claim.holds] == []
    left = {claim.line for claim in claims}
    for change in changes():
        if not left:
            break
        numbers = numbers_changed(with_one_best(renderer.recorded(name)), change)
        try:
            left -= {claim.line for claim in renderer.claims(name, numbers) if not claim.holds}
        except ZeroDivisionError:
            continue
    assert left == set(), "these lines claim what any numbers bear out"


@pytest.mark.parametrize("name", NAMES)
def test_a_page_claims_the_same_in_every_language(name):
    conditions = sorted(claim.condition for claim in renderer.claims(name))
    for language in renderer.LANGUAGES:
        claims = renderer.claims(name, language=language)
        assert sorted(claim.condition for claim in claims) == conditions
        assert [str(claim) for claim in claims if not claim.holds] == []


def figures_in(page):
    """The numbers of a page outside its code, in no order: a sentence of another language has them in another."""
    text = re.sub(
        r"^```.*?^```$|^ {4}[^\n]*|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", "", page, flags=re.DOTALL | re.MULTILINE
    )
    return sorted(re.findall(r"(?<![\w.])\d[\d,]*\.\d+", text))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_the_same_figures_in_every_language(name):
    for language in renderer.LANGUAGES:
        assert figures_in(renderer.page(name, language=language)) == figures_in(renderer.page(name)), language


class Noted(dict):
    """A table that notes what is looked up."""

    def __init__(self, table):
        super().__init__(table)
        self.seen = set()

    def __contains__(self, key):
        self.seen |= {key} & {*self}
        return super().__contains__(key)


def test_every_label_in_korean_is_of_a_page(monkeypatch):
    """Of its tables, or of a picture in it; and each is another word in Korean."""
    labels = Noted(page_words.read_labels("studies", "ko"))
    monkeypatch.setattr(page_words, "read_labels", lambda name, language: labels if name == "studies" else {})
    for name in NAMES:
        for file in re.findall(r"\]\((\S+\.svg)\)", renderer.page(name, language="ko")):
            for word in words_in((DOCS / file).read_text(encoding="utf-8")):
                page_words.translate(word, "ko")
    assert {*labels} - labels.seen == set()
    assert [label for label, told in labels.items() if label == told] == []


def test_a_changed_number_stops_the_page_and_is_named():
    numbers = renderer.recorded("generative")
    complement = numbers["sets"]["news"]["models"]["naive: multinomial"]["ours"]
    complement["log_loss"] = 1.25
    with pytest.raises(renderer.ContradictedError) as stopped:
        renderer.page("generative", numbers)
    told = str(stopped.value)
    (line,) = re.findall(
        r"^docs/studies/generative\.md:(\d+): the numbers contradict a sentence\.$", told, re.MULTILINE
    )
    template = (DOCS / "studies" / "generative.md").read_text(encoding="utf-8").splitlines()
    assert template[int(line) - 1].startswith('{% claim news["naive: multinomial"].ours.log_loss > log(20)')
    assert "It says: On 20 Newsgroups multinomial naive Bayes errs in 22.7" in told
    assert 'It needs: news["naive: multinomial"].ours.log_loss > log(20)' in told
    assert "It is: 1.25 and 2.99573" in told


def test_a_claim_names_the_sides_of_every_comparison(tmp_path, monkeypatch):
    template = "# Title\n\n{% claim a < b < 3\n   and not c == 'x' %}\n- It is\n  so.\n{% endclaim %}\n"
    (tmp_path / "made.md").write_text(template)
    monkeypatch.setattr(renderer, "TEMPLATES", tmp_path)
    assert renderer.page("made", {"a": 1, "b": 2, "c": "y"}).endswith("\n\n- It is so.\n")
    with pytest.raises(renderer.ContradictedError) as stopped:
        renderer.page("made", {"a": 1, "b": 0.5, "c": "y"})
    assert str(stopped.value) == (
        "docs/studies/made.md:3: the numbers contradict a sentence.\n"
        "  It says: - It is so.\n  It needs: a < b < 3 and not c == 'x'\n  It is: 1 and 0.5 and 3; y and x"
    )


def test_the_command_names_the_claim_and_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(renderer, "PAGES", tmp_path)
    monkeypatch.setattr(renderer, "recorded", lambda name: {"a": 1})
    monkeypatch.setattr(renderer, "TEMPLATES", tmp_path)
    for language in renderer.LANGUAGES:
        made = tmp_path / renderer.file_of("made", language)
        made.write_text("# Title\n\n{% claim a > 1 %}\nMore.\n{% endclaim %}\n")
    with pytest.raises(SystemExit) as left:
        renderer.main(["made"])
    assert str(left.value).startswith("docs/studies/made.md:3: the numbers contradict a sentence.")
    assert (tmp_path / "made.md").read_text().startswith("# Title\n\n{% claim")


# --- what is not done ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_no_model_is_fitted(name, monkeypatch):
    def fit(self, *_, **__):
        raise AssertionError(f"{type(self).__name__} is fitted")

    estimators = [each for each in map(deciban.__getattr__, deciban.__all__) if hasattr(each, "fit")]
    assert len(estimators) >= 20
    for each in estimators:
        monkeypatch.setattr(each, "fit", fit)
    renderer.page(name)
    renderer.pictures(name)


def strings_of(path: Path) -> list[str]:
    """The strings of a module that are no docstrings, those with numbers in them as one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found.append("".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found.append(node.value)
    return found


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_no_module_holds_prose(path):
    assert [text for text in strings_of(path) if len(re.findall(r"[^\W\d_]{2,}", text)) >= WORDS] == []


def test_the_code_of_the_page_on_networks_is_in_the_source():
    page = (DOCS / "networks.md").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n# (python/deciban/\S+)\n(.*?)```", page, flags=re.DOTALL)
    assert {path.rpartition("/")[2] for path, _ in shown} == {"network.py", "layers.py"}
    for path, code in shown:
        source = [line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines()]
        lines = [line.strip() for line in code.splitlines() if not line.startswith("class ")]
        assert set(lines) <= {*source, ""}


# --- pictures --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_pictures_of_a_page_are_there_and_drawn_from_its_numbers(name):
    shown = set(re.findall(r"\]\((\S+\.svg)\)", renderer.page(name)))
    assert all((DOCS / file).exists() for file in shown)
    drawn = renderer.pictures(name)
    assert set(drawn) <= shown
    for file, picture in drawn.items():
        assert words_in(picture) == words_in((DOCS / file).read_text(encoding="utf-8"))


def words_in(picture: str) -> list[str]:
    return [part.text for part in ElementTree.fromstring(picture).iter() if part.tag.endswith("}text")]


# --- what is recorded is what is measured ------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("name", ["kernel", "networks"])
def test_what_is_quickly_measured_is_measured_again_as_it_is_recorded(name, monkeypatch):
    figures = {}
    with study(name) as module:
        monkeypatch.setattr(module, "draw", figures.__setitem__)
        recorder = __import__("recording")
        assert json.loads(recorder.as_text(module.measure())) == json.loads((STUDIES / f"{name}.json").read_text())
    assert set(figures) == set(re.findall(r"\]\((\S+\.svg)\)", renderer.page(name)))
    for file, figure in figures.items():
        texts = {line for text in figure.findobj(words_of()) for line in text.get_text().split("\n")}
        said = {line for line in texts if re.search(r"[^\W\d]", line)}
        assert said
        assert said <= set(words_in((DOCS / file).read_text(encoding="utf-8"))), file


def words_of():
    from matplotlib.text import Text

    return Text


def test_what_is_recorded_is_small_and_ends_alike():
    with study("recording") as recorder:
        for path in STUDIES.glob("*.json"):
            text = path.read_text(encoding="utf-8")
            assert recorder.as_text(json.loads(text)) == text
            assert len(text) < 50_000
