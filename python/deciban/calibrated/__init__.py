"""A calibrator behind any classifier, as an estimator."""
