"""`sklearn.naive_bayes` by `NaiveBayes`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import naive_bayes

from deciban import NaiveBayes

from .adapter import Streaming, require_neutral, substitute


class Discrete(Streaming):
    likelihood = ""

    def model(self) -> Any:
        alpha = self.alpha if self.force_alpha else np.maximum(self.alpha, 1e-10)
        prior = self.class_prior if self.class_prior is not None else "empirical" if self.fit_prior else "uniform"
        return NaiveBayes(self.likelihood, alpha=alpha, class_prior=prior, **self.more())

    def more(self) -> dict[str, Any]:
        return {}

    @property
    def class_log_prior_(self) -> Any:
        return self._fitted.scorer_.prior


@substitute(naive_bayes.MultinomialNB)
class MultinomialNB(Discrete):
    likelihood = "multinomial"


@substitute(naive_bayes.ComplementNB)
class ComplementNB(Discrete):
    likelihood = "complement"

    def more(self) -> dict[str, Any]:
        require_neutral("norm", self.norm, False)
        return {}

    @property
    def feature_all_(self) -> Any:
        return self._fitted.feature_count_.sum(axis=0)


@substitute(naive_bayes.BernoulliNB)
class BernoulliNB(Discrete):
    likelihood = "bernoulli"

    def more(self) -> dict[str, Any]:
        return {"binarize": self.binarize}


@substitute(naive_bayes.CategoricalNB)
class CategoricalNB(Discrete):
    likelihood = "categorical"

    def more(self) -> dict[str, Any]:
        return {"min_categories": self.min_categories}

    @property
    def category_count_(self) -> Any:
        counts = self._fitted.counts_
        least = 1 if self.min_categories is None else self.min_categories
        counts = counts.of_sizes(tuple(np.maximum(counts.sizes, least).tolist()))
        return np.split(counts.s, counts.offsets[1:-1], axis=1)

    @property
    def n_categories_(self) -> Any:
        return np.array([counts.shape[1] for counts in self.category_count_])


@substitute(naive_bayes.GaussianNB)
class GaussianNB(Streaming):
    def model(self) -> Any:
        prior = "empirical" if self.priors is None else self.priors
        return NaiveBayes("gaussian", estimate="ml", var_smoothing=self.var_smoothing, class_prior=prior)

    @property
    def class_prior_(self) -> Any:
        return np.exp(self._fitted.scorer_.prior)

    @property
    def theta_(self) -> Any:
        return self._fitted.counts_.s / self._fitted.counts_.w

    @property
    def var_(self) -> Any:
        fitted = self._fitted
        return fitted._family().parameters(fitted.counts_, "ml").variance
