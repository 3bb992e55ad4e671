"""The linear support vector machine: the widest street between two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from deciban.losses import Floats, Hinge, Loss, SquaredHinge, by_name
from deciban.penalties import L2, Penalty
from deciban.solvers import Limits, Problem, Solution
from deciban.solvers.online import Online

from .calibrated import held_out_temperature
from .examples import Examples
from .hard_margin import priced, solve_hard
from .limits import check_positive
from .margins import Margins, widths
from .online import OnlineClassifier
from .weights import dense
from .zones import Zones, held_by, supported


class LinearSVM(Margins, OnlineClassifier):
    """A separating hyperplane with the largest margin, errors at the price C.

        min over w, b of   ½‖w‖² + C·Σ_i w_i ℓ(y_i, x_i·w + b),      ℓ the hinge or its square;
        C = inf:   min ½‖w‖²  subject to  y_i (x_i·w + b) ≥ 1    (the hard margin)

    Parameters
    ----------
    C : the price of an error, > 0. `inf` is the hard margin; data that no hyperplane separates are then refused, and
        the error shows a witness: a point that is a mixture of examples of either class.
    loss : "hinge" (Cortes & Vapnik 1995) or "squared_hinge".
    calibration : k > 1 fits A on k folds held out, so that A·(x·w + b) are log-odds: then there are probabilities and
        evidence in decibans. None: only margins, and k times quicker.
    fit_intercept, class_weight, solver, tol, max_iter, time_limit, callback, warm_start, step, random_state, n_jobs :
        see `LogisticRegression`. Many classes: one against the rest.

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
        calibration: int | None = 3,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float = 1e-4,
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
        return L2(1.0)

    def _strength(self) -> float:
        """Without limit, errors weigh 1 here: `hard_margin` forbids them."""
        return 1.0 if np.inf == self.C else check_positive("C", self.C)

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


# Duals and margins this near to a bound are at it.
_NEAR = 1e-6


def zones(problem: Problem, solution: Solution) -> Zones:
    """The four zones, by the margins and, on the margin, by the dual where the solver kept one."""
    m = problem.y * problem.scores(solution.w, solution.b)
    slack = 1.0 - m
    near = _NEAR * max(1.0, float(np.abs(m).max(initial=0.0)))
    if solution.dual is None or not isinstance(problem.loss, Hinge):
        on, held = np.abs(slack) <= near, slack > near
    else:
        a = np.abs(solution.dual)
        on, held = (a > _NEAR) & (a < 1.0 - _NEAR), a >= 1.0 - _NEAR
    wrong = held & (slack > 1.0)
    return Zones.of(on & ~held, held & ~wrong, wrong)
