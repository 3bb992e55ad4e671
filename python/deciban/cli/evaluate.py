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
from ..data.spool import Spool
from ..data.text_layout import MODELS
from ..errors import UsageError, escape
from ..evaluation.evaluation import Evaluation
from ..evaluation.evaluation import evaluate as judge
from ..mail.ledger import SIZE, Ledger
from ..mail.sources import find
from ..mail.taught import read_solved, serve_solved
from ..report.progress import Meter
from ..scores import log_posterior
from ..text.served import ServedText
from . import options
from .items import read_named_rows, read_numbered, tell_gone, total_size
from .judged_page import JudgedPage
from .output import Remarks, print_json
from .reporting import check_report
from .reporting import option as report_option
from .tabular import refuse_text, tell_known, tell_leaks, tell_unseen
from .text_tables import fill_columns


@click.command("evaluate", short_help="Measure the error.")
@click.argument("examples", nargs=-1, required=True, metavar="FILTER LABEL=PATH...|FOLDER|TABLE")
@options.tables
@partial(options.threshold, pair=False, default="0.5", help=" Default: 0.5.")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Seed of the bootstrap. Default: 0.")
@click.option(
    "--online", is_flag=True, help="Without FILTER: classify each item by the items before it, then learn it."
)
@click.option("--model", type=click.Choice(["auto", *MODELS]), help="With --online: type of model. Default: auto.")
@click.option(
    "--feedback",
    metavar="always|errors|N",
    help="With --online: learn all items, misclassified items only, or each N items later.",
)
@report_option
@options.jobs
@options.as_json
@options.quiet
@options.verbose
def command(
    examples: tuple[str, ...],
    online: bool,
    model: str | None,
    feedback: str | None,
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
    """Classify labelled examples and report how often the filter errs. Use examples that it was not trained on.

    \b
    deciban evaluate filter.deciban spam=Junk/ ham=Inbox.mbox
    deciban evaluate model.deciban test.csv      a model of a table knows its columns; else --text and --label
    deciban evaluate --online spam=Junk/ ham=Inbox.mbox      in order of arrival: classify first, then learn
    deciban evaluate --online people.csv --label buys
    """
    p, decibans = (0.5, threshold.high) if threshold.probability is None else (threshold.probability, None)
    if online:
        from .replaying import evaluate_online

        if report is not None:
            raise UsageError("Expected --report without --online.")
        given = {**columns, "model": model, "feedback": feedback or "always", "jobs": jobs}
        evaluate_online(examples, given, EvaluateOptions(positive, p, seed, decibans), as_json, quiet)
        return
    if model is not None or feedback is not None:
        raise UsageError(f"Expected {'--feedback' if model is None else '--model'} only with --online.")
    filter_file, *others = examples
    examples = tuple(others)
    if not examples:
        raise click.MissingParameter(param_hint="'LABEL=PATH...|FOLDER|TABLE'", param_type="argument")
    inputs = [filter_file, *(each.partition("=")[2] or each for each in examples)]
    check_report(report, None, inputs, language)
    page = None if report is None else JudgedPage(report, language, filter_file)
    stored = read_solved(filter_file, tables=True)
    asked = EvaluateOptions(positive, p, seed, decibans, page)
    if store.of_table(stored.header):
        from ..table_models.served import ServedTable
        from .table_judging import judge_rows as of_rows

        refuse_text(columns["text"])
        rows = ServedTable.from_stored(stored)
        keep = None if page is None else page.keep_rows
        _turn(page, threshold, positive, rows.classes)
        judged = of_rows(rows, examples, columns, "evaluate", keep)
        found = asked.of(judged.labels, judged.logs, judged.classes)
        tell_known(judged.known or 0, found.n, Remarks(quiet))
        tell_leaks(rows.origin.leaks, rows.origin.label, Remarks(quiet))
        if page is not None:
            page.of_table(stored, found, judged.known or None, rows, Remarks(quiet))
        _tell(found, judged.known, as_json)
        tell_unseen(rows, verbose, Remarks(quiet))
        return
    served, ledger = serve_solved(stored, filter_file, jobs), Ledger.from_stored(stored)
    gone: list[str] = []
    _turn(page, threshold, positive, served.classes)
    columns = fill_columns(stored.header, columns, examples)
    items = read_labelled(served, examples, columns, quiet, None if page is None else page.spool, gone)
    found, learnt = evaluate_items(served, ledger, items, asked)
    if learnt:
        Remarks(quiet)(
            f"Warning: {learnt:,} of these {found.n:,} were in the training data, so the figures flatter. "
            "Evaluate on what the filter has not learnt."
        )
    if page is not None:
        page.of_texts(stored, found, learnt, served, Remarks(quiet))
    _tell(found, learnt, as_json, len(gone))


def _turn(page: JudgedPage | None, threshold: options.At, positive: str | None, classes: Sequence[Any]) -> None:
    """Let the page show verdicts by the threshold."""
    if page is not None and len(classes) == 2:
        page.threshold = options.turning(threshold, positive, classes)


def _tell(found: Evaluation, learnt: int | None, as_json: bool, vanished: int = 0) -> None:
    """Print the figures; `learnt` is how many of the items the model knew, None where its file does not tell,
    `vanished` how many were gone before they were read."""
    if as_json:
        print_json({**found.to_json(), "learnt": learnt, "vanished": vanished})
        return
    from ..report.figures import evaluation
    from ..report.terminal import console, screen, write

    on = console()
    write(evaluation(found, screen(on)), on)


Labelled = Iterator[tuple[Sequence[str | bytes], list[str]]]


def read_labelled(
    served: ServedText,
    examples: tuple[str, ...],
    columns: dict[str, Any],
    quiet: bool,
    spool: Spool | None = None,
    gone: list[str] | None = None,
) -> Labelled:
    """Yield items and their labels, batch by batch; the items go into `spool`, too, and into `gone` the paths of those
    that were moved away."""
    if columns["text"] is None and columns["label"] is None:
        named: Iterator[tuple[list[str], Sequence[str | bytes], list[str]]] = of_files(
            served, examples, quiet, [] if gone is None else gone
        )
    elif columns["text"] is None or columns["label"] is None or len(examples) != 1:
        raise UsageError("Expected one table with --text COLUMN and --label COLUMN, or label=PATH without them.")
    else:
        named = read_named_rows(examples[0], columns)
    for names, items, labels in named:
        if spool is not None:
            spool.add(names, items)
        yield items, labels


def of_files(
    served: ServedText, examples: Sequence[str], quiet: bool, gone: list[str]
) -> Iterator[tuple[list[str], Sequence[str | bytes], list[str]]]:
    """Yield names and items of files, with their labels, which must be the filter's."""
    sources = find(examples)
    known = {str(c) for c in served.classes}
    unknown = sorted({source.label for source in sources} - known)
    if unknown:
        raise UsageError(
            f"Expected labels that the filter knows, {', '.join(map(escape, sorted(known)))}; "
            f"came {', '.join(map(escape, unknown))}. Write label=PATH with one of those."
        )
    with Meter("Judging", total_size(sources), quiet) as meter:
        for numbers, names, items in read_numbered(sources, served.settings, served.n_jobs, gone):
            yield names, items, [sources[i].label for i in numbers]
            meter(sum(map(len, items)))
    tell_gone(gone, served.settings, Remarks(quiet))


@dataclass(frozen=True)
class EvaluateOptions:
    """What is looked for, "spam" or the second class unless said; above which probability, or decibans, it is called
    so; the seed of the bootstrap; and the page, if any, that keeps what was said of each example."""

    positive: str | None = None
    threshold: float = 0.5
    seed: int = 0
    decibans: float | None = None
    page: JudgedPage | None = None

    def of(self, labels: Sequence[str], logs: NDArray[np.float64], classes: Sequence[str]) -> Evaluation:
        """Return the evaluation of log p(c | x) (N, C), for examples of these labels."""
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


def evaluate_items(
    served: ServedText, ledger: Ledger, items: Labelled, asked: EvaluateOptions = EvaluateOptions()
) -> tuple[Evaluation, int]:
    """Return the evaluation, and how many of the items the filter had learnt."""
    labels, logs, learnt = judge_items(served, ledger, items)
    return asked.of(labels, logs, [str(c) for c in served.classes]), int(learnt.sum())


def judge_items(
    served: ServedText, ledger: Ledger, items: Labelled
) -> tuple[list[str], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the labels of items, log p(c | x) (N, C) of them, and (N,) which of them the filter had learnt."""
    labels: list[str] = []
    scores, digests = [], bytearray()
    for batch, names in items:
        scores.append(served.scores(batch))
        labels += names
        digests += b"".join(map(served.reader.digest, batch))
    logs = log_posterior(np.concatenate(scores) if scores else np.empty((0, len(served.classes))))
    return labels, logs, np.isin(np.frombuffer(bytes(digests), dtype=f"S{SIZE}"), ledger.digests)
