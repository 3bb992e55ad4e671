"""What was called what: the confusion matrix as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..losses import Floats
from ..trust.judgements import Judgements
from ..trust.operating import operating_points
from ..trust.rates import clopper_pearson
from .canvas import Canvas, short
from .figure_words import speaking
from .marks import colour
from .terminal import cell_len, fit, name, percent
from .vector import INK, need_matplotlib, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Counts = NDArray[np.int64]

_ALL, _SHOWN = 30, 20  # so many classes are all drawn; of more, so many
_TOLD = 5  # pairs
_STRONG = 0.55  # of a colour: letters upon it are read in the light and in the dark
_SMALLEST = 3.6  # points: letters smaller than that are left out
_FEW = 6  # classes whose cells have room for per cent


def confusion_matrix(
    said: Judgements,
    *,
    positive: Any = None,
    threshold: float | None = None,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    """How many examples of each class (row) were called what (column), as a figure.

    A cell is the fuller the larger its share of the row is; the diagonal is right and has another colour. The verdict
    is the most probable class; of two classes with a `threshold` it is `positive`, the second unless named, where its
    probability is above. Of more than 30 classes the 20 that are confused most often are drawn, and the others as one.
    See `roc_curve` for the rest.

    >>> p = np.array([0.1, 0.6, 0.7, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - p, p]).T)
    >>> print(confusion_matrix(said).get_label().replace("; ", ";\\n"))
    confusion: 4 examples of 2 classes, 1 wrong, 25.0 % (95 % interval 0.631 % to 80.6 %);
    ham called spam: 1 of 2.
    """
    need_matplotlib("confusion_matrix")
    say = speaking(language)
    named = say("confusion") if title is None else title
    counts = counted(said, positive, threshold)
    labels = [short(c) for c in said.classes]
    told = _in_words(counts, labels, named or say("confusion"), say)
    notes = []
    if len(labels) > _ALL:
        counts, labels = _condensed(counts, labels, say)
        notes = [say("confusion.most", shown=_SHOWN, all=f"{len(said.classes):,}")]
    seen = Canvas.framed(say("confusion.x"), say("confusion.y"), [named, *labels])
    _cells(seen, counts)
    _names(seen, labels)
    for key, c in (("confusion.right", 0), ("confusion.wrong", 1)):
        look = {"marker": "s", "linestyle": "none", "markersize": 7.0, "color": colour(c), "alpha": _STRONG}
        seen.entry(say(key), look)
    seen.finish(named, "; ".join([*told, *notes]) + ".", notes)
    return seen.figure


def counted(said: Judgements, positive: Any = None, threshold: float | None = None) -> Counts:
    """(C, C) how many of each class (row) were called what (column)."""
    C, called = len(said.classes), said.predicted
    if threshold is not None:
        if C > 2:
            raise ValueError(f"a threshold is of two classes; there are {C}: leave it out")
        ways = operating_points(said, positive)
        side = said.classes.index(ways.positive)
        odds, way = said.log_odds(side), ways.at(threshold)
        called = np.where(odds >= ways.odds[way - 1] if way else False, side, 1 - side)
    return np.bincount(said.y * C + called, minlength=C * C).reshape(C, C).astype(np.int64)


def _in_words(counts: Counts, labels: list[str], named: str, say: Any) -> list[str]:
    """How many are wrong, and which pairs are confused most often."""
    n, right = int(counts.sum()), int(np.trace(counts))
    ends = zip(("low", "high"), map(percent, clopper_pearson(n - right, n)), strict=True)
    given = {"n": f"{n:,}", "classes": f"{len(labels):,}", "wrong": f"{n - right:,}", "error": percent((n - right) / n)}
    head = say("confusion.says", title=named, interval=say("between", **dict(ends)), **given)
    wrong = counts - np.diag(np.diag(counts))
    worst = np.argsort(-wrong, axis=None, kind="stable")[:_TOLD]
    pairs = [(t, c) for t, c in zip(*np.unravel_index(worst, counts.shape), strict=True) if wrong[t, c]]
    rows = counts.sum(axis=1)
    return [head] + [
        say("confusion.pair", true=labels[t], called=labels[c], count=f"{wrong[t, c]:,}", n=f"{rows[t]:,}")
        for t, c in pairs
    ]


def _condensed(counts: Counts, labels: list[str], say: Any) -> tuple[Counts, list[str]]:
    """Of many classes those with the most errors, as true class or as verdict, in their order; the others as one."""
    wrong = counts - np.diag(np.diag(counts))
    worst = np.sort(np.argsort(-(wrong.sum(axis=0) + wrong.sum(axis=1)), kind="stable")[:_SHOWN])
    place = np.full(len(labels), _SHOWN)
    place[worst] = np.arange(_SHOWN)
    told = np.zeros((_SHOWN + 1, _SHOWN + 1), dtype=np.int64)
    np.add.at(told, (place[:, None], place[None, :]), counts)
    others = say("confusion.others", n=f"{len(labels) - _SHOWN:,}")
    return told, [*(labels[c] for c in worst), others]


def _cells(seen: Canvas, counts: Counts) -> None:
    """A square for each pair that occurs, and its count where there is room."""
    from matplotlib.patches import Rectangle

    C = len(counts)
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    size = _letters(counts)
    with styled():
        seen.axes.set(xlim=(-0.5, C - 0.5), ylim=(C - 0.5, -0.5), box_aspect=None)
        for t, c in zip(*np.nonzero(counts), strict=True):
            paint = {"facecolor": colour(int(t != c)), "alpha": _STRONG * float(shares[t, c]) ** 0.5, "linewidth": 0.0}
            seen.axes.add_patch(Rectangle((c - 0.5, t - 0.5), 1.0, 1.0, gid=f"cell-{t}-{c}", **paint))
        for t, c in np.ndindex(C, C):
            if size >= _SMALLEST and (counts[t, c] or C <= _FEW):
                more = f"\n{percent(float(shares[t, c]))}" if C <= _FEW and counts[t].any() else ""
                text = f"{counts[t, c]:,}{more}"
                seen.axes.text(c, t, text, ha="center", va="center", fontsize=size, color=INK, linespacing=1.3)
        for edge in np.arange(C + 1) - 0.5:
            for line in (seen.axes.axhline, seen.axes.axvline):
                line(edge, color=INK, linewidth=0.4 if C <= _FEW else 0.15, zorder=2.0)


def _letters(counts: Counts) -> float:
    """Points of the letters of the counts: as large as the widest one has room for."""
    digits = len(f"{int(counts.max()):,}")
    room = 205.0 / len(counts)
    return min(9.0, room / (0.62 * max(digits, 6 if len(counts) <= _FEW else 1)), 0.8 * room)


def _names(seen: Canvas, labels: list[str]) -> None:
    """What rows and columns are called: the columns upright where they would run into each other."""
    C = len(labels)
    longest = 14 if C <= _FEW else 9
    told = [fit(name(label), longest).rstrip() if cell_len(label) > longest else label for label in labels]
    size = 8.0 if C <= 15 else 6.0
    upright = max(map(cell_len, told)) * 0.6 * size > 205.0 / C
    with styled():
        turn = {"rotation": 90} if upright else {}
        seen.axes.set_xticks(range(C), told, fontsize=size, family=seen.fonts, **turn)
        seen.axes.set_yticks(range(C), told, fontsize=size, family=seen.fonts)
        seen.axes.tick_params(length=0)
        for side in seen.axes.spines.values():
            side.set_visible(False)
        seen.axes.set_aspect("equal")
