"""`model.bounds(X, y)`: the bounds of a certificate with what takes a pass over the examples."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.threads import OnThreads

from .bound import HELD_OUT, LEAVE_ONE_OUT, PAC_BAYES, VC, Bound

# Of more examples each is unlearnt only where one asks for it: it takes about a millisecond.
_FEW = 2000


class StatesBounds(OnThreads):
    """A model whose errors to come theory bounds."""

    def bounds(
        self, X: Any, y: Any, *, held_out: tuple[Any, Any] | None = None, leave_one_out: bool | None = None
    ) -> tuple[Bound, ...]:
        """The bounds of `certificate_` with the N examples that were learnt: the training error for VC, the margins for
        PAC-Bayes, and what the model says of each example without having learnt it.

            ridge      y_i − ŷ_i without i = (y_i − ŷ_i) / (1 − h_i),     h_i the leverage
            counts     learn all, forget i, judge i: exact, for forgetting is

        `held_out`: examples (X, y) that were not learnt, for the exact binomial bound on the error. Leaving one out
        takes an unlearning an example, some milliseconds, where a model counts; it is left out beyond 2,000 examples
        unless `leave_one_out` is True, and always if False. Those with a confidence hold together with probability
        0.95. ValueError where these are not as many examples as were learnt.

        Allen, Technometrics 16 (1974); the others: `deciban.theory`.

        >>> from deciban import NaiveBayes
        >>> X, y = [[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]], [1, 1, 1, 0, 0, 0]
        >>> found = NaiveBayes("bernoulli").fit(X, y).bounds(X, y)
        >>> [round(each.value, 3) for each in found if each.name == "leave-one-out"]
        [0.167]
        """
        return bounds(self, X, y, held_out, leave_one_out)


def bounds(
    model: Any, X: Any, y: Any, held_out: tuple[Any, Any] | None, leave_one_out: bool | None
) -> tuple[Bound, ...]:
    """See `StatesBounds.bounds`."""
    from deciban.data.devices import on_host

    from .guarantees import trained

    proof, y = model.certificate_, np.asarray(on_host(y, None))
    X = _sliced(X)
    if len(y) != proof.n or _count(X) != len(y):
        raise ValueError(
            f"the examples that were learnt are expected, of weight {proof.n:,.10g}, each once; "
            f"got {_count(X):,} and {len(y):,} labels"
        )
    found = {each.name: each for each in proof.bounds}
    if getattr(model, "classes_", None) is not None:
        _known_labels(model, y)
        error = float(np.mean(np.asarray(on_host(model.predict(X), None)) != y))
        found[VC] = trained(found[VC], error)
    if found[PAC_BAYES].applies:
        found[PAC_BAYES] = _margins(model, X, y)
    if found[LEAVE_ONE_OUT].applies and leave_one_out is not False:
        found[LEAVE_ONE_OUT] = _left_out(model, X, y, found[LEAVE_ONE_OUT], leave_one_out)
    if held_out is not None:
        found[HELD_OUT] = _tested(model, held_out)
    return tuple(found.values())


def _sliced(X: Any) -> Any:
    """X with a length and slices."""
    if not hasattr(X, "shape"):
        return list(X)
    return X.tocsr() if hasattr(X, "tocsr") else X


def _known_labels(model: Any, y: NDArray[Any]) -> None:
    unknown = [] if y.ndim > 1 else y[~np.isin(y, model.classes_)].tolist()
    if unknown:
        raise ValueError(f"labels {np.asarray(model.classes_).tolist()} are expected, got {unknown[0]!r}")


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _margins(model: Any, X: Any, y: NDArray[Any]) -> Bound:
    from deciban.theory.margins import normalised_margins, pac_bayes

    from .guarantees import DRAWN, EACH

    try:
        said = pac_bayes(normalised_margins(model, X, y), EACH)
    except ValueError as error:  # weights that are all 0 have no margins
        return Bound(PAC_BAYES, False, condition=str(error))
    condition = f"{DRAWN}, and what their features are was fixed before they were seen"
    return Bound(PAC_BAYES, True, float(said), delta=EACH, vacuous=said.vacuous, condition=condition)


def _tested(model: Any, given: tuple[Any, Any]) -> Bound:
    from deciban.data.devices import on_host

    from . import guarantees

    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ValueError(f"held_out must be (X, y), got {type(given).__name__}")
    if getattr(model, "classes_", None) is None:
        raise ValueError("held_out is for classifiers: of a regression no error is counted")
    X, y = _sliced(given[0]), np.asarray(on_host(given[1], None))
    if _count(X) != len(y) or not len(y):
        raise ValueError(f"held_out must be one label per example, at least one; got {_count(X):,} and {len(y):,}")
    wrong = np.asarray(on_host(model.predict(X), None)) != y
    return guarantees.held_out(int(wrong.sum()), len(y))


# --- leaving one out ---------------------------------------------------------------------------------------


def _left_out(model: Any, X: Any, y: NDArray[Any], known: Bound, asked: bool | None) -> Bound:
    if hasattr(model, "leverages"):
        return _by_leverage(model, X, y)
    if asked is None and len(y) > _FEW:
        return replace(known, condition=f"of more than {_FEW:,} examples it is found with leave_one_out=True")
    if len(y) < 2:
        return Bound(LEAVE_ONE_OUT, False, condition="it takes two examples")
    wrong = sum(_unlearnt(model, X, i, y) != y[i] for i in range(len(y)))
    return _told(float(wrong / len(y)), "share of errors")


def _unlearnt(model: Any, X: Any, i: int, y: NDArray[Any]) -> Any:
    """What the model says of an example after it has forgotten it."""
    one = X[i : i + 1]
    without = copy(model).forget(one, y[i : i + 1])
    return np.asarray(without.predict(one))[0]


def _by_leverage(model: Any, X: Any, y: NDArray[Any]) -> Bound:
    """Of least squares, with or without a ridge."""
    room = np.maximum(1.0 - model.leverages(X), np.finfo(float).eps)
    if getattr(model, "classes_", None) is None:
        rest = (y - model.predict(X)).reshape(len(y), -1) / room[:, None]
        return _told(float(np.square(rest).sum(axis=1).mean()), "mean of the squared residuals")
    s = np.asarray(model.decision_function(X)).reshape(len(y), -1)
    place = np.searchsorted(model.classes_, y)
    t = 2.0 * (place[:, None] == (np.arange(s.shape[1]) if s.shape[1] > 1 else 1)) - 1.0
    without = t - (t - s) / room[:, None]
    said = without.argmax(axis=1) if s.shape[1] > 1 else without[:, 0] > 0.0
    return _told(float(np.mean(said != place)), "share of errors")


def _told(value: float, what: str) -> Bound:
    condition = f"the {what} of models that learnt all examples but the one they judge: an estimate, not a bound"
    return Bound(LEAVE_ONE_OUT, True, value, condition=condition)
