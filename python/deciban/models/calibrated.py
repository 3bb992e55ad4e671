"""Probabilities of a model that has only margins: a temperature, from examples held out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from deciban._core import scores
from deciban.calibration.temperature import loss_of_scores, temperature
from deciban.data.folds import folds as folds_of
from deciban.data.rows import reals_for_core
from deciban.solvers import Limits, Status

from ..data.examples import Examples


def held_out_temperature(model: Any, given: Examples, folds: Any, limits: Limits, seed: int) -> float:
    """The temperature that suits the scores of examples held out, each fold in turn."""
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise ValueError(f"calibration must be None or a number of folds from 2, got {folds!r}")
    held, truth, weight = [], [], []
    fold = folds_of(given.X, int(folds), seed)
    for k in range(folds):
        inside, outside = given.only(fold != k), given.only(fold == k)
        if not len(outside.y) or len(np.unique(inside.y)) < len(given.labels):
            continue
        problems = model._problems(inside)
        solutions = model._solve(problems, replace(limits, callback=None), None, seed)
        w, b = model._weights(problems, solutions)
        rows = reals_for_core(model._features(outside.X))
        held.append(scores(rows, np.ascontiguousarray(w), b, n_jobs=model._threads()))
        truth.append(outside.y)
        weight.append(outside.weight)
        if any(solution.status is Status.INTERRUPTED for solution in solutions):
            break
    model._held_out_loss = None
    if not held:
        return 1.0
    s, y, c = np.concatenate(held), np.concatenate(truth), np.concatenate(weight)
    found = temperature(s, y, c)
    model._held_out_loss = loss_of_scores(found * s, y, c)
    return found
