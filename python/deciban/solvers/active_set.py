"""From a solution of a quadratic programme that is nearly optimal to one that is so up to rounding.

Its systems of equations may have no solution, or many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import lapack

from deciban.losses import Floats

# A solution counts where it leaves this share of the right side, at most.
_LEFT = 1e-9


def solve_nearest(system: Floats, wanted: Floats, rcond: float = 1e-14) -> Floats:
    """Return x (k,) with system·x = wanted; the shortest nearest one where there is none or more than one.

    >>> solve_nearest(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 2.0])).round(6).tolist()
    [1.0, 1.0]
    """
    if not len(wanted):
        return np.zeros(0)
    with np.errstate(all="ignore"):
        factors, swaps, broken = lapack.dgetrf(system)
        x: Floats = np.asarray(lapack.dgetrs(factors, swaps, wanted)[0], dtype=np.float64)
        exact = not broken and _solves(system, x, wanted)
        # A matrix that is singular up to rounding has factors as well, and they lead to any of its solutions.
        if exact and lapack.dgecon(factors, np.abs(system).sum(axis=0).max(initial=0.0))[0] >= rcond:
            return x
    shortest: Floats = np.asarray(np.linalg.lstsq(system, wanted, rcond=rcond)[0], dtype=np.float64)
    return x if exact and not _solves(system, shortest, wanted) else shortest


def _solves(system: Floats, x: Floats, wanted: Floats) -> bool:
    return bool(np.abs(system @ x - wanted).max(initial=0.0) <= _LEFT * np.abs(wanted).max(initial=0.0))


# How often the rows that are taken to be tight are chosen anew.
_ROUNDS = 20
# How many equations are solved at once.
_LARGEST = 2000
# Of a column as small a share is what rounding leaves of it.
_NOTHING = 1e-10


class Scaled(NamedTuple):
    """min ½ zᵀQz + cᵀz subject to A z ≥ a, in units that make the largest numbers of each row and column about 1.

    The programme's own z is `own(z)`, its u `prices` (m,) times this one, its value `cost` times. Of the variables
    `flat`, which Q does not know, the others are shares in `shift`.
    """

    Q: Floats
    c: Floats
    A: Floats
    a: Floats
    units: Floats
    prices: Floats
    cost: float
    flat: NDArray[np.bool_]
    shift: Floats

    def own(self, z: Floats) -> Floats:
        """Return z (n,) in the units of the programme."""
        z = self.units * z
        z[self.flat] -= self.shift @ z[~self.flat]
        return z

    def within(self, z: Floats, u: Floats) -> tuple[Floats, Floats]:
        """Return z and u of the programme in these units."""
        z = z.copy()
        z[self.flat] += self.shift @ z[~self.flat]
        return z / self.units, u / self.prices

    def violation(self, z: Floats, u: Floats) -> float:
        """Return the largest violation of the optimality conditions, relative to what each is a difference of."""
        Qz, Au, Az = self.Q @ z, self.A.T @ u, self.A @ z
        slope = np.abs(Qz + self.c - Au) / _positive(np.abs(Qz).max(initial=0.0), self.c, Au)
        sizes = np.maximum(np.abs(self.A) @ np.abs(z), np.abs(self.a))
        short = np.maximum(self.a - Az, 0.0) / np.where(sizes > 0.0, sizes, 1.0)
        apart = u * (Az - self.a) / max(float(np.abs(u) @ sizes), np.finfo(float).tiny)
        return float(max(part.max(initial=0.0) for part in (slope, short, np.abs(apart))))


def _positive(*parts: Any) -> float:
    return max(np.finfo(float).tiny, *(float(np.abs(part).max(initial=0.0)) for part in parts))


def scale_programme(Q: Any, c: Floats, A: Any, a: Floats) -> Scaled:
    """Return the programme in such units: of each row the largest factor, of each column the largest factor that is
    left, and of all the largest bound, is 1."""
    Q, A = (M.toarray() if sparse.issparse(M) else M for M in (Q, A))
    flat, shift = _find_shift(Q, A)
    A, c = A.copy(), c.copy()
    A[:, ~flat] -= A[:, flat] @ shift
    c[~flat] -= c[flat] @ shift
    columns, rows = np.ones(len(c)), np.ones(len(a))
    for _ in range(3):
        part = np.abs(A) * columns
        rows = _invert(part.max(axis=1, initial=0.0), np.abs(a))
        part = part * rows[:, None]
        seen = part.max(axis=0, initial=0.0)
        curved = np.sqrt(np.abs(Q.diagonal())) * columns
        largest = curved.max(initial=0.0)
        columns = columns * _invert(seen, curved / largest if largest else curved)
    A, a = A * rows[:, None] * columns, a * rows
    Q, c = Q * columns[:, None] * columns, c * columns
    length = float(np.abs(a).max(initial=0.0))
    curved, steep = float(np.abs(Q).max(initial=0.0)), float(np.abs(c).max(initial=0.0))
    if not length:
        length = steep / curved if steep and curved else 1.0
    Q, c, a = Q * length**2, c * length, a / length
    cost = max(curved * length**2, steep * length) or 1.0
    return Scaled(Q / cost, c / cost, A, a, columns * length, rows * (cost / length), cost, flat, shift)


def _find_shift(Q: Floats, A: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Return variables that Q does not know and most rows do, as the intercept of a margin, and what of each other
    column theirs can say: taken off, what lies far from the origin is moved to it."""
    flat = ~Q.any(axis=0) & (2 * np.count_nonzero(A, axis=0) >= max(1, len(A)))
    if not flat.any() or flat.all() or 2 * flat.sum() >= len(A):
        return np.zeros(len(flat), dtype=bool), np.zeros((0, len(flat)))
    rest = A[:, ~flat]
    shift = np.linalg.lstsq(A[:, flat], rest, rcond=None)[0]
    left = np.abs(rest - A[:, flat] @ shift).max(axis=0)
    return flat, shift * (left > _NOTHING * np.abs(rest).max(axis=0))


def _invert(first: Floats, second: Floats) -> Floats:
    """Return 1 over the first sizes, over the second ones where these are 0, and 1 where both are."""
    sizes = np.where(first > 0.0, first, second)
    return 1.0 / np.where(sizes > 0.0, sizes, 1.0)


def polish(inside: Scaled, z: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Return the best (z, u) of those that satisfy Qz + c = Aᵀu with equality in the rows that are tight.

    A row is taken to be tight where u_i exceeds (Az − a)_i (the primal-dual active set method of Hintermüller, Ito &
    Kunisch 2002); each round solves one system of equations, in the least change that does.
    """
    best, least = (z, u), inside.violation(z, u)
    seen: set[bytes] = set()
    for _ in range(_ROUNDS):
        tight = u > inside.A @ z - inside.a
        key = np.packbits(tight).tobytes()
        places = np.flatnonzero(tight)
        if key in seen or len(z) + len(places) > _LARGEST:
            break
        seen.add(key)
        z, u = _stationary(inside, z, np.where(tight, u, 0.0), places)
        now = inside.violation(z, np.maximum(u, 0.0))
        if now < least:
            best, least = (z, np.maximum(u, 0.0)), now
    return best


def _stationary(inside: Scaled, z: Floats, u: Floats, places: Any) -> tuple[Floats, Floats]:
    """Return the nearest (z, u) with no slope and equality at the places, after two rounds against rounding."""
    n, k = len(z), len(places)
    own = inside.A[places]
    system = np.zeros((n + k, n + k))
    system[:n, :n], system[:n, n:], system[n:, :n] = inside.Q, -own.T, own
    z, u = z.copy(), u.copy()
    for _ in range(2):
        wanted = np.concatenate([inside.A.T @ u - inside.Q @ z - inside.c, inside.a[places] - own @ z])
        change = solve_nearest(system, wanted)
        z += change[:n]
        u[places] += change[n:]
    return z, u
