"""How far examples are from the surface between two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from deciban.data.devices import answered, on_host
from deciban.losses import Floats
from deciban.threads import OnThreads


def widths(lengths: Floats) -> Floats:
    """1/‖w‖, half the width of the street; ∞ for w = 0."""
    width: Floats = np.divide(1.0, lengths, out=np.full(len(lengths), np.inf), where=lengths > 0.0)
    return width


class Margins(OnThreads):
    """The margins of SPEC S1, of a model with f and, in `margin_`, 1/‖w‖."""

    classes_: NDArray[Any]
    margin_: Floats

    def functional_margins(self, X: Any, y: Any) -> Floats:
        """(N,) y_i f(x_i) of two classes (SPEC S1): its size depends on the length of w."""
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise ValueError(f"margins are of two classes; this model has {len(self.classes_)}")
        s: Floats = on_host(self.decision_function(X))  # type: ignore[attr-defined]
        y = column_or_1d(on_host(y, None))
        check_consistent_length(s, y)
        unknown = ~np.isin(y, self.classes_)
        if unknown.any():
            raise ValueError(f"labels {self.classes_.tolist()} are expected, got {y[unknown].tolist()[0]!r}")
        margins: Floats = answered(np.where(y == self.classes_[1], 1.0, -1.0) * s, X)
        return margins

    def geometric_margins(self, X: Any, y: Any) -> Floats:
        """(N,) y_i f(x_i) / ‖w‖ (SPEC S1): distances from the surface in w's space, negative on the wrong side."""
        margins: Floats = self.functional_margins(X, y) * float(self.margin_[0])
        return margins
