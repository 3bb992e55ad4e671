"""Kernel machines and data for their laws."""

import numpy as np
import pytest

from deciban import SVM, OneClassSVM, SVMRegressor
from deciban.kernels import RBF, Linear

TIGHT = {"tol": 1e-9}
DECLARED = {
    "rbf": {},
    "linear": {"kernel": "linear", "C": 0.5},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0},
    "wave of rbf": {"kernel": RBF(0.3) + Linear(), "C": 0.3},
    "nu": {"nu": 0.3},
    "rest": {"multi_class": "ovr", "C": 3.0},
    "balanced": {"class_weight": "balanced", "C": 0.2},
}


def over(*names):
    return pytest.mark.parametrize("name", names or list(DECLARED))


def machine(name, **options):
    return SVM(**{**DECLARED[name], **TIGHT, **options})


def cloud(C=2, n=60, d=3, seed=0):
    """Overlapping classes, of unlike sizes."""
    r = np.random.default_rng(seed)
    y = np.minimum(r.integers(0, C + 1, n), C - 1)
    y[:C] = np.arange(C)
    return r.normal(size=(n, d)) + 1.5 * np.eye(max(C, d))[y][:, :d], y


OTHERS = {
    "regression": lambda **o: SVMRegressor(**{"epsilon": 0.2, **TIGHT, **o}),
    "nu regression": lambda **o: SVMRegressor(**{"nu": 0.4, **TIGHT, **o}),
    "one class": lambda **o: OneClassSVM(**{"nu": 0.3, **TIGHT, **o}),
}
