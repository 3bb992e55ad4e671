"""Choice of a calibrator by its log loss on held-out scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deciban.data.folds import Places

from .calibrator import CATALOGUE, Calibrator
from .targets import Floats, log_loss


class CandidateLoss(NamedTuple):
    """A calibrator, and the mean of −log p(true class) in nats over examples that neither it nor the model learnt."""

    method: str
    log_loss: float


def compare_calibrators(
    scores: Floats, y: Places, weight: Floats, fold: Places, margins: bool = False, rows: Places | None = None
) -> list[CandidateLoss]:
    """Return the loss of every calibrator, each fold scored by what the others taught; the best first, of equally good
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
        found.append(CandidateLoss(name, log_loss(np.concatenate(log_p), y[order], weight[order])))
    return sorted(found, key=lambda each: each.log_loss)


def choose_best(found: list[CandidateLoss]) -> type[Calibrator]:
    """Return the best; where nothing could be tried, a temperature."""
    return CATALOGUE[found[0].method if found else "temperature"]
