"""The figures of an evaluation, for the terminal, with their intervals, and the confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

from rich.cells import cell_len
from rich.text import Text

from ..certificates.intervals import Interval, Rate
from ..conventions import percent
from ..evaluation.evaluation import Evaluation
from .terminal import Screen, colour_of, grid, name


def evaluation(found: Evaluation, on: Screen) -> Iterator[Text]:
    """Return the report on an evaluation."""
    rows = [("error", percent(found.error), _format_interval(found.interval), f"{found.errors:,} of {found.n:,}")]
    rows += _rates(found)
    area = found.one_minus_roca_percent
    if area is not None and found.roc_area is not None:
        interval = found.one_minus_roca_percent_interval
        rows.append(("ROC area", f"{found.roc_area:.6f}", "", ""))
        shown = "" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f} %"
        rows.append((on.pick("(1 − ROCA)", "(1 - ROCA)"), f"{area:.4f} %", shown, "0: perfect ranking"))
    shown = "" if found.log_loss_interval is None else "{:.4f} to {:.4f}".format(*found.log_loss_interval)
    rows.append(("log loss", f"{found.log_loss:.4f} nats", shown, f"uniform: {log(len(found.classes)):.4f}"))
    error, chance = percent(found.calibration_error), percent(found.reliability.chance)
    rows.append(
        ("calibration", error, _format_interval(found.calibration_error_interval), f"exact, by chance: {chance}")
    )
    turns = "" if found.threshold is None else f"threshold {found.threshold:g}"
    header = ("", "", "95 % interval", turns if found.decibans is None else f"threshold {found.decibans:g} dB")
    for number, line in enumerate(grid([header, *rows], "lrr")):
        yield Text(line, style="dim" if number == 0 else "bold" if number == 1 else "")
    yield Text()
    yield from _confusion(found, on)
    for note in found.notes:
        yield Text(name(note), style="dim")


def _rates(found: Evaluation) -> Iterator[tuple[str, str, str, str]]:
    positive = found.positive
    if positive is None:
        return
    other = next(c for c in found.classes if c != positive)
    for title, rate, taken in (
        ("false positives", found.false_positives, f"{name(other)} called {name(positive)}"),
        ("false negatives", found.false_negatives, f"{name(positive)} called {name(other)}"),
    ):
        if rate is not None:
            yield title, percent(rate.rate), _format_interval(rate.interval), f"{_of(rate)} {taken}"


def _of(rate: Rate) -> str:
    return f"{rate.errors:,} of {rate.n:,}"


def _format_interval(interval: Interval) -> str:
    return f"{percent(interval[0]).removesuffix(' %')} to {percent(interval[1])}"


def _confusion(found: Evaluation, on: Screen) -> Iterator[Text]:
    """Return the confusion matrix: rows true, columns predicted; the diagonal is correct.

    Where names are too wide for columns, numbers head them; where those are, the worst pairs are listed.
    """
    labels = [name(c) for c in found.classes]
    numbers = [str(i + 1) for i in range(len(labels))]
    numbered = [f"{number} {label}" for number, label in zip(numbers, labels, strict=True)]
    for heads, rows in ((labels, labels), (numbers, numbered)):
        counts = [[head, *(f"{n:,}" for n in row)] for head, row in zip(rows, found.confusion.tolist(), strict=True)]
        lines = grid([["true \\ predicted", *heads], *counts], "l" + "r" * len(labels))
        if max(map(cell_len, lines)) <= on.width:
            yield Text(lines[0], style="dim")
            for line, label in zip(lines[1:], found.classes, strict=True):
                yield Text(line, style=colour_of(label, found.classes) if len(labels) <= 6 else "")
            return
    yield from _worst(found)


def _worst(found: Evaluation) -> Iterator[Text]:
    """Yield lines on the pairs that are confused most often, for many classes."""
    pairs = [
        (count, true, called)
        for true, row in zip(found.classes, found.confusion.tolist(), strict=True)
        for called, count in zip(found.classes, row, strict=True)
        if true != called and count
    ]
    pairs.sort(key=lambda pair: -pair[0])
    yield Text("most often confused", style="dim")
    rows = [(f"{count:,}", f"{name(true)} called {name(called)}") for count, true, called in pairs[:20]]
    yield from map(Text, grid(rows or [("0", "nothing")], "r"))
