"""--report: a page about the model just trained or evaluated, or about models just compared."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .. import store
from ..errors import UsageError, escape
from ..report.vector import lacking
from .destination import check_page
from .failures import note_unwritten

if TYPE_CHECKING:
    from ..evaluation.comparison import Comparison
    from ..mail.filter import Filter
    from ..pages.blocks import Figure
    from ..pages.measured import Measured
    from ..pages.page import Report
    from ..pages.words import Words
    from ..table_models.table_model import Rows, TableModel
    from ..text.choice import CandidateResult
    from .labelled_items import LabelledItems
    from .output import Remarks

_PAGE = "Also write an HTML report on {}, complete in one file."


def option(verb: Any, of: str = "the model") -> Any:
    """Return --report and --language."""
    language = click.Choice(["en", "ko"])  # those of pages.words, which would be loaded for nothing
    verb = click.option("--language", type=language, help="Language of the page. Default: that of LANG.")(verb)
    return click.option("--report", metavar="FILE", help=_PAGE.format(of))(verb)


def check_report(path: str | None, output: str | None, inputs: Sequence[str], language: str | None = None) -> None:
    """Raise before anything is learnt, unless a page can be made and may be written to `path`."""
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
        raise UsageError(f"{escape(path)}: expected another name for the report; the model goes there.")
    if output is not None and os.path.exists(output) and not os.path.isfile(output):
        raise UsageError(f"{escape(output)}: expected a file for the model, of which --report writes a page.")
    check_page(path, list(inputs))


def report_table(
    output: str,
    model: TableModel,
    rows: Rows,
    name: str,
    recipe: Any,
    tried: list[CandidateResult],
    given: Any,
    remarks: Remarks,
) -> None:
    """Write the page of the model in the file `output`, which has learnt these rows, if one is asked for."""
    if given["report"] is None:
        return
    from ..pages.page import TOP, Extras, of_table
    from ..pages.words import words_in
    from ..report.table_inventory import TableInventory
    from .held_fifth import of_rows

    with note_unwritten(given["report"]):
        words = words_in(given["language"])
        measured = of_rows(rows, recipe, len(tried), name, given["jobs"], words, remarks)
        found = TableInventory.of(store.read(output, tables=True), output, TOP)
        extras = Extras(measured, curves_of(model, words), _picture(model, rows, words), format_command_line())
        write(given["report"], of_table(found, extras, words), remarks)


def report_texts(
    output: str, trained: Filter, recipe: Any, tried: int, items: LabelledItems, given: Any, remarks: Remarks
) -> None:
    """Write the page of the filter in the file `output`, which has just been learnt of distinct items."""
    from ..pages.page import TOP, Extras, of_texts
    from ..pages.words import words_in
    from ..report.filter_inventory import inventory_of
    from .held_fifth import of_texts as judged

    with note_unwritten(given["report"]):
        words = words_in(given["language"]).about(recipe.settings.kind)
        measured = judged(items, recipe, tried, given["jobs"], words, remarks)
        found = inventory_of(store.read(output), output, TOP)
        extras = Extras(measured, curves_of(trained.model, words), command=format_command_line())
        write(given["report"], of_texts(found, extras, words), remarks)


def report_evaluation(
    path: str, stored: store.Stored, file: str, measured: Measured, words: Words, remarks: Remarks
) -> None:
    """Write the page of a model in a file, and of what it said of the examples given."""
    from ..pages.page import TOP, Extras, of_table, of_texts

    extras = Extras(measured)
    if store.of_table(stored.header):
        from ..report.table_inventory import TableInventory

        page = of_table(TableInventory.of(stored, file, TOP), extras, words)
    else:
        from ..report.filter_inventory import inventory_of

        page = of_texts(inventory_of(stored, file, TOP), extras, words)
    write(path, page, remarks)


def report_comparison(found: Comparison, given: Any, remarks: Remarks) -> None:
    """Write the page of a comparison, if one is asked for."""
    if given["report"] is None:
        return
    from ..pages.compared import of_comparison
    from ..pages.words import words_in

    with note_unwritten(given["report"], "the comparison was finished, {} was not written"):
        write(given["report"], of_comparison(found, words_in(given["language"]), format_command_line()), remarks)


def format_command_line() -> str:
    """Return the command line, as one types it."""
    context = click.get_current_context(silent=True)
    given = None if context is None else context.find_root().obj
    return "" if given is None else shlex.join(["deciban", *map(str, given)])


def _picture(model: TableModel, rows: Rows, words: Words) -> Figure | str:
    from ..pages.blocks import translate_figure
    from ..report.table_picture import picture

    drawn = picture(model, rows)
    if isinstance(drawn, str):
        return drawn
    return translate_figure(drawn, "picture", words)


def curves_of(model: Any, words: Words | None = None) -> Figure | None:
    """Return how a network learnt; None of what has no epochs. Files do not keep them: the model is the one that
    learnt."""
    history = getattr(getattr(model, "fitted", None) or model, "history_", None)
    if not history:
        return None
    from ..pages.blocks import translate_figure
    from ..pages.words import Words
    from ..report.curves import learning_curves

    words = words or Words()
    drawn = learning_curves(history, title=words.known("model", model.name))
    return translate_figure(drawn, "epochs", words)


def write(path: str, page: Report, remarks: Remarks) -> None:
    """Write the page, and say so."""
    page.save(path)
    remarks(f"Wrote {escape(path)}.")
