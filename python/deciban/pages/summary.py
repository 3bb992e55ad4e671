"""The summary at the head of a report: the verdict on the model, three figures with their intervals, what to do next.

Every sentence is about figures of the evaluation or the certificate; nothing is judged that they do not say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..certificates.intervals import Rate
from ..conventions import percent
from ..evaluation.evaluation import Evaluation
from ..evaluation.significance import LEVEL, McNemar, mcnemar
from ..report.judged import nearly_one
from ..report.terminal import name
from .blocks import KeyFigure, NextStep, Summary
from .evaluated import baseline, format_interval, format_p
from .words import Words

if TYPE_CHECKING:
    from ..evaluation.comparison import Comparison
    from .measured import Measured, Size

UNFINISHED = ("exhausted", "out of time", "overflow", "stopped", "interrupted", "stalled", "separable")
"""Statuses of fits that sought an optimum and did not reach it."""

_STEPS = 3
_WIDE = 0.1  # of an interval: ten percentage points
_TONES = {"better": "good", "inconclusive": "open", "poor": "poor", "worse": "poor", "one": "open"}


class Verdict(NamedTuple):
    """A model beside the majority-class baseline on the same examples: a key of `_TONES`, and McNemar's test."""

    key: str
    test: McNemar


def compare_with_baseline(found: Evaluation) -> Verdict:
    """Compare a model with the constant classifier of the most frequent class, by the examples that one of both
    misclassifies.

    A model with as many errors as the baseline is poor; one with fewer is better only if the difference is significant.
    """
    counts, right = found.confusion.sum(axis=1), np.diag(found.confusion)
    most = int(counts.argmax())
    model, guess = int(counts[most] - right[most]), int(right.sum() - right[most])
    test = mcnemar([True] * model + [False] * guess, [False] * model + [True] * guess)
    significant = test.p <= LEVEL
    if np.count_nonzero(counts) < 2:
        return Verdict("one", test)
    if model < guess:
        return Verdict("better" if significant else "inconclusive", test)
    return Verdict("worse" if significant else "poor", test)


def summarise(
    measured: Measured | str,
    proof: Mapping[str, Any],
    leaks: Sequence[str],
    words: Words,
) -> Summary:
    """Return the summary of a model, measured or not, with its certificate and the columns that alone tell the
    label."""
    status = str(proof.get("status", "")).partition(":")[0]
    known = words.known("status", status)
    warning = words("summary.unfinished", status=known) if status in UNFINISHED else ""
    steps = [NextStep(words("next.converge"), "certificate", name(proof.get("advice") or ""))] if warning else []
    checks = [NextStep(words("next.leaks", columns=", ".join(map(name, leaks[:3]))), "learnt")] if leaks else []
    if isinstance(measured, str):
        steps += [NextStep(words("next.measure"), "error"), *checks]
        figures = list(_figures_of_training(proof, words))
        return Summary("open", words("summary.unknown"), "", figures, steps[:_STEPS], warning)
    verdict = compare_with_baseline(measured.found)
    trained = bool(measured.learnt)
    told = words("summary.trained", n=f"{measured.learnt:,}") if trained else _describe(verdict, measured.found, words)
    tone = "open" if trained and _TONES[verdict.key] == "good" else _TONES[verdict.key]
    steps += [*_steps_of_sample(measured, verdict, words), *checks, *_steps_of_errors(measured, verdict, words)]
    steps = steps[:_STEPS] or [NextStep(words("next.nothing"))]
    return Summary(tone, told, measured.claim(words), list(_figures(measured, words)), steps, warning)


def _describe(verdict: Verdict, found: Evaluation, words: Words) -> str:
    """Return the verdict in one sentence."""
    label, rate = baseline(found)
    given = {"label": name(label), "error": percent(rate.rate), "p": format_p(verdict.test.p, "p = ")}
    return words(f"verdict.{verdict.key}", **given)


# --- figures -----------------------------------------------------------------------------------------------


def _figures(measured: Measured, words: Words) -> Iterator[KeyFigure]:
    """Return the error and, of mail, both kinds of error; else ranking, or the lowest recall, and calibration."""
    found = measured.found
    label, guess = baseline(found)
    always = words("figure.baseline", label=name(label), error=percent(guess.rate))
    yield _rate(words("error.rate"), Rate(found.errors, found.n), always, words)
    if words.mail and found.false_positives is not None and found.false_negatives is not None:
        other = next(each for each in found.classes if each != found.positive)
        for key, rate, pair in (
            ("false_positives", found.false_positives, (other, found.positive)),
            ("false_negatives", found.false_negatives, (found.positive, other)),
        ):
            note = words("called", true=name(pair[0]), called=name(pair[1]))
            yield _rate(words(f"error.{key}"), rate, note, words)
        return
    if measured.weighed and found.positive is not None and found.roc_area is not None:
        ends = found.roc.interval
        low_high = (
            "" if ends is None else words("between", low=nearly_one(1.0 - ends[1]), high=nearly_one(1.0 - ends[0]))
        )
        interval = words("figure.interval", interval=low_high) if low_high else words("figure.no_interval")
        yield KeyFigure(words("error.area"), nearly_one(found.roc_area), interval, words("figure.area"))
    else:
        recalls = _recalls(found)
        worst = min(recalls, key=lambda each: recalls[each].rate, default=None)
        if worst is not None:
            yield _rate(words("figure.recall"), recalls[worst], words("figure.of", label=name(worst)), words)
    if measured.weighed:
        interval = words("figure.interval", interval=format_interval(found.calibration_error_interval, words))
        chance = words("figure.chance", chance=percent(found.reliability.chance))
        yield KeyFigure(words("error.calibration"), percent(found.calibration_error), interval, chance)
    else:
        yield _rate(words("error.guess"), guess, words("figure.of", label=name(label)), words)


def _rate(heading: str, rate: Rate, note: str, words: Words) -> KeyFigure:
    interval = words("figure.interval", interval=format_interval(rate.interval, words))
    share = words("share", some=f"{rate.errors:,}", all=f"{rate.n:,}")
    return KeyFigure(heading, percent(rate.rate), interval, f"{share} · {note}")


def _recalls(found: Evaluation) -> dict[Any, Rate]:
    """Return the recall of each class of which there are examples."""
    rows = zip(found.classes, found.confusion, range(len(found.classes)), strict=True)
    return {label: Rate(int(row[c]), int(row.sum())) for label, row, c in rows if row.sum()}


def _figures_of_training(proof: Mapping[str, Any], words: Words) -> Iterator[KeyFigure]:
    """Return what a certificate says where nothing was measured: training examples, their error, the best bound."""
    if proof.get("n") is not None:
        features = words("figure.features", d=f"{proof['d']:,}") if proof.get("d") is not None else ""
        yield KeyFigure(words("learnt.learnt"), f"{proof['n']:,.10g}", "", features)
    if proof.get("training_error") is not None:
        yield KeyFigure(words("proof.training_error"), percent(proof["training_error"]), "", words("figure.optimistic"))
    valid = [each for each in proof.get("bounds") or () if each["applies"] and not each.get("vacuous")]
    valid = [each for each in valid if each.get("value") is not None]
    if valid and not words.mail:
        best = min(valid, key=lambda each: float(each["value"]))
        at_most = words("bound.value", value=percent(best["value"]))
        yield KeyFigure(words("bound"), at_most, "", words.known("bound", str(best["name"])))


# --- what to do next ---------------------------------------------------------------------------------------


def _steps_of_sample(measured: Measured, verdict: Verdict, words: Words) -> Iterator[NextStep]:
    """Return what to do about the examples before their figures can be relied upon."""
    found = measured.found
    low, high = found.interval
    if measured.learnt:
        yield NextStep(words("next.fresh"), "error")
    if verdict.key == "one":
        yield NextStep(words("next.classes"), "error")
    elif verdict.key in ("poor", "worse"):
        yield NextStep(words("next.poor"), "samples" if measured.shown else "error")
    if verdict.key == "inconclusive" or (high - low > _WIDE and verdict.key != "one"):
        points = f"{100 * (high - low):.0f}"
        yield NextStep(words("next.more", n=f"{found.n:,}", points=points), "error")


def _steps_of_errors(measured: Measured, verdict: Verdict, words: Words) -> Iterator[NextStep]:
    """Return what would make the model better."""
    found = measured.found
    if falling := _falling(measured.sizes):
        before, after = falling
        given = {"n": f"{before.learnt:,}", "m": f"{after.learnt:,}"}
        rates = {"before": percent(before.wrong / before.judged), "after": percent(after.wrong / after.judged)}
        yield NextStep(words("next.learn", **given, **rates), "learning")
    if measured.weighed and found.calibration_error_interval[0] > found.reliability.chance:
        yield NextStep(words("next.calibrate", chance=percent(found.reliability.chance)), "reliability")
    wrong = found.confusion - np.diag(np.diag(found.confusion))
    if len(found.classes) > 2 and wrong.any():
        t, c = np.unravel_index(int(wrong.argmax()), wrong.shape)
        pair = words("called", true=name(found.classes[t]), called=name(found.classes[c]))
        share = words("share", some=f"{wrong[t, c]:,}", all=f"{found.confusion[t].sum():,}")
        yield NextStep(words("next.confusion", pair=pair, share=share), "confusion")
    if found.errors and measured.shown:
        yield NextStep(words("next.read"), "samples")
    if found.positive is not None and measured.weighed and verdict.key != "one":
        yield NextStep(words("next.costs"), "costs")


def _falling(sizes: Sequence[Size]) -> tuple[Size, Size] | None:
    """Return the last two points of the learning curve where the error fell by a standard error or more."""
    if len(sizes) < 2:
        return None
    before, after = sizes[-2:]
    p, q = before.wrong / before.judged, after.wrong / after.judged
    return (before, after) if p - q > 0.0 and (p - q) ** 2 >= q * (1.0 - q) / after.judged else None


# --- a comparison ------------------------------------------------------------------------------------------


def summarise_comparison(found: Comparison, claim: str, words: Words) -> Summary:
    """Return the summary of a comparison of models."""
    steps = [NextStep(words("next.complete"), "missing")] if found.ended or found.left_out else []
    if not found.rows:
        return Summary("open", claim, "", [], steps)
    best, others = found[str(found.best)], len(found.rows) - 1
    counts = np.bincount(found.y, minlength=len(found.classes))
    guess = Rate(int(counts.sum() - counts.max()), int(counts.sum()))
    label, alike = name(found.classes[int(counts.argmax())]), len(found.not_distinguishable)
    if best.error >= guess.rate:
        tone, key = "poor", "poor"
    else:
        tone, key = "good", "single" if not others else "alike" if alike else "best"
    verdict = words(
        f"summary.compared.{key}", **({"best": name(best.model)} if key in ("alike", "best") else {}), n=alike
    )
    interval = words("figure.interval", interval=format_interval(best.interval, words))
    figures = [
        KeyFigure(words("figure.smallest"), percent(best.error), interval, name(best.model)),
        _rate(words("error.guess"), guess, words("figure.of", label=label), words),
    ]
    if others:
        figures.append(KeyFigure(words("figure.alike"), f"{alike}", "", words("figure.alike.of", n=others)))
    if key == "poor":
        steps.append(NextStep(words("next.poor"), "models"))
    elif others:
        steps.append(NextStep(_choice(found, words), "differences"))
    if others and found.repeats == 1:
        steps.append(NextStep(words("next.repeats"), "differences"))
    return Summary(tone, verdict, claim, figures, steps)


def _choice(found: Comparison, words: Words) -> str:
    """Return which model to use: the simplest one whose difference from the best is not significant."""
    if found.not_distinguishable:
        return words("next.simplest", model=name(str(found.simplest)))
    return words("next.best", model=name(str(found.best)))
