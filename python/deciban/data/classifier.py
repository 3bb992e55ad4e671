"""The protocol of classifiers of any library."""

from __future__ import annotations

from typing import Any, Protocol


class Classifier(Protocol):
    """A classifier by scikit-learn's rules: of Deciban, of scikit-learn, a pipeline or a search of them."""

    def fit(self, X: Any, y: Any, /) -> Any:
        """Fit the classifier to labelled examples, and return it."""

    def predict(self, X: Any, /) -> Any:
        """Return (N,) the label of each example."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""

    def set_params(self, **parameters: Any) -> Any:
        """Set parameters by name, and return the classifier."""
