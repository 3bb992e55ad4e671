"""Small labelled data sets for the laws, and the distributions that the laws are asked of."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from deciban.distributions import CATALOGUE, Bernoulli, Categorical, Gaussian, Mixed, Multinomial, Poisson


class Data(NamedTuple):
    """X (N, d) of whole numbers, y (N,) of class indices 0 … C−1, weight (N,) of whole numbers ≥ 1."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    C: int

    def part(self, rows):
        """Some rows of it, still of C classes."""
        return Data(self.X[rows], self.y[rows].copy(), self.weight[rows].copy(), self.C)

    def lists(self):
        """As the oracles take it."""
        return self.X.tolist(), self.y.tolist(), self.weight.tolist(), self.C

    def grounded(self):
        """With a row of zeros and a row of ones more in each class, so that every estimate is defined."""
        extra = np.repeat([[0.0], [1.0]], self.C, axis=0) * np.ones((1, self.X.shape[1]))
        X, y = np.vstack([self.X, extra]), np.concatenate([self.y, *[np.arange(self.C)] * 2])
        return Data(X, y, np.concatenate([self.weight, np.ones(2 * self.C)]), self.C)


@st.composite
def labelled_data(draw, largest=4, least=0, missing=False, classes=1):
    """2 … 12 rows of 1 … 5 features from `least` … `largest`; every one of `classes` … 3 classes has a row.

    A tuple of `largest` is one feature each. With `missing` some numbers are NaN, and X is of floats.
    """
    C = draw(st.integers(classes, 3))
    N = draw(st.integers(max(2, C), 12))
    if isinstance(largest, tuple):
        columns = [draw(arrays(np.int64, N, elements=st.integers(least, most))) for most in largest]
        X = np.column_stack(columns)
    else:
        X = draw(arrays(np.int64, (N, draw(st.integers(1, 5))), elements=st.integers(least, largest)))
    if missing:
        gone = draw(arrays(np.int8, X.shape, elements=st.integers(0, 4), fill=st.just(0)))
        X = np.where(gone == 4, np.nan, X)
    rest = draw(arrays(np.int64, N - C, elements=st.integers(0, C - 1)))
    weight = draw(arrays(np.float64, N, elements=st.integers(1, 3).map(float)))
    return Data(X, np.concatenate([np.arange(C), rest]), weight, C)


@dataclass(frozen=True)
class Case:
    """A distribution, and the whole numbers it is tried with; a tuple of `largest` is one feature each.

    `estimates` are those that are defined for its prior: with less than a pseudo-count the posterior has no mode.
    """

    family: Any
    largest: int | tuple[int, ...] = 1
    least: int = 0
    estimates: tuple[str, ...] = ("bayes", "map", "ml")

    def data(self, missing=True, classes=1):
        """What it can be learnt from, with missing values where it allows them."""
        return labelled_data(self.largest, self.least, missing and self.family.missing, classes)

    @property
    def book(self):
        """The likelihood and its prior, as the oracles take them."""
        if isinstance(self.family, Mixed):
            return {"likelihood": [(js, part.name, asdict(part)) for js, part in self.family.parts]}
        return {"likelihood": self.family.name, **asdict(self.family)}


# What a distribution takes beyond 0 and 1, which all of them take.
_RANGES = {"categorical": (4,), "multinomial": (4,), "complement": (4,), "poisson": (6,), "gaussian": (5, -5)}

BY_NAME = {family.name: Case(family.symmetric(1.0), *_RANGES.get(family.name, ())) for family in CATALOGUE}
_NO_MODE = ("bayes", "ml")
VARIANTS = {
    "bernoulli-lopsided": Case(Bernoulli(0.5, 2.0), estimates=_NO_MODE),
    "bernoulli-threshold": Case(Bernoulli(2.5, 2.5, binarize=1.0), 4),
    "multinomial-sparse-prior": Case(Multinomial(0.3), 4, estimates=_NO_MODE),
    "poisson-lopsided": Case(Poisson(2.5, 0.5), 6),
    "categorical-sizes": Case(Categorical(0.7, sizes=(2, 9, 3)), (4, 4, 4), estimates=_NO_MODE),
    "gaussian-given": Case(Gaussian(mean=-1.0, kappa=0.5, variance=2.0, nu=3.0), 5, -5),
    "gaussian-shared": Case(Gaussian(shared=True), 5, -5),
}
_PARTS = (
    ((0, 3), Bernoulli()),
    ((1,), Poisson()),
    ((2, 5), Gaussian()),
    ((4,), Categorical()),
    ((6,), Gaussian(shared=True)),
)
MIXED = Case(Mixed(_PARTS, 7), (1, 4, 9, 1, 3, 9, 5))

ONE_KIND = BY_NAME | VARIANTS
EVERY = ONE_KIND | {"mixed": MIXED}


def over(cases):
    """The law is asked of each of these cases."""
    return pytest.mark.parametrize("case", cases.values(), ids=cases.keys())


def over_estimates(cases):
    """The law is asked of each of these cases with each of its estimates."""
    pairs = {f"{name}-{how}": (case, how) for name, case in cases.items() for how in case.estimates}
    return pytest.mark.parametrize(("case", "estimate"), pairs.values(), ids=pairs.keys())


def leaves(parameters, c):
    """All numbers of class c, feature by feature, as the oracles list them."""
    if isinstance(parameters, np.ndarray):
        return parameters[c].ravel()
    if hasattr(parameters, "_fields"):  # the parts of a normal are (C, d) each
        return np.stack([part for part in parameters if part is not None], axis=-1)[c].ravel()
    return np.concatenate([leaves(part, c) for part in parameters])


def forms(X):
    """The same rows as people bring them: dense and sparse, of many types, with zeros stored and places told twice."""
    csr = sparse.csr_array(X.astype(np.float64))
    wide = sparse.csr_array(csr)
    wide.indices, wide.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    twice = sparse.csr_array((np.repeat(csr.data, 2) / 2, np.repeat(csr.indices, 2), csr.indptr * 2), shape=csr.shape)
    zeros = sparse.csr_array(np.ones(X.shape))
    zeros.data = X.astype(np.float64).ravel()
    found = [csr, sparse.csr_matrix(csr), csr.tocsc(), csr.tocoo(), wide, twice, zeros, csr.astype(np.float32)]
    found += [X.astype(t) for t in (np.float32, np.float64)]
    found += [np.asfortranarray(X), X[:, ::-1].copy()[:, ::-1]]
    if not np.isnan(X).any():
        found += [X.astype(t) for t in (np.int64, np.int32)] + [csr.astype(np.int64)]
    return found
