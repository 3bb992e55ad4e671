"""The optimum up to rounding, from coefficients that are near it: pairs of them in turn with all that are free.

    min over β   D(β) = ½ βᵀK̃β − tᵀβ     subject to   lo ≤ β ≤ hi,   Σ β of each group = sums

Steps of pairs (`smo`) change which coefficients lie at a bound; between these, the coefficients that lie between their
bounds go to their minimum, one system of equations, or as far towards it as the bounds allow (Nocedal & Wright,
Numerical Optimization, 2nd ed. 2006, §16.5). D never rises. No tolerance decides which coefficients are free, so that
weights and repetitions, other units and other orders of the examples lead to the same machine.

`polish` takes the variables to be free that are so at the β given, and solves their equations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from deciban import _core
from deciban.inner_product import dot
from deciban.losses import Floats
from deciban.solvers.active_set import solve_nearest

from .certificate import violations
from .problem import Gram, KernelProblem, Places

# Free coefficients at most, of which a system is solved.
_FREE = 2000
# Rounds at most, so many that gain nothing, and multiplications in all of them.
_ROUNDS, _PATIENCE, _WORK = 500, 4, 4e9
# A smaller share of D is rounding.
_GAIN = 1e-13
# Steps of pairs between two systems, for each variable; they end at this share of the violation.
_STEPS, _SHARE = 2, 0.1
# A pivot below this share of the largest is rounding.
_FLAT = 1e-13
# A violation of so many units in the last place of the sums that it is made of is none.
_ROUNDING = 2.0


def finish_exactly(problem: KernelProblem, K: Floats, beta: Floats) -> Floats:
    """Return β (m,) at the optimum, for the Gram matrix K (N, N) of the rows, or the best that was found.

    Cost: N² a step, and the cube of how many coefficients are free.
    """
    return ExactFinish(problem, K, beta).run() if problem.m and K.any() else beta


@dataclass
class ExactFinish:
    """β and its gradient, in units in which the median of |K's diagonal| is 1."""

    problem: KernelProblem
    K: Floats
    beta: Floats

    def __post_init__(self) -> None:
        problem = self.problem
        diagonal = np.abs(self.K.diagonal())
        self.unit = float(np.median(diagonal[diagonal > 0.0])) if diagonal.any() else 1.0
        self.lo, self.hi = self.unit * problem.lo, self.unit * problem.hi
        self.members = [np.flatnonzero(problem.group == g) for g in range(len(problem.sums))]
        self.size = np.sqrt(diagonal / self.unit)[problem.row]
        beta, near = self.unit * self.beta, 1e-14 * (self.hi - self.lo)
        beta = np.where(beta - self.lo <= near, self.lo, np.where(self.hi - beta <= near, self.hi, beta))
        self.work = 0.0
        self.become(beta)

    def become(self, beta: Floats) -> None:
        """Take β and find ∂D/∂β."""
        of_rows = self.problem.of_rows(beta)
        held = np.flatnonzero(of_rows)
        f = self.K[held].T @ of_rows[held] if 4 * len(held) < len(of_rows) else self.K @ of_rows
        self.beta, self.gradient = beta, f[self.problem.row] / self.unit - self.problem.t
        self.rises, self.falls = beta < self.hi, beta > self.lo

    def run(self) -> Floats:
        """Return the best β of the rounds."""
        (least, known), best, since, lowest = self.violation(), self.beta, 0, self.value()
        for _ in range(_ROUNDS):
            if least <= known or since > _PATIENCE or self.work > _WORK:
                break
            self.settle()
            now, known = self.violation()
            if now > known:
                self.pairs(now)
                self.settle()
                now, known = self.violation()
            value = self.value()
            since = 0 if now < 0.5 * least or value < lowest - _GAIN * abs(lowest) else since + 1
            lowest = min(lowest, value)
            if now < least:
                best, least = self.beta, now
        at_bound = np.where(best >= self.hi, self.problem.hi, self.problem.lo)
        return np.where((best > self.lo) & (best < self.hi), best / self.unit, at_bound)

    def value(self) -> float:
        """Return D(β)."""
        return 0.5 * dot(self.gradient - self.problem.t, self.beta)

    def extremes(self, own: Places) -> tuple[int, int]:
        """Return the variables of a group with the largest −∂D/∂β that may rise, and the smallest that may fall."""
        up = -self.gradient[own]
        first = np.where(self.rises[own], up, -np.inf).argmax()
        return int(own[first]), int(own[np.where(self.falls[own], up, np.inf).argmin()])

    def violation(self) -> tuple[float, float]:
        """Return how far the one is above the other, in the worst group; and how far rounding lets it be known."""
        worst, known = 0.0, 0.0
        length = float(self.size @ np.abs(self.beta))
        for own in self.members:
            i, j = self.extremes(own) if len(own) else (0, 0)
            apart = self.gradient[j] - self.gradient[i]
            if self.rises[i] and self.falls[j] and apart > worst:
                t = np.abs(self.problem.t[[i, j]]).max()
                worst, known = apart, _ROUNDING * np.finfo(float).eps * ((self.size[i] + self.size[j]) * length + t)
        return float(worst), float(known)

    def pairs(self, violation: float) -> None:
        """Make some steps of two coefficients, of those that are free or violate the conditions of optimality."""
        chosen = []
        for own in self.members:
            if not len(own):
                continue
            i, j = self.extremes(own)
            top, bottom, up = -self.gradient[i], -self.gradient[j], -self.gradient[own]
            rises, falls = self.rises[own], self.falls[own]
            wanted = (rises & falls) | (rises & (up >= bottom)) | (falls & (up <= top))
            chosen.append(own[wanted])
        W = np.concatenate(chosen)
        rows, ends = self.problem.row[W], np.cumsum([0, *map(len, chosen)]).tolist()
        table = np.ascontiguousarray(self.K[np.ix_(rows, rows)]) / self.unit
        beta, eps = self.beta.copy(), _SHARE * violation
        beta[W], _ = _core.block_steps(
            table, beta[W], self.gradient[W], self.lo[W], self.hi[W], ends, eps, _STEPS * len(W) + 10
        )
        self.become(beta)

    def settle(self) -> None:
        """Go to the minimum over the coefficients that are free, some of which end at a bound on the way."""
        while self.work <= _WORK:
            free = np.flatnonzero(self.rises & self.falls)
            if not 1 < len(free) <= _FREE or not self.step(free):
                return

    def step(self, free: Places) -> bool:
        """Make one step of the free coefficients, and return whether it met a bound."""
        group = self.problem.group[free]
        least = np.zeros(len(self.members), dtype=np.intp)
        ordered = np.argsort(-self.size[free], kind="stable")
        least[group[ordered]] = free[ordered]
        pivot = least[group]  # it keeps the sum of its group
        mine, others = free[pivot != free], pivot[pivot != free]
        if not len(mine):
            return False
        H = self._reduce(mine, others)
        self.work += len(mine) ** 3 / 3.0 + len(self.K) ** 2
        for way in _find_ways(H, self.gradient[mine] - self.gradient[others]):
            whole = np.zeros(len(self.beta))
            whole[mine] = way
            np.subtract.at(whole, others, way)
            if self.along(whole[free], free):
                return True
        return False

    def _reduce(self, mine: Places, others: Places) -> Floats:
        """Return the matrix of the directions in which one coefficient rises and that which keeps the sum falls."""
        row = self.problem.row
        pivots, which = np.unique(row[others], return_inverse=True)
        K = self.K[np.ix_(row[mine], row[mine])]
        across = self.K[np.ix_(row[mine], pivots)][:, which]
        H = K - across - across.T + self.K[np.ix_(pivots, pivots)][np.ix_(which, which)]
        return np.asarray(H / self.unit)

    def along(self, step: Floats, free: Places) -> bool:
        """Go the step, or to the first bound on the way; whether there was one."""
        if not np.isfinite(step).all():
            return False
        beta = self.beta[free]
        wanted = np.where(step > 0.0, self.hi[free], self.lo[free])
        room = np.divide(wanted - beta, step, out=np.full(len(step), np.inf), where=step != 0.0)
        far = float(room.min(initial=np.inf))
        met = room <= min(far * (1.0 + 1e-12), 1.0)
        beta = np.where(met, wanted, np.clip(beta + min(1.0, far) * step, self.lo[free], self.hi[free]))
        whole = self.beta.copy()
        whole[free] = beta
        self.become(whole)
        return far <= 1.0


def _find_ways(H: Floats, slope: Floats) -> Iterator[Floats]:
    """Yield the step to the minimum of ½ δᵀHδ + slopeᵀδ; and where H is singular and D falls for ever, a way that costs
    no curvature, so far that it meets a bound."""
    length = np.sqrt(np.abs(H.diagonal()))
    length[length == 0.0] = 1.0
    H, slope = H / length / length[:, None], slope / length
    U, places, rank, _ = lapack.dpstrf(H, tol=_FLAT, lower=0)
    kept, rest, U = places[:rank] - 1, places[rank:] - 1, U[:rank, :rank]
    step = np.zeros(len(slope))
    if rank:
        inner = H[np.ix_(kept, kept)]
        step[kept] = -_solve_factored(U, slope[kept])
        step[kept] -= _solve_factored(U, slope[kept] + inner @ step[kept])
    yield step / length
    if not len(rest):
        return
    left = slope[rest] + H[np.ix_(rest, kept)] @ step[kept]
    worst = int(np.argmax(np.abs(left)))
    if abs(left[worst]) <= 1e-12 * (np.abs(H[rest[worst], kept]) @ np.abs(step[kept]) + np.abs(slope).max()):
        return
    flat = np.zeros(len(slope))
    flat[rest[worst]] = 1.0
    if rank:
        flat[kept] = -_solve_factored(U, H[kept, rest[worst]])
    flat = -np.sign(left[worst]) * flat / length
    yield 1e300 * flat / np.abs(flat).max()


def _solve_factored(U: Floats, right: Floats) -> Floats:
    """Return x of UᵀU x = right."""
    x: Floats = lapack.dpotrs(U, right, lower=0)[0]
    return x


# How often the variables that are taken to be free are chosen anew.
_POLISH_ROUNDS = 20
# How many variables may be free.
_POLISH_FREE = 3000


def balance(problem: KernelProblem, beta: Floats) -> Floats:
    """Return β within its bounds and with its sums: what is missing goes to the variables between their bounds, by the
    room that they have, and only where that is too little to those at a bound."""
    beta = np.clip(beta, problem.lo, problem.hi)
    between = (beta > problem.lo) & (beta < problem.hi)
    for g, wanted in enumerate(problem.sums):
        inside = problem.group == g
        for places in (inside & between, inside):
            missing = wanted - float(beta[inside].sum())
            if abs(missing) <= 1e-14 * np.abs(beta[inside]).sum():
                break
            room = (problem.hi if missing > 0.0 else problem.lo)[places] - beta[places]
            endless = np.isinf(room)
            if endless.any():
                beta[places] += missing * endless / endless.sum()
            elif room.any():
                beta[places] += room * min(1.0, missing / float(room.sum()))
    return np.clip(beta, problem.lo, problem.hi)


def polish(problem: KernelProblem, K: Gram, beta: Floats) -> Floats:
    """Return the best β of those where K̃β − t + b = 0 on the variables that are free; as it came if none is better.

    Each round a variable is taken to be at a bound that it would cross by a step of −(K̃β − t + b)/κ, κ being the mean
    of K̃'s diagonal, and the free ones, up to some thousands, solve a system of equations, in the least change that
    does: the primal-dual active set method of Hintermüller, Ito & Kunisch (2002). Cost: their cube, a round.
    """
    gradient = K.times(beta) - problem.t
    best, least = beta, float(violations(problem, beta, gradient).max(initial=0.0))
    kappa = float(K.diagonal().mean()) if problem.m else 0.0
    seen: set[bytes] = set()
    for _ in range(_POLISH_ROUNDS if kappa > 0.0 else 0):
        step = (gradient + _intercepts(problem, gradient, beta)[problem.group]) / kappa
        low, high = beta - step < problem.lo, beta - step > problem.hi
        active = np.packbits([low, high]).tobytes()
        if active in seen or np.count_nonzero(~(low | high)) > _POLISH_FREE:
            break
        seen.add(active)
        beta = np.where(low, problem.lo, np.where(high, problem.hi, beta))
        beta = balance(problem, _stationary(problem, K, beta, ~(low | high)))
        gradient = K.times(beta) - problem.t
        violation = float(violations(problem, beta, gradient).max(initial=0.0))
        if violation < least:
            best, least = beta, violation
    return best


def _intercepts(problem: KernelProblem, gradient: Floats, beta: Floats) -> Floats:
    """Return (G,) b as the mean of −∂D/∂β, each variable weighed by its distance from the nearer bound."""
    weight = np.minimum(np.minimum(beta - problem.lo, problem.hi - beta), 1e300)
    G = len(problem.sums)
    total = np.bincount(problem.group, weights=weight, minlength=G)
    sums = np.bincount(problem.group, weights=-weight * gradient, minlength=G)
    return np.asarray(np.divide(sums, total, out=np.zeros(G), where=total > 0.0))


def _stationary(problem: KernelProblem, K: Gram, beta: Floats, free: NDArray[np.bool_]) -> Floats:
    """Return β with the least change of its free variables that gives them no slope, and the groups their sums."""
    places = np.flatnonzero(free)
    members = (problem.group[places][None, :] == np.arange(len(problem.sums))[:, None]).astype(np.float64)
    members = members[members.any(axis=1)]
    k, G = len(places), len(members)
    if not k:
        return beta
    system = np.zeros((k + G, k + G))
    system[:k, :k] = K.block(places)
    system[:k, k:], system[k:, :k] = members.T, members
    short = problem.sums - np.bincount(problem.group, weights=beta, minlength=len(problem.sums))
    wanted = np.concatenate([(problem.t - K.times(beta))[places], short[np.unique(problem.group[places])]])
    change = solve_nearest(system, wanted, 1e-13)[:k]
    moved = beta.copy()
    moved[places] += change
    return moved
