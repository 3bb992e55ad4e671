"""Linear models that minimise a loss: parts are encoded once, and the minimum is found by passes over them."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..certificates.certificate import Certificate
from ..certificates.duality import share, stationarity
from ..data.estimator import clone
from ..data.examples import class_weights
from ..data.labels import union
from ..errors import DataError, UsageError
from ..losses import Floats, Hinge
from ..solvers import Limits, Problem, Solution, solve
from .encoding import Encode, Survey
from .engines import Engine
from .newton import NAME, Found, Reduce, Search
from .parts import Part
from .passes import CURVATURES, Objective, Rows
from .stages import Stages
from .sums import fitted_attributes

# So many parts at most tell where to begin; each is solved so far.
_LOCAL, _ROUGH = 8, 1e-2


@dataclass(frozen=True)
class Minimised:
    """A linear classifier of a loss that is smooth, or of the hinge."""

    estimator: Any

    def fit(self, engine: Engine, parts: list[Part]) -> dict[str, Any]:
        """Return the fitted attributes of the estimator for all parts."""
        surveys: list[Survey] | None = engine.keep(parts, Encode(_without_callback(self.estimator)))
        if not surveys:
            raise DataError(
                f"all {len(parts)} partitions are empty. Expected rows in one at least. Check the path, or the filter."
            )
        return self.minimise(engine, surveys)

    def minimise(self, engine: Engine, surveys: list[Survey]) -> dict[str, Any]:
        """Return the same for parts that the engine keeps."""
        limits, seed = self.estimator._limits(), self.estimator._seed()
        objective, counts = self._objective(surveys)
        search = self._search(engine, surveys, objective, counts, limits)
        try:
            found = search.run(surveys[0].columns, lambda: self._start(engine, surveys, objective, limits))
        finally:
            CURVATURES.forget(objective)
        return self._fitted(surveys, objective, counts, search.surrogates, found, seed)

    def _search(
        self, engine: Engine, surveys: list[Survey], objective: Objective, counts: Floats, limits: Limits
    ) -> Search:
        """Return the search for the minimum."""
        of, surrogates = Stages if isinstance(objective.loss, Hinge) else Search, self._surrogates(objective, counts)
        return of(
            objective, self.estimator._penalty(), surrogates, limits, reduce_over(engine, surveys), engine.save_point
        )

    def _objective(self, surveys: list[Survey]) -> tuple[Objective, Floats]:
        """Return what is minimised, and the weight of each class."""
        labels: list[Any] = []
        for survey in surveys:
            labels = union(labels, survey.labels.tolist()) if labels else survey.labels.tolist()
        classes = np.array(labels, dtype=np.result_type(*(each.labels.dtype for each in surveys)))
        if len(classes) < 2:
            raise DataError(f"at least two classes are expected; all labels are {labels[0]!r} (1 class)")
        counts = np.zeros(len(classes))
        for survey in surveys:
            counts[np.searchsorted(classes, survey.labels)] += survey.counts
        model = self.estimator
        everyone = np.arange(len(classes))
        weights = model._strength() * class_weights(model.class_weight, classes, everyone, counts)
        joint = model._together(len(classes))
        loss = model._loss_together() if joint else model._loss()
        return Objective(loss, classes, weights, joint, bool(model.fit_intercept), uuid.uuid4().hex), counts

    def _surrogates(self, objective: Objective, counts: Floats) -> list[Problem]:
        """Return problems of an example a class, without features, that weighs as all of its examples."""
        C, c = len(counts), objective.weights * counts
        rest = (objective.loss, self.estimator._penalty(), objective.intercept)
        if objective.joint:
            return [Problem(np.zeros((C, 1)), np.arange(C), c, *rest, C)]
        y = np.arange(C)
        return [Problem(np.zeros((C, 1)), objective.targets(y, k), c, *rest) for k in range(objective.outputs)]

    def _start(
        self, engine: Engine, surveys: list[Survey], objective: Objective, limits: Limits
    ) -> tuple[Floats, Floats] | None:
        """Return what an interrupted search came to, or the mean of the solutions of a few parts, evenly chosen."""
        if (known := kept_point(engine, surveys, objective)) is not None:
            return known
        some = [surveys[k] for k in np.unique(np.linspace(0, len(surveys) - 1, _LOCAL).astype(int))]
        whole = [each for each in some if len(each.labels) == len(objective.classes)]
        total = float(sum(each.counts.sum() for each in surveys))
        if not whole:
            return None
        task = Local(_without_callback(self.estimator), objective, replace(limits, tol=_ROUGH, callback=None), total)
        mean = engine.reduce(task, [each.part for each in whole], task.combine)
        return None if mean is None else (mean[1] / mean[0], mean[2] / mean[0])

    def _fitted(
        self,
        surveys: list[Survey],
        objective: Objective,
        counts: Floats,
        surrogates: list[Problem],
        found: Found,
        seed: int,
    ) -> dict[str, Any]:
        model, point = clone(self.estimator), found.value.point
        model.n_features_in_ = surveys[0].columns
        if surveys[0].names is not None:
            model.feature_names_in_ = surveys[0].names
        b = point.b - point.b.mean() if objective.joint else point.b
        model.classes_ = objective.classes
        pairs = [(point.w, b)] if objective.joint else [(w[None, :], b[[k]]) for k, w in enumerate(point.w)]
        model.solution_ = [
            Solution(w, each, found.status, found.iterations, NAME, None, found.trace) for w, each in pairs
        ]
        model.coef_, model.intercept_ = model._weights(surrogates, model.solution_)
        model.n_iter_ = np.full(len(pairs), max(1, found.iterations))
        model.temperature_ = 1.0 if model._fits_log_loss else None
        model._proof = self._certificate(surveys, objective, counts, surrogates, found, seed)
        model._seconds = 0.0
        self._complete(model, surrogates)
        model._show_in(np.dtype(surveys[0].kind))
        return fitted_attributes(model)

    def _complete(self, model: Any, surrogates: list[Any]) -> None:
        """Give a fitted model what else it has."""

    def _certificate(
        self,
        surveys: list[Survey],
        objective: Objective,
        counts: Floats,
        surrogates: list[Problem],
        found: Found,
        seed: int,
    ) -> Certificate:
        value, first = found.value, surrogates[0]
        names = hashlib.sha256("".join(each.digest for each in surveys).encode()).hexdigest()
        n = float(counts.sum())
        return Certificate(
            objective=f"Σ c·{first.loss.name} + {first.penalty.name}, {NAME}, {len(surrogates)} problems",
            primal=float(value.primal.sum()),
            dual=float((value.primal - value.gap).sum()),
            kkt_violation=share(stationarity(first, value.point.w, value.v), found.slope_at_zero),
            iterations=found.iterations,
            status=found.status.name.lower().replace("_", " "),
            advice="" if found.status.finished else found.status.value,
            seconds=0.0,
            n=n,
            d=surveys[0].columns,
            class_counts=dict(zip(objective.classes.tolist(), counts.tolist(), strict=True)),
            seed=seed,
            digest=names,
            training_error=value.sums.wrong / n if objective.outputs == 1 else None,
        )


def kept_point(engine: Engine, surveys: list[Survey], objective: Objective) -> tuple[Floats, Floats] | None:
    """Return what a search that was interrupted came to, if there was one."""
    known = engine.saved_point()
    return known if known is not None and known[0].shape == (objective.outputs, surveys[0].columns) else None


def _without_callback(estimator: Any) -> Any:
    """Return the estimator as workers have it: callbacks stay in the process that fits."""
    return clone(estimator).set_params(callback=None)


def reduce_over(engine: Engine, surveys: list[Survey]) -> Reduce:
    """Return what sums a task over the parts that an engine keeps."""
    kept = [survey.part for survey in surveys]
    return lambda task, shared: engine.reduce(task, kept, task.combine, shared)


@dataclass(frozen=True)
class Local:
    """The solution of a part, whose examples weigh as all: (1, W, b), which add up to a mean."""

    estimator: Any
    objective: Objective
    limits: Limits
    total: float

    def __call__(self, part: Part, arguments: tuple[Any, ...], shared: Any) -> tuple[float, Floats, Floats]:
        """Return the solution of a part."""
        rows, objective, model = Rows.of(self.objective, part, arguments), self.objective, self.estimator
        weight = len(rows.y) if rows.repetition is None else float(rows.repetition.sum())
        c = rows.c * (self.total / weight)
        rest = (objective.loss, model._penalty(), objective.intercept)
        if objective.joint:
            problems = [Problem(rows.rows, rows.y, c, *rest, objective.outputs, 1)]
        else:
            problems = [
                Problem(rows.rows, objective.targets(rows.y, k), c, *rest, 1, 1) for k in range(objective.outputs)
            ]
        found = [solve(problem, self.limits) for problem in problems]
        return 1.0, np.concatenate([each.w for each in found]), np.concatenate([each.b for each in found])

    def combine(self, left: Any, right: Any) -> Any:
        """Return the sums of both."""
        return tuple(a + b for a, b in zip(left, right, strict=True))


def plan_of(estimator: Any) -> Minimised:
    """Return how a linear classifier is fitted in parts; UsageError where it is not."""
    require_margins_alone(estimator)
    return Minimised(estimator)


def require_margins_alone(estimator: Any) -> None:
    """Raise UsageError for a linear classifier whose scores are calibrated by folds."""
    if not estimator._fits_log_loss and estimator.calibration is not None:
        raise UsageError(
            f"{type(estimator).__name__} cannot be fitted in partitions with calibration={estimator.calibration!r}, "
            "for which folds are held out of all rows. Expected margins alone. Choose calibration=None."
        )
