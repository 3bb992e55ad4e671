"""Evidence after calibration: what each feature said, in calibrated decibans, and what no feature said."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing

from deciban.conventions import DECIBANS_PER_NAT
from deciban.scores import Explanation, Term
from deciban.verdict import TextExplanation, TextTerm, Verdict

from ..calibration.calibrator import Calibrator
from ..calibration.targets import Floats

OF_THE_CURVE = "(calibration)"
"""The name of what a curve adds to the line that features share, or takes away."""
_UNSURE_BELOW = 10.0
_ROUNDING = 1e-9

Why = Explanation | TextExplanation


class Worth(NamedTuple):
    """`decibans` of one label against another, those of the prior, and what each term of the model's own explanation is
    multiplied with; `rest` is what belongs to no feature."""

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


def explanations(
    model: Any, X: Any, log_p: Floats, pairs: list[tuple[int, int]], classes: list[Any], calibrator: Calibrator
) -> list[Why]:
    """Of each example why the first class of its pair and not the second: the model's explanation, calibrated."""
    found: dict[int, Why] = {}
    for pair in sorted(set(pairs)):
        rows = [i for i, each in enumerate(pairs) if each == pair]
        asked = (classes[pair[0]], classes[pair[1]])
        for i, why in zip(rows, model.explain(_safe_indexing(X, rows), pair=asked), strict=True):
            found[i] = _explained(why, pair, log_p[i], classes, calibrator)
    return [found[i] for i in range(len(pairs))]


def _explained(why: Why, pair: tuple[int, int], log_p: Floats, classes: list[Any], calibrator: Calibrator) -> Why:
    worth = _worth(why.prior_decibans, why.decibans, pair, log_p, calibrator)
    if isinstance(why, TextExplanation):
        return _of_text(why, worth, log_p, classes, calibrator)
    terms = [term._replace(decibans=worth.slope * term.decibans) for term in why.terms]
    if worth.rest:
        terms.append(Term(OF_THE_CURVE, worth.rest, why.decibans / DECIBANS_PER_NAT))
    terms.sort(key=lambda term: -abs(term.decibans))
    p = float(np.exp(log_p[pair[0]]))
    return Explanation(why.label, why.against, p, worth.decibans, worth.prior, terms)


def _worth(prior: float, total: float, pair: tuple[int, int], log_p: Floats, calibrator: Calibrator) -> Worth:
    line = calibrator.line
    slope = calibrator.scale if line is None else line.slope
    of_prior, evidence = slope * prior, slope * (total - prior)
    if line is not None and calibrator.classes == 2:
        of_prior += DECIBANS_PER_NAT * (line.offset if pair[0] == 1 else -line.offset)
    decibans = DECIBANS_PER_NAT * float(log_p[pair[0]] - log_p[pair[1]])
    rest = decibans - of_prior - evidence
    if abs(rest) <= _ROUNDING * (1.0 + abs(of_prior) + abs(evidence)):
        rest = 0.0
    return Worth(decibans, of_prior + 0.0, slope, rest)


def _of_text(
    why: TextExplanation, worth: Worth, log_p: Floats, classes: list[Any], calibrator: Calibrator
) -> TextExplanation:
    """The same of a text; its interval moves along where the calibrator is a line."""
    terms = [replace(term, decibans=worth.slope * term.decibans) for term in why.terms]
    if worth.rest:
        terms.append(TextTerm(OF_THE_CURVE, worth.rest, 0, ()))
    interval = None
    if why.verdict.interval is not None and calibrator.line is not None:
        moved = worth.decibans - worth.slope * why.verdict.decibans
        low, high = (worth.slope * end + moved for end in why.verdict.interval)
        interval = (low, high)
    verdict = Verdict(
        why.label,
        why.against,
        dict(zip(classes, np.exp(log_p).tolist(), strict=True)),
        worth.decibans,
        worth.decibans < _UNSURE_BELOW or (interval is not None and interval[0] <= 0.0),
        interval,
    )
    ordered = tuple(sorted(terms, key=lambda term: -abs(term.decibans)))
    return TextExplanation(verdict, worth.prior, ordered, why.text)
