"""Layers, and the two ways through them, forward, and back with the error; their weights as tensors of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from deciban.blas import matmul
from deciban.data.devices import elsewhere, like, namespace, on_host
from deciban.data.refusal import check

from .layers import OUTPUTS, Activation, Error, Output, by_name, pair_output


class Kept(NamedTuple):
    """What the way forward leaves of a hidden layer for the way back: s, h = σ(s), and which h dropout let through,
    times what makes up for the others."""

    s: Any
    h: Any
    mask: Any = None

    @property
    def out(self) -> Any:
        """What the next layer sees."""
        return self.h if self.mask is None else self.h * self.mask


@dataclass
class Network:
    """h⁰ = x, s^l = h^(l−1) W^l + b^l, h^l = σ(s^l), and the last layer's h = o(s).

    `weights` W^l (units below, units) have w_ji of unit j and input i at [i, j]; `biases` b^l (units,). The arrays may
    be of any library; x may be CSR where they are NumPy's. Cost of a way forward, or back: one multiplication a weight
    and example, back twice but for the first layer.

    >>> from deciban.networks.layers import CrossEntropy, LogisticOutput, ReLU
    >>> one = Network([np.array([[1.0], [2.0]])], [np.array([-1.0])], ReLU(), LogisticOutput(), CrossEntropy())
    >>> one.forward(np.array([[1.0, 0.0]]))[1].tolist()
    [[0.5]]
    """

    weights: list[Any]
    biases: list[Any]
    activation: Activation
    output: Output
    error: Error

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many features, units of each hidden layer, and outputs there are."""
        return (int(self.weights[0].shape[0]), *(int(b.shape[0]) for b in self.biases))

    @property
    def parameters(self) -> list[Any]:
        """W and b of each layer, as `gradients` has them."""
        return [each for layer in zip(self.weights, self.biases, strict=True) for each in layer]

    def signals(self, x: Any, masks: Sequence[Any] = ()) -> tuple[list[Kept], Any]:
        """Return what is kept of each hidden layer, and s (n, K) of the last."""
        kept: list[Kept] = []
        below = x
        last = len(self.weights) - 1
        for layer, (W, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            s = matmul(below, W) if isinstance(below, np.ndarray) else below @ W
            s += b
            if layer == last:
                return kept, s
            kept.append(Kept(s, self.activation.forward(s), masks[layer] if masks else None))
            below = kept[-1].out
        raise AssertionError("a network has a layer")

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return s and h (n, K) of the last layer."""
        _, s = self.signals(x)
        return s, self.output.forward(s)

    def backward(self, x: Any, kept: Sequence[Kept], delta: Any) -> list[Any]:
        """Return ∂𝓔/∂W and ∂𝓔/∂b of each layer, from δ (n, K) of the last one: of the sum over the examples.

        ∂𝓔/∂w_ji = Σ_n δ_j h_i,     ∂𝓔/∂b_j = Σ_n δ_j,     and one layer down     δ_i = (Σ_j δ_j w_ji) σ'(s_i)
        """
        found: list[Any] = []
        for layer in reversed(range(len(self.weights))):
            below = kept[layer - 1].out if layer else x
            found += [namespace(delta).sum(delta, axis=0), below.T @ delta]
            if layer:
                delta = self._down(delta, layer, kept[layer - 1])
        return found[::-1]

    def _down(self, delta: Any, layer: int, kept: Kept) -> Any:
        """Return δ of the layer below `layer`."""
        delta = delta @ self.weights[layer].T
        if kept.mask is not None:
            delta = delta * kept.mask
        return self.activation.backward(delta, kept.s, kept.h)

    def to_inputs(self, kept: Sequence[Kept], delta: Any) -> Any:
        """Return δ (n, units) of the first layer, from δ (n, K) of the last: ∂𝓔/∂x is this times W¹ᵀ."""
        for layer in reversed(range(1, len(self.weights))):
            delta = self._down(delta, layer, kept[layer - 1])
        return delta

    def gradients(self, x: Any, y: Any, weight: Any, masks: Sequence[Any] = ()) -> tuple[Any, Any, Any, list[Any]]:
        """Return 𝓔_n (n,) of each example, s and h (n, K), and the gradients of Σ_n weight_n 𝓔_n, weight (n, 1)."""
        kept, s = self.signals(x, masks)
        h = self.output.forward(s)
        delta = self.error.delta(self.output, s, h, y) * weight
        return self.error.value(self.output, s, h, y), s, h, self.backward(x, kept, delta)


def draw_weights(
    sizes: Sequence[int], activation: Activation, seed: int, dtype: DTypeLike
) -> tuple[list[Any], list[Any]]:
    """Return initial weights: normal, of the variance `activation.spread` / inputs, 1 / inputs in the last layer; b =
    0.

    The generator is the one that NumPy has frozen (Mersenne Twister), so that a seed means the same for ever.
    """
    random = np.random.RandomState(seed % 2**32)
    weights, biases = [], []
    for layer, (below, units) in enumerate(pairwise(sizes)):
        spread = activation.spread if layer < len(sizes) - 2 else 1.0
        scale = np.sqrt(spread / below)
        weights.append((scale * random.standard_normal((below, units))).astype(dtype))
        biases.append(np.zeros(units, dtype))
    return weights, biases


def move_to(network: Network, X: Any) -> Network:
    """Return the network where the rows X are."""
    return network if _is_beside(network.weights[0], X) else _map_arrays(network, lambda array: _bring(array, X))


def copy_network(network: Network, X: Any, dtype: DTypeLike) -> Network:
    """Return the same weights where the rows X are, in that type; they may be written over."""

    def copy(array: Any) -> Any:
        host = np.array(on_host(array, None), dtype=dtype, order="C")  # as the steps of the core take them
        return like(host, X) if elsewhere(X) else host

    return _map_arrays(network, copy)


def _map_arrays(network: Network, made: Callable[[Any], Any]) -> Network:
    return replace(network, weights=list(map(made, network.weights)), biases=list(map(made, network.biases)))


def _bring(array: Any, X: Any) -> Any:
    array = on_host(array, None)
    return like(array, X) if elsewhere(X) else array


def _is_beside(array: Any, X: Any) -> bool:
    """Return whether an array is of the library and on the device of X."""
    if not elsewhere(X):
        return not elsewhere(array)
    return elsewhere(array) and type(array) is type(X) and array.device == X.device


Arrays = dict[str, NDArray[Any]]
PARTS = ("activation", "output", "error")
_KINDS = (np.dtype("<f4"), np.dtype("<f8"))


def name_parts(network: Network) -> dict[str, str]:
    """Return the names of what is between the layers, and behind the last."""
    return {"activation": network.activation.name, "output": network.output.name, "error": network.error.name}


def to_tensors(network: Network) -> Arrays:
    """Return `weights.1` (d, units) and `biases.1` (units,) of the first layer, and so on; from whatever device."""
    found: Arrays = {}
    for layer, (W, b) in enumerate(zip(network.weights, network.biases, strict=True), 1):
        for name, values in (("weights", W), ("biases", b)):
            held = on_host(values, None)
            found[f"{name}.{layer}"] = held.astype("<f4" if held.dtype == np.float32 else "<f8", copy=False)
    return found


def from_tensors(parts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], d: int, K: int) -> Network:
    """Return the network of d features and K outputs that tensors hold, all of them; ValueError for what they cannot
    be.

    The arrays are those of the file, which nobody writes over: who learns on has copies.
    """
    check(set(parts) == set(PARTS), "a network whose parts have other names")
    count = len(arrays) // 2
    names = [(f"weights.{layer}", f"biases.{layer}") for layer in range(1, count + 1)]
    check(count > 0 and set(arrays) == {name for pair in names for name in pair}, "layers that are not whole")
    weights, biases = ([arrays[pair[k]] for pair in names] for k in (0, 1))
    below = d
    for W, b in zip(weights, biases, strict=True):
        units = b.shape[0] if b.ndim == 1 else 0
        check(units > 0 and W.shape == (below, units), "layers of sizes that do not fit")
        check(W.dtype == b.dtype == weights[0].dtype and W.dtype in _KINDS, "weights of another type")
        check(bool(np.isfinite(W).all() and np.isfinite(b).all()), "weights that are not finite")
        below = units
    check(below == K, f"{below} outputs, where {K} are expected")
    output, error = pair_output(parts["output"], parts["error"], *OUTPUTS)
    return Network(weights, biases, by_name(parts["activation"]), output, error)
