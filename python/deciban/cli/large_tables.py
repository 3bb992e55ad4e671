"""deciban train of a table that is larger than memory: its rows are kept in files beside the model meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .. import __version__
from ..data.capacity import require_labels
from ..data.columns import Columns
from ..errors import DataError, UsageError, escape
from ..report.progress import Meter, format_count, format_size
from ..tables.cells import Cells, read_cells
from ..tables.kinds import files_of_table
from ..tables.sparse import SparseColumns
from ..tables.survey import SparseSurvey, Survey, TableSurvey
from ..tables.svmlight import LABEL
from ..text.choice import CandidateResult, bound_of_choice
from ..text.model_defaults import FEWEST
from ..threads import effective_threads
from .memory import size_of
from .models import choose_aloud
from .output import Remarks

if TYPE_CHECKING:
    from ..distributed.tables import LargeTable
    from ..evaluation.leaks import Leak
    from ..table_models.known_rows import KnownRows
    from ..table_models.recipes import TableRecipe
    from ..table_models.table_model import TableModel

KEPT = ".part"
"""The end of the name of the folder beside a model in which rows are kept."""
_OPTIONS = ("ignore", "category", "number", "encoding", "table_format")


class Table(NamedTuple):
    """What a table was: n rows, its columns, why others are left out, and how many cells are missing."""

    n: int
    columns: Columns
    ignored: dict[str, str]
    missing: int


class LearntTable(NamedTuple):
    """A model of a table, what else was tried, which columns leak, and the sketch of its rows."""

    model: TableModel
    tried: list[CandidateResult]
    leaks: list[Leak]
    known: KnownRows
    table: Table


@contextmanager
def train_in_files(
    path: str,
    label: str,
    output: str,
    contenders: Sequence[TableRecipe],
    given: Mapping[str, Any],
    remarks: Remarks,
) -> Iterator[LearntTable | None]:
    """Learn a table by passes over its rows in files, which are removed after the block; None of a small one."""
    from ..distributed.table_cache import TableCache
    from ..distributed.tables import LEARNABLE, LargeTable, refused

    if len(contenders) == 1 and contenders[0].model not in LEARNABLE:
        raise UsageError(refused(contenders[0].model))
    _refuse_report(path, given)
    folder = folder_for(output)
    cache = TableCache(folder, _about(path, label, given))
    with cache.open() as is_begun:
        if is_begun:
            remarks(f"Going on with the rows in {escape(folder)}.")
        try:
            source = _Source(path, label, given, remarks)
            survey = cache.survey(source.survey)
            if survey.small:
                cache.remove()
                yield None
                return
            _check_labels(survey, label, escape(path))
            remarks(f"{escape(path)} is larger than memory: its rows are learnt from files in {escape(folder)}.")
            parts = cache.fill(source.batches, survey, label)
            with ThreadPoolExecutor(effective_threads(given["jobs"])) as threads:
                table = LargeTable(survey, parts, cache, threads, escape(path), given["seed"] or 0)
                yield _learn(table, contenders, given, remarks)
        except BaseException as error:
            if not is_beside(folder, output):  # where no later run looks
                cache.remove()
            elif isinstance(error, KeyboardInterrupt):
                error.add_note(f"the rows in {escape(folder)} are kept, and the same command goes on with them")
            raise
        cache.remove()


def _learn(
    table: LargeTable, contenders: Sequence[TableRecipe], given: Mapping[str, Any], remarks: Remarks
) -> LearntTable:
    from ..evaluation.leaks import find_leaks

    jobs, tried, some = given["jobs"], list[CandidateResult](), table.some
    found = contenders[0]
    if len(contenders) > 1 and len(some) >= FEWEST:
        remarks(f"The model is chosen by {format_count(len(some), 'row')} of {table.survey.n:,}.")
        found, tried = choose_aloud(some, contenders, given, remarks)
    model = table.learn(found, jobs)
    model = model.with_choice(bound_of_choice(found.model, tried)) if tried else model
    survey, overview = table.survey, table.overview
    told = Table(survey.n, survey.columns, survey.ignored, overview.missing)
    return LearntTable(model, tried, find_leaks(some), overview.known, told)


class _Source:
    """A table that is read more than once."""

    def __init__(self, path: str, label: str, given: Mapping[str, Any], remarks: Remarks) -> None:
        self._path, self._label, self._given, self._quiet = path, label, given, remarks.quiet

    def batches(self, what: str = "Reading rows") -> Iterator[Cells]:
        """Yield the rows."""
        with Meter(what, size_of(self._path), self._quiet) as meter:
            yield from read_cells(self._path, self._given["encoding"], self._given["table_format"], meter)

    def survey(self) -> Survey:
        """Return what the columns are."""
        ignore, wanted = self._given["ignore"], parse_wanted_columns(self._given, self._label)
        first = next(read_cells(self._path, self._given["encoding"], self._given["table_format"]))
        if not isinstance(first.columns, SparseColumns) or self._label != LABEL or "category" in wanted.values():
            return TableSurvey(self._label, ignore, wanted).of(lambda: self.batches("Looking at columns"))
        found = SparseSurvey()
        for cells in self.batches("Looking at columns"):
            found.add(cells)
        return found.survey(ignore, wanted)


def folder_for(output: str) -> str:
    """Return the folder in which rows are kept: beside the model, or where it goes into a pipe, among temporary
    files."""
    if os.path.exists(output) and not os.path.isfile(output):
        return mkdtemp(KEPT, "deciban-")
    return output + KEPT


def is_beside(folder: str, output: str) -> bool:
    """Return whether a folder for the rows of a model is where the same command looks for it."""
    return folder == output + KEPT


def _check_labels(survey: Survey, label: str, name: str) -> None:
    require_labels(len(survey.labels), survey.n, label)
    if len(survey.labels) < 2:
        raise DataError(
            f"{name}: expected items of at least two classes; all {survey.n:,} are '{next(iter(survey.labels))}'. "
            "Add another class, or name another column with --label."
        )


def _refuse_report(path: str, given: Mapping[str, Any]) -> None:
    if given["report"] is not None:
        size = format_size(size_of(path))
        raise UsageError(
            f"{escape(path)} has {size}, more than fits into --memory, and a report shows rows. Expected no --report. "
            "Leave it out, take a larger --memory, or write one with deciban evaluate of other rows."
        )


def _about(path: str, label: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the rows that are kept depend on."""
    files = {each: os.stat(each) for each in files_of_table(path)}
    source = [[os.path.realpath(each), told.st_size, told.st_mtime_ns] for each, told in files.items()]
    options = {name: list(value) if isinstance(value := given[name], tuple) else value for name in _OPTIONS}
    return {"version": __version__, "source": source, "label": label, **options}


def parse_wanted_columns(given: Mapping[str, Any], label: str) -> dict[str, Literal["category", "number"]]:
    wanted: dict[str, Literal["category", "number"]] = {}
    for kind, option in (("category", "--category"), ("number", "--number")):
        for own in given[kind]:
            if own == label or own in given["ignore"] or own in wanted:
                raise UsageError(f"Expected each column in one role; '{escape(own)}' has another one beside {option}.")
            wanted[own] = kind  # type: ignore[assignment]
    if label in given["ignore"]:
        raise UsageError(f"Expected each column in one role; '{escape(label)}' has another one beside --ignore.")
    return wanted
