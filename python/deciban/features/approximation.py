"""Kernels past exactness: few features whose inner products are nearly the kernel, for the linear models."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from deciban.data.declared_types import Estimator
from deciban.data.devices import elsewhere, kept_on_host, like, namespace, take
from deciban.errors import DataError
from deciban.kernels import Kernel
from deciban.kernels.items import of_gram, of_texts, to_judge
from deciban.losses import Floats

from .deviation import TILE, Deviation, between_rows, of_pairs

# Training rows on whose pairs `error_` is measured.
_MEASURED = 256


class Approximation(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):  # type: ignore[misc]
    """Features Φ (n, D) with Φ(x)·Φ(z) ≈ K(x, z), computed in tiles; how nearly is measured, not promised."""

    kernel: Any
    random_state: Any
    kernel_: Kernel
    error_: Deviation
    _n_features_out: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = of_gram(self.kernel)
        tags.input_tags.string = of_texts(self.kernel)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getstate__(self) -> Any:
        """A pickle, like a file, knows no devices: arrays of other libraries are NumPy's in it."""
        return kept_on_host(super().__getstate__())

    def transform(self, X: Any) -> Any:
        """Φ (n, D) of X (n, d), dense or CSR, or n texts: dense, float32 for float32 and else float64; of an array of
        another library in that library, computed on its device.

        Memory: the result, two tiles of 32 MB or of one row, and a copy of their rows of X."""
        check_is_fitted(self)
        return self.features(to_judge(self, X))

    def deviation(self, X: Any, pairs: ArrayLike | None = None) -> Deviation:
        """How far Φ(x)·Φ(z) is from K(x, z), float64, over pairs (P, 2) of numbers of rows of X (n, d); None: over all
        n² pairs. The loss of accuracy on data of one's own: give rows that were not learnt from. Of a Gram matrix only
        the training one has a column for each row: others are a DataError.

        Memory: Φ (n, D), once more in float64, and four tiles of 32 MB or of one row."""
        check_is_fitted(self)
        X = to_judge(self, X)
        if of_gram(self.kernel_) and X.shape[0] != X.shape[1]:
            raise DataError(
                "the deviation of a precomputed kernel needs K of all pairs of rows, which only a square Gram matrix "
                f"holds; this one is {X.shape[0]} × {X.shape[1]}. Give the one that was learnt from"
            )
        features = self.features(X)
        if pairs is not None:
            return of_pairs(self.kernel_, X, features, pairs)
        return between_rows(self.kernel_, X, self.kernel_.centres(X), features, features)

    @abstractmethod
    def _tile(self, X: Any) -> Any:
        """Φ of a few rows."""

    def features(self, X: Any, dtype: Any = None) -> Any:
        """Φ (n, D) of this type, or of that of `transform`; X is as the kernel reads it, and not checked."""
        n = int(X.shape[0])
        if elsewhere(X):
            return self._features_elsewhere(X)
        F: Floats = np.empty((n, self._n_features_out), dtype or (X.dtype if X.dtype == np.float32 else np.float64))
        step = max(1, TILE // self._n_features_out)
        for first in range(0, n, step):
            F[first : first + step] = self._tile(X[first : first + step])
        return F

    def _features_elsewhere(self, X: Any) -> Any:
        xp, step = namespace(X), max(1, TILE // self._n_features_out)
        tiles = [self._tile(take(X, slice(a, a + step))) for a in range(0, int(X.shape[0]), step)]
        there = [xp.astype(tile, X.dtype) if elsewhere(tile) else like(tile, X, dtype=X.dtype) for tile in tiles]
        return xp.concat(there)

    def _measure(self, X: Any, among: NDArray[np.intp]) -> None:
        """`error_` on up to 256 of the given training rows, evenly taken."""
        rows = among[np.unique(np.linspace(0, len(among) - 1, _MEASURED).astype(np.intp))]
        taken = take(X, rows)
        features = self.features(taken)
        self.error_ = between_rows(self.kernel_, taken, take(self.kernel_.centres(X), rows), features, features)

    def _random(self) -> Any:
        return check_random_state(0 if self.random_state is None else self.random_state)
