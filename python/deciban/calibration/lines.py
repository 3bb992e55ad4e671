"""Lines of models that are learnt by minimising: from scores in whatever unit to log-odds, by fits of folds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.bound import Probabilities
from deciban.data.estimator import clone
from deciban.data.examples import RowExamples, weigh_rows
from deciban.data.folds import Places, hashes
from deciban.solvers import Limits, Status
from deciban.solvers.side_by_side import beside

from .out_of_fold import FitAndScore, OutOfFold, count_folds, hold_out_hashed, limits_of_folds
from .scaling import Scaling
from .targets import Floats
from .temperature import loss_of_scores


@dataclass(frozen=True)
class Examples:
    """Rows, labels (N,) and weights (N,), which a linear model learns, and of which clones of it hold some out.

    `stretch` (N,) says how many times as large the score of a row is when classified than when learnt; `raw` are the
    rows by which equal ones are told, which share a fold, where they are not `rows`.
    """

    rows: Any
    labels: NDArray[Any]
    weight: Floats | None = None
    seed: int = 0
    stretch: Floats | None = None
    raw: Any = None

    def fit(self, model: Any) -> tuple[Scaling | None, Probabilities]:
        """Fit a model, and return its line: clones learn beside it, on a core that most solvers leave idle, where they
        ask nothing of it and there is room."""
        is_apart = hasattr(model, "_fit_again") and self._counted.all() and model._has_room_beside(self.rows)
        with beside(partial(self._hold_out_beside, clone(model))) if is_apart else nullcontext() as folds:
            model.fit(self.rows, self.labels, self._counted)
            return self.find_line(model, None if folds is None else model._unless_stopped(folds))

    def find_line(
        self, model: Any, folds: Callable[[], OutOfFold] | None = None
    ) -> tuple[Scaling | None, Probabilities]:
        """Return the line that makes scores of the fitted model log-odds, by scores of rows that clones of it were not
        fitted to, and how it came about; None where it was interrupted, or nothing tells.

        A penalty makes scores too small, features that are not independent make them too large, whatever was minimised.
        """
        if model.status_ is Status.INTERRUPTED:
            return _line_of(None, len(self.labels))
        held = self._hold_out(self._fit_again(model)) if folds is None else folds()
        return _line_of(held, len(self.labels))

    @property
    def _counted(self) -> Floats:
        return np.ones(len(self.labels)) if self.weight is None else self.weight

    def _hold_out(self, fit_again: FitAndScore) -> OutOfFold:
        classes, y = np.unique(self.labels, return_inverse=True)

        def fit_and_score(inside: Places, outside: Places) -> tuple[Floats, bool]:
            s, interrupted = fit_again(inside, outside)
            stretch = 1.0 if self.stretch is None else self.stretch[outside, None]
            return s.reshape(len(outside), -1) * stretch, interrupted

        hashed = hashes(self.rows if self.raw is None else self.raw, self.seed)
        splits = hold_out_hashed(hashed, y, count_folds(len(y)))
        return OutOfFold.collect(splits, y, self._counted, len(classes), fit_and_score)

    def _hold_out_beside(self, model: Any) -> OutOfFold:
        return self._hold_out(self._without_proof(model, limits_of_folds(model._limits())))

    def _fit_again(self, model: Any) -> FitAndScore:
        """Return what fits the same model to some rows and scores others: without a proof, where the model can."""
        weight = self._counted
        if hasattr(model, "_fit_again") and weight.all():
            return self._without_proof(model, model._limits_of_folds(model._limits()))
        again = clone(model)
        if not model.status_.finished:  # whoever stopped it does not wait for longer fits of the folds
            again.set_params(max_iter=int(model.n_iter_.max()))

        def fit_and_score(inside: Places, outside: Places) -> tuple[Floats, bool]:
            again.fit(self.rows[inside], self.labels[inside], weight[inside])
            return again.decision_function(self.rows[outside]), again.status_ is Status.INTERRUPTED

        return fit_and_score

    def _without_proof(self, model: Any, limits: Limits) -> FitAndScore:
        given = RowExamples(X=self.rows, **weigh_rows(model, self.rows, self.labels, self._counted).fields())
        fit: FitAndScore = model._fit_again(given, limits, self.seed)
        return fit


def fit_line_to_folds(
    model: Any, hashed: NDArray[np.uint64], y: Places, weight: Floats, fit_and_score: FitAndScore
) -> tuple[Scaling | None, Probabilities]:
    """Return the line of a fitted model for rows with these hashes (N,), wherever they are: `fit_and_score` fits and
    scores some."""
    if model.status_ is Status.INTERRUPTED:
        return _line_of(None, len(y))
    splits = hold_out_hashed(hashed, y, count_folds(len(y)))
    return _line_of(OutOfFold.collect(splits, y, weight, len(model.classes_), fit_and_score), len(y))


def _line_of(held: OutOfFold | None, n: int) -> tuple[Scaling | None, Probabilities]:
    """Return the line of scores that were held out, of n examples, and how it came about."""
    line = None if held is None else held.scaling()
    if held is None or line is None:
        return None, Probabilities("none: scores are taken as log-odds")
    s = np.hstack([np.zeros_like(held.scores), held.scores]) if held.scores.shape[1] == 1 else held.scores
    told = f"a line, on {held.of_folds(count_folds(n))}"
    return line, Probabilities(told, loss_of_scores(line(s), held.y, held.weight))
