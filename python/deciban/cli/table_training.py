"""deciban train of typed columns: a table in, a model of it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from time import perf_counter
from typing import Any

from ..data.capacity import require_labels
from ..errors import UsageError, escape
from ..evaluation.leaks import find_leaks
from ..mail.journal import begin_anew
from ..mail.sources import STDIN
from ..report.progress import format_count
from ..table_models.known_rows import KnownRows, hash_rows
from ..table_models.recipes import MODELS, SIMPLEST_FIRST, TableRecipe, recipe, takes
from ..table_models.table_model import Origin, Rows, TableModel
from ..tables.cells import read_cells
from ..tables.svmlight import LABEL
from ..tables.typed import Typed, learnt_from
from ..text.choice import CandidateResult, bound_of_choice
from ..text.model_defaults import FEWEST
from .destination import check_destination
from .epochs import Epochs
from .large_tables import LearntTable, Table, parse_wanted_columns, train_in_files
from .memory import TABLE, is_large
from .models import choose_aloud, tell_approximation
from .output import Remarks, print_json, tell_written
from .reporting import check_report, report_table
from .tabular import refuse_of_texts, tell_leaks

_OPTIONS = {"C": "-C", "alpha": "--alpha"}
_KINDS = {"whole": "numbers", "number": "numbers", "truth": "true or false", "category": "categories"}


def train(examples: Sequence[str], output: str, given: Mapping[str, Any], remarks: Remarks, as_json: bool) -> None:
    """Learn the one table of `examples` and write the model."""
    started = perf_counter()
    if len(examples) != 1:
        raise UsageError(f"Expected one table with --label; {len(examples)} arguments came.")
    path, label = examples[0], given["label"] or LABEL
    refuse_of_texts(given)
    contenders = contenders_of(given)
    check_destination(output, [path])
    check_report(given["report"], output, [path], given["language"])
    large = is_large([path], given["memory"], TABLE)
    with train_in_files(path, label, output, contenders, given, remarks) if large else nullcontext() as kept:
        learnt, rows = (kept, None) if kept is not None else _train_in_memory(path, label, contenders, given, remarks)
        errors = {leak.name: leak.errors / leak.n for leak in learnt.leaks}
        with begin_anew(output, learnt.model.compile):
            learnt.model.save(output, Origin(label, learnt.table.ignored, errors, learnt.known).header())
    seconds = perf_counter() - started
    model, tried, table = learnt.model, learnt.tried, learnt.table
    if rows is not None:
        recipe = next((each for each in contenders if each.model == model.name), contenders[0])
        report_table(output, model, rows, escape(path), recipe, tried, given, remarks)
    tell_leaks(errors, label, remarks)
    _tell(remarks, model, table, seconds, output)
    if as_json:
        told = {"leaks": [leak.to_json() for leak in learnt.leaks]}
        print_json({**_summary(model, table, seconds, output), **told, "tried": [each.to_json() for each in tried]})


def _train_in_memory(
    path: str, label: str, contenders: Sequence[TableRecipe], given: Mapping[str, Any], remarks: Remarks
) -> tuple[LearntTable, Rows]:
    rows, table = read_rows(path, label, given, escape(path))
    model, tried = _learnt(rows, contenders, given, remarks)
    known = KnownRows.of(hash_rows(rows.columns, rows.X, rows.labels.tolist()))
    told = Table(table.n, table.columns, table.ignored, table.missing)
    return LearntTable(model, tried, find_leaks(rows), known, told), rows


def contenders_of(given: Mapping[str, Any]) -> list[TableRecipe]:
    """Return what to try, simplest first; one where the model is named."""
    said = {name: given[name] for name in _OPTIONS}
    model, seed = given["model"], given["seed"] or 0
    if model == "auto":
        return [recipe(each, said, seed) for each in SIMPLEST_FIRST]
    for name, value in said.items():
        if value is not None and name not in takes(model):
            takers = " or ".join(each for each in MODELS if name in takes(each))
            raise UsageError(f"Expected {_OPTIONS[name]} only with --model {takers}; the model is {model}.")
    return [recipe(model, said, seed)]


def _learnt(
    rows: Rows, contenders: Sequence[TableRecipe], given: Mapping[str, Any], remarks: Remarks
) -> tuple[TableModel, list[CandidateResult]]:
    jobs = given["jobs"]
    if len(contenders) == 1 or len(rows) < FEWEST:
        with Epochs(remarks.quiet) as epochs:
            return contenders[0].learn(rows, n_jobs=jobs, watch=epochs), []
    found, tried = choose_aloud(rows, contenders, given, remarks)
    return found.learn(rows, n_jobs=jobs).with_choice(bound_of_choice(found.model, tried)), tried


# --- what is told ------------------------------------------------------------------------------------------


def _summary(model: TableModel, table: Table, seconds: float, output: str) -> dict[str, Any]:
    return {
        "n": table.n,
        "classes": _classes(model),
        "seconds": seconds,
        "model": model.name,
        "certificate": model.certificate().to_json(),
        "kind": "table",
        "columns": dict(zip(map(str, table.columns.names), table.columns.kinds, strict=True)),
        "ignored": table.ignored,
        "missing": table.missing,
        "output": output,
    }


def _classes(model: TableModel) -> dict[str, int]:
    return {str(label): round(count) for label, count in zip(model.classes, model.items.tolist(), strict=True)}


def _tell(remarks: Remarks, model: TableModel, table: Table, seconds: float, output: str) -> None:
    counts = ", ".join(f"{escape(label)}: {count:,}" for label, count in _classes(model).items())
    remarks(f"Learnt {format_count(table.n, 'row')} in {seconds:.2f} s by {model.name} ({counts}).")
    kinds = Counter(_KINDS[kind] for kind in table.columns.kinds)
    by_kind = ", ".join(f"{n:,} of {kind}" for kind, n in kinds.items())
    remarks(f"{format_count(len(table.columns.names), 'column')}: {by_kind}.")
    if table.ignored:
        left_out = [f"{escape(own)} ({why})" for own, why in table.ignored.items()]
        more = f" and {len(left_out) - 10:,} more" if len(left_out) > 10 else ""
        remarks(f"Left out: {', '.join(left_out[:10])}{more}.")
    tell_approximation(model.certificate(), remarks)
    missing = table.missing
    if missing:
        remarks(f"{format_count(missing, 'cell')} empty: {MISSING[model.name == 'naive-bayes']}")
    tell_written(remarks, output, "", "rows.csv")


MISSING = {
    True: "what is missing says nothing.",
    False: "a number counts as the mean, a category as none of its labels.",
}
"""The rule for what is missing, by whether the model is naive Bayes."""


def read_labelled_table(path: str, given: Mapping[str, Any]) -> Rows:
    """Return rows of typed columns."""
    return read_rows(path, given["label"] or LABEL, given, path)[0]


def read_rows(path: str, label: str, given: Mapping[str, Any], name: str) -> tuple[Rows, Typed]:
    """Return the rows of a table with their labels, and what its columns were taken for."""
    cells = read_cells(path, given["encoding"], given["table_format"])
    table = learnt_from(cells, label, given["ignore"], parse_wanted_columns(given, label))
    rows = Rows.of(table, "standard input" if path == STDIN else name)
    require_labels(len(rows.classes), len(rows), label)
    return rows, table
