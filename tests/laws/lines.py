"""Noisy linear data for the laws of linear regression, and the configurations they are asked of."""

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import sparse

from deciban.models.least_squares import LinearRegression
from tiers import examples

seeds = st.integers(0, 2**32 - 1)
few = examples(4)

SUMS = {"least-squares": {}, "ridge": {"penalty": "l2", "alpha": 3.0}}
SMOOTH = {
    **SUMS,
    "huber": {"loss": "huber"},
    "huber-l2": {"loss": "huber", "penalty": "l2", "delta": 0.5},
    "huber-reweighted": {"loss": "huber", "solver": "reweighted"},
}
SPARSE = {
    "lasso": {"penalty": "l1", "alpha": 20.0},
    "elastic-net": {"penalty": "elasticnet", "alpha": 20.0, "l1_ratio": 0.3},
    "huber-l1": {"loss": "huber", "penalty": "l1", "alpha": 5.0},
}
ABSOLUTE = {
    "absolute": {"loss": "absolute"},
    "absolute-l1": {"loss": "absolute", "penalty": "l1", "alpha": 5.0},
    "absolute-l2": {"loss": "absolute", "penalty": "l2", "alpha": 2.0},
    "absolute-smoothing": {"loss": "absolute", "penalty": "l2", "alpha": 2.0, "solver": "smoothing"},
    "absolute-elastic-net": {"loss": "absolute", "penalty": "elasticnet", "alpha": 5.0, "l1_ratio": 0.3},
}
EVERY = {**SMOOTH, **SPARSE, **ABSOLUTE}


def over(cases):
    """The law is asked of each of these configurations."""
    return pytest.mark.parametrize("options", cases.values(), ids=cases.keys())


def lines(seed, N=60, d=5, K=1, offset=0.0, noise=0.5):
    """X (N, d) with a third of zeros, y (N,) or (N, K)."""
    random = np.random.default_rng(seed)
    X = (random.normal(size=(N, d)) + offset) * (random.random((N, d)) > 1.0 / 3.0)
    Y = X @ random.normal(size=(d, K)) + random.normal(size=K) + noise * random.standard_t(3, (N, K))
    return X, Y[:, 0] if K == 1 else Y


def weights(seed, N):
    """(N,) whole numbers from 1 to 3."""
    return np.random.default_rng(seed).integers(1, 4, N).astype(float)


def model(options, **more):
    """A new model, asked for more digits than by default."""
    return LinearRegression(**{"tol": 1e-9, "max_iter": 100_000, **options, **more})


def objective(fitted, X, y, w):
    """What the docstring says is minimised."""
    loss, penalty = fitted._loss(), fitted._penalty()
    return float(w @ loss.value(y, fitted.predict(X))) + penalty.value(fitted.coef_)


FORMS = {
    "dense": lambda X: X,
    "Fortran": np.asfortranarray,
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_matrix,
}
