"""What a machine over landmarks is, and how far at most it is from the exact one.

Its w is one of the exact problem's, so that its objective P is an upper bound of the exact optimum, computed with the
kernel itself. Its dual β is feasible there, too, and gives a lower one. With K̂ = K_XZ K_ZZ⁺ K_ZX, the kernel that the
landmarks stand for, and K − K̂ ⪰ 0,

    −D(sβ) = s·tᵀβ − ½ s² (βᵀK̂β + βᵀ(K − K̂)β)  ≤  exact optimum  ≤  P        for every s in [0, 1]

at the best s. βᵀ(K − K̂)β is computed where the support vectors are few; else it is the mean over rows drawn with
probabilities in proportion to |β|, which has a standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.inner_product import dot
from deciban.kernels.evaluation import scores
from deciban.losses import Floats

from .certificate import KernelProof, primal_value
from .problem import scores_of_rows

if TYPE_CHECKING:
    from deciban.features.deviation import Deviation

    from .problem import KernelProblem, KernelSolution

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
        """(N,) the coefficients of all rows."""
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


def prove(problem: KernelProblem, solution: KernelSolution, seed: int = 0) -> LandmarkProof:
    """P, the dual value of the problem over landmarks, and the bound of the exact one. The violation is that of
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
    """(n,) Σ_j coefficients_j K(x_i, x_j) of these rows i over these places j."""
    centres = problem.kernel.centres(problem.X)[places]
    return scores(problem.kernel, problem.X[rows], centres, coefficients[:, None], problem.n_jobs)[:, 0]


def _rest(
    problem: KernelProblem, made: Landmarks, beta: Floats, support: NDArray[np.intp], standing: Floats, seed: int
) -> tuple[float, float]:
    """βᵀ(K − K̂)β and its standard error; `standing` (m,) are the coefficients of K̂β over the landmarks."""
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
    """((K − K̂)β)_i of these rows."""
    return _between(problem, rows, support, beta[support]) - _between(problem, rows, made.rows, standing)


def says(proofs: Sequence[KernelProof]) -> str:
    """What is lost by landmarks in the sum of these problems, in a sentence; nothing where all are exact."""
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
