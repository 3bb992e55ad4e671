"""Which calibrator suits: judged on scores that it did not learn, as the model was."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .calibrator import CATALOGUE, Calibrator
from .targets import Floats, log_loss


class Tried(NamedTuple):
    """A calibrator, and the mean of −log p(true class) in nats over examples that neither it nor the model learnt."""

    method: str
    log_loss: float


def tried(scores: Floats, y: Any, weight: Floats, fold: Any, margins: bool = False, rows: Any = None) -> list[Tried]:
    """Every calibrator of the catalogue, each fold judged by what the others taught; the best first, of equally good
    ones the simplest. Nothing where there are fewer than two folds.

    `rows` (n,) are the examples that the scores are of, None where each is in one fold: one that is in several is never
    judged by a calibrator that learnt it.
    """
    parts = np.unique(fold)
    if len(parts) < 2:
        return []
    found = []
    for name, kind in CATALOGUE.items():
        log_p: list[Floats] = []
        for k in parts:
            outside = fold == k
            inside = ~outside if rows is None else ~np.isin(rows, rows[outside])
            log_p.append(kind.fit(scores[inside], y[inside], weight[inside], margins=margins)(scores[outside]))
        order = np.concatenate([np.flatnonzero(fold == k) for k in parts])
        found.append(Tried(name, log_loss(np.concatenate(log_p), y[order], weight[order])))
    return sorted(found, key=lambda each: each.log_loss)


def chosen(found: list[Tried]) -> type[Calibrator]:
    """The best; where nothing could be tried, a temperature."""
    return CATALOGUE[found[0].method if found else "temperature"]
