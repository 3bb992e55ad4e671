"""Adapters that let scikit-learn's own tests run against the estimators of Deciban."""
