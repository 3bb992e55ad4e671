"""Networks that learn on: batches that need not fit memory together, and one epoch more."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from time import perf_counter
from typing import Any, Self

from numpy.typing import ArrayLike

from deciban.data.rows import Rows
from deciban.data.transaction import all_or_nothing
from deciban.solvers.limits import draw_seed

from ..networks.batches import Rows as WeightedRows
from ..networks.batches import Shuffled, Streamed
from ..networks.history import Ending
from ..networks.network import copy_network
from ..networks.optimizers import IN_NO_BATCHES, FullBatch
from ..networks.training import Training
from .estimator import NetworkModel, examples_of
from .intake import DataSummary, width
from .settings import batch_of, type_of


class LearnsOn(NetworkModel):
    """A network that also learns batch by batch."""

    def _declare(self, classes: ArrayLike | None, y: ArrayLike) -> None:
        """Declare the classes or targets before any example is learnt; `y` are the first targets."""
        raise NotImplementedError

    def _fit_batches(self, batches: Iterable[Any], classes: ArrayLike | None, validation: Sequence[Any] | None) -> Self:
        with all_or_nothing(self):
            started, known = perf_counter(), Passing()
            first, source, once = open_batches(batches)
            X, y, _ = examples_of(first, "a batch")
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = width(X)
            self._declare(classes, y)
            held = None if validation is None else self._rows(self._validation(validation))

            def checked(batch: object) -> WeightedRows:
                given = self._more(*examples_of(batch, "a batch"), "a batch")
                if not training.history:
                    known.add(given.summarise())
                return self._part(given).read()

            plan = replace(self._plan(), max_iter=1) if once else self._plan()
            if isinstance(plan.optimizer, FullBatch):
                raise ValueError(IN_NO_BATCHES)
            training = Training(self._begin(X), plan, draw_seed(self.random_state))
            training.run(Streamed(source, checked), held)
            if once and training.ending is Ending.EXHAUSTED:
                training.ending = Ending.STREAMED
            self._become(training, training.history)
            self._baseline = None
            self._certify(training, known.summarise(), None)
            self._seconds = perf_counter() - started
        return self

    def partial_fit(
        self, X: Rows, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train for one epoch on more examples.

        The state of the optimizer goes on, but for a model that comes from a file: there it is new. A `fit` starts
        over.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels or targets.
        classes : array-like, optional
            All labels that may come, on the first call; without it they are those of its y. Later calls may bring no
            others. Regressions have none.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        estimator
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If the solver is "lbfgs", which does not learn in batches.
        """
        with all_or_nothing(self):
            started, goes_on = perf_counter(), hasattr(self, "network_")
            if not goes_on:
                self.__dict__.pop("feature_names_in_", None)
                self._meet_first(X, y, classes, sample_weight)
            elif classes is not None:
                self._same(classes)
            given = self._more(X, y, sample_weight, "partial_fit")
            rows, plan = self._part(given).read(), replace(self._plan(), max_iter=1)
            seen = self.history_ if goes_on else []
            network = copy_network(self.network_, given.X, type_of(self.dtype)) if goes_on else self._begin(given.X)
            if isinstance(plan.optimizer, FullBatch):
                raise ValueError(IN_NO_BATCHES)
            training = Training(network, plan, draw_seed(self.random_state))
            if goes_on:
                training.go_on(self._memory, self._random)
            training.run(Shuffled(rows, batch_of(self.batch_size, len(rows)), bool(self.shuffle)))
            if training.ending is Ending.EXHAUSTED:
                training.ending = Ending.STREAMED
            before = self.n_iter_ if goes_on else 0
            latest = [replace(each, epoch=before + 1) for each in training.history]
            self._become(training, [*seen, *latest])
            self._baseline = getattr(self, "_baseline", None) if goes_on else None
            known = join_summaries(self._proof if goes_on else None, given.summarise())
            self._certify(training, known, None)
            self._seconds = perf_counter() - started
        return self

    def _meet_first(self, X: Rows, y: ArrayLike, classes: ArrayLike | None, sample_weight: ArrayLike | None) -> None:
        if classes is None:
            self._meet(X, y, sample_weight)
        else:
            self._see(X)
            self._declare(classes, y)

    def _see(self, X: Rows) -> None:
        """Take over the number of features, and their names."""
        raise NotImplementedError

    def _same(self, classes: ArrayLike) -> None:
        """Raise ValueError where these are not the classes that are known."""
        raise NotImplementedError


def open_batches(batches: Iterable[Any]) -> tuple[Any, Iterable[Any], bool]:
    """Return the first batch, the batches from the first on, and whether they come only once."""
    if isinstance(batches, str | bytes) or not hasattr(batches, "__iter__"):
        raise ValueError(f"batches must be an iterable of (X, y) or (X, y, weight), got {type(batches).__name__}")
    begun = iter(batches)
    first = next(begun, None)
    if first is None:
        raise ValueError("batches must bring (X, y) or (X, y, weight); none came")
    once = begun is batches
    return first, chain([first], begun) if once else batches, once


class Passing:
    """Summary of a stream that has passed."""

    def __init__(self) -> None:
        self._all: DataSummary | None = None

    def add(self, more: DataSummary) -> None:
        """Add another batch."""
        self._all = join_summaries(self._all, more)

    def summarise(self) -> DataSummary:
        """Return the summary of all batches."""
        assert self._all is not None
        return self._all


def join_summaries(before: Any, more: DataSummary) -> DataSummary:
    """Join the summaries of examples, and of more; `before` is None, or has `n`, `class_counts` and `digest`."""
    if before is None:
        return more
    counts: Mapping[Any, float] = {
        label: before.class_counts.get(label, 0.0) + count for label, count in more.class_counts.items()
    }
    return DataSummary(before.n + more.n, counts, hashlib.sha256((before.digest + more.digest).encode()).hexdigest())
