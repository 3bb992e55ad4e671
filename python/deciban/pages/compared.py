"""The page of a comparison: the models side by side, which differences are significant, and learning curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..conventions import percent
from ..report.comparison import seconds
from ..report.progress import format_size
from ..report.terminal import Screen, name
from ..report.vector import lacking
from .blocks import Command, Facts, Opened, Paragraph, Section, Table, figure
from .evaluated import format_interval, format_p
from .page import Report
from .summary import summarise_comparison
from .words import Words, words_in

if TYPE_CHECKING:
    from ..evaluation.comparison import Comparison, ModelResult, Pair

_MOST_CLASSES = 60
_NONE = "–"


def report(found: Comparison, *, language: str | None = None) -> Report:
    """Return a page: the models side by side, significant differences, and learning curves.

    In a notebook it shows itself; `report().save("page.html")` writes it.

    Parameters
    ----------
    language : {"en", "ko"} or None
        Language of the page; None takes that of the environment variable LANG.

    Returns
    -------
    Report
        The page, complete in one file.

    Raises
    ------
    ImportError
        If Jinja2 or Matplotlib is not installed (`deciban[report]`).
    """
    missing = lacking()
    if missing:
        raise ImportError(f"a page needs {missing}")
    return of_comparison(found, words_in(language))


def of_comparison(found: Comparison, words: Words, command: str = "") -> Report:
    """Return the page of a comparison; `command` is the command line that made it, where one did.

    The names of the models are shown as they are where Python gave them, and explained where the command did.
    """
    sections = [
        *_missing(found, words),
        *_side_by_side(found, words, explained=bool(command)),
        *_differences(found, words),
        *_curves(found, words),
        _data(found, words),
        _again(found, command, words),
    ]
    claim = _claim(found, words)
    return Report(words("compared.title"), claim, sections, words, summarise_comparison(found, claim, words))


def _claim(found: Comparison, words: Words) -> str:
    """Return which model has the smallest error."""
    if not found.rows:
        return words("compared.none")
    best = found[str(found.best)]
    key = "compared.best" if len(found.rows) > 1 else "compared.single"
    told = format_interval(best.interval, words)
    return words(key, model=name(best.model), error=percent(best.error), n=f"{best.n:,}", interval=told)


# --- what is missing ---------------------------------------------------------------------------------------


def _missing(found: Comparison, words: Words) -> Iterator[Section]:
    """Return why not all was done, and which models are left out."""
    from ..evaluation.comparison import ENDED

    blocks: list[Any] = []
    if found.ended:
        blocks.append(Paragraph(words("compared.unfinished", why=words(f"compared.ended.{found.ended}"))))
    unfinished = ENDED[found.ended] if found.ended else None
    rows, foreign = [], set()
    for model, why in found.left_out.items():
        if why == unfinished:
            rows.append((name(model), words(f"compared.ended.{found.ended}")))
        else:  # an error message, in English
            rows.append((name(model), name(why)))
            foreign.add(name(model))
    if rows:
        blocks += [Paragraph(words("compared.left_out")), Facts(rows, frozenset(foreign))]
    if blocks:
        yield Section("missing", words("compared.missing"), blocks)


# --- the models --------------------------------------------------------------------------------------------


def _side_by_side(found: Comparison, words: Words, explained: bool) -> Iterator[Section]:
    if not found.rows:
        return
    head = ["model", "error", "interval", "loss", "fit", "score", "size"]
    rows = [_row(row, words) for row in found.rows]
    blocks: list[Any] = [Paragraph(_how(found, words)), Table([words(f"compared.{key}") for key in head], rows)]
    if explained:
        known = [(name(row.model), words.known("model", row.model)) for row in found.rows]
        blocks.append(Facts([each for each in known if each[0] != each[1]]))
    notes = [words("compared.columns")]
    if not all(row.size_of_file for row in found.rows):
        notes.append(words("compared.estimated"))
    yield Section("models", words("compared.models"), [*blocks, Paragraph(" ".join(notes), dim=True)])


def _how(found: Comparison, words: Words) -> str:
    """Return how examples were held out."""
    said = [words("compared.how", n=f"{len(found.y):,}", folds=found.folds, train=f"{found.train:,}")]
    if found.repeats > 1:
        said.append(words("compared.repeats", repeats=found.repeats))
    if found.copies:
        said.append(words("compared.copies", n=f"{found.copies:,}"))
    return " ".join(said)


def _row(row: ModelResult, words: Words) -> list[str]:
    size = format_size(row.size) if row.size >= 1000 else words("compared.bytes", n=row.size)
    return [
        name(row.model),
        percent(row.error),
        format_interval(row.interval, words),
        _NONE if row.log_loss is None else f"{row.log_loss:.4f}",
        seconds(row.fit_seconds, Screen()),
        seconds(row.predict_seconds, Screen()),
        size if row.size_of_file else f"≈ {size}",
    ]


# --- differences -------------------------------------------------------------------------------------------


def _differences(found: Comparison, words: Words) -> Iterator[Section]:
    if not found.pairs:
        return
    best = str(found.best)
    against = [found.pair(row.model, best) for row in found.rows if row.model != best]
    blocks: list[Any] = [Paragraph(each) for each in _describe_winners(found, words)]
    blocks.append(_against(best, against, words))
    if len(found.pairs) > len(against):
        blocks.append(Opened(words("compared.pairs"), [_all(found.pairs, words)], True))
    tests = words("compared.tests", level=f"{100 * found.level:g} %", pairs=len(found.pairs))
    blocks.append(Paragraph(tests, dim=True))
    if found.repeats == 1:
        blocks.append(Paragraph(words("compared.one_repeat", folds=found.folds), dim=True))
    yield Section("differences", words("compared.differences"), blocks)


def _describe_winners(found: Comparison, words: Words) -> Iterator[str]:
    """Yield which models the best one is distinguished from, and which not."""
    best, alike = str(found.best), found.not_distinguishable
    more = [found.pair(row.model, best) for row in found.rows if row.model not in (best, *alike)]
    if more:
        told = [_by(pair, best, words) for pair in more]
        yield words("compared.more", best=name(best), models=", ".join(told))
    if alike:
        models = ", ".join(map(name, alike))
        yield words("compared.alike", best=name(best), models=models, simplest=name(found.simplest))
    if not more:
        yield words("compared.no_difference")


def _by(pair: Pair, best: str, words: Words) -> str:
    """Return by how much the other one of a pair errs more."""
    model = name(pair.a if pair.b == best else pair.b)
    return words("compared.by", model=model, points=f"{100 * abs(pair.difference):.2f}", p=format_p(pair.p, "p = "))


def _against(best: str, pairs: Sequence[Pair], words: Words) -> Table:
    """Return the rows of each other model and the best one."""
    rows = [(pair.a, pair, 1) if pair.b == best else (pair.b, pair, -1) for pair in pairs]
    return _tests(words("compared.against", best=name(best)), rows, words)


def _all(pairs: Sequence[Pair], words: Words) -> Table:
    return _tests(words("compared.pair"), [(f"{pair.a} − {pair.b}", pair, 1) for pair in pairs], words)


def _tests(first: str, rows: Sequence[tuple[str, Pair, int]], words: Words) -> Table:
    """Return differences and their tests; a pair with the sign −1 is read from its second model."""
    head = [words(f"compared.{key}") for key in ("points", "points_interval", "only", "mcnemar", "t", "real")]
    cells = []
    for called, pair, sign in rows:
        low, high = sorted(sign * end for end in pair.t.interval)
        only = (pair.mcnemar.only_a, pair.mcnemar.only_b)[::sign]
        cells.append(
            [
                name(called),
                _format_difference(sign * pair.difference),
                words("between", low=_format_difference(low), high=_format_difference(high)),
                f"{only[0]:,} : {only[1]:,}",
                format_p(pair.p),
                format_p(pair.t_p),
                words("compared.yes" if pair.real else "compared.no"),
            ]
        )
    return Table([first, *head], cells)


def _format_difference(share: float) -> str:
    """Format a difference of shares in percentage points."""
    points = f"{100 * abs(share):.2f}"
    return points if float(points) == 0.0 else ("+" if share > 0.0 else "−") + points


# --- learning curves ---------------------------------------------------------------------------------------


def _curves(found: Comparison, words: Words) -> Iterator[Section]:
    """Return errors and log losses by the number of training examples; figures and the table of errors."""
    from ..report import comparison_curves

    if not any(len(row.curve) > 1 for row in found.rows):
        return
    title = words("compared.learning")
    blocks: list[Any] = [Paragraph(words("compared.learning_how"))]
    drawn = comparison_curves(found, language=words.language)
    blocks.append(figure(drawn, "errors"))
    if any(point.log_loss is not None for row in found.rows for point in row.curve):
        drawn = comparison_curves(found, measure="log loss", language=words.language)
        blocks.append(figure(drawn, "losses"))
    sizes = sorted({point.n for row in found.rows for point in row.curve})
    rows = []
    for row in found.rows:
        at = {point.n: percent(point.error) for point in row.curve}
        rows.append([name(row.model), *(at.get(n, _NONE) for n in sizes)])
    head = [words("compared.by_size"), *(f"{n:,}" for n in sizes)]
    yield Section("learning", title, [*blocks, Opened(words("details.table"), [Table(head, rows)], shut=True)])


# --- the data ----------------------------------------------------------------------------------------------


def _data(found: Comparison, words: Words) -> Section:
    """Return how many examples of each class there were."""
    n, counts = len(found.y), np.bincount(found.y, minlength=len(found.classes)).tolist()
    guess = name(found.classes[int(np.argmax(counts))])
    rows = [(name(label), f"{count:,}", percent(count / n)) for label, count in zip(found.classes, counts, strict=True)]
    blocks: list[Any] = [
        Paragraph(words("compared.baseline", label=guess, error=percent(1.0 - max(counts) / n))),
        Table([words("class"), words("examples"), words("part")], rows[:_MOST_CLASSES]),
    ]
    if len(rows) > _MOST_CLASSES:
        blocks.append(Paragraph(words("learnt.others", n=f"{len(rows) - _MOST_CLASSES:,}"), dim=True))
    return Section("data", words("compared.data"), blocks)


def _again(found: Comparison, command: str, words: Words) -> Section:
    """Return how to get the same figures again."""
    blocks: list[Any] = [Paragraph(words("compared.again"))]
    if command:
        blocks.append(Command(command))
    facts = [
        (words("proof.version"), __version__),
        (words("proof.seed"), str(found.seed)),
        (words("compared.folds"), f"{found.folds} × {found.repeats}"),
    ]
    return Section("again", words("again"), [*blocks, Facts(facts)])
