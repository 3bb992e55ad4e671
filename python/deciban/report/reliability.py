"""The reliability diagram as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..conventions import percent
from ..evaluation.judgements import Judgements
from ..evaluation.reliability import Reliability, reliability
from .canvas import Canvas, colour
from .figure_words import Say, speaking
from .judged import PLAIN, clip_name, examples, unit_square
from .palette import PAPER
from .vector import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TOLD = 3  # bins
_BAR: dict[str, Any] = {"color": colour(0), "linewidth": 1.1, "linestyle": "solid"}
_MARK: dict[str, Any] = {"color": colour(0), "marker": "o", "markersize": 4.5, "linestyle": "none"}
_MARK |= {"markeredgecolor": PAPER, "markeredgewidth": 0.4}


def reliability_diagram(
    said: Judgements,
    *,
    bins: int | None = None,
    positive: object = None,
    seed: int = 0,
    title: str | None = None,
    language: str = "en",
) -> Figure:
    r"""Draw the reliability diagram: the observed frequency by the predicted probability, in bins of equal mass.

    On the dotted line probabilities are calibrated; below it they are overconfident. Each bin stands at its mean
    probability, with the exact 95 % interval of its share. The calibration error is the mean distance from the line,
    with its interval and its value for calibrated probabilities by chance. DeGroot & Fienberg, The Statistician 32
    (1983); intervals: Bröcker & Smith, Weather and Forecasting 22 (2007).

    Parameters
    ----------
    said : Judgements
        Labels and predicted log probabilities of held-out examples.
    bins : int, optional
        Number of bins. By default it depends on the number of examples.
    positive : label, optional
        The positive class. By default the second of two; of more the diagram is about the predicted class.
    seed : int, default=0
        Seed of the bootstrap.
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
    >>> import numpy as np
    >>> p = np.array([0.1] * 40 + [0.7] * 60)
    >>> said = Judgements(("ham", "spam"), np.array([0] * 36 + [1] * 4 + [0] * 12 + [1] * 48), np.log([1.0 - p, p]).T)
    >>> print(reliability_diagram(said).get_label().replace("; ", ";\n"))
    reliability: the probability of spam, 100 examples, in each bin 40 to 60;
    calibration error 6.00 % (95 % interval 0 % to 13.1 %), of exact probabilities by chance 4.30 %;
    log loss 0.4457 nats (95 % interval 0.3603 to 0.5681);
    largest deviations: predicted 70.0 % but observed 80.0 %, predicted 10.0 % but observed 10.0 %.
    """
    need_matplotlib("reliability_diagram")
    say = speaking(language)
    found = reliability(said, bins, positive=positive, seed=seed)
    named = say("reliability") if title is None else title
    which = "" if found.positive is not None else ".each"
    of = {"positive": "" if found.positive is None else clip_name(found.positive)}
    seen = Canvas.make_framed(say(f"reliability.x{which}", **of), say(f"reliability.y{which}", **of), [named])
    unit_square(seen)
    seen.path([0.0, 1.0], [0.0, 1.0], gid="exact", zorder=1.0, **PLAIN)
    for b, (x, ends) in enumerate(zip(found.predicted, found.intervals, strict=True)):
        seen.path([x, x], ends, gid=f"interval-{b}", zorder=2.0, **_BAR)
    seen.path(found.predicted, found.observed, gid="bins", zorder=3.0, clip_on=False, **_MARK)
    low, high = int(found.counts.min()), int(found.counts.max())
    count = f"{low:,}" if low == high else say("between", low=f"{low:,}", high=f"{high:,}")
    error, interval = percent(found.error), say("between", **_ends(found))
    seen.label(say("reliability.bins", count=count), found.predicted, found.observed)
    seen.label(say("reliability.exact"), [0.0, 1.0], [0.0, 1.0])
    notes = [say("reliability.error", error=error, interval=interval)]
    notes.append(say("reliability.chance", chance=percent(found.chance)))
    head = {"title": named or say("reliability"), "n": examples(len(said), say), "count": count}
    seen.finish(named, _says(found, head, of, say), notes)
    return seen.figure


def _ends(found: Reliability) -> dict[str, str]:
    return dict(zip(("low", "high"), map(percent, found.error_interval), strict=True))


def _says(found: Reliability, head: dict[str, str], of: dict[str, str], say: Say) -> str:
    """Describe the diagram."""
    loss = ""
    if found.log_loss_interval is not None:
        low, high = (f"{end:.4f}" for end in found.log_loss_interval)
        loss = f" ({say('interval', low=low, high=high)})"
    what = say("reliability.confidence" if found.positive is None else "reliability.positive", **of)
    told = say(
        "reliability.says",
        **head,
        what=what,
        error=percent(found.error),
        interval=say("between", **_ends(found)),
        chance=percent(found.chance),
        loss=f"{found.log_loss:.4f}",
        loss_interval=loss,
    )
    off = found.counts * abs(found.observed - found.predicted)
    pairs = [(float(found.predicted[b]), float(found.observed[b])) for b in off.argsort(kind="stable")[::-1][:_TOLD]]
    bins = ", ".join(say("reliability.bin", said=percent(p), seen=percent(q)) for p, q in pairs)
    return f"{told}; {say('reliability.farthest', bins=bins)}."
