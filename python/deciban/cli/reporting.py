"""--report: a page about the model just trained or evaluated, or about models just compared."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .. import store
from ..errors import UsageError, shown
from ..report.vector import lacking
from .destination import check_page

if TYPE_CHECKING:
    from ..evaluation.comparison import Comparison
    from ..mail.filter import Filter
    from ..pages.blocks import Figure
    from ..pages.measured import Measured
    from ..pages.report import Report
    from ..pages.words import Words
    from ..table_models.table_model import Rows, TableModel
    from ..text.choice import Tried
    from .held_fifth import Named
    from .output import Remarks

_PAGE = "Also write a page about {}: HTML, complete in one file, with pictures."


def option(verb: Any, of: str = "the model") -> Any:
    """--report and --language."""
    language = click.Choice(["en", "ko"])  # those of pages.words, which would be loaded for nothing
    verb = click.option("--language", type=language, help="Of the page. Default: that of LANG.")(verb)
    return click.option("--report", metavar="FILE", help=_PAGE.format(of))(verb)


def check_report(path: str | None, output: str | None, inputs: Sequence[str], language: str | None = None) -> None:
    """Raises, before anything is learnt, unless a page can be made and may be written to `path`."""
    if path is None:
        if language is not None:
            raise UsageError("Expected --language only with --report, whose page it is of.")
        return
    if path == "-":
        raise UsageError("--report -: expected the name of a file, such as page.html; a page is not written to a pipe.")
    missing = lacking()
    if missing:
        raise UsageError(f"--report needs {missing}.")
    if output is not None and os.path.realpath(path) == os.path.realpath(output):
        raise UsageError(f"{shown(path)}: expected another name for the report; the model goes there.")
    check_page(path, list(inputs))


def report_table(
    output: str, model: TableModel, rows: Rows, name: str, recipe: Any, tried: list[Tried], given: Any, remarks: Remarks
) -> None:
    """Write the page of the model in the file `output`, which has learnt these rows, if one is asked for."""
    if given["report"] is None:
        return
    from ..pages.page import TOP, Extras, of_table
    from ..pages.words import words_in
    from ..report.table_inventory import TableInventory
    from .held_fifth import of_rows

    with _unwritten(given["report"], output):
        words = words_in(given["language"])
        measured = of_rows(rows, recipe, len(tried), name, given["jobs"], words, remarks)
        found = TableInventory.of(store.read(output, tables=True), output, TOP)
        extras = Extras(measured, curves_of(model, words), _picture(model, rows, words), typed())
        write(given["report"], of_table(found, extras, words), remarks)


def report_texts(
    output: str, trained: Filter, recipe: Any, tried: list[Tried], named: Named, given: Any, remarks: Remarks
) -> None:
    """Write the page of the filter in the file `output`, which has just been learnt, if one is asked for."""
    if given["report"] is None:
        return
    from ..pages.page import TOP, Extras, of_texts
    from ..pages.words import words_in
    from .held_fifth import of_texts as judged
    from .inspect import inventory_of

    with _unwritten(given["report"], output):
        words = words_in(given["language"])
        measured = judged(trained, recipe, len(tried), named, given["jobs"], words, remarks)
        found = inventory_of(store.read(output), output, TOP)
        extras = Extras(measured, curves_of(trained.model, words), command=typed())
        write(given["report"], of_texts(found, extras, words), remarks)


def report_evaluation(
    path: str, stored: store.Stored, file: str, measured: Measured, words: Words, remarks: Remarks
) -> None:
    """Write the page of a model in a file, and of what it said of the examples given."""
    from ..pages.page import TOP, Extras, of_table, of_texts
    from ..report.table_inventory import TableInventory
    from .inspect import inventory_of

    extras = Extras(measured, command=typed())
    if store.of_table(stored.header):
        page = of_table(TableInventory.of(stored, file, TOP), extras, words)
    else:
        page = of_texts(inventory_of(stored, file, TOP), extras, words)
    write(path, page, remarks)


def report_comparison(found: Comparison, given: Any, remarks: Remarks) -> None:
    """Write the page of a comparison, if one is asked for."""
    if given["report"] is None:
        return
    from ..pages.compared import of_comparison
    from ..pages.words import words_in

    try:
        write(given["report"], of_comparison(found, words_in(given["language"]), typed()), remarks)
    except KeyboardInterrupt as error:
        error.add_note(f"the comparison was finished, {shown(given['report'])} was not written.")
        raise


def typed() -> str:
    """The command line, as one types it."""
    context = click.get_current_context(silent=True)
    given = None if context is None else context.find_root().obj
    return "" if given is None else shlex.join(["deciban", *map(str, given)])


def _picture(model: TableModel, rows: Rows, words: Words) -> Figure | str:
    from ..pages.figures import spoken
    from ..report.table_picture import picture

    drawn = picture(model, rows)
    if isinstance(drawn, str):
        return drawn
    return spoken(drawn, "picture", words)


def curves_of(model: Any, words: Words | None = None) -> Figure | None:
    """How a network learnt; None of what has no epochs. Files do not keep them: the model is the one that learnt."""
    history = getattr(getattr(model, "fitted", None) or model, "history_", None)
    if not history:
        return None
    from ..pages.figures import spoken
    from ..pages.words import Words
    from ..report.curves import learning_curves

    words = words or Words()
    drawn = learning_curves(history, title=words.known("model", model.name))
    return spoken(drawn, "epochs", words)


@contextmanager
def _unwritten(path: str, output: str) -> Iterator[None]:
    """Says of an interruption inside the block that the model is there and the page is not."""
    try:
        yield
    except KeyboardInterrupt as error:
        error.add_note(f"{shown(output)} had been written, {shown(path)} was not.")
        raise


def write(path: str, page: Report, remarks: Remarks) -> None:
    """Write the page, and say so."""
    page.save(path)
    remarks(f"Wrote {shown(path)}.")
