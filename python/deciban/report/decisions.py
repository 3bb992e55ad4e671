"""Thresholds between two classes, for the terminal: by false-positive rates, or by costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from rich.text import Text

from ..conventions import percent
from ..errors import DataError, UsageError
from ..evaluation.costs import Costs, CostThreshold, Paid
from ..evaluation.judgements import Integers, Judgements
from ..evaluation.thresholds import CONFIDENCE, RateThreshold, cheapest, negatives_needed, rate_threshold, too_few
from .terminal import Screen, format_signed, grid, name

__all__ = ["CONFIDENCE", "Classify", "Prices", "Rates", "prices", "rates"]

SHOWN = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


@dataclass(frozen=True)
class Classify:
    """The command line that acts on a threshold."""

    filter_file: str
    more: str

    def __call__(self, *decibans: float) -> str:
        return (
            f"deciban classify {self.filter_file} FILE --threshold {','.join(map(format_option, decibans))}{self.more}"
        )


def format_option(decibans: float) -> str:
    """Format decibans as --threshold takes them.

    >>> format_option(6.42), format_option(inf), format_option(-inf)
    ('6.42dB', '1', '0')
    """
    return f"{decibans:.12g}dB" if -inf < decibans < inf else "1" if decibans > 0.0 else "0"


@dataclass(frozen=True)
class Rates:
    """Thresholds by false-positive rates: `found`, one for each rate, or None where there are too few negatives."""

    positive: str
    negative: str
    negatives: int
    positives: int
    confidence: float | None
    found: dict[float, RateThreshold | None]

    @property
    def chosen(self) -> RateThreshold:
        """The one of the lowest rate that they can hold."""
        return [each for each in self.found.values() if each is not None][-1]

    def to_json(self, classify: Classify) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        rates = []
        for rate, each in self.found.items():
            needed = negatives_needed(rate, self.confidence)
            told = {"rate": rate} if each is None else each.to_json()
            command = None if each is None else classify(each.decibans)
            rates.append({**told, "negatives_needed": needed, "held": each is not None, "command": command})
        return {
            "positive": self.positive,
            "negative": self.negative,
            "negatives": self.negatives,
            "positives": self.positives,
            "confidence": self.confidence,
            "rates": rates,
        }

    def lines(self, classify: Classify, on: Screen) -> Iterator[Text]:
        """Return the lines for the terminal."""
        wrong = f"{name(self.negative)} called {name(self.positive)}"
        rows: list[tuple[str, ...]] = [(wrong, "threshold", "bound", "here", f"{name(self.positive)} found", "")]
        rows += [self._row(rate, each, on) for rate, each in self.found.items()]
        for number, line in enumerate(grid(rows, "lrrrrl")):
            yield Text(line, style="dim" if number == 0 else "")
        yield Text()
        many = f"{self.negatives:,} {name(self.negative)} and {self.positives:,} {name(self.positive)}"
        if self.confidence is None:
            sure = "Each rate is held on average over such sets of examples"
        else:
            sure = f"Each bound holds with a confidence of {percent(self.confidence)}"
        yield Text(f"{sure}, for what is like these {many}.", style="dim")
        if len(self.found) == 1:
            total, n = self.chosen.negatives_for_one_more, name(self.negative)
            more = f"With {total - self.negatives:,} {n} more, {total:,} in all, "
            yield Text(
                f"{more}{self.chosen.allowed + 1:,} may be above the threshold, which is then lower.", style="dim"
            )
        yield Text()
        yield Text(classify(self.chosen.decibans))

    def _row(self, rate: float, each: RateThreshold | None, on: Screen) -> tuple[str, ...]:
        asked = f"at most {percent(rate)}"
        if each is None:
            needed = negatives_needed(rate, self.confidence)
            missing = f"needs {needed:,} {name(self.negative)}: {needed - self.negatives:,} more"
            return asked, on.pick("–", "-"), "", "", "", missing
        here = f"{each.above:,} of {each.negatives:,}"
        if each.recall is None:
            return asked, f"{format_signed(each.decibans, on, 2)} dB", percent(each.bound), here, on.pick("–", "-"), ""
        low, high = each.recall_interval
        between = f"({percent(low).removesuffix(' %')} to {percent(high)})"
        return (
            asked,
            f"{format_signed(each.decibans, on, 2)} dB",
            percent(each.bound),
            here,
            percent(each.recall),
            between,
        )


def rates(said: Judgements, place: int, rate: float | None, confidence: float | None) -> Rates:
    """Return the threshold for the rate, or for several; DataError where there are too few negatives for any."""
    positive, negative = said.classes[place], said.classes[1 - place]
    n = int((said.y != place).sum())
    found: dict[float, RateThreshold | None] = {}
    for each in SHOWN if rate is None else (rate,):
        held = n >= negatives_needed(each, confidence) or rate is not None
        found[each] = rate_threshold(said, each, confidence, positive) if held else None
    if not any(found.values()):
        raise DataError(too_few(n, SHOWN[0], confidence, positive))
    return Rates(positive, negative, n, len(said) - n, confidence, found)


@dataclass(frozen=True)
class Prices:
    """Costs of predicting the most probable class, of the best answers by the costs, and of the best threshold here."""

    costs: Costs
    positive: str
    negative: str
    found: dict[str, tuple[CostThreshold, Paid, tuple[int, int]]]
    never_unsure: bool

    def to_json(self, classify: Classify) -> dict[str, Any]:
        """Return keys that scripts rely on."""
        return {
            "positive": self.positive,
            "negative": self.negative,
            **self.costs.to_json(),
            "answers": {
                answer.replace(" ", "_"): {
                    **threshold.to_json(),
                    **paid.to_json(),
                    "false_positives": wrong[0],
                    "false_negatives": wrong[1],
                    "command": classify(*_round_ends(threshold)),
                }
                for answer, (threshold, paid, wrong) in self.found.items()
            },
        }

    def lines(self, classify: Classify, on: Screen) -> Iterator[Text]:
        """Return the lines for the terminal."""
        n, p = name(self.negative), name(self.positive)
        rows: list[tuple[str, ...]] = [("", "threshold", "mean cost", f"{n} called {p}", f"{p} called {n}", "unsure")]
        for answer, (threshold, paid, wrong) in self.found.items():
            cost = f"{paid.mean:.4g} {on.pick('±', '+-')} {paid.standard_error:.2g}"
            counts = (f"{many:,}" for many in (*wrong, paid.undecided))
            rows.append((answer, _turns(threshold, on), cost, *counts))
        for number, line in enumerate(grid(rows, "lrrrrr")):
            yield Text(line, style="dim" if number == 0 else "")
        yield Text()
        yield Text("By the costs is best where probabilities can be believed;", style="dim")
        yield Text("cheapest here was found on these examples, which flatters it.", style="dim")
        if self.never_unsure:
            yield Text("To be unsure saves nothing at this price: nothing is.", style="dim")
        yield Text()
        width = 0
        told = []
        for answer, (threshold, _, _) in list(self.found.items())[1:]:
            told.append((classify(*_round_ends(threshold)), answer))
            width = max(width, len(told[-1][0]))
        for command, answer in told:
            yield Text(f"{command:{width}}    # {answer}")


def prices(said: Judgements, place: int, words: Sequence[str], unsure: float | None) -> Prices:
    """Return the costs of answers; UsageError for costs that make no sense, DataError where a class has no example."""
    positive, negative = said.classes[place], said.classes[1 - place]
    for c, label in enumerate(said.classes):
        if not (said.y == c).any():
            raise DataError(
                f"Expected examples of both classes, to tell what mistakes cost; there is no {name(label)}."
            )
    try:
        costs = Costs.parse(words, said.classes, unsure)
        own, best = costs.threshold(positive), cheapest(said, costs, positive)
    except ValueError as error:
        raise UsageError(f"Expected costs as in --cost {negative}:{positive}=100; {error}.") from None
    probable = CostThreshold(said.classes, positive, 0.0)
    found = {}
    for answer, threshold in (("most probable class", probable), ("by the costs", own), ("cheapest here", best)):
        answers = threshold.answers(said.log_p)
        found[answer] = (threshold, costs.paid(said, answers), _wrong(said, answers, place))
    return Prices(costs, positive, negative, found, costs.unsure is not None and own.unsure is None)


def _wrong(said: Judgements, answers: Integers, place: int) -> tuple[int, int]:
    """Return the number of false positives and of false negatives."""
    wrong = (answers != said.y) & (answers >= 0)
    return int((wrong & (answers == place)).sum()), int((wrong & (answers != place)).sum())


def _round_ends(threshold: CostThreshold) -> tuple[float, ...]:
    """Return the threshold, or the ends of unsure, rounded to what costs can tell."""
    return tuple(round(end, 2) for end in threshold.unsure) if threshold.unsure else (threshold.decibans,)


def _turns(threshold: CostThreshold, on: Screen) -> str:
    if threshold.unsure is not None:
        return " to ".join(format_signed(end, on, 2) for end in threshold.unsure) + " dB"
    return f"{format_signed(threshold.decibans, on, 2)} dB"
