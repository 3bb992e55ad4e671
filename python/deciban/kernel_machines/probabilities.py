"""Probabilities of kernel machines: what their margins are worth in log-odds, from examples held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.calibration.isotonic import Monotone, isotonic
from deciban.calibration.out_of_fold import OutOfFold, check_calibration, hold_out, limits_of_folds
from deciban.data.devices import take
from deciban.data.folds import Places
from deciban.data.rows import Rows
from deciban.kernel_solvers.problem import KernelSolution
from deciban.kernel_solvers.smo import KnownGram
from deciban.kernels import Linear, Precomputed
from deciban.losses import Floats
from deciban.solvers.problem import Limits, Status

from ..kernels.items import Items, between
from .arrangement import arrange
from .one_vs_one import pairs
from .problems import machines
from .sides import Side, sides_of

if TYPE_CHECKING:
    from .svm import SVM


METHODS = ("temperature", "isotonic")
# Of each pair of classes, which has a slope of its own, twice so many examples tell it.
_OF_EACH = 250


@dataclass(frozen=True)
class Calibration:
    """Log-odds of the margins f (N, K): `scale` A, of "ovo" (K,), or where there are, `maps`, of
    "ovo" one a machine and else one. Of two classes, and of each against each, they are log-odds of a machine; of one
    against the rest, scores whose softmax is the posterior, for maps the log of each class's own share; `log_loss` is
    that of the examples held out, where one scale suits all their scores, and `how` says which were:

        scale    A·f + `shift`       maps    g(f); of one against the rest   −log(1 + e^(−g(f)))
    """

    scale: Any = None
    maps: tuple[Monotone, ...] = ()
    log_loss: float | None = None
    shift: Any = None
    how: str = ""

    def nats(self, f: Floats, style: str) -> Floats:
        """Return (N, K)."""
        if not self.maps:
            return np.asarray(f * self.scale if self.shift is None else f * self.scale + self.shift)
        if style == "ovr":
            return -np.logaddexp(0.0, -self.maps[0](f))
        return np.column_stack([g(f[:, k]) for k, g in enumerate(self.maps)])

    def of_item(self, s: Floats, k: int = 0) -> Floats:
        """Return the scores s (C,) of one item in nats, by the k-th machine: of two classes (0, f); those that a scale
        has made nats already are."""
        if not self.maps:
            return s
        return np.array([0.0, self.maps[k](s[1])]) if len(s) == 2 else self.nats(s[None, :], "ovr")[0]


def calibrate(model: SVM, given: Items, limits: Limits, seed: int, gram: KnownGram | None = None) -> Calibration:
    """Return the calibration that suits out-of-fold scores; `gram` is what is known of the examples' kernel."""
    k = check_calibration(model, METHODS)
    held = _score_held_out(model, given, k, limits, seed, gram)
    found = _calibration_of(model, held, model._style(len(given.classes)), len(given.classes))
    return replace(found, how=f"{model.calibration} on {held.of_folds(k)}")


def _calibration_of(model: SVM, held: OutOfFold, style: str, C: int) -> Calibration:
    """Return the calibration that suits out-of-fold scores (n, K)."""
    if style == "ovo":
        of_pairs = list(held.of_pairs(pairs(C)))
        if model.calibration == "temperature":
            return Calibration(np.array([p.temperature() if p.y.any() and not p.y.all() else 1.0 for p in of_pairs]))
        return Calibration(maps=tuple(isotonic(p.scores[:, 0], p.y == 1, p.weight) for p in of_pairs))
    f, y, weight = held[:3]
    if model.calibration == "temperature":
        scale = held.temperature()
        return Calibration(scale, log_loss=held.log_loss(scale))
    if style == "two":
        return Calibration(maps=(isotonic(f[:, 0], y == 1, weight),))
    own = (y[:, None] == np.arange(C)).ravel()  # one map for all: the largest score stays the largest share
    return Calibration(maps=(isotonic(f.ravel(), own, np.repeat(weight, C), turning=False),))


def _score_held_out(model: SVM, given: Items, k: int, limits: Limits, seed: int, gram: KnownGram | None) -> OutOfFold:
    """Return scores (n, K) of the examples, by machines that did not learn them."""
    style, limits = model._style(len(given.classes)), limits_of_folds(limits)
    solvers = []
    if model.solver == "auto":  # a fold is smaller, and shall not be exact for that
        solvers = ["auto" if each.landmarks is None else each.solver for each in model.solution_]

    sides = [] if gram is None else list(sides_of(given.y, len(given.classes), style))

    def fit_and_score(inside: Places, outside: Places) -> tuple[Floats, bool]:
        part, own = given.only(inside), None if gram is None else gram.only(inside)
        begun = [] if gram is None else _restrict(model.solution_, sides, len(given.y), inside)
        found = machines(model, part, limits, begun, clipped=True, solvers=solvers, gram=own)
        interrupted = any(machine.solution.status is Status.INTERRUPTED for machine in found)
        held = arrange(found, part, style)
        if gram is None or isinstance(given.kernel, Linear):
            return scores_of(model, part, between(given.kernel, given.X, outside, inside), held), interrupted
        known = gram.between(outside, inside[held.support])
        score = held.score(Precomputed(), np.arange(len(held.support)))
        return score(known, model._threads()), interrupted

    splits = hold_out(given.X, given.y, k, seed, _OF_EACH if style == "ovo" else 0)
    C, K = len(given.classes), len(model.solution_)
    return OutOfFold.collect(splits, given.y, given.weight, C, fit_and_score, K)


def _restrict(
    solutions: Sequence[KernelSolution], sides: Sequence[Side], count: int, inside: Places
) -> list[KernelSolution]:
    """Return what the solution of each problem has for some of the examples: a fold begins there."""
    kept = np.zeros(count, dtype=bool)
    kept[inside] = True
    return [replace(each, beta=each.beta[kept[rows]]) for each, (rows, _) in zip(solutions, sides, strict=True)]


def scores_of(model: SVM, part: Items, outside: Rows, held: Any) -> Floats:
    """Return f (n, K) of items outside, by the machines that learnt a part."""
    vectors = take(part.kernel.centres(part.X), held.support)
    f: Floats = held.score(part.kernel, vectors)(outside, model._threads())
    return f
