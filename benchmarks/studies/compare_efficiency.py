"""How many examples logistic regression pays for not assuming normal classes: Efron's efficiency, and its measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from data_sets import SEED
from scipy.integrate import quad
from scipy.stats import norm

from deciban import GaussianDiscriminant, LogisticRegression

DISTANCES, EXAMPLES, FEATURES, REPEATS = (1.0, 2.0, 2.5, 3.0), 2000, 20, 80


def efficiency(distance: float) -> float:
    """(1 + Δ²/4) e^(−Δ²/8) E[1 / cosh(ΔZ/2)], Z standard normal: the ratio of the variances of the weights across the
    line between two equally frequent classes, of the discriminant to logistic regression, for many examples."""
    mean = quad(lambda z: norm.pdf(z) / np.cosh(distance * z / 2), -40, 40)[0]
    return float((1 + distance**2 / 4) * np.exp(-(distance**2) / 8) * mean)


def error(model: Any, means: Any) -> float:
    """The error of a linear rule on classes N(±means/2, I), without a test set."""
    corners = np.vstack([np.zeros_like(means), np.eye(len(means))])
    log_p = model.predict_log_proba(corners)
    score = log_p[:, 1] - log_p[:, 0]
    b, w = score[0], score[1:] - score[0]
    sides = (norm.cdf((sign * b - w @ means / 2) / np.linalg.norm(w)) for sign in (-1, 1))
    return float(sum(sides) / 2)


def measured(distance: float, repeats: int = REPEATS) -> dict[str, float]:
    """Two normal classes that far apart: the least error there is, by how much the discriminant and logistic regression
    exceed it, in the mean over samples, and the efficiency that theory gives."""
    means = np.zeros(FEATURES)
    means[0] = distance
    y, found = np.arange(EXAMPLES) % 2, np.empty((2, repeats))
    for k in range(repeats):
        random = np.random.default_rng([SEED, k])
        X = random.normal(size=(EXAMPLES, FEATURES)) + np.outer(y - 0.5, means)
        for model, place in ((GaussianDiscriminant(), 0), (LogisticRegression(penalty=None, tol=1e-8), 1)):
            found[place, k] = error(model.fit(X, y), means)
    best = float(norm.cdf(-distance / 2))
    discriminant, logistic = found.mean(axis=1) - best
    return {"best": best, "discriminant": discriminant, "logistic": logistic, "theory": efficiency(distance)}
