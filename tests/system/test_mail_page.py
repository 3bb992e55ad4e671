"""The tables of docs/mail.md are those of the newest records."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    yield import_module("mail_tables")
    sys.modules.pop("mail_tables", None)


def test_the_tables_are_those_of_the_records(tables):
    page = tables.PAGE.read_text(encoding="utf-8")
    assert tables.written(page) == page


@pytest.mark.parametrize("name", ["trec", "spamassassin"])
def test_no_disguise_hides_spam_better_than_from_the_rival(tables, name):
    """In the record, of mail like that which was learnt; and 200 hammy words hide at most a quarter."""
    forms = tables.newest("disguise")["corpora"][name]
    assert all(found["deciban"] >= found["bogofilter"] for found in forms.values())
    assert forms["200 hammy words"]["deciban"] >= 0.75


STEPS = {
    "case": "mixed case",
    "compatibility characters": "look-alikes",
    "mixed scripts": "mixed scripts",
    "invisible characters": "zero-width characters",
    "respelt words": "leetspeak",
    "transfer encodings": "base64",
    "HTML": "torn by HTML",
    "hidden text": "200 hammy words, hidden",
    "passages": "200 hammy words",
}


@pytest.mark.parametrize("step", STEPS)
def test_without_a_step_the_disguise_that_it_is_for_hides_spam(tables, step):
    """In the record, of the content alone: five points of the spam or more."""
    changes = tables.ablation_table.changes(tables.newest("ablation"), "content", step)
    assert changes[STEPS[step]] <= -5.0
