"""The linear support vector machine: the widest street between two classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from typing import Any

import numpy as np

from deciban.certificates.bound import Facts
from deciban.data.declared_types import parameters
from deciban.data.validation import check_is_fitted
from deciban.losses import CrammerSinger, Floats, Hinge, Loss, SquaredHinge, by_name
from deciban.penalties import L2, Penalty
from deciban.penalties import by_name as penalty_by_name
from deciban.solvers import Limits, Problem, Solution
from deciban.solvers.online import Online
from deciban.solvers.problem import Callback

from ..data.examples import RowExamples
from ..solvers.limits import check_positive
from .hard_margin import as_soft_margin, solve_hard
from .margins import Margins, widths
from .online import OnlineClassifier
from .weights import dense
from .zones import Zones, count_supporting, describe_support


@parameters
class LinearSVM(Margins, OnlineClassifier):
    """Linear support vector machine: the hyperplane with the largest margin, with errors at the cost C.

        min over w, b of   Ω(w) + C·Σ_i w_i ℓ(y_i, x_i·w + b),      ℓ the hinge or its square;
        C = inf:   min ½‖w‖²  subject to  y_i (x_i·w + b) ≥ 1    (the hard margin)

    and with multi_class="crammer_singer" of all classes at once

        min over W, b of   ½‖W‖² + C·Σ_i w_i [max_k (1{k ≠ y_i} + s_ik) − s_iy],      s_i = W x_i + b

    A weight means repetition, to the last bit: equal examples are fitted as one of their summed weight, whatever the
    order of the rows. Ctrl-C keeps the best weights so far, and `status_` says so. Cortes & Vapnik (1995); Fan, Chang,
    Hsieh, Wang & Lin, JMLR 9 (2008).

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors, > 0. `inf` is the hard margin; data that no hyperplane separates are then refused, and the error
        has a witness: a point that is a mixture of examples of either class.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Loss ℓ.
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
        Penalty Ω: ½‖w‖²; ‖w‖₁, under which most weights are 0; or ρ‖w‖₁ + ½(1 − ρ)‖w‖². The intercept is never
        penalised. The hard margin has "l2".
    l1_ratio : float, default=0.5
        Share ρ of the 1-norm in "elasticnet", from 0 to 1.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        One class against the rest each, or all together (Crammer & Singer, JMLR 2, 2001), with loss "hinge" and penalty
        "l2"; of two classes this is the hinge at scores 2(x·w + b) apart, as which it is solved.
    calibration : "temperature" or None, default="temperature"
        Temperature scaling on held-out examples, so that A·(x·w + b) are log-odds: it makes probabilities, and evidence
        in decibans. None: only margins, and less time.
    calibration_folds : int, default=3
        Number of folds for the calibration, at least 2. Equal examples share a fold. Only so many folds are held out as
        have 5,000 examples together, 500 of them outside the most frequent class.
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
    zones_ : list of Zones
        Which examples lie inside, on and outside the margin, of each problem; not after `partial_fit`.
    margin_ : ndarray of shape (n_problems,)
        Half the width of the margin, 1/‖w‖.
    temperature_ : float
        Temperature A of the calibration.
    stream_ : object
        After `partial_fit`, the state of the descent with its regret bound.

    Examples
    --------
    >>> X = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
    >>> street = LinearSVM(C=np.inf, calibration=None).fit(X, [1, 1, 1, -1, -1])
    >>> street.coef_.round(6).tolist(), street.intercept_.round(6).tolist(), street.zones_[0].on
    ([[-0.4, 1.2]], [-1.4], 3)
    """

    C: float = 1.0
    _: KW_ONLY
    loss: str = "hinge"
    penalty: str = "l2"
    l1_ratio: float = 0.5
    multi_class: str = "ovr"
    calibration: str | None = "temperature"
    calibration_folds: int = 3
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

    def _loss(self) -> Loss:
        return by_name(self.loss, Hinge, SquaredHinge)()

    def _penalty(self) -> Penalty:
        if self.penalty not in _PENALTIES:
            names = ", ".join(map(repr, _PENALTIES))
            raise ValueError(f"penalty must be one of {names}; got {self.penalty!r}")
        return penalty_by_name(self.penalty, ratio=self.l1_ratio)

    def _together(self, classes: int) -> bool:
        if self.multi_class not in ("ovr", "crammer_singer"):
            raise ValueError(f"multi_class must be 'ovr' or 'crammer_singer'; got {self.multi_class!r}")
        return self._joint and classes > 2

    @property
    def _joint(self) -> bool:
        """Return whether all classes are one problem, its parameters checked."""
        if self.multi_class != "crammer_singer":
            return False
        for name, wanted in (("loss", "hinge"), ("penalty", "l2")):
            if getattr(self, name) != wanted:
                raise ValueError(
                    f"multi_class='crammer_singer' needs {name}={wanted!r}, got {getattr(self, name)!r}: use 'ovr'"
                )
        return True

    def _loss_together(self) -> Loss:
        return CrammerSinger()

    def _problems(self, given: RowExamples) -> list[Problem]:
        problems = super()._problems(given)
        if self._joint and problems[0].K == 1:  # of two classes w is the difference of two halves
            problems = [problem.with_penalty(L2(0.5)) for problem in problems]
        return problems

    def _strength(self) -> float:
        """Return C: without limit, errors weigh 1 here: `hard_margin` forbids them."""
        if np.inf != self.C:
            return check_positive("C", self.C)
        if self.penalty != "l2" or self._joint:
            raise ValueError(
                f"C=inf, the hard margin, needs penalty='l2' and multi_class='ovr', got {self.penalty!r} and "
                f"{self.multi_class!r}: give a finite C"
            )
        return 1.0

    def _solve(
        self, problems: list[Problem], limits: Limits, start: list[Solution] | None, seed: int
    ) -> list[Solution]:
        if np.inf != self.C:
            return super()._solve(problems, limits, start, seed)
        return [solve_hard(problem, limits, seed) for problem in problems]

    def _become(self, given: RowExamples, problems: list[Problem], solutions: list[Solution]) -> None:
        pairs = list(zip(problems, solutions, strict=True))
        if np.inf == self.C:
            pairs = [as_soft_margin(problem, solution) for problem, solution in pairs]
        super()._become(given, *(list(part) for part in zip(*pairs, strict=True)))
        self.solution_ = solutions

    def _note_scores(
        self, given: RowExamples, problems: list[Problem], solutions: list[Solution], scores: list[Floats]
    ) -> None:
        found = zip(problems, solutions, scores, strict=True)
        self.zones_ = [zones(problem, solution, s) for problem, solution, s in found]
        self._supported = count_supporting(self.zones_, given.repetition)

    def _needs_all_examples(self) -> str:
        if self.penalty in ("l1", "elasticnet"):
            return f"a stream's mean weights are not sparse: penalty={self.penalty!r} needs fit, or choose 'l2'"
        if self.multi_class == "crammer_singer":
            return "a stream is learnt one class against the rest: multi_class='crammer_singer' needs fit"
        return (
            "the hard margin (C=inf) is of all examples at once and needs fit, or a finite C"
            if np.inf == self.C
            else ""
        )

    def _stream(self, given: RowExamples, known: Online) -> None:
        super()._stream(given, known)
        self.__dict__.pop("zones_", None)  # of examples that are no longer at hand

    @property
    def margin_(self) -> Floats:  # type: ignore[override]
        """(K,) 1/‖w‖, half the width of the street; ∞ for w = 0."""
        check_is_fitted(self)
        return widths(np.linalg.norm(dense(self.coef_), axis=1))

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        known = hasattr(self, "zones_")
        count = (
            describe_support(self, self._supported)
            if known
            else "a stream does not tell which examples hold the boundary"
        )
        return replace(super().facts_, support=count)


_PENALTIES = ("l2", "l1", "elasticnet")
# Duals and margins this near to a bound are at it.
_NEAR = 1e-6


def zones(problem: Problem, solution: Solution, s: Floats) -> Zones:
    """Return the four zones, by the margins and, on the margin, by the dual where the solver kept one."""
    m, a = _margins(problem, s, solution.dual)
    slack = 1.0 - m
    near = _NEAR * max(1.0, float(np.abs(m).max(initial=0.0)))
    if a is None or not isinstance(problem.loss, CrammerSinger | Hinge):
        on, held = np.abs(slack) <= near, slack > near
    else:
        on, held = (a > _NEAR) & (a < 1.0 - _NEAR), a >= 1.0 - _NEAR
    wrong = held & (slack > 1.0)
    return Zones.of(on & ~held, held & ~wrong, wrong)


def _margins(problem: Problem, s: Floats, dual: Floats | None) -> tuple[Floats, Floats | None]:
    """Return (N,) y·s, of many scores by how much the own one leads, and how much of an example's price is paid, in [0,
    1]."""
    if problem.K == 1:
        return problem.y * s, None if dual is None else np.abs(dual)
    each = np.arange(len(s))
    others = s.copy()
    others[each, problem.y] = -np.inf
    return s[each, problem.y] - others.max(axis=1), None if dual is None else dual[each, problem.y]
