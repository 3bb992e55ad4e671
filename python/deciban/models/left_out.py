"""Scores of examples that a model of statistics had not learnt: those of a part are subtracted from those of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.calibration.scaling import Scaling, fit_scaling
from deciban.calibration.targets import once_wrong
from deciban.data.folds import hashes
from deciban.distributions import StatisticError
from deciban.distributions.counts import Floats
from deciban.distributions.priors import prior_weights

from .reading import Reading
from .tally import Tally

if TYPE_CHECKING:
    from .generative import Generative

MOST = 5000
"""So many distinct examples calibrate."""
PARTS = 10
CALIBRATIONS = (None, "affine")


def check_calibration(calibration: object) -> None:
    """Raise ValueError for a calibration that there is not."""
    if calibration not in CALIBRATIONS:
        raise ValueError(f"calibration must be 'affine' or None, got {calibration!r}")


def scaling_of_parts(model: Generative, reading: Reading, tally: Tally) -> Scaling | None:
    """Return the scaling that makes the scores of a model log-odds, to six digits; None where nothing tells.

    A tenth of the examples after the other is left out, equal rows together, and judged by the statistics of all
    others; in proportions of the classes that the prior says. At most 5,000 distinct rows are, those of lowest hash.
    """
    part, rows = _parts(reading.X)
    y = reading.y[rows]
    weight = np.ones(len(rows)) if reading.weight is None else reading.weight[rows]
    order = np.lexsort((weight, y, part))
    part, rows, y, weight = part[order], rows[order], y[order], weight[order]
    X, scores = reading.X[rows], np.full((len(rows), len(tally.classes)), -np.inf)
    for k in range(PARTS):
        own = np.flatnonzero(part % PARTS == k)
        if len(own):
            scores[own] = _scores_without(model, tally.counts, X[own], y[own], weight[own])
    found = fit_scaling(scores, y, weight * prior_weights(model.class_prior, tally.counts.n)[y], once_wrong)
    return found and found.rounded()


def _parts(X: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return a number for each of the rows that calibrate, the same for equal ones, and the places of these rows."""
    known, number = np.unique(hashes(X, 0), return_inverse=True)
    rows = np.arange(X.shape[0]) if len(known) <= MOST else np.flatnonzero(number < MOST)
    return number[rows], rows


def _scores_without(model: Generative, counts: Any, X: Any, y: NDArray[np.intp], weight: Floats) -> Floats:
    """Return (N, C) what the model without these rows gives them; −∞ of all classes where there is none."""
    family: Any = model._family()
    try:
        left = counts - family.count(X, y, weight, len(counts.n))
        if not left.n.any():
            raise StatisticError("nothing is left")
        scores: Floats = model._compile_counts(left)(family.statistic(X))
    except StatisticError:
        return np.full((len(y), len(counts.n)), -np.inf)
    return scores
