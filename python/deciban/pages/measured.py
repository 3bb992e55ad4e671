"""How sure: what a model said of examples that it had not learnt, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..certificates.rates import Interval, Rate, clopper_pearson
from ..evaluation.evaluation import Evaluation, evaluate
from ..evaluation.judgements import Judgements
from ..report.terminal import name, percent
from .blocks import Facts, Figure, Paragraph, Section, Table
from .figures import figure
from .samples import Shown, examples
from .thresholds import costs
from .words import Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

_MOST_CLASSES = 60


class Size(NamedTuple):
    """How many of `judged` examples a model judged wrongly that had learnt `learnt`."""

    learnt: int
    wrong: int
    judged: int


@dataclass(frozen=True)
class Measured:
    """What there is to tell. `how` says which examples these are; `sizes` is the learning curve, smallest first.

    `fresh` says that it is known that none of them was learnt, `weighed` that `said` are probabilities; else only its
    verdicts count.
    """

    said: Judgements
    found: Evaluation
    how: str
    shown: Sequence[Shown] = ()
    sizes: Sequence[Size] = ()
    fresh: bool = False
    weighed: bool = True

    @classmethod
    def of(
        cls, said: Judgements, how: str, *, positive: Any = None, threshold: float = 0.5, seed: int = 0, **more: Any
    ) -> Measured:
        """Of judgements; `positive` is what is looked for, of two classes."""
        labels = [said.classes[c] for c in said.y.tolist()]
        found = evaluate(
            labels,
            np.exp(said.log_p),
            said.classes,
            scores=said.log_p,
            positive=sought(said.classes) if positive is None else positive,
            threshold=threshold,
            seed=seed,
        )
        return cls(said, found, how, **more)

    def showing(self, shown: Sequence[Shown]) -> Measured:
        """The same with examples to look at."""
        return replace(self, shown=tuple(shown))

    def claim(self, words: Words) -> str:
        """In one sentence, what it comes down to."""
        found = self.found
        told = between(found.interval, words)
        key = "claim.fresh" if self.fresh else "claim"
        return words(key, errors=f"{found.errors:,}", n=f"{found.n:,}", error=percent(found.error), interval=told)

    def sections(self, words: Words) -> Iterator[Section]:
        """All that can be told."""
        yield Section("error", words("error"), list(self._error(words)))
        yield from self._drawn("confusion", words, self._confusion)
        if self.weighed:
            yield from self._drawn("curves", words, self._curves)
            yield from costs(self.said, self.found, words)
            yield from self._drawn("reliability", words, self._reliability)
        if len(self.sizes) > 1:
            yield from self._drawn("learning", words, self._learning)
        if self.shown:
            yield examples(self.shown, self.fresh, words)

    def _error(self, words: Words) -> Iterator[Any]:
        found = self.found
        yield Paragraph(self.how)
        rows = [(words("error.rate"), told(Rate(found.errors, found.n), words))]
        counts = np.bincount(self.said.y, minlength=len(self.said.classes))
        most = int(counts.argmax())
        guess = Rate(int(counts.sum() - counts[most]), int(counts.sum()))
        rows.append(
            (
                words("error.guess"),
                words("error.always", label=name(self.said.classes[most]), error=percent(guess.rate)),
            )
        )
        if found.positive is not None:
            other = next(label for label in found.classes if label != found.positive)
            for key, rate, pair in (
                ("false_positives", found.false_positives, (other, found.positive)),
                ("false_negatives", found.false_negatives, (found.positive, other)),
            ):
                if rate is not None:
                    called = words("called", true=name(pair[0]), called=name(pair[1]))
                    rows.append((words(f"error.{key}"), f"{told(rate, words)} · {called}"))
        if self.weighed:
            rows += self._orders(words)
        yield Facts(rows)
        yield from self._classes(words)
        if found.unseen:
            labels = ", ".join(f"{name(label)} ({n:,})" for label, n in list(found.unseen.items())[:5])
            yield Paragraph(words("error.unseen", n=f"{sum(found.unseen.values()):,}", labels=labels), dim=True)

    def _orders(self, words: Words) -> Iterator[tuple[str, str]]:
        found = self.found
        if found.roc_area is not None:
            ends = found.roc.interval
            interval = "" if ends is None else _within(f"{1.0 - ends[1]:.4g}", f"{1.0 - ends[0]:.4g}", words)
            yield words("error.area"), f"{found.roc_area:.6g}{interval}"
        loss = found.log_loss_interval
        interval = "" if loss is None else _within(f"{loss[0]:.4f}", f"{loss[1]:.4f}", words)
        guess = f"{log(len(found.classes)):.4f}"
        yield words("error.loss"), words("error.nats", loss=f"{found.log_loss:.4f}", interval=interval, guess=guess)
        error = between(found.calibration_error_interval, words)
        yield words("error.calibration"), f"{percent(found.calibration_error)} (95 %: {error})"

    def _classes(self, words: Words) -> Iterator[Table]:
        """Per class what of its name is right, what of it was found; of very many those with most examples."""
        each = sorted(self.found.per_class, key=lambda report: -report.support)[:_MOST_CLASSES]
        kept = {report.label for report in each}
        rows = [
            [name(report.label), f"{report.support:,}", *(_share(v) for v in (report.recall, report.precision))]
            for report in self.found.per_class
            if report.label in kept
        ]
        yield Table([words("class"), words("examples"), words("recall"), words("precision")], rows)

    def _drawn(self, key: str, words: Words, draw: Callable[[Words], Iterator[Any]]) -> Iterator[Section]:
        blocks = list(draw(words))
        if blocks:
            yield Section(key, words(key), blocks)

    def _confusion(self, words: Words) -> Iterator[Any]:
        from ..report import confusion_matrix

        yield self._figure(confusion_matrix, "confusion", words)
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

        drawn = reliability_diagram(self.said, positive=self.found.positive, language=words.language)
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
            language=words.language,
        )
        yield figure(drawn, "learning")
        head = [words("learning.learnt"), words("error.rate"), "95 %"]
        rows = zip(sizes, rates, strict=True)
        yield Table(head, [[f"{n:,}", percent(rate.rate), between(rate.interval, words)] for n, rate in rows])

    def _figure(self, draw: Callable[..., Drawn], key: str, words: Words) -> Figure:
        """A figure of the verdicts as the evaluation has them."""
        chosen = {} if self.found.positive is None else {"positive": self.found.positive}
        if self.found.threshold is not None:
            chosen["threshold"] = self.found.threshold
        return figure(draw(self.said, **chosen, language=words.language), key)


def sought(classes: Sequence[Any]) -> Any:
    """What is looked for among two classes: "spam", else the second; None among more."""
    if len(classes) > 2:
        return None
    return next((label for label in classes if label == "spam"), classes[1])


def between(interval: Interval, words: Words) -> str:
    """An interval in words."""
    return words("between", low=percent(interval[0]).removesuffix(" %"), high=percent(interval[1]))


def _within(low: str, high: str, words: Words) -> str:
    return f" (95 %: {words('between', low=low, high=high)})"


def told(rate: Rate, words: Words) -> str:
    """A rate with its interval and its counts."""
    share = words("share", some=f"{rate.errors:,}", all=f"{rate.n:,}")
    interval = between(clopper_pearson(rate.errors, rate.n), words)
    return words("rate", rate=percent(rate.rate), interval=interval, share=share)


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)
