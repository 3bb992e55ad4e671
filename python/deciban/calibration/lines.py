"""Lines of models that are learnt by minimising: from scores in whatever unit to log-odds, by fits of folds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.bound import Probabilities
from deciban.data.estimator import clone
from deciban.data.examples import RowExamples, weigh_rows
from deciban.data.folds import Places, hashes
from deciban.solvers import Status

from .out_of_fold import FitAndScore, OutOfFold, count_folds, hold_out_hashed
from .scaling import Scaling
from .targets import Floats
from .temperature import loss_of_scores


def fit_line(
    model: Any,
    rows: Any,
    y: NDArray[np.intp],
    weight: Floats | None = None,
    seed: int = 0,
    stretch: Floats | None = None,
    raw: Any = None,
) -> tuple[Scaling | None, Probabilities]:
    """Return the line that makes scores of the fitted linear `model` log-odds, by scores of `rows`, of classes y, that
    clones of it were not fitted to, and how it came about; None where it was interrupted, or nothing tells.

    A penalty makes scores too small, features that are not independent make them too large, whatever was minimised.
    `stretch` (N,) says how many times as large the score of a row is when classified than when learnt;
    `raw` are the rows by which equal ones are told, which share a fold, where they are not `rows`.
    """
    weight = np.ones(len(y)) if weight is None else weight
    stretch = np.ones(len(y)) if stretch is None else stretch
    fit_again = _fit_again(model, rows, y, weight, seed)

    def fit_and_score(inside: Places, outside: Places) -> tuple[Floats, bool]:
        s, interrupted = fit_again(inside, outside)
        return s.reshape(len(outside), -1) * stretch[outside, None], interrupted

    hashed = hashes(rows if raw is None else raw, seed)
    return fit_line_to_folds(model, hashed, y, weight, fit_and_score)


def fit_line_to_folds(
    model: Any, hashed: NDArray[np.uint64], y: Places, weight: Floats, fit_and_score: FitAndScore
) -> tuple[Scaling | None, Probabilities]:
    """Return the same for rows with these hashes (N,), wherever they are: `fit_and_score` fits and scores some."""
    k = count_folds(len(y))
    line = None
    if model.status_ is not Status.INTERRUPTED:
        splits = hold_out_hashed(hashed, y, k)
        held = OutOfFold.collect(splits, y, weight, len(model.classes_), fit_and_score)
        line = held.scaling()
    if line is None:
        return None, Probabilities("none: scores are taken as log-odds")
    s = np.hstack([np.zeros_like(held.scores), held.scores]) if held.scores.shape[1] == 1 else held.scores
    return line, Probabilities(f"a line, on {held.of_folds(k)}", loss_of_scores(line(s), held.y, held.weight))


def _fit_again(model: Any, rows: Any, y: Places, weight: Floats, seed: int) -> FitAndScore:
    """Return what fits the same model to some rows and scores others: without a proof, where the model can."""
    if hasattr(model, "_fit_again") and weight.all():
        given = RowExamples(X=rows, **weigh_rows(model, rows, model.classes_[y], weight).fields())
        fit: FitAndScore = model._fit_again(given, model._limits(), seed)
        return fit
    again = clone(model)
    if not model.status_.finished:  # whoever stopped it does not wait for longer fits of the folds
        again.set_params(max_iter=int(model.n_iter_.max()))

    def fit_and_score(inside: Places, outside: Places) -> tuple[Floats, bool]:
        again.fit(rows[inside], y[inside], weight[inside])
        return again.decision_function(rows[outside]), again.status_ is Status.INTERRUPTED

    return fit_and_score
