"""The picture of docs/compare.md: a learning curve for each model on each problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.report.canvas import colour, legend, mark
from deciban.report.palette import INK, PAPER
from deciban.report.vector import use_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches, and what is not penalised or shrunk.
_WIDTH, _ROW, _ACROSS = 6.8, 2.05, 2
_DASHED = (0, (4.0, 2.0))
# The place of each model in the house's colours and shapes.
_LOOSELY = ("discriminant, not shrunk", "logistic, hardly penalised")
_PLACES = {"discriminant": 0, _LOOSELY[0]: 0, "naive Bayes": 2, "logistic": 1, _LOOSELY[1]: 1}
_BEST: dict[str, Any] = {"color": INK, "linewidth": 0.8, "linestyle": "dotted"}


def drawn(found: Mapping[str, Any], titles: Mapping[str, str]) -> Figure:
    """Draw errors held out over the number of examples learnt, with two standard errors of the mean on each side."""
    from matplotlib.figure import Figure

    with use_style():
        down = -(-len(found) // _ACROSS)
        figure = Figure(figsize=(_WIDTH, down * _ROW + 0.6), layout="constrained")
        panels = figure.subplots(down, _ACROSS, squeeze=False).ravel()
        for axes, (name, curves) in zip(panels, found.items(), strict=False):
            _panel(axes, name, curves)
            axes.set_title(titles[name], loc="left")
        for axes in panels[len(found) :]:
            axes.set_axis_off()
        for axes in panels[max(0, len(found) - _ACROSS) : len(found)]:
            axes.set_xlabel("examples learnt")
        legend(figure, _entries(), ["DejaVu Sans", "sans-serif"])
        figure.set_label(f"{describe(found, titles)}.")
    return figure


def describe(found: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """Return the ends of all lines, in words."""
    told = []
    for name, curves in found.items():
        sizes, means = _sizes(curves), {model: _shares(curves, model)[0] for model in curves["errors"]}
        ends = (f"{model} from {100 * mean[0]:.1f} % to {100 * mean[-1]:.1f} %" for model, mean in means.items())
        told.append(f"{titles[name]}, {sizes[0]:,} to {sizes[-1]:,} examples: {', '.join(ends)}")
    return "Errors held out. " + "; ".join(told)


def _sizes(curves: Mapping[str, Any]) -> list[int]:
    return [int(size) for size in next(iter(curves["errors"].values()))]


def _shares(curves: Mapping[str, Any], model: str) -> Any:
    """Return (sizes,) mean errors, and as many standard errors of them."""
    found = np.array(list(curves["errors"][model].values())) / curves["held_out"]
    return found.mean(axis=1), found.std(axis=1, ddof=1) / np.sqrt(found.shape[1])


def _panel(axes: Axes, name: str, curves: Mapping[str, Any]) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    sizes = _sizes(curves)
    for model in curves["errors"]:
        mean, error = _shares(curves, model)
        low, high = 100 * (mean - 2 * error), 100 * (mean + 2 * error)
        axes.fill_between(sizes, low, high, color=colour(_PLACES[model]), alpha=0.14, linewidth=0)
        axes.plot(sizes, 100 * mean, gid=f"{name}-{_PLACES[model]}-{model in _LOOSELY}", **_look(model))
    if curves["best"] is not None:
        axes.axhline(100 * curves["best"], zorder=0.8, **_BEST)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_ylim(bottom=0.0)
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
