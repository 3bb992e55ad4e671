"""Curves of operating points: ROC, precision and recall, and costs over all weights of the two errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..conventions import percent
from ..evaluation.judgements import Judgements
from ..evaluation.reliability import side_of
from ..evaluation.roc import OperatingPoints, operating_points, roc
from ..losses import Floats
from .canvas import Canvas
from .figure_words import Say, speaking
from .judged import (
    CURVE,
    OTHER,
    PLAIN,
    POINT,
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
    thin,
    unit_square,
)
from .vector import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def roc_curve(
    said: Judgements,
    *,
    positive: object = None,
    threshold: float = 0.5,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    r"""Draw the ROC curve: the true-positive rate by the false-positive rate.

    Every threshold is a point of the curve; a straight line stands for tossing a coin between its ends. The threshold
    in use is marked, with exact 95 % intervals of both rates. The area is the probability that a positive example has
    higher odds than another one, with its interval by the bootstrap. At most 500 points of a curve are drawn, as near
    to all as can be seen. Fawcett, An introduction to ROC analysis, Pattern Recognition Letters 27 (2006).

    Parameters
    ----------
    said : Judgements
        Labels and predicted log probabilities of held-out examples.
    positive : label, optional
        The positive class. By default the second of two; of more there is a curve for each class against the rest, for
        the eight of the smallest area if there are more.
    threshold : float, default=0.5
        Probability above which `positive` is predicted.
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
    ValueError
        If `positive` is no class, `threshold` no probability, or the language unknown.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([0.1, 0.6, 0.7, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - p, p]).T)
    >>> print(roc_curve(said).get_label().replace("; ", ";\n"))
    ROC: spam against ham, 4 examples;
    area 1.0000;
    at threshold 0.5, 50.0 % of ham and 100 % of spam are classified as spam.
    """
    need_matplotlib("roc_curve")
    say = speaking(language)
    named = say("roc") if title is None else title
    if many(said, positive):
        seen = Canvas.make_framed(say("roc.x.each"), say("roc.y.each"), [named, *map(str, said.classes)])
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
        seen = Canvas.make_framed(say("roc.x", **sides.named()), say("roc.y", **sides.named()), [named])
        notes, told = [], _one_roc(seen, said, sides, say, named)
    seen.finish(named, "; ".join(told) + ".", notes)
    return seen.figure


def _one_roc(seen: Canvas, said: Judgements, sides: Sides, say: Say, named: str) -> list[str]:
    """Draw the curve, its area with an interval, and the threshold in use."""
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
    seen.path(*thin(*whole), gid="curve", zorder=2.0, **CURVE)
    seen.label(say("roc.area", area=told), *whole)
    shares = {"alarms": share(sides.alarms), "found": share(sides.found), **sides.named()}
    at = point(seen, sides.alarms, sides.found, say("roc.point", **shares))
    _chance(seen, say)
    corner(seen, (0.6, 0.12, 0.37, 0.37), whole, at, say("corner"), left=True)
    return [say("roc.says", area=told, **head), say("roc.says.point", **shares)]


def _chance(seen: Canvas, say: Say) -> None:
    seen.label(say("chance"), [0.0, 1.0], [0.0, 1.0])
    seen.path([0.0, 1.0], [0.0, 1.0], gid="chance", zorder=1.0, **PLAIN)


def _roc(ways: OperatingPoints) -> tuple[Floats, Floats]:
    return thin(ways.false_positive_rate, ways.true_positive_rate)


def precision_recall_curve(
    said: Judgements,
    *,
    positive: object = None,
    threshold: float = 0.5,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    r"""Draw the precision–recall curve.

    Between two thresholds precision follows the mixtures of both, a bent line (Davis & Goadrich, ICML 2006), and so
    does the area below. The dotted line is the share of the positive class among the examples, the precision of calling
    everything positive: unlike the ROC the curve depends on it.

    Parameters
    ----------
    said : Judgements
        Labels and predicted log probabilities of held-out examples.
    positive : label, optional
        The positive class. By default the second of two; of more there is a curve for each class against the rest.
    threshold : float, default=0.5
        Probability above which `positive` is predicted.
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
    ValueError
        If `positive` is no class, `threshold` no probability, or the language unknown.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([0.1, 0.6, 0.7, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - p, p]).T)
    >>> print(precision_recall_curve(said).get_label().replace("; ", ";\n"))
    precision and recall: spam against ham, 4 examples;
    area 1.0000, of a constant classifier 50.0 %;
    at threshold 0.5, recall is 100 % and precision 66.7 %.
    """
    need_matplotlib("precision_recall_curve")
    say = speaking(language)
    named = say("pr") if title is None else title
    if many(said, positive):
        seen = Canvas.make_framed(say("pr.x.each"), say("pr.y.each"), [named, *map(str, said.classes)])
        unit_square(seen)
        ways = [operating_points(said, c) for c in said.classes]
        areas = [way.precision_recall_area for way in ways]
        notes = each(seen, ways, _precision_recall, areas, say)
        head = say("each.says", title=named or say("pr"), n=examples(len(said), say), areas=areas_in_words(said, areas))
        told = [head, *notes]
    else:
        sides = Sides.of(said, positive, threshold, language)
        seen = Canvas.make_framed(say("pr.x", **sides.named()), say("pr.y", **sides.named()), [named])
        unit_square(seen)
        notes, told = [], _one_precision_recall(seen, said, sides, say, named)
    seen.finish(named, "; ".join(told) + ".", notes)
    return seen.figure


def _one_precision_recall(seen: Canvas, said: Judgements, sides: Sides, say: Say, named: str) -> list[str]:
    """Draw the curve, its area, the base rate, and the threshold in use."""
    base = sides.ways.positives / len(said)
    area = sides.ways.precision_recall_area
    head = {"title": named or say("pr"), "n": examples(len(said), say), "share": percent(base), **sides.named()}
    if area is None:
        nothing(seen, say("none", **sides.named()))
        return [say("pr.says", area="–", **head), say("none", **sides.named())]
    whole = sides.ways.precision_recall()
    seen.path(*thin(*whole), gid="curve", zorder=2.0, **CURVE)
    seen.label(say("pr.area", area=nearly_one(area)), *whole)
    shares = {"found": share(sides.found), "precision": share(sides.right), **sides.named()}
    at = point(seen, sides.found, sides.right, say("pr.point", **shares))
    seen.path([0.0, 1.0], [base, base], gid="base", zorder=1.0, **PLAIN)
    seen.label(say("pr.base", share=percent(base), positive=sides.positive), [0.0, 1.0], [base, base])
    low = 0.12 if base >= 0.45 else base + 0.14
    box = (0.12, low, 0.3, 0.35 if base < 0.45 else base - 0.2)
    corner(seen, box, whole, at, say("corner"), left=False)
    return [say("pr.says", area=nearly_one(area), **head), say("pr.says.point", **shares)]


def _precision_recall(ways: OperatingPoints) -> tuple[Floats, Floats]:
    return thin(*ways.precision_recall())


__all__ = ["precision_recall_curve", "roc_curve"]


def cost_curve(
    said: Judgements,
    costs: Any = None,
    *,
    positive: object = None,
    threshold: float | None = None,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    r"""Draw the cost of decisions over all weights of the two types of error.

        cost(x) = (1 − x)·(false-positive rate) + x·(false-negative rate),    x = p₊c₋ / (p₊c₋ + p₋c₊)

    x weighs the positive that are missed, by their share p₊ and their cost c₋, against the others; a cost of 1 is that
    of being always wrong. Each threshold is a straight line. The curve is the lowest of all, chosen by these examples;
    dashed is the threshold in use, dotted the cost of one answer for everything. The mark stands where the classes are
    as frequent as here and cost as `costs` says. Drummond & Holte, Machine Learning 65 (2006).

    Parameters
    ----------
    said : Judgements
        Labels and predicted log probabilities of held-out examples.
    costs : tuple of (float, float), array-like of shape (2, 2), or Costs, optional
        Costs of a false alarm and of a miss, (c₊, c₋), by default 1 each; or the matrix of the costs of a prediction
        (column) for a class (row).
    positive : label, optional
        The positive class. By default the second of two; of more it must be named.
    threshold : float, optional
        Probability above which `positive` is predicted. By default the one of the costs, c₊/(c₊ + c₋) (Elkan, IJCAI
        2001).
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
    ValueError
        If neither prediction is better than the other by the costs, or a parameter is out of its range.
    ImportError
        Without Matplotlib (`pip install 'deciban[report]'`).

    Examples
    --------
    >>> p = np.array([0.1, 0.6, 0.7, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - p, p]).T)
    >>> print(cost_curve(said, (3.0, 1.0)).get_label().replace("; ", ";\n"))
    cost: spam against ham, 4 examples;
    a missed spam counts 1, a false alarm 3;
    at threshold 0.75 the cost is 12.5 % of the worst;
    the best threshold would cost 0 %, a constant classifier 25.0 %.
    """
    need_matplotlib("cost_curve")
    say = speaking(language)
    alarm, miss = weights(said, costs, positive)
    sides = Sides.of(said, positive, alarm / (alarm + miss) if threshold is None else threshold, language)
    named = say("cost") if title is None else title
    seen = Canvas.make_framed(say("cost.x", **sides.named()), say("cost.y"), [named])
    seen.axes.set_xlim(-0.02, 1.02)
    head = {"title": named or say("cost"), "n": examples(len(said), say), "miss": f"{miss:g}", "alarm": f"{alarm:g}"}
    told = [say("cost.says", **head, **sides.named())]
    if sides.ways.one_sided:
        nothing(seen, say("one-sided"))
        told.append(say("one-sided"))
    else:
        told.append(_lines(seen, sides, alarm, miss, say))
    seen.finish(named, "; ".join(told) + ".")
    return seen.figure


def _lines(seen: Canvas, sides: Sides, alarm: float, miss: float, say: Say) -> str:
    """Draw the envelope, the threshold in use, the two constant predictions and the costs, and describe them."""
    ways = sides.ways
    x, best = ways.lower_envelope()
    at = ways.positives * miss / (ways.positives * miss + ways.negatives * alarm)
    cost, least, ends = float(ways.cost(sides.way, at)), float(np.interp(at, x, best)), np.array([0.0, 1.0])
    chosen = ways.cost(sides.way, ends)
    top = min(1.0, max(1.6 * cost, 2.0 * float(best.max()), 0.02))
    seen.axes.set_ylim(-0.02 * top, 1.02 * top)
    seen.axes.yaxis.set_major_formatter(lambda value, _: f"{round(100.0 * value, 6):g} %")
    seen.path(x, best, gid="envelope", zorder=2.0, **CURVE)
    seen.path(ends, chosen, gid="threshold", zorder=1.5, **OTHER)
    for number, line in enumerate((ends, 1.0 - ends)):
        seen.path(ends, line, gid=f"trivial-{number}", zorder=1.0, **PLAIN)
    seen.path([at], [cost], gid="chosen", zorder=3.0, **POINT)
    seen.label(say("cost.best"), x, best)
    seen.label(sides.threshold, ends, chosen)
    seen.label(say("cost.point", cost=percent(cost)), [at], [cost])
    shown = np.array([0.0, top])  # the part of the line below the top of the axes
    seen.label(say("cost.trivial"), shown, shown)
    trivial = percent(min(at, 1.0 - at))
    return say("cost.says.point", **sides.named(), cost=percent(cost), best=percent(least), trivial=trivial)


def weights(said: Judgements, costs: Any, positive: object = None) -> tuple[float, float]:
    """Return the excess costs of a false alarm and of a miss; ValueError for what are no such costs."""
    given = np.asarray([1.0, 1.0] if costs is None else getattr(costs, "matrix", costs), dtype=np.float64)
    side = side_of(said, positive)
    if given.shape == (2, 2) and len(said.classes) == 2:
        given = np.array([given[1 - side, side] - given[1 - side, 1 - side], given[side, 1 - side] - given[side, side]])
    if given.shape != (2,) or not (np.isfinite(given) & (given > 0.0)).all():
        raise ValueError(
            "costs must be those of a false alarm and of a miss, both above 0, or of two classes a (2, 2) matrix whose "
            f"diagonal is the least of each row; got {np.asarray(getattr(costs, 'matrix', costs)).tolist()}"
        )
    return float(given[0]), float(given[1])
