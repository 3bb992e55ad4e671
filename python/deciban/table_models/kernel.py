"""Kernel machines of a table: columns coded, and rows judged by how near they are to those that hold the boundary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.kernels import RBF
from deciban.kernels.tensors import vectors_from, vectors_to
from deciban.scores import KernelScore

from .coded import CodedTable, checked

# Beyond such sizes sums over support vectors would leave the range of a float64.
_LARGEST = 1e100


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelTable(CodedTable):
    """score(row) = intercept + Σ_i A_i exp(−gamma ‖x − v_i‖²) over the features of `Coding`, in nats.

    Evidence is weighed against the row of which everything is missing: see `KernelScore.terms`.
    """

    machine: KernelScore
    _section = "coded"

    @staticmethod
    def _scored(found: Any) -> dict[str, Any]:
        held = found.scorer_
        return {"machine": KernelScore(held.kernel, held.vectors, held.A, held.intercept)}

    @property
    def score(self) -> KernelScore:
        return self.machine

    # The file.

    def header(self) -> dict[str, Any]:
        return {**self._header("coded"), "coded": {**self.declared[1], "gamma": self.machine.kernel.gamma}}

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "score.dual": np.asarray(self.machine.A, "<f8"),
            "score.intercept": np.asarray(self.machine.intercept, "<f8"),
            **{f"score.{name}": values for name, values in vectors_to(self.machine.vectors).items()},
            **self._arrays(),
        }

    @staticmethod
    def _read(parameters: Mapping[str, Any], arrays: dict[str, NDArray[Any]], width: int, C: int) -> dict[str, Any]:
        kernel, m = RBF(float(parameters["gamma"])), len(arrays["dual"])
        own = {name: arrays.pop(name) for name in ("dual", "intercept")}
        held = checked(own, {"dual": (m, C), "intercept": (C,)})
        vectors = vectors_from(kernel, arrays, m, width)
        values = [*held.values(), *arrays.values()]
        if not all((np.abs(each.astype(np.float64)) <= _LARGEST).all() for each in values):
            raise ValueError("numbers that are too large")
        if vectors.ndim != 2:
            raise ValueError("support vectors that are no rows")
        return {"machine": KernelScore(kernel, vectors, held["dual"], held["intercept"])}
