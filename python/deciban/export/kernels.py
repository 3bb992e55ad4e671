"""Values of a kernel between rows and support vectors, as nodes."""

from __future__ import annotations

from functools import reduce, singledispatch
from typing import Any

import numpy as np

from deciban.data.devices import on_host
from deciban.data.rows import is_sparse
from deciban.errors import DataError
from deciban.kernels import (
    RBF,
    AdditiveChiSquared,
    ChiSquared,
    Cosine,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Multiquadric,
    Polynomial,
    Precomputed,
    Product,
    Radial,
    Sum,
    Tanh,
    Wave,
)
from deciban.losses import Floats

from .graph import Graph, Value


def as_dense(vectors: Any) -> Any:
    """Return support vectors as a dense float64 array on the host; places of columns of a Gram matrix as they are."""
    if is_sparse(vectors):
        return vectors.toarray().astype(np.float64)
    host = on_host(vectors, None)
    return host if host.dtype.kind in "iu" and host.ndim == 1 else host.astype(np.float64)


@singledispatch
def tile(kernel: Kernel, g: Graph, x: Value, Z: Any) -> Value:
    """Return (N, m) the values K(x_i, z_j) of rows x (N, d) and vectors Z (m, d); DataError for code and texts."""
    raise DataError(
        f"kernel {kernel!r} cannot be written as ONNX. Expected a kernel of rows of numbers that is a formula. "
        "Compute the Gram matrix yourself, and fit with kernel='precomputed'."
    )


@tile.register
def _(kernel: Linear, g: Graph, x: Value, Z: Any) -> Value:
    return g("MatMul", x, Z.T)


@tile.register
def _(kernel: Polynomial, g: Graph, x: Value, Z: Any) -> Value:
    base = g("Add", g("Mul", g("MatMul", x, Z.T), float(kernel.scale)), float(kernel.shift))
    power, left = None, int(kernel.degree)
    while left:
        if left & 1:
            power = base if power is None else g("Mul", power, base)
        left >>= 1
        base = g("Mul", base, base) if left else base
    assert power is not None
    return power


@tile.register
def _(kernel: Tanh, g: Graph, x: Value, Z: Any) -> Value:
    return g("Tanh", g("Add", g("Mul", g("MatMul", x, Z.T), float(kernel.scale)), float(kernel.shift)))


@tile.register
def _(kernel: Radial, g: Graph, x: Value, Z: Any) -> Value:
    return _of_distance(kernel, g, _squared_distance(kernel.unit, g, x, Z))


# Rounding of squares may change a distance by so much, in units of the kernel.
_ROUNDING = 1e-8


def _squared_distance(unit: float, g: Graph, x: Value, Z: Floats) -> Value:
    """Return (N, m) ‖x − z‖²: by products, which take little memory, unless vectors lie so far apart that squares have
    no digits left for the distance of two that are near."""
    middle = Z.mean(axis=0)
    near, norms = Z - middle, np.square(Z - middle).sum(axis=1)
    if norms.max(initial=0.0) * Z.shape[1] * np.finfo(np.float64).eps > _ROUNDING * unit:
        return g("ReduceSumSquare", g("Sub", g("Unsqueeze", x, [1]), Z), [2], keepdims=0)
    x = g("Sub", x, middle)
    squares = g("Add", g("ReduceSumSquare", x, [1], keepdims=1), norms)
    return g("Max", g("Sub", squares, g("Mul", g("MatMul", x, near.T), 2.0)), 0.0)


@singledispatch
def _of_distance(kernel: Radial, g: Graph, apart: Value) -> Value:
    """Return the kernel of squared distances."""
    raise DataError(f"kernel {kernel!r} cannot be written as ONNX. Expected one of `deciban.kernels`.")


@_of_distance.register
def _(kernel: RBF, g: Graph, apart: Value) -> Value:
    return g("Exp", g("Mul", apart, -float(kernel.gamma)))


@_of_distance.register
def _(kernel: Gaussian, g: Graph, apart: Value) -> Value:
    return g("Exp", g("Mul", apart, -1.0 / kernel.unit))


@_of_distance.register
def _(kernel: Multiquadric, g: Graph, apart: Value) -> Value:
    return g("Sqrt", g("Add", apart, float(kernel.shift) ** 2))


@_of_distance.register
def _(kernel: Wave, g: Graph, apart: Value) -> Value:
    r = g("Sqrt", g("Div", apart, float(kernel.unit)))
    same = g("Equal", r, 0.0)
    safe = g("Where", same, 1.0, r)
    return g("Where", same, 1.0, g("Div", g("Sin", safe), safe))


@tile.register
def _(kernel: Laplacian, g: Graph, x: Value, Z: Any) -> Value:
    apart = g("Abs", g("Sub", g("Unsqueeze", x, [1]), Z))
    return g("Exp", g("Mul", g.sum(apart, 2), -float(kernel.gamma)))


@tile.register
def _(kernel: Cosine, g: Graph, x: Value, Z: Any) -> Value:
    square = np.square(Z).sum(axis=1)
    inverse = np.where(square > 0.0, 1.0 / np.sqrt(np.where(square > 0.0, square, 1.0)), 0.0)
    return g("MatMul", of_length_one(g, x), (Z * inverse[:, None]).T)


def of_length_one(g: Graph, x: Value) -> Value:
    """Return rows divided by their lengths; empty ones stay."""
    length = g("Sqrt", g("ReduceSumSquare", x, [1], keepdims=1))
    return g("Div", x, g("Where", g("Greater", length, 0.0), length, 1.0))


@tile.register
def _(kernel: ChiSquared, g: Graph, x: Value, Z: Any) -> Value:
    return g("Exp", g("Mul", _chi_squared(g, x, Z), -float(kernel.gamma)))


@tile.register
def _(kernel: AdditiveChiSquared, g: Graph, x: Value, Z: Any) -> Value:
    return g("Sub", 0.0, _chi_squared(g, x, Z))


def _chi_squared(g: Graph, x: Value, Z: Floats) -> Value:
    x = g("Unsqueeze", x, [1])
    total, apart = g("Add", x, Z), g("Sub", x, Z)
    safe = g("Where", g("Greater", total, 0.0), total, 1.0)
    return g.sum(g("Div", g("Mul", apart, apart), safe), 2)


@tile.register
def _(kernel: Precomputed, g: Graph, x: Value, Z: Any) -> Value:
    return g("Gather", x, np.asarray(Z, dtype=np.int64), axis=1)


@tile.register
def _(kernel: Sum, g: Graph, x: Value, Z: Any) -> Value:
    return reduce(lambda a, b: g("Add", a, b), (tile(each, g, x, Z) for each in kernel.kernels))


@tile.register
def _(kernel: Product, g: Graph, x: Value, Z: Any) -> Value:
    return reduce(lambda a, b: g("Mul", a, b), (tile(each, g, x, Z) for each in kernel.kernels))
