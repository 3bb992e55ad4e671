"""Naive Bayes: features independent given the class, learnt by counting, weighed by adding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from deciban.data.columns import Columns
from deciban.data.declared_types import parameters
from deciban.data.refusal import check_prior
from deciban.data.validation import check_is_fitted
from deciban.distributions import Bernoulli, Distribution, Multinomial
from deciban.distributions.counts import Floats
from deciban.distributions.priors import check_pseudo_counts

from .certified import ESTIMATES
from .generative import ClassPrior, Estimate, Generative
from .likelihoods import Prior, distribution, least_categories, with_sizes

if TYPE_CHECKING:
    from sklearn.utils import Tags


@parameters
class NaiveBayes(Generative):
    """Naive Bayes: features that are independent given the class.

        log p(c | x) = log π_c + Σ_j log p(x_j | φ_cj) − log Σ_c' (the same of c')

    The state is the sufficient statistic, `counts_`: `partial_fit` and `+` add to it, `forget` subtracts, exactly (to
    the last bit where counts are whole numbers). Missing values (NaN, null) are marginalised out, exactly, in training
    and in prediction, by every likelihood but the multinomial ones, whose counts share one total. Sparse X is never
    made dense. `sample_weight` means repetition. The cost of a fit is one pass over the values that are not 0, then
    O(C·d). McCallum & Nigam, AAAI-98 workshop on text; Murphy, Machine Learning (2012), section 3.5.

    Parameters
    ----------
    likelihood : str, Distribution, or mapping of column to one of these, default="multinomial"
        Distribution p(x_j | c), one of `deciban.distributions`. By name: "multinomial" (words drawn with repetition:
        counts), "complement" (the same by the words of all other classes, for uneven classes), "bernoulli" (present or
        absent; absent features are evidence, too), "categorical" (codes 0, 1, 2, …, or labels in a data frame or an
        array of text), "poisson" (counts of events), "gaussian" (measurements). By object, with its own prior:
        `Gaussian(shared=True)`. By column: a mapping from the name or index of every column to one of these, or to None
        to leave it out; or "auto", by the type of the column, as `columns_` and `likelihoods_` show.
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Pseudo-counts of the prior of a likelihood given by name; 1 is Laplace's rule. Rows are in the order of
        `classes_`. The pair of a Bernoulli prior, of presence and of absence, is that of an object:
        `Bernoulli(alpha=2.0, beta=1.0)`.
    estimate : {"bayes", "predictive", "map", "ml"}, default="bayes"
        The posterior mean or, for measurements, the posterior predictive; the exact predictive of the whole example, in
        which a word, or an event, once seen is likelier to come again (Pólya's urn for words, negative binomials for
        events; of presence and categories, drawn once each, it is the posterior mean); the posterior mode; or maximum
        likelihood. With the last, what a class has never shown has probability 0; a row that is impossible in every
        class is refused, with the name of a feature and a class.
    class_prior : {"empirical", "smoothed", "uniform"}, float or array-like of shape (n_classes,), default="empirical"
        Prior of the classes: N_c / N, (1 + N_c) / (C + N), uniform; a pseudo-count α, (α + N_c) / (αC + N); or, in the
        order of `classes_`, probabilities ≥ 0 that sum to 1 or pseudo-counts, one of them 1 or more. A class of
        probability 0 is never predicted.
    binarize : float or None, default=0.0
        For "bernoulli", the threshold above which x counts as present; None demands 0 and 1.
    var_smoothing : float, default=0.0
        For "gaussian", the share of the largest variance of a feature that is added to all variances.
    min_categories : int or array-like of shape (n_features,), optional
        For "categorical", the least number of categories, so that those never seen count in the prior.
    calibration : "affine" or None, default=None
        "affine" makes scores log-odds: one slope for all classes and an offset for each, found by `fit` on examples
        that are left out of the statistics, a tenth after the other. Features that are not independent make evidence
        too strong, which this mends; it keeps the winner of two classes but near the boundary. What is learnt later
        or forgotten leaves it as it is. None takes the posterior itself.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    counts_ : Statistics
        The sufficient statistic.
    class_count_ : ndarray of shape (n_classes,)
        Weight of each class.
    columns_ : object
        The columns and their types.
    likelihoods_ : dict
        Distribution of each column.
    scorer_ : Score
        The compiled score.
    scaling_ : Scaling or None
        Slope and offsets that the calibration found.
    certificate_ : Certificate
        What was estimated, and from what.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.

    Examples
    --------
    >>> model = NaiveBayes().fit([[2, 0], [1, 1], [0, 3]], ["ham", "ham", "spam"])
    >>> model.predict([[0, 1]]).tolist()
    ['spam']
    >>> why = model.explain([[0, 1]])[0]
    >>> [(term.feature, round(term.decibans, 2)) for term in why.terms], round(why.prior_decibans, 2)
    ([(1, 3.8)], -3.01)
    """

    likelihood: str | Distribution | Mapping[Any, Any] = "multinomial"
    _: KW_ONLY
    alpha: float | ArrayLike = 1.0
    estimate: Estimate = "bayes"
    class_prior: ClassPrior = "empirical"
    binarize: float | None = 0.0
    var_smoothing: float = 0.0
    min_categories: int | ArrayLike | None = None
    calibration: str | None = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        name = getattr(self.likelihood, "name", self.likelihood)
        draws = isinstance(name, str) and name in ("multinomial", "complement")
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = not draws
        tags.input_tags.positive_only = draws or name in ("poisson", "categorical")
        tags.input_tags.categorical = name in ("categorical", "auto")
        tags.classifier_tags.poor_score = True  # scikit-learn's checks score it on Gaussian clouds
        return tags

    # The file.

    @property
    def feature_count_(self) -> Floats:
        """(C, d) weighted sums of the features, for the likelihoods of words."""
        check_is_fitted(self)
        self._check_words("feature_count_")
        s: Floats = self.counts_.s
        return s

    @property
    def feature_log_prob_(self) -> Floats:
        """(C, d) log φ: of drawing the word, or of its presence; for the likelihoods of words."""
        check_is_fitted(self)
        self._check_words("feature_log_prob_")
        estimate = "bayes" if self.estimate == "predictive" else self.estimate
        phi: Floats = self._family().parameters(self.counts_, estimate)
        with np.errstate(divide="ignore"):
            return np.log(phi)

    def _keeps_single(self) -> bool:
        return getattr(self.likelihood, "name", self.likelihood) == "gaussian"

    def _check_words(self, name: str) -> None:
        family = self._family()
        if not isinstance(family, Bernoulli | Multinomial):
            raise AttributeError(f"{name} belongs to multinomial, complement and bernoulli, not to {family.name}")

    @property
    def likelihoods_(self) -> dict[Any, Distribution]:
        """The distribution of each column, by its name."""
        check_is_fitted(self)
        family = self._family()
        names = self._names()
        parts = getattr(family, "parts", ((range(self.n_features_in_), family),))
        of = np.full(len(names), -1)
        for k, (js, _) in enumerate(parts):
            of[js if isinstance(js, range) else np.array(js)] = k
        return {
            names[j]: parts[k][1] if self.columns_ is None else with_sizes(parts[k][1], self.columns_, [j])
            for j, k in enumerate(of.tolist())
            if k >= 0
        }

    def _family(self, columns: Columns | None = None) -> Distribution:
        columns = getattr(self, "columns_", None) if columns is None else columns
        if self.estimate not in ESTIMATES:
            raise ValueError(f"estimate must be one of {', '.join(map(repr, ESTIMATES))}, got {self.estimate!r}")
        return distribution(self.likelihood, self._prior(), columns)

    def _prior(self) -> Prior:
        check_prior("var_smoothing", self.var_smoothing)
        return Prior(
            check_pseudo_counts("alpha", self.alpha) if np.ndim(self.alpha) else self.alpha,
            self.binarize,
            float(self.var_smoothing),
            least_categories(self.min_categories),
        )
