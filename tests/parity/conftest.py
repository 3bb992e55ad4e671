"""The adapters carry scikit-learn's docstrings, whose examples are not ours to run."""

collect_ignore = ["adapters"]
