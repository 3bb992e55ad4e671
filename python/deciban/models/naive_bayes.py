"""Naive Bayes: features independent given the class, learnt by counting, weighed by adding."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from deciban.distributions import Bernoulli, Distribution, by_name
from deciban.distributions.class_prior import class_prior
from deciban.distributions.counts import Floats
from deciban.scores import AffineScore, Explanation, log_posterior
from deciban.trust.certificate import Certificate

from .certified import ESTIMATES, certify
from .tally import Labels, Tally
from .transaction import all_or_nothing

Estimate = Literal["bayes", "map", "ml"]
ClassPrior = Literal["fitted", "smoothed", "uniform"] | ArrayLike


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Bayes' rule with features that are independent given the class.

        log p(c | x) = log π_c + Σ_j log p(x_j | φ_cj) − log Σ_c' (the same of c')

    The state is the sufficient statistic, `counts_`: `partial_fit` and `+` add to it, `forget` subtracts,
    and what is learnt and forgotten was never learnt (to the last bit where counts are whole numbers).

    Parameters
    ----------
    likelihood : "multinomial" (words drawn with repetition: counts) or "bernoulli" (present or absent;
        absent features are evidence too).
    alpha : pseudo-counts of the symmetric Dirichlet or Beta prior; 1 is Laplace's rule.
    estimate : "bayes" the posterior mean, "map" the posterior mode, "ml" the raw ratio. The latter two refuse
        features that a class has never (Bernoulli: or always) shown: their evidence would be infinite.
    class_prior : "fitted" N_c / N, "smoothed" (1 + N_c) / (C + N), "uniform", or (C,) probabilities in the
        order of `classes_`.
    binarize : for "bernoulli" only: x counts as present where x > binarize; None demands 0 and 1.

    Attributes: `classes_` (C,) sorted, `counts_`, `class_count_` (C,), `feature_count_` (C, d),
    `feature_log_prob_` (C, d), `score_` the `AffineScore`, `certificate_`, `n_features_in_`,
    `feature_names_in_`. `sample_weight` means repetition. Errors are ValueErrors that name the row and the
    feature. Cost of a fit: one pass over the nonzeros, then O(C·d). McCallum & Nigam, AAAI-98.

    >>> model = NaiveBayes().fit([[2, 0], [1, 1], [0, 3]], ["ham", "ham", "spam"])
    >>> model.predict([[0, 1]]).tolist()
    ['spam']
    >>> why = model.explain([[0, 1]])[0]
    >>> [(term.feature, round(term.decibans, 2)) for term in why.terms], round(why.prior_decibans, 2)
    ([(1, 3.8)], -3.01)
    """

    _compiled: AffineScore | None

    def __init__(
        self,
        likelihood: str = "multinomial",
        *,
        alpha: float = 1.0,
        estimate: Estimate = "bayes",
        class_prior: ClassPrior = "fitted",
        binarize: float | None = 0.0,
    ) -> None:
        self.likelihood = likelihood
        self.alpha = alpha
        self.estimate = estimate
        self.class_prior = class_prior
        self.binarize = binarize

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.likelihood == "multinomial"
        tags.classifier_tags.poor_score = True  # scikit-learn's checks score it on Gaussian clouds
        return tags

    # Learning is +, unlearning −.

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn X (N, d), y (N,) from nothing, and check that the evidence is finite."""
        with all_or_nothing(self):
            started = perf_counter()
            self._become(self._count(X, y, sample_weight, first=True))
            self._compiled = self._compile()
            self._seconds = perf_counter() - started
        return self

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more. New labels bring new classes; `classes` declares labels that may come later."""
        with all_or_nothing(self):
            started = perf_counter()
            first = not hasattr(self, "counts_")
            more = self._count(X, y, sample_weight, first)
            if classes is not None:
                more += Tally.empty(self.n_features_in_, np.unique(column_or_1d(classes)))
            self._become(more if first else self._tally() + more)
            self._seconds = perf_counter() - started + (0.0 if first else self._seconds)
        return self

    def forget(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take back what was learnt of X, y with these weights; a class with nothing left goes too."""
        check_is_fitted(self)
        with all_or_nothing(self):
            left = self._tally() - self._count(X, y, sample_weight, first=False)
            self._family().check_counts(left.counts)
            self._become(left.without_the_forgotten())
        return self

    def __add__(self, other: object) -> NaiveBayes:
        """The model of both data sets together; both must have the same parameters and features."""
        if not isinstance(other, NaiveBayes):
            return NotImplemented
        check_is_fitted(self)
        check_is_fitted(other)
        mine, theirs = self._merge_key(), other._merge_key()
        for name, value in mine.items():
            if not np.array_equal(value, theirs[name]):
                raise ValueError(f"cannot merge models of different {name}: {value!r} and {theirs[name]!r}")
        merged: NaiveBayes = clone(self)
        merged.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            merged.feature_names_in_ = self.feature_names_in_
        merged._become(self._tally() + other._tally())
        merged._seconds = self._seconds + other._seconds
        return merged

    def __radd__(self, other: object) -> NaiveBayes:
        """`sum(models)` begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _merge_key(self) -> dict[str, Any]:
        names = getattr(self, "feature_names_in_", None)
        return {**self.get_params(), "n_features_in_": self.n_features_in_, "feature_names_in_": names}

    # Judging is one affine score.

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """(N, C) log p(x, c), the score itself: its differences are log-odds and do not saturate."""
        X = self._rows_to_judge(X)
        return self.score_(X)

    def predict(self, X: Any) -> Labels:
        """(N,) the label of the largest score; of equal ones the first in `classes_`."""
        winner = self.predict_joint_log_proba(X).argmax(axis=1)
        labels: Labels = self.classes_[winner]
        return labels

    def predict_log_proba(self, X: Any) -> Floats:
        """(N, C) log p(c | x)."""
        return log_posterior(self.predict_joint_log_proba(X))

    def predict_proba(self, X: Any) -> Floats:
        """(N, C) p(c | x)."""
        return np.exp(self.predict_log_proba(X))

    def explain(self, X: Any) -> list[Explanation]:
        """Per row: the winner against its runner-up, and the evidence in decibans, strongest first."""
        X = self._rows_to_judge(X)
        names = getattr(self, "feature_names_in_", None)
        labels, score = self.classes_.tolist(), self.score_
        return [score.explain(X[[i]], labels, names) for i in range(X.shape[0])]

    # What was learnt, seen from several sides.

    @property
    def score_(self) -> AffineScore:
        """The model as it judges, compiled from the counts when they have changed."""
        check_is_fitted(self)
        if self._compiled is None:
            with all_or_nothing(self):
                self._compiled = self._compile()
        return self._compiled

    @property
    def class_count_(self) -> Floats:
        """(C,) weight of the examples of each class."""
        check_is_fitted(self)
        return self.counts_.n

    @property
    def feature_count_(self) -> Floats:
        """(C, d) weighted sums of the features."""
        check_is_fitted(self)
        return self.counts_.s

    @property
    def feature_log_prob_(self) -> Floats:
        """(C, d) log φ: of drawing the word, or of its presence."""
        absent = self.score_.absent
        return (self.score_.W if absent is None else self.score_.W + absent).T

    @property
    def certificate_(self) -> Certificate:
        """What was minimised and how exactly, from the counts alone: no second pass over the data."""
        check_is_fitted(self)
        self._refuse_nothing()
        labels = self.classes_.tolist()
        return certify(self._family(), self.counts_, self.estimate, self.class_prior, labels, self._seconds)

    # From what people bring to counts.

    def _family(self) -> Distribution:
        if self.estimate not in ESTIMATES:
            raise ValueError(f"estimate must be one of 'bayes', 'map', 'ml', got {self.estimate!r}")
        if self.likelihood == "bernoulli":
            return Bernoulli(self.alpha, self.alpha, self.binarize)
        return by_name(self.likelihood).symmetric(self.alpha)

    def _count(self, X: Any, y: Any, sample_weight: Any, first: bool) -> Tally:
        """The statistics of a batch; rows of weight 0 are as if they were not there."""
        family = self._family()
        X, y = validate_data(self, X, y, accept_sparse="csr", reset=first)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        counted = weight > 0.0
        if not counted.all():
            family.statistic(X)  # refuses what is outside the support, by the row numbers of the user
            X, y, weight = X[counted], y[counted], weight[counted]
        labels, index = np.unique(y, return_inverse=True)
        return Tally(labels, family.count(X, index, weight, len(labels)), labels[:0])

    def _rows_to_judge(self, X: Any) -> Any:
        check_is_fitted(self)
        self._refuse_nothing()
        with all_or_nothing(self):
            return self._family().statistic(validate_data(self, X, accept_sparse="csr", reset=False))

    # State.

    def _tally(self) -> Tally:
        return Tally(self.classes_, self.counts_, self._declared)

    def _become(self, tally: Tally) -> None:
        self.classes_, self.counts_, self._declared = tally.classes, tally.counts, tally.declared
        self._compiled = None

    def _compile(self) -> AffineScore:
        self._refuse_nothing()
        family = self._family()
        prior = class_prior(self.class_prior, self.counts_.n)
        with np.errstate(divide="ignore"):  # a class declared but not yet seen has log 0 = −∞
            log_prior = np.log(prior)
        W, absent = family.affine(family.parameters(self.counts_, self.estimate))
        return AffineScore(W, log_prior, absent)

    def _refuse_nothing(self) -> None:
        if not self.counts_.n.any():
            raise NotFittedError("nothing is learnt: every example was forgotten; fit or partial_fit first")
