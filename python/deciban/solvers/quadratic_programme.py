"""The textbook's quadratic programme, as it stands.

    min over z   ½ zᵀQz + cᵀz      subject to      A z ≥ a

The hard margin is one in z = (b, w): Q = diag(0, I_d), c = 0, the rows of A are [y_i, y_i x_i], and a = 1.
Its optimality conditions (Karush 1939; Kuhn & Tucker 1951), with a multiplier u_i ≥ 0 for each row:

    Q z + c = Aᵀu,      A z ≥ a,      u ≥ 0,      u_i (A z − a)_i = 0,

and aᵀu − ½ zᵀQz is a lower bound of the minimum (Dorn 1960).

Clarabel's interior-point method solves it. Goulart & Chen, Clarabel: an interior-point solver for conic programs with
quadratic objectives (2024), arXiv:2405.12762.

`Street` is the widest street between two classes of rows, exactly: the quadratic programme of the hard margin.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from deciban.data.rows import is_sparse
from deciban.errors import InfeasibleError, UnboundedError
from deciban.lazy import cached_property
from deciban.losses import Floats
from deciban.solvers.limits import check_positive

from .active_set import Scaled, polish, scale_programme
from .limits import Watch
from .problem import Limits, Status

# What the interior-point method is asked for, whatever the caller tolerates.
PRECISION = 1e-10


class Programme(NamedTuple):
    """min ½ zᵀQz + cᵀz  subject to  A z = a in the first `equal` rows, A z ≤ a in the others; of Q the upper half."""

    Q: Any
    c: Floats
    A: Any
    a: Floats
    equal: int


def minimise(programme: Programme, limits: Limits, unit: float, solvable: bool) -> tuple[Any, Watch]:
    """Return Clarabel's answer and the watch.

    The watch sees the value of the caller's primal: `unit` times that of the programme, or of its dual where `unit` is
    negative. Where a solution exists (`solvable`), large numbers are not taken for proof of none.
    """
    import clarabel

    watch = Watch(limits)
    raised: list[Exception] = []

    def look(info: Any) -> bool:
        primal = unit * (info.cost_primal if unit > 0.0 else info.cost_dual)
        gap = abs(unit * (info.cost_primal - info.cost_dual))
        # What is raised here Clarabel would only print.
        try:
            return watch(int(info.iterations), float(primal), float(gap))
        except KeyboardInterrupt:
            watch.interrupt()
        except Exception as error:
            raised.append(error)
        return True

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = limits.max_iter
    settings.max_threads = 1  # more of them add in another order
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = min(limits.tol, PRECISION)
    if solvable:
        settings.tol_infeas_abs = settings.tol_infeas_rel = 0.0
        settings.reduced_tol_infeas_abs = settings.reduced_tol_infeas_rel = 0.0
    cones = [clarabel.ZeroConeT(programme.equal)] if programme.equal else []
    if len(programme.a) > programme.equal:
        cones.append(clarabel.NonnegativeConeT(len(programme.a) - programme.equal))
    Q, A = (sparse.csc_matrix(each) for each in (programme.Q, programme.A))
    solver = clarabel.DefaultSolver(Q, programme.c, A, programme.a, cones, settings)
    solver.set_termination_callback(look)
    found = solver.solve()
    if raised:
        raise raised[0]
    return found, watch


def status_of(found: Any, status: str) -> bool:
    """Return whether Clarabel ended so, or almost so."""
    return str(found.status) in (status, f"Almost{status}")


# Variables beyond which the eigenvalues of Q, which cost their cube, are not looked at any more.
_LARGEST = 5000
# An eigenvalue counts as negative below this share of the largest, and a certificate of infeasibility as one.
_ROUNDING = 1e-10
_REFUTED = 1e-7
_PRECISION = 1e-12


@dataclass(frozen=True)
class ProgrammeProof:
    """How near a solution is to the minimum, whoever found it.

    Attributes
    ----------
    primal : float
        ½ zᵀQz + cᵀz.
    dual : float
        aᵀu − ½ zᵀQz, below which no z that satisfies the constraints reaches.
    kkt_violation : float
        The largest violation of the four conditions, each relative to the sizes that it is a difference of.
    status : str
        "converged", or how the solver ended before.
    iterations : int
        Steps of the interior-point method.
    """

    primal: float
    dual: float
    kkt_violation: float
    status: str
    iterations: int

    @property
    def relative_gap(self) -> float:
        """(primal − dual) / |primal|; 0 where both are 0."""
        gap = self.primal - self.dual
        return gap / abs(self.primal) if self.primal else gap


class QPSolution(NamedTuple):
    """The solution of a quadratic programme.

    Parameters
    ----------
    solution : ndarray of shape (n_variables,)
        Solution z.
    multipliers : ndarray of shape (n_constraints,)
        Multipliers u ≥ 0 of the rows of A.
    certificate : ProgrammeProof
        Proof of the optimum.

    Examples
    --------
    >>> QPSolution(np.zeros(2), np.zeros(1), None).solution.tolist()
    [0.0, 0.0]
    """

    solution: Floats
    multipliers: Floats
    certificate: ProgrammeProof


class Minimum(NamedTuple):
    """z and u in the units of a scaled programme; and in its own, if there is none, what `refuted` its constraints, or
    along which direction it `falls`."""

    z: Floats
    u: Floats
    iterations: int
    watch: Watch
    refuted: Floats | None
    falls: Floats | None


def minimum(inside: Scaled, limits: Limits = Limits(tol=_PRECISION, max_iter=200)) -> Minimum:  # noqa: B008
    """Return the minimum of a scaled programme, polished, or why there is none."""
    programme = Programme(sparse.csc_matrix(np.triu(inside.Q)), inside.c, -sparse.csc_matrix(inside.A), -inside.a, 0)
    found, watch = minimise(programme, limits, inside.cost, False)
    z, u = np.nan_to_num(np.array(found.x)), np.maximum(np.nan_to_num(np.array(found.z)), 0.0)
    refuted = _check_refutation(inside, u) if status_of(found, "PrimalInfeasible") else None
    falls = _falling(inside, z) if status_of(found, "DualInfeasible") else None
    if refuted is None and falls is None:
        z, u = polish(inside, z, u)
    return Minimum(z, u, int(found.iterations), watch, refuted, falls)


def _check_refutation(inside: Scaled, u: Floats) -> Floats | None:
    """Return u of Farkas' lemma in the programme's own units, summing to 1, if it is one."""
    reach, left = (abs(inside.A).T @ u).max(initial=0.0), np.abs(inside.A.T @ u).max(initial=0.0)
    if not u.any() or left > _REFUTED * reach or inside.a @ u <= _REFUTED * (np.abs(inside.a) @ u):
        return None
    prices = inside.prices * u
    return np.asarray(prices / prices.sum())


def _falling(inside: Scaled, d: Floats) -> Floats | None:
    """Return the direction in the programme's own units, its largest part 1, if the objective falls along it."""
    if not (np.abs(d).max(initial=0.0) > 0.0 and inside.c @ d < 0.0):
        return None
    direction = inside.own(d)
    return np.asarray(direction / np.abs(direction).max())


@dataclass(frozen=True, eq=False)
class QP:
    """Minimise ½ zᵀQz + cᵀz subject to A z ≥ a.

    The numbers may have any scale: rows and variables are scaled inside, and which rows are tight being known from the
    interior-point method (Clarabel), z and u are the solution of one system of equations. Cost: about (n + m)³ a step
    where Q and A are dense, of which there are ten to thirty.

    Parameters
    ----------
    Q : array-like or sparse matrix (n, n)
        Positive semi-definite; of a matrix that is not symmetric the form zᵀQz counts.
    c : array-like (n,)
        The linear costs.
    A : array-like or sparse matrix (m, n)
        The constraints, one a row; m may be 0.
    a : array-like (m,)
        What each row of A z is at least.
    tol : float, default=1e-8
        The relative gap and violation from which a solution counts as converged.
    max_iter : int, default=200
        Largest number of steps.
    time_limit : float, optional
        Largest number of seconds.

    Attributes
    ----------
    solution, multipliers, certificate
        Those of `solve()`, which is called once.

    Raises
    ------
    ValueError
        For shapes that do not fit, numbers that are not finite, and a Q that is not positive semi-definite.
    InfeasibleError
        Where no z satisfies A z ≥ a.
    UnboundedError
        Where the objective falls for ever.

    Examples
    --------
    The hard margin of five points:

    >>> X = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
    >>> y = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
    >>> A = np.column_stack([y, y[:, None] * X])
    >>> z, u, proof = QP(np.diag([0.0, 1.0, 1.0]), np.zeros(3), A, np.ones(5)).solve()
    >>> z.round(6).tolist(), u.round(6).tolist(), proof.status
    ([-1.4, -0.4, 1.2], [0.0, 0.8, 0.0, 0.4, 0.4], 'converged')
    """

    Q: Any
    c: Any
    A: Any
    a: Any
    tol: float = field(default=1e-8, kw_only=True)
    max_iter: int = field(default=200, kw_only=True)
    time_limit: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        Q, A = (_matrix(name, getattr(self, name)) for name in ("Q", "A"))
        c, a = (_vector(name, getattr(self, name)) for name in ("c", "a"))
        n = len(c)
        if Q.shape != (n, n):
            raise ValueError(f"Q has the shape {Q.shape}, but c has {n} costs. Q must be ({n}, {n}).")
        if A.shape != (len(a), n) and not (len(a) == 0 and A.shape[0] == 0):
            raise ValueError(
                f"A has the shape {A.shape}, but there are {len(a)} bounds in a and {n} costs in c. "
                f"A must be ({len(a)}, {n})."
            )
        Q = 0.5 * (Q + Q.T)
        A = A if A.shape[1] == n else np.zeros((0, n))
        _check_convex(Q)
        for name, value in (("Q", Q), ("c", c), ("A", A), ("a", a)):
            object.__setattr__(self, name, value)

    @property
    def solution(self) -> Floats:
        """(n,) z."""
        return self._solved.solution

    @property
    def multipliers(self) -> Floats:
        """(m,) u ≥ 0."""
        return self._solved.multipliers

    @property
    def certificate(self) -> ProgrammeProof:
        """How near z is to the minimum."""
        return self._solved.certificate

    def solve(self) -> QPSolution:
        """Solve the programme.

        Returns
        -------
        QPSolution
            Solution, multipliers and certificate.

        Raises
        ------
        InfeasibleError
            If no z satisfies the constraints: its `multipliers` u ≥ 0 have Aᵀu = 0 and aᵀu > 0 (Farkas 1902).
        UnboundedError
            If the objective falls for ever: along its `direction` d, Qd = 0, Ad ≥ 0 and cᵀd < 0.
        """
        return self._solved

    @cached_property
    def _solved(self) -> QPSolution:
        tol = check_positive("tol", self.tol)
        limits = Limits(tol=min(tol, _PRECISION), max_iter=self.max_iter, time_limit=self.time_limit)
        inside = scale_programme(self.Q, self.c, self.A, self.a)
        found = minimum(inside, limits)
        if found.refuted is not None:
            raise InfeasibleError(found.refuted)
        if found.falls is not None:
            raise UnboundedError(found.falls)
        z, u, watch = found.z, found.u, found.watch
        violation = inside.violation(z, u)
        z, u = inside.own(z), inside.prices * u
        value, curved = float(self.c @ z), float(z @ (self.Q @ z))
        primal, dual = 0.5 * curved + value, float(self.a @ u) - 0.5 * curved
        size = abs(primal) + 1e-12 * (abs(curved) + abs(value))
        enough = violation <= max(tol, 1e-14) and abs(primal - dual) <= tol * size
        status = watch.status or (Status.CONVERGED if enough else Status.EXHAUSTED)
        proof = ProgrammeProof(primal, dual, violation, status.name.lower().replace("_", " "), found.iterations)
        return QPSolution(z, u, proof)


def _matrix(name: str, given: object) -> Any:
    if sparse.issparse(given):
        M = sparse.csc_array(given, dtype=np.float64)
        values = M.data
    else:
        M = np.array(given, dtype=np.float64)
        if M.size == 0 and M.ndim < 2:
            M = M.reshape(0, 0)
        values = M
    if M.ndim != 2:
        raise ValueError(f"{name} has {M.ndim} dimension(s). It must be a matrix.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} contains NaN or infinity. All numbers of a programme must be finite.")
    return M


def _vector(name: str, given: object) -> Floats:
    v = np.array(given, dtype=np.float64)
    if v.ndim != 1:
        raise ValueError(f"{name} has the shape {v.shape}. It must be a vector.")
    if not np.isfinite(v).all():
        raise ValueError(f"{name} contains NaN or infinity. All numbers of a programme must be finite.")
    return v


def _check_convex(Q: Any) -> None:
    """Raise ValueError unless Q is positive semi-definite, up to rounding."""
    if not Q.shape[0]:
        return
    diagonal = Q.diagonal()
    if Q.shape[0] > _LARGEST:
        raise ValueError(f"Q has {Q.shape[0]:,} variables. At most {_LARGEST:,} are expected. Reduce the programme.")
    # Variables in units in which the diagonal is 1: their scales decide nothing about a sign.
    unit = np.sqrt(np.where(diagonal > 0.0, diagonal, np.abs(Q).max() or 1.0))
    dense = Q.toarray() if sparse.issparse(Q) else Q
    values = np.linalg.eigvalsh(dense / unit[:, None] / unit[None, :])
    if values[0] < -_ROUNDING * max(abs(values[-1]), abs(values[0])) * len(diagonal):
        smallest = np.linalg.eigvalsh(dense)[0]
        raise ValueError(
            f"Q is not positive semi-definite: its smallest eigenvalue is {smallest:.6g}. QP minimises convex "
            "objectives. Give one."
        )


# How many features, or rows if there are fewer, and how many values are taken.
_LARGEST_STREET = 1500
_VALUES = 4_000_000
# Violations of the conditions, relative: what is rounding, and what is taken for a solution.
_STREET_ROUNDING = 1e-11
STREET_IS_ENOUGH = 1e-7


class Street(NamedTuple):
    """w (d,), b, the multipliers α (N,) ≥ 0, and how far the conditions of optimality are violated, relatively."""

    w: Floats
    b: float
    alpha: Floats
    violation: float


def suits_street(X: Any) -> bool:
    """Return whether the programme of rows X (N, d) is small enough."""
    N, d = X.shape
    return bool(min(N, d) <= _LARGEST_STREET and N * d <= _VALUES)


def widest_street(X: Any, y: Floats, intercept: bool = True, start: Street | None = None) -> Street | None:
    """Return the street of rows X (N, d) with classes y (N,) of −1 and +1, or None where there is none.

    `start` is made exact if it knows nearly which rows are on the margin.
    """
    X = X.toarray() if is_sparse(X) else X
    N, d = X.shape
    basis = None
    if d > N:  # w is a combination of rows: as many coordinates are enough
        basis, coordinates = np.linalg.qr(X.T)
        X, d = coordinates.T, N
    ahead = np.zeros(int(intercept))
    A = np.hstack([np.tile(y[:, None], (1, len(ahead))), y[:, None] * X])
    inside = scale_programme(np.diag([*ahead, *np.ones(d)]), np.zeros(d + len(ahead)), A, np.ones(N))

    def made(z: Floats, u: Floats) -> Street:
        violation, z, u = inside.violation(z, u), inside.own(z), inside.prices * u
        w = z[len(ahead) :]
        return Street(w if basis is None else basis @ w, float(z[0]) if intercept else 0.0, u, violation)

    if start is not None:
        w = start.w if basis is None else basis.T @ start.w
        near = made(*polish(inside, *inside.within(np.append(ahead + start.b, w), start.alpha)))
        if near.violation <= _STREET_ROUNDING and near.alpha.any():
            return near
    found = minimum(inside)
    if found.refuted is not None:
        return None
    return made(found.z, found.u)
