"""Which bounds on its errors a fitted model has.

`add_bounds` derives them from what the fit ends with, without a pass over the examples; `bounds`, which is
`model.bounds(X, y)`, adds those that take one: the examples' margins, and what the model says without each of them.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import replace
from math import floor, inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.rows import Rows

from .bound import (
    ANEW,
    COMPRESSION,
    HELD_OUT,
    LEAVE_ONE_OUT,
    PAC_BAYES,
    POSTERIOR,
    SUPPORT,
    VC,
    Bound,
    Facts,
    Probabilities,
)
from .certificate import Certificate

DELTA = 0.05
"""The probability that one of the bounds that have a confidence fails."""
EACH = DELTA / 4
"""A share for each of them (VC, compression, PAC-Bayes, held-out), so that the best may be picked: the union bound."""

DRAWN = "the examples are independent and of one distribution"
_REGRESSION = "it bounds how often a classifier errs, and this is none"
_ASK = "call model.bounds(X, y) with the examples that were learnt"
_NEW = "call deciban evaluate, or model.bounds(X, y, held_out=(X, y)), with examples that were not learnt"
WORDS = "the words, and what they weigh, were read off the examples"
SCALED = "the columns were centred and scaled by all examples"


def add_bounds(model: Any, proof: Certificate) -> Certificate:
    """Return the proof with the bounds of the fitted model, and how it comes by probabilities, unless a file has told
    them."""
    if proof.bounds:
        return proof
    facts = model.facts_
    return replace(proof, bounds=list_bounds(model, proof, facts), calibration=facts.probabilities)


def list_bounds(model: Any, proof: Certificate, facts: Facts) -> tuple[Bound, ...]:
    """Return the bounds of a fitted model, in the order of `bound.NAMES`."""
    left_out = Bound(LEAVE_ONE_OUT, not facts.left_out, condition=facts.left_out or _ASK)
    if getattr(model, "classes_", None) is None:
        none = (Bound(name, False, condition=_REGRESSION) for name in (VC, SUPPORT, COMPRESSION, PAC_BAYES))
        return *none, left_out, Bound(HELD_OUT, False, condition=_REGRESSION)
    n, found = floor(proof.n), _dimension(model)
    capacity = (
        Bound(VC, False, condition=found)
        if isinstance(found, str)
        else bound_by_dimension(n, found, proof.training_error)
    )
    return capacity, *_by_support(facts.support, n), _margins(model, facts), left_out, defer(HELD_OUT)


def bound_by_dimension(n: int, dimension: int, training_error: float | None) -> Bound:
    """Return the VC bound of hypotheses that n examples were learnt with; its value with the training error.

    >>> bound_by_dimension(10**6, 11, 0.1).value.__round__(3), bound_by_dimension(10, 11, None).vacuous
    (0.134, 'every error is at most 1')
    """
    from deciban.theory.capacity import vc as capacity

    if n < 1:
        return Bound(VC, False, condition="nothing was learnt")
    excess = float(capacity(n, dimension, 0.0, EACH, growth="sauer"))
    condition = f"{DRAWN}, and the hypotheses, of VC dimension {dimension:,}, were fixed before they were seen"
    return add_training_error(Bound(VC, True, excess=excess, delta=EACH, condition=condition), training_error)


def add_training_error(capacity: Bound, training_error: float | None) -> Bound:
    """Return a VC bound with the training error, if that is known."""
    if not capacity.applies or capacity.excess is None:
        return capacity
    value = None if training_error is None else training_error + capacity.excess
    least = capacity.excess if value is None else value
    return replace(capacity, value=value, vacuous="every error is at most 1" if least >= 1.0 else "")


def _dimension(model: Any) -> int | str:
    """Return the VC dimension, or why there is none."""
    from deciban.theory.capacity import dimension

    found = dimension(model)
    return found.vacuous if found.value == inf else int(found.value)


def _by_support(count: int | str, n: int) -> tuple[Bound, Bound]:
    """Return the two bounds of a machine that few of its examples hold in place."""
    if isinstance(count, str) or n < 2:
        reason = count if isinstance(count, str) else "it takes two examples"
        return Bound(SUPPORT, False, condition=reason), Bound(COMPRESSION, False, condition=reason)
    from deciban.theory.support_vector_bounds import compression, support_vectors

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


def _margins(model: Any, facts: Facts) -> Bound:
    """Return whether wide margins may say something; what they say takes the examples."""
    if len(model.classes_) != 2:
        return Bound(PAC_BAYES, False, condition=f"it is of two classes; this model has {len(model.classes_)}")
    reason = facts.estimated or facts.margins
    return Bound(PAC_BAYES, not reason, condition=reason or _ASK)


_OF_FEATURES = (VC, SUPPORT, COMPRESSION, PAC_BAYES)


def withdraw(proof: Certificate, reason: str, names: Collection[str] = _OF_FEATURES) -> Certificate:
    """Return the same where those of `names` that applied do not, for the features were read off the examples."""
    bounds = (
        Bound(each.name, False, condition=reason) if each.applies and each.name in names else each
        for each in proof.bounds
    )
    return replace(proof, bounds=tuple(bounds))


def defer(name: str) -> Bound:
    """Return a bound that takes the examples."""
    return Bound(name, True, condition=_NEW if name == HELD_OUT else _ASK)


def note_recalibration(proof: Certificate, how: Probabilities, moved: bool) -> Certificate:
    """Return the proof of a model that a calibrator stands behind, which has `moved` where the verdict turns, or has
    not.

    A verdict that turns elsewhere on the same score is still one of the hypotheses that VC counts, with a training
    error of its own.
    """
    told = replace(proof, calibration=how)
    if moved:
        told = replace(told, training_error=None, bounds=tuple(add_training_error(each, None) for each in told.bounds))
        told = withdraw(told, "calibration moved the boundary", (SUPPORT, COMPRESSION, PAC_BAYES))
        told = add_choice(told, defer(HELD_OUT))
    return withdraw(told, ANEW, (LEAVE_ONE_OUT,))


def certify_words(proof: Certificate, left_out: Bound) -> Certificate:
    """Return the proof of a model that counts words, with its bounds and how it comes by probabilities."""
    bounds = (*(Bound(name, False, condition=WORDS) for name in _OF_FEATURES), left_out, defer(HELD_OUT))
    return replace(proof, bounds=bounds, calibration=POSTERIOR)


def bound_held_out(errors: float, n: float, tried: int = 1, learnt: float | None = None) -> Bound:
    """Return the exact binomial bound of a model that erred on so many of n examples held out, the best of so many
    tried.

        max {p: P(Bin(n, p) ≤ errors) ≥ δ/M}

    `learnt` is how many examples the model that was tried had learnt, where the one that is kept learnt more.

    >>> bound_held_out(3, 500).value.__round__(4), bound_held_out(3, 500, tried=4).value.__round__(4)
    (0.0193, 0.023)
    """
    from deciban.theory.finite_classes import binomial

    wrong, whole = int(-(-errors // 1)), floor(n)
    if whole < 1:
        return Bound(HELD_OUT, False, condition="nothing was held out")
    said = binomial(min(wrong, whole), whole, EACH / tried)
    of = "" if learnt is None else f"; of the model that learnt {learnt:,.10g} others, while the one kept learnt all"
    best = f", the best of {tried} tried" if tried > 1 else ""
    condition = f"{DRAWN}, {wrong:,} errors on {whole:,} held out{best}{of}"
    return Bound(HELD_OUT, True, float(said), delta=EACH, vacuous=said.vacuous, condition=condition)


def add_choice(proof: Certificate, found: Bound | None) -> Certificate:
    """Return the proof with what the choice of the model has told of its errors."""
    if found is None:
        return proof
    return replace(proof, bounds=tuple(found if each.name == found.name else each for each in proof.bounds))


def read_choice(proof: Any) -> Bound | None:
    """Return what the choice told in the certificate of a file; nothing where it tells nothing that can be read."""
    told = proof.get("bounds") if type(proof) is dict else None
    for each in told if type(told) is list else ():
        if type(each) is dict and each.get("name") == HELD_OUT and each.get("value") is not None:
            try:
                return Bound.from_json(each)
            except ValueError:
                return None
    return None


# Of more examples each is unlearnt only where one asks for it: it takes about a millisecond.
_FEW = 2000


def bounds(
    model: Any,
    X: Rows,
    y: ArrayLike,
    *,
    held_out: tuple[Any, Any] | None = None,
    leave_one_out: bool | None = None,
) -> tuple[Bound, ...]:
    """Return the bounds of `certificate_` with those of `deciban.theory` that need the training examples.

    These are the training error for VC, the margins for PAC-Bayes, and the error of leaving one out:

        ridge      y_i − ŷ_i without i = (y_i − ŷ_i) / (1 − h_i),     h_i the leverage
        counts     fit all, forget i, classify i: exact, for forgetting is

    Bounds with a confidence hold together with probability 0.95. Allen, Technometrics 16 (1974); Vapnik &
    Chervonenkis (1971); Langford, JMLR 6 (2005); Clopper & Pearson, Biometrika 26 (1934).

    Parameters
    ----------
    model : estimator
        A fitted classifier, or a linear regression.
    X : array-like, CSR matrix, data frame or list of str
        Training examples, as `fit` takes them.
    y : array-like of shape (n_samples,)
        Their labels or targets.
    held_out : tuple of (X, y), optional
        Examples that were not used for training, for the exact binomial bound on the error.
    leave_one_out : bool, optional
        Whether to leave one out. It takes an unlearning an example, some milliseconds, where a model counts; by
        default it is skipped beyond 2,000 examples.

    Returns
    -------
    tuple of Bound
        The bounds.

    Raises
    ------
    ValueError
        If these are not as many examples as the model was fitted to.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> X, y = [[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]], [1, 1, 1, 0, 0, 0]
    >>> found = NaiveBayes("bernoulli").fit(X, y).bounds(X, y)
    >>> [round(each.value, 3) for each in found if each.name == "leave-one-out"]
    [0.167]
    """
    from deciban.data.devices import on_host

    proof, y = model.certificate_, np.asarray(on_host(y, None))
    X = _make_sliceable(X)
    if len(y) != proof.n or _count(X) != len(y):
        raise ValueError(
            f"the examples that were learnt are expected, of weight {proof.n:,.10g}, each once; "
            f"got {_count(X):,} and {len(y):,} labels"
        )
    found = {each.name: each for each in proof.bounds}
    if getattr(model, "classes_", None) is not None:
        _index_labels(model, y)
        error = float(np.mean(np.asarray(on_host(model.predict(X), None)) != y))
        found[VC] = add_training_error(found[VC], error)
    if found[PAC_BAYES].applies:
        found[PAC_BAYES] = _pac_bayes_of_examples(model, X, y)
    if found[LEAVE_ONE_OUT].applies and leave_one_out is not False:
        found[LEAVE_ONE_OUT] = _left_out(model, X, y, found[LEAVE_ONE_OUT], leave_one_out)
    if held_out is not None:
        found[HELD_OUT] = _check_given(model, held_out)
    return tuple(found.values())


def _make_sliceable(X: Any) -> Any:
    """Return X with a length and slices."""
    if not hasattr(X, "shape"):
        return list(X)
    return X.tocsr() if hasattr(X, "tocsr") else X


def _index_labels(model: Any, y: NDArray[Any]) -> None:
    unknown = [] if y.ndim > 1 else y[~np.isin(y, model.classes_)].tolist()
    if unknown:
        raise ValueError(f"labels {np.asarray(model.classes_).tolist()} are expected, got {unknown[0]!r}")


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _pac_bayes_of_examples(model: Any, X: Rows, y: NDArray[Any]) -> Bound:
    from deciban.theory.support_vector_bounds import normalised_margins, pac_bayes

    try:
        said = pac_bayes(normalised_margins(model, X, y), EACH)
    except ValueError as error:  # weights that are all 0 have no margins
        return Bound(PAC_BAYES, False, condition=str(error))
    condition = f"{DRAWN}, and what their features are was fixed before they were seen"
    return Bound(PAC_BAYES, True, float(said), delta=EACH, vacuous=said.vacuous, condition=condition)


def _check_given(model: Any, given: tuple[Any, Any]) -> Bound:
    from deciban.data.devices import on_host

    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ValueError(f"held_out must be (X, y), got {type(given).__name__}")
    if getattr(model, "classes_", None) is None:
        raise ValueError("held_out is for classifiers: of a regression no error is counted")
    X, y = _make_sliceable(given[0]), np.asarray(on_host(given[1], None))
    if _count(X) != len(y) or not len(y):
        raise ValueError(f"held_out must be one label per example, at least one; got {_count(X):,} and {len(y):,}")
    wrong = np.asarray(on_host(model.predict(X), None)) != y
    return bound_held_out(int(wrong.sum()), len(y))


# --- leaving one out ---------------------------------------------------------------------------------------


def _left_out(model: Any, X: Rows, y: NDArray[Any], known: Bound, asked: bool | None) -> Bound:
    if hasattr(model, "leverages"):
        return _by_leverage(model, X, y)
    if asked is None and len(y) > _FEW:
        return replace(known, condition=f"of more than {_FEW:,} examples it is found with leave_one_out=True")
    if len(y) < 2:
        return Bound(LEAVE_ONE_OUT, False, condition="it takes two examples")
    wrong = sum(_score_unlearnt(model, X, i, y) != y[i] for i in range(len(y)))
    return _with_bounds(float(wrong / len(y)), "share of errors")


def _score_unlearnt(model: Any, X: Any, i: int, y: NDArray[Any]) -> Any:
    """Return what the model says of an example after it has forgotten it."""
    one = X[i : i + 1]
    without = copy(model).forget(one, y[i : i + 1])
    return np.asarray(without.predict(one))[0]


def _by_leverage(model: Any, X: Rows, y: NDArray[Any]) -> Bound:
    """Return the leave-one-out bound of least squares, with or without a ridge."""
    room = np.maximum(1.0 - model.leverages(X), np.finfo(float).eps)
    if getattr(model, "classes_", None) is None:
        rest = (y - model.predict(X)).reshape(len(y), -1) / room[:, None]
        return _with_bounds(float(np.square(rest).sum(axis=1).mean()), "mean of the squared residuals")
    s = np.asarray(model.decision_function(X)).reshape(len(y), -1)
    place = np.searchsorted(model.classes_, y)
    t = 2.0 * (place[:, None] == (np.arange(s.shape[1]) if s.shape[1] > 1 else 1)) - 1.0
    without = t - (t - s) / room[:, None]
    said = without.argmax(axis=1) if s.shape[1] > 1 else without[:, 0] > 0.0
    return _with_bounds(float(np.mean(said != place)), "share of errors")


def _with_bounds(value: float, what: str) -> Bound:
    condition = f"the {what} of models that learnt all examples but the one they judge: an estimate, not a bound"
    return Bound(LEAVE_ONE_OUT, True, value, condition=condition)
