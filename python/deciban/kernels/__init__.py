"""Kernels: inner products of examples in some space of features, evaluated tile by tile.

    K(x, z) = φ(x)·φ(z)      tile(X, Z) (n, m) of K(x_i, z_j)      diagonal(X) (n,) of K(x_i, x_i)

Rows are NumPy arrays of float32 or float64, SciPy's CSR, or arrays of another library that keeps to the array API
standard. A kernel never sees labels or weights; a machine never sees features, only tiles.
"""

from __future__ import annotations

from .custom import Function, Precomputed
from .dot_product import DotProduct, Linear, Polynomial, Tanh
from .kernel import Kernel, Mercer, Product, Sum, mercer
from .pairwise import AdditiveChiSquared, ChiSquared, Cosine, Laplacian
from .parameters import by_name, gamma_of
from .radial import RBF, Gaussian, Multiquadric, Radial, Wave
from .spectrum import Spectrum

CATALOGUE: tuple[type[Kernel], ...] = (Linear, Polynomial, RBF, Gaussian, Tanh, Multiquadric, Wave, Laplacian, Cosine)
"""The kernels of rows of any numbers, each with its parameters as defaults."""

HISTOGRAMS: tuple[type[Kernel], ...] = (ChiSquared, AdditiveChiSquared)
"""Those of rows of numbers ≥ 0."""

__all__ = [
    "CATALOGUE",
    "HISTOGRAMS",
    "RBF",
    "AdditiveChiSquared",
    "ChiSquared",
    "Cosine",
    "DotProduct",
    "Function",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Mercer",
    "Multiquadric",
    "Polynomial",
    "Precomputed",
    "Product",
    "Radial",
    "Spectrum",
    "Sum",
    "Tanh",
    "Wave",
    "by_name",
    "gamma_of",
    "mercer",
]
