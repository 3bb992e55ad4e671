"""Distances of examples from the surface between two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.devices import answer_in, on_host
from deciban.data.rows import Rows
from deciban.data.validation import check_consistent_length, check_is_fitted, column_or_1d
from deciban.losses import Floats
from deciban.threads import OnThreads


def widths(lengths: Floats) -> Floats:
    """Return 1/‖w‖, half the width of the street; ∞ for w = 0."""
    width: Floats = np.divide(1.0, lengths, out=np.full(len(lengths), np.inf), where=lengths > 0.0)
    return width


class Margins(OnThreads):
    """The functional and geometric margins of a model with f and, in `margin_`, 1/‖w‖."""

    classes_: NDArray[Any]
    margin_: Floats

    def functional_margins(self, X: Any, y: Any) -> Floats:
        """Return the functional margins y_i f(x_i) of two classes, whose size depends on the norm of w.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        ndarray of shape (n_samples,)
            Margins, negative for misclassified examples.

        Raises
        ------
        ValueError
            If the model does not have two classes, or y has other labels.
        """
        check_is_fitted(self)
        if len(self.classes_) != 2:
            raise ValueError(f"margins are of two classes; this model has {len(self.classes_)}")
        s: Floats = on_host(self.decision_function(X))  # type: ignore[attr-defined]
        y = column_or_1d(on_host(y, None))
        check_consistent_length(s, y)
        unknown = ~np.isin(y, self.classes_)
        if unknown.any():
            raise ValueError(f"labels {self.classes_.tolist()} are expected, got {y[unknown].tolist()[0]!r}")
        margins: Floats = answer_in(np.where(y == self.classes_[1], 1.0, -1.0) * s, X)
        return margins

    def geometric_margins(self, X: Rows, y: ArrayLike) -> Floats:
        """Return the geometric margins y_i f(x_i) / ‖w‖ of two classes: distances from the surface in the space of w.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        ndarray of shape (n_samples,)
            Margins, negative for misclassified examples.
        """
        margins: Floats = self.functional_margins(X, y) * float(self.margin_[0])
        return margins
