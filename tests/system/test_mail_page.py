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
