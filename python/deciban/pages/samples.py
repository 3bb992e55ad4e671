"""Examples right and wrong, with the evidence for what was said of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evaluation.judgements import Judgements
from ..report.terminal import Screen, name, signed, sureness
from ..scores import Explanation
from ..verdict import TextExplanation
from .blocks import Opened, Paragraph, Section
from .explained import terms_of, text_of
from .words import Words

_WRONG, _UNSURE, _RIGHT, _MOST_RIGHT = 6, 2, 1, 4


@dataclass(frozen=True)
class Shown:
    """An example: where it came from, its label, and why it was judged as it was."""

    source: str
    label: Any
    why: TextExplanation | Explanation


def places(said: Judgements) -> list[int]:
    """Which examples are worth a look: the surest errors, the least sure that are right, and the surest of each class.

    >>> log_p = np.log([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4]])
    >>> places(Judgements((0, 1), np.array([0, 1, 1, 0]), log_p))
    [2, 3, 1, 0]
    """
    top = np.sort(said.log_p, axis=1)
    with np.errstate(invalid="ignore"):
        lead = np.nan_to_num(top[:, -1] - top[:, -2], nan=0.0, posinf=np.inf)
    wrong = np.flatnonzero(said.errors)
    chosen: list[int] = wrong[np.argsort(-lead[wrong], kind="stable")][:_WRONG].tolist()
    right = np.flatnonzero(~said.errors)
    chosen += right[np.argsort(lead[right], kind="stable")][:_UNSURE].tolist()
    counts = np.bincount(said.y, minlength=len(said.classes))
    for c in np.argsort(-counts, kind="stable")[:_MOST_RIGHT].tolist():
        own = right[said.y[right] == c]
        best = own[np.argsort(-lead[own], kind="stable")].tolist()
        chosen += [place for place in best if place not in chosen][:_RIGHT]
    return chosen


def examples(shown: Sequence[Shown], fresh: bool, words: Words) -> Section:
    """Wrong ones first; `fresh` ones are known not to have been learnt."""
    wrong = [each for each in shown if _said(each) != str(each.label)]
    right = [each for each in shown if _said(each) == str(each.label)]
    how = words("samples.how") + (" " + words("samples.fresh") if fresh else "")
    blocks: list[Any] = [Paragraph(how, dim=True)]
    for key, some in (("samples.wrong", wrong), ("samples.right", right)):
        blocks.append(Paragraph(words(key) if some else words(f"{key}.none")))
        blocks += [_one(each, words, shut=number > 0) for number, each in enumerate(some)]
    return Section("samples", words("samples"), blocks)


def _said(each: Shown) -> str:
    why = each.why
    return str(why.verdict.label if isinstance(why, TextExplanation) else why.label)


def _one(each: Shown, words: Words, shut: bool) -> Opened:
    return Opened(f"{name(each.source)} · {_headline(each, words)}", list(_blocks(each.why, words)), shut)


def _headline(each: Shown, words: Words) -> str:
    why = each.why
    if isinstance(why, TextExplanation):
        label, decibans = why.verdict.label, why.verdict.decibans
        p = why.verdict.probability[label]
    else:
        label, decibans, p = why.label, why.decibans, why.probability
    right = str(label) == str(each.label)
    key = "samples.told" if right else "samples.mistaken"
    sure = f"{sureness(p)}, {signed(decibans, Screen())} dB"
    return words(key, label=name(label), true=name(each.label), sure=sure)


def _blocks(why: TextExplanation | Explanation, words: Words) -> Iterator[Any]:
    if isinstance(why, TextExplanation):
        yield text_of(why, words)
    yield terms_of(why, words)
