"""The support vector machine with kernels: the widest street in a space of features that nobody writes down."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from deciban.attached import Reports
from deciban.certificates.certificate import Certificate
from deciban.data.declared_types import Estimator
from deciban.data.devices import answers, take
from deciban.data.offered import offered_unless
from deciban.data.transaction import all_or_nothing
from deciban.kernel_solvers.problem import KernelSolution
from deciban.losses import Floats
from deciban.models.linear import only_margins
from deciban.models.margins import Margins, widths
from deciban.models.proofs import interrupted
from deciban.models.zones import Zones, counted
from deciban.scores import Explanation, KernelScore, PairwiseScore, log_posterior
from deciban.solvers.limits import check_positive
from deciban.solvers.problem import Status

from ..kernels.items import Items, baseline, items, to_judge, vectors_of, width
from .arrangement import Arrangement, arranged
from .explanations import of_items
from .machine import KernelMachine, Scored, certify, linear, of_each, unproven
from .margins import Machine, check_nu
from .one_vs_one import agreeing, coupled, coupled_in_steps, decisions
from .probabilities import Calibration, calibrated
from .problems import machines
from .trusted import Trusted, count_of, share_of_errors


class SVM(Reports, Scored, KernelMachine, Margins, Trusted, ClassifierMixin, Estimator):  # type: ignore[misc]
    """A separating surface with the largest margin in the space of features of a kernel.

        min over w, b of   ½‖w‖² + C·Σ_i c_i max(0, 1 − y_i (w·φ(x_i) + b)),      K(x, z) = φ(x)·φ(z)
        C = inf:   min ½‖w‖²  subject to  y_i (w·φ(x_i) + b) ≥ 1    (the hard margin)
        nu:        min ½‖w‖² − ν ρ + (1/Σc) Σ_i c_i max(0, ρ − y_i (w·φ(x_i) + b)),  then divided by ρ

    (Cortes & Vapnik 1995; Schölkopf, Smola, Williamson & Bartlett 2000.) It is learnt by its dual, and
    f(x) = Σ_i β_i K(x, x_i) + b, β_i = y_i α_i, is a sum over the support vectors.

    Parameters
    ----------
    kernel : a name ("rbf", "linear", "poly", "sigmoid", "gaussian", "multiquadric", "wave",
        "laplacian", "cosine", "chi2", "additive_chi2", "precomputed"; "spectrum"
        for texts), an object of `deciban.kernels`, or a function of two tiles of rows.
    gamma, degree, coef0 : the parameters of the kernels that have a name; gamma may be a rule: "scale" (1/(d·var X)),
        "auto" (1/d), "median".
    C : the price of an error, > 0; inf is the hard margin, refused with a witness where nothing separates the classes.
    nu : in (0, 1], instead of C: at most this share of the examples lies inside the street, at least this share are
        support vectors. None: C counts.
    multi_class : "ovo", each class against each other one, by votes; or "ovr", each against the rest.
    calibration : k > 1 fits the scale of log-odds on k folds held out (Platt), "isotonic" a rising curve, on 3 folds;
        then there are probabilities and evidence in decibans. None: only margins, and about 2.3 times quicker.
    class_weight : None, "balanced" or a mapping from labels; it multiplies the price of the errors of a class.
    solver : "auto", or one of `deciban.kernel_solvers`; "nystroem", which "auto" takes beyond 200,000 rows, is of a few
        landmarks, and the certificate says what that costs.
    tol : the relative duality gap (primal − dual) / |primal| to stop at.
    max_iter, time_limit (seconds), callback(iteration, objective, gap) → stop? : other reasons to stop.
    warm_start : whether `fit` begins at the last solution, if it was of as many examples of the same classes.
    memory_mb : how many MiB the solver may fill with values of the kernel.
    random_state : the seed of the folds of the calibration, and of landmarks; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Attributes: `classes_`; `kernel_`, with its numbers; `support_` (m,) places of the support vectors, class by class,
    `support_vectors_`, `n_support_` (C,); `dual_coef_`, β (1, m) of two classes, (C, m) of one against the rest, and
    (C − 1, m) of each against each as LIBSVM arranges it; `intercept_`; `coef_` for the linear kernel; `zones_` and
    `margin_`, 1/‖w‖, of each problem; `certificate_` of all, `certificates_` of each; `calibrated_`, scale or curves.

    >>> X = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
    >>> street = SVM("linear", C=np.inf, calibration=None).fit(X, [1, 1, 1, -1, -1])
    >>> street.coef_.round(6).tolist(), street.intercept_.round(6).tolist(), street.support_.tolist()
    ([[-0.4, 1.2]], [-1.4], [3, 4, 1])
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        C: float = 1.0,
        *,
        nu: float | None = None,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        multi_class: str = "ovo",
        calibration: int | str | None = 3,
        class_weight: Any = None,
        solver: Any = "auto",
        tol: float = 1e-4,
        max_iter: int = 1_000_000,
        time_limit: float | None = None,
        callback: Any = None,
        warm_start: bool = False,
        memory_mb: float = 200.0,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.nu = nu
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.multi_class = multi_class
        self.calibration = calibration
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.callback = callback
        self.warm_start = warm_start
        self.memory_mb = memory_mb
        self.random_state = random_state
        self.n_jobs = n_jobs

    # Learning.

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn X (N, d), dense, on any device, or CSR, a Gram matrix (N, N), or N texts, with labels y (N,);
        `sample_weight` (N,) means repetition: 2 is "twice", and 0 is as if the example were not there. Equal examples
        share a fold of the calibration; a median rule of gamma does not look at weights."""
        with all_or_nothing(self):
            started = perf_counter()
            self._learn(items(self, X, y, sample_weight))
            self._seconds = perf_counter() - started
        return self

    def _learn(self, given: Items, found: list[Machine] | None = None) -> None:
        """Becomes the machines that were `found`, or that the solver finds."""
        limits, seed = self._limits(), self._seed()
        found = machines(self, given, limits, self._starts(given)) if found is None else found
        self.classes_, self.kernel_ = given.labels, given.kernel
        self._become(given, arranged(found, given, self._style(len(given.labels))), found)
        self._proof = self._certified(given, found, seed, unproven(given.kernel, given.X))
        self._proven = [(each.proof.primal, each.proof.dual, each.proof.violation) for each in found]
        if not self.status_.finished:  # whoever stopped it does not wait for longer fits of the folds
            limits = replace(limits, max_iter=int(self.n_iter_.max()))
        self.calibrated_: Calibration | None = None
        try:
            if self.calibration is not None:
                self.calibrated_ = calibrated(self, given, limits, seed)
        except KeyboardInterrupt:
            self.solution_ = [replace(each, status=Status.INTERRUPTED) for each in self.solution_]
            self._proof = interrupted(self._proof)

    def _starts(self, given: Items) -> list[KernelSolution]:
        """Where a warm start begins, problem by problem; nowhere where the last fit was of other classes."""
        known = self.warm_start and hasattr(self, "solution_") and np.array_equal(self.classes_, given.labels)
        return self.solution_ if known else []

    def _style(self, C: int) -> str:
        """How classes are told apart: "two", "ovo" or "ovr"."""
        if self.multi_class not in ("ovo", "ovr"):
            raise ValueError(f"multi_class must be 'ovo' or 'ovr', got {self.multi_class!r}")
        return "two" if C == 2 else self.multi_class

    def _become(self, given: Items, held: Arrangement, found: list[Machine]) -> None:
        self._held = held
        self.support_ = given.place[held.support]
        self.support_vectors_ = take(given.kernel.centres(given.X), held.support)
        self._vectors = vectors_of(self.support_vectors_, self.support_)
        self.n_support_, self.dual_coef_, self.intercept_ = held.n_support, held.dual, held.intercept
        self.n_iter_ = np.array([max(1, machine.solution.iterations) for machine in found])
        self.solution_ = [machine.solution for machine in found]
        self.zones_: list[Zones] = [machine.zones for machine in found]
        self.margin_ = widths(np.array([machine.length for machine in found]))
        self._supported = counted(held.support, given.repetition)
        self._baseline = baseline(given)

    def _restore(
        self,
        kernel: Any,
        vectors: Any,
        support: Any,
        held: Arrangement,
        classes: Any,
        known: Calibration | None,
        n_features: int,
        baseline: Floats | None = None,
        proof: Certificate | None = None,
    ) -> None:
        """The model that a file tells of."""
        self._begin(kernel, vectors, support, n_features, proof)
        self._held, self.classes_, self.calibrated_, self._baseline = held, classes, known, baseline
        self.n_support_, self.dual_coef_, self.intercept_ = held.n_support, held.dual, held.intercept

    def _certified(self, given: Items, found: list[Machine], seed: int, doubt: str) -> Certificate:
        pairs = [(machine.solution, machine.proof) for machine in found]
        named = "ν street" if self.nu is not None else "hard margin" if np.inf == self.C else "Σ c·hinge"
        n, counts, error = float(given.repetition.sum()), count_of(given), share_of_errors(given, found)
        return certify(named, given.kernel, width(given.X), pairs, given.digest, n, counts, seed, doubt, error)

    @property
    def certificates_(self) -> list[Certificate]:
        """The certificate of each problem, in the order of `zones_`."""
        return of_each(self.certificate_, self._proven, self.solution_)

    def _nu(self) -> float | None:
        return None if self.nu is None else check_nu(self.nu)

    def _price(self) -> float:
        """C, which may be infinite."""
        return check_positive("C", self.C)

    def _raw(self, scale: Any = 1.0) -> Any:
        """The score as the dual has it, each machine times its `scale`."""
        return self._held.score(self.kernel_, self._vectors, scale, self._baseline)

    def _decisions(self, X: Any) -> Floats:
        check_is_fitted(self)
        f = self._raw()(to_judge(self, X), self._threads())
        return decisions(f, len(self.classes_)) if self._held.style == "ovo" else f

    @answers
    def decision_function(self, X: Any) -> Floats:
        """(N,) f(x) for two classes, > 0 for `classes_[1]`; (N, C) for more: of each against each, votes and less than
        half a vote that tells equal ones apart."""
        s = self._decisions(X)
        return s[:, 0] if self._held.style == "two" else s

    @answers
    def pairwise_decisions(self, X: Any) -> Floats:
        """(N, C(C−1)/2) f of each two classes, in the order (0, 1), (0, 2), …, > 0 for the first one of the pair."""
        check_is_fitted(self)
        if self._held.style != "ovo":
            raise ValueError("there are decisions of pairs only for three classes or more with multi_class='ovo'")
        f: Floats = self._raw()(to_judge(self, X), self._threads())
        return f

    @answers
    def predict(self, X: Any) -> NDArray[Any]:
        """(N,) the label of the largest score; of equal ones the first in `classes_`. A model of LIBSVM that has
        probabilities is as `svm-predict -b 1`: the most probable label, which need not have the most votes."""
        if getattr(self, "calibrated_", None) is not None and self.calibrated_.shift is not None:  # type: ignore[union-attr]
            return np.asarray(self.classes_[self._log_probabilities(X).argmax(axis=1)])
        s = self._decisions(X)
        winner = (s[:, 0] > 0.0).astype(np.intp) if self._held.style == "two" else s.argmax(axis=1)
        return np.asarray(self.classes_[winner])

    def _probabilistic(self) -> bool:
        return self.calibration is not None and getattr(self, "calibrated_", self) is not None

    @property
    def temperature_(self) -> Any:
        """The nats of log-odds that a unit of the margin is, of pairs one each; None where a curve says it."""
        check_is_fitted(self)
        return None if self.calibrated_ is None else self.calibrated_.scale

    @offered_unless(only_margins)
    @answers
    def predict_proba(self, X: Any) -> Floats:
        """(N, C) p(c | x): the largest is that of `predict`."""
        return self._probabilities(X)

    @offered_unless(only_margins)
    @answers
    def predict_log_proba(self, X: Any) -> Floats:
        """(N, C) log p(c | x)."""
        return self._log_probabilities(X)

    def _probabilities(self, X: Any) -> Floats:
        return np.asarray(np.exp(self._log_probabilities(X)))

    def _log_probabilities(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = to_judge(self, X)
        f = self._raw()(X, self._threads())
        C, nats = len(self.classes_), self.calibrated_.nats(f, self._held.style)  # type: ignore[union-attr]
        if self.calibrated_.shift is not None:  # type: ignore[union-attr]
            return _of_libsvm(nats, C)
        if self._held.style == "ovo":
            return np.asarray(np.log(coupled(nats, decisions(f, C).argmax(axis=1), C)))
        f, nats = (np.hstack([np.zeros_like(s), s]) if C == 2 else s for s in (f, nats))
        return agreeing(log_posterior(nats), f.argmax(axis=1))

    @property
    def scorer_(self) -> KernelScore | PairwiseScore:
        """The model as a score in nats; in units of the margin where no scale makes it nats."""
        check_is_fitted(self)
        score = self._raw(1.0 if self.temperature_ is None else self.temperature_)
        return score.of_two() if self._held.style == "two" and isinstance(score, KernelScore) else score

    def explain(self, X: Any, by: str = "feature", pair: tuple[Any, Any] | None = None) -> list[Explanation]:
        """Per row: the winner against its runner-up, or the first label of `pair` against the second, and the evidence
        in decibans, strongest first, of each feature or, with by="vector", of each support vector, by its place in the
        training data. Prior and terms sum to log p(label) − log p(against) of `predict_log_proba`. How features are
        weighed says `KernelScore.terms`; of each class against each it is the machine of the two that they are parts
        of, stretched alike, and what the other classes' machines add to that stands with the prior."""
        check_is_fitted(self)
        if not self._probabilistic():
            raise AttributeError(only_margins(self))
        if by not in ("feature", "vector"):
            raise ValueError(f"by must be 'feature' or 'vector', got {by!r}")
        p, X = self._log_probabilities(X), to_judge(self, X)
        names = getattr(self, "feature_names_in_", None)
        told = self.classes_.tolist(), None if names is None else list(names), self.support_.tolist(), by == "vector"
        return of_items(self.scorer_, X, p, *told, self.calibrated_, pair=pair)

    @property
    def coef_(self) -> Floats:
        """(K, d) w of each machine, for the linear kernel."""
        check_is_fitted(self)
        linear(self.kernel_)
        return self._held.weights(self.support_vectors_)


def _of_libsvm(nats: Floats, C: int) -> Floats:
    """(N, C) log probabilities as LIBSVM makes them of the log-odds of its machines; none is surer than 1 − 1e-7."""
    if C > 2:
        return np.asarray(np.log(coupled_in_steps(nats, C)))
    most = np.log(1e7 - 1.0)
    nats = np.clip(nats[:, 0], -most, most)
    return np.asarray(-np.logaddexp(0.0, np.column_stack([nats, -nats])))
