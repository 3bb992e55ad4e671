"""deciban evaluate: how often a filter errs on labelled examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from .. import store
from ..errors import UsageError, shown
from ..evaluation.evaluation import Evaluation
from ..evaluation.evaluation import evaluate as judge
from ..mail.ledger import SIZE, Ledger
from ..mail.reading import read_files
from ..mail.sources import find
from ..report.progress import Meter
from ..scores import log_posterior
from ..text.served import ServedText
from . import options
from .items import labelled_rows, total_size
from .judged_page import JudgedPage
from .output import Remarks, print_json
from .reporting import check_report
from .reporting import option as report_option
from .tabular import refuse_text, tell_unseen


@click.command("evaluate", short_help="How often the filter errs.")
@options.filter_file
@click.argument("examples", nargs=-1, required=True, metavar="LABEL=PATH...|FOLDER|TABLE")
@options.tables
@partial(options.threshold, pair=False, default="0.5", help=" Default: 0.5.")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Of the bootstrap. Default: 0.")
@report_option
@options.jobs
@options.as_json
@options.quiet
@options.verbose
def command(
    filter_file: str,
    examples: tuple[str, ...],
    positive: str | None,
    threshold: options.At,
    seed: int,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    report: str | None,
    language: str | None,
    **columns: Any,
) -> None:
    """Judge labelled examples, best ones the filter has not learnt, and tell how often it errs.

    \b
    deciban evaluate filter.deciban spam=Junk/ ham=Inbox.mbox
    deciban evaluate model.deciban test.csv --text review --label sentiment
    deciban evaluate model.deciban test.csv      typed columns; the labels stand in the column of the same name
    """
    inputs = [filter_file, *(each.partition("=")[2] or each for each in examples)]
    check_report(report, None, inputs, language)
    page = None if report is None else JudgedPage(report, language, filter_file, examples)
    stored = store.read(filter_file, tables=True)
    p, decibans = (0.5, threshold.high) if threshold.probability is None else (threshold.probability, None)
    asked = Asked(positive, p, seed, decibans, page)
    if store.of_table(stored.header):
        from ..table_models.served import ServedTable
        from .table_judging import judged as of_rows

        refuse_text(columns["text"])
        rows = ServedTable.from_stored(stored)
        found = asked.of(*of_rows(rows, examples, columns, "evaluate"))
        if page is not None:
            page.of_table(stored, found, rows, columns, Remarks(quiet))
        _tell(found, None, as_json)
        tell_unseen(rows, verbose, Remarks(quiet))
        return
    served, ledger = ServedText.from_stored(stored, jobs), Ledger.from_stored(stored)
    items = labelled(served, examples, columns, quiet)
    found, learnt = evaluated(served, ledger, items, asked)
    if learnt:
        Remarks(quiet)(
            f"Warning: {learnt:,} of these {found.n:,} were in the training data, so the figures flatter. "
            "Evaluate on what the filter has not learnt."
        )
    if page is not None:
        page.of_texts(stored, found, learnt, served, columns, Remarks(quiet))
    _tell(found, learnt, as_json)


def _tell(found: Evaluation, learnt: int | None, as_json: bool) -> None:
    """The figures; `learnt` is how many of the items the model knew, None where it keeps no ledger."""
    if as_json:
        print_json({**found.to_json(), "learnt": learnt})
        return
    from ..report.figures import evaluation
    from ..report.terminal import console, screen, write

    on = console()
    write(evaluation(found, screen(on)), on)


Labelled = Iterator[tuple[Sequence[str | bytes], list[str]]]


def labelled(served: ServedText, examples: tuple[str, ...], columns: dict[str, Any], quiet: bool) -> Labelled:
    """Items and their labels, batch by batch."""
    if columns["text"] is None and columns["label"] is None:
        yield from of_files(served, examples, quiet)
        return
    if columns["text"] is None or columns["label"] is None or len(examples) != 1:
        raise UsageError("Expected one table with --text COLUMN and --label COLUMN, or label=PATH without them.")
    yield from labelled_rows(examples[0], columns)


def of_files(served: ServedText, examples: Sequence[str], quiet: bool) -> Labelled:
    """The items of files with their labels, which must be the filter's."""
    sources = find(examples)
    known = {str(c) for c in served.classes}
    unknown = sorted({source.label for source in sources} - known)
    if unknown:
        raise UsageError(
            f"Expected labels that the filter knows, {', '.join(map(shown, sorted(known)))}; "
            f"came {', '.join(map(shown, unknown))}. Write label=PATH with one of those."
        )
    with Meter("Judging", total_size(sources), quiet) as meter:
        for numbers, items in read_files(sources, served.settings, served.n_jobs):
            yield items, [sources[i].label for i in numbers]
            meter(sum(map(len, items)))


@dataclass(frozen=True)
class Asked:
    """What is looked for, "spam" or the second class unless said; above which probability, or decibans, it is called
    so; the seed of the bootstrap; and the page, if any, that keeps what was said of each example."""

    positive: str | None = None
    threshold: float = 0.5
    seed: int = 0
    decibans: float | None = None
    page: JudgedPage | None = None

    def of(self, labels: Sequence[str], logs: NDArray[np.float64], classes: Sequence[str]) -> Evaluation:
        """The evaluation of log p(c | x) (N, C), for examples of these labels."""
        if self.page is not None:
            self.page.keep(labels, logs)
        positive = self.positive
        if positive is None and len(classes) == 2 and "spam" in classes:
            positive = "spam"
        return judge(
            labels,
            np.exp(logs),
            classes,
            scores=logs,
            positive=positive,
            threshold=self.threshold,
            seed=self.seed,
            decibans=self.decibans,
        )


def evaluated(served: ServedText, ledger: Ledger, items: Labelled, asked: Asked = Asked()) -> tuple[Evaluation, int]:
    """The evaluation, and how many of the items the filter had learnt."""
    labels, logs, learnt = judged(served, ledger, items)
    return asked.of(labels, logs, [str(c) for c in served.classes]), int(learnt.sum())


def judged(
    served: ServedText, ledger: Ledger, items: Labelled
) -> tuple[list[str], NDArray[np.float64], NDArray[np.bool_]]:
    """The labels of items, log p(c | x) (N, C) of them, and (N,) which of them the filter had learnt."""
    labels: list[str] = []
    scores, digests = [], bytearray()
    for batch, names in items:
        scores.append(served.scores(batch))
        labels += names
        digests += b"".join(map(served.reader.digest, batch))
    logs = log_posterior(np.concatenate(scores) if scores else np.empty((0, len(served.classes))))
    return labels, logs, np.isin(np.frombuffer(bytes(digests), dtype=f"S{SIZE}"), ledger.digests)
