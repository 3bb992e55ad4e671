"""The confusion matrix as a figure."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from ..certificates.intervals import clopper_pearson
from ..conventions import percent
from ..evaluation.judgements import Judgements
from ..evaluation.roc import operating_points
from ..losses import Floats
from .canvas import Canvas, colour
from .figure_words import Say, speaking
from .judged import abbreviate, examples
from .palette import INK
from .vector import need_matplotlib, use_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Counts = NDArray[np.int64]

_ALL, _SHOWN = 30, 20  # so many classes are all drawn; of more, so many
_TOLD = 5  # pairs
_STRONG = 0.55  # of a colour: letters upon it are read in the light and in the dark
_WIDTH, _WHOLE, _SIDE = 258.0, 245.0, 185.0  # points: of the matrix and names; of square axes; of the matrix, at least
_WRAP = 36  # characters of a note
_SMALLEST = 3.4  # points: letters smaller than that are left out
_FEW = 6  # classes whose cells have room for per cent


def confusion_matrix(
    said: Judgements,
    *,
    positive: object = None,
    threshold: float | None = None,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    r"""Draw the confusion matrix: the number of examples of each class (row) by predicted class (column).

    A cell is the fuller the larger its share of the row is; the diagonal is correct and has another colour. Of more
    than 30 classes the 20 that are confused most often are drawn, and the others as one.

    Parameters
    ----------
    said : Judgements
        Labels and predicted log probabilities of held-out examples.
    positive : label, optional
        The positive class. By default the second of two, for a threshold.
    threshold : float, optional
        Probability above which `positive` is predicted. By default the most probable class is.
    title : str, optional
        Title in place of the default; "" for none.
    language : {"en", "ko"}, default="en"
        Language of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; `figure.get_label()` describes it in words. Save it by `figure.savefig("figure.png")`, or by
        `deciban.report.svg(figure)`.

    Raises
    ------
    ImportError
        Without Matplotlib (`pip install 'deciban[report]'`).

    Examples
    --------
    >>> p = np.array([0.1, 0.6, 0.7, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - p, p]).T)
    >>> print(confusion_matrix(said).get_label().replace("; ", ";\n"))
    confusion: 4 examples of 2 classes, 1 misclassified, 25.0 % (95 % interval 0.631 % to 80.6 %);
    ham classified as spam: 1 of 2.
    """
    need_matplotlib("confusion_matrix")
    say = speaking(language)
    named = say("confusion") if title is None else title
    counts = count_predictions(said, positive, threshold)
    labels = abbreviate(said.classes)
    told = _in_words(counts, labels, named or say("confusion"), say)
    notes: list[str] = []
    if len(labels) > _ALL:
        counts, labels = _condense(counts, labels, say)
        notes = [say("confusion.most", shown=_SHOWN, all=f"{len(said.classes):,}")]
    seen = Canvas.make_framed(say("confusion.x"), say("confusion.y"), [named, *labels])
    side = _names(seen, labels)
    _cells(seen, counts, side)
    seen.finish(
        named, "; ".join([*told, *notes]) + ".", [line for note in notes for line in wrap(note, _WRAP)], side / _WHOLE
    )
    return seen.figure


def count_predictions(said: Judgements, positive: object = None, threshold: float | None = None) -> Counts:
    """Return (C, C) the number of examples of each class (row) by predicted class (column)."""
    C, called = len(said.classes), said.predicted
    if threshold is not None:
        if C > 2:
            raise ValueError(f"a threshold is of two classes; there are {C}: leave it out")
        ways = operating_points(said, positive)
        side = said.classes.index(ways.positive)
        odds, way = said.log_odds(side), ways.at(threshold)
        called = np.where(odds >= ways.odds[way - 1] if way else False, side, 1 - side)
    return np.bincount(said.y * C + called, minlength=C * C).reshape(C, C).astype(np.int64)


def _in_words(counts: Counts, labels: list[str], named: str, say: Say) -> list[str]:
    """Describe how many examples are wrong, and which pairs are confused most often."""
    n, right = int(counts.sum()), int(np.trace(counts))
    ends = zip(("low", "high"), map(percent, clopper_pearson(n - right, n)), strict=True)
    given = {
        "n": examples(n, say),
        "classes": f"{len(labels):,}",
        "wrong": f"{n - right:,}",
        "error": percent((n - right) / n),
    }
    head = say("confusion.says", title=named, interval=say("between", **dict(ends)), **given)
    wrong = counts - np.diag(np.diag(counts))
    worst = np.argsort(-wrong, axis=None, kind="stable")[:_TOLD]
    pairs = [(t, c) for t, c in zip(*np.unravel_index(worst, counts.shape), strict=True) if wrong[t, c]]
    rows = counts.sum(axis=1)
    return [head] + [
        say("confusion.pair", true=labels[t], called=labels[c], count=f"{wrong[t, c]:,}", n=f"{rows[t]:,}")
        for t, c in pairs
    ]


def _condense(counts: Counts, labels: list[str], say: Say) -> tuple[Counts, list[str]]:
    """Keep, of many classes, those with the most errors, in their order, and join the others to one."""
    wrong = counts - np.diag(np.diag(counts))
    worst = np.sort(np.argsort(-(wrong.sum(axis=0) + wrong.sum(axis=1)), kind="stable")[:_SHOWN])
    place = np.full(len(labels), _SHOWN)
    place[worst] = np.arange(_SHOWN)
    told = np.zeros((_SHOWN + 1, _SHOWN + 1), dtype=np.int64)
    np.add.at(told, (place[:, None], place[None, :]), counts)
    others = say("confusion.others", n=f"{len(labels) - _SHOWN:,}")
    return told, [*(labels[c] for c in worst), others]


def _cells(seen: Canvas, counts: Counts, side: float) -> None:
    """Draw a square for each pair that occurs, and its count where there is room."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    C, room = len(counts), side / len(counts)
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    with use_style():
        seen.axes.set(xlim=(-0.5, C - 0.5), ylim=(C - 0.5, -0.5))
        seen.axes.set_box_aspect(1.0)
        pairs = np.argwhere(counts)
        squares = pairs[:, None, ::-1] + np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        paint = [to_rgba(colour(int(t != c)), _STRONG * float(shares[t, c]) ** 0.5) for t, c in pairs]
        cells = PolyCollection(squares, facecolors=paint, linewidths=0.0, gid="cells", zorder=1.0)
        seen.axes.add_collection(cells, autolim=False)
        for t, c in np.ndindex(C, C):
            if counts[t, c] or C <= _FEW:
                share = float(shares[t, c]) if C <= _FEW and counts[t].any() else None
                _write(seen, (t, c), int(counts[t, c]), share, room)
        edges = np.arange(C + 1) - 0.5
        for lines in (seen.axes.hlines, seen.axes.vlines):
            lines(edges, -0.5, C - 0.5, colors=INK, linewidth=0.5 if C <= _FEW else 0.2, zorder=2.0)


def _write(seen: Canvas, at: tuple[int, int], count: int, share: float | None, room: float) -> None:
    """Write the count of a cell and, below it, its share, as large as there is room for, in points."""
    lines = [f"{count:,}", *([] if share is None else [percent(share)])]
    size = min(9.0, room / (0.7 * max(2, *map(len, lines))), 0.75 * room / len(lines))
    if size >= _SMALLEST:
        told = seen.axes.text(
            at[1], at[0], "\n".join(lines), ha="center", va="center", fontsize=size, color=INK, linespacing=1.3
        )
        told.set_in_layout(False)


def _names(seen: Canvas, labels: list[str]) -> float:
    """Return label rows and columns, by numbers where names would overlap; return the points left for a side of the
    matrix."""
    C = len(labels)
    size = 8.0 if C <= 15 else 6.0
    across, down = abbreviate(labels, 14), abbreviate(labels, 14 if C <= 15 else 18)
    if max(map(cell_len, across)) * 0.62 * size > _SIDE / C - 2.0:
        across = [f"{c + 1}" for c in range(C)]
        down = [f"{number} {label}" for number, label in zip(across, down, strict=True)]
    with use_style():
        seen.axes.set_xticks(range(C), across, fontsize=size, family=seen.fonts)
        seen.axes.set_yticks(range(C), down, fontsize=size, family=seen.fonts)
        seen.axes.tick_params(length=0)
        for side in seen.axes.spines.values():
            side.set_visible(False)
    return _WIDTH - 0.6 * size * max(map(cell_len, down))
