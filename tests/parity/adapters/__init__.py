"""scikit-learn's own tests, run against the estimators here: adapters that carry its names."""
