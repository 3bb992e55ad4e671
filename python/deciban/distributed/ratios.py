"""NBSVM in partitions: passes over the features, which the log-count ratios of naive Bayes weigh as they are summed.

    s_i = f_i·(r ∘ (κ + v)) + b      is the problem over x_i = r ∘ f_i, whose scores have the offsets o_i = κ Σ_j x_ij

A gradient in v is r times the one in the weights of f, so that a part is kept once for all classes. The offsets add
Σ c a o = κ Σ_j v_j to what the dual bound loses, for a dual with Σ c a x = v.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._core import combination, scores
from ..data.folds import folds
from ..errors import UsageError
from ..losses import Floats, Hinge
from ..models.log_count_ratios import divisors_of_sample, log_count_ratios, worth_of_sample
from ..models.nbsvm import Weighed
from ..solvers import Limits, Problem
from .encoding import Survey
from .engines import Engine
from .minimising import Minimised, kept_point, reduce_over, require_margins_alone
from .newton import Reduce, Search
from .parts import Part
from .passes import Direction, Objective, Point, Rows, Sums


@dataclass
class RatioSearch(Search):
    """A search over v, of problems with ratios r (K, d) and centres κ (K,)."""

    surrogates: list[KnownNull]  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.ratios = np.vstack([each.ratios for each in self.surrogates])
        self.pull = np.array([each.pull for each in self.surrogates])

    def sum_at(self, point: Point, diagonal: bool) -> Sums:
        """Return the sums at a point. Cost: a pass."""
        sums = super().sum_at(self._weights_at(point), diagonal)
        return sums._replace(
            v=self.ratios * sums.v, diagonal=self.ratios**2 * sums.diagonal if diagonal else sums.diagonal
        )

    def sum_hessians(self, point: Point) -> Floats:
        """Return the Hessian of the loss of each problem (K, d + 1, d + 1). Cost: a pass."""
        tables, scale = super().sum_hessians(self._weights_at(point)), self._with_intercept(self.ratios)
        return tables * scale[:, :, None] * scale[:, None, :]

    def sum_product(self, direction: Direction) -> Floats:
        """Return the Hessian of the loss times a direction (K, d + 1). Cost: a pass."""
        return self._with_intercept(self.ratios) * super().sum_product(self._direction_at(direction))

    def sum_along(self, direction: Direction, lengths: Floats) -> Floats:
        """Return the loss of each problem at lengths (T, K) of a step. Cost: a pass."""
        return super().sum_along(self._direction_at(direction), lengths)

    def offset_of(self, v: Floats) -> Floats:
        """Return by problem Σ c a o, of the offsets o of the scores, for duals with Σ c a x = v (K, d)."""
        found: Floats = self.pull * v.sum(axis=1)
        return found

    def _weights_at(self, point: Point) -> Point:
        return point._replace(w=self.ratios * (self.pull[:, None] + point.w))

    def _direction_at(self, direction: Direction) -> Direction:
        return Direction(self._weights_at(direction.point), self._with_intercept(self.ratios) * direction.q)

    @staticmethod
    def _with_intercept(ratios: Floats) -> Floats:
        return np.column_stack([ratios, np.ones(len(ratios))])


@dataclass(frozen=True)
class KnownNull(Weighed):
    """A problem of an example a class, which weighs as all of them; `found` is P without weights of all of them."""

    found: float = 0.0

    @property
    def null(self) -> float:
        """P without weights."""
        return self.found


@dataclass(frozen=True)
class MinimisedRatios(Minimised):
    """NBSVM with a loss that is smooth."""

    def _search(
        self, engine: Engine, surveys: list[Survey], objective: Objective, counts: Floats, limits: Limits
    ) -> Search:
        """Return the search for the minimum: passes for the ratios, for their worth, and for P without weights."""
        reduce, model = reduce_over(engine, surveys), self.estimator
        model._check_weighing()
        seen: Floats = reduce(ClassSums(objective), None)
        samples = Samples(objective, model._seed(), float(counts.sum()), reduce)
        kind = np.float32 if model.binary else np.dtype(surveys[0].kind)
        surrogates = []
        for k, problem in enumerate(self._surrogates(objective, counts)):
            own = seen[k if objective.outputs > 1 else 1]
            sides = np.stack([own, seen.sum(axis=0) - own])
            ratios = log_count_ratios(sides, model.alpha).astype(kind).astype(np.float64)
            pull = model.pull
            if isinstance(pull, str):
                some = samples.of_both_sides(k)
                targets = objective.targets(some.y, k)
                pull = worth_of_sample(some.X, targets, some.repetition, sides, model.alpha)
            null = _null_of(problem, reduce(OffsetsOf(objective, k, pull * ratios), None))
            made = {field.name: getattr(problem, field.name) for field in fields(Problem)} | {"scale": ratios}
            surrogates.append(KnownNull(**made, pull=float(pull), found=null))
        return RatioSearch(objective, model._penalty(), surrogates, limits, reduce, engine.save_point)

    def _start(
        self, engine: Engine, surveys: list[Survey], objective: Objective, limits: Limits
    ) -> tuple[Floats, Floats] | None:
        """Return what an interrupted search came to; nothing else, as v = 0, which is naive Bayes, is a good start."""
        return kept_point(engine, surveys, objective)

    def _complete(self, model: Any, surrogates: list[Any]) -> None:
        """Give a fitted model what else it has."""
        model._keep_ratios(surrogates)


def _null_of(problem: Problem, offsets: Offsets) -> float:
    """Return P without weights, of scores with these offsets."""
    nothing = np.zeros((len(offsets.y), 1))
    return replace(problem, rows=nothing, y=offsets.y, c=offsets.c, offset=offsets.o).null


# Passes.


@dataclass(frozen=True)
class ClassSums:
    """Σ f of the examples of each class (C, d), each as often as its weight says."""

    objective: Objective

    def __call__(self, part: Part, arguments: tuple[Any, ...], shared: Any) -> Floats:
        """Return the sums of a part."""
        rows = Rows.of(self.objective, part, arguments)
        u = np.zeros((len(rows.y), len(self.objective.classes)))
        u[np.arange(len(rows.y)), rows.y] = 1.0 if rows.repetition is None else rows.repetition
        found: Floats = combination(rows.rows, u)
        return found

    def combine(self, left: Floats, right: Floats) -> Floats:
        """Return the sums of both."""
        return left + right


class Offsets(NamedTuple):
    """Offsets (N,) of the scores of one problem, with its targets and the weights of the examples."""

    o: Floats
    y: Floats
    c: Floats


@dataclass(frozen=True)
class OffsetsOf:
    """The offsets of problem k, f·w for weights w (d,) of naive Bayes."""

    objective: Objective
    k: int
    w: Floats

    def __call__(self, part: Part, arguments: tuple[Any, ...], shared: Any) -> Offsets:
        """Return those of a part."""
        rows = Rows.of(self.objective, part, arguments)
        return Offsets(
            scores(rows.rows, self.w[None, :], np.zeros(1))[:, 0], self.objective.targets(rows.y, self.k), rows.c
        )

    def combine(self, left: Offsets, right: Offsets) -> Offsets:
        """Return those of both."""
        return Offsets(*(np.concatenate(pair) for pair in zip(left, right, strict=True)))


class Sample(NamedTuple):
    """Some rows, the places of their labels, and how often each counts."""

    X: Any
    y: NDArray[np.intp]
    repetition: Floats


@dataclass(frozen=True)
class SampleOf:
    """The rows of which a hash is divisible by a number, as in memory."""

    objective: Objective
    divisor: int
    seed: int

    def __call__(self, part: Part, arguments: tuple[Any, ...], shared: Any) -> Sample:
        """Return those of a part."""
        with part.naming():
            encoded: Any = part.load(*(arguments or part.arguments))
            kept = np.flatnonzero(folds(encoded.X, self.divisor, self.seed) == 0)
            y = np.searchsorted(self.objective.classes, encoded.labels)[encoded.y[kept]]
            repetition = np.ones(len(kept)) if encoded.weight is None else encoded.weight[kept]
            return Sample(sparse.csr_array(encoded.X[kept]), y, repetition)

    def combine(self, left: Sample, right: Sample) -> Sample:
        """Return those of both."""
        X = sparse.vstack([left.X, right.X], "csr")
        return Sample(X, np.concatenate([left.y, right.y]), np.concatenate([left.repetition, right.repetition]))


class Samples:
    """Samples of rows, of a growing share, each drawn when it is asked for."""

    def __init__(self, objective: Objective, seed: int, n: float, reduce: Reduce) -> None:
        self._objective, self._seed, self._n, self._reduce = objective, seed, n, reduce
        self._drawn: dict[int, Sample] = {}

    def of_both_sides(self, k: int) -> Sample:
        """Return the smallest that has examples of both sides of problem k."""
        for divisor in divisors_of_sample(self._n):
            if divisor not in self._drawn:
                self._drawn[divisor] = self._reduce(SampleOf(self._objective, divisor, self._seed), None)
            found = self._drawn[divisor]
            if len(np.unique(self._objective.targets(found.y, k))) == 2:
                break
        return found


def plan_of(estimator: Any) -> MinimisedRatios:
    """Return how NBSVM is fitted in parts; UsageError where it is not."""
    require_margins_alone(estimator)
    if isinstance(estimator._loss(), Hinge):
        raise UsageError(
            "NBSVM cannot be fitted in partitions with loss='hinge', which has no Hessian. Expected a smooth loss. "
            "Choose loss='logistic' or loss='squared_hinge'."
        )
    return MinimisedRatios(estimator)
