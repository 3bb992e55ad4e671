"""How a model that has learnt four fifths of the examples judges the rest: how sure `--report` says it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..data.folds import hold_out
from ..errors import DataError
from ..evaluation.judgements import Floats, Judgements
from ..evaluation.label_errors import among
from ..pages.explained import Shown, explain_row, places
from ..pages.measured import Measured, Size
from ..pages.words import Words
from ..report.progress import Meter
from ..scores import log_posterior
from ..table_models.table_model import Rows as TableRows
from ..text.choice import check_uninterrupted
from ..text.corpus import Corpus
from .labelled_items import LabelledItems
from .output import Remarks

# Of what is learnt, nested: the points of the learning curve before the last.
_SHARES = (0.125, 0.25, 0.5)
# Models whose fit takes long, and is not done four times over.
_ONCE = ("kernel-svm", "mlp")


def of_texts(
    items: LabelledItems, recipe: Any, tried: int, jobs: int | None, words: Words, remarks: Remarks
) -> Measured | str:
    """Return what a filter of distinct items, by this recipe, says of a fifth of them that it did not learn."""
    corpus = items.corpus.without_names()
    held = hold_out(corpus, recipe.seed + 1)  # another one than that by which the model was chosen
    outside = corpus.only(held)
    with Meter("Judging", None, remarks.quiet) as meter:
        try:
            judges = list(_judges(recipe, list(_grow(corpus, held, recipe.model)), jobs))
        except DataError as error:
            return words("how.failed", why=error)
        if not judges:
            return words("how.few")
        found = []
        for judge, part in judges:
            found.append(_among(outside.scores(judge), part.classes, corpus.classes))
            meter(items.size * len(outside) // len(corpus))
    measured = _measure(found, [part for _, part in judges], outside, tried, words)
    return measured.showing(list(_choose_examples(measured, judges[-1][0], outside, items)))


def _choose_examples(measured: Measured, judge: Any, outside: Corpus, items: LabelledItems) -> Iterator[Shown]:
    """Yield the examples that the page shows, with what the model says of them."""
    assert items.spool is not None
    for i in places(measured.said):
        name, item = items.spool[outside.places[i]]
        yield Shown(name, measured.said.classes[outside.y[i]], judge.explain(item))


def of_rows(
    rows: TableRows, recipe: Any, tried: int, name: str, jobs: int | None, words: Words, remarks: Remarks
) -> Measured | str:
    """Return what a model of the same recipe says of a fifth of the rows of a table that it did not learn."""
    held = hold_out(rows, recipe.seed + 1)
    outside = rows.only(held)
    with Meter("Judging", None, remarks.quiet) as meter:
        try:
            judges = list(_judges(recipe, list(_grow(rows, held, recipe.model)), jobs))
        except DataError as error:
            return words("how.failed", why=error)
        if not judges:
            return words("how.few")
        found = []
        for judge, _ in judges:
            found.append(_among(judge.scores(outside.X), judge.classes, rows.classes))
            meter(outside.nbytes)
    measured = _measure(found, [part for _, part in judges], outside, tried, words)
    numbers, labels, judge = np.flatnonzero(held), outside.labels, judges[-1][0]
    chosen = places(measured.said)
    shown = [Shown(f"{name}:{numbers[i] + 1}", labels[i], explain_row(judge, outside.X[i])) for i in chosen]
    return measured.showing(shown)


def _judges(recipe: Any, parts: Sequence[Any], jobs: int | None) -> Iterator[tuple[Any, Any]]:
    """Yield what has learnt each part, and the part; smaller parts than the last may be too few to learn from."""
    for part in parts:
        try:
            model = recipe.learn(part, n_jobs=jobs)
            check_uninterrupted(model)
            yield model.compile(jobs), part
        except DataError:
            if part is parts[-1]:
                raise


def _grow(examples: Any, held: Any, model: str) -> Iterator[Any]:
    """Yield what is learnt, part by part: each holds the one before, the last is all that is not held out. Nothing
    where that is of one class, or nothing is held out."""
    if not held.any() or len(np.unique(examples.y[~held])) < 2:
        return
    order = examples.order()
    inside = order[~held[order]]
    for share in (*(() if model in _ONCE else _SHARES), 1.0):
        chosen = np.zeros(len(examples), np.bool_)
        chosen[inside[: int(np.ceil(share * len(inside)))]] = True
        if share == 1.0 or len(np.unique(examples.y[chosen])) == len(examples.classes):
            yield examples.only(chosen).without_empty()


def _among(scores: Floats, known: Sequence[Any], classes: Sequence[Any]) -> Floats:
    return among(log_posterior(scores), np.array(known, dtype=object), np.array(classes, dtype=object))


def _measure(found: Sequence[Floats], parts: Sequence[Any], outside: Any, tried: int, words: Words) -> Measured:
    said = Judgements(tuple(outside.classes), outside.y, found[-1])
    wrong = [int((log_p.argmax(axis=1) != outside.y).sum()) for log_p in found]
    sizes = [Size(len(part), n, len(outside)) for part, n in zip(parts, wrong, strict=True)]
    how = words("how.held", learnt=f"{len(parts[-1]):,}", judged=f"{len(outside):,}")
    if tried:
        how += " " + words("how.chosen", tried=tried)
    return Measured.of(said, how, sizes=sizes, fresh=True)
