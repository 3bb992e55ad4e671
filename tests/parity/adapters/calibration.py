"""`sklearn.calibration` by `Calibrated`."""

from __future__ import annotations

from typing import Any

from sklearn import calibration

import deciban

from .adapter import Adapter, standing_for


@standing_for(calibration.CalibratedClassifierCV)
class CalibratedClassifierCV(Adapter):
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **more: Any) -> Any:
        return self._learn("fit", X, y, sample_weight=sample_weight, **more)

    def model(self) -> Any:
        method = {"sigmoid": "platt"}.get(self.method, self.method)
        return deciban.Calibrated(self.estimator, method, cv=5 if self.cv is None else self.cv)
