"""deciban canary: messages whose verdicts must stay as they are."""

from __future__ import annotations

from typing import Any

import click

from .. import store
from ..data.text_layout import ONLINE
from ..errors import DataError, UsageError, escape
from ..files.locks import lock
from ..mail.canaries import Canary
from ..mail.journal import Journal
from ..mail.outcomes import label_among
from ..mail.taught import TaughtFilter
from ..report.progress import format_count
from ..text.word_sets import word_sets
from . import options
from .items import batches
from .output import print_json


@click.command("canary", short_help="Hold verdicts that must not change.")
@options.filter_file
@click.argument("files", nargs=-1, metavar="[FILE|-]...")
@click.option("--as", "label", metavar="LABEL", help="Refuse unless this is the verdict.")
@click.option("--list", "listed", is_flag=True, help="List the canaries with their verdicts.")
@click.option("--remove", is_flag=True, help="Remove these messages from the canaries; all without FILE.")
@options.as_json
@options.quiet
def command(
    filter_file: str, files: tuple[str, ...], label: str | None, listed: bool, remove: bool, as_json: bool, quiet: bool
) -> None:
    """Hold the verdict on each message of FILE…, a message, an mbox, a Maildir, a folder: it is a canary from now on.

    Whatever would give a canary another label is refused, and changes nothing: learn, forget, refresh, reset, rollback,
    and train over the filter. Choose messages that must never be lost, such as an order of each kind, and some spam.

    A canary is kept as a set of words in the journal of the filter, with the name of its file. It teaches nothing.
    """
    if listed + remove > 1 or (listed and files) or ((listed or remove) and label is not None):
        raise UsageError("Expected FILE… [--as LABEL], --list, or --remove [FILE…]; more came. Leave some out.")
    header = store.read_header(filter_file)
    if store.of_table(header) or header["model"] != ONLINE:
        raise DataError(
            f"{escape(filter_file)}: expected a filter of the default model of mail, online; others keep no journal, "
            "and so no canaries."
        )
    if listed:
        _list(filter_file, as_json)
    elif remove:
        _remove(filter_file, files, as_json, quiet)
    else:
        _add(filter_file, files, label, as_json, quiet)


def _list(filter_file: str, as_json: bool) -> None:
    rows: list[dict[str, Any]] = []
    with store.open_file(filter_file) as opened, Journal.open(filter_file, write=False) as journal:
        if journal is not None and journal.canary_count():
            with journal.at_once():
                known = journal.canaries.all()
                verdicts = TaughtFilter(opened, filter_file).judge_sets([each.words for each in known])
            for each, said in zip(known, verdicts, strict=True):
                row: dict[str, Any] = {"source": each.source, "label": each.label, "digest": each.words.digest.hex()}
                rows.append({**row, "decibans": said.decibans, "unsure": said.unsure})
    if as_json:
        print_json({"filter": filter_file, "canaries": rows})
        return
    for row in rows:
        unsure = "  unsure" * row["unsure"]
        click.echo(f"{row['digest'][:12]}  {escape(row['label'])}  {row['decibans']:.1f} dB  {row['source']}{unsure}")
    click.echo(f"{format_count(len(rows), 'canary', 'canaries')}.")


def _remove(filter_file: str, files: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    with lock(filter_file), store.open_file(filter_file) as opened, Journal.open(filter_file, write=True) as journal:
        assert journal is not None
        filter_ = TaughtFilter(opened, filter_file)
        digests = [each.words.digest for each in journal.canaries.all()]
        if files:
            read = batches(files, filter_.settings, gone=[])
            digests = [each.digest for batch in read for each in word_sets(filter_.settings, batch.items)]
        removed: list[int] = []
        journal.write(lambda: removed.append(journal.canaries.remove(digests)))
        journal.kept = True
        left = len(journal.canaries)
    if as_json:
        print_json({"filter": filter_file, "removed": removed[0], "canaries": left})
    elif not quiet:
        gone = format_count(removed[0], "canary", "canaries")
        click.echo(f"Removed {gone}; {left:,} are left.")


def _add(filter_file: str, files: tuple[str, ...], label: str | None, as_json: bool, quiet: bool) -> None:
    with lock(filter_file), store.open_file(filter_file) as opened, Journal.open(filter_file, write=True) as journal:
        assert journal is not None
        filter_ = TaughtFilter(opened, filter_file)
        classes = [str(c) for c in filter_.classes]
        journal.require_classes(classes)
        if label is not None:
            label_among(classes, label)
        found: list[Canary] = []
        for names, items, _ in batches(files, filter_.settings, gone=[]):
            sets = word_sets(filter_.settings, items)
            for name, words, verdict in zip(names, sets, filter_.judge(items), strict=True):
                if label is not None and str(verdict.label) != label:
                    raise DataError(
                        f"{escape(name)}: expected a verdict of {label!r}; the filter gives {str(verdict.label)!r}, "
                        f"{verdict.decibans:.1f} dB. Nothing was changed. Learn it first: deciban learn."
                    )
                found.append(Canary(words, str(verdict.label), name))
        journal.write(lambda: journal.canaries.add(found, filter_.settings))
        journal.kept = True
        count = len(journal.canaries)
    if as_json:
        print_json({"filter": filter_file, "added": len(found), "canaries": count})
    elif not quiet:
        click.echo(f"Held {format_count(len(found), 'verdict')}; {format_count(count, 'canary', 'canaries')} in all.")
