"""Evaluation of a model on held-out examples, section by section; errors and costs by threshold, with a slider."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..certificates.intervals import Rate
from ..conventions import DECIBANS_PER_NAT, percent
from ..evaluation.costs import Costs
from ..evaluation.evaluation import Evaluation, evaluate
from ..evaluation.judgements import Judgements
from ..evaluation.thresholds import cheapest, choose_between
from ..report.terminal import name
from ..verdict import decibans_of, probability_of
from .blocks import Facts, Figure, Opened, Paragraph, Section, Slider, Stop, Table, figure
from .evaluated import baseline, classes, format_interval, format_rate, orders, sides
from .explained import Shown, examples
from .words import Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


_MOST_STOPS = 2_000  # of the slider: of more scores those that no cost prefers are thinned out
_ROWS = (-30.0, -20.0, -10.0, 0.0, 10.0, 20.0, 30.0)
_PRICES = (1.0, 10.0, 100.0)


def costs(said: Judgements, found: Evaluation, words: Words) -> Iterator[Section]:
    """Return the cost curve, the slider, and the table; of two classes both of which occur."""
    if found.positive is None or found.false_positives is None or found.false_negatives is None:
        return
    from ..report import cost_curve

    positive = found.classes.index(found.positive)
    threshold = 0.5 if found.threshold is None else found.threshold
    drawn = cost_curve(said, positive=found.positive, threshold=threshold, title="", language=words.figures)
    used = decibans_of(threshold) if found.decibans is None else found.decibans
    stops, chosen = _in_use(stops_of(said, positive), used, found.false_positives.errors, found.false_negatives.errors)
    other = found.classes[1 - positive]
    about = {"positive": name(found.positive), "other": name(other)}
    labels = {key: words(f"costs.{key}", **about) for key in ("threshold", "price", "cheapest")}
    spoken = {key: words.raw(f"costs.{key}") for key in ("told", "place")}
    matrices = (Costs.of(said.classes, {(other, found.positive): price}) for price in _PRICES)
    best = [cheapest(said, each, found.positive).decibans for each in matrices]
    yield Section(
        "costs",
        words("costs"),
        [
            Paragraph(words("costs.how", threshold=f"{threshold:g}", **about)),
            figure(drawn, "costs"),
            Slider(stops, chosen, spoken, labels),
            _table(said, positive, stops[chosen], best, about, words),
        ],
    )


def stops_of(said: Judgements, positive: int) -> list[Stop]:
    """Return a threshold on the log-odds of `positive` between each two of the scores, in decibans, and beyond the last
    of them: whatever one asks for has the same errors as one of these.

    Each is the one that `deciban threshold` would name if it cost least.
    """
    odds = said.log_odds(positive) * DECIBANS_PER_NAT
    yes, no = np.sort(odds[said.y == positive]), np.sort(odds[said.y != positive])
    edges = np.unique(odds)
    low, high = np.concatenate([[-inf], edges]), np.concatenate([edges, [inf]])
    missed, cleared = (np.concatenate([[0], np.searchsorted(side, edges, "right")]) for side in (yes, no))
    chosen = _thin(np.column_stack([len(no) - cleared, missed]).astype(np.float64))
    chosen = chosen[high[chosen] > -inf if positive else low[chosen] < inf]
    return [
        Stop(
            choose_between(float(low[i]), float(high[i]), nan, positive),
            float(low[i]),
            float(high[i]),
            len(no) - int(cleared[i]),
            int(missed[i]),
        )
        for i in chosen
    ]


def _thin(errors: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return which of these pairs of errors (N, 2), which fall and rise, to keep: all or, of very many, those that some
    cost prefers, which stand on the lower hull, and others at even steps."""
    n = len(errors)
    if n <= _MOST_STOPS:
        return np.arange(n)
    hull: list[int] = []
    for i, (x, y) in enumerate(errors.tolist()):
        while len(hull) > 1:
            (a, b), (c, d) = errors[hull[-2]], errors[hull[-1]]
            if (c - a) * (y - b) - (d - b) * (x - a) < 0.0:
                break
            hull.pop()
        hull.append(i)
    return np.union1d(hull, np.linspace(0, n - 1, _MOST_STOPS // 2).astype(np.intp))


def _in_use(stops: list[Stop], used: float, false_positives: int, false_negatives: int) -> tuple[list[Stop], int]:
    """Return the stops and, among them, the threshold in use, which has these errors; and its place."""

    def distance(i: int) -> tuple[bool, float]:
        stop = stops[i]
        same = (stop.false_positives, stop.false_negatives) == (false_positives, false_negatives)
        return not same, max(stop.low - used, used - stop.high, 0.0)

    place = min(range(len(stops)), key=distance)
    around = stops[place]
    if not isfinite(used) or used == around.threshold:
        return stops, place
    rounded = (round(used, digits) for digits in range(2, 12))
    used = next((each for each in rounded if around.low < each < around.high), used)
    place += used > around.threshold
    return [*stops[:place], Stop(used, used, used, false_positives, false_negatives), *stops[place:]], place


def _table(
    said: Judgements, positive: int, used: Stop, best: Sequence[float], about: dict[str, str], words: Words
) -> Table:
    """Return the errors at some thresholds: round ones, that in use, and those of lowest cost."""
    odds = said.log_odds(positive) * DECIBANS_PER_NAT
    round_ones = [at for at in _ROWS if odds.min() < at < odds.max()]
    rows: list[list[Any]] = []
    for at in sorted({used.threshold, *best, *round_ones}):
        called_so = odds > at if positive else odds >= at
        alarms, missed = int(called_so[said.y != positive].sum()), int((~called_so[said.y == positive]).sum())
        mark = ""
        if at == used.threshold:
            alarms, missed, mark = used.false_positives, used.false_negatives, f" · {words('costs.chosen')}"
        told = f"{at:+.12g}".replace("-", "−", 1) if at else "0"
        prices = [f"{price * alarms + missed:,.0f}" for price in _PRICES]
        rows.append([f"{told} dB ({percent(probability_of(at))}){mark}", f"{alarms:,}", f"{missed:,}", *prices])
    called = [
        words("called", true=about[a], called=about[b]) for a, b in (("other", "positive"), ("positive", "other"))
    ]
    head = [words("costs.above"), *called, *(words("costs.at", price=f"{price:g}") for price in _PRICES)]
    return Table(head, rows)


class Size(NamedTuple):
    """Number of errors on `judged` examples of a model trained on `learnt` ones."""

    learnt: int
    wrong: int
    judged: int


@dataclass(frozen=True)
class Measured:
    """The results of an evaluation. `how` says which examples these are; `sizes` is the learning curve, smallest first.

    `fresh` says that it is known that none of them was learnt, `learnt` how many are known to have been; `weighed`
    that `said` are probabilities, else only its predictions count.
    """

    said: Judgements
    found: Evaluation
    how: str
    shown: Sequence[Shown] = ()
    sizes: Sequence[Size] = ()
    fresh: bool = False
    weighed: bool = True
    learnt: int = 0

    @classmethod
    def of(
        cls, said: Judgements, how: str, *, positive: Any = None, threshold: float = 0.5, seed: int = 0, **more: Any
    ) -> Measured:
        """Make it from judgements; `positive` is the positive class, of two classes."""
        labels = [said.classes[c] for c in said.y.tolist()]
        found = evaluate(
            labels,
            np.exp(said.log_p),
            said.classes,
            scores=said.log_p,
            positive=find_positive(said.classes) if positive is None else positive,
            threshold=threshold,
            seed=seed,
        )
        return cls(said, found, how, **more)

    def showing(self, shown: Sequence[Shown]) -> Measured:
        """Return the same with examples to show."""
        return replace(self, shown=tuple(shown))

    def claim(self, words: Words) -> str:
        """Return the result in one sentence."""
        found = self.found
        told = format_interval(found.interval, words)
        key = "claim.fresh" if self.fresh else "claim"
        return words(key, errors=f"{found.errors:,}", n=f"{found.n:,}", error=percent(found.error), interval=told)

    def sections(self, words: Words) -> Iterator[Section]:
        """Return all sections."""
        yield Section("error", words("error"), list(self._error(words)))
        yield from self._draw("confusion", words, self._confusion)
        if self.weighed:
            yield from self._draw("curves", words, self._curves)
            yield from costs(self.said, self.found, words)
            yield from self._draw("reliability", words, self._reliability)
        if len(self.sizes) > 1:
            yield from self._draw("learning", words, self._learning)
        if self.shown:
            yield examples(self.shown, self.fresh, words)

    def _error(self, words: Words) -> Iterator[Any]:
        found = self.found
        yield Paragraph(self.how)
        rows = [(words("error.rate"), format_rate(Rate(found.errors, found.n), words))]
        label, guess = baseline(found)
        rows.append((words("error.guess"), words("error.always", label=name(label), error=percent(guess.rate))))
        rows += sides(found, words)
        if self.weighed:
            rows += orders(found, words)
        yield Facts(rows)
        yield from classes(found, words)

    def _draw(self, key: str, words: Words, draw: Callable[[Words], Iterator[Any]]) -> Iterator[Section]:
        blocks = list(draw(words))
        if blocks:
            yield Section(key, words(key), blocks)

    def _confusion(self, words: Words) -> Iterator[Any]:
        from ..report import confusion_matrix

        yield self._figure(confusion_matrix, "confusion", words, title="")
        yield Paragraph(words("confusion.how"), dim=True)

    def _curves(self, words: Words) -> Iterator[Any]:
        from ..report import precision_recall_curve, roc_curve

        if self.found.roc_area is None:
            yield Paragraph(words("curves.none"))
            return
        yield self._figure(roc_curve, "roc", words)
        yield self._figure(precision_recall_curve, "precision", words)

    def _reliability(self, words: Words) -> Iterator[Any]:
        from ..report import reliability_diagram

        drawn = reliability_diagram(self.said, positive=self.found.positive, title="", language=words.figures)
        yield figure(drawn, "reliability")

    def _learning(self, words: Words) -> Iterator[Any]:
        from ..report import error_curve

        sizes = [size.learnt for size in self.sizes]
        rates = [Rate(size.wrong, size.judged) for size in self.sizes]
        called = words("learning.model")
        drawn = error_curve(
            sizes,
            {called: [rate.rate for rate in rates]},
            {called: [rate.interval for rate in rates]},
            title="",
            language=words.figures,
        )
        yield figure(drawn, "learning")
        head = [words("learning.learnt"), words("error.rate"), "95 %"]
        rows = zip(sizes, rates, strict=True)
        table = [[f"{n:,}", percent(rate.rate), format_interval(rate.interval, words)] for n, rate in rows]
        yield Opened(words("details.table"), [Table(head, table)])

    def _figure(self, draw: Callable[..., Drawn], key: str, words: Words, title: str | None = None) -> Figure:
        """Return a figure of the predictions as the evaluation has them."""
        chosen = {} if self.found.positive is None else {"positive": self.found.positive}
        if self.found.threshold is not None:
            chosen["threshold"] = self.found.threshold
        return figure(draw(self.said, **chosen, title=title, language=words.figures), key)


def find_positive(classes: Sequence[Any]) -> Any:
    """Return the positive class of two: "spam", else the second; None of more."""
    if len(classes) > 2:
        return None
    return next((label for label in classes if label == "spam"), classes[1])
