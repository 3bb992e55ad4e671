"""Learning curves of models side by side: what more examples bring to each."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from ..trust.comparison import Compared, Comparison, Point
from . import canvas
from .fonts import family
from .marks import colour, mark
from .vector import need_matplotlib, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: as wide as other pictures; of the axes, of what stands around them, and of a line of the legend.
_WIDTH, _PANEL, _AROUND, _LINE = 4.0, 1.7, 0.6, 0.19
_WRAP = 52  # characters of a title
# Of a step from one size to the next: how far the marks of models stand apart, so that none hides another.
_APART = 0.02


def comparison_curves(found: Comparison, *, title: str | None = None) -> Figure:
    """What `deciban.compare` found, over the number of examples learnt, as a Matplotlib figure of up to two parts:

        error      of each model, with its 95 % interval
        log loss   in nats, of those that give probabilities

    The axis of examples is logarithmic. `figure.savefig("curves.png")`, or
    `deciban.report.svg(figure)`; `figure.get_label()` says in words what it shows. ImportError without Matplotlib
    (`deciban[report]`), TypeError for what is no comparison, DataError where no model was finished.

    >>> import deciban, numpy as np
    >>> y = np.arange(60) % 2
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + y[:, None]
    >>> figure = comparison_curves(deciban.compare(["naive-bayes"], X, y, folds=2, sizes=[10]), title="clouds")
    >>> figure.get_label()
    'clouds: error and log loss of naive-bayes, by 10 to 30 examples learnt.'
    """
    need_matplotlib("comparison_curves")
    if not isinstance(found, Comparison):
        raise TypeError(f"what deciban.compare gives is expected, got {type(found).__name__}")
    if not found.rows:
        raise DataError("there are no curves: no model was finished")
    title = title or "learning curves"
    parts = ["error", *["log loss"] * any(row.log_loss is not None for row in found.rows)]
    names = [canvas.short(row.model) for row in found.rows]
    fonts, missing = family([title, *names])
    with styled():
        figure, axes = _sheet(parts, found.rows)
        for part, axis in zip(parts, axes, strict=True):
            _draw(axis, part, found.rows)
        lines = textwrap.wrap(title, _WRAP)
        axes[0].set_title("\n".join(lines), loc="left", family=fonts)
        rows = canvas.legend(figure, [((_key(m),), each) for m, each in enumerate(names)], fonts)
        canvas.note(figure, missing)
        figure.align_ylabels(axes)
        figure.set_size_inches(_WIDTH, len(axes) * _PANEL + _AROUND + _LINE * (rows + len(lines)))
        figure.set_label(_said(found, title, parts))
    return figure


def _sheet(parts: list[str], rows: tuple[Compared, ...]) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    figure = Figure(figsize=(_WIDTH, _WIDTH), layout="constrained")
    axes = list(figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0])
    sizes = sorted({point.n for row in rows for point in row.curve})
    for part, axis in zip(parts, axes, strict=True):
        axis.set_xscale("log")
        axis.set_ylabel(part)
        axis.xaxis.set_major_locator(FixedLocator(_ticks(sizes)))
        axis.xaxis.set_minor_locator(NullLocator())
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[0].set_xlim(sizes[0] / 1.25, sizes[-1] * 1.25)
    axes[-1].set_xlabel("examples learnt")
    return figure, axes


def _ticks(sizes: list[int]) -> list[int]:
    """The largest, and of the others those whose numbers do not touch those of larger ones.

    >>> _ticks([10, 70, 72])
    [10, 72]
    """
    kept = sizes[-1:]
    for size in sizes[-2::-1]:
        kept += [size] * (size < 0.75 * kept[-1])
    return kept[::-1]


def _draw(axis: Axes, part: str, rows: tuple[Compared, ...]) -> None:
    for m, row in enumerate(rows):
        found = [(point, value) for point in row.curve if (value := _value(point, part)) is not None]
        points = [point for point, _ in found]
        x = [point.n * (1.0 + _APART * (m - (len(rows) - 1) / 2)) for point in points]
        axis.plot(x, [value for _, value in found], gid=f"{part.replace(' ', '-')}-{m}", **_look(m))
        if part == "error" and points:
            low, high = zip(*(point.interval for point in points), strict=True)
            axis.vlines(x, low, high, colors=colour(m), linewidth=0.7, gid=f"interval-{m}")
    axis.set_ylim(bottom=0.0)


def _value(point: Point, part: str) -> float | None:
    return point.error if part == "error" else point.log_loss


def _look(m: int) -> dict[str, Any]:
    """Of model m: its colour, and in grey its mark."""
    return {**mark(m, 4.5), "linestyle": "solid", "linewidth": 1.3}


def _key(m: int) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_look(m))


def _said(found: Comparison, title: str, parts: list[str]) -> str:
    sizes = sorted({point.n for row in found.rows for point in row.curve})
    models = ", ".join(row.model for row in found.rows)
    over = f"{sizes[0]:,} to {sizes[-1]:,}" if len(sizes) > 1 else f"{sizes[0]:,}"
    return f"{title}: {' and '.join(parts)} of {models}, by {over} examples learnt."
