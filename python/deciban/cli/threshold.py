"""deciban threshold: above which evidence to act, by a false-positive rate or by costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import store
from ..errors import DataError, UsageError, escape
from ..mail.ledger import Ledger
from ..mail.taught import read_solved
from ..text.served import ServedText
from . import options
from .evaluate import judge_items, read_labelled
from .output import Remarks, print_json, quote
from .tabular import refuse_text, tell_known, tell_unseen
from .text_tables import fill_columns

if TYPE_CHECKING:
    from ..evaluation.judgements import Judgements


@click.command("threshold", short_help="Above which evidence to act.")
@options.filter_file
@click.argument("examples", nargs=-1, required=True, metavar="LABEL=PATH...|FOLDER|TABLE")
@options.tables
@click.option(
    "--false-positives",
    type=options.Share(),
    metavar="SHARE",
    help="At most this rate, as 0.1%. Default: shows several.",
)
@click.option("--confidence", type=options.Share(), metavar="SHARE", help="How sure that is. Default: 95%.")
@click.option(
    "--on-average", is_flag=True, help="Hold the rate on average instead (conformal): fewer examples will do."
)
@click.option("--cost", "costs", multiple=True, metavar="TRUTH:ANSWER=COST", help="Of a mistake. Others cost 1.")
@click.option("--unsure", type=float, callback=options.finite, metavar="COST", help="Of leaving a decision open.")
@options.positive
@options.jobs
@options.as_json
@options.quiet
@options.verbose
def command(
    filter_file: str,
    examples: tuple[str, ...],
    false_positives: float | None,
    confidence: float | None,
    on_average: bool,
    costs: tuple[str, ...],
    unsure: float | None,
    positive: str | None,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **columns: Any,
) -> None:
    """Find the threshold above which to act, on labelled examples that the filter has not learnt.

    \b
    deciban threshold filter.deciban spam=Junk/ ham=Inbox.mbox --false-positives 0.1%
    deciban threshold filter.deciban spam=Junk/ ham=Inbox.mbox --cost ham:spam=100 --unsure 0.5
    deciban threshold model.deciban test.csv

    By --false-positives: the lowest threshold that the examples show to take at most this share of ham for spam, with
    the confidence asked for, though they chose it themselves; the share of spam that is found there; and how many
    examples it takes, as 2,995 ham for 0.1 %. By --cost: what costs least, if the probabilities can be believed, and
    what would have cost least on these examples. What the filter has learnt is left out.
    """
    priced = bool(costs) or unsure is not None
    _check(priced, false_positives, confidence, on_average)
    stored = read_solved(filter_file, tables=True)
    from ..report.decisions import CONFIDENCE, Classify, Prices, Rates, prices, rates

    remarks = Remarks(quiet)
    if store.of_table(stored.header):
        from ..table_models.served import ServedTable
        from .table_judging import judge_rows as of_rows

        refuse_text(columns["text"])
        rows = ServedTable.from_stored(stored)
        place = _place(rows.classes, positive)
        judged = of_rows(rows, examples, columns, "judge")
        said = _judgements(judged.labels, judged.logs, judged.classes)
        tell_known(judged.known or 0, len(judged.labels), remarks)
        tell_unseen(rows, verbose, remarks)
    else:
        served = ServedText.from_stored(stored, jobs)
        place, columns = _place(served.classes, positive), fill_columns(stored.header, columns, examples)
        labels, logs, learnt = judge_items(
            served, Ledger.from_stored(stored), read_labelled(served, examples, columns, quiet)
        )
        labels, logs = _unlearnt(labels, logs, learnt, remarks)
        said = _judgements(labels, logs, [str(c) for c in served.classes])
    found: Rates | Prices
    if priced:
        found = prices(said, place, costs, unsure)
    else:
        found = rates(said, place, false_positives, None if on_average else confidence or CONFIDENCE)
    classify = Classify(quote(filter_file), "" if positive is None else f" --positive {quote(positive)}")
    if as_json:
        print_json(found.to_json(classify))
        return
    from ..report.terminal import console, screen, write

    on = console()
    write(found.lines(classify, screen(on)), on)


def _check(priced: bool, rate: float | None, confidence: float | None, on_average: bool) -> None:
    if priced and (rate is not None or confidence is not None or on_average):
        raise UsageError("Expected a rate of false positives or costs; both came. Ask for one at a time.")
    if on_average and confidence is not None:
        raise UsageError("Expected --confidence or --on-average; both came. On average there is none to choose.")


def _place(classes: Sequence[Any], positive: str | None) -> int:
    instead = "From Python, deciban.evaluation has Costs and Conformal for any number."
    return options.place_of_positive(classes, positive, "a threshold", instead)


def _unlearnt(labels: list[str], logs: Any, learnt: Any, remarks: Remarks) -> tuple[list[str], Any]:
    """Leave out what the filter had learnt, of which it is surer than of what comes."""
    if not learnt.any():
        return labels, logs
    if learnt.all():
        raise DataError(
            f"Expected examples that the filter has not learnt; all {len(labels):,} were in the training data. "
            "Hold some out, or train with fewer."
        )
    remarks(f"Left out: {int(learnt.sum()):,} of {len(labels):,} were in the training data.")
    return [label for label, known in zip(labels, learnt, strict=True) if not known], logs[~learnt]


def _judgements(labels: list[str], logs: Any, classes: list[str]) -> Judgements:
    from ..evaluation.judgements import Judgements

    if not labels:
        raise DataError("Expected labelled examples; there are none.")
    place = {label: i for i, label in enumerate(classes)}
    unknown = sorted(set(labels) - place.keys())
    if unknown:
        raise DataError(
            f"Expected labels that the filter knows, {', '.join(map(escape, classes))}; "
            f"came {', '.join(map(escape, unknown[:5]))}. Leave those examples out."
        )
    return Judgements(tuple(classes), np.array([place[label] for label in labels], dtype=np.intp), logs)
