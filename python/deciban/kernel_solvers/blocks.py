"""Blocks of coefficients: some hundreds at once, their kernels as one matrix product.

    min over β   D(β) = ½ βᵀK̃β − tᵀβ     subject to   lo ≤ β ≤ hi,   Σ β of each group = sums

Each round takes the q coefficients that violate the conditions of optimality most, half of them from the round before,
minimises over them by pairs (`smo`) within their q × q kernel, and adds K·Δβ to the gradient: Joachims (1999), §2;
Zanghirati & Zanni (2003); ThunderSVM (Wen et al. 2018) and oneDAL do so on wide machines. Rows whose coefficients lie
at a bound and want to stay there are left out of the gradient (shrinking, Joachims 1999, §4), and looked at again
before the end. Kernels whose values are at most 1 are float32, others as precise as X; the gradient is float64, and
computed anew from float64 kernels before a fit counts as converged. Cost of a round: a kernel of each row that is not
left out with each coefficient that moved, but for those that memory has kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.certificates.certificate import is_within
from deciban.data.devices import elsewhere, has_doubles, like, namespace, on_host, take_any, to_double
from deciban.data.rows import reals_for_core
from deciban.kernels.evaluation import in_core, rows_in_core
from deciban.losses import Floats
from deciban.threads import check_halted, ending

from .certificate import intercepts
from .problem import KernelProblem, KernelSolution, Limits, Places, Status, Watch, feasible_start, scores_within

NAME = "blocks"
EXACT = True
MEMORY = 200_000_000

# Kernels whose values are at most 1.
_BOUNDED = ("rbf", "tanh", "wave")
# Coefficients in a block.
BLOCK = 1024
# The steps within a block go on until its violation is this share of what it was at first.
_WITHIN = 0.1
# Steps within a block, for each of its coefficients.
_STEPS = 60
# How often the gradient is computed anew: float32 carries no further.
_LOOKS = 20
# Of so many values one is looked at, to say which are small.
_SAMPLED = 64
# Rounds between two looks at what can be left out, and the share of rows that must be left for that to be worth it.
_PATIENCE = 8
_WORTH = 0.75


class Engine(Protocol):
    """Kernels of chosen rows: the core's, or those of an array library."""

    def within(self, rows: Places) -> NDArray[Any]:
        """Return (q, q)."""

    def combination(self, rows: Places, coefficients: Floats) -> Floats:
        """Return Σ_j K(x_i, x_rows_j) coefficients_j of the rows i that it is restricted to."""

    def restrict(self, rows: Places | None) -> None:
        """Restrict the sums to these rows, or take all."""


class Measure(NamedTuple):
    """P, P + D, the largest violation, and whether the tolerance is reached."""

    primal: float
    gap: float
    violation: float
    enough: bool


def refusal(problem: KernelProblem) -> str | None:
    """Return what the problem lacks, or None."""
    return None


def solve(
    problem: KernelProblem,
    limits: Limits,
    start: KernelSolution | Floats | None = None,
    seed: int = 0,
    memory: int = MEMORY,
    gradient: Floats | None = None,
) -> KernelSolution:
    """Return the optimum, within `memory` bytes for tiles of the kernel; an iteration is a block. `gradient` is that
    at the start, in float64, where it is known.

    It stops when relative gap or largest violation is at most `limits.tol`, both in float64.
    """
    watch = Watch(limits)
    blocks = Blocks(problem, engine(problem, memory), feasible_start(problem, start), gradient)
    try:
        status = blocks.run(limits, watch)
    except KeyboardInterrupt:
        watch.interrupt()
        status = watch.ended("interrupted")
    with ending(status is Status.INTERRUPTED):
        beta, gradient = blocks.beta, blocks.recompute_gradient()
    b = intercepts(problem, beta, gradient)
    return KernelSolution(beta, b, status, blocks.iterations, NAME, tuple(watch.trace), gradient)


def engine(problem: KernelProblem, memory: int) -> Engine:
    """Return the core for kernels that floats hold well, on NumPy's and SciPy's rows, else the kernel's own tiles."""
    known = in_core(problem.kernel)
    if known and has_tiles(problem):
        return _core.KernelTiles(reals_for_core(problem.X), *known, memory=memory, n_jobs=problem.n_jobs)
    return Tiles(problem, memory)


def has_tiles(problem: KernelProblem) -> bool:
    """Return whether the core computes the kernel, in floats, of rows that it reads."""
    known = in_core(problem.kernel)
    return bool(known and known[0] in _BOUNDED and rows_in_core(problem.X))


class Blocks:
    """β, its gradient, and the block that was worked on last."""

    def __init__(self, problem: KernelProblem, engine: Engine, beta: Floats, gradient: Floats | None = None) -> None:
        self.problem, self.engine, self.beta = problem, engine, beta
        self.parts = (problem.t, problem.lo, problem.hi, problem.group, problem.sums, problem.row)
        self.plain = problem.plain
        self.last = np.zeros(0, dtype=np.int64)
        self.active: Places | None = None
        self.everything()
        self.iterations, self.steps = 0, 0
        self.fresh = False
        self.gradient = -problem.t if gradient is None else gradient.copy()
        if beta.any() and gradient is None:
            self.recompute_gradient()
        self.fresh = True

    def run(self, limits: Limits, watch: Watch) -> Status:
        """Return rounds until the limits."""
        worth, looks = np.inf, 0
        while True:
            now = self.measure(limits.tol)
            if now.enough and not self.fresh and (now.gap <= 0.5 * worth or now.violation <= limits.tol):
                looks += 1
                self.recompute_gradient()
                self.everything()
                now = self.measure(limits.tol)
                worth = now.gap
                if not now.enough:
                    self.shrink()
            stop = watch(self.iterations, now.primal, now.gap)
            if now.enough and self.fresh:
                return Status.CONVERGED
            if stop:
                return watch.status or Status.STOPPED
            if self.iterations >= limits.max_iter or looks >= _LOOKS:
                return Status.EXHAUSTED
            if not np.isfinite(now.violation):
                return Status.OVERFLOW
            self.round(now.violation, limits.tol)
            if self.iterations % _PATIENCE == 0:
                self.shrink()

    def measure(self, tol: float) -> Measure:
        """Return how far there is to go; the gradient of what is left out is that of when it was left out."""
        primal, gap, violation = _core.kernel_measure(self.parts, self.beta, self.gradient)
        if self.active is not None:
            beta, gradient = self.beta[self.active], self.gradient[self.active]
            violation = _core.kernel_measure(self.active_parts, beta, gradient)[2]
        close = np.isfinite(primal) and is_within(gap, primal, tol)
        return Measure(primal, gap, violation, bool(violation <= tol or close))

    def recompute_gradient(self) -> Floats:
        """Return the gradient, anew in float64."""
        if not self.fresh:
            self.gradient = scores_within(self.problem, self.beta) - self.problem.t
            self.fresh = True
        return self.gradient

    def everything(self) -> None:
        """Leave nothing out."""
        self.active, self.left = None, self.problem.count
        self.free = np.ones(self.problem.m, dtype=bool)
        self.engine.restrict(None)

    def shrink(self) -> None:
        """Leave out the rows all of whose coefficients lie at a bound and want to stay there."""
        problem, up = self.problem, -self.gradient
        rising, falling = self.free & (self.beta < problem.hi), self.free & (self.beta > problem.lo)
        wanted = np.zeros(problem.m, dtype=bool)
        for g in range(len(problem.sums)):
            rises, falls = rising & (problem.group == g), falling & (problem.group == g)
            top, bottom = up[rises].max(initial=-np.inf), up[falls].min(initial=np.inf)
            wanted |= (rises & (up >= bottom)) | (falls & (up <= top))
        of_rows = np.zeros(problem.count, dtype=bool)
        of_rows[problem.row[wanted]] = True
        rows = np.flatnonzero(of_rows)
        if len(rows) > _WORTH * self.left:
            return
        self.left, self.free = len(rows), of_rows[problem.row]
        self.active = np.flatnonzero(self.free)
        t, lo, hi, group, sums, row = self.parts
        A = self.active
        self.active_parts = (t[A], lo[A], hi[A], group[A], sums, row[A])
        self.place = np.searchsorted(rows, problem.row[self.active])
        self.last = self.last[self.free[self.last]]
        self.engine.restrict(rows)

    def round(self, violation: float, tol: float) -> None:
        """Minimise over one block."""
        problem, W = self.problem, self.choose()
        rows = problem.row[W]
        if self.plain:
            K = self.engine.within(rows)
        else:
            distinct, places = np.unique(rows, return_inverse=True)
            K = np.ascontiguousarray(self.engine.within(distinct)[places][:, places])
        ends = np.searchsorted(problem.group[W], np.arange(len(problem.sums) + 1)).tolist()
        before = self.beta[W]
        eps = max(_WITHIN * violation, 0.25 * tol)
        after, steps = _core.block_steps(
            K, before, self.gradient[W], problem.lo[W], problem.hi[W], ends, eps, _STEPS * len(W)
        )
        moved = np.flatnonzero(after != before)
        change = self.engine.combination(rows[moved], (after - before)[moved])
        # Ctrl-C before this leaves β and gradient as they were.
        self.beta[W] = after
        if self.active is not None:
            self.gradient[self.active] += change[self.place]
        else:
            self.gradient += change if self.plain else change[problem.row]
        self.fresh, self.last = False, W
        self.iterations, self.steps = self.iterations + 1, self.steps + steps

    def choose(self) -> Places:
        """Return the block (≤ q,), sorted by group: what violates most, and half of what was there before."""
        problem, up = self.problem, -self.gradient
        rising, falling = self.beta < problem.hi, self.beta > problem.lo
        kept = self.last[(rising & falling)[self.last]][-BLOCK // 2 :]
        rest = np.setdiff1d(self.last, kept)[: max(0, BLOCK // 2 - len(kept))]
        chosen = [kept, rest]
        free = self.free.copy()
        free[kept] = free[rest] = False
        room = (BLOCK - len(kept) - len(rest)) // (2 * len(problem.sums))
        for g in range(len(problem.sums)):
            own = free & (problem.group == g) if len(problem.sums) > 1 else free
            for candidates, values in ((np.flatnonzero(own & rising), -up), (np.flatnonzero(own & falling), up)):
                chosen.append(_least(candidates, values, room))
                own = own.copy()
                own[chosen[-1]] = False
        W = np.unique(np.concatenate(chosen))
        return W[np.argsort(problem.group[W], kind="stable")] if len(problem.sums) > 1 else W


def _least(candidates: Places, values: Floats, count: int) -> Places:
    """Return the candidates of the smallest values, ties by place."""
    if len(candidates) <= count:
        return candidates
    own = values[candidates]
    # Among many, those up to a value that a sample says are enough: most need not be ordered.
    place = 2 * count // _SAMPLED + 8
    if len(own) > 4 * _SAMPLED * place:
        few = np.flatnonzero(own <= np.partition(own[::_SAMPLED], place)[place])
        candidates, own = (candidates[few], own[few]) if len(few) >= count else (candidates, own)
    edge = np.partition(own, count - 1)[count - 1]
    below, at = candidates[own < edge], candidates[own == edge]
    return np.concatenate([below, at[: count - len(below)]])


class Tiles:
    """Rows of the kernel, as many at a time as `memory` holds. Where its values are at most 1 they are float32,
    elsewhere as precise as the device can; those of NumPy and SciPy as precise as X.

    On a device the rows that moved in one round are kept for the next, where half of them move again, if they fit a
    quarter of `memory`: what is chosen of them, what is new and what is then both stand beside them for a moment.
    """

    def __init__(self, problem: KernelProblem, memory: int) -> None:
        self.kernel = problem.kernel
        self.X = _fit_precision(problem)
        self.centres = self.kernel.centres(self.X)
        self.active, self.active_centres = self.X, self.centres
        self.columns = max(16, memory // (8 * max(1, problem.count)))
        size = 4 if str(getattr(self.X, "dtype", "")).endswith("float32") else 8
        self.largest = memory // (4 * size * max(1, problem.count)) if elsewhere(self.X) else 0
        self.places: Places = np.zeros(0, dtype=np.int64)
        self.kept: Any = None

    def restrict(self, rows: Places | None) -> None:
        """Restrict the sums to these rows, or take all; nothing is kept from before."""
        everything = rows is None
        self.active = self.X if everything else take_any(self.X, rows)
        self.active_centres = self.centres if everything else take_any(self.centres, rows)
        self.places, self.kept = np.zeros(0, dtype=np.int64), None

    def within(self, rows: Places) -> NDArray[Any]:
        """Return (q, q) on the host."""
        tile = self.kernel.tile(take_any(self.X, rows), take_any(self.centres, rows))
        return np.ascontiguousarray(on_host(tile))

    def combination(self, rows: Places, coefficients: Floats) -> Floats:
        """Return Σ_j K(x_i, x_rows_j) coefficients_j of the rows i that are wanted, on the host in float64."""
        distinct, place = np.unique(rows, return_inverse=True)
        if len(distinct) < len(rows):
            rows, coefficients = distinct, np.bincount(place, coefficients, len(distinct)).astype(np.float64)
        if 0 < len(rows) <= self.largest:
            return self._of_kept(rows, coefficients)
        total: Any = np.zeros(int(self.active.shape[0]))
        for first in range(0, len(rows), self.columns):
            check_halted()
            part = slice(first, first + self.columns)
            tile = self.kernel.tile(self.active, take_any(self.centres, rows[part]))
            total = total + _times(tile, coefficients[part])
        return np.asarray(total, dtype=np.float64)

    def _of_kept(self, rows: Places, coefficients: Floats) -> Floats:
        """Return the same, by rows of the kernel that are kept for the next time."""
        known = np.isin(rows, self.places)
        order = np.argsort(self.places)
        old = order[np.searchsorted(self.places, rows[known], sorter=order)]
        tiles = [take_any(self.kept, old)] if len(old) else []
        if not known.all():
            tiles.append(self.kernel.tile(take_any(self.X, rows[~known]), self.active_centres))
        tile = tiles[0] if len(tiles) == 1 else namespace(tiles[0]).concat(tiles)
        self.places, self.kept = np.concatenate([rows[known], rows[~known]]), tile
        moved = np.concatenate([coefficients[known], coefficients[~known]])
        return np.asarray(_times(tile, moved, axis=0), dtype=np.float64)


def _times(tile: Any, weights: Floats, axis: int = 1) -> Any:
    """Return the tile's sums over an axis, weighed, on the host."""
    if not elsewhere(tile):
        weights = weights.astype(tile.dtype)
        return tile @ weights if axis else weights @ tile
    there = like(weights, tile, dtype=tile.dtype)
    return on_host(namespace(tile).matmul(*((tile, there) if axis else (there, tile))))


def _fit_precision(problem: KernelProblem) -> Any:
    """Return X in the precision of the tiles; texts as they are."""
    X = problem.X
    if not hasattr(X, "dtype") or rows_in_core(X):
        return X
    if not elsewhere(X):
        return X.astype(np.float32)
    known, xp = in_core(problem.kernel), namespace(X)
    if known is not None and known[0] in _BOUNDED:
        return X if X.dtype == xp.float32 else xp.astype(X, xp.float32)
    return to_double(X) if has_doubles(X) else X
