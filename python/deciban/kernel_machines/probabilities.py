"""Probabilities of kernel machines: the scale of their log-odds, from examples held out."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.losses import Floats
from deciban.solvers.problem import Limits, Status
from deciban.trust.calibration import temperature
from deciban.trust.folds import folds as folds_of

from .arrangement import arranged
from .one_vs_one import temperatures
from .problems import machines
from .rows import Items, between


def held_out_temperatures(model: Any, given: Items, folds: Any, limits: Limits, seed: int) -> Any:
    """The temperature that suits scores of examples held out, each fold in turn; of "ovo" one for each pair."""
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise ValueError(f"calibration must be None or a number of folds from 2, got {folds!r}")
    C, style = len(given.labels), model._style(len(given.labels))
    held, truth, weight = [np.zeros((0, len(model.solution_)))], [given.y[:0]], [given.weight[:0]]
    fold = folds_of_items(given, int(folds), seed)
    for k in range(int(folds)):
        inside, outside = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        if not len(outside) or len(np.unique(given.y[inside])) < C:
            continue
        part = given.only(fold != k)
        found = machines(model, part, replace(limits, callback=None), clipped=True)
        held.append(
            scores_of(model, part, between(given.kernel, given.X, outside, inside), arranged(found, part, style))
        )
        truth.append(given.y[outside])
        weight.append(given.weight[outside])
        if any(machine.solution.status is Status.INTERRUPTED for machine in found):
            break
    f, y, c = np.concatenate(held), np.concatenate(truth), np.concatenate(weight)
    if style == "ovo":
        return temperatures(f, y, c, C)
    return temperature(f, y, c) if len(y) else 1.0


def scores_of(model: Any, part: Items, outside: Any, held: Any) -> Floats:
    """f (n, K) of items outside, by the machines that learnt a part."""
    vectors = part.kernel.centres(part.X)[held.support]
    f: Floats = held.score(part.kernel, vectors)(outside, model._threads())
    return f


def folds_of_items(given: Items, k: int, seed: int) -> NDArray[np.intp]:
    """A fold for each item that equal ones share, by a hash; of texts, that of their characters."""
    if given.X.ndim == 2:
        return folds_of(given.X, k, seed)
    key = (seed % 2**64).to_bytes(8, "little")
    each = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for text in given.X)
    return np.array([int.from_bytes(digest, "little") % k for digest in each], dtype=np.intp)
