"""The pictures of docs/networks.md that the library does not draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.report.palette import COLOURS, INK, PAPER
from deciban.report.vector import use_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 8
_FOR, _AGAINST = COLOURS[0], COLOURS[1]
# How strongly the largest evidence is coloured: what is written on it must be read.
_MOST = 0.75


def evidence(image: Any, decibans: Any, called: str, against: str) -> Figure:
    """A digit (64,), and the evidence (64,) of each pixel for `called` against `against`, as colours and as numbers."""
    from matplotlib.figure import Figure

    with use_style():
        figure = Figure(figsize=(6.8, 3.75), layout="constrained")
        digit, weighed = figure.subplots(1, 2)
        digit.imshow(image.reshape(SIDE, SIDE), cmap="gray_r", vmin=0.0, vmax=1.0)
        digit.set_title("grey values", loc="left")
        _squares(weighed, decibans.reshape(SIDE, SIDE))
        weighed.set_title(f"decibans for {called} (blue, +) against {against} (orange, −)", loc="left", fontsize=8.5)
        for axes in (digit, weighed):
            axes.set_xticks([])
            axes.set_yticks([])
        figure.set_label(f"A digit, and the evidence of each pixel for {called} against {against}.")
    return figure


def _squares(axes: Axes, decibans: Any) -> None:
    from matplotlib.colors import to_rgb

    paper, strength = np.array(to_rgb(PAPER)), _MOST * np.abs(decibans) / np.abs(decibans).max()
    paint = np.where(decibans[..., None] > 0.0, to_rgb(_FOR), to_rgb(_AGAINST))
    axes.imshow(paper + strength[..., None] * (paint - paper))
    for (i, j), value in np.ndenumerate(decibans):
        if abs(value) >= 0.5:
            axes.text(j, i, f"{value:+.0f}".replace("-", "−"), ha="center", va="center", fontsize=7.5, color=INK)
