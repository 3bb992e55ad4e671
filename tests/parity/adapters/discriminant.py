"""`sklearn.discriminant_analysis` by `GaussianDiscriminant`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import discriminant_analysis

from deciban import GaussianDiscriminant

from .adapter import Adapter, require_neutral, substitute


class Discriminant(Adapter):
    covariance = ""

    def fit(self, X: Any, y: Any) -> Any:
        return self._call("fit", X, y)

    def model(self) -> Any:
        return GaussianDiscriminant(
            self.covariance,
            shrinkage=self.shrinkage,
            class_prior="empirical" if self.priors is None else self.priors,
            n_components=self.__dict__.get("n_components"),
            covariance_estimator=self.covariance_estimator,
        )

    @property
    def priors_(self) -> Any:
        return np.exp(self._fitted.scorer_.prior)

    def decision_function(self, X: Any) -> Any:
        s = self._fitted.predict_joint_log_proba(X)
        return s[:, 1] - s[:, 0] if s.shape[1] == 2 else s


@substitute(discriminant_analysis.LinearDiscriminantAnalysis)
class LinearDiscriminantAnalysis(Discriminant):
    covariance = "shared"

    @property
    def coef_(self) -> Any:
        W = self._fitted.scorer_.W.T
        return W[1:] - W[:1] if len(W) == 2 else W

    @property
    def intercept_(self) -> Any:
        b = self._fitted.scorer_.bias
        return b[1:] - b[:1] if len(b) == 2 else b


@substitute(discriminant_analysis.QuadraticDiscriminantAnalysis)
class QuadraticDiscriminantAnalysis(Discriminant):
    covariance = "per_class"

    def model(self) -> Any:
        require_neutral("reg_param", self.reg_param, 0.0)
        return super().model()
