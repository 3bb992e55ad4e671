"""`sklearn.naive_bayes` by `NaiveBayes`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import naive_bayes

from deciban import NaiveBayes

from .adapter import Streaming, refuse, standing_for


class Discrete(Streaming):
    likelihood = ""

    def model(self) -> Any:
        refuse("force_alpha", self.force_alpha, True)
        prior = self.class_prior if self.class_prior is not None else "fitted" if self.fit_prior else "uniform"
        return NaiveBayes(self.likelihood, alpha=self.alpha, class_prior=prior, **self.more())

    def more(self) -> dict[str, Any]:
        return {}

    @property
    def class_log_prior_(self) -> Any:
        return self._ours.score_.prior


@standing_for(naive_bayes.MultinomialNB)
class MultinomialNB(Discrete):
    likelihood = "multinomial"


@standing_for(naive_bayes.ComplementNB)
class ComplementNB(Discrete):
    likelihood = "complement"

    def more(self) -> dict[str, Any]:
        refuse("norm", self.norm, False)
        return {}

    @property
    def feature_all_(self) -> Any:
        return self._ours.feature_count_.sum(axis=0)


@standing_for(naive_bayes.BernoulliNB)
class BernoulliNB(Discrete):
    likelihood = "bernoulli"

    def more(self) -> dict[str, Any]:
        return {"binarize": self.binarize}


@standing_for(naive_bayes.CategoricalNB)
class CategoricalNB(Discrete):
    likelihood = "categorical"

    def more(self) -> dict[str, Any]:
        refuse("min_categories", self.min_categories, None)
        return {}


@standing_for(naive_bayes.GaussianNB)
class GaussianNB(Streaming):
    def model(self) -> Any:
        refuse("var_smoothing", self.var_smoothing, 1e-9)
        return NaiveBayes("gaussian", estimate="ml", class_prior="fitted" if self.priors is None else self.priors)

    @property
    def class_prior_(self) -> Any:
        return np.exp(self._ours.score_.prior)

    @property
    def theta_(self) -> Any:
        return self._ours.counts_.s / self._ours.counts_.w

    @property
    def var_(self) -> Any:
        known = self._ours
        return known._family().parameters(known.counts_, "ml").variance
