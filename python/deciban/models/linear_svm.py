"""The linear support vector machine: the widest street between two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from deciban.losses import CrammerSinger, Floats, Hinge, Loss, SquaredHinge, by_name
from deciban.penalties import L2, Penalty
from deciban.solvers import Limits, Problem, Solution
from deciban.solvers.online import Online

from ..data.examples import Examples
from ..solvers.limits import check_positive
from .calibrated import held_out_temperature
from .hard_margin import priced, solve_hard
from .logistic import penalty_of
from .margins import Margins, widths
from .online import OnlineClassifier
from .weights import dense
from .zones import Zones, held_by, supported


class LinearSVM(Margins, OnlineClassifier):
    """A separating hyperplane with the largest margin, errors at the price C.

        min over w, b of   Ω(w) + C·Σ_i w_i ℓ(y_i, x_i·w + b),      ℓ the hinge or its square;
        C = inf:   min ½‖w‖²  subject to  y_i (x_i·w + b) ≥ 1    (the hard margin)

    and with multi_class="crammer_singer" of all classes at once

        min over W, b of   ½‖W‖² + C·Σ_i w_i [max_k (1{k ≠ y_i} + s_ik) − s_iy],      s_i = W x_i + b

    Parameters
    ----------
    C : the price of an error, > 0. `inf` is the hard margin; data that no hyperplane separates are then refused, and
        the error shows a witness: a point that is a mixture of examples of either class.
    loss : "hinge" (Cortes & Vapnik 1995) or "squared_hinge".
    penalty : Ω: "l2" ½‖w‖², "l1" ‖w‖₁ (most weights become 0), or "elastic_net" ρ‖w‖₁ + ½(1 − ρ)‖w‖² with
        ρ = `l1_ratio`. The intercept is never penalised. The hard margin is of "l2".
    l1_ratio : ρ from 0 to 1, of the penalty "elastic_net".
    multi_class : "ovr", one class against the rest each, or "crammer_singer" (Crammer & Singer, JMLR 2, 2001): all
        together, with loss "hinge" and penalty "l2"; of two classes it is the hinge at scores 2(x·w + b) apart, as
        which it is solved.
    calibration : k > 1 fits A on k folds held out, so that A·(x·w + b) are log-odds: then there are probabilities and
        evidence in decibans. None: only margins, and k times quicker.
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

    A weight means repetition, to the last bit: equal examples are learnt as one of their summed weight, whatever the
    order of the rows. Fan, Chang, Hsieh, Wang & Lin, JMLR 9 (2008).

    Attributes: those of `LinearClassifier`; `zones_`, one `Zones` a problem; `temperature_`, A; `margin_` (K,), the
    geometric margin 1/‖w‖ of the street's half; after `partial_fit` also `stream_`, the state of the descent with its
    regret bound, but no `zones_` and, without a calibration, no probabilities.

    >>> X = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
    >>> street = LinearSVM(C=np.inf, calibration=None).fit(X, [1, 1, 1, -1, -1])
    >>> street.coef_.round(6).tolist(), street.intercept_.round(6).tolist(), street.zones_[0].on
    ([[-0.4, 1.2]], [-1.4], 3)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "hinge",
        penalty: str = "l2",
        l1_ratio: float = 0.5,
        multi_class: str = "ovr",
        calibration: int | None = 3,
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
        self.loss = loss
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.multi_class = multi_class
        self.calibration = calibration
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

    def _loss(self) -> Loss:
        return by_name(self.loss, Hinge, SquaredHinge)()

    def _penalty(self) -> Penalty:
        if self.penalty not in _PENALTIES:
            names = ", ".join(map(repr, _PENALTIES))
            raise ValueError(f"penalty must be one of {names}; got {self.penalty!r}")
        return penalty_of(self.penalty, self.l1_ratio)

    def _together(self, classes: int) -> bool:
        if self.multi_class not in ("ovr", "crammer_singer"):
            raise ValueError(f"multi_class must be 'ovr' or 'crammer_singer'; got {self.multi_class!r}")
        return self._joint and classes > 2

    @property
    def _joint(self) -> bool:
        """Whether all classes are one problem, its parameters checked."""
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

    def _problems(self, given: Examples) -> list[Problem]:
        problems = super()._problems(given)
        if self._joint and problems[0].K == 1:  # of two classes w is the difference of two halves
            problems = [problem.with_penalty(L2(0.5)) for problem in problems]
        return problems

    def _strength(self) -> float:
        """Without limit, errors weigh 1 here: `hard_margin` forbids them."""
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

    def _become(self, given: Examples, problems: list[Problem], solutions: list[Solution]) -> None:
        pairs = list(zip(problems, solutions, strict=True))
        if np.inf == self.C:
            pairs = [priced(problem, solution) for problem, solution in pairs]
        super()._become(given, *(list(part) for part in zip(*pairs, strict=True)))
        self.solution_ = solutions
        self.zones_ = [zones(problem, solution) for problem, solution in pairs]
        self._supported = supported(self.zones_, given.repetition)

    def _needs_all_examples(self) -> str:
        if self.penalty in ("l1", "elastic_net"):
            return f"a stream's mean weights are not sparse: penalty={self.penalty!r} needs fit, or choose 'l2'"
        if self.multi_class == "crammer_singer":
            return "a stream is learnt one class against the rest: multi_class='crammer_singer' needs fit"
        return (
            "the hard margin (C=inf) is of all examples at once and needs fit, or a finite C"
            if np.inf == self.C
            else ""
        )

    def _stream(self, given: Examples, known: Online) -> None:
        super()._stream(given, known)
        self.__dict__.pop("zones_", None)  # of examples that are no longer at hand

    @property
    def margin_(self) -> Floats:  # type: ignore[override]
        """(K,) 1/‖w‖, half the width of the street; ∞ for w = 0."""
        check_is_fitted(self)
        return widths(np.linalg.norm(dense(self.coef_), axis=1))

    def _held_by(self) -> int | str:
        """How many examples hold the boundary, or why that says nothing."""
        if not hasattr(self, "zones_"):
            return "a stream does not tell which examples hold the boundary"
        return held_by(self, self._supported)

    def _probabilistic(self) -> bool:
        return self.calibration is not None and getattr(self, "temperature_", 1.0) is not None

    def _temperature(self, given: Examples, limits: Limits, seed: int) -> float | None:
        if self.calibration is None:
            return None
        return held_out_temperature(self, given, self.calibration, limits, seed)


_PENALTIES = ("l2", "l1", "elastic_net")
# Duals and margins this near to a bound are at it.
_NEAR = 1e-6


def zones(problem: Problem, solution: Solution) -> Zones:
    """The four zones, by the margins and, on the margin, by the dual where the solver kept one."""
    m, a = _margins(problem, problem.scores(solution.w, solution.b), solution.dual)
    slack = 1.0 - m
    near = _NEAR * max(1.0, float(np.abs(m).max(initial=0.0)))
    if a is None or not isinstance(problem.loss, CrammerSinger | Hinge):
        on, held = np.abs(slack) <= near, slack > near
    else:
        on, held = (a > _NEAR) & (a < 1.0 - _NEAR), a >= 1.0 - _NEAR
    wrong = held & (slack > 1.0)
    return Zones.of(on & ~held, held & ~wrong, wrong)


def _margins(problem: Problem, s: Floats, dual: Floats | None) -> tuple[Floats, Floats | None]:
    """(N,) y·s, of many scores by how much the own one leads, and how much of an example's price is paid, in [0, 1]."""
    if problem.K == 1:
        return problem.y * s, None if dual is None else np.abs(dual)
    each = np.arange(len(s))
    others = s.copy()
    others[each, problem.y] = -np.inf
    return s[each, problem.y] - others.max(axis=1), None if dual is None else dual[each, problem.y]
