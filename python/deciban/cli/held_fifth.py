"""How a model that has learnt four fifths of the examples judges the rest: how sure `--report` says it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import DataError
from ..evaluation.judgements import Floats, Judgements
from ..evaluation.label_errors import among
from ..mail.filter import Filter
from ..pages.measured import Measured, Size
from ..pages.rows import explained
from ..pages.samples import Shown, places
from ..pages.words import Words
from ..report.progress import Meter
from ..scores import log_posterior
from ..table_models.table_model import Rows as TableRows
from ..text.choice import held_out
from ..text.corpus import Corpus
from .output import Remarks

Named = Callable[[], Iterator[tuple[list[str], Sequence[str | bytes]]]]
"""Gives items from the beginning, with their names, batch by batch."""

# Of what is learnt, nested: the points of the learning curve before the last.
_SHARES = (0.125, 0.25, 0.5)
# Models whose fit takes long, and is not done four times over.
_ONCE = ("kernel-svm", "mlp")


def of_texts(
    trained: Filter, recipe: Any, tried: int, named: Named, jobs: int | None, words: Words, remarks: Remarks
) -> Measured | str:
    """What a filter like `trained`, by the same recipe, says of a fifth of its examples that it did not learn."""
    model, ledger = trained.model, trained.ledger
    with Meter("Judging", None, remarks.quiet) as meter:

        def read() -> Iterator[Sequence[str | bytes]]:
            for _, items in named():
                yield items
                meter(sum(map(len, items)))

        corpus = Corpus.of_known(read, model.settings.reader(), model.classes, ledger.digests, ledger.classes)
        held = held_out(corpus, recipe.seed + 1)  # another one than that by which the model was chosen
        outside = corpus.only(held)
        try:
            judges = list(_judges(recipe, list(_nested(corpus, held, recipe.model)), jobs))
        except DataError as error:
            return words("how.failed", why=error)
        if not judges:
            return words("how.few")
        found: list[list[Floats]] = [[] for _ in judges]
        for items, _ in outside.batches():
            for (judge, part), some in zip(judges, found, strict=True):
                some.append(_among(judge.scores(items), part.classes, corpus.classes))
        logs, parts = [np.concatenate(some) for some in found], [part for _, part in judges]
        measured = _measured(logs, parts, outside, tried, words)
        return _with_texts(measured, judges[-1][0], outside, named)


def _with_texts(measured: Measured, judge: Any, outside: Corpus, named: Named) -> Measured:
    """The same with the texts of some examples, which takes another reading."""
    chosen = places(measured.said)
    wanted = {int(outside.places[i]): i for i in chosen}
    found: dict[int, Shown] = {}
    start = 0
    for names, items in named():
        for place in [each for each in wanted if start <= each < start + len(items)]:
            i, at = wanted[place], place - start
            found[i] = Shown(names[at], measured.said.classes[outside.y[i]], judge.explain(items[at]))
        start += len(items)
        if len(found) == len(wanted):
            break
    return measured.showing([found[i] for i in chosen if i in found])


def of_rows(
    rows: TableRows, recipe: Any, tried: int, name: str, jobs: int | None, words: Words, remarks: Remarks
) -> Measured | str:
    """What a model of the same recipe says of a fifth of the rows of a table that it did not learn."""
    held = held_out(rows, recipe.seed + 1)
    outside = rows.only(held)
    with Meter("Judging", None, remarks.quiet) as meter:
        try:
            judges = list(_judges(recipe, list(_nested(rows, held, recipe.model)), jobs))
        except DataError as error:
            return words("how.failed", why=error)
        if not judges:
            return words("how.few")
        found = []
        for judge, _ in judges:
            found.append(_among(judge.scores(outside.matrix), judge.classes, rows.classes))
            meter(outside.nbytes)
    measured = _measured(found, [part for _, part in judges], outside, tried, words)
    numbers, labels, judge = np.flatnonzero(held), outside.labels, judges[-1][0]
    chosen = places(measured.said)
    shown = [Shown(f"{name}:{numbers[i] + 1}", labels[i], explained(judge, outside.matrix[i])) for i in chosen]
    return measured.showing(shown)


def _judges(recipe: Any, parts: Sequence[Any], jobs: int | None) -> Iterator[tuple[Any, Any]]:
    """What has learnt each part, and the part; smaller parts than the last may be too few to learn from."""
    for part in parts:
        try:
            yield recipe.learn(part, n_jobs=jobs).compile(jobs), part
        except DataError:
            if part is parts[-1]:
                raise


def _nested(examples: Any, held: Any, model: str) -> Iterator[Any]:
    """What is learnt, part by part: each holds the one before, the last is all that is not held out. Nothing where that
    is of one class, or nothing is held out."""
    if not held.any() or len(np.unique(examples.y[~held])) < 2:
        return
    order = examples.order()
    inside = order[~held[order]]
    for share in (*(() if model in _ONCE else _SHARES), 1.0):
        chosen = np.zeros(len(examples), np.bool_)
        chosen[inside[: int(np.ceil(share * len(inside)))]] = True
        if share == 1.0 or len(np.unique(examples.y[chosen])) == len(examples.classes):
            part = examples.only(chosen)
            yield part.without_empty() if hasattr(part, "without_empty") else part


def _among(scores: Floats, known: Sequence[Any], classes: Sequence[Any]) -> Floats:
    return among(log_posterior(scores), np.array(known, dtype=object), np.array(classes, dtype=object))


def _measured(found: Sequence[Floats], parts: Sequence[Any], outside: Any, tried: int, words: Words) -> Measured:
    said = Judgements(tuple(outside.classes), outside.y, found[-1])
    wrong = [int((log_p.argmax(axis=1) != outside.y).sum()) for log_p in found]
    sizes = [Size(len(part), n, len(outside)) for part, n in zip(parts, wrong, strict=True)]
    how = words("how.held", learnt=f"{len(parts[-1]):,}", judged=f"{len(outside):,}")
    if tried:
        how += " " + words("how.chosen", tried=tried)
    return Measured.of(said, how, sizes=sizes, fresh=True)
