"""A comparison on the terminal: how each model does, which differences are real, and learning curves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from ..evaluation.comparison import ENDED, percent, probable
from .progress import format_count, format_size
from .terminal import Screen, fit, grid, name

if TYPE_CHECKING:
    from ..evaluation.comparison import Comparison, ModelResult, Pair

_BLOCKS = "▁▂▃▄▅▆▇█"
_NAME = 24
# What stays on one line, and the blank that it has meanwhile.
_APART, _TIED = re.compile(r" %| [<=] "), "\ue000"


def comparison(found: Comparison, on: Screen) -> list[Text]:
    """Return lines no wider than the screen; columns without room are left out from the right, as JSON has all."""
    repeats = f", dealt {found.repeats} times" if found.repeats > 1 else ""
    copies = f"; {format_count(found.copies, 'near-duplicate')} in the fold of the first" if found.copies else ""
    head = (
        f"{format_count(len(found.y), 'example')} of {len(found.classes)} classes, each judged by models that did not "
        f"learn it: {found.folds} folds{repeats}{copies}."
    )
    parts = [_wrap(head, on)]
    if found.rows:
        parts += [_table(found, on), _wrap(found.statement, on)]
    if found.pairs:
        parts.append(_differences(found, on) + _doubt(found, on))
    if any(len(row.curve) > 1 for row in found.rows):
        parts.append(_curves(found, on))
    if found.ended:
        parts.append(_wrap(f"Not all was done: {ENDED[found.ended]}.", on))
    parts += [_wrap(f"Left out: {model}: {why}", on) for model, why in found.left_out.items()]
    lines = [line for part in parts for line in ("", *part)][1:]
    return [Text(line) for line in lines]


def _wrap(text: str, on: Screen) -> list[str]:
    """Return lines of words; numbers stay with their signs."""
    lines = [""]
    for word in _APART.sub(lambda found: found[0].replace(" ", _TIED), name(text)).split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if cell_len(longer) <= on.width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line.replace(_TIED, " ") for line in lines if line]


def _shorten_name(model: str, on: Screen) -> str:
    return fit(name(model), min(_NAME, on.width // 3), on.pick("…", "~")).rstrip()


def fitting(rows: Sequence[Sequence[str]], width: int, right: str) -> list[str]:
    """Return rows as aligned columns, without the last columns that there is no room for.

    >>> fitting([["a", "one", "two"], ["b", "1", "2"]], 8, "lrr")
    ['a  one', 'b    1']
    """
    used, kept = 0, 0
    for column in range(len(rows[0])):
        used += max(cell_len(row[column]) for row in rows) + (2 if column else 0)
        if used > width and column:
            break
        kept = column + 1
    return grid([row[:kept] for row in rows], right)


def _table(found: Comparison, on: Screen) -> list[str]:
    rows = [["model", "error", "95 % interval", "log loss", "fit", "judge", "size"]]
    rows += [_row(row, on) for row in found.rows]
    return fitting(rows, on.width, "lrrrrrr")


def _row(row: ModelResult, on: Screen) -> list[str]:
    low, high = row.interval
    return [
        _shorten_name(row.model, on),
        percent(row.error),
        f"{100 * low:.2f} to {percent(high)}",
        on.pick("–", "-") if row.log_loss is None else f"{row.log_loss:.4f}",
        seconds(row.fit_seconds, on),
        seconds(row.predict_seconds, on),
        format_size(row.size) if row.size_of_file else on.pick("≈ ", "~ ") + format_size(row.size),
    ]


def _differences(found: Comparison, on: Screen) -> list[str]:
    best = str(found.best)
    rows = [[f"against {_shorten_name(best, on)}", "points", "McNemar", "corrected t", ""]]
    for row in found.rows:
        if row.model != best:
            rows.append(_difference(found.pair(row.model, best), row.model, on))
    return fitting(rows, on.width, "lrrrl")


def _doubt(found: Comparison, on: Screen) -> list[str]:
    """Return why the two tests may not agree, where they do not."""
    pairs = [pair for pair in found.pairs if found.best in (pair.a, pair.b)]
    if found.repeats > 1 or all(pair.t_p <= found.level for pair in pairs if pair.real):
        return []
    return _wrap(
        "The corrected t asks, too, what other training sets would have made of the models: one deal of "
        f"{found.folds} folds tells little of that, repeats tell more.",
        on,
    )


def _difference(pair: Pair, model: str, on: Screen) -> list[str]:
    points = 100 * abs(pair.difference)
    return [
        _shorten_name(model, on),
        ("+" if points >= 0.005 else "") + f"{points:.2f}",
        probable(pair.p),
        probable(pair.t_p),
        "real" if pair.real else "",
    ]


def _curves(found: Comparison, on: Screen) -> list[str]:
    """Return errors by the number of training examples, with bars; the largest sizes if there are too many."""
    sizes = sorted({point.n for row in found.rows for point in row.curve})
    errors = [{point.n: point.error for point in row.curve} for row in found.rows]
    none, head = on.pick("–", "-"), "error, by examples learnt"
    cells = [[head if on.width > 3 * len(head) else "error by n", *(f"{n:,}" for n in sizes)]]
    for row, each in zip(found.rows, errors, strict=True):
        cells.append([_shorten_name(row.model, on), *(percent(each[n]) if n in each else none for n in sizes)])
    drawn = [_draw_bars(each, sizes, max(max(known.values()) for known in errors), on) for each in errors]
    first = _first(cells, on.width - max(map(len, drawn)) - 2)
    rows = [[row[0], *row[first:], mark] for row, mark in zip(cells, ["", *drawn], strict=True)]
    return grid(rows, "l" + "r" * (len(sizes) + 1 - first) + "l")


def _first(cells: Sequence[Sequence[str]], room: int) -> int:
    """Return the first column from which on all have room beside column 0."""
    widths = [max(cell_len(row[k]) for row in cells) for k in range(len(cells[0]))]
    return next(
        k for k in range(1, len(widths) + 1) if widths[0] + sum(w + 2 for w in widths[k:]) <= room or k == len(widths)
    )


def _draw_bars(errors: Mapping[int, float], sizes: Sequence[int], top: float, on: Screen) -> str:
    """Return a bar for each size, as high as the error."""
    if on.ascii_only:
        return ""
    steps = [round(errors[n] / (top or 1.0) * (len(_BLOCKS) - 1)) if n in errors else None for n in sizes]
    return "".join(" " if step is None else _BLOCKS[step] for step in steps)


def seconds(value: float, on: Screen) -> str:
    """Format a time.

    >>> seconds(0.0000123, Screen()), seconds(12.34, Screen())
    ('12 µs', '12 s')
    """
    if value >= 0.9995:
        return _digits(value) + " s"
    if value >= 0.9995e-3:
        return _digits(1e3 * value) + " ms"
    return _digits(1e6 * value) + on.pick(" µs", " us")


def _digits(value: float) -> str:
    return f"{value:.{0 if value >= 9.95 else 1}f}"


def in_words(found: Comparison) -> str:
    """Write `comparison` as one text, 100 columns wide."""
    return "\n".join(line.plain for line in comparison(found, Screen(100)))
