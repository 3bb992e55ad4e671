"""How well scores rank: the ROC, and precision against recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..evaluation.judgements import Judgements
from ..evaluation.operating import OperatingPoints, operating_points
from ..evaluation.roc import roc
from ..losses import Floats
from .canvas import Canvas
from .figure_words import Say, speaking
from .judged import (
    CURVE,
    PLAIN,
    Sides,
    areas_in_words,
    corner,
    each,
    examples,
    many,
    nearly_one,
    nothing,
    point,
    share,
    unit_square,
)
from .terminal import percent
from .thinned import thinned
from .vector import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def roc_curve(
    said: Judgements,
    *,
    positive: Any = None,
    threshold: float = 0.5,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    """What share of the positive class is found against what share of the others is taken for it, as a figure.

    Every threshold is a point of the curve; a straight line stands for tossing a coin between its ends. The threshold
    that is chosen, a probability, is marked, with exact 95 % intervals of both shares. The area is the chance that a
    positive example has higher odds than another one, with its interval by the bootstrap (`evaluation.roc`).

    Of two classes the second one is positive unless named. Of more there is a curve for each class against the rest,
    for the eight of the smallest area if there are more; or for the one that is named. At most 500 points of a curve
    are drawn, as near to all as can be seen.

    `title` stands instead of "ROC"; "" for none. `language` is "en" or "ko". `figure.savefig("roc.png")`, or
    `deciban.report.svg(figure)`; `figure.get_label()` says in words what it shows. Raises ImportError without
    Matplotlib (`deciban[report]`), ValueError for what is no class, no probability or no language.
    Fawcett, An introduction to ROC analysis, Pattern Recognition Letters 27 (2006).

    >>> import numpy as np
    >>> p = np.array([0.1, 0.6, 0.7, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - p, p]).T)
    >>> print(roc_curve(said).get_label().replace("; ", ";\\n"))
    ROC: spam against ham, 4 examples;
    area 1.0000;
    at threshold 0.5, 50.0 % of ham are called spam and 100 % of spam are found.
    """
    need_matplotlib("roc_curve")
    say = speaking(language)
    named = say("roc") if title is None else title
    if many(said, positive):
        seen = Canvas.framed(say("roc.x.each"), say("roc.y.each"), [named, *map(str, said.classes)])
        ways = [operating_points(said, c) for c in said.classes]
        areas = [way.roc_area for way in ways]
        unit_square(seen)
        notes = each(seen, ways, _roc, areas, say)
        _chance(seen, say)
        told = [
            say("each.says", title=named or say("roc"), n=examples(len(said), say), areas=areas_in_words(said, areas)),
            *notes,
        ]
    else:
        sides = Sides.of(said, positive, threshold, language)
        seen = Canvas.framed(say("roc.x", **sides.named()), say("roc.y", **sides.named()), [named])
        notes, told = [], _one_roc(seen, said, sides, say, named)
    seen.finish(named, "; ".join(told) + ".", notes)
    return seen.figure


def _one_roc(seen: Canvas, said: Judgements, sides: Sides, say: Say, named: str) -> list[str]:
    """The curve, its area with an interval, and the threshold that is chosen."""
    unit_square(seen)
    head = {"title": named or say("roc"), "n": examples(len(said), say), **sides.named()}
    area = sides.ways.roc_area
    if area is None:
        nothing(seen, say("one-sided"))
        return [say("roc.says", area="–", **head), say("one-sided")]
    side = said.classes.index(sides.ways.positive)
    interval = roc(said.log_odds(side), said.y == side).interval
    told = nearly_one(area)
    if interval is not None:
        told += f" ({say('between', low=nearly_one(1.0 - interval[1]), high=nearly_one(1.0 - interval[0]))})"
    whole = sides.ways.false_positive_rate, sides.ways.true_positive_rate
    seen.path(*thinned(*whole), gid="curve", zorder=2.0, **CURVE)
    seen.entry(say("roc.area", area=told), CURVE)
    shares = {"alarms": share(sides.alarms), "found": share(sides.found), **sides.named()}
    at = point(seen, sides.alarms, sides.found, say("roc.point", **shares))
    _chance(seen, say)
    corner(seen, (0.6, 0.12, 0.37, 0.37), whole, at, say("corner"), left=True)
    return [say("roc.says", area=told, **head), say("roc.says.point", **shares)]


def _chance(seen: Canvas, say: Say) -> None:
    seen.entry(say("chance"), PLAIN)
    seen.path([0.0, 1.0], [0.0, 1.0], gid="chance", zorder=1.0, **PLAIN)


def _roc(ways: OperatingPoints) -> tuple[Floats, Floats]:
    return thinned(ways.false_positive_rate, ways.true_positive_rate)


def precision_recall_curve(
    said: Judgements,
    *,
    positive: Any = None,
    threshold: float = 0.5,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    """What share of the calls is right against what share of the positive class is found, as a figure.

    Between two thresholds precision follows the mixtures of both, a bent line (Davis & Goadrich, ICML 2006), and so
    does the area below. The dotted line is the share of the positive class among the examples, which is what calling
    everything so gets right: unlike the ROC the curve depends on it. See `roc_curve` for the rest.

    >>> import numpy as np
    >>> p = np.array([0.1, 0.6, 0.7, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - p, p]).T)
    >>> print(precision_recall_curve(said).get_label().replace("; ", ";\\n"))
    precision and recall: spam against ham, 4 examples;
    area 1.0000, against 50.0 % by calling everything so;
    at threshold 0.5, 100 % of spam are found, and 66.7 % of what is called so is right.
    """
    need_matplotlib("precision_recall_curve")
    say = speaking(language)
    named = say("pr") if title is None else title
    if many(said, positive):
        seen = Canvas.framed(say("pr.x.each"), say("pr.y.each"), [named, *map(str, said.classes)])
        unit_square(seen)
        ways = [operating_points(said, c) for c in said.classes]
        areas = [way.precision_recall_area for way in ways]
        notes = each(seen, ways, _precision_recall, areas, say)
        head = say("each.says", title=named or say("pr"), n=examples(len(said), say), areas=areas_in_words(said, areas))
        told = [head, *notes]
    else:
        sides = Sides.of(said, positive, threshold, language)
        seen = Canvas.framed(say("pr.x", **sides.named()), say("pr.y", **sides.named()), [named])
        unit_square(seen)
        notes, told = [], _one_precision_recall(seen, said, sides, say, named)
    seen.finish(named, "; ".join(told) + ".", notes)
    return seen.figure


def _one_precision_recall(seen: Canvas, said: Judgements, sides: Sides, say: Say, named: str) -> list[str]:
    """The curve, its area, the base rate, and the threshold that is chosen."""
    base = sides.ways.positives / len(said)
    area = sides.ways.precision_recall_area
    head = {"title": named or say("pr"), "n": examples(len(said), say), "share": percent(base), **sides.named()}
    if area is None:
        nothing(seen, say("none", **sides.named()))
        return [say("pr.says", area="–", **head), say("none", **sides.named())]
    whole = sides.ways.precision_recall()
    seen.path(*thinned(*whole), gid="curve", zorder=2.0, **CURVE)
    seen.entry(say("pr.area", area=nearly_one(area)), CURVE)
    shares = {"found": share(sides.found), "precision": share(sides.right), **sides.named()}
    at = point(seen, sides.found, sides.right, say("pr.point", **shares))
    seen.path([0.0, 1.0], [base, base], gid="base", zorder=1.0, **PLAIN)
    seen.entry(say("pr.base", share=percent(base), positive=sides.positive), PLAIN)
    low = 0.12 if base >= 0.45 else base + 0.14
    box = (0.14, low, 0.37, 0.37 if base < 0.45 else base - 0.2)
    corner(seen, box, whole, at, say("corner"), left=False)
    return [say("pr.says", area=nearly_one(area), **head), say("pr.says.point", **shares)]


def _precision_recall(ways: OperatingPoints) -> tuple[Floats, Floats]:
    return thinned(*ways.precision_recall())


__all__ = ["precision_recall_curve", "roc_curve"]
