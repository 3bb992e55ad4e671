"""Multilayer perceptrons of a table: columns coded, and layers of units over the codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deciban._core import scores
from deciban.data.frame import Floats
from deciban.data.rows import reals_for_core
from deciban.features.coding import FARTHEST
from deciban.networks.network import Network
from deciban.networks.tensors import PARTS, network_of, parts_of, tensors_of
from deciban.scores import NetworkScore

from .coded import CodedTable
from .table_model import Rows

# Signals beyond would leave the range of a float64 in what is made of them.
_LARGEST = 1e200
FEWEST = 500
"""Of fewer rows, a tenth says too little to stop by: all are learnt, until their own error no longer falls."""
PENALTY = 5.0
"""What ½‖W‖² weighs against the sum of the errors: `weight_decay` is this over the number of rows. Errors on rows held
out, in per cent, with 2 and 5: of 300 rows of adult and of spambase 16.4, 15.5 and 9.8, 9.3, of 600 15.7, 15.8 and 8.5,
8.6, of 3,400 of spambase 5.2, 5.0, of 600 of letter 25.1, 26.1. Where all are learnt: of 300 rows 17.3, 15.6 and 9.0,
9.1, of 600 16.9, 15.3 and 8.0, 8.1, of 5,000 of adult 17.2, 16.3."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NetworkTable(CodedTable):
    """score(row) = the outputs of a network over the features of `Coding`, in nats.

    Learnt in float32, judged in float64. Evidence is weighed against the row of which everything is missing: see
    `NetworkScore.terms`.
    """

    layers: NetworkScore
    _section = "coded"

    @classmethod
    def learn(cls, declared: tuple[str, Mapping[str, float | None]], estimator: Any, rows: Rows) -> Self:
        """The network of the coded rows; a tenth of each class tells when to stop, if they are not few."""
        few = len(rows) < FEWEST or np.bincount(rows.y).max() < 10
        estimator.set_params(early_stopping=not few, weight_decay=PENALTY / len(rows))
        return super().learn(declared, estimator, rows)

    @staticmethod
    def _scored(found: Any) -> dict[str, Any]:
        return {"layers": _score(found.network_)}

    @property
    def score(self) -> NetworkScore:
        return self.layers

    def scores(self, matrix: Floats) -> Floats:
        """(N, C) scores in nats, row by row: that of a row does not depend on which others are there."""
        net = self.layers.network
        h, s = self.features(matrix), np.zeros(0)
        for layer, (W, b) in enumerate(zip(net.weights, net.biases, strict=True)):
            h = net.activation.forward(s) if layer else h
            s = np.asarray(scores(reals_for_core(h), np.ascontiguousarray(W.T), b))
        return s

    # The file.

    def header(self) -> dict[str, Any]:
        return {**self._header("coded"), "coded": {**self.declared[1], **parts_of(self.layers.network)}}

    def arrays(self) -> dict[str, NDArray[Any]]:
        held = tensors_of(self.layers.network)
        return {**{f"score.{name}": values.astype("<f4") for name, values in held.items()}, **self._arrays()}

    @staticmethod
    def _read(parameters: Mapping[str, Any], arrays: dict[str, NDArray[Any]], width: int, C: int) -> dict[str, Any]:
        network = network_of({name: parameters[name] for name in PARTS}, arrays, width, C)
        if network.output.name != "softmax" or network.weights[0].dtype != np.float32:
            raise ValueError("a network of other outputs, or of other numbers, than those of a table")
        return {"layers": _score(network)}


def _score(network: Network) -> NetworkScore:
    """The network as it judges, in float64; ValueError where its signals could leave the range."""
    weights = [np.asarray(W, dtype=np.float64) for W in network.weights]
    biases = [np.asarray(b, dtype=np.float64) for b in network.biases]
    reach = FARTHEST
    for W, b in zip(weights, biases, strict=True):
        reach = reach * float(np.abs(W).sum(axis=0).max()) + float(np.abs(b).max())
        if reach > _LARGEST:
            raise ValueError("numbers that are too large")
    return NetworkScore(Network(weights, biases, network.activation, network.output, network.error))
