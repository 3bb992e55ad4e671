"""deciban train: labelled examples in, a filter out."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

import click

from ..errors import DataError, UsageError, shown
from ..mail.filter import Filter, train_files, train_rows
from ..mail.sources import STDIN, Source, check_classes, find, kind_of
from ..report.progress import Meter
from ..report.quantities import counted, size_of
from ..text.choice import Tried
from ..text.counting import Counted
from ..text.model import Bayes
from ..text.recipes import Recipe
from . import options
from .destination import check_destination
from .failures import replacing
from .items import TABLES, naming, total_size
from .models import Rows, learnt, model_options, recipes, rereading, tell_approximation
from .output import Remarks, print_json, quoted
from .reporting import check_report, report_texts
from .reporting import option as report_option
from .tabular import is_typed, refuse_typed


def _words(value: str) -> tuple[int, int]:
    """`1,2`: from single words to pairs; `1` alone is single words."""
    parts = value.split(",")
    if not 1 <= len(parts) <= 2 or not all(part.strip() in tuple("12345") for part in parts):
        raise ValueError
    shortest, longest = int(parts[0]), int(parts[-1])
    if shortest > longest:
        raise ValueError
    return shortest, longest


def _features(value: str) -> int | str:
    """A number of words, or `all`."""
    if value == "all":
        return value
    number = int(value.replace(",", ""))
    if number < 1:
        raise ValueError
    return number


def _parsed(parse: Callable[[str], Any], expected: str) -> Callable[..., Any]:
    """A callback that says what was expected where `parse` raises ValueError."""

    def callback(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
        try:
            return None if value is None else parse(value)
        except ValueError:
            raise click.BadParameter(f"expected {expected}; came {value!r}", ctx, param) from None

    return callback


_SEED_HELP = "Of what is random, and key of the hash of words. Default: 0."
_WORDS = _parsed(_words, "N or N,M with 1 ≤ N ≤ M ≤ 5, such as 1,2 for words and pairs")
_FEATURES = _parsed(_features, "a number of words from 1, or all")


@click.command("train", short_help="Learn from labelled examples.")
@click.argument("examples", nargs=-1, required=True, metavar="LABEL=PATH...|FOLDER|TABLE")
@click.option("-o", "--output", metavar="FILE", help="Default: filter.deciban for mail, else model.deciban.")
@options.tables
@options.typed
@model_options
@click.option("--kind", type=click.Choice(["auto", "mail", "text"]), default="auto", help="What the items are.")
@click.option("--words", callback=_WORDS, metavar="N,M", help="Runs of N to M words: 1,2 is words and pairs.")
@click.option("--max-features", callback=_FEATURES, metavar="N|all", help="Size of the dictionary.")
@click.option("--hashed", type=click.IntRange(1, 30), metavar="BITS", help="2^BITS buckets instead of words by name.")
@click.option("--readable/--unreadable", default=None, help="Keep words that name the buckets of --hashed, or none.")
@click.option("--binary/--counts", "binary", default=None, help="A word counts once per item, or each time.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), metavar="N", help=_SEED_HELP)
@report_option
@options.jobs
@options.as_json
@options.quiet
def command(examples: tuple[str, ...], output: str | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Learn from labelled examples and write a filter.

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
    rows = Rows(examples[0], given) if table else None
    with replacing(output):
        trained, found, tried = _train(rows, sources, contenders, given, remarks)
        trained.save(output)
    seconds = perf_counter() - started
    recipe = next((each for each in contenders if each.model == trained.model.name), contenders[0])
    named = rows.named if rows else naming(sources, recipe.settings, given["jobs"])
    report_texts(output, trained, recipe, tried, named, given, remarks)
    _tell(remarks, trained, found, seconds, output, examples)
    if as_json:
        print_json({**_summary(trained, found, seconds, output), "tried": [each.to_json() for each in tried]})


def is_table(examples: tuple[str, ...], given: dict[str, Any]) -> bool:
    columns = [given["text"], given["label"]]
    bare = [path for path in examples if "=" not in path or os.path.isfile(path)]
    if columns == [None, None]:
        named = next((path for path in bare if path.lower().endswith(TABLES) or path == STDIN), None)
        if named is not None and (os.path.isfile(named) or given["table_format"]):
            raise UsageError(
                f"{shown(named)}: expected the columns of this table. Add --label COLUMN, and --text COLUMN if it is "
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


def _train(
    rows: Rows | None,
    sources: list[Source],
    contenders: list[Recipe],
    given: dict[str, Any],
    remarks: Remarks,
) -> tuple[Filter, Counted, list[Tried]]:
    """Counts the words of all examples; then, for what is more than naive Bayes, reads them again."""
    settings, learner = contenders[0].settings, contenders[0].learner
    bayes = learner if isinstance(learner, Bayes) else Bayes()  # only counted by
    if rows is None:
        again = rereading(sources, settings, given["jobs"])
        with Meter("Reading", total_size(sources), remarks.quiet) as meter:
            counted, found = train_files(sources, settings, bayes, meter, given["jobs"])
    else:
        again = rows.again
        with Meter("Reading", None, remarks.quiet) as meter:
            counted, found = train_rows(rows.first(), settings, bayes, meter, given["jobs"])
    _check_members(counted, found)
    trained, tried = learnt(counted, again, contenders, given, remarks)
    return trained, found, tried


def _check_members(trained: Filter, found: Counted) -> None:
    for label, count in zip(trained.model.classes, trained.model.book.items, strict=True):
        if not count:
            same = " Its items are also items of another class, and the first label stands." if found.conflicts else ""
            raise DataError(
                f"Expected items of every class; '{shown(str(label))}' has none.{same} Nothing was written."
            )


# --- what is told ------------------------------------------------------------------------------------------


def _summary(trained: Filter, found: Counted, seconds: float, output: str) -> dict[str, Any]:
    items = trained.model.book.items
    return {
        "n": len(found.members),
        "classes": {str(label): round(count) for label, count in zip(trained.model.classes, items, strict=True)},
        "seconds": seconds,
        "model": trained.model.name,
        "certificate": trained.model.certificate(seconds).to_json(),
        "kind": trained.model.settings.kind,
        "duplicates": found.duplicates,
        "conflicts": found.conflicts,
        "words": len(trained.model.book),
        "dropped": trained.model.dropped,
        "output": output,
    }


def _tell(
    remarks: Remarks, trained: Filter, found: Counted, seconds: float, output: str, examples: tuple[str, ...]
) -> None:
    mail = trained.model.settings.kind == "mail"
    by_class = zip(trained.model.book.items, trained.model.classes, strict=True)
    counts = ", ".join(f"{shown(str(label))}: {round(count):,}" for count, label in by_class)
    n = counted(len(found.members), "message" if mail else "text")
    remarks(f"Learnt {n} in {seconds:.2f} s ({counts}).")
    if found.duplicates:
        remarks(f"{counted(found.duplicates, 'exact duplicate')} counted once only.")
    if found.conflicts:
        remarks(
            f"{counted(found.conflicts, 'item')} came under two labels: the first label stands. "
            "Look at them: one of the two is wrong."
        )
    tell_approximation(trained.model.certificate(), remarks)
    if trained.model.dropped:
        most = trained.model.settings.max_words
        remarks(f"More than {most:,} distinct words: the {trained.model.dropped:,} rarest were left out.")
    size = size_of(os.stat(output).st_size)
    remarks(f"Wrote {shown(output)}, {size}, {counted(len(trained.model.book), 'word')}.")
    item = "mail.eml" if mail else "text.txt"
    remarks(f"Next: deciban classify {quoted(output)} {item}   ·   deciban inspect {quoted(output)}")
