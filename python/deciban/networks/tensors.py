"""Weights and biases of a network as the tensors of a file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.data.devices import on_host
from deciban.kernels.tensors import check

from .activations import by_name
from .network import Network
from .outputs import OUTPUTS, paired

Arrays = dict[str, NDArray[Any]]
PARTS = ("activation", "output", "error")
_KINDS = (np.dtype("<f4"), np.dtype("<f8"))


def parts_of(network: Network) -> dict[str, str]:
    """The names of what is between the layers, and behind the last."""
    return {"activation": network.activation.name, "output": network.output.name, "error": network.error.name}


def tensors_of(network: Network) -> Arrays:
    """`weights.1` (d, units) and `biases.1` (units,) of the first layer, and so on; from whatever device."""
    found: Arrays = {}
    for layer, (W, b) in enumerate(zip(network.weights, network.biases, strict=True), 1):
        for name, values in (("weights", W), ("biases", b)):
            held = on_host(values, None)
            found[f"{name}.{layer}"] = held.astype("<f4" if held.dtype == np.float32 else "<f8", copy=False)
    return found


def network_of(parts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], d: int, K: int) -> Network:
    """The network of d features and K outputs that tensors hold, all of them; ValueError for what they cannot be.

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
    output, error = paired(parts["output"], parts["error"], *OUTPUTS)
    return Network(weights, biases, by_name(parts["activation"]), output, error)
