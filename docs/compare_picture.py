"""The picture of docs/compare.md: a learning curve for each model on each problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from compare_cases import BAYES, DISCRIMINANT, LOGISTIC, LOOSE, PLAIN, PROBLEMS, Curves

from deciban.report.canvas import colour, legend, mark
from deciban.report.vector import INK, PAPER, use_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches, and what is not penalised or shrunk.
_WIDTH, _ROW, _ACROSS = 6.8, 2.05, 2
_DASHED = (0, (4.0, 2.0))
# The place of each model in the house's colours and shapes.
_PLACES = {DISCRIMINANT: 0, PLAIN: 0, BAYES: 2, LOGISTIC: 1, LOOSE: 1}
_LOOSELY = (PLAIN, LOOSE)
_BEST: dict[str, Any] = {"color": INK, "linewidth": 0.8, "linestyle": "dotted"}


def drawn(found: Mapping[str, Curves]) -> Figure:
    """Errors held out over the number of examples learnt, with two standard errors of the mean on each side."""
    from matplotlib.figure import Figure

    with use_style():
        down = -(-len(found) // _ACROSS)
        figure = Figure(figsize=(_WIDTH, down * _ROW + 0.6), layout="constrained")
        panels = figure.subplots(down, _ACROSS, squeeze=False).ravel()
        for axes, (name, curves) in zip(panels, found.items(), strict=False):
            _panel(axes, name, curves)
        for axes in panels[len(found) :]:
            axes.set_axis_off()
        for axes in panels[max(0, len(found) - _ACROSS) : len(found)]:
            axes.set_xlabel("examples learnt")
        legend(figure, _entries(), ["DejaVu Sans", "sans-serif"])
        figure.set_label(f"{said(found)}.")
    return figure


def said(found: Mapping[str, Curves]) -> str:
    """The ends of all lines, in words."""
    told = []
    for name, curves in found.items():
        few, many = curves.sizes[0], curves.sizes[-1]
        ends = (
            f"{model} from {100 * curves.share(model, few):.1f} % to {100 * curves.share(model, many):.1f} %"
            for model in curves.errors
        )
        told.append(f"{PROBLEMS[name].title}, {few:,} to {many:,} examples: {', '.join(ends)}")
    return "Errors held out. " + "; ".join(told)


def _panel(axes: Axes, name: str, curves: Curves) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    for model in curves.errors:
        mean, error = curves.shares(model)
        low, high = 100 * (mean - 2 * error), 100 * (mean + 2 * error)
        axes.fill_between(curves.sizes, low, high, color=colour(_PLACES[model]), alpha=0.14, linewidth=0)
        axes.plot(curves.sizes, 100 * mean, gid=f"{name}-{_PLACES[model]}-{model in _LOOSELY}", **_look(model))
    if PROBLEMS[name].best is not None:
        axes.axhline(100 * PROBLEMS[name].best, zorder=0.8, **_BEST)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(curves.sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_ylim(bottom=0.0)
    axes.set_title(PROBLEMS[name].title, loc="left")
    axes.set_ylabel("error, %")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _look(model: str) -> dict[str, Any]:
    shape = mark(_PLACES[model], 4.0)
    look = {"marker": shape["marker"], "markersize": 3.8, "markeredgecolor": PAPER, "markeredgewidth": 0.4}
    loosely = model in _LOOSELY
    return {**look, "color": colour(_PLACES[model]), "linestyle": _DASHED if loosely else "solid", "linewidth": 1.3}


def _entries() -> list[tuple[tuple[Any, ...], str]]:
    from matplotlib.lines import Line2D

    found: list[tuple[tuple[Any, ...], str]] = [((Line2D([], [], **_look(model)),), model) for model in _PLACES]
    return [*found, ((Line2D([], [], **_BEST),), "least possible")]
