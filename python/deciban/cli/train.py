"""deciban train: labelled examples in, a filter out."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

import click

from ..data.text_layout import BY_PASSES, NAIVE_BAYES, ONLINE
from ..errors import UsageError, escape
from ..mail.sources import STDIN, Source, check_classes, find, kind_of
from . import memory, options
from .destination import check_destination
from .items import TABLES
from .model_options import model_options
from .online_reading import begin_reading
from .output import Remarks
from .reporting import check_report
from .reporting import option as report_option
from .tabular import is_typed, refuse_typed


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
@memory.option
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
    in_files = choose_stream(examples[0] if table else None, sources, kind, given, remarks)
    inputs = [source.path for source in sources] if not table else list(examples)
    check_destination(output, inputs)
    check_report(given["report"], output, inputs, given["language"])
    with begin_reading(kind, sources, given, quiet) as reading:
        # With all that learning takes, which is loaded while messages are read.
        from .text_training import Told, train_texts

        told = Told(remarks, as_json, started)
        train_texts(examples[0] if table else None, sources, kind, reading, output, given, told, in_files)


def choose_stream(table: str | None, sources: list[Source], kind: str, given: dict[str, Any], remarks: Remarks) -> bool:
    """Choose naive Bayes, which streams, for texts that take more memory than they may; refuse what does not stream,
    and return whether it is learnt by passes over files."""
    paths = [source.path for source in sources] if table is None else [table]
    streams = given["model"] in (NAIVE_BAYES, ONLINE) or (kind == "mail" and given["model"] == "auto")
    if streams or not memory.is_large(paths, given["memory"], memory.TEXTS):
        return False
    by_passes = given["model"] in BY_PASSES
    if (given["model"] != "auto" and not by_passes) or given["report"] is not None:
        model = given["model"] if given["report"] is None else "a report"
        *names, last = [NAIVE_BAYES, *BY_PASSES]
        raise memory.refuse_large(paths[0], model, f"{', '.join(names)} or {last}, without --report")
    if not by_passes:
        given["model"] = NAIVE_BAYES
        remarks(f"{escape(paths[0])} is larger than memory: it is learnt as a stream, by {NAIVE_BAYES}.")
    return by_passes


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
