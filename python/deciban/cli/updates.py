"""What learn and forget share: the items, the update under the lock, and what is told of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from .. import store
from ..conventions import sureness
from ..data.text_layout import ONLINE
from ..errors import UsageError, escape
from ..mail.outcomes import Outcome, label_among, refuse_minimised, require_left
from ..mail.reading import Batch
from ..mail.teaching import Teaching, Updated, Words, teach_filter
from ..report.progress import format_count
from ..text.settings import TextSettings
from ..verdict import Verdict
from .items import batches
from .output import print_json
from .text_tables import TextTables, tables_of

if TYPE_CHECKING:
    from ..mail.filter import Filter


def update(filter_file: str, paths: Sequence[str], teaching: Teaching, given: Mapping[str, Any]) -> Updated:
    """Learn the items of `paths` under a label, or the rows of tables under theirs, or forget them: all of them, or
    none if anything is wrong with one."""
    label, forget, by_itself = teaching.label, teaching.forget, teaching.least is not None
    header = store.read_header(filter_file)
    refuse_minimised(header["model"])
    settings, gone = TextSettings.from_json(header["text"]), list[str]()
    tables = tables_of(header, {**given, "label": given["column"]}, paths)
    if by_itself and (header["model"] != ONLINE or tables is not None):
        raise UsageError(
            f"expected a filter of the default model of mail for --auto; this one is {header['model']!r}. Learn with "
            "--as LABEL."
        )
    read = _read(paths, settings, gone, tables, label, forget or by_itself)
    first = next(read)  # standard input is waited for before the file is locked
    told = chain([first], read)
    if header["model"] == ONLINE:
        return teach_filter(filter_file, told, teaching, gone)
    return _count(filter_file, told, label, forget, gone)


def _read(
    paths: Sequence[str],
    settings: TextSettings,
    gone: list[str],
    tables: TextTables | None,
    label: str | None,
    forget: bool,
) -> Iterator[Batch]:
    """Return the items; those to be learnt under no label must be rows of tables that have theirs."""
    if label is not None or forget:
        if tables is not None and label is not None and not forget and tables.labelled:
            raise UsageError("Expected --as LABEL for all rows, or --label COLUMN; both came. Leave one out.")
        return batches(paths, settings, gone=gone, tables=tables)
    if tables is None or not (paths or tables.always) or not all(map(tables.holds, paths)):
        raise click.MissingParameter(param_hint="'--as'", param_type="option", ctx=click.get_current_context())
    return tables.batches(paths, tables.require_labels(paths))


def _count(filter_file: str, batches: Iterator[Batch], label: str | None, forget: bool, gone: list[str]) -> Updated:
    """Take items into the counts of a filter, or out of them."""
    from ..mail.filter import updating  # here, because who learns online does not need it

    with updating(filter_file) as held:
        before, count, outcomes = held.filter, 0, Counter[Outcome]()
        classes = [str(c) for c in before.model.classes]
        only: str | bytes = b""
        for batch in batches:
            for own, items in _by_label(batch, label, classes):
                known = held.filter
                held.filter, became = known.forget(items, own) if forget else known.learn(items, str(own))
                outcomes.update(became)
                count += len(items)
                only = items[0]
        require_left(sum(held.filter.model.encoder.book.items))
        words = Words.of(before), Words.of(held.filter)
        result = Updated(before.model.classes, outcomes, words=words, vanished=len(gone))
        if count == 1:
            result.before, result.after = _verdict(before, only), _verdict(held.filter, only)
    return result


def _by_label(
    batch: Batch, label: str | None, classes: list[str]
) -> Iterator[tuple[str | None, Sequence[str | bytes]]]:
    """Yield the items of each label together: those of a batch, or `label` for all."""
    if batch.labels is None:
        yield label, batch.items
        return
    for own in dict.fromkeys(batch.labels):
        label_among(classes, own, f"{escape(batch.names[batch.labels.index(own)])}: ")
        yield own, [item for item, its in zip(batch.items, batch.labels, strict=True) if its == own]


def _verdict(known: Filter, item: str | bytes) -> Verdict:
    verdict: Verdict = known.model.compile().judge([item])[0]
    return verdict


def tell_words(before: Words, after: Words) -> Iterator[str]:
    """Yield what became of the words of a filter, where not all are counted."""
    full = f"the filter holds {after.most:,} words at most."
    if after.retired > before.retired:
        rarest = format_count(after.retired - before.retired, "rare word")
        yield f"{rarest} gave way to new ones: {full}"
    if after.retired < before.retired:
        yield f"{format_count(before.retired - after.retired, 'word')} that had given way no longer do."
    if after.uncounted > before.uncounted:
        met = format_count(round(after.uncounted - before.uncounted), "occurrence")
        yield f"{met} of words could not be counted: {full}"


def tell(
    result: Updated, sentences: dict[Outcome, str], as_json: bool, quiet: bool, what: str = "item", **more: Any
) -> None:
    """Tell the counts by outcome and, of one item, the verdict before and after."""
    if as_json:
        print_json({**more, **result.to_json()})
        return
    if quiet:
        return
    for outcome, n in result.outcomes.items():
        click.echo(sentences[outcome].format(n=format_count(n, what)))
    if result.words is not None:
        for sentence in tell_words(*result.words):
            click.echo(sentence)
    for source in result.given_up:
        click.echo(f"Gave up the canary {escape(source)}.")
    if result.refused:
        click.echo(f"Learnt, but the file was not solved. {result.refused}")
    if result.is_due and not result.refused:
        waiting = format_count(result.waiting or 0, what)
        click.echo(
            f"Verdicts heed {waiting} that the filter was not solved with: run deciban refresh when there is time."
        )
    if result.before is not None and result.after is not None:
        each = (
            f"{escape(str(verdict.label))} {sureness(verdict.probability[verdict.label])}, {verdict.decibans:.1f} dB"
            for verdict in (result.before, result.after)
        )
        click.echo(_arrow().join(each))


def _arrow() -> str:
    try:
        "→".encode(sys.stdout.encoding)
    except (UnicodeError, LookupError):
        return "  ->  "
    return "  →  "
