"""Probabilities of kernel machines: what their margins are worth in log-odds, from examples held out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.calibration.isotonic import Monotone, isotonic
from deciban.calibration.temperature import loss_of_scores, temperature
from deciban.data.devices import take
from deciban.data.folds import folds as folds_of
from deciban.losses import Floats
from deciban.solvers.problem import Limits, Status

from ..kernels.items import Items, between
from .arrangement import arranged
from .one_vs_one import pairs, temperatures
from .problems import machines

# The folds of a calibration that is named.
_FOLDS = 3


@dataclass(frozen=True)
class Calibration:
    """What is known of the log-odds of the margins f (N, K): `scale` A, of "ovo" (K,), or where there are, `maps`, of
    "ovo" one a machine and else one. Of two classes, and of each against each, they are log-odds of a machine; of one
    against the rest, scores whose softmax is the posterior, for maps the log of each class's own share; `log_loss` is
    that of the examples held out, where one scale suits all their scores:

        scale    A·f + `shift`       maps    g(f); of one against the rest   −log(1 + e^(−g(f)))
    """

    scale: Any = None
    maps: tuple[Monotone, ...] = ()
    log_loss: float | None = None
    shift: Any = None

    def nats(self, f: Floats, style: str) -> Floats:
        """(N, K)."""
        if not self.maps:
            return np.asarray(f * self.scale if self.shift is None else f * self.scale + self.shift)
        if style == "ovr":
            return -np.logaddexp(0.0, -self.maps[0](f))
        return np.column_stack([g(f[:, k]) for k, g in enumerate(self.maps)])

    def of_item(self, s: Floats, k: int = 0) -> Floats:
        """What the scores s (C,) of one item are worth, by the k-th machine: of two classes (0, f); those that a scale
        has made nats already are."""
        if not self.maps:
            return s
        return np.array([0.0, self.maps[k](s[1])]) if len(s) == 2 else self.nats(s[None, :], "ovr")[0]


def check_calibration(given: Any) -> int:
    """How many folds; ValueError for what is no calibration."""
    if isinstance(given, str) and given == "isotonic":
        return _FOLDS
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 2:
        raise ValueError(f"calibration must be None, 'isotonic' or a number of folds from 2, got {given!r}")
    return int(given)


def calibrated(model: Any, given: Items, limits: Limits, seed: int) -> Calibration:
    """What suits the scores of examples held out, each fold in turn."""
    f, y, c = _held_out(model, given, check_calibration(model.calibration), limits, seed)
    C, style = len(given.labels), model._style(len(given.labels))
    if not isinstance(model.calibration, str):
        if style == "ovo":
            return Calibration(temperatures(f, y, c, C))
        scale = temperature(f, y, c) if len(y) else 1.0
        return Calibration(scale, log_loss=loss_of_scores(scale * f, y, c) if len(y) else None)
    if style == "two":
        return Calibration(maps=(isotonic(f[:, 0], y == 1, c),))
    if style == "ovr":  # one map for all, so that the class of the largest score stays that of the largest share
        own = (y[:, None] == np.arange(C)).ravel()
        return Calibration(maps=(isotonic(f.ravel(), own, np.repeat(c, C), turning=False),))
    of_pairs = []
    for k, (i, j) in enumerate(pairs(C)):
        two = (y == i) | (y == j)
        of_pairs.append(isotonic(f[two, k], y[two] == i, c[two]))
    return Calibration(maps=tuple(of_pairs))


def _held_out(
    model: Any, given: Items, folds: int, limits: Limits, seed: int
) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Scores (n, K), classes and weights of the examples, by machines that did not learn them."""
    C, style = len(given.labels), model._style(len(given.labels))
    held, truth, weight = [np.zeros((0, len(model.solution_)))], [given.y[:0]], [given.weight[:0]]
    fold = folds_of_items(given, folds, seed)
    solvers = []
    if model.solver == "auto":  # a fold is smaller, and shall not be exact for that
        solvers = ["auto" if each.landmarks is None else each.solver for each in model.solution_]
    for k in range(folds):
        inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        if not len(outside) or len(np.unique(given.y[inside])) < C:
            continue
        part = given.only(fold != k)
        found = machines(model, part, replace(limits, callback=None), clipped=True, solvers=solvers)
        held.append(
            scores_of(model, part, between(given.kernel, given.X, outside, inside), arranged(found, part, style))
        )
        truth.append(given.y[outside])
        weight.append(given.weight[outside])
        if any(machine.solution.status is Status.INTERRUPTED for machine in found):
            break
    return np.concatenate(held), np.concatenate(truth), np.concatenate(weight)


def scores_of(model: Any, part: Items, outside: Any, held: Any) -> Floats:
    """f (n, K) of items outside, by the machines that learnt a part."""
    vectors = take(part.kernel.centres(part.X), held.support)
    f: Floats = held.score(part.kernel, vectors)(outside, model._threads())
    return f


def folds_of_items(given: Items, k: int, seed: int) -> NDArray[np.intp]:
    """A fold for each item that equal ones share, by a hash; of texts, that of their characters."""
    if given.X.ndim == 2:
        return folds_of(given.X, k, seed)
    key = (seed % 2**64).to_bytes(8, "little")
    each = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for text in given.X)
    return np.array([int.from_bytes(digest, "little") % k for digest in each], dtype=np.intp)
