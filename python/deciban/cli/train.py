"""deciban train: labelled examples in, a filter out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from ..errors import DataError, UsageError, escape
from ..mail.filter import Filter, train_files, train_rows
from ..mail.journal import begin_anew
from ..mail.sources import STDIN, Source, check_classes, find, kind_of
from ..report.progress import Meter, format_count
from ..text.choice import CandidateResult
from ..text.model import Bayes
from ..text.recipes import Recipe
from ..text.settings import TextColumns, TextSettings
from . import options
from .destination import check_destination
from .items import TABLES, read_labelled_rows, tell_gone, total_size
from .models import learnt, model_options, recipes, tell_approximation
from .output import Remarks, print_json, tell_written
from .reporting import check_report, report_texts
from .reporting import option as report_option
from .tabular import is_typed, refuse_typed

if TYPE_CHECKING:
    from .labelled_items import LabelledItems


def _words(value: str) -> tuple[int, int]:
    """Return `1,2`: from single words to pairs; `1` alone is single words."""
    parts = value.split(",")
    if not 1 <= len(parts) <= 2 or not all(part.strip() in tuple("12345") for part in parts):
        raise ValueError
    shortest, longest = int(parts[0]), int(parts[-1])
    if shortest > longest:
        raise ValueError
    return shortest, longest


def _features(value: str) -> int | str:
    """Return a number of words, or `all`."""
    if value == "all":
        return value
    number = int(value.replace(",", ""))
    if number < 1:
        raise ValueError
    return number


def _parse_with(parse: Callable[[str], Any], expected: str) -> Callable[..., Any]:
    """Return a callback that says what was expected where `parse` raises ValueError."""

    def callback(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
        try:
            return None if value is None else parse(value)
        except ValueError:
            raise click.BadParameter(f"expected {expected}; came {value!r}", ctx, param) from None

    return callback


_SEED_HELP = "Seed of what is random, and key of the hash of words. Default: 0."
_WORDS = _parse_with(_words, "N or N,M with 1 ≤ N ≤ M ≤ 5, such as 1,2 for words and pairs")
_FEATURES = _parse_with(_features, "a number of words from 1, or all")


@click.command("train", short_help="Train a classifier.")
@click.argument("examples", nargs=-1, required=True, metavar="LABEL=PATH...|FOLDER|TABLE")
@click.option(
    "-o", "--output", metavar="FILE", help="File to write. Default: filter.deciban for mail, else model.deciban."
)
@options.tables
@options.add_column_options
@model_options
@click.option("--kind", type=click.Choice(["auto", "mail", "text"]), default="auto", help="Kind of the items.")
@click.option("--words", callback=_WORDS, metavar="N,M", help="Word n-grams of N to M words: 1,2 is words and pairs.")
@click.option("--max-features", callback=_FEATURES, metavar="N|all", help="Largest size of the dictionary.")
@click.option(
    "--hashed", type=click.IntRange(1, 30), metavar="BITS", help="Use 2^BITS hash buckets instead of a dictionary."
)
@click.option("--readable/--unreadable", default=None, help="Keep words that name the hash buckets, or none.")
@click.option("--binary/--counts", "binary", default=None, help="Count a word once per item, or each time.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), metavar="N", help=_SEED_HELP)
@report_option
@options.jobs
@options.as_json
@options.quiet
def command(examples: tuple[str, ...], output: str | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Train a classifier on labelled examples and write it to a file.

    \b
    deciban train spam=Junk/ ham=Inbox.mbox       mbox, Maildir, folder of .eml or .txt, one file
    deciban train corpus/                         a folder with one sub-folder per class
    deciban train reviews.csv --text review --label sentiment    also .tsv .jsonl .parquet
    deciban train people.csv --label income       typed columns: numbers, true/false, categories; also .svm
    cat junk.mbox | deciban train spam=- ham=Inbox.mbox
    """
    remarks = Remarks(quiet)
    started = perf_counter()
    if is_typed(examples, given):
        from .table_training import train

        train(examples, output or "model.deciban", given, remarks, as_json)
        return
    refuse_typed(given)
    table = is_table(examples, given)
    sources = [] if table else sources_of_classes(examples)
    kind = kind_among(given["kind"], sources)
    output = output or ("filter.deciban" if kind == "mail" else "model.deciban")
    inputs = [source.path for source in sources] if not table else list(examples)
    check_destination(output, inputs)
    check_report(given["report"], output, inputs, given["language"])
    contenders = recipes(kind, given)
    trained = _train(examples[0] if table else None, sources, contenders, given, remarks)
    if table:
        trained = trained.of_table(TextColumns(given["text"], given["label"]))
    with begin_anew(output, trained.filter.model.compile):
        trained.filter.save(output)
    seconds = perf_counter() - started
    if trained.items is not None:
        recipe = next((each for each in contenders if each.model == trained.filter.model.name), contenders[0])
        report_texts(output, trained.filter, recipe, len(trained.tried), trained.items, given, remarks)
    _tell(remarks, trained, seconds, output)
    if as_json:
        print_json({**_summary(trained, seconds, output), "tried": [each.to_json() for each in trained.tried]})


def is_table(examples: tuple[str, ...], given: dict[str, Any]) -> bool:
    columns = [given["text"], given["label"]]
    bare = [path for path in examples if "=" not in path or os.path.isfile(path)]
    if columns == [None, None]:
        named = next((path for path in bare if path.lower().endswith(TABLES) or path == STDIN), None)
        if named is not None and (os.path.isfile(named) or given["table_format"]):
            raise UsageError(
                f"{escape(named)}: expected the columns of this table. Add --label COLUMN, and --text COLUMN if it is "
                "the texts of one column that tell."
            )
        return False
    if None in columns:
        raise UsageError("Expected both --text COLUMN and --label COLUMN; --label is missing.")
    if len(examples) != 1:
        raise UsageError(f"Expected one table with --text and --label; {len(examples)} arguments came.")
    return True


def sources_of_classes(examples: tuple[str, ...]) -> list[Source]:
    sources = find(examples)
    check_classes(sources)
    return sources


def kind_among(wanted: str, sources: list[Source]) -> Any:
    if wanted != "auto":
        return wanted
    return kind_of(sources) if sources else "text"


class _Trained(NamedTuple):
    """A filter, how many items it has learnt and left out, what was tried, and the items for a report of them."""

    filter: Filter
    n: int
    duplicates: int
    conflicts: int
    tried: list[CandidateResult]
    vanished: int = 0
    items: LabelledItems | None = None

    def of_table(self, columns: TextColumns) -> _Trained:
        """Return the same, with a filter that knows the columns of the table that it was trained on."""
        model = self.filter.model
        known = replace(model, encoder=replace(model.encoder, origin=columns))
        return self._replace(filter=replace(self.filter, model=known))


def _train(table: str | None, sources: list[Source], recipes: list[Recipe], given: Any, remarks: Remarks) -> _Trained:
    """Learn the items of a table or of files, which are read once."""
    learner = recipes[0].learner
    if len(recipes) == 1 and isinstance(learner, Bayes) and given["report"] is None:
        return _count(table, sources, recipes[0].settings, learner, given, remarks)
    from .labelled_items import LabelledItems, Wanted

    wanted = Wanted(recipes, given["jobs"], remarks.quiet, shown=given["report"] is not None)
    items = LabelledItems.of_files(sources, wanted) if table is None else LabelledItems.of_rows(table, given, wanted)
    corpus, duplicates, conflicts = items.distinct()
    _check_members(corpus.classes, np.bincount(corpus.y, minlength=len(corpus.classes)), conflicts)
    trained, tried = learnt(corpus, recipes, given, remarks)
    kept = replace(items, corpus=corpus) if wanted.shown else None
    return _Trained(trained, len(corpus), duplicates, conflicts, tried, items.vanished, kept)


def _count(
    table: str | None, sources: list[Source], settings: TextSettings, bayes: Bayes, given: Any, remarks: Remarks
) -> _Trained:
    """Count the words of all items as they are read, which keeps nothing else of them."""
    gone: list[str] = []
    with Meter("Reading", total_size(sources) if table is None else None, remarks.quiet) as meter:
        if table is None:
            trained, found = train_files(sources, settings, bayes, meter, given["jobs"], gone)
        else:
            trained, found = train_rows(read_labelled_rows(table, given), settings, bayes, meter, given["jobs"])
    tell_gone(gone, settings, remarks)
    _check_members(trained.model.classes, trained.model.encoder.book.items, found.conflicts)
    return _Trained(trained, len(found.members), found.duplicates, found.conflicts, [], len(gone))


def _check_members(classes: Sequence[Any], counts: Iterable[float], conflicts: int) -> None:
    for label, count in zip(classes, counts, strict=True):
        if not count:
            same = " Its items are also items of another class, and the first label stands." if conflicts else ""
            raise DataError(
                f"Expected items of every class; '{escape(str(label))}' has none.{same} Nothing was written."
            )


# --- what is told ------------------------------------------------------------------------------------------


def _summary(trained: _Trained, seconds: float, output: str) -> dict[str, Any]:
    model = trained.filter.model
    return {
        "n": trained.n,
        "classes": {
            str(label): round(count) for label, count in zip(model.classes, model.encoder.book.items, strict=True)
        },
        "seconds": seconds,
        "model": model.name,
        "certificate": model.certificate(seconds).to_json(),
        "kind": model.encoder.settings.kind,
        "duplicates": trained.duplicates,
        "conflicts": trained.conflicts,
        "vanished": trained.vanished,
        "words": len(model.encoder.book),
        "dropped": model.encoder.dropped,
        "output": output,
    }


def _tell(remarks: Remarks, trained: _Trained, seconds: float, output: str) -> None:
    model = trained.filter.model
    mail = model.encoder.settings.kind == "mail"
    by_class = zip(model.encoder.book.items, model.classes, strict=True)
    counts = ", ".join(f"{escape(str(label))}: {round(count):,}" for count, label in by_class)
    n = format_count(trained.n, "message" if mail else "text")
    remarks(f"Learnt {n} in {seconds:.2f} s ({counts}).")
    if trained.duplicates:
        remarks(f"{format_count(trained.duplicates, 'exact duplicate')} counted once only.")
    if trained.conflicts:
        remarks(
            f"{format_count(trained.conflicts, 'item')} came under two labels: the first label stands. "
            "Look at them: one of the two is wrong."
        )
    tell_approximation(model.certificate(), remarks)
    if model.encoder.dropped:
        most = model.encoder.settings.max_words
        remarks(f"More than {most:,} distinct words: the {model.encoder.dropped:,} rarest were left out.")
    words = f", {format_count(len(model.encoder.book), 'word')}"
    tell_written(remarks, output, words, "mail.eml" if mail else "text.txt")
