"""A path over C: each price of an error tried on examples held out, each machine begun at the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban import _core
from deciban.certificates.certificate import Certificate
from deciban.certificates.intervals import Interval, clopper_pearson
from deciban.data.convergence import warn_once
from deciban.data.folds import check_folds, folds, whole_and_folds
from deciban.data.rows import Rows
from deciban.kernel_solvers import smo
from deciban.kernel_solvers.problem import KernelSolution
from deciban.models.path import simplest
from deciban.solvers.limits import check_positive
from deciban.solvers.problem import Limits, Status
from deciban.solvers.side_by_side import Halt, side_by_side, threads_for

from ..kernels.items import Items, between, items
from .arrangement import arrange
from .machine import unproven
from .margins import Machine, soft_margins
from .one_vs_one import decisions
from .pairs_together import run_to_end, stack_problems, stack_starts
from .probabilities import scores_of
from .problems import machines
from .sides import Side, sides_of

if TYPE_CHECKING:
    from .svm import SVM


_GRID = (0.1, 1.0, 10.0, 100.0)


class PathPoint(NamedTuple):
    """One C: the share of the examples held out that was judged wrongly, with its interval (95 %, Clopper & Pearson
    1934) and standard error √(e(1 − e)/n); and of the machine of all examples its support vectors and certificate."""

    C: float
    error: float
    interval: Interval
    standard_error: float
    n_support: int
    certificate: Certificate


@dataclass(frozen=True)
class Path:
    """Machines along values of C, and the selected one.

    Parameters
    ----------
    tried : tuple of PathPoint
        The machines by C, with their errors.
    C : float
        The selected value.
    model : SVM
        The machine fitted to all examples at it.

    Examples
    --------
    >>> from deciban import SVM
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> path(SVM(calibration=None), X, X[:, 0] > 0.0, Cs=[1.0]).C
    1.0
    """

    tried: tuple[PathPoint, ...]
    C: float
    model: SVM = field(repr=False)


@warn_once()
def path(
    model: SVM,
    X: Rows,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    Cs: Sequence[float] = _GRID,
    cv: int = 5,
) -> Path:
    """Fit an `SVM` along values of C, and select the simplest machine that is good enough by cross-validation.

        C* = min {C: e(C) ≤ min e + its standard error}        (Breiman, Friedman, Olshen & Stone 1984, §3.4.3)

    Each machine starts at the dual of the C before, times their ratio (DeCoste & Wagstaff 2000). Where the kernel is
    one that the core computes and half of the model's `memory_mb` holds the Gram matrix of the N examples in float32
    (float64 for linear and polynomial kernels), it is computed once, for all C and all folds. Equal examples share a
    fold; gamma="scale" and "median" are those of all examples. The limits of the model apply to each C, and Ctrl-C ends
    the path at the last C that is complete.

    Parameters
    ----------
    model : SVM
        The machine, which is not changed.
    X : array-like or CSR matrix of shape (n_samples, n_features)
        Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
    y : array-like of shape (n_samples,)
        Labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.
    Cs : sequence of float, default=(0.1, 1.0, 10.0, 100.0)
        Values of C.
    cv : int, default=5
        Number of folds.

    Returns
    -------
    Path
        The machines with their errors, and the selected one.

    Raises
    ------
    ValueError
        If the machine has `nu`, or `Cs` are empty or no costs.

    Examples
    --------
    >>> from deciban import SVM
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> found = path(SVM(calibration=None), X, np.hypot(*X.T) > 1.0, Cs=[0.01, 1.0, 100.0])
    >>> found.C, [each.certificate.status for each in found.tried]
    (100.0, ['converged', 'converged', 'converged'])
    """
    if getattr(model, "nu", None) is not None or not hasattr(model, "multi_class"):
        raise ValueError("a path over C is one of SVM with nu=None: the price C is what it goes along")
    k = check_folds(cv)
    prices = sorted({_price(C) for C in Cs})
    if not prices:
        raise ValueError("Cs is empty: at least one C is expected")
    started_at, model = perf_counter(), _like(model)
    given = items(model, X, y, sample_weight)
    along = _Along(model, given, k)
    tried, whole = [], []
    try:
        for C, found in along.prices(prices):
            whole.append(found[0])
            tried.append(along.estimate_error(C, found))
    except KeyboardInterrupt:
        if not tried:
            raise
    place = simplest(tried)
    chosen = along.model(tried[place].C)
    chosen._learn(given, whole[place])
    chosen._seconds = perf_counter() - started_at
    return Path(tuple(tried), tried[place].C, chosen)


def _like(model: SVM, **other: Any) -> Any:
    """Return a new model of the same parameters: not copies of them, so that a callback hears everything."""
    return type(model)(**{**model.get_params(deep=False), **other})


def _price(C: Any) -> float:
    if not check_positive("C", C) < np.inf:
        raise ValueError("a path over C goes along finite prices; C=inf, the hard margin, has no errors to pay for")
    return float(C)


class _Along:
    """All examples, and those that each fold leaves to learn from."""

    def __init__(self, model: SVM, given: Items, k: int) -> None:
        self.estimator, self.given, self.style = model, given, model._style(len(given.classes))
        self.splits = whole_and_folds(folds(given.X, k, model._seed()), k, given.y, len(given.classes))
        self.threads = threads_for(len(self.splits), model._threads())
        self.kernels = self._share_kernel()
        self.doubt = unproven(given.kernel, given.X)

    def model(self, C: float) -> Any:
        """Return the estimator at another C, which knows the features."""
        model = _like(self.estimator, C=C)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator, name):
                setattr(model, name, getattr(self.estimator, name))
        return model

    def _share_kernel(self) -> _core.SharedKernel | None:
        """Return the Gram matrix, where the core computes it and memory holds it."""
        given, model = self.given, self.estimator
        if model.solver not in ("auto", smo.NAME) or not smo.can_share(given.kernel, given.X):
            return None
        half = model._memory() // 2
        if smo.kernel_bytes(given.kernel, len(given.y)) > half:
            return None
        return smo.share_kernel(given.kernel, given.X, whole=True, memory=half, n_jobs=model._threads())

    def prices(self, Cs: Sequence[float]) -> Iterator[tuple[float, list[list[Machine]]]]:
        """Yield for each C the machines of each set of examples; KeyboardInterrupt at the one that Ctrl-C ended."""
        before: list[list[KernelSolution]] = [[] for _ in self.splits]
        last = Cs[0]
        for C in Cs:
            starts = [[replace(each, beta=each.beta * (C / last)) for each in known] for known in before]
            model = self.model(C)
            limits = model._limits()
            found = (
                self._apart(model, limits, starts)
                if self.kernels is None
                else self._at_once(self.kernels, model, limits, starts)
            )
            if any(machine.solution.status is Status.INTERRUPTED for some in found for machine in some):
                raise KeyboardInterrupt
            yield C, found
            before, last = [[machine.solution for machine in some] for some in found], C

    def _apart(self, model: SVM, limits: Limits, starts: list[list[KernelSolution]]) -> list[list[Machine]]:
        parts = (self.given.only(inside) for inside, _ in self.splits)
        return [machines(model, part, limits, start) for part, start in zip(parts, starts, strict=True)]

    def _at_once(
        self, kernels: _core.SharedKernel, model: SVM, limits: Limits, starts: list[list[KernelSolution]]
    ) -> list[list[Machine]]:
        """Return the machines of all sets, solved together."""
        places = [inside for inside, _ in self.splits]
        sides = [list(sides_of(self.given.y[own], len(self.given.classes), self.style)) for own in places]
        everywhere: list[Side] = [(own[rows], y) for own, some in zip(places, sides, strict=True) for rows, y in some]
        problems = stack_problems(self.given, everywhere, model._price())
        begun = stack_starts(problems, [each for some in starts for each in some])
        halt = Halt(limits.callback)
        share = model._memory() // (2 * self.threads)
        watched = replace(limits, callback=halt)
        solve = partial(run_to_end, kernels, self.given, problems, watched, begun, share)
        [solutions], interrupted = side_by_side([solve], 1, halt)
        if interrupted:
            raise KeyboardInterrupt
        found = iter(soft_margins(problems, solutions))
        return [[replace(next(found), rows=rows) for rows, _ in some] for some in sides]

    def estimate_error(self, C: float, found: list[list[Machine]]) -> PathPoint:
        """Return the errors on what each fold holds out, and what is known of the machine of all examples."""
        given, wrong, seen = self.given, 0.0, 0.0
        model = self.model(C)
        for (inside, outside), some in zip(self.splits[1:], found[1:], strict=True):
            part = given.only(inside)
            rows = between(given.kernel, given.X, outside, inside)
            f = scores_of(model, part, rows, arrange(some, part, self.style))
            missed = self._winner(f) != given.y[outside]
            wrong += float(given.repetition[outside][missed].sum())
            seen += float(given.repetition[outside].sum())
        error = wrong / seen
        whole = arrange(found[0], given, self.style)
        certificate = model._complete_proof(given, found[0], model._seed(), self.doubt)
        interval, spread = clopper_pearson(round(wrong), round(seen)), float(np.sqrt(error * (1.0 - error) / seen))
        return PathPoint(C, error, interval, spread, len(whole.support), certificate)

    def _winner(self, f: NDArray[np.float64]) -> NDArray[np.intp]:
        if self.style == "two":
            return (f[:, 0] > 0.0).astype(np.intp)
        f = decisions(f, len(self.given.classes)) if self.style == "ovo" else f
        return np.asarray(f.argmax(axis=1))
