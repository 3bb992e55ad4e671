"""`sklearn.calibration` by `CalibratedClassifier`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sklearn import calibration

import deciban

from .adapter import Adapter, substitute


@substitute(calibration.CalibratedClassifierCV)
class CalibratedClassifierCV(Adapter):
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Any:
        return self._call("fit", X, y, sample_weight=sample_weight, **options)

    def model(self) -> Any:
        method = {"sigmoid": "platt"}.get(self.method, self.method)
        cv = 5 if self.cv is None else self.cv
        return deciban.CalibratedClassifier(self.estimator, method, cv=cv, n_jobs=self.n_jobs)

    @property
    def calibrated_classifiers_(self) -> Any:
        if self.ensemble is not False:
            raise AttributeError("CalibratedClassifier keeps one model, which learnt all examples, not one a fold")
        return [SimpleNamespace(estimator=self._fitted.estimator_, calibrators=[self._fitted.calibrator_])]
