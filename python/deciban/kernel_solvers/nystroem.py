"""Landmarks: the best machine among the functions of a few rows, for more rows than an exact one can bear.

    min over c (m,), b of   ½‖w‖² + Σ_i upper_i max(0, 1 − y_i (f(x_i) + b)),      f = w·φ = Σ_j c_j K(z_j, ·)

for landmarks z_j, m of the rows, drawn by a hash. With Φ = K_XZ·K_ZZ^(−1/2) (Williams & Seeger, NIPS 2001) this is a
linear machine of m features, which dual coordinate ascent solves; c = K_ZZ^(−1/2)·w. Where all rows are landmarks it is
the exact machine. What is lost is measured: `landmarks.prove`.

How far at most such a machine is from the exact one: its w is one of the exact problem's, so that its objective P is an
upper bound of the exact optimum, computed with the kernel itself. Its dual β is feasible there, too, and gives a lower
one. With K̂ = K_XZ K_ZZ⁺ K_ZX, the kernel that the landmarks stand for, and K − K̂ ⪰ 0,

    −D(sβ) = s·tᵀβ − ½ s² (βᵀK̂β + βᵀ(K − K̂)β)  ≤  exact optimum  ≤  P        for every s in [0, 1]

at the best s. βᵀ(K − K̂)β is computed where the support vectors are few; else it is the mean over rows drawn with
probabilities in proportion to |β|, which has a standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deciban.certificates.certificate import relative_gap
from deciban.data.folds import hashes
from deciban.data.refusal import check_whole
from deciban.data.rows import reals_for_core
from deciban.inner_product import dot
from deciban.kernels.evaluation import scores
from deciban.losses import Floats, Hinge
from deciban.penalties import L2
from deciban.solvers import dual_coordinate
from deciban.solvers.problem import Problem, Solution, Status, Step

from .certificate import KernelProof, primal_value
from .problem import KernelProblem, KernelSolution, Limits, feasible_start, scores_of_rows
from .smo import MEMORY

if TYPE_CHECKING:
    from deciban.features.deviation import Deviation


# So many values of the kernel are spent on the lower bound, and as many rows at least are drawn for it.
_VALUES, _ROWS = 1 << 27, 256


@dataclass(frozen=True)
class Landmarks:
    """f = Σ_j coefficients_j K(x_rows_j, ·); `root` (m, m) is K_ZZ^(−1/2), `deviation` how far K̂ is from K."""

    rows: NDArray[np.intp]
    coefficients: Floats
    root: Floats = field(repr=False)
    deviation: Deviation

    def expansion(self, N: int) -> Floats:
        """Return the coefficients (N,) of all rows."""
        full = np.zeros(N)
        full[self.rows] = self.coefficients
        return full


@dataclass(frozen=True)
class LandmarkProof(KernelProof):
    """The proof of the problem over landmarks; `bound`, below which no objective of the exact problem is, with its
    standard `error`, NaN where the kernel may be none; and how many landmarks and rows there are."""

    bound: float = np.nan
    error: float = 0.0
    counts: tuple[int, int] = (0, 0)
    deviation: Deviation | None = None


def prove_landmarks(problem: KernelProblem, solution: KernelSolution, seed: int = 0) -> LandmarkProof:
    """Return P, the dual value of the problem over landmarks, and the bound of the exact one. The violation is that of
    max(hi r, lo r) = β r, r = t − f − b, of an example: these sum to the gap.

    Cost: N·m values of the kernel and up to 2^27 more, or 256 times the number of support vectors.
    """
    made, beta = solution.landmarks, solution.beta
    assert made is not None
    f = scores_of_rows(problem, made.expansion(problem.count))
    primal = primal_value(problem, f, solution.b, max(0.0, dot(made.coefficients, f[made.rows])))
    support = np.flatnonzero(beta)
    w = made.root @ _between(problem, made.rows, support, beta[support])
    linear, squared = dot(problem.t, beta), dot(w, w)
    bound, error = np.nan, 0.0
    if problem.kernel.mercer:
        rest, error = _rest(problem, made, beta, support, made.root @ w, seed)
        whole = squared + max(0.0, rest)
        s = min(1.0, max(0.0, linear) / whole) if whole > 0.0 else 1.0
        bound, error = min(primal, s * linear - 0.5 * s * s * whole), 0.5 * s * s * error
    r = problem.t - f - solution.b[0]
    apart = np.maximum(problem.hi * r, problem.lo * r) - beta * r
    return LandmarkProof(
        primal,
        linear - 0.5 * squared,
        float(apart.max(initial=0.0)),
        solution.b,
        f,
        bound,
        error,
        (len(made.rows), problem.count),
        made.deviation,
    )


def _between(problem: KernelProblem, rows: Any, places: Any, coefficients: Floats) -> Floats:
    """Return (n,) Σ_j coefficients_j K(x_i, x_j) of these rows i over these places j."""
    centres = problem.kernel.centres(problem.X)[places]
    return scores(problem.kernel, problem.X[rows], centres, coefficients[:, None], problem.n_jobs)[:, 0]


def _rest(
    problem: KernelProblem, made: Landmarks, beta: Floats, support: NDArray[np.intp], standing: Floats, seed: int
) -> tuple[float, float]:
    """Return βᵀ(K − K̂)β and its standard error; `standing` (m,) are the coefficients of K̂β over the landmarks."""
    n, size = len(support), np.abs(beta[support])
    if not n:
        return 0.0, 0.0
    drawn = max(_ROWS, _VALUES // n)
    if drawn >= n:
        return dot(beta[support], _missing(problem, made, beta, support, support, standing)), 0.0
    total = float(size.sum())
    rows = support[np.random.RandomState(seed % 2**32).choice(n, drawn, p=size / total)]
    each = np.sign(beta[rows]) * _missing(problem, made, beta, support, rows, standing)
    return total * float(each.mean()), total * float(each.std(ddof=1)) / float(np.sqrt(drawn))


def _missing(
    problem: KernelProblem, made: Landmarks, beta: Floats, support: Any, rows: Any, standing: Floats
) -> Floats:
    """Return ((K − K̂)β)_i of these rows."""
    return _between(problem, rows, support, beta[support]) - _between(problem, rows, made.rows, standing)


def describe_landmarks(proofs: Sequence[KernelProof]) -> str:
    """Return what is lost by landmarks in the sum of these problems, in a sentence; nothing where all are exact."""
    near = [proof for proof in proofs if isinstance(proof, LandmarkProof) and proof.counts[0] < proof.counts[1]]
    if not near:
        return ""
    fewest, rows = min(proof.counts for proof in near)
    told = [f"an approximation by {fewest:,} landmarks for {rows:,} rows"]
    primal = sum(proof.primal for proof in proofs)
    bound = sum(proof.bound if isinstance(proof, LandmarkProof) else proof.dual for proof in proofs)
    if np.isfinite(bound):
        unit = abs(primal) / 100.0
        error = float(np.sqrt(sum(proof.error**2 for proof in near))) / unit
        about = f" (± {error:.2g}, from a sample)" if error else ""
        told.append(f"its objective is at most {(primal - bound) / unit:.3g} %{about} above that of the exact machine")
    worst = max((proof.deviation for proof in near if proof.deviation), key=lambda each: each.rms)
    told.append(worst.says)
    return "; ".join(told) + ". More landmarks need more memory_mb; solver='blocks' is exact"


# How many landmarks there are where nobody says: what `memory` holds, within these bounds.
FEWEST, MOST = 256, 2000


@dataclass(frozen=True)
class Approximate:
    """A solver of `count` landmarks; None: as many as `memory` holds of their features in float32, 256 to 2,000.

    `SVM(solver="nystroem")` is `SVM(solver=Approximate())`; its `support_` are the landmarks, and `dual_coef_` what
    they weigh. The features are kept in float64 where these fit, too.

    >>> Approximate(500).NAME, Approximate().EXACT
    ('nystroem', False)
    """

    count: int | None = None
    NAME: ClassVar[str] = "nystroem"
    EXACT: ClassVar[bool] = False

    def refusal(self, problem: KernelProblem) -> str | None:
        """Return what the problem lacks, or None."""
        finite = np.isfinite(problem.lo).all() and np.isfinite(problem.hi).all()
        told_apart = problem.plain and len(problem.sums) == 1 and not problem.sums.any() and (problem.t**2 == 1.0).all()
        if not (finite and told_apart):
            return "needs classes at a finite C: not ν, the hard margin, regression or one class"
        if hasattr(problem.X, "__array_namespace__") and not isinstance(problem.X, np.ndarray):
            return "needs rows of NumPy or SciPy, whose features the core reads"
        return None

    def solve(
        self,
        problem: KernelProblem,
        limits: Limits,
        start: KernelSolution | Floats | None = None,
        seed: int = 0,
        memory: int = MEMORY,
    ) -> KernelSolution:
        """Return the optimum over landmarks drawn by `seed`; β is its dual, `landmarks` what it is made of."""
        rows = self._draw(problem, seed, memory)
        from deciban.features.nystroem import Nystroem  # which itself solves nothing, but reads rows as machines do

        features = Nystroem(problem.kernel, landmarks=rows).fit(problem.X)
        fits = 8 * problem.count * len(rows) <= memory
        F = features.features(problem.X, np.float64 if fits else np.float32)
        upper = problem.hi - problem.lo
        linear = Problem(reals_for_core(F), problem.t, upper, Hinge(), L2(1.0), True, 1, problem.n_jobs)
        found, beta = _solve_linear(
            problem, linear, limits, None if start is None else feasible_start(problem, start), seed
        )
        made = Landmarks(rows, features.whitening_ @ found.w[0], features.whitening_, features.error_)
        return KernelSolution(beta, found.b, found.status, found.iterations, self.NAME, found.trace, landmarks=made)

    def _draw(self, problem: KernelProblem, seed: int, memory: int) -> NDArray[np.intp]:
        """Return those with the smallest hashes, whatever the order of the rows; machines that share rows share
        landmarks."""
        N = problem.count
        if self.count is not None:
            check_whole("count", self.count)
        count = min(MOST, max(FEWEST, memory // (4 * N))) if self.count is None else int(self.count)
        if count >= N:
            return np.arange(N)
        return np.sort(np.argsort(hashes(problem.X, seed + 1), kind="stable")[:count])


# The tolerance of the first look.
_FIRST = 0.1
# Duals this near to a bound, for one of 1, are moved to it.
_NEAR = 1e-7


def _settle(problem: KernelProblem, beta: Floats) -> Floats:
    """Return β at its bounds where it is near them, and with the sum 0, by what lies between the bounds if that is
    enough."""
    a = np.abs(beta) / (problem.hi - problem.lo)
    free = (a > _NEAR) & (a < 1.0 - _NEAR)
    beta = np.where(free, beta, np.where(a > 0.5, problem.hi + problem.lo, 0.0))
    missing = -float(beta.sum())
    room = np.where(free, problem.hi - beta if missing > 0.0 else beta - problem.lo, 0.0)
    if float(room.sum()) > abs(missing):
        beta = beta + missing * room / float(room.sum())
    return feasible_start(problem, beta)


def _solve_linear(
    problem: KernelProblem, linear: Problem, limits: Limits, beta: Floats | None, seed: int
) -> tuple[Solution, Floats]:
    """Return the solution of the linear problem and its β, begun at another one.

    The linear solver's own bound shrinks one side of its dual as a whole, where `_settle` moves what is free, and
    closes the gap in fewer passes: tolerances tighten step by step until it does.
    """
    tol, passes, ended = max(_FIRST, limits.tol), 0, perf_counter() + (limits.time_limit or np.inf)
    trace: tuple[Step, ...] = ()
    while True:
        left = None if limits.time_limit is None else max(1e-3, ended - perf_counter())
        within = replace(limits, tol=tol, max_iter=limits.max_iter - passes, time_limit=left)
        found = dual_coordinate.solve(linear, within, None if beta is None else _begin(linear, beta), seed)
        assert found.dual is not None
        beta, passes, trace = _settle(problem, linear.c * found.dual), passes + found.iterations, trace + found.trace
        done = tol <= limits.tol or _gap(linear, found, beta) <= limits.tol
        if done or not found.status.finished or passes >= limits.max_iter:
            status = Status.EXHAUSTED if found.status.finished and not done else found.status
            return replace(found, iterations=passes, trace=trace, status=status), beta
        tol = max(limits.tol, 0.25 * tol)


def _gap(linear: Problem, found: Solution, beta: Floats) -> float:
    """Return the relative gap between the primal at w, b and the dual at β. Cost: two passes over the features."""
    primal, v = linear.primal(found.w, linear.scores(found.w, found.b)), linear.combination(beta)
    return relative_gap(primal, dot(linear.y, beta) - 0.5 * dot(v, v))


def _begin(linear: Problem, beta: Floats) -> Solution:
    start = np.zeros((1, linear.shape[1])), np.zeros(1)
    return Solution(*start, Status.EXHAUSTED, 0, Approximate.NAME, beta / linear.c)
