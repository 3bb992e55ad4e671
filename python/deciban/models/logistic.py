"""Logistic regression: log-odds that are linear in the features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from deciban.data.declared_types import parameters
from deciban.losses import Logistic, Loss
from deciban.penalties import Penalty, by_name
from deciban.solvers.problem import Callback

from .online import OnlineClassifier


@parameters
class LogisticRegression(OnlineClassifier):
    """Logistic regression: log p(c | x) / p(k | x) is linear in x.

        min over w, b of   C·Σ_i w_i ln(1 + e^(−y_i (x_i·w + b))) + Ω(w),      y_i ∈ {−1, +1}

    and for many classes C·Σ_i w_i [log Σ_c e^(s_ic) − s_iy] (softmax), or one class against the rest each; then
    probabilities are the softmax of the scores, so that `predict` never disagrees with them. Ctrl-C keeps the best
    weights so far, and `status_` says so. Cox, J. R. Statist. Soc. B 20 (1958).

    Parameters
    ----------
    C : float, default=1.0
        Inverse regularisation strength, > 0; with penalty None it changes nothing.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        Penalty Ω: ½‖w‖²; ‖w‖₁; ρ‖w‖₁ + ½(1 − ρ)‖w‖²; or none. The intercept is never penalised.
    l1_ratio : float, default=0.5
        Share ρ of the 1-norm in "elasticnet", from 0 to 1.
    multi_class : {"auto", "softmax", "ovr"}, default="auto"
        Softmax of many classes, or one against the rest; "auto" is softmax under "l2" and None, else one against the
        rest.
    fit_intercept : bool, default=True
        Whether there is an intercept b; else it is 0.
    class_weight : "balanced" or mapping of label to float, optional
        Weights of classes; "balanced" is n / (C·n_c).
    solver : str or Solver, default="auto"
        Solver, "auto" or one of `deciban.solvers`.
    tol : float, default=1e-6
        Relative duality gap (primal − dual) / |primal| to stop at.
    max_iter : int, default=1000
        Largest number of iterations.
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(iteration, objective, gap)`; the solver stops when it returns something true.
    warm_start : bool, default=False
        Whether `fit` starts at the last solution.
    step : float, default=1.0
        Step size α of `partial_fit`, which learns from each example once: about the expected norm of the weights.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of examples; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights w; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts b.
    n_iter_ : ndarray of int
        Number of iterations of each problem.
    status_ : str
        How the fit ended.
    solution_ : list of Solution
        Solution of each problem.
    scorer_ : Score
        The compiled score, for predictions and explanations.
    certificate_ : Certificate
        Objective, duality gap, and how the fit ended.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.
    stream_ : object
        After `partial_fit`, the state of the descent with its regret bound.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = LogisticRegression().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict(X).tolist(), model.certificate_.relative_gap <= 1e-4
    (['no', 'no', 'yes', 'yes'], True)
    """

    C: float = 1.0
    _: KW_ONLY
    penalty: str | None = "l2"
    l1_ratio: float = 0.5
    multi_class: str = "auto"
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | str | None = None
    solver: str = "auto"
    tol: float = 1e-6
    max_iter: int = 1000
    time_limit: float | None = None
    callback: Callback | None = None
    warm_start: bool = False
    step: float = 1.0
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    _keeps_single = True

    def _needs_all_examples(self) -> str:
        if self.penalty in ("l1", "elasticnet"):
            return f"a stream's mean weights are not sparse: penalty={self.penalty!r} needs fit, or choose 'l2' or None"
        if self.multi_class == "softmax":
            return "a stream is learnt one class against the rest: multi_class='softmax' needs fit, or choose 'auto'"
        return ""

    def _together(self, classes: int) -> bool:
        if self.multi_class not in ("auto", "softmax", "ovr"):
            raise ValueError(f"multi_class must be 'auto', 'softmax' or 'ovr', got {self.multi_class!r}")
        if classes == 2:
            return False
        if self.multi_class == "softmax" and self._penalty().l1:
            raise ValueError(f"multi_class='softmax' needs the penalty 'l2' or None, got {self.penalty!r}: use 'ovr'")
        return self.multi_class == "softmax" or (self.multi_class == "auto" and not self._penalty().l1)

    @property
    def _fits_log_loss(self) -> bool:
        return True

    def _loss(self) -> Loss:
        return Logistic()

    def _penalty(self) -> Penalty:
        return by_name(self.penalty, ratio=self.l1_ratio)
