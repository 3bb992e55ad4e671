"""Kernel machines: their parameters, their solver, and the certificate of what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban import kernel_solvers
from deciban.certificates.bound import Facts, Probabilities
from deciban.certificates.certificate import Certificate
from deciban.certificates.guarantees import add_bounds
from deciban.data.devices import fetch, keep_on_host, take
from deciban.data.mixins import is_classifier
from deciban.data.rows import Rows
from deciban.data.validation import check_is_fitted
from deciban.kernel_solvers import nystroem
from deciban.kernel_solvers.certificate import KernelProof
from deciban.kernel_solvers.problem import KernelProblem, KernelSolution, Places
from deciban.kernels import Kernel, Linear, mercer
from deciban.losses import Floats
from deciban.scores import KernelScore
from deciban.solvers.limits import check_positive, draw_seed, read_limits
from deciban.solvers.problem import Limits, Status, worst
from deciban.threads import OnThreads, effective_threads

from ..kernels.items import of_gram, of_texts, vectors_of, weights

if TYPE_CHECKING:
    from sklearn.utils import Tags

# The smallest eigenvalue is looked for among so many rows at most: the cost is their number cubed.
_LOOKED_AT = 500


class KernelMachine(OnThreads):
    """A machine that sees its items by a kernel only."""

    kernel: str | Kernel | Callable[..., Any]
    gamma: float | str
    degree: int
    coef0: Any
    solver: Any
    memory_mb: float
    random_state: int | np.random.RandomState | None
    n_jobs: int | None
    warm_start: bool
    kernel_: Kernel
    solution_: list[KernelSolution]
    _proof: Certificate | None
    _seconds: float

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = of_gram(self.kernel)
        return tags

    def __getstate__(self) -> Any:
        """A pickle, like a file, knows no devices: arrays of other libraries are NumPy's in it."""
        state: Any = super().__getstate__()
        return keep_on_host(state)

    def _limits(self) -> Limits:
        return read_limits(self)

    def _seed(self) -> int:
        return draw_seed(self.random_state)

    def _threads(self) -> int:
        return effective_threads(self.n_jobs)

    def _memory(self) -> int:
        """Return bytes that the solver may fill with values of the kernel."""
        return int(check_positive("memory_mb", self.memory_mb) * (1 << 20))

    def _solve(
        self,
        problem: KernelProblem,
        limits: Limits,
        start: KernelSolution | None = None,
        shares: int = 1,
        solver: str | None = None,
    ) -> KernelSolution:
        """Return what the solver, or that of the name, finds, when so many problems share the memory."""
        memory = self._share(problem.count, shares)
        return kernel_solvers.solve(problem, limits, solver or self.solver, start, self._seed(), memory=memory)

    def _share(self, count: int, shares: int) -> int:
        """Return bytes for each of so many problems at once, of up to `count` examples; ValueError if that is too
        little."""
        memory, needed = self._memory() // shares, 8 * count
        if memory < needed:
            raise ValueError(
                f"memory_mb={self.memory_mb} is too small: two rows of the kernel of {count:,} examples, for "
                f"each of {shares} problems at once, are {needed * shares / (1 << 20):.3g} MiB"
            )
        return memory

    @property
    def status_(self) -> Status:
        """Status of the solver: of several the one that is farthest from done."""
        check_is_fitted(self)
        if not self.solution_:
            raise AttributeError("a model from a file has no solver: what is known of its optimum is certificate_")
        return worst(each.status for each in self.solution_)

    @property
    def certificate_(self) -> Certificate:
        """Objective, distance to the minimum, advice, and bounds on the error."""
        check_is_fitted(self)
        if self._proof is None:
            raise AttributeError("a file of LIBSVM says nothing of the optimum: there is no certificate")
        return add_bounds(self, replace(self._proof, seconds=self._seconds))

    def _begin(
        self, kernel: Kernel, vectors: Any, support: NDArray[np.intp], n_features: int, proof: Certificate | None
    ) -> None:
        """Take over what a file says of any machine."""
        self.kernel_, self.solution_, self._proof, self._seconds = kernel, [], proof, 0.0
        self.support_, self.support_vectors_ = support, vectors
        self._vectors = vectors_of(vectors, support)
        if not of_texts(kernel):
            self.n_features_in_ = n_features


class Scored(OnThreads):
    """A machine whose answers can be right or wrong."""

    def score(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy of predictions, or R² of a regression.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        float
            Accuracy or R².
        """
        from sklearn.metrics import accuracy_score, r2_score

        measure = accuracy_score if is_classifier(self) else r2_score
        answers = fetch(self.predict(X))  # type: ignore[attr-defined]
        return float(measure(fetch(y), answers, sample_weight=fetch(sample_weight)))


class SingleMachine(KernelMachine):
    """A machine of one function f(x) = Σ β_i K(x, x_i) + b."""

    support_: Places
    dual_coef_: Floats
    intercept_: Floats

    @property
    def facts_(self) -> Facts:
        """Facts of the fit, on which bounds on its errors depend."""
        return Facts(Probabilities("none: no probabilities"))

    def _start(self, problem: KernelProblem) -> KernelSolution | None:
        """Return where a warm start begins: at the last solution, if it was of as many examples."""
        last = getattr(self, "solution_", None) if self.warm_start else None
        return last[0] if last and len(last[0].beta) == problem.m else None

    def _keep(
        self, kernel: Kernel, X: Rows, place: Places, beta: Floats, proof: KernelProof, solution: KernelSolution
    ) -> None:
        """β (N,) of the examples X, which stood at the given places."""
        support = np.flatnonzero(beta)
        self.kernel_, self.solution_ = kernel, [solution]
        self.support_, self.support_vectors_ = place[support], take(kernel.centres(X), support)
        self._vectors = vectors_of(self.support_vectors_, self.support_)
        self.dual_coef_, self.intercept_ = beta[None, support], np.array([float(proof.b[0])])
        self.n_support_, self.n_iter_ = np.array([len(support)]), max(1, solution.iterations)

    def _restore(
        self,
        kernel: Kernel,
        vectors: Any,
        support: NDArray[np.intp],
        dual: Floats,
        b: Floats,
        n_features: int,
        proof: Certificate | None = None,
    ) -> None:
        self._begin(kernel, vectors, support, n_features, proof)
        self.dual_coef_, self.intercept_, self.n_support_ = dual, b, np.array([dual.shape[1]])

    @property
    def scorer_(self) -> KernelScore:
        """The model as a score of one column: f."""
        check_is_fitted(self)
        return KernelScore(self.kernel_, self._vectors, self.dual_coef_.T.copy(), self.intercept_)

    @property
    def coef_(self) -> Floats:
        """(1, d) w, for the linear kernel."""
        check_is_fitted(self)
        linear(self.kernel_)
        return weights(self.dual_coef_, self.support_vectors_)


def linear(kernel: Kernel) -> None:
    """Raise AttributeError unless the kernel has weights of features."""
    if not isinstance(kernel, Linear):
        raise AttributeError(f"weights of features are of the linear kernel; this one is {kernel.name!r}")


def certify(
    named: str,
    kernel: Kernel,
    d: int,
    found: Sequence[tuple[KernelSolution, KernelProof]],
    data: str,
    n: float,
    class_counts: Mapping[Any, float],
    seed: int,
    doubt: str = "",
    training_error: float | None = None,
) -> Certificate:
    """Return the sum over the problems, and the worst violation; `data` is their digest.

    Where there is `doubt` whether the kernel is one, nothing is claimed beyond a stationary point.
    """
    solutions, proofs = [pair[0] for pair in found], [pair[1] for pair in found]
    status = worst(each.status for each in solutions)
    near = nystroem.describe_landmarks(proofs)
    advice = [status.value if not status.finished else "", doubt, near]
    told = f", {len(found)} problems" if len(found) > 1 else ""
    return Certificate(
        objective=f"½‖w‖² + {named}, kernel {kernel.name}, {solutions[0].solver}{told}",
        primal=float(sum(proof.primal for proof in proofs)),
        dual=None if doubt else float(sum(proof.dual for proof in proofs)),
        kkt_violation=max(proof.violation for proof in proofs),
        iterations=max(solution.iterations for solution in solutions),
        status=_ending(status, bool(doubt), bool(near)),
        advice="; ".join(part for part in advice if part),
        seconds=0.0,
        n=n,
        d=d,
        class_counts=class_counts,
        seed=seed,
        digest=data,
        training_error=training_error,
    )


def _ending(status: Status, doubtful: bool, near: bool) -> str:
    if not status.finished:
        return status.name.lower().replace("_", " ")
    return "stationary point" if doubtful else "approximation" if near else status.name.lower()


def of_each(whole: Certificate, proven: Sequence[Any], solutions: Sequence[KernelSolution]) -> list[Certificate]:
    """Return the certificate of each problem: that of all with its own primal, dual and violation."""
    return [
        replace(
            whole,
            primal=primal,
            dual=None if whole.dual is None else dual,
            kkt_violation=violation,
            iterations=solution.iterations,
            status=whole.status if solution.status.finished else solution.status.name.lower().replace("_", " "),
        )
        for (primal, dual, violation), solution in zip(proven, solutions, strict=True)
    ]


def unproven(kernel: Kernel, X: Rows) -> str:
    """Return what Mercer's condition, where it may fail, says of up to 500 of the examples; nothing where it holds."""
    if kernel.mercer:
        return ""
    found = mercer(kernel, X, _LOOKED_AT)
    return "" if found.valid else found.says
