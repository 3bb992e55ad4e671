"""Linear models of a table: columns coded, one affine score over the codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban._core import scores
from deciban.data.frame import Floats
from deciban.data.rows import reals_for_core
from deciban.scores import AffineScore

from .coded import CodedTable, checked


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearTable(CodedTable):
    """score(row) = prior + Σ_j x_j W_j over the features of `Coding`, in nats, whatever was minimised for it."""

    affine: AffineScore
    _section = "linear"

    @staticmethod
    def _scored(found: Any) -> dict[str, Any]:
        score = found.scorer_
        return {"affine": AffineScore(np.ascontiguousarray(score.W), np.asarray(score.bias, dtype=np.float64))}

    @property
    def score(self) -> AffineScore:
        return self.affine

    def scores(self, matrix: Floats) -> Floats:
        """(N, C) scores in nats, row by row: that of a row does not depend on which others are there."""
        rows = reals_for_core(self.features(matrix))
        return np.asarray(scores(rows, np.ascontiguousarray(self.affine.W.T), self.affine.prior))

    # The file.

    def header(self) -> dict[str, Any]:
        return self._header("linear")

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "score.weights": np.asarray(self.affine.W, "<f8"),
            "score.prior": np.asarray(self.affine.prior, "<f8"),
            **self._arrays(),
        }

    @staticmethod
    def _read(parameters: Mapping[str, Any], arrays: dict[str, NDArray[Any]], width: int, C: int) -> dict[str, Any]:
        held = checked(arrays, {"weights": (width, C), "prior": (C,)})
        return {"affine": AffineScore(held["weights"], held["prior"])}
