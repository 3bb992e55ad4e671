"""deciban compare: the families side by side on labelled examples."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..errors import DataError, UsageError, escape
from . import options
from .output import Remarks, print_json
from .reporting import check_report, report_comparison
from .reporting import option as report_option
from .tabular import is_typed, refuse_of_texts, refuse_typed, tell_leaks

if TYPE_CHECKING:
    from ..evaluation.comparison import Comparison
    from ..evaluation.cross_validation import CrossValidation, Learner, Plan

# What `train` asks of models and texts besides, at its defaults.
_UNSAID: dict[str, Any] = dict.fromkeys(
    ("words", "max_features", "hashed", "readable", "binary", "likelihood", "alpha", "C")
)


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = tuple(name.strip() for name in value.split(","))
    if "" in names or len(set(names)) < len(names):
        raise click.BadParameter(f"expected names, each once, as in svm,logistic; came {value!r}", ctx, param)
    return names


def _sizes(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    if value is None or value == "none":
        return None if value is None else ()
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        raise click.BadParameter(f"expected numbers as in 100,1000, or none; came {value!r}", ctx, param)
    return tuple(map(int, parts))


@click.command("compare", short_help="Compare types of model.")
@click.argument("examples", nargs=-1, required=True, metavar="LABEL=PATH...|FOLDER|TABLE")
@options.tables
@options.add_column_options
@click.option(
    "--models",
    callback=_names,
    metavar="A,B,...",
    help="Models to compare, simplest first. Default: those of --model auto.",
)
@click.option("--kind", type=click.Choice(["auto", "mail", "text"]), default="auto", help="Kind of the items.")
@click.option("--folds", type=click.IntRange(2), default=5, metavar="K", help="Number of folds. Default: 5.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Repeat the cross-validation with other folds. Default: 1.",
)
@click.option(
    "--sizes",
    callback=_sizes,
    metavar="N,M,...",
    help="Sizes of the training sets of the learning curves, or none. Default: four, each half the next.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    callback=options.finite,
    metavar="SECONDS",
    help="Start no fit after this time, and report what is done. Default: none.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    metavar="N",
    help="Seed of the folds and of the hash. Default: 0.",
)
@partial(report_option, of="the comparison")
@options.jobs
@options.as_json
@options.quiet
def command(examples: tuple[str, ...], as_json: bool, quiet: bool, **given: Any) -> None:
    """Compare types of model by cross-validation on labelled examples. Nothing is written except the page of
    --report.

    \b
    deciban compare spam=Junk/ ham=Inbox.mbox       mbox, Maildir, folder of .eml or .txt, one file
    deciban compare reviews.csv --text review --label sentiment    also .tsv .jsonl .parquet
    deciban compare people.csv --label income --models naive-bayes,svm,mlp    typed columns; also .svm

    Errors have 95 % intervals, log losses are in nats. McNemar's exact test and the corrected resampled t-test, with
    Holm's correction, show which differences are significant. Ctrl-C stops and reports what is done.
    """
    remarks = Remarks(quiet)
    inputs = [*examples, *(each.partition("=")[2] for each in examples)]
    check_report(given["report"], None, inputs, given["language"])
    found = _compare(examples, {**given, **_UNSAID}, remarks)
    if as_json:
        print_json(found.to_json())
    else:
        from ..report.comparison import comparison
        from ..report.terminal import console, screen, write

        on = console()
        write(comparison(found, screen(on)), on)
    report_comparison(found, given, remarks)
    if found.ended == "interrupt":
        interrupted = KeyboardInterrupt()
        interrupted.add_note("what was finished by then is told")
        raise interrupted


def _compare(examples: tuple[str, ...], given: dict[str, Any], remarks: Remarks) -> Comparison:
    from ..evaluation.comparison import make_comparison
    from ..evaluation.cross_validation import Plan
    from ..evaluation.significance import LEVEL
    from .fits import Fits

    plan = Plan(given["folds"], given["repeats"], given["sizes"], given["seed"])
    try:
        plan.check()
    except ValueError as error:
        raise UsageError(f"Expected --sizes that make sense: {error}.") from None
    with Fits(remarks.quiet) as fits:
        work = _work(examples, given, plan, remarks)
        work.time_limit, work.callback = given["time_limit"], fits
        work.run()
    return make_comparison(work, LEVEL)


def _work(examples: tuple[str, ...], given: dict[str, Any], plan: Plan, remarks: Remarks) -> CrossValidation:
    from ..evaluation.cross_validation import CrossValidation

    labelled, learners, learnable = _read(examples, given, remarks)
    try:
        return CrossValidation(labelled, learners, plan, learnable=learnable)
    except DataError:
        raise
    except ValueError as error:
        raise UsageError(f"Expected --sizes that make sense: {error}.") from None


def _read(examples: tuple[str, ...], given: dict[str, Any], remarks: Remarks) -> tuple[Any, list[Learner], Any]:
    """Return examples with their copies, who learns them, and which of them are learnt where they are not held out."""
    from .train import is_table, kind_among, sources_of_classes

    if is_typed(examples, given):
        if len(examples) != 1:
            raise UsageError(f"Expected one table with --label; {len(examples)} arguments came.")
        refuse_of_texts({**given, "model": "auto"})
        return _table(examples[0], given, remarks)
    refuse_typed(given)
    from ..data.text_layout import MODELS
    from ..evaluation.learners import OfCorpus
    from ..text.model_defaults import QUICKEST_FIRST
    from .labelled_items import LabelledItems, Wanted
    from .models import recipes

    table = is_table(examples, given)
    names = _parse_models(given["models"], QUICKEST_FIRST, MODELS, "texts")
    sources = [] if table else sources_of_classes(examples)
    kind = kind_among(given["kind"], sources)
    chosen = [recipes(kind, {**given, "model": each})[0] for each in names]
    wanted = Wanted(chosen, given["jobs"], remarks.quiet, near=True)
    read = LabelledItems.of_rows(examples[0], given, wanted) if table else LabelledItems.of_files(sources, wanted)
    learners = [OfCorpus(each.model, each, read.corpus, given["jobs"]) for each in chosen]
    return read.labelled, [*learners], read.first_of_each()


def _table(path: str, given: dict[str, Any], remarks: Remarks) -> tuple[Any, list[Learner], Any]:
    from ..evaluation.compare import label_rows
    from ..evaluation.leaks import find_leaks
    from ..evaluation.learners import OfTable
    from ..table_models.recipes import MODELS, SIMPLEST_FIRST, recipe
    from .table_training import read_labelled_table

    names = _parse_models(given["models"], SIMPLEST_FIRST, MODELS, "typed columns")
    rows = read_labelled_table(path, given)
    tell_leaks({leak.name: leak.errors / leak.n for leak in find_leaks(rows)}, given["label"], remarks)
    learners = [OfTable(name, recipe(name, {}, given["seed"]), rows, given["jobs"]) for name in names]
    return label_rows(rows), [*learners], None


def _parse_models(
    wanted: tuple[str, ...] | None, default: Iterable[str], known: tuple[str, ...], what: str
) -> list[str]:
    """Return the models to compare; UsageError for what is none."""
    for name in wanted or ():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
            raise UsageError(f"Expected --models of {what}; came '{escape(name)}'. {hint}")
    return list(wanted or default)
