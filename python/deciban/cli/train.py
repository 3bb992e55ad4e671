"""deciban train: labelled examples in, a filter out."""

from __future__ import annotations

import os
from dataclasses import replace
from time import perf_counter
from typing import Any

import click

from ..distributions import StatisticError
from ..errors import DataError, UsageError, shown
from ..mail.filter import MAIL, MAIL_BAYES, Filter, train_files, train_rows
from ..mail.sources import STDIN, Source, check_classes, find, kind_of
from ..report.progress import Meter
from ..text.counting import Counted
from ..text.model import Bayes
from ..text.settings import TextSettings
from . import options
from .destination import check_destination
from .failures import replacing
from .items import TABLES, total_size
from .output import Remarks, counted, print_json, quoted, size_of


class _Words(click.ParamType):
    """`1,2`: from single words to pairs; `1` alone is single words."""

    name = "N,M"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        try:
            parts = [int(part) for part in str(value).split(",")]
            shortest, longest = parts[0], parts[-1]
            if len(parts) <= 2 and 1 <= shortest <= longest <= 5:
                return shortest, longest
        except ValueError:
            pass
        self.fail(f"expected N or N,M from 1 to 5, such as 1,2 for words and pairs; came {value!r}", param, ctx)


class _Features(click.ParamType):
    """A number of words, or `all`: None."""

    name = "N|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:
        if value == "all":
            return "all"
        if str(value).replace(",", "").isdecimal() and int(str(value).replace(",", "")) > 0:
            return int(str(value).replace(",", ""))
        self.fail(f"expected a number of words, or all; came {value!r}", param, ctx)


@click.command("train", short_help="Learn from labelled examples.")
@click.argument("examples", nargs=-1, required=True, metavar="LABEL=PATH...|FOLDER|TABLE")
@click.option("-o", "--output", metavar="FILE", help="Default: filter.deciban for mail, else model.deciban.")
@options.tables
@click.option("--model", type=click.Choice(["auto", "naive-bayes"]), default="auto", help="Default: auto.")
@click.option("--kind", type=click.Choice(["auto", "mail", "text"]), default="auto", help="What the items are.")
@click.option("--likelihood", type=click.Choice(["multinomial", "bernoulli"]), help="Default: multinomial.")
@click.option("--alpha", type=click.FloatRange(min=0), metavar="A", help="Pseudo-count of each word. Default: 1.")
@click.option("--words", type=_Words(), metavar="N,M", help="Runs of N to M words: 1,2 is words and pairs.")
@click.option("--max-features", type=_Features(), metavar="N|all", help="Size of the dictionary.")
@click.option("--hashed", type=click.IntRange(1, 30), metavar="BITS", help="2^BITS buckets instead of words by name.")
@click.option("--binary/--counts", "binary", default=None, help="A word counts once per item, or each time.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), metavar="N", help="Key of the hash of words. Default: 0.")
@options.jobs
@options.as_json
@options.quiet
def command(examples: tuple[str, ...], output: str | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Learn from labelled examples and write a filter.

    \b
    deciban train spam=Junk/ ham=Inbox.mbox       mbox, Maildir, folder of .eml or .txt, one file
    deciban train corpus/                         a folder with one sub-folder per class
    deciban train reviews.csv --text review --label sentiment    also .tsv .jsonl .parquet
    cat junk.mbox | deciban train spam=- ham=Inbox.mbox
    """
    remarks = Remarks(quiet)
    started = perf_counter()
    table = _is_table(examples, given)
    sources = [] if table else _sources(examples)
    kind = _kind(given["kind"], sources)
    output = output or ("filter.deciban" if kind == "mail" else "model.deciban")
    check_destination(output, [source.path for source in sources] if not table else list(examples))
    settings, bayes = _settings(kind, given)
    with replacing(output):
        filter, found = _train(examples, sources, settings, bayes, given, quiet)
        filter.save(output)
    seconds = perf_counter() - started
    _tell(remarks, filter, found, seconds, output, examples)
    if as_json:
        print_json(_summary(filter, found, seconds, output))


def _is_table(examples: tuple[str, ...], given: dict[str, Any]) -> bool:
    columns = [given["text"], given["label"]]
    bare = [path for path in examples if "=" not in path or os.path.isfile(path)]
    if columns == [None, None]:
        named = next((path for path in bare if path.lower().endswith(TABLES) or path == STDIN), None)
        if named is not None and (named != STDIN or given["table_format"]):
            raise UsageError(
                f"{shown(named)}: expected the columns of this table. Add --text COLUMN --label COLUMN."
            )
        return False
    if None in columns:
        missing = "--label" if given["label"] is None else "--text"
        raise UsageError(f"Expected both --text COLUMN and --label COLUMN; {missing} is missing.")
    if len(examples) != 1:
        raise UsageError(f"Expected one table with --text and --label; {len(examples)} arguments came.")
    return True


def _sources(examples: tuple[str, ...]) -> list[Source]:
    sources = find(examples)
    check_classes(sources)
    return sources


def _kind(wanted: str, sources: list[Source]) -> Any:
    if wanted != "auto":
        return wanted
    return kind_of(sources) if sources else "text"


def _settings(kind: Any, given: dict[str, Any]) -> tuple[TextSettings, Bayes]:
    """The defaults for this kind of items, changed where the command says so."""
    settings, bayes = (MAIL, MAIL_BAYES) if kind == "mail" else (TextSettings(kind=kind), Bayes())
    changes = {
        "words": given["words"],
        "hashed_bits": given["hashed"],
        "binary": given["binary"],
        "key": given["seed"],
    }
    settings = replace(settings, **{name: value for name, value in changes.items() if value is not None})
    if given["max_features"] is not None:
        size = given["max_features"]
        settings = replace(settings, max_features=None if size == "all" else size)
    for name in ("likelihood", "alpha"):
        if given[name] is not None:
            bayes = replace(bayes, **{name: given[name]})
    return settings, bayes


def _train(
    examples: tuple[str, ...],
    sources: list[Source],
    settings: TextSettings,
    bayes: Bayes,
    given: dict[str, Any],
    quiet: bool,
) -> tuple[Filter, Counted]:
    try:
        if sources:
            with Meter("Reading", total_size(sources), quiet) as meter:
                return train_files(sources, settings, bayes, meter, given["jobs"])
        from ..tables.rows import read

        with Meter("Reading", None, quiet) as meter:
            rows = read(
                examples[0],
                text=given["text"],
                label=given["label"],
                encoding=given["encoding"],
                kind=given["table_format"],
            )
            labelled = ((batch.texts, batch.labels or []) for batch in rows)
            return train_rows(labelled, settings, bayes, meter, given["jobs"])
    except StatisticError as error:
        raise DataError(f"{error}.") from error


# --- what is told ------------------------------------------------------------------------------------------


def _summary(filter: Filter, found: Counted, seconds: float, output: str) -> dict[str, Any]:
    items = filter.model.book.items
    return {
        "n": len(found.members),
        "classes": {str(label): round(count) for label, count in zip(filter.model.classes, items, strict=True)},
        "seconds": seconds,
        "model": filter.model.header()["model"],
        "certificate": _certificate(filter, seconds),
        "kind": filter.model.settings.kind,
        "duplicates": found.duplicates,
        "conflicts": found.conflicts,
        "words": len(found.book),
        "dropped": found.dropped,
        "output": output,
    }


def _certificate(filter: Filter, seconds: float) -> dict[str, Any] | None:
    certificate = getattr(filter.model, "certificate", None)
    return None if certificate is None else certificate(seconds).to_json()


def _tell(
    remarks: Remarks, filter: Filter, found: Counted, seconds: float, output: str, examples: tuple[str, ...]
) -> None:
    mail = filter.model.settings.kind == "mail"
    by_class = zip(filter.model.book.items, filter.model.classes, strict=True)
    counts = ", ".join(f"{round(count):,} {shown(str(label))}" for count, label in by_class)
    n = counted(len(found.members), "message" if mail else "text")
    remarks(f"Learnt {n} in {seconds:.2f} s: {counts}.")
    if found.duplicates:
        remarks(f"{counted(found.duplicates, 'exact duplicate')} counted once only.")
    if found.conflicts:
        remarks(
            f"{counted(found.conflicts, 'item')} came under two labels: the first label stands. "
            "Look whether something is in the wrong folder."
        )
    if found.dropped:
        remarks(
            f"More than {filter.model.settings.max_words:,} distinct words: the {found.dropped:,} rarest were left out."
        )
    size = size_of(os.stat(output).st_size)
    remarks(f"Wrote {shown(output)}, {size}, {counted(len(found.book), 'word')}.")
    item = "mail.eml" if mail else "text.txt"
    remarks(f"Next: deciban classify {quoted(output)} {item}   ·   deciban inspect {quoted(output)}")
