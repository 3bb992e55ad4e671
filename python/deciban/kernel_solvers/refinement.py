"""Coefficients that are near the optimum, brought to their sums or to where those that are free have no slope.

`polish` takes the variables to be free that are so at the β given, and solves their equations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deciban.losses import Floats
from deciban.solvers.active_set import solve_nearest

from .certificate import violations
from .problem import Gram, KernelProblem

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
