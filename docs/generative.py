"""Writes docs/generative.md: every generative model on real data, beside scikit-learn's counterpart.

python docs/generative.py

The data are read from where the benchmarks read theirs; without them nothing is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from generative_cases import SETS, normalised
from generative_prose import INTRODUCTION, READING
from judging import own, write
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis


def log_posterior(model: Any, X: Any) -> Any:
    """(N, C); from the scores where predict_proba would round to 0 or 1."""
    if not isinstance(model, LinearDiscriminantAnalysis | QuadraticDiscriminantAnalysis):
        return own(model, X)
    score = model.decision_function(X)
    return normalised(np.column_stack([np.zeros(len(score)), score]) if score.ndim == 1 else score)


if __name__ == "__main__":
    write(Path(__file__).with_suffix(".md"), SETS, (INTRODUCTION, READING), log_posterior=log_posterior)
