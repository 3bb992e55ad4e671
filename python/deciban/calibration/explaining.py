"""Evidence after calibration: what each feature said, in calibrated decibans, and what no feature said."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator

from deciban.conventions import DECIBANS_PER_NAT
from deciban.scores import Explanation, Term
from deciban.verdict import TextExplanation, TextTerm, Verdict

from .calibrator import Calibrator
from .targets import Floats

OF_THE_CURVE = "(calibration)"
"""The name of what a curve adds to the line that features share, or takes away."""
_UNSURE_BELOW = 10.0
_ROUNDING = 1e-9


class Weighed(NamedTuple):
    """Label against another one, places of classes: `decibans` between them, those of the prior, and what each term of
    the model's own explanation is multiplied with; `rest` is what belongs to no feature."""

    label: int
    against: int
    decibans: float
    prior: float
    slope: float
    rest: float


def in_units(model: Any, response: str) -> Any:
    """The model that explains what was calibrated: for margins one to which a unit of the margin is a nat."""
    model = model.estimator if isinstance(model, FrozenEstimator) else model
    if response != "decision_function":
        return model
    shown = copy(model)
    if "calibrated_" in vars(model):
        from deciban.kernel_machines.probabilities import Calibration

        shown.calibration, shown.calibrated_ = 2, Calibration(1.0)
    elif "temperature_" in vars(model):
        shown.calibration, shown.temperature_ = 2, 1.0
    return shown


def explained(
    why: Explanation | TextExplanation, log_p: Floats, classes: list[Any], calibrator: Calibrator
) -> Explanation | TextExplanation:
    """One explanation of the model as the calibrator, which says log_p (C,), has it."""
    if isinstance(why, TextExplanation):
        verdict = why.verdict
        weighed = _weighed(
            verdict.label, verdict.against, why.prior_decibans, verdict.decibans, log_p, classes, calibrator
        )
        return _of_text(why, weighed, log_p, classes, calibrator)
    weighed = _weighed(why.label, why.against, why.prior_decibans, why.decibans, log_p, classes, calibrator)
    terms = [term._replace(decibans=weighed.slope * term.decibans) for term in why.terms] if weighed.slope else []
    if weighed.rest:
        terms.append(Term(OF_THE_CURVE, weighed.rest, why.decibans / DECIBANS_PER_NAT))
    return Explanation(
        classes[weighed.label],
        classes[weighed.against],
        float(np.exp(log_p[weighed.label])),
        weighed.decibans,
        weighed.prior,
        sorted(terms, key=lambda term: -abs(term.decibans)),
    )


def _weighed(
    label: Any, against: Any, prior: float, total: float, log_p: Floats, classes: list[Any], calibrator: Calibrator
) -> Weighed:
    """The verdict is the calibrated one. Where the model weighed two other classes, its terms are of no use."""
    one, other = classes.index(label), classes.index(against)
    winner = int(np.exp(log_p).argmax()) if np.exp(log_p).max() > 0.5 or len(classes) > 2 else 0
    if winner == one:
        sign, second = 1.0, other
    elif winner == other:
        sign, second = -1.0, one
    else:
        sign, second = 0.0, one
    line = calibrator.line
    slope = sign * (calibrator.scale if line is None else line.slope)
    of_prior = slope * prior + 0.0
    if line is not None and len(classes) == 2:
        of_prior += DECIBANS_PER_NAT * (line.offset if winner == 1 else -line.offset)
    decibans = DECIBANS_PER_NAT * float(log_p[winner] - log_p[second])
    evidence = slope * (total - prior)
    rest = decibans - of_prior - evidence
    if abs(rest) <= _ROUNDING * (1.0 + abs(of_prior) + abs(evidence)):
        rest = 0.0
    return Weighed(winner, second, decibans, of_prior, slope, rest)


def _of_text(
    why: TextExplanation, weighed: Weighed, log_p: Floats, classes: list[Any], calibrator: Calibrator
) -> TextExplanation:
    """The same of a text; its interval moves along where the calibrator is a line."""
    terms = [replace(term, decibans=weighed.slope * term.decibans) for term in why.terms] if weighed.slope else []
    if weighed.rest:
        terms.append(TextTerm(OF_THE_CURVE, weighed.rest, 0, ()))
    interval, line = None, calibrator.line
    if why.verdict.interval is not None and line is not None and weighed.slope:
        moved = weighed.decibans - weighed.slope * why.verdict.decibans
        low, high = sorted(weighed.slope * end + moved for end in why.verdict.interval)
        interval = (low, high)
    verdict = Verdict(
        classes[weighed.label],
        classes[weighed.against],
        dict(zip(classes, np.exp(log_p).tolist(), strict=True)),
        weighed.decibans,
        weighed.decibans < _UNSURE_BELOW or (interval is not None and interval[0] <= 0.0),
        interval,
    )
    ordered = tuple(sorted(terms, key=lambda term: -abs(term.decibans)))
    return TextExplanation(verdict, weighed.prior, ordered, why.text)
