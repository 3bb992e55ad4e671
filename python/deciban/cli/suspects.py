"""deciban suspects: which labels of the examples are probably wrong."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from .. import store
from ..errors import UsageError
from ..json_text import json_line
from ..report.progress import format_count
from . import options
from .model_options import CHOICES, model_options
from .models import recipes
from .output import Remarks, print_json
from .tabular import is_typed, refuse_of_texts, refuse_typed
from .text_tables import fill_columns
from .train import is_table, kind_among, sources_of_classes

# What `train` asks of texts besides, at its defaults.
_UNSAID: dict[str, Any] = dict.fromkeys(("words", "max_features", "hashed", "readable", "binary"))
_LISTED = 20


@click.command("suspects", short_help="List probably wrong labels.")
@click.argument("examples", nargs=-1, required=True, metavar="[MODEL] LABEL=PATH...|FOLDER|TABLE")
@options.tables
@options.add_column_options
@model_options
@click.option("--kind", type=click.Choice(["auto", "mail", "text"]), default="auto", help="Kind of the items.")
@click.option("--folds", type=click.IntRange(2), default=5, metavar="K", help="Number of folds. Default: 5.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help=f"List at most N. Default: {_LISTED}; of JSON, all.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    metavar="N",
    help="Seed of the folds and of the hash. Default: 0.",
)
@options.jobs
@options.as_json
@click.option("--jsonl", is_flag=True, help="Print one JSON object a line, one for each suspect.")
@options.quiet
def command(
    examples: tuple[str, ...], limit: int | None, as_json: bool, jsonl: bool, quiet: bool, **given: Any
) -> None:
    """List the examples whose labels are probably wrong, the most probable first. Nothing is written.

    \b
    deciban suspects spam=Junk/ ham=Inbox.mbox       mbox, Maildir, folder of .eml or .txt, one file
    deciban suspects reviews.csv --text review --label sentiment    also .tsv .jsonl .parquet
    deciban suspects people.csv --label income       typed columns; also .svm
    deciban suspects model.deciban reviews.csv       columns and type of model as in model.deciban

    Near-duplicates with different labels come first, then examples whose label is more probably wrong than right,
    beyond what the features leave open, by models that were not trained on them. Decibans are their evidence for the
    other label against the given one, as in classify.
    """
    examples, given = _known(examples, {**given, **_UNSAID})
    found = _find(examples, given, Remarks(quiet))
    if jsonl:
        sys.stdout.writelines(json_line(each) + "\n" for each in _list(found, limit))
    elif as_json:
        print_json(_summary(found, given, limit))
    else:
        _tell(found, given["folds"], limit or _LISTED)


def _known(examples: tuple[str, ...], given: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the examples without the model in front of them, and the options with its columns and its type."""
    if len(examples) < 2 or not examples[0].lower().endswith(".deciban") or not os.path.isfile(examples[0]):
        return examples, given
    header, examples = store.read_header(examples[0]), examples[1:]
    if given["model"] == "auto" and header["model"] in CHOICES:
        given = {**given, "model": header["model"]}
    if store.of_table(header):
        return examples, {**given, "label": given["label"] or header.get("origin", {}).get("label")}
    given = {**given, "kind": header["text"]["kind"] if given["kind"] == "auto" else given["kind"]}
    return examples, fill_columns(header, given, examples)


def _find(examples: tuple[str, ...], given: dict[str, Any], remarks: Remarks) -> Any:
    from . import suspect_folds

    if is_typed(examples, given):
        if len(examples) != 1:
            raise UsageError(f"Expected one table with --label; {len(examples)} arguments came.")
        refuse_of_texts(given)
        return suspect_folds.in_table(examples[0], given, remarks)
    refuse_typed(given)
    if is_table(examples, given):
        return suspect_folds.in_rows(examples[0], recipes(kind_among(given["kind"], []), given), given, remarks)
    sources = sources_of_classes(examples)
    return suspect_folds.in_files(sources, recipes(kind_among(given["kind"], sources), given), given, remarks)


def _list(found: Any, limit: int | None) -> list[dict[str, Any]]:
    """Return one object a suspect, with keys that scripts rely on."""
    objects = []
    for each in found.suspects[:limit]:
        told = each.to_json()
        del told["place"]
        copies = [found.names[place] for place in each.copies]
        objects.append({"source": found.names[each.place], **told, "copies": copies})
    return objects


def _summary(found: Any, given: dict[str, Any], limit: int | None) -> dict[str, Any]:
    said = found.suspects.to_json()
    return {
        "n": round(said["n"]),
        "wrong": said["wrong"],
        "false_alarms": said["false_alarms"],
        "model": found.model,
        "folds": given["folds"],
        "seed": given["seed"],
        "classes": said["classes"],
        "thresholds": said["thresholds"],
        "joint": said["joint"],
        "found": len(found.suspects),
        "suspects": _list(found, limit),
    }


def _tell(found: Any, folds: int, limit: int) -> None:
    from rich.text import Text

    from ..conventions import percent
    from ..report.terminal import console, format_signed, grid, name, screen, write

    on = console()
    shape = screen(on)
    n, wrong = round(found.suspects.n), round(found.suspects.wrong)
    share = f" ({percent(found.suspects.wrong / found.suspects.n)})" if wrong else ""
    lines = [
        f"About {wrong:,} of {format_count(n, 'label')} {'is' if wrong == 1 else 'are'} wrong{share}, by {found.model}."
    ]
    named = sum(each.kind != "duplicate" for each in found.suspects)
    if named:
        alarms = found.suspects.false_alarms
        lines.append(f"Of the {format_count(named, 'suspect')} that the model names, expect {alarms:,.0f} to be right.")
    arrow = shape.pick("→", "->")
    rows = []
    for each in found.suspects[:limit]:
        why = each.reason + (f" ({name(found.names[each.copies[0]])})" if each.copies else "")
        change = f"{name(each.label)} {arrow} {name(each.suggested)}"
        rows.append((change, f"{format_signed(each.decibans, shape)} dB", name(found.names[each.place]), name(why)))
    if rows:
        lines += ["", *grid(rows, "lr")]
    left = len(found.suspects) - len(rows)
    if left:
        lines += ["", f"{left:,} more: --limit {len(found.suspects)} lists them all."]
    if not rows:
        lines.append(
            f"No label is suspect: none of its near-duplicates, and no model of {folds} folds, says otherwise."
        )
    write(map(Text, lines), on)
