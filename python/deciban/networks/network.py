"""Layers, and the two ways through them: forward, and back with the error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from deciban.blas import matmul
from deciban.data.devices import elsewhere, like, namespace, on_host

from .activations import Activation
from .outputs import Error, Output


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

    >>> from deciban.networks.activations import ReLU
    >>> from deciban.networks.outputs import CrossEntropy, Logistic
    >>> one = Network([np.array([[1.0], [2.0]])], [np.array([-1.0])], ReLU(), Logistic(), CrossEntropy())
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
        """What is kept of each hidden layer, and s (n, K) of the last."""
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
        """s and h (n, K) of the last layer."""
        _, s = self.signals(x)
        return s, self.output.forward(s)

    def backward(self, x: Any, kept: Sequence[Kept], delta: Any) -> list[Any]:
        """∂𝓔/∂W and ∂𝓔/∂b of each layer, from δ (n, K) of the last one: of the sum over the examples.

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
        """δ of the layer below `layer`."""
        delta = delta @ self.weights[layer].T
        if kept.mask is not None:
            delta = delta * kept.mask
        return self.activation.backward(delta, kept.s, kept.h)

    def to_inputs(self, kept: Sequence[Kept], delta: Any) -> Any:
        """δ (n, units) of the first layer, from δ (n, K) of the last: ∂𝓔/∂x is this times W¹ᵀ."""
        for layer in reversed(range(1, len(self.weights))):
            delta = self._down(delta, layer, kept[layer - 1])
        return delta

    def gradients(self, x: Any, y: Any, weight: Any, masks: Sequence[Any] = ()) -> tuple[Any, Any, Any, list[Any]]:
        """𝓔_n (n,) of each example, s and h (n, K), and the gradients of Σ_n weight_n 𝓔_n, weight (n, 1)."""
        kept, s = self.signals(x, masks)
        h = self.output.forward(s)
        delta = self.error.delta(self.output, s, h, y) * weight
        return self.error.value(self.output, s, h, y), s, h, self.backward(x, kept, delta)


def drawn(sizes: Sequence[int], activation: Activation, seed: int, dtype: Any) -> tuple[list[Any], list[Any]]:
    """Initial weights: normal, of the variance `activation.spread` / inputs, 1 / inputs in the last layer; b = 0.

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


def moved_to(network: Network, X: Any) -> Network:
    """The network where the rows X are."""
    return network if _beside(network.weights[0], X) else _with(network, lambda array: _brought(array, X))


def copied(network: Network, X: Any, dtype: Any) -> Network:
    """The same weights where the rows X are, in that type; they may be written over."""

    def copy(array: Any) -> Any:
        host = np.array(on_host(array, None), dtype=dtype, order="C")  # as the steps of the core take them
        return like(host, X) if elsewhere(X) else host

    return _with(network, copy)


def _with(network: Network, made: Callable[[Any], Any]) -> Network:
    return replace(network, weights=list(map(made, network.weights)), biases=list(map(made, network.biases)))


def _brought(array: Any, X: Any) -> Any:
    array = on_host(array, None)
    return like(array, X) if elsewhere(X) else array


def _beside(array: Any, X: Any) -> bool:
    """Whether an array is of the library and on the device of X."""
    if not elsewhere(X):
        return not elsewhere(array)
    return elsewhere(array) and type(array) is type(X) and array.device == X.device
