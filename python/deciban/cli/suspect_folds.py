"""What models say of labelled items that they did not learn, and which labels are suspect for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.copies import copies_of_rows
from ..evaluation.label_errors import among
from ..evaluation.suspects import Floats, Integers, Labelled, Suspects
from ..mail.sources import Source
from ..report.progress import Meter
from ..scores import log_posterior
from ..table_models.table_model import Rows as TableRows
from ..text.choice import check_uninterrupted
from ..text.model_defaults import FEWEST
from ..text.recipes import Recipe
from .labelled_items import LabelledItems, Wanted
from .models import choose_aloud
from .output import Remarks
from .table_training import contenders_of, read_labelled_table


@dataclass(frozen=True)
class SuspectedItems:
    """The suspects among items of these names, and the model that judged them."""

    suspects: Suspects
    names: Sequence[str]
    model: str


def in_files(
    sources: list[Source], contenders: list[Recipe], given: Mapping[str, Any], remarks: Remarks
) -> SuspectedItems:
    """Find those of mail or texts in files."""
    wanted = Wanted(contenders, given["jobs"], remarks.quiet, near=True)
    return _of_texts(LabelledItems.of_files(sources, wanted), contenders, given, remarks)


def in_rows(path: str, contenders: list[Recipe], given: Mapping[str, Any], remarks: Remarks) -> SuspectedItems:
    """Find those of texts in a column of a table."""
    wanted = Wanted(contenders, given["jobs"], remarks.quiet, near=True)
    return _of_texts(LabelledItems.of_rows(path, given, wanted), contenders, given, remarks)


def _of_texts(
    read: LabelledItems, contenders: list[Recipe], given: Mapping[str, Any], remarks: Remarks
) -> SuspectedItems:
    corpus, jobs = read.corpus.without_names(), given["jobs"]
    fold = read.labelled.fold(given["folds"], given["seed"])
    once = read.first_of_each()
    recipe = contenders[0]
    if len(contenders) > 1 and once.sum() >= FEWEST:
        recipe, _ = choose_aloud(corpus.only(once), contenders, given, remarks)
    classes = np.array(corpus.classes, dtype=object)
    log_p = np.empty((len(corpus), len(classes)))
    with Meter("Judging", read.size, remarks.quiet) as meter:
        for k in range(given["folds"]):
            inside, held = corpus.only(once & (fold != k)).without_empty(), corpus.only(fold == k)
            model = recipe.learn(inside, n_jobs=jobs)
            check_uninterrupted(model)
            scores = held.scores(model.compile(jobs))
            log_p[fold == k] = among(log_posterior(scores), np.array(inside.classes, dtype=object), classes)
            meter(read.size * len(held) // len(corpus))
    return SuspectedItems(read.labelled.suspects(log_p), read.names, recipe.model)


def in_table(path: str, given: Mapping[str, Any], remarks: Remarks) -> SuspectedItems:
    """Find those of typed columns."""
    contenders, jobs = contenders_of(given), given["jobs"]
    rows = read_labelled_table(path, given)
    labelled = Labelled(rows.y, rows.classes, copies_of_rows(rows.X), np.ones(len(rows)))
    fold = labelled.fold(given["folds"], given["seed"])
    recipe = contenders[0]
    if len(contenders) > 1 and len(rows) >= FEWEST:
        recipe, _ = choose_aloud(rows, contenders, given, remarks)
    log_p = np.empty((len(rows), len(rows.classes)))
    with Meter("Judging", None, remarks.quiet) as meter:
        for k in range(given["folds"]):
            log_p[fold == k] = _rows_judged(rows, recipe, fold, k, jobs)
            meter(rows.only(fold == k).nbytes)
    return SuspectedItems(
        labelled.suspects(log_p), [f"{path}:{number}" for number in range(1, len(rows) + 1)], recipe.model
    )


def _rows_judged(rows: TableRows, recipe: Any, fold: Integers, k: int, jobs: int | None) -> Floats:
    inside, outside = rows.only(fold != k), rows.only(fold == k)
    model = recipe.learn(inside, n_jobs=jobs)
    check_uninterrupted(model)
    log_p = log_posterior(model.scores(outside.X))
    return among(log_p, np.array(model.classes, dtype=object), np.array(rows.classes, dtype=object))
