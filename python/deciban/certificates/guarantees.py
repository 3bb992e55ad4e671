"""Which bounds on its errors a fitted model has, from what the fit ends with: no pass over the examples.

What takes one, the examples' margins and what the model says without each of them, is in `bounding`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import floor, inf
from typing import Any

from .bound import COMPRESSION, HELD_OUT, LEAVE_ONE_OUT, PAC_BAYES, SUPPORT, VC, Bound, Probabilities
from .certificate import Certificate

DELTA = 0.05
"""The probability that one of the bounds that have a confidence fails."""
EACH = DELTA / 4
"""A share for each of them (VC, compression, PAC-Bayes, held-out), so that the best may be picked: the union bound."""

DRAWN = "the examples are independent and of one distribution"
_REGRESSION = "it bounds how often a classifier errs, and this is none"
_ASK = "call model.bounds(X, y) with the examples that were learnt"
_NEW = "call deciban evaluate, or model.bounds(X, y, held_out=(X, y)), with examples that were not learnt"
ANEW = "without an example all others would be learnt anew: cross-validate"
WORDS = "the words, and what they weigh, were read off the examples"
SCALED = "the columns were centred and scaled by all examples"


def certified(model: Any, proof: Certificate) -> Certificate:
    """The proof with the bounds of the fitted model, and how it comes by probabilities, unless a file has told them."""
    if proof.bounds:
        return proof
    return replace(proof, bounds=at_hand(model, proof), calibration=probabilities(model))


def at_hand(model: Any, proof: Certificate) -> tuple[Bound, ...]:
    """The bounds of a fitted model, in the order of `bound.NAMES`."""
    left_out = _left_out(model)
    if getattr(model, "classes_", None) is None:
        none = (Bound(name, False, condition=_REGRESSION) for name in (VC, SUPPORT, COMPRESSION, PAC_BAYES))
        return *none, left_out, Bound(HELD_OUT, False, condition=_REGRESSION)
    n, found = floor(proof.n), _dimension(model)
    capacity = Bound(VC, False, condition=found) if isinstance(found, str) else vc(n, found, proof.training_error)
    return capacity, *_by_support(model, n), _margins(model), left_out, asked(HELD_OUT)


def vc(n: int, dimension: int, training_error: float | None) -> Bound:
    """Of hypotheses of a VC dimension that n examples were learnt with; its value with the training error.

    >>> vc(10**6, 11, 0.1).value.__round__(3), vc(10, 11, None).vacuous
    (0.134, 'every error is at most 1')
    """
    from deciban.theory.capacity import vc as capacity

    if n < 1:
        return Bound(VC, False, condition="nothing was learnt")
    excess = float(capacity(n, dimension, 0.0, EACH, growth="sauer"))
    condition = f"{DRAWN}, and the hypotheses, of VC dimension {dimension:,}, were fixed before they were seen"
    return trained(Bound(VC, True, excess=excess, delta=EACH, condition=condition), training_error)


def trained(capacity: Bound, training_error: float | None) -> Bound:
    """A VC bound with the training error, if that is known."""
    if not capacity.applies or capacity.excess is None:
        return capacity
    value = None if training_error is None else training_error + capacity.excess
    least = capacity.excess if value is None else value
    return replace(capacity, value=value, vacuous="every error is at most 1" if least >= 1.0 else "")


def _dimension(model: Any) -> int | str:
    """The VC dimension, or why there is none."""
    from deciban.theory.model_dimension import dimension

    found = dimension(model)
    return found.vacuous if found.value == inf else int(found.value)


def _by_support(model: Any, n: int) -> tuple[Bound, Bound]:
    """The two bounds of a machine that few of its examples hold in place."""
    held = getattr(model, "_held_by", None)
    count = "every example has a say in what was learnt" if held is None else held()
    if isinstance(count, str) or n < 2:
        reason = count if isinstance(count, str) else "it takes two examples"
        return Bound(SUPPORT, False, condition=reason), Bound(COMPRESSION, False, condition=reason)
    from deciban.theory.sparsity import compression, support_vectors

    mean, sure = support_vectors(count, n), compression(count, n, EACH)
    return (
        Bound(
            SUPPORT,
            True,
            float(mean),
            vacuous=mean.vacuous,
            condition=f"{DRAWN}, and the number of support vectors, {count:,}, is the expected one",
        ),
        Bound(
            COMPRESSION,
            True,
            float(sure),
            delta=EACH,
            vacuous=sure.vacuous,
            condition=f"{DRAWN}, and the {count:,} support vectors alone give the same classifier",
        ),
    )


def _margins(model: Any) -> Bound:
    """Whether wide margins may say something; what they say takes the examples."""
    if len(model.classes_) != 2:
        return Bound(PAC_BAYES, False, condition=f"it is of two classes; this model has {len(model.classes_)}")
    fixed: str = getattr(model, "_read_off", lambda: "")() or getattr(model, "_without_margins", lambda: "")()
    weighs = hasattr(model, "kernel_") or hasattr(model, "coef_")
    reason = fixed or ("" if weighs else "it is of models with weights or a kernel")
    return Bound(PAC_BAYES, not reason, condition=reason or _ASK)


def _left_out(model: Any) -> Bound:
    """Whether what the model would say without an example is known exactly, without learning all others again."""
    if hasattr(model, "leverages") or (hasattr(model, "forget") and hasattr(model, "classes_")):
        reason: str = getattr(model, "_keeps_examples_together", lambda: "")()
        return Bound(LEAVE_ONE_OUT, not reason, condition=reason or _ASK)
    return Bound(LEAVE_ONE_OUT, False, condition=ANEW)


_OF_FEATURES = (VC, SUPPORT, COMPRESSION, PAC_BAYES)


def unfixed(proof: Certificate, reason: str, names: Collection[str] = _OF_FEATURES) -> Certificate:
    """The same where those of `names` that applied do not, for the features were read off the examples."""
    bounds = (
        Bound(each.name, False, condition=reason) if each.applies and each.name in names else each
        for each in proof.bounds
    )
    return replace(proof, bounds=tuple(bounds))


def asked(name: str) -> Bound:
    """A bound that takes the examples."""
    return Bound(name, True, condition=_NEW if name == HELD_OUT else _ASK)


def recalibrated(proof: Certificate, how: Probabilities, moved: bool) -> Certificate:
    """The proof of a model that a calibrator stands behind, which has `moved` where the verdict turns, or has not.

    A verdict that turns elsewhere on the same score is still one of the hypotheses that VC counts, with a training
    error of its own.
    """
    told = replace(proof, calibration=how)
    if moved:
        told = replace(told, training_error=None, bounds=tuple(trained(each, None) for each in told.bounds))
        told = unfixed(told, "calibration moved the boundary", (SUPPORT, COMPRESSION, PAC_BAYES))
        told = chosen(told, asked(HELD_OUT))
    return unfixed(told, ANEW, (LEAVE_ONE_OUT,))


def of_words(proof: Certificate, left_out: Bound) -> Certificate:
    """The proof of a model that counts words, with its bounds and how it comes by probabilities."""
    bounds = (*(Bound(name, False, condition=WORDS) for name in _OF_FEATURES), left_out, asked(HELD_OUT))
    return replace(proof, bounds=bounds, calibration=Probabilities(_POSTERIOR))


def held_out(errors: float, n: float, tried: int = 1, learnt: float | None = None) -> Bound:
    """The exact binomial bound of a model that erred on so many of n examples held out, the best of so many tried.

        max {p: P(Bin(n, p) ≤ errors) ≥ δ/M}

    `learnt` is how many examples the model that was tried had learnt, where the one that is kept learnt more.

    >>> held_out(3, 500).value.__round__(4), held_out(3, 500, tried=4).value.__round__(4)
    (0.0193, 0.023)
    """
    from deciban.theory.held_out import binomial

    wrong, whole = int(-(-errors // 1)), floor(n)
    if whole < 1:
        return Bound(HELD_OUT, False, condition="nothing was held out")
    said = binomial(min(wrong, whole), whole, EACH / tried)
    of = "" if learnt is None else f"; of the model that learnt {learnt:,.10g} others, while the one kept learnt all"
    best = f", the best of {tried} tried" if tried > 1 else ""
    condition = f"{DRAWN}, {wrong:,} errors on {whole:,} held out{best}{of}"
    return Bound(HELD_OUT, True, float(said), delta=EACH, vacuous=said.vacuous, condition=condition)


def chosen(proof: Certificate, found: Bound | None) -> Certificate:
    """The proof with what the choice of the model has told of its errors."""
    if found is None:
        return proof
    return replace(proof, bounds=tuple(found if each.name == found.name else each for each in proof.bounds))


def said_of(proof: Any) -> Bound | None:
    """What the choice told in the certificate of a file; nothing where it tells nothing that can be read."""
    told = proof.get("bounds") if type(proof) is dict else None
    for each in told if type(told) is list else ():
        if type(each) is dict and each.get("name") == HELD_OUT and each.get("value") is not None:
            try:
                return Bound.from_json(each)
            except ValueError:
                return None
    return None


_POSTERIOR = "none: a posterior"


def probabilities(model: Any) -> Probabilities:
    """How a fitted model comes by its probabilities."""
    if getattr(model, "classes_", None) is None:
        return Probabilities("none: no probabilities")
    told = getattr(model, "_probabilities_told", None)
    return Probabilities(_POSTERIOR) if told is None else told()
