"""The figures of an evaluation, for a page or a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any

from ..certificates.intervals import Interval, Rate, clopper_pearson
from ..conventions import percent
from ..evaluation.evaluation import Evaluation
from ..report.terminal import name
from .blocks import Facts, Paragraph, Table
from .words import Words

_MOST_CLASSES = 60
_MOST_COLUMNS = 12


def blocks(found: Evaluation, words: Words) -> Iterator[Any]:
    """Return the figures, precision and recall of the classes, and of few classes the confusion matrix."""
    rate = (words("error.rate"), format_rate(Rate(found.errors, found.n), words))
    yield Facts([rate, *sides(found, words), *orders(found, words)])
    yield from classes(found, words)
    if len(found.classes) <= _MOST_COLUMNS:
        names = [name(label) for label in found.classes]
        rows = zip(names, found.confusion.tolist(), strict=True)
        yield Table([words("confusion"), *names], [[own, *(f"{n:,}" for n in row)] for own, row in rows])


def baseline(found: Evaluation) -> tuple[Any, Rate]:
    """Return the most frequent class, and the error of always predicting it: the majority-class baseline."""
    counts = found.confusion.sum(axis=1)
    most = int(counts.argmax())
    return found.classes[most], Rate(found.n - int(counts[most]), found.n)


def sides(found: Evaluation, words: Words) -> Iterator[tuple[str, str]]:
    """Return the false positives and the false negatives, of two classes."""
    if found.positive is None:
        return
    other = next(label for label in found.classes if label != found.positive)
    for key, rate, pair in (
        ("false_positives", found.false_positives, (other, found.positive)),
        ("false_negatives", found.false_negatives, (found.positive, other)),
    ):
        if rate is not None:
            called = words("called", true=name(pair[0]), called=name(pair[1]))
            yield words(f"error.{key}"), f"{format_rate(rate, words)} · {called}"


def orders(found: Evaluation, words: Words) -> Iterator[tuple[str, str]]:
    """Return ROC area, log loss and calibration error."""
    if found.roc_area is not None:
        ends = found.roc.interval
        interval = "" if ends is None else _format_ends(f"{1.0 - ends[1]:.4g}", f"{1.0 - ends[0]:.4g}", words)
        yield words("error.area"), f"{found.roc_area:.6g}{interval}"
    loss = found.log_loss_interval
    interval = "" if loss is None else _format_ends(f"{loss[0]:.4f}", f"{loss[1]:.4f}", words)
    guess = f"{log(len(found.classes)):.4f}"
    yield words("error.loss"), words("error.nats", loss=f"{found.log_loss:.4f}", interval=interval, guess=guess)
    error = format_interval(found.calibration_error_interval, words)
    yield words("error.calibration"), f"{percent(found.calibration_error)} (95 %: {error})"


def classes(found: Evaluation, words: Words) -> Iterator[Any]:
    """Return precision and recall of each class, of very many those with most examples; and labels that are unknown."""
    each = sorted(found.per_class, key=lambda report: -report.support)[:_MOST_CLASSES]
    kept = {report.label for report in each}
    rows = [
        [name(report.label), f"{report.support:,}", *(_share(v) for v in (report.recall, report.precision))]
        for report in found.per_class
        if report.label in kept
    ]
    yield Table([words("class"), words("examples"), words("recall"), words("precision")], rows)
    if found.unseen:
        labels = ", ".join(f"{name(label)} ({n:,})" for label, n in list(found.unseen.items())[:5])
        yield Paragraph(words("error.unseen", n=f"{sum(found.unseen.values()):,}", labels=labels), dim=True)


def format_interval(interval: Interval, words: Words) -> str:
    """Format an interval in words."""
    return words("between", low=percent(interval[0]).removesuffix(" %"), high=percent(interval[1]))


def _format_ends(low: str, high: str, words: Words) -> str:
    return f" (95 %: {words('between', low=low, high=high)})"


def format_rate(rate: Rate, words: Words) -> str:
    """Format a rate with its interval and its counts."""
    share = words("share", some=f"{rate.errors:,}", all=f"{rate.n:,}")
    interval = format_interval(clopper_pearson(rate.errors, rate.n), words)
    return words("rate", rate=percent(rate.rate), interval=interval, share=share)


def format_p(p: float, equals: str = "") -> str:
    """Format a p-value."""
    return f"{equals[:2]}< 0.0001" if p < 1e-4 else f"{equals}{p:.2g}"


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)
