"""Steps that the core takes: batch after batch, with no interpreter in between."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deciban import _core

from .batches import Rows, Steps
from .measures import Wrong
from .network import Network
from .optimizers import Memory, Optimizer

# Operations that the core does at once, and steps: then Ctrl-C, and the time, are looked at.
_AT_ONCE, _MOST = 1 << 31, 256


class Taken(NamedTuple):
    """Sums over some steps: of the weighted errors, of what is wrong, of the weights, and of the squares of each
    layer's gradient. Where the error of the next step left the range, that one was not taken."""

    loss: float
    wrong: float
    weight: float
    squares: list[float]
    steps: int
    overflow: bool


def is_for_core(network: Network, rows: Rows) -> bool:
    """Return whether the core reads the rows, and writes the weights: NumPy's, the rows dense and line by line."""
    X = rows.X
    return (
        all(isinstance(each, np.ndarray) for each in (X, *network.parameters))
        and X.dtype in (np.float32, np.float64)
        and X.flags.c_contiguous
    )


def count_at_once(network: Network, size: int) -> int:
    """Return how many steps of `size` rows the core takes at once."""
    cost: int = 6 * size * sum(W.size for W in network.weights)
    return max(1, min(_MOST, _AT_ONCE // cost))


def take_steps(
    network: Network,
    memory: Memory,
    optimizer: Optimizer,
    steps: Steps,
    eta: float,
    decay: float,
    clip_norm: float | None,
    wrong: Wrong,
) -> Taken:
    """Take steps, in place."""
    rows, before = steps.rows, memory.steps
    y: Any = np.ascontiguousarray(rows.y, np.int64 if rows.y.ndim == 1 else np.float64)
    numbers = optimizer.numbers(memory, eta)
    memory.steps += -(-len(steps.places) // steps.size)  # they are taken, though Ctrl-C may come
    taken = Taken(
        *_core.network_steps(
            rows.X,
            y,
            np.ascontiguousarray(rows.weight, np.float64),
            np.ascontiguousarray(steps.places, np.int64),
            steps.size,
            network.parameters,
            memory.of,
            (network.activation.name, network.output.name, network.error.name, wrong.name),
            numbers,
            decay,
            clip_norm,
        )
    )
    memory.steps = before + taken.steps
    return taken
