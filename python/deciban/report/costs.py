"""What decisions cost, whatever the classes weigh: the cost curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..evaluation.judgements import Judgements
from ..evaluation.reliability import side_of
from .canvas import Canvas
from .figure_words import Say, speaking
from .judged import CURVE, OTHER, PLAIN, POINT, Sides, examples, nothing
from .terminal import percent
from .vector import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def cost_curve(
    said: Judgements,
    costs: Any = None,
    *,
    positive: Any = None,
    threshold: float | None = None,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    """What decisions are to cost, over all weights that the two sides may have, as a figure.

        cost(x) = (1 − x)·(false-positive rate) + x·(false-negative rate),    x = p₊c₋ / (p₊c₋ + p₋c₊)

    x weighs the positive that are missed, by their share p₊ and what one costs, c₋, against the others; a cost of 1
    is that of being always wrong. Each threshold is a straight line. The curve is the lowest of all, chosen by these
    examples; dashed is the threshold in use, dotted what costs to call everything the same. The mark stands where
    the classes are as frequent as here and cost what `costs` says. Drummond & Holte, Machine Learning 65 (2006).

    Parameters
    ----------
    costs : of a false alarm and of a miss, (c₊, c₋), 1 each unless given; or of two classes the matrix of what a
        verdict (column) costs on a class (row), or an object that has such a `matrix`.
    threshold : the probability above which `positive` is called; unless given the one that the costs ask for,
        c₊/(c₊ + c₋) (Elkan, IJCAI 2001).

    Of more than two classes `positive` must be named. See `roc_curve` for the rest. ValueError, too, for costs by
    which no verdict is better than the other.

    >>> p = np.array([0.1, 0.6, 0.7, 0.8])
    >>> said = Judgements(("ham", "spam"), np.array([0, 0, 1, 1]), np.log([1.0 - p, p]).T)
    >>> print(cost_curve(said, (3.0, 1.0)).get_label().replace("; ", ";\\n"))
    cost: spam against ham, 4 examples;
    a missed spam counts 1, a false alarm 3;
    at threshold 0.75 the cost is 12.5 % of the worst;
    the best threshold would cost 0 %, calling everything the same 25.0 %.
    """
    need_matplotlib("cost_curve")
    say = speaking(language)
    alarm, miss = weights(said, costs, positive)
    sides = Sides.of(said, positive, alarm / (alarm + miss) if threshold is None else threshold, language)
    named = say("cost") if title is None else title
    seen = Canvas.framed(say("cost.x", **sides.named()), say("cost.y"), [named])
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
    """The envelope, the threshold in use, the two verdicts that look at nothing, and where we are; in words."""
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
    seen.entry(say("cost.best"), CURVE)
    seen.entry(sides.threshold, OTHER)
    seen.entry(say("cost.point", cost=percent(cost)), POINT)
    seen.entry(say("cost.trivial"), PLAIN)
    trivial = percent(min(at, 1.0 - at))
    return say("cost.says.point", **sides.named(), cost=percent(cost), best=percent(least), trivial=trivial)


def weights(said: Judgements, costs: Any, positive: Any = None) -> tuple[float, float]:
    """What a false alarm and a miss cost more than the right verdicts; ValueError for what are no such costs."""
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
