"""What a threshold costs: errors of both kinds at each, as a table, and to be moved by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..conventions import DECIBANS_PER_NAT
from ..evaluation.evaluation import Evaluation
from ..evaluation.judgements import Judgements
from ..report.terminal import Screen, name, signed
from .blocks import Paragraph, Section, Slider, Stop, Table
from .figures import figure
from .words import Words

_STEPS = 60  # of the slider on each side of even odds
_FARTHEST = 150.0  # decibans: beyond, a probability is 1 as floats are counted
_ROWS = (-30.0, -20.0, -10.0, 0.0, 10.0, 20.0, 30.0)
_PRICES = (1.0, 10.0, 100.0)


def costs(said: Judgements, found: Evaluation, words: Words) -> Iterator[Section]:
    """The cost curve, the slider, and the table; of two classes both of which are there."""
    if found.positive is None or found.false_positives is None or found.false_negatives is None:
        return
    from ..report import cost_curve

    positive = found.classes.index(found.positive)
    threshold = 0.5 if found.threshold is None else found.threshold
    drawn = cost_curve(said, positive=found.positive, threshold=threshold, language=words.language)
    stops = stops_of(said, positive, threshold)
    chosen = next(i for i, stop in enumerate(stops) if float(stop.threshold) == threshold)
    other = found.classes[1 - positive]
    about = {"positive": name(found.positive), "other": name(other)}
    labels = {key: words(f"costs.{key}", **about) for key in ("threshold", "price", "cheapest")}
    spoken = {key: words.raw(f"costs.{key}") for key in ("told", "place")}
    yield Section(
        "costs",
        words("costs"),
        [
            Paragraph(words("costs.how", threshold=f"{threshold:g}", **about)),
            figure(drawn, "costs"),
            Slider(stops, chosen, spoken, labels),
            _table(stops, chosen, about, words),
        ],
    )


def stops_of(said: Judgements, positive: int, threshold: float) -> list[Stop]:
    """Thresholds on p(positive | x) at even steps of decibans, as far as any example lies, and `threshold` itself.

    An example is called positive above the threshold, as `evaluate` has it; the counts are of the threshold as it is
    written, so that whoever types it gets them.
    """
    odds = np.abs(said.log_odds(positive)) * DECIBANS_PER_NAT
    farthest = min(_FARTHEST, max(10.0, float(np.ceil(odds[np.isfinite(odds)].max(initial=10.0)))))
    steps = np.arange(-_STEPS, _STEPS + 1) * (farthest / _STEPS)
    wanted = {_written(each) for each in (*steps.tolist(), *(row for row in _ROWS if abs(row) <= farthest))}
    p = np.exp(said.log_p[:, positive])
    yes, no = np.sort(p[said.y == positive]), np.sort(p[said.y != positive])
    return [_stop(t, yes, no, positive) for t in sorted({*wanted, threshold})]


def _stop(threshold: float, yes: NDArray[np.float64], no: NDArray[np.float64], positive: int) -> Stop:
    """An item exactly at the threshold goes to the class that stands first."""
    side = "right" if positive == 1 else "left"
    missed, cleared = (int(np.searchsorted(each, threshold, side)) for each in (yes, no))  # type: ignore[call-overload]
    with np.errstate(divide="ignore"):
        decibans = float(10.0 * (np.log10(threshold) - np.log10(1.0 - threshold)))
    return Stop(repr(threshold), signed(decibans, Screen()), len(no) - cleared, missed)


def _written(decibans: float) -> float:
    """The probability of these odds with few digits, of what is nearer: 0 or 1."""
    odds = 10.0 ** (-abs(decibans) / 10.0)
    rare = float(f"{odds / (1.0 + odds):.3g}")
    return rare if decibans < 0.0 else 1.0 - rare


def _table(stops: Sequence[Stop], chosen: int, about: dict[str, str], words: Words) -> Table:
    """Some of the stops: round ones, that in use, and those that are cheapest."""
    cheapest = {min(range(len(stops)), key=lambda i: (_cost(stops[i], price), i)) for price in _PRICES}
    round_ones = {repr(_written(row)) for row in _ROWS}
    kept = [i for i, stop in enumerate(stops) if i == chosen or i in cheapest or stop.threshold in round_ones]
    rows: list[list[Any]] = []
    for i in kept:
        stop = stops[i]
        mark = f" · {words('costs.chosen')}" if i == chosen else ""
        errors = [f"{stop.false_positives:,}", f"{stop.false_negatives:,}"]
        prices = [f"{_cost(stop, price):,.0f}" for price in _PRICES]
        rows.append([f"{stop.threshold} ({stop.decibans} dB){mark}", *errors, *prices])
    called = [
        words("called", true=about[a], called=about[b]) for a, b in (("other", "positive"), ("positive", "other"))
    ]
    head = [words("costs.above"), *called, *(words("costs.at", price=f"{price:g}") for price in _PRICES)]
    return Table(head, rows)


def _cost(stop: Stop, price: float) -> float:
    return price * stop.false_positives + stop.false_negatives
