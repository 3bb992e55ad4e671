"""Clouds of points for the laws of Gaussian discriminant analysis, and the configurations they are asked of."""

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from deciban.models.discriminant import GaussianDiscriminant
from tiers import examples

LABELS = np.array(["ant", "bee", "cat", "doe"])
seeds = st.integers(0, 2**32 - 1)
few = examples(3)

_KINDS = {
    "ml": {},
    "shrunk": {"shrinkage": 0.3},
    "ledoit-wolf": {"shrinkage": "auto"},
    "oracle-approximating": {"shrinkage": "oracle-approximating"},
    "map": {"estimate": "map", "alpha": 2.5},
    "bayes": {"estimate": "bayes", "alpha": 0.7},
}
EVERY = {
    f"{covariance}-{name}": {"covariance": covariance, **options}
    for covariance in ("shared", "per_class", "diagonal")
    for name, options in _KINDS.items()
}
# The mean variance of features in several units depends on the units; nothing else does.
WITHOUT_UNITS = {name: options for name, options in EVERY.items() if "shrinkage" not in options}


def over(cases):
    """The law is asked of each of these configurations."""
    return pytest.mark.parametrize("options", cases.values(), ids=cases.keys())


def clouds(seed, N=90, d=4, C=3, apart=1.0, offset=0.0):
    """X (N, d), y (N,): C correlated clouds, one shape each, in units from 1/10 to 10, `offset` deviations from 0."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(N) % C)
    shapes, centres = random.normal(size=(C, d, d)) + 2.0 * np.eye(d), apart * random.normal(size=(C, d))
    units = 10.0 ** random.uniform(-1.0, 1.0, d)
    X = np.einsum("ni,nij->nj", random.normal(size=(N, d)), shapes[y]) + centres[y]
    return (X + offset) * units, y


def weights(seed, N):
    """(N,) whole numbers from 1 to 3."""
    return np.random.default_rng(seed).integers(1, 4, N).astype(float)


def model(options, **more):
    """A new model."""
    return GaussianDiscriminant(**{**options, **more})


def near(ours, theirs, share=1e-12):
    """Two statistics that agree to this share of the scatter."""
    assert type(ours) is type(theirs)
    for mine, other in zip(ours.arrays(), theirs.arrays(), strict=True):
        assert_allclose(mine, other, rtol=share, atol=share * max(1e-300, np.abs(other).max(initial=0.0)))


def alike(one, other, X, tolerance=1e-9):
    """Two models that know and judge the same."""
    assert_array_equal(one.classes_, other.classes_)
    near(one.counts_, other.counts_)
    assert_allclose(one.predict_joint_log_proba(X), other.predict_joint_log_proba(X), rtol=tolerance, atol=tolerance)
