"""Naive Bayes: features independent given the class, learnt by counting, weighed by adding."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from deciban import store
from deciban.data.columns import Columns
from deciban.data.refusal import check_prior
from deciban.distributions import Bernoulli, Distribution, Multinomial
from deciban.distributions.counts import Floats
from deciban.distributions.pseudo_counts import checked
from deciban.errors import DataError

from .certified import ESTIMATES
from .generative import ClassPrior, Estimate, Generative
from .likelihoods import Prior, distribution, least_categories, sized
from .stored import arrays_of, header_of, restore


class NaiveBayes(Generative):
    """Bayes' rule with features that are independent given the class.

        log p(c | x) = log π_c + Σ_j log p(x_j | φ_cj) − log Σ_c' (the same of c')

    The state is the sufficient statistic, `counts_`: `partial_fit` and `+` add to it, `forget` subtracts,
    and what is learnt and forgotten was never learnt (to the last bit where counts are whole numbers).

    Parameters
    ----------
    likelihood : what p(x_j | c) is.
        By name: "multinomial" (words drawn with repetition: counts), "complement" (the same by what all other
        classes say, for uneven classes), "bernoulli" (present or absent; absent features are evidence too),
        "categorical" (codes 0, 1, 2, …, or labels in a data frame or an array of text), "poisson" (counts of events),
        "gaussian" (measurements). By object, with its own prior: `Gaussian(shared=True)`. By column: a mapping from
        every column's name (or index) to one of these, or to None to leave it out; or "auto", by the column's type:
        see `columns_` and `likelihoods_` for what was found.
    alpha : pseudo-counts of the prior of a likelihood given by name; 1 is Laplace's rule. A number, (d,) one a feature,
        or (C, d) one a class, in the order of `classes_`, and feature. The pair of a Bernoulli prior, of presence and
        of absence, is that of an object: `Bernoulli(alpha=2.0, beta=1.0)`, either also (d,) or (C, d).
    estimate : "bayes" the posterior mean or, for measurements, the posterior predictive; "predictive" the exact
        predictive of the whole example, in which a word, or an event, once seen is likelier to come again (Pólya's
        urn for words, negative binomials for events; of presence and categories, drawn once each, it is the
        posterior mean); "map" the posterior mode; "ml" the raw ratio. What a class has never shown then has
        probability 0 there; a row that is impossible in every class is refused, by the name of a feature and a
        class.
    class_prior : "empirical" N_c / N, "smoothed" (1 + N_c) / (C + N), "uniform"; a pseudo-count α,
        (α + N_c) / (αC + N); or, in the order of `classes_`, (C,) probabilities ≥ 0 that sum to 1 or (C,)
        pseudo-counts, one of them 1 or more. A class of probability 0 is never predicted.
    binarize : for "bernoulli" only: x counts as present where x > binarize; None demands 0 and 1.
    var_smoothing : for "gaussian" only: the share of the largest variance of a feature that is added to all variances.
    min_categories : for "categorical" only: how many categories a feature has at least, a number or (d,), so that
        those never seen count in its prior.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Missing values (NaN, null) are marginalised out, exactly, in learning and in judging, by every likelihood but the
    multinomial ones, whose counts share one total. Sparse X is never made dense. Attributes: `classes_` (C,) sorted,
    `counts_`, `class_count_` (C,), `scorer_`, `certificate_`, `columns_`, `likelihoods_`, `n_features_in_`,
    `feature_names_in_`. `sample_weight` means repetition. Errors are ValueErrors that name the row and the feature.
    Cost of a fit: one pass over the nonzeros, then O(C·d). McCallum & Nigam, AAAI-98; Murphy 2012, section 3.5.

    >>> model = NaiveBayes().fit([[2, 0], [1, 1], [0, 3]], ["ham", "ham", "spam"])
    >>> model.predict([[0, 1]]).tolist()
    ['spam']
    >>> why = model.explain([[0, 1]])[0]
    >>> [(term.feature, round(term.decibans, 2)) for term in why.terms], round(why.prior_decibans, 2)
    ([(1, 3.8)], -3.01)
    """

    def __init__(
        self,
        likelihood: str | Distribution | Mapping[Any, Any] = "multinomial",
        *,
        alpha: float | ArrayLike = 1.0,
        estimate: Estimate = "bayes",
        class_prior: ClassPrior = "empirical",
        binarize: float | None = 0.0,
        var_smoothing: float = 0.0,
        min_categories: int | ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.likelihood = likelihood
        self.alpha = alpha
        self.estimate = estimate
        self.class_prior = class_prior
        self.binarize = binarize
        self.var_smoothing = var_smoothing
        self.min_categories = min_categories
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .deciban file, in one step: the counts, from which the rest is derived again."""
        check_is_fitted(self)
        arrays = arrays_of(self)
        store.write(path, header_of(self), arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NaiveBayes:
        """The model in a .deciban file, which learns on and forgets like the one that was saved."""
        return cls.from_stored(store.read(path, tables=True))

    @classmethod
    def from_stored(cls, stored: store.Stored) -> NaiveBayes:
        """The model in a file that `store.read` has checked."""
        if not store.of_table(stored.header):
            raise DataError(f"{stored.name}: expected a model of a table; this is one of texts: use deciban.load.")
        model = cls()
        restore(model, stored)
        return model

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
            names[j]: parts[k][1] if self.columns_ is None else sized(parts[k][1], self.columns_, [j])
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
            checked("alpha", self.alpha) if np.ndim(self.alpha) else self.alpha,
            self.binarize,
            float(self.var_smoothing),
            least_categories(self.min_categories),
        )
