"""Naive Bayes inside a max-margin or logistic model: counting sets the scale, minimising decides."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from deciban.data.refusal import check_number
from deciban.data.rows import as_rows
from deciban.errors import DataError
from deciban.losses import Floats, Hinge, Logistic, Loss, SquaredHinge, by_name
from deciban.penalties import L2, Penalty
from deciban.solvers import Limits, Problem, Solution

from ..data.examples import Examples
from ..data.offered import offered_unless
from .calibrated import held_out_temperature
from .linear import LinearClassifier
from .log_count_ratios import class_counts, log_count_ratios, worth
from .weights import SparseWeights


@dataclass(frozen=True)
class Weighed(Problem):
    """A problem over f ∘ r with the offset κ·f·r, which remembers `ratios`, r (d,), and `pull`, κ."""

    ratios: Any = None
    pull: float = 0.0


# Why there is no `coef_`.
_OF_PRESENCE = (
    "NBSVM has no coef_ with binary=True: its score is linear in 1{x > 0}, not in X; weights_ belong to "
    "(X > 0).astype(float), or choose binary=False"
)


class NBSVM(LinearClassifier):
    """A linear model whose features are weighed by the log-count ratios of naive Bayes.

        r = log (p / ‖p‖₁) / (q / ‖q‖₁),   p = α + Σ_{y_i = +1} w_i f_i,   q = α + Σ_{y_i = −1} w_i f_i,   f = 1{x > 0}
        min over v, b of   ½‖v‖² + C·Σ_i w_i ℓ(y_i, s_i),      s_i = f_i·(r ∘ (κ + v)) + b

    (Wang & Manning, ACL 2012). κ is where the weights are pulled to: at κ > 0 a feature that decides nothing keeps κ
    times the weight that naive Bayes gives it. For κ = 0 this is the paper's model; its interpolation
    v ← (1 − β)·mean|v| + β·v comes after the fit. Many classes: one against the rest, each with its own r.

    Parameters
    ----------
    C : the price of an error, > 0.
    alpha : pseudo-counts of a feature in either class, > 0.
    loss : "logistic", whose scores are log-odds; "squared_hinge", as in the paper; or "hinge".
    pull : κ ≥ 0, or "auto": what naive Bayes is worth, by examples scored without themselves
        (`log_count_ratios.worth`).
    interpolation : β from 0, nearly naive Bayes, to 1, no interpolation. The paper's choice is 0.25, for κ = 0.
    binary : f = 1{x > 0}; False takes the counts themselves.
    calibration : k > 1 fits A on k folds held out, so that A·s are log-odds, where the loss is one of the hinges; None:
        only margins.
    fit_intercept : whether b is learnt; else it is 0.
    class_weight : None, "balanced" (n / (C·n_c)) or a mapping from labels to weights.
    solver : "auto" (`deciban.solvers.choose` says which and why), or one of its names.
    tol : the relative duality gap (primal − dual) / |primal| to stop at.
    max_iter, time_limit (seconds), callback(iteration, objective, gap) → stop? : other reasons to stop. Ctrl-C is one,
        too: the best so far is kept, and `status_` says what happened.
    warm_start : whether `fit` begins where the last one ended.
    random_state : the seed of the order in which examples are visited; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Attributes: those of `LinearClassifier`, but `coef_` only where f is x, with `binary=False`; `weights_` (K, d) is
    r ∘ (κ + v), for f; `pull_` (K,), κ.

    >>> X = np.array([[2, 0, 1], [1, 0, 0], [0, 1, 1], [0, 3, 0]])
    >>> NBSVM().fit(X, ["a", "a", "b", "b"]).predict([[1, 0, 1], [0, 1, 0]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        C: float = 0.3,
        *,
        alpha: float = 1.0,
        loss: str = "logistic",
        pull: float | str = "auto",
        interpolation: float = 1.0,
        binary: bool = True,
        calibration: int | None = 3,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int = 1000,
        time_limit: float | None = None,
        callback: Any = None,
        warm_start: bool = False,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.loss = loss
        self.pull = pull
        self.interpolation = interpolation
        self.binary = binary
        self.calibration = calibration
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.callback = callback
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def coef_(self) -> Any:
        """(K, d) the weights of X, where f is X: AttributeError for f = 1{x > 0}, of which no weights of X make the
        score."""
        if self.binary:
            raise AttributeError(_OF_PRESENCE)
        return self._get_weights()

    @coef_.setter
    def coef_(self, weights: Any) -> None:
        self.weights_ = weights

    def _get_weights(self) -> Any:
        return self.weights_

    sparsify = offered_unless(lambda self: _OF_PRESENCE if self.binary else "")(SparseWeights.sparsify)
    densify = offered_unless(lambda self: _OF_PRESENCE if self.binary else "")(SparseWeights.densify)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.binary
        return tags

    def _loss(self) -> Loss:
        return by_name(self.loss, Logistic, SquaredHinge, Hinge)()

    def _penalty(self) -> Penalty:
        return L2(1.0)

    def _probabilistic(self) -> bool:
        calibrated = self.calibration is not None and getattr(self, "temperature_", 1.0) is not None
        return self.loss == "logistic" or calibrated

    def _temperature(self, given: Examples, limits: Limits, seed: int) -> float | None:
        if self.loss == "logistic":
            return 1.0
        return None if self.calibration is None else held_out_temperature(self, given, self.calibration, limits, seed)

    def _problems(self, given: Examples) -> list[Problem]:
        """Each with its features scaled by r, and κ·f·r as what the scores have besides."""
        given = replace(given, X=self._features(given.X))
        return [self._weighed(problem, given) for problem in super()._problems(given)]

    def _weighed(self, problem: Problem, given: Examples) -> Weighed:
        check_number("alpha", self.alpha, 0.0, "a finite number ≥ 0")
        if self.alpha == 0.0:
            raise ValueError("alpha must be > 0: a feature that one class has never shown would weigh infinitely")
        counts, rows = class_counts(problem, given.repetition), problem.rows
        r = log_count_ratios(counts, self.alpha).astype(rows[0].dtype if problem.sparse else rows.dtype)
        kappa = self.pull
        if isinstance(kappa, str) and kappa == "auto":
            kappa = worth(given.X, problem.y, given.repetition, counts, self.alpha, self._seed())
        check_number("pull", kappa, 0.0, "a finite number ≥ 0")
        ratios = r.astype(np.float64)  # as precise as the features are
        offset = kappa * problem.product(ratios[None, :], np.zeros(1)) if kappa else None
        scaled = (rows[0] * r[rows[1]], *rows[1:]) if problem.sparse else rows * r
        made = {field.name: getattr(problem, field.name) for field in fields(problem)}
        return Weighed(**{**made, "rows": scaled, "offset": offset}, ratios=ratios, pull=float(kappa))

    def _weights(self, problems: list[Problem], solutions: list[Solution]) -> tuple[Floats, Floats]:
        check_number("interpolation", self.interpolation, 0.0, "a finite number ≥ 0")
        beta = float(self.interpolation)
        if beta > 1.0:
            raise ValueError(f"interpolation must be from 0 to 1, got {self.interpolation!r}")
        v, b = super()._weights(problems, solutions)
        v = (1.0 - beta) * np.abs(v).mean(axis=1, keepdims=True) + beta * v
        return np.vstack([each.ratios * (each.pull + line) for each, line in zip(_all(problems), v, strict=True)]), b

    def _become(self, given: Examples, problems: list[Problem], solutions: list[Solution]) -> None:
        super()._become(given, problems, solutions)
        self.pull_ = np.array([each.pull for each in _all(problems)])
        if float(self.interpolation) != 1.0:  # the scores of the proof are of other weights
            self._proof = replace(self._proof, training_error=None)

    def _read_off(self) -> str:
        """Why the features were not fixed before the examples were seen."""
        return "what a feature weighs before it is learnt, r, was read off the examples"

    def _features(self, X: Any) -> Any:
        """f, in single precision where it is 0 or 1; counts are from 0."""
        X = as_rows(X)  # a place that is told twice is there once
        values = X.data if hasattr(X, "tocsr") else X
        if not self.binary:
            if values.size and values.min() < 0.0:
                raise DataError(f"Negative values in data for a naive Bayes of counts: {values.min():g} came")
            return X
        present = (values > 0.0).astype(np.float32)
        if values is X:
            return present
        return type(X)((present, X.indices, X.indptr), shape=X.shape)


def _all(problems: list[Problem]) -> list[Weighed]:
    return [problem for problem in problems if isinstance(problem, Weighed)]
