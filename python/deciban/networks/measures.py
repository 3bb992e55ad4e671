"""What a network is like on given rows: its errors, the gradient, idle units, and where numbers left the range."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from deciban.blas import run_each
from deciban.data.devices import namespace, on_host, type_of
from deciban.threads import effective_threads

from .batches import Batch, Rows, slice_batch
from .network import Network


@dataclass(frozen=True)
class Wrong:
    """How much of what is put out, h (n, K), for targets y (n, K) of weight (n, 1) is wrong, summed.

    "class"      whether the class of the largest output is another than that of the largest target
    "label"      share of the outputs that are on the other side of ½
    "squared"    mean of (h − y)²
    """

    name: str

    def __call__(self, h: Any, y: Any, weight: Any) -> float:
        """Return Σ weight · what is wrong."""
        if self.name == "squared":
            e = h - y
            return float(namespace(h).sum(e * e * weight)) / int(h.shape[1])
        h, y, weight = (on_host(each, None) for each in (h, y, weight[:, 0]))  # little, for the device to wait for
        if self.name == "label":
            return float((weight @ ((h > 0.5) != (y > 0.5))).sum()) / int(h.shape[1])
        return float(weight @ (h.argmax(axis=1) != y.argmax(axis=1)))


def square_length(g: Any) -> float:
    """Return Σ g²."""
    if isinstance(g, np.ndarray):
        flat = g.reshape(-1)
        return float(flat @ flat)
    return float(namespace(g).sum(g * g))


def mean_errors(network: Network, rows: Rows, of_wrong: Wrong) -> tuple[float, float]:
    """Return the mean 𝓔_n, and what is wrong, of all rows."""
    loss = wrong = weight = 0.0
    for part in rows.parts():
        s, h = network.forward(part.x)
        each = network.error.value(network.output, s, h, part.y)
        loss += float(namespace(each).sum(each * part.weight[:, 0]))
        wrong += of_wrong(h, part.y, part.weight)
        weight += float(namespace(each).sum(part.weight))
    return loss / weight, wrong / weight


def measure_units(network: Network, x: Any) -> tuple[tuple[float, ...], tuple[float, ...], bool]:
    """Return the shares of dead and of saturated units of each hidden layer, on the rows x, and whether all is in
    range."""
    dead: list[float] = []
    idle: list[float] = []
    kept, s = network.signals(x)
    for layer in kept:
        silent, xp = network.activation.idle(layer.s, layer.h), namespace(layer.h)
        for shares, units in ((dead, xp.all(silent, axis=0)), (idle, silent)):
            of_all = np.count_nonzero(units) / units.size if xp is np else xp.mean(xp.astype(units, xp.float32))
            shares.append(float(of_all))
    return tuple(dead), tuple(idle), is_finite([s])


def describe_overflow(network: Network, *parts: Any) -> str:
    """Return where the numbers left the range on these rows, in words."""
    found = (_find_overflow(network, x) for x in parts)
    return next(filter(None, found), f"the error left the range of {type_of(network.weights[0])}")


def _find_overflow(network: Network, x: Any) -> str:
    kept, s = network.signals(x)
    signals = [*(each.s for each in kept), s]
    for layer, (W, b) in enumerate(zip(network.weights, network.biases, strict=True), 1):
        if not is_finite([W, b]):
            return f"the weights of layer {layer} left the range of {type_of(W)}"
        if not is_finite([signals[layer - 1]]):
            return f"the signals of layer {layer} left the range of {type_of(W)}"
    return ""


def is_finite(arrays: list[Any]) -> bool:
    return all(bool(namespace(each).all(namespace(each).isfinite(each))) for each in arrays)


def _sum_gradients(network: Network, piece: tuple[Batch, list[Any]]) -> tuple[float, float, list[Any]]:
    """Return the sums of the errors and of the weights of some examples, and the gradients."""
    part, _ = piece
    with np.errstate(all="ignore"):  # another thread has settings of its own
        losses, _, _, gradients = network.gradients(part.x, part.y, part.weight)
    xp = namespace(losses)
    return float(xp.sum(losses * part.weight[:, 0])), float(xp.sum(part.weight)), gradients


@np.errstate(all="ignore")
def gradient_of(network: Network, parts: Iterable[Batch], decay: float) -> tuple[float, float, float]:
    """Return the mean error, the same with the penalty, and the length of its gradient. Cost: once forward and back."""
    loss, penalty, mean = errors_and_gradient(network, parts, decay)
    return loss, loss + penalty, sqrt(sum(square_length(g) for g in mean))


@np.errstate(all="ignore")
def errors_and_gradient(network: Network, parts: Iterable[Batch], decay: float) -> tuple[float, float, list[Any]]:
    """Return the mean error, the penalty, and the gradient of their sum."""
    loss, weight, threads, passed = 0.0, 0.0, effective_threads(), partial(_sum_gradients, network)
    total: list[Any] | None = None
    for part in parts:
        for value, counted, gradients in run_each(passed, slice_batch(part, [], network.weights), threads):
            loss += value
            weight += counted
            total = gradients if total is None else [a + b for a, b in zip(total, gradients, strict=True)]
    assert total is not None
    mean = [g / weight for g in total]
    mean[::2] = [g + decay * W for g, W in zip(mean[::2], network.weights, strict=True)]
    penalty = 0.5 * decay * sum(square_length(W) for W in network.weights)
    return loss / weight, penalty, mean
