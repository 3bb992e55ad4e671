"""Measures every generative model on real data, beside scikit-learn's counterpart: docs/generative.md.

python benchmarks/studies/generative.py

The data are read from where the benchmarks read theirs.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from generative_cases import SETS, normalised
from recording import record
from side_by_side import measure, own
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis


def log_posterior(model: Any, X: Any) -> Any:
    """(N, C); from the scores where predict_proba would round to 0 or 1."""
    if not isinstance(model, LinearDiscriminantAnalysis | QuadraticDiscriminantAnalysis):
        return own(model, X)
    score = model.decision_function(X)
    return normalised(np.column_stack([np.zeros(len(score)), score]) if score.ndim == 1 else score)


if __name__ == "__main__":
    record(__file__, partial(measure, SETS, log_posterior))
