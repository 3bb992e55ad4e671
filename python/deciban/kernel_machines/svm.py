"""The support vector machine with kernels: the widest street in a space of features that nobody writes down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, replace
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.attached import Reports
from deciban.calibration.out_of_fold import check_calibration
from deciban.certificates.certificate import Certificate
from deciban.data.capacity import require_room
from deciban.data.declared_types import Estimator, parameters
from deciban.data.devices import answers, take
from deciban.data.mixins import ClassifierMixin
from deciban.data.offered import offer_unless
from deciban.data.rows import Rows
from deciban.data.transaction import all_or_nothing
from deciban.data.validation import check_is_fitted
from deciban.kernel_solvers.problem import KernelSolution
from deciban.kernels import Kernel
from deciban.losses import Floats
from deciban.models.linear import only_margins
from deciban.models.margins import Margins, widths
from deciban.models.proofs import mark_interrupted
from deciban.models.zones import Zones, count_held
from deciban.scores import Explanation, KernelScore, PairwiseScore, log_posterior
from deciban.solvers.limits import check_positive
from deciban.solvers.problem import Callback, Status
from deciban.verdict import Pair

from ..kernels.items import Items, baseline, items, to_judge, vectors_of, width
from .arrangement import Arrangement, arrange
from .explanations import of_items
from .machine import KernelMachine, Scored, certify, linear, of_each, unproven
from .margins import Machine, check_nu
from .one_vs_one import agree_with_votes, couple, couple_in_steps, decisions
from .pairs_together import know_gram
from .probabilities import METHODS, Calibration, calibrate
from .problems import machines
from .trusted import Trusted, count_of, share_of_errors

_NUMBERS_OF_PAIR = 512.0  # 4 kB, as measured: problem, solution and machine of two classes


@parameters
class SVM(Reports, Scored, KernelMachine, Margins, Trusted, ClassifierMixin, Estimator):
    """Support vector machine: the surface with the largest margin in the space of a kernel.

        min over w, b of   ½‖w‖² + C·Σ_i c_i max(0, 1 − y_i (w·φ(x_i) + b)),      K(x, z) = φ(x)·φ(z)
        C = inf:   min ½‖w‖²  subject to  y_i (w·φ(x_i) + b) ≥ 1    (the hard margin)
        nu:        min ½‖w‖² − ν ρ + (1/Σc) Σ_i c_i max(0, ρ − y_i (w·φ(x_i) + b)),  then divided by ρ

    It is fitted by its dual, and f(x) = Σ_i β_i K(x, x_i) + b, β_i = y_i α_i, is a sum over the support vectors. Cortes
    & Vapnik (1995); Schölkopf, Smola, Williamson & Bartlett (2000).

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        A name ("rbf", "linear", "poly", "sigmoid", "gaussian", "multiquadric", "wave", "laplacian", "cosine", "chi2",
        "additive_chi2"), "precomputed" for Gram matrices, "spectrum" for texts, a kernel of `deciban.kernels`, or a
        function of two arrays of rows.
    C : float, default=1.0
        Cost of errors, > 0; inf is the hard margin, refused with a witness where nothing separates the classes.
    nu : float, optional
        Share ν, from above 0 to 1, in place of C: at most this share of the examples lies inside the margin, at least
        this share are support vectors.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Inverse width of kernels that have a name, or a rule: "scale" is 1/(d·var X), "auto" 1/d, "median" one over the
        median squared distance of two rows.
    degree : int, default=3
        Degree of the polynomial kernel, length of the strings of "spectrum".
    coef0 : float, default=0.0
        Constant of the polynomial, sigmoid and multiquadric kernels.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Each class against each other one, by votes, or each against the rest.
    calibration : {"temperature", "isotonic"} or None, default="temperature"
        Calibration on held-out examples, by the scale of the log-odds or a monotone curve: it makes probabilities, and
        evidence in decibans. None: only margins, and about 2.5 times quicker.
    calibration_folds : int, default=3
        Number of folds for the calibration, at least 2. Equal examples share a fold. Only so many folds are held out as
        have 5,000 examples together, 500 of them outside the most frequent class.
    class_weight : "balanced" or mapping of label to float, optional
        Factors of the cost of errors by class.
    solver : str, default="auto"
        Solver, "auto" or a name of `deciban.kernel_solvers`. "nystroem", which "auto" takes beyond 200,000 rows, is an
        approximation by landmarks, whose loss the certificate bounds.
    tol : float, default=1e-4
        Relative duality gap (primal − dual) / |primal| to stop at.
    max_iter : int, default=1_000_000
        Largest number of iterations.
    time_limit : float, optional
        Largest number of seconds.
    callback : callable, optional
        Called as `callback(iteration, objective, gap)`; the solver stops when it returns something true.
    warm_start : bool, default=False
        Whether `fit` starts at the last solution, if it was of as many examples of the same classes.
    memory_mb : float, default=200.0
        Memory for values of the kernel, in MiB.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds of the calibration, and of landmarks; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    kernel_ : Kernel
        The kernel, with its parameters.
    support_ : ndarray of int of shape (n_support,)
        Indices of the support vectors, class by class.
    support_vectors_ : array-like of shape (n_support, n_features)
        The support vectors.
    n_support_ : ndarray of int of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_problems, n_support)
        Coefficients β: (1, n_support) of two classes, (n_classes, n_support) of one against the rest, and
        (n_classes − 1, n_support) of each against each, in the layout of LIBSVM.
    intercept_ : ndarray
        Intercept of each problem.
    coef_ : ndarray
        Weights of each problem, for the linear kernel.
    zones_ : object
        Which examples lie inside, on and outside the margin.
    margin_ : float or ndarray
        Half the width of the margin, 1/‖w‖, of each problem.
    calibrated_ : object
        Scale or curves of the calibration.
    certificate_ : Certificate
        Objective, duality gap, and how the fit ended, of all problems.
    certificates_ : list of Certificate
        The same of each problem.

    Examples
    --------
    >>> X = np.array([[1.0, 3.0], [3.0, 3.0], [4.0, 4.0], [2.0, 1.0], [5.0, 2.0]])
    >>> street = SVM("linear", C=np.inf, calibration=None).fit(X, [1, 1, 1, -1, -1])
    >>> street.coef_.round(6).tolist(), street.intercept_.round(6).tolist(), street.support_.tolist()
    ([[-0.4, 1.2]], [-1.4], [3, 4, 1])
    """

    kernel: str | Kernel | Callable[..., Any] = "rbf"
    C: float = 1.0
    _: KW_ONLY
    nu: float | None = None
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    multi_class: str = "ovo"
    calibration: str | None = "temperature"
    calibration_folds: int = 3
    class_weight: Mapping[Any, float] | str | None = None
    solver: Any = "auto"
    tol: float = 1e-4
    max_iter: int = 1_000_000
    time_limit: float | None = None
    callback: Callback | None = None
    warm_start: bool = False
    memory_mb: float = 200.0
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    # Learning.

    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine to labelled examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        SVM
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            started = perf_counter()
            self._learn(items(self, X, y, sample_weight))
            self._seconds = perf_counter() - started
        return self

    def _learn(self, given: Items, found: list[Machine] | None = None) -> None:
        """Become the machines that were `found`, or that the solver finds."""
        require_room(len(given.classes), _NUMBERS_OF_PAIR * len(given.classes) / 2.0 + 4.0 * len(given))
        limits, seed = self._limits(), self._seed()
        if self.calibration is not None:
            check_calibration(self, METHODS)  # before anything long begins
        gram = know_gram(self, given) if found is None or self.calibration is not None else None
        found = machines(self, given, limits, self._starts(given), gram=gram) if found is None else found
        self.classes_, self.kernel_ = given.classes, given.kernel
        self._become(given, arrange(found, given, self._style(len(given.classes))), found)
        self._proof = self._complete_proof(given, found, seed, unproven(given.kernel, given.X))
        self._proven = [(each.proof.primal, each.proof.dual, each.proof.violation) for each in found]
        if not self.status_.finished:  # whoever stopped it does not wait for longer fits of the folds
            limits = replace(limits, max_iter=int(self.n_iter_.max()))
        self.calibrated_: Calibration | None = None
        try:
            if self.status_ is Status.INTERRUPTED:
                raise KeyboardInterrupt  # nor for any, who pressed Ctrl-C
            if self.calibration is not None:
                self.calibrated_ = calibrate(self, given, limits, seed, gram)
        except KeyboardInterrupt:
            self.solution_ = [replace(each, status=Status.INTERRUPTED) for each in self.solution_]
            self._proof = mark_interrupted(self._proof)

    def _starts(self, given: Items) -> list[KernelSolution]:
        """Return where a warm start begins, problem by problem; nowhere where the last fit was of other classes."""
        known = self.warm_start and hasattr(self, "solution_") and np.array_equal(self.classes_, given.classes)
        return self.solution_ if known else []

    def _style(self, C: int) -> str:
        """Return how classes are separated: "two", "ovo" or "ovr"."""
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
        self._supported = count_held(held.support, given.repetition)
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
        """Become the model that a file tells of."""
        self._begin(kernel, vectors, support, n_features, proof)
        self._held, self.classes_, self.calibrated_, self._baseline = held, classes, known, baseline
        self.n_support_, self.dual_coef_, self.intercept_ = held.n_support, held.dual, held.intercept

    def _complete_proof(self, given: Items, found: list[Machine], seed: int, doubt: str) -> Certificate:
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
        """Return C, which may be infinite."""
        return check_positive("C", self.C)

    def _raw(self, scale: Any = 1.0) -> Any:
        """Return the score as the dual has it, each machine times its `scale`."""
        return self._held.score(self.kernel_, self._vectors, scale, self._baseline)

    def _decisions(self, X: Rows) -> Floats:
        check_is_fitted(self)
        f = self._raw()(to_judge(self, X), self._threads())
        return decisions(f, len(self.classes_)) if self._held.style == "ovo" else f

    @answers
    def decision_function(self, X: Rows) -> Floats:
        """Return the scores of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes f(x), which is > 0 for `classes_[1]`. For more, a score for each class; of each against each
            these are votes, plus less than half a vote that separates equal ones.
        """
        s = self._decisions(X)
        return s[:, 0] if self._held.style == "two" else s

    @answers
    def pairwise_decisions(self, X: Rows) -> Floats:
        """Return the decision of each two classes, positive for the first of the pair.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.

        Returns
        -------
        ndarray of shape (n_samples, n_pairs)
            Decisions f(x), with pairs in the order (0, 1), (0, 2), … of their indices.

        Raises
        ------
        ValueError
            If there are two classes, or each is fitted against the rest.
        """
        check_is_fitted(self)
        if self._held.style != "ovo":
            raise ValueError("there are decisions of pairs only for three classes or more with multi_class='ovo'")
        f: Floats = self._raw()(to_judge(self, X), self._threads())
        return f

    @answers
    def predict(self, X: Rows) -> NDArray[Any]:
        """Predict the label of the largest score; of equal ones the first in `classes_`.

        A model of LIBSVM with probabilities predicts as `svm-predict -b 1` does: the most probable label, which need
        not have the most votes.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
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

    @offer_unless(only_margins)
    @answers
    def predict_proba(self, X: Rows) -> Floats:
        """Return (N, C) p(c | x): the largest is that of `predict`."""
        return self._probabilities(X)

    @offer_unless(only_margins)
    @answers
    def predict_log_proba(self, X: Rows) -> Floats:
        """Return (N, C) log p(c | x)."""
        return self._log_probabilities(X)

    def _probabilities(self, X: Rows) -> Floats:
        return np.asarray(np.exp(self._log_probabilities(X)))

    def _log_probabilities(self, X: Rows) -> Floats:
        check_is_fitted(self)
        X = to_judge(self, X)
        f = self._raw()(X, self._threads())
        C, nats = len(self.classes_), self.calibrated_.nats(f, self._held.style)  # type: ignore[union-attr]
        if self.calibrated_.shift is not None:  # type: ignore[union-attr]
            return _of_libsvm(nats, C)
        if self._held.style == "ovo":
            return np.asarray(np.log(couple(nats, decisions(f, C).argmax(axis=1), C)))
        f, nats = (np.hstack([np.zeros_like(s), s]) if C == 2 else s for s in (f, nats))
        return agree_with_votes(log_posterior(nats), f.argmax(axis=1))

    @property
    def scorer_(self) -> KernelScore | PairwiseScore:
        """The model as a score in nats; in units of the margin where no scale makes it nats."""
        check_is_fitted(self)
        score = self._raw(1.0 if self.temperature_ is None else self.temperature_)
        return score.of_two() if self._held.style == "two" and isinstance(score, KernelScore) else score

    def explain(self, X: Rows, *, pair: Pair | None = None, by: str = "feature") -> list[Explanation]:
        """Explain the predictions of examples: the winner against its runner-up, in decibans.

        Prior and terms sum to log p(label) − log p(against). For an RBF and other kernels the evidence of a feature is
        the mean of its gain when it comes first and when it comes last. Of each class against each, the evidence is
        that of the machine of the two, rescaled to the difference of their probabilities; the share of the other
        machines is with the prior.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        pair : tuple of (label, label), optional
            Two labels: the evidence is for the first against the second.
        by : {"feature", "vector"}, default="feature"
            Terms of features, or of support vectors, which are named by their indices in the training data.

        Returns
        -------
        list of Explanation
            The explanation of each example, the strongest terms first.

        Raises
        ------
        ValueError
            If `by` or a label is unknown.
        AttributeError
            If the machine has no calibration, and so only margins.
        """
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
    """Return (N, C) log probabilities as LIBSVM makes them of the log-odds of its machines; none is surer than 1 −
    1e-7."""
    if C > 2:
        return np.asarray(np.log(couple_in_steps(nats, C)))
    most = np.log(1e7 - 1.0)
    nats = np.clip(nats[:, 0], -most, most)
    return np.asarray(-np.logaddexp(0.0, np.column_stack([nats, -nats])))
