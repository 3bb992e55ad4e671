"""Scores as the tensors of a file, and back: what cannot be a score of so many features and classes is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.refusal import check
from deciban.networks.network import Network, from_tensors
from deciban.networks.network import to_tensors as layers_of

from .affine import AffineScore
from .evidence import Floats, Score
from .kernel import KernelScore
from .network import NetworkScore

if TYPE_CHECKING:
    from deciban.kernels import Kernel

Arrays = dict[str, NDArray[Any]]
# Beyond such sizes sums would leave the range of a float64; signals of a layer, that of a float32.
_LARGEST, _LARGEST_OF_LAYERS = 1e100, 1e12


def tensors_of(score: Score) -> Arrays:
    """Return the numbers of an affine score, of a kernel machine or of a network, by name; layers as float32."""
    if isinstance(score, AffineScore):
        return {"weights": np.asarray(score.W, "<f8"), "prior": np.asarray(score.prior, "<f8")}
    if isinstance(score, KernelScore):
        from deciban.kernels.tensors import vectors_to

        own = {"dual": np.asarray(score.A, "<f8"), "intercept": np.asarray(score.intercept, "<f8")}
        return own | vectors_to(score.vectors)
    assert isinstance(score, NetworkScore)
    return {name: values.astype("<f4") for name, values in layers_of(score.network).items()}


def affine_from(arrays: Arrays, D: int, C: int) -> AffineScore:
    """Return the affine score of D features and C classes that tensors hold, all of them."""
    held = check_arrays(arrays, {"weights": (D, C), "prior": (C,)})
    return AffineScore(held["weights"], held["prior"])


def kernel_from(kernel: Kernel, arrays: Arrays, D: int, C: int) -> KernelScore:
    """Return the score of the machine of D features and C classes that tensors hold, all of them."""
    from deciban.kernels.tensors import vectors_from

    m, vectors = len(arrays["dual"]), {name: values for name, values in arrays.items() if name.startswith("vectors")}
    own = {name: values for name, values in arrays.items() if name not in vectors}
    held = check_arrays(own, {"dual": (m, C), "intercept": (C,)})
    found = vectors_from(kernel, vectors, m, D)
    check(found.ndim == 2, "support vectors that are no rows")
    for values in (*held.values(), *vectors.values()):
        refuse_large(values.astype(np.float64))
    return KernelScore(kernel, found, held["dual"], held["intercept"])


def network_from(parts: Mapping[str, Any], arrays: Arrays, D: int, C: int) -> Network:
    """Return the network of D features whose softmax has C classes that tensors hold, all of them as float32."""
    found = from_tensors(parts, arrays, D, C)
    check(found.output.name == "softmax", "a network of other outputs than those of classes")
    check(found.weights[0].dtype == np.float32, "a network of other numbers than float32")
    for values in (*found.weights, *found.biases):
        refuse_large(values, _LARGEST_OF_LAYERS)
    return found


def check_arrays(arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Floats]:
    """Return copies of the arrays of these names, and no others, if they are finite numbers of these shapes."""
    if set(arrays) != set(shapes):
        raise ValueError(f"expected the tensors {', '.join(sorted(shapes))}; there are {', '.join(sorted(arrays))}")
    for name, shape in shapes.items():
        array = arrays[name]
        if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{name} are not {shape} finite numbers")
        refuse_large(array)
    return {name: np.array(array) for name, array in arrays.items()}


def refuse_large(values: NDArray[Any], most: float = _LARGEST) -> None:
    """Raise ValueError for numbers that nothing can be computed with."""
    check(bool((np.abs(values) <= most).all()), "numbers that are not finite, or too large")
