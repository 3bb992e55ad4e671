"""Evidence after calibration: what each feature said, in calibrated decibans, and what no feature said."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from deciban.conventions import DECIBANS_PER_NAT
from deciban.data.fit_parameters import is_frozen
from deciban.data.rows import Rows
from deciban.data.samples import take_rows
from deciban.verdict import Explanation, Term, Verdict

from ..calibration.calibrator import Calibrator
from ..calibration.targets import Floats

OF_THE_CURVE = "(calibration)"
"""The name of what a curve adds to the line that features share, or takes away."""
_UNSURE_BELOW = 10.0
_ROUNDING = 1e-9


class Worth(NamedTuple):
    """`decibans` of one label against another, those of the prior, and what each term of the model's own explanation is
    multiplied with; `rest` is what belongs to no feature."""

    decibans: float
    prior: float
    slope: float
    rest: float


def in_units(model: Any, response: str) -> Any:
    """Return the model that explains what was calibrated: for margins one to which a unit of the margin is a nat."""
    model = model.estimator if is_frozen(model) else model
    if response != "decision_function":
        return model
    shown = copy(model)
    if "calibrated_" in vars(model):
        from deciban.kernel_machines.probabilities import Calibration

        shown.calibration, shown.calibrated_ = "temperature", Calibration(1.0)
    elif "temperature_" in vars(model):
        shown.calibration, shown.temperature_ = "temperature", 1.0
    return shown


def explanations(
    model: Any, X: Rows, log_p: Floats, pairs: list[tuple[int, int]], classes: list[Any], calibrator: Calibrator
) -> list[Explanation]:
    """Return the model's explanations, calibrated, of why the first class of each pair and not the second."""
    found: dict[int, Explanation] = {}
    for pair in sorted(set(pairs)):
        rows = [i for i, each in enumerate(pairs) if each == pair]
        asked = (classes[pair[0]], classes[pair[1]])
        for i, why in zip(rows, model.explain(take_rows(X, rows), pair=asked), strict=True):
            found[i] = _explain(why, pair, log_p[i], classes, calibrator)
    return [found[i] for i in range(len(pairs))]


def _explain(
    why: Explanation, pair: tuple[int, int], log_p: Floats, classes: list[Any], calibrator: Calibrator
) -> Explanation:
    worth = _worth(why.prior_decibans, why.decibans, pair, log_p, calibrator)
    if why.verdict is not None:
        return _of_text(why, worth, log_p, classes, calibrator)
    terms = [replace(term, decibans=worth.slope * term.decibans) for term in why.terms]
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


def _of_text(why: Explanation, worth: Worth, log_p: Floats, classes: list[Any], calibrator: Calibrator) -> Explanation:
    """Return the same of a text; its interval moves along where the calibrator is a line."""
    terms = [replace(term, decibans=worth.slope * term.decibans) for term in why.terms]
    if worth.rest:
        terms.append(Term(OF_THE_CURVE, worth.rest, 0.0))
    interval, said = None, why.as_verdict()
    if said.interval is not None and calibrator.line is not None:
        moved = worth.decibans - worth.slope * said.decibans
        low, high = (worth.slope * end + moved for end in said.interval)
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
    return Explanation.of_verdict(verdict, worth.prior, ordered, why.text)
