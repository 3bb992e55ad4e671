"""`sklearn.svm` and `sklearn.kernel_approximation`."""

from __future__ import annotations

from typing import Any

from sklearn import kernel_approximation, svm
from sklearn.metrics.pairwise import pairwise_kernels

import deciban

from .adapter import Adapter, draw_seed, require_neutral, substitute


@substitute(svm.LinearSVC)
class LinearSVC(Adapter):
    def model(self) -> Any:
        return deciban.LinearSVM(  # its intercept is free: intercept_scaling has no effect
            self.C,
            loss="hinge" if self.multi_class == "crammer_singer" else self.loss,  # liblinear passes it over
            penalty=self.penalty,
            multi_class=self.multi_class,
            calibration=None,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            tol=self.tol * 1e-2,
            max_iter=self.max_iter,
            random_state=draw_seed(self.random_state),
        )


@substitute(svm.LinearSVR)
class LinearSVR(Adapter):
    def model(self) -> Any:
        return deciban.LinearSVR(  # its intercept is free: intercept_scaling has no effect
            epsilon=self.epsilon,
            C=self.C,
            loss=self.loss,
            fit_intercept=self.fit_intercept,
            tol=self.tol * 1e-2,
            max_iter=self.max_iter,
            random_state=draw_seed(self.random_state),
        )


class Machine(Adapter):
    def shared(self) -> dict[str, Any]:
        return {
            "kernel": self.kernel,
            "gamma": self.gamma,
            "degree": self.degree,
            "coef0": self.coef0,
            "tol": self.tol * 1e-4,
            "max_iter": 1_000_000 if self.max_iter == -1 else self.max_iter,
            "memory_mb": self.cache_size,
        }


class Classifier(Machine):
    def machine(self, **options: Any) -> Any:
        require_neutral("break_ties", self.break_ties, False)
        calibration = "temperature" if self.probability is True else None
        state = draw_seed(self.random_state)
        options |= {"class_weight": self.class_weight, "calibration": calibration, "random_state": state}
        return deciban.SVM(**options, **self.shared())


@substitute(svm.SVC)
class SVC(Classifier):
    def model(self) -> Any:
        return self.machine(C=self.C)


@substitute(svm.NuSVC)
class NuSVC(Classifier):
    def model(self) -> Any:
        return self.machine(nu=self.nu)


@substitute(svm.SVR)
class SVR(Machine):
    def model(self) -> Any:
        return deciban.SVMRegressor(C=self.C, epsilon=self.epsilon, **self.shared())


@substitute(svm.NuSVR)
class NuSVR(Machine):
    def model(self) -> Any:
        return deciban.SVMRegressor(C=self.C, nu=self.nu, **self.shared())


@substitute(svm.OneClassSVM)
class OneClassSVM(Machine):
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        return super().fit(X, y, sample_weight)

    def model(self) -> Any:
        return deciban.OneClassSVM(nu=self.nu, **self.shared())


class Approximation(Adapter):
    def fit(self, X: Any, y: Any = None) -> Any:
        return self._call("fit", X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        return self.fit(X, y).transform(X)


@substitute(kernel_approximation.Nystroem)
class Nystroem(Approximation):
    def model(self) -> Any:
        given = {name: getattr(self, name) for name in ("gamma", "degree", "coef0")}
        defaults = {"gamma": 1.0 if self.kernel == "chi2" else "auto", "coef0": 1.0}
        given = defaults | {name: value for name, value in given.items() if value is not None}
        state = draw_seed(self.random_state)
        return deciban.Nystroem(self._kernel(), self.n_components, random_state=state, **given)

    def _kernel(self) -> Any:
        """The kernel, of tiles where scikit-learn's is a function of two rows."""
        if not callable(self.kernel):
            return self.kernel
        return lambda X, Z: pairwise_kernels(X, Z, metric=self.kernel, **(self.kernel_params or {}))

    @property
    def components_(self) -> Any:
        return self._fitted.landmarks_

    @property
    def component_indices_(self) -> Any:
        return self._fitted.landmark_rows_

    @property
    def normalization_(self) -> Any:
        return self._fitted.whitening_


@substitute(kernel_approximation.RBFSampler)
class RBFSampler(Approximation):
    def model(self) -> Any:
        seed = draw_seed(self.random_state)
        return deciban.RandomFourier(n_components=self.n_components, gamma=self.gamma, random_state=seed)
