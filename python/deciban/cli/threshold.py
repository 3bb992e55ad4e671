"""deciban threshold: above which evidence to act, by a false-positive rate or by costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import store
from ..errors import DataError, UsageError, escape
from ..mail.ledger import Ledger
from ..mail.taught import read_solved, serve_solved
from . import options
from .evaluate import judge_items, read_labelled
from .output import Remarks, print_json, quote
from .tabular import refuse_text, tell_known, tell_unseen
from .text_tables import fill_columns

if TYPE_CHECKING:
    from ..evaluation.judgements import Judgements


@click.command("threshold", short_help="Find a threshold.")
@options.filter_file
@click.argument("examples", nargs=-1, required=True, metavar="LABEL=PATH...|FOLDER|TABLE")
@options.tables
@click.option(
    "--false-positives",
    type=options.Share(),
    metavar="SHARE",
    help="Highest false positive rate, as 0.1%. Default: show several.",
)
@click.option("--confidence", type=options.Share(), metavar="SHARE", help="Confidence of the guarantee. Default: 95%.")
@click.option(
    "--on-average", is_flag=True, help="Guarantee the rate on average only (conformal), which takes fewer examples."
)
@click.option("--cost", "costs", multiple=True, metavar="TRUTH:ANSWER=COST", help="Cost of a mistake. Others cost 1.")
@click.option("--unsure", type=float, callback=options.finite, metavar="COST", help="Cost of an unsure verdict.")
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
    """Find a threshold for acting on verdicts, by labelled examples that the filter was not trained on.

    \b
    deciban threshold filter.deciban spam=Junk/ ham=Inbox.mbox --false-positives 0.1%
    deciban threshold filter.deciban spam=Junk/ ham=Inbox.mbox --cost ham:spam=100 --unsure 0.5
    deciban threshold model.deciban test.csv

    With --false-positives, report the lowest threshold for which these examples show, with the given confidence, that
    at most this share of ham is classified as spam; the recall of spam there; and the number of examples needed, such
    as 2,995 ham for 0.1 %. With --cost, report the threshold of lowest expected cost, by the probabilities, and that of
    lowest cost on these examples. Examples that the filter has learnt are left out.
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
        served = serve_solved(stored, filter_file, jobs)
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
