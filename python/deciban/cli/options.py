"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeVar

import click

Verb = TypeVar("Verb", bound=Callable[..., Any])

FORMATS = ("csv", "tsv", "jsonl", "parquet", "svm")

as_json = click.option("--json", "as_json", is_flag=True, help="Results as JSON on standard output.")
quiet = click.option("-q", "--quiet", is_flag=True, help="No remarks and no progress on standard error.")
jobs = click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Threads. Default: all cores.")
text = click.option("--text", metavar="COLUMN", help="The column of a table that holds the texts.")
label = click.option("--label", metavar="COLUMN", help="The column of a table that holds the labels.")
encoding = click.option("--encoding", metavar="NAME", help="Of a table, e.g. cp949. Default: UTF-8.")
table_format = click.option(
    "--format", "table_format", type=click.Choice(FORMATS), help="Of a table, if its name does not say."
)
verbose = click.option(
    "-v", "--verbose", is_flag=True, help="Say which categories were never learnt, on standard error."
)
filter_file = click.argument("filter_file", metavar="FILTER")


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuses nan and inf, which pass for numbers in any range."""
    if value is not None and not isfinite(value):
        raise click.BadParameter(f"expected a finite number; came {value}.", ctx, param)
    return value


def unsure_below(verb: Verb) -> Verb:
    """Below how many decibans a verdict is called unsure."""
    option = click.option(
        "--unsure-below",
        type=click.FloatRange(min=0),
        callback=finite,
        metavar="DECIBANS",
        help="Weaker evidence is called unsure, as is a verdict that its interval does not bear out. "
        "Default: 10, odds of 10 to 1.",
    )
    return option(verb)


def typed(verb: Verb) -> Verb:
    """What a table's columns are, where their values do not say so."""
    for name, words in (
        ("--ignore", "Learn nothing from this column of a table."),
        ("--category", "Its values are labels, though they are numbers or another in most rows."),
        ("--number", "Its values are numbers, and told apart, though they number the rows."),
    ):
        verb = click.option(name, multiple=True, metavar="COLUMN", help=words)(verb)
    return verb


def tables(verb: Verb) -> Verb:
    """Columns, encoding and format of a table."""
    for option in (table_format, encoding, label, text):
        verb = option(verb)
    return verb
