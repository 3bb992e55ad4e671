"""--report: the model just trained as a page of its own, written beside it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .. import store
from ..errors import UsageError, shown
from ..report.vector import lacking
from .destination import check_page

if TYPE_CHECKING:
    from ..models.tables import Rows, TableModel
    from ..report.page import Picture
    from .output import Remarks

option = click.option(
    "--report", metavar="FILE", help="Also write a page about the model: HTML, complete in one file, with a picture."
)


def check_report(path: str | None, output: str, inputs: Sequence[str]) -> None:
    """Raises, before anything is learnt, unless a page can be made and may be written to `path`."""
    if path is None:
        return
    missing = lacking()
    if missing:
        raise UsageError(f"--report needs {missing}.")
    if os.path.realpath(path) == os.path.realpath(output):
        raise UsageError(f"{shown(path)}: expected another name for the report; the model goes there.")
    check_page(path, list(inputs))


def report_table(path: str | None, output: str, model: TableModel, rows: Rows, remarks: Remarks) -> None:
    """Write the page of the model in the file `output`, which has learnt these rows."""
    if path is None:
        return
    from ..report.page import TOP, Page, Picture
    from ..report.table_inventory import TableInventory
    from ..report.table_picture import picture

    found = TableInventory.of(store.read(output, tables=True), output, TOP)
    drawn = picture(model, rows)
    of = f"A model of '{found.label}'" if found.label else "A model of a table"
    page = Page.of_table(found, of, drawn if isinstance(drawn, str) else Picture.of(drawn), curves_of(model))
    _write(path, page, remarks)


def report_texts(path: str | None, output: str, model: Any, remarks: Remarks) -> None:
    """Write the page of the filter in the file `output`, whose model has just been learnt."""
    if path is None:
        return
    from ..report.page import TOP, Page
    from .inspect import inventory_of

    found = inventory_of(store.read(output), output, TOP)
    title = "A filter of mail" if found.kind == "mail" else "A model of texts"
    _write(path, Page.of_texts(found, title, curves_of(model)), remarks)


def curves_of(model: Any) -> Picture | None:
    """How a network learnt; None of what has no epochs. Files do not keep them: the model is the one that learnt."""
    history = getattr(getattr(model, "fitted", None) or model, "history_", None)
    if not history:
        return None
    from ..report.curves import learning_curves
    from ..report.inventory import LINEAR_NAMES
    from ..report.page import Picture

    return Picture.of(learning_curves(history, title=LINEAR_NAMES.get(model.name, model.name)), "curves-")


def _write(path: str, page: Any, remarks: Remarks) -> None:
    store.replace(path, page.html().encode("utf-8", "backslashreplace"))
    remarks(f"Wrote {shown(path)}.")
