"""The pages of the site: what they show runs, both languages are complete, and what is generated leaves nothing out."""

from __future__ import annotations

import doctest
import json
import re
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

import deciban
import deciban.errors
from deciban.cli.group import VERBS, Verbs
from system.snippets import ROOT, Run, agrees, mailbox, read_snippets
from tiers import deep

DOCS = ROOT / "docs"
FOLDERS = ("tutorials", "how-to", "explanation", "reference")
PAGES = [
    DOCS / "index.md",
    DOCS / "index.ko.md",
    *(path for folder in FOLDERS for path in sorted((DOCS / folder).glob("*.md"))),
]
ENGLISH = [path for path in PAGES if not path.name.endswith(".ko.md")]
GUIDES = [path.with_suffix("").with_suffix(".md") for path in sorted(DOCS.glob("*.ko.md")) if path.stem != "index.ko"]


def name_of(path: Path) -> str:
    return str(path.relative_to(DOCS).with_suffix(""))


def korean(path: Path) -> Path:
    return path.with_suffix(".ko.md")


def prose(path: Path) -> str:
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def generators(monkeypatch):
    """What generates pages, by name."""
    monkeypatch.syspath_prepend(str(DOCS / "site_build"))
    names = ("api_pages", "command_pages", "page_words", "shown", "record_explanations")
    yield lambda name: import_module(name)
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("path", deep(*(path for path in ENGLISH if read_snippets(path.read_text()))), ids=name_of)
def test_the_snippets_print_what_the_page_shows(path, tmp_path):
    run = Run(mailbox(tmp_path))
    for snippet in read_snippets(path.read_text(encoding="utf-8")):
        told = run(snippet)
        if snippet.output is not None:
            assert agrees(snippet.output, told), f"{snippet.code}\nshown:\n{snippet.output}\ntold:\n{told}"


def test_an_output_must_agree_line_by_line():
    assert agrees("a 1 in 0.5 s\n", "a 1 in 12 ms\n")
    assert agrees("a\n…\nc", "a\nb\nb\nc\n")
    assert not agrees("a\n…\nc", "a\nb\nd\n")
    assert not agrees("a 1\n", "a 2\n")
    assert not agrees("a\n", "a\nb\n")


def test_every_page_is_in_both_languages():
    assert {path for path in PAGES if path.name.endswith(".ko.md")} == {korean(path) for path in ENGLISH}
    flat = {path.stem for path in DOCS.glob("*.md") if "." not in path.stem} - {"index"}
    assert {name for name in flat if not korean(DOCS / f"{name}.md").exists()} == set()


@pytest.mark.parametrize("path", [*ENGLISH, *GUIDES], ids=name_of)
def test_both_languages_have_the_same_headings_snippets_and_links(path):
    one, other = prose(path), prose(korean(path))
    heads, rows = r"^(#+) ", r"^\| "
    assert re.findall(heads, one, re.MULTILINE) == re.findall(heads, other, re.MULTILINE)
    commands = r"^ {4}(deciban .*?)(?:\s{2,}#.*)?$"
    assert re.findall(commands, one, re.MULTILINE) == re.findall(commands, other, re.MULTILINE)
    assert len(re.findall(rows, one, re.MULTILINE)) == len(re.findall(rows, other, re.MULTILINE))
    links = r"\]\(([^)]*)\)"
    assert sorted(re.findall(links, one)) == sorted(re.findall(links, other))
    shown = [[(s.without_comments(), s.output) for s in read_snippets(p.read_text())] for p in (path, korean(path))]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("path", [*ENGLISH, *GUIDES], ids=name_of)
def test_a_korean_page_is_written_in_korean(path):
    """Paragraphs outside lists of literature have more Hangul than Latin letters."""
    text = re.sub(r"`[^`\n]*`|\]\([^)]*\)|^    .*$|<[^>]*>|^\|.*$", "", prose(korean(path)), flags=re.MULTILINE)
    text = re.sub(r"^## 문헌.*", "", text, flags=re.DOTALL | re.MULTILINE)
    assert len(re.findall("[가-힣]", text)) > 1.5 * len(re.findall("[A-Za-z]", text))


def test_the_glossary_has_the_same_terms_in_both_languages():
    def terms(path: Path, english: int) -> set[tuple[str, str]]:
        rows = re.findall(r"^\| (.*?) \| (.*?) \|", path.read_text(encoding="utf-8"), re.MULTILINE)[1:]
        return {(row[english], row[1 - english]) for row in rows}

    path = DOCS / "reference" / "glossary.md"
    assert len(terms(path, 0)) > 50
    assert terms(path, 0) == terms(korean(path), 1)


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"[\w/-]+\.md", navigation)
    generated = {"benchmarks.md", "deploy.md", "reference/api/index.md", "reference/command-line.md"}
    flat = {path.name for path in DOCS.glob("*.md") if not path.name.endswith(".ko.md")}
    listed = [each for each in listed if not each.startswith("course/")]
    assert len(listed) == len(set(listed))
    assert set(listed) == {*flat, *(f"{name_of(path)}.md" for path in ENGLISH)} | generated


def test_every_public_name_has_a_page_with_an_example(generators):
    api = generators("api_pages")
    pages, names = api.pages("en"), api.names()
    assert {f"deciban.{name}" for name in deciban.__all__} <= set(names)
    assert set(pages) == {"reference/api/index.md", *(f"reference/api/{name}.md" for name in names)}
    assert set(api.pages("ko")) == set(pages)
    for name, value in names.items():
        assert f"# {name.rpartition('.')[2]}\n" in pages[f"reference/api/{name}.md"]
        examples = doctest.DocTestParser().get_examples(value.__doc__ or "")
        assert any(example.want for example in examples), name
        for language in ("en", "ko"):
            assert f"[`{name.rpartition('.')[2]}`](" in api.index(language)


def test_every_public_name_has_a_summary_in_korean(generators):
    told = generators("api_pages").summaries("ko")
    assert set(told) == set(generators("api_pages").names())
    for name, sentence in told.items():
        assert re.search(r"[가-힣]다(\([^)]*\))?\.$", sentence), name
        code = set(re.findall(r"`([^`]*)`", sentence))
        assert code <= set(re.findall(r"`([^`]*)`", generators("api_pages").summarise(name, "en"))), name


def test_every_command_and_option_is_in_the_reference(generators):
    for language in ("en", "ko"):
        page = generators("command_pages").pages(language)["reference/command-line.md"]
        assert "\b" not in page
        assert "\ndeciban train corpus/   " in page  # set as it stands in the help
        context = click.Context(Verbs("deciban"))
        for verb in VERBS:
            command = Verbs().get_command(context, verb)
            assert f"\n## {verb}\n" in page
            part = page.partition(f"\n## {verb}\n")[2].partition("\n## ")[0]
            for option in command.params:
                if isinstance(option, click.Option) and not option.hidden:
                    assert all(name in part for name in (*option.opts, *option.secondary_opts)), (verb, option.opts)


def test_every_class_of_error_is_in_the_index_with_its_exit_code():
    classes = [each for each in vars(deciban.errors).values() if isinstance(each, type)]
    errors = {each.__name__: each.exit_code for each in classes if issubclass(each, deciban.errors.DecibanError)}
    for path in (DOCS / "reference" / "errors.md", DOCS / "reference" / "errors.ko.md"):
        rows = re.findall(r"^\| `(\w+Error)` \| (\d+) \|", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert {name: int(code) for name, code in rows} == errors


@pytest.mark.deep
def test_the_explanations_of_the_start_page_are_those_of_the_command(generators):
    recorder = generators("record_explanations")
    assert json.loads(recorder.TARGET.read_text(encoding="utf-8")) == json.loads(json.dumps(recorder.explain()))


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_explanation_of_the_start_page_adds_up(generators, language):
    shown, terms = generators("shown").explanation(language), json.loads((DOCS / "explanations.json").read_text())
    why = terms[language]
    total = why["prior_decibans"] + sum(term["decibans"] for term in why["terms"]) + why["others"][1]
    assert total == pytest.approx(why["decibans"], abs=1e-9)
    assert f"{why['decibans']:.1f} dB" in shown
    assert shown.count("<mark") >= 5


def test_what_the_start_page_claims_of_other_filters_is_in_the_newest_record(generators, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    shown, tables = generators("shown"), import_module("mail_tables")
    problems = json.loads(shown.RECORD.read_text(encoding="utf-8"))["problems"]
    assert problems == tables.newest("mail-replay")["problems"]
    missed = {side: f"{found['missed_at_0.1_percent']:.1f} %" for side, found in problems["trec"].items()}
    for path in (DOCS / "index.md", DOCS / "index.ko.md"):
        text = path.read_text(encoding="utf-8")
        assert missed["TF-IDF, LinearSVC"] in text
        assert missed["deciban"] in text
        assert f"`{shown.RECORD.relative_to(ROOT)}`" in text
    shares = {side: found["missed_at_0.1_percent"] for side, found in problems["trec"].items()}
    below = [side for side, share in shares.items() if share < shares["deciban"]]
    assert below == ["TF-IDF, LinearSVC"]
    for name in shown.STREAMS:
        losses = {side: found["log_loss"] for side, found in problems[name].items()}
        assert min(losses, key=losses.__getitem__) == "deciban"
        for found in problems[name].values():
            assert f"{found['missed_at_0.1_percent']:.1f} % | {found['log_loss']:.3f}" in shown.comparison("en")
