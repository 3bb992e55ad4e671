"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NamedTuple, TypeVar

import click

from ..errors import UsageError, escape
from ..judging import UNSURE_BELOW
from ..verdict import Threshold, decibans_of

Verb = TypeVar("Verb", bound=Callable[..., Any])

FORMATS = ("csv", "tsv", "jsonl", "parquet", "svm")

as_json = click.option("--json", "as_json", is_flag=True, help="Print results as JSON.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Print no remarks and no progress on standard error.")
jobs = click.option(
    "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of threads. Default: all cores."
)
force = click.option("--force", is_flag=True, help="Give up canaries whose verdicts this changes.")
text = click.option("--text", metavar="COLUMN", help="Column of a table with the texts.")
label = click.option("--label", metavar="COLUMN", help="Column of a table with the labels.")
encoding = click.option("--encoding", metavar="NAME", help="Encoding of a table, such as cp949. Default: UTF-8.")
table_format = click.option(
    "--format",
    "table_format",
    type=click.Choice(FORMATS),
    help="Format of a table whose file name has no known suffix.",
)
verbose = click.option(
    "-v", "--verbose", is_flag=True, help="Report categories unknown to the model, on standard error."
)
user_store = click.option(
    "--store",
    metavar="URL",
    envvar="DECIBAN_STORE",
    help="Where users are kept: postgresql://…. Default: SQLite, FILTER.users.",
)
filter_file = click.argument("filter_file", metavar="FILTER")


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse nan and inf, which pass for numbers in any range."""
    if value is not None and not isfinite(value):
        raise click.BadParameter(f"expected a finite number; came {value}.", ctx, param)
    return value


def unsure_below(verb: Verb) -> Verb:
    """Add the option below how many decibans a verdict is called unsure."""
    option = click.option(
        "--unsure-below",
        type=click.FloatRange(min=0),
        callback=finite,
        metavar="DECIBANS",
        help="Verdicts with less evidence are unsure, as are those whose interval contains 0. "
        "Default: 10, odds of 10 to 1.",
    )
    return option(verb)


class At(NamedTuple):
    """A threshold as it is typed, in decibans; `probability` where it was one."""

    low: float
    high: float
    probability: float | None


class _At(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """0.99, 99% or 20dB; two of them, LOW,HIGH, where `pair`."""

    name = "threshold"

    def __init__(self, pair: bool) -> None:
        self.pair = pair

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, At):
            return value
        parts = value.split(",")
        try:
            found = [_one(part) for part in parts]
        except ValueError:
            found = []
        if len(found) == 1:
            return At(found[0][0], found[0][0], found[0][1])
        if len(found) == 2 and self.pair and found[0][0] <= found[1][0]:
            return At(found[0][0], found[1][0], None)
        what = "a probability from 0 to 1, or decibans as in 20dB" + ("; or two, LOW,HIGH" if self.pair else "")
        return self.fail(f"expected {what}; came {value!r}.", param, ctx)


def _one(text: str) -> tuple[float, float | None]:
    """Return decibans, and the probability where it is one."""
    text = text.strip()
    if text.lower().endswith("db"):
        decibans = float(text[:-2])
        if not isfinite(decibans):
            raise ValueError
        return decibans, None
    probability = share_of(text)
    if not 0.0 <= probability <= 1.0:
        raise ValueError
    return decibans_of(probability), probability


def share_of(text: str) -> float:
    """Return a share as people type it; ValueError for what is none.

    >>> share_of("0.1%"), share_of("0.001")
    (0.001, 0.001)
    """
    if not text.endswith("%"):
        return float(text)
    from decimal import Decimal, InvalidOperation

    try:
        return float(Decimal(text[:-1]) / 100)  # as exact as if it had been typed as a share
    except InvalidOperation:
        raise ValueError(text) from None


class Share(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A share between 0 and 1, 0.001 or 0.1%."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, float):
            return value
        try:
            found = share_of(value.strip())
        except ValueError:
            found = -1.0
        if not 0.0 < found < 1.0:
            return self.fail(f"expected a share between 0 and 1, as 0.001 or 0.1%; came {value!r}.", param, ctx)
        return found


positive = click.option("--positive", metavar="LABEL", help='Positive class. Default: "spam", else the second class.')


def threshold(verb: Verb, pair: bool = True, **more: Any) -> Verb:
    """Add the option where the verdict of two classes turns."""
    words = "Classify as positive above this probability, or above so many decibans, as in 20dB."
    if pair:
        words += " With LOW,HIGH, verdicts between the two are unsure. --unsure-below then counts from the threshold."
    option = click.option("--threshold", type=_At(pair), metavar="P", help=words + more.pop("help", ""), **more)
    return option(positive(verb))


def at_threshold(verb: Verb) -> Verb:
    """Add the option from where on mail is spam, and which class that is."""
    words = "A message is spam from this probability on, or from so many decibans, as in 20dB. Default: 10dB."
    return positive(click.option("--threshold", type=_At(pair=False), metavar="P", help=words)(verb))


def decibans_at(at: At | None) -> float:
    """Return the decibans from where on mail is spam."""
    return UNSURE_BELOW if at is None else at.low


def place_of_positive(
    classes: Sequence[Any],
    positive: str | None,
    what: str,
    instead: str = "Read the probabilities from --json instead.",
) -> int:
    """Return which of two classes is looked for; UsageError where there are more, or it is none of them."""
    names = [str(label) for label in classes]
    if len(names) != 2:
        raise UsageError(f"Expected a filter of two classes for {what}; this one has {len(names)}. {instead}")
    if positive is None:
        return names.index("spam") if "spam" in names else 1
    if positive not in names:
        raise UsageError(f"Expected --positive to be one of {', '.join(map(escape, names))}; came {escape(positive)}.")
    return names.index(positive)


def turning(at: At | None, positive: str | None, classes: Sequence[Any]) -> Threshold | None:
    """Return the threshold that --threshold and --positive amount to."""
    if at is None and positive is None:
        return None
    if at is None:
        raise UsageError("Expected --positive only with --threshold, which says above what the verdict is that label.")
    return Threshold(place_of_positive(classes, positive, "--threshold"), at.low, at.high)


def sureness(at: At | None, unsure_below: float | None, default: float) -> float:
    """Return below how many decibans, from the threshold, a verdict is unsure: 0 where a pair of them says so
    already."""
    if unsure_below is not None:
        return unsure_below
    return default if at is None or at.low == at.high else 0.0


def add_column_options(verb: Verb) -> Verb:
    """Return what a table's columns are, where their values do not say so."""
    for name, words in (
        ("--ignore", "Column to leave out."),
        ("--category", "Column to treat as categories, whatever its values look like."),
        ("--number", "Column to treat as numbers, even if it counts the rows."),
    ):
        verb = click.option(name, multiple=True, metavar="COLUMN", help=words)(verb)
    return verb


def tables(verb: Verb) -> Verb:
    """Return columns, encoding and format of a table."""
    for option in (table_format, encoding, label, text):
        verb = option(verb)
    return verb


def of_tables(verb: Verb) -> Verb:
    """Add the columns, the encoding and the format of a table that a model learns on; --as is the label there."""
    column = click.option("--label", "column", metavar="COLUMN", help="Column of a table with the labels.")
    for option in (table_format, encoding, column, text):
        verb = option(verb)
    return verb
