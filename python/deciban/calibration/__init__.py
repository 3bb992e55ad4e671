"""Calibration: from scores to probabilities that mean what they say.

A calibrator learns what scores are worth from examples that the model did not learn. `CATALOGUE` has four, from one
parameter to as many as the data ask for; `deciban.CalibratedClassifier` puts one behind any classifier.
"""

from .calibrator import CATALOGUE, Beta, Calibrator, Isotonic, Platt, Temperature, by_name

__all__ = ["CATALOGUE", "Beta", "Calibrator", "Isotonic", "Platt", "Temperature", "by_name"]
