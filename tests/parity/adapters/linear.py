"""`sklearn.linear_model`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import linear_model

import deciban

from .adapter import Adapter, Streaming, draw_seed, require_neutral, substitute


@substitute(linear_model.LogisticRegression)
class LogisticRegression(Adapter):
    def model(self) -> Any:
        named = {"deprecated": "elasticnet"}
        penalty = named.get(self.penalty, self.penalty)
        if penalty == "elasticnet":
            penalty = {0.0: "l2", 1.0: "l1", None: "l2"}.get(self.l1_ratio, penalty)
        C, penalty = (1.0, None) if isinstance(self.C, float) and float("inf") == self.C else (self.C, penalty)
        return deciban.LogisticRegression(  # its intercept is free: intercept_scaling has no effect
            C,
            penalty=penalty,
            l1_ratio=self.l1_ratio,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            tol=self.tol * 1e-4,
            max_iter=self.max_iter,
            warm_start=self.warm_start,
            random_state=draw_seed(self.random_state),
            n_jobs=self.n_jobs,
        )


@substitute(linear_model.Perceptron)
class Perceptron(Streaming):
    def model(self) -> Any:
        require_neutral("penalty", self.penalty, None)
        require_neutral("eta0", self.eta0, 1.0)
        require_neutral("early_stopping", self.early_stopping, False)
        require_neutral("warm_start", self.warm_start, False)
        return deciban.Perceptron(
            max_iter=self.max_iter,
            shuffle=self.shuffle,
            calibration=None,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            random_state=draw_seed(self.random_state),
            n_jobs=self.n_jobs,
        )


@substitute(linear_model.RidgeClassifier)
class RidgeClassifier(Adapter):
    def model(self) -> Any:
        require_neutral("positive", self.positive, False)
        return deciban.LeastSquaresClassifier(
            2.0 * self.alpha,
            calibration=None,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            random_state=draw_seed(self.random_state),
        )


class Regression(Adapter):
    def given(self, **options: Any) -> Any:
        state = draw_seed(self.__dict__.get("random_state"))
        options = {"positive": self.positive, "fit_intercept": self.fit_intercept, "random_state": state} | options
        return deciban.LinearRegression(**options)


@substitute(linear_model.LinearRegression)
class LinearRegression(Regression):
    def model(self) -> Any:
        return self.given(n_jobs=self.n_jobs)


@substitute(linear_model.Ridge)
class Ridge(Regression):
    def model(self) -> Any:
        return self.given(penalty="l2", alpha=np.multiply(2.0, self.alpha), tol=self.tol * 1e-8)


class Sparse(Regression):
    """The penalty of scikit-learn weighs against the mean of the squares, ours against their sum."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        self._weight = len(y) if sample_weight is None else float(np.broadcast_to(sample_weight, len(y)).sum())
        return super().fit(X, y, sample_weight)

    @property
    def dual_gap_(self) -> float:
        proof = self._fitted.certificate_
        return max(0.0, proof.primal - proof.dual) / (2.0 * self._weight)

    def scaled(self, **options: Any) -> Any:
        weight = self.__dict__.get("_weight", 1.0)
        return self.given(
            alpha=2.0 * weight * self.alpha,
            tol=self.tol * 1e-4,
            max_iter=self.max_iter,
            warm_start=self.warm_start,
            **options,
        )


@substitute(linear_model.Lasso)
class Lasso(Sparse):
    l1_ratio = 1.0

    def model(self) -> Any:
        return self.scaled(penalty="l1")


@substitute(linear_model.ElasticNet)
class ElasticNet(Sparse):
    def model(self) -> Any:
        return self.scaled(penalty="elasticnet", l1_ratio=self.l1_ratio)
