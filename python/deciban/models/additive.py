"""Least squares that learns in pieces, forgets and merges: its state is a sum."""

from __future__ import annotations

from abc import abstractmethod
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.declared_types import Estimator
from deciban.data.estimator import clone
from deciban.data.mixins import RegressorMixin
from deciban.data.rows import Rows
from deciban.data.validation import check_is_fitted
from deciban.distributions import StatisticError
from deciban.distributions.scatter import PooledScatter
from deciban.errors import DataError
from deciban.losses import Loss
from deciban.penalties import Penalty
from deciban.solvers import Limits
from deciban.solvers.closed_form import DIRECT

from ..data.offered import offer_unless
from ..data.transaction import all_or_nothing
from .kept_rows import KeptRows, defer_statistic, make_all
from .normal_equations import statistic
from .responses import Responses, responses


class Additive(RegressorMixin, Estimator):
    """A regression whose state is `statistics_`, the scatter of (x, y), where loss and penalty allow; else None."""

    loss: str
    penalty: str | None
    _single: bool
    _found: Any
    _kind: np.dtype[Any]
    _sparse: bool
    _seconds: float

    statistics_ = defer_statistic("statistics_", "The statistic, where the state is a sum; else None.")

    def __getstate__(self) -> Any:
        """A pickle, like a file, has the statistic and no rows."""
        return make_all(self, super().__getstate__())

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss, its parameters checked."""

    @abstractmethod
    def _penalty(self) -> Penalty:
        """Return the penalty, its parameters checked."""

    @abstractmethod
    def _limits(self) -> Limits:
        """Return the limits of the solver, checked."""

    def _no_sum(self) -> str:
        """Return why the state is no sum, or nothing where the loss is squared and the penalty quadratic."""
        if np.ndim(getattr(self, "alpha", 0.0)):
            return "learning in pieces needs one alpha for all targets; one a target is fitted as a whole: use fit"
        bounds = " and positive=True" if getattr(self, "positive", False) else ""
        if self.loss == "squared" and self.penalty in (None, "l2") and not bounds:
            return ""
        return (
            "learning in pieces needs loss='squared' and penalty None or 'l2', whose state is a sum; "
            f"loss={self.loss!r} with penalty={self.penalty!r}{bounds} is fitted as a whole: use fit"
        )

    @offer_unless(lambda self: self._no_sum())
    def partial_fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn more rows: their statistic is added.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            started = perf_counter()
            first = not hasattr(self, "statistics_")
            given = self._piece(X, y, sample_weight, first)
            self.statistics_ = statistic(given) if first else self._require_statistics() + statistic(given)
            self._found, self._single, self._sparse = None, given.single, False
            self._kind = given.kind if first else self._kind
            self._seconds = perf_counter() - started
        return self

    def forget(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back rows that were learnt with these weights.

        What is left has, to the last bit, the statistic of the other rows alone: sums and products are kept unrounded.
        A model keeps sums, not rows, so it cannot know which rows it has learnt. It refuses what its sums prove
        impossible: more rows than were learnt, sums where no row is left, and variances or covariances that no data
        have. Other rows that were never learnt are subtracted all the same, and what is left is then the model of no
        data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Rows that were learnt.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            The weights with which they were learnt.

        Returns
        -------
        estimator
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If the sums prove that a row was not learnt; the model is unchanged then.
        """
        check_is_fitted(self)
        with all_or_nothing(self):
            given = self._piece(X, y, sample_weight, first=False)
            try:
                self.statistics_ = self._require_statistics() - statistic(given)
            except StatisticError as error:
                names = [*self._names(), *(f"y[{k}]" for k in range(given.Y.shape[1]))]
                said = error.named(lambda j: f"feature {names[j]!r}", lambda c: "the data")
                raise DataError(str(said).replace("the same label", "the same target")) from None
            self._found = None
        return self

    def __add__(self, other: object) -> Self:
        """The model of both data sets together; both must have the same parameters, features and targets."""
        if not isinstance(other, type(self)):
            return NotImplemented
        check_is_fitted(self)
        check_is_fitted(other)
        mine, theirs = self._merge_key(), other._merge_key()
        for name, value in mine.items():
            if not np.array_equal(value, theirs[name]):
                raise ValueError(f"cannot merge models of different {name}: {value!r} and {theirs[name]!r}")
        merged: Self = clone(self)
        merged.__dict__.update({k: v for k, v in self.__dict__.items() if k.endswith("_in_")})
        merged.statistics_ = self._require_statistics() + other._require_statistics()
        merged._found, merged._single, merged._sparse = None, self._single, False
        merged._kind = np.result_type(self._kind, other._kind)
        merged._seconds = self._seconds + other._seconds
        return merged

    def __radd__(self, other: object) -> Self:
        """`sum(models)` begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _merge_key(self) -> dict[str, Any]:
        names = getattr(self, "feature_names_in_", None)
        shape = {
            "n_features_in_": self.n_features_in_,
            "feature_names_in_": names,
            "targets": self._count_targets(),
        }
        return {**self.learning_params(), **shape}

    def _piece(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None, first: bool) -> Responses:
        if reason := self._no_sum():
            raise AttributeError(reason)
        self._loss(), self._penalty(), self._limits()
        given, _ = responses(self, X, y, sample_weight, reset=first)
        if given.X.shape[1] > DIRECT:
            raise ValueError(
                f"learning in pieces keeps d² sums, for at most {DIRECT} features; X has {given.X.shape[1]}"
            )
        if not first and given.Y.shape[1] != (learnt := self._count_targets()):
            raise ValueError(f"y must have the {learnt} targets that were learnt, got {given.Y.shape[1]}")
        return given

    def _count_targets(self) -> int:
        """Return how many targets were learnt, without a statistic that is still to be made."""
        kept = vars(self)["statistics_"]
        if isinstance(kept, KeptRows):
            return int(kept.y.shape[1])
        return int(self._require_statistics().s.shape[2] - self.n_features_in_)

    def _require_statistics(self) -> PooledScatter:
        seen: PooledScatter | None = self.statistics_
        if seen is None:
            raise ValueError(
                "learning in pieces needs the sufficient statistic, which this fit has not kept: it is kept for "
                f"loss='squared' with penalty None or 'l2', and at most {DIRECT} features"
            )
        return seen

    def _names(self) -> list[Any]:
        names = getattr(self, "feature_names_in_", None)
        return list(range(self.n_features_in_)) if names is None else list(names)
