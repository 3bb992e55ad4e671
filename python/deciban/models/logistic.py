"""Logistic regression: log-odds that are linear in the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.losses import Logistic, Loss
from deciban.penalties import L1, L2, ElasticNet, NoPenalty, Penalty

from .online import OnlineClassifier


class LogisticRegression(OnlineClassifier):
    """log p(c | x) / p(k | x) is linear in x.

        min over w, b of   C·Σ_i w_i ln(1 + e^(−y_i (x_i·w + b))) + Ω(w),      y_i ∈ {−1, +1}

    and for many classes C·Σ_i w_i [log Σ_c e^(s_ic) − s_iy] (softmax), or one class against the rest each.

    Parameters
    ----------
    C : what the errors weigh against the penalty, > 0; with penalty "none" it changes nothing.
    penalty : "l2" ½‖w‖², "l1" ‖w‖₁, "elastic_net" ρ‖w‖₁ + ½(1 − ρ)‖w‖² with ρ = `l1_ratio`, or "none". The
        intercept is never penalised.
    l1_ratio : ρ from 0 to 1, of the penalty "elastic_net".
    multi_class : "auto" (softmax for many classes under "l2" and "none", else one against the rest), "softmax", "ovr".
    fit_intercept : whether b is learnt; else it is 0.
    class_weight : None, "balanced" (n / (C·n_c)) or a mapping from labels to weights.
    solver : "auto" (`deciban.solvers.choose` says which and why), or one of its names.
    tol : the relative duality gap (primal − dual) / |primal| to stop at.
    max_iter, time_limit (seconds), callback(iteration, objective, gap) → stop? : other reasons to stop. Ctrl-C is one,
        too: the best so far is kept, and `status_` says what happened.
    warm_start : whether `fit` begins where the last one ended.
    step : α of `partial_fit`, which learns from each example once: about as long as the weights are expected to become.
    random_state : the seed of the order in which examples are visited; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    One against the rest: probabilities are the softmax of the scores, so that `predict` never disagrees with them.
    Cox, J. R. Statist. Soc. B 20 (1958). Attributes: see `LinearClassifier`; after `partial_fit` also
    `stream_`, the state of the descent with its regret bound.

    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = LogisticRegression().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict(X).tolist(), model.certificate_.relative_gap <= 1e-4
    (['no', 'no', 'yes', 'yes'], True)
    """

    _keeps_single = True

    def __init__(
        self,
        C: float = 1.0,
        *,
        penalty: str | None = "l2",
        l1_ratio: float = 0.5,
        multi_class: str = "auto",
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 1000,
        time_limit: float | None = None,
        callback: Any = None,
        warm_start: bool = False,
        step: float = 1.0,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.callback = callback
        self.warm_start = warm_start
        self.step = step
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _needs_all_examples(self) -> str:
        if self.penalty in ("l1", "elastic_net"):
            return (
                f"a stream's mean weights are not sparse: penalty={self.penalty!r} needs fit, or choose 'l2' or 'none'"
            )
        if self.multi_class == "softmax":
            return "a stream is learnt one class against the rest: multi_class='softmax' needs fit, or choose 'auto'"
        return ""

    def _together(self, classes: int) -> bool:
        if self.multi_class not in ("auto", "softmax", "ovr"):
            raise ValueError(f"multi_class must be 'auto', 'softmax' or 'ovr', got {self.multi_class!r}")
        if classes == 2:
            return False
        if self.multi_class == "softmax" and self._penalty().l1:
            raise ValueError(f"multi_class='softmax' needs the penalty 'l2' or 'none', got {self.penalty!r}: use 'ovr'")
        return self.multi_class == "softmax" or (self.multi_class == "auto" and not self._penalty().l1)

    def _loss(self) -> Loss:
        return Logistic()

    def _penalty(self) -> Penalty:
        return penalty_of(self.penalty, self.l1_ratio)


def penalty_of(name: Any, ratio: Any) -> Penalty:
    """The penalty of that name at strength 1, so that C alone says what errors weigh."""
    if name == "elastic_net" and not (isinstance(ratio, int | float | np.number) and 0.0 <= ratio <= 1.0):
        raise ValueError(f"l1_ratio must be a number from 0 to 1, got {ratio!r}")
    known: dict[Any, Penalty] = {
        None: NoPenalty(),
        "none": NoPenalty(),
        "l2": L2(1.0),
        "l1": L1(1.0),
        "elastic_net": ElasticNet(1.0, float(ratio) if name == "elastic_net" else 0.5),
    }
    if not isinstance(name, str | None) or name not in known:
        raise ValueError(f"penalty must be 'l2', 'l1', 'elastic_net' or 'none', got {name!r}")
    return known[name]
