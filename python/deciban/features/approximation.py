"""Kernels past exactness: few features whose inner products are nearly the kernel, for the linear models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.declared_types import Estimator
from deciban.data.devices import elsewhere, keep_on_host, like, namespace, take
from deciban.data.mixins import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from deciban.data.rows import Rows
from deciban.data.validation import check_is_fitted, check_random_state
from deciban.errors import DataError
from deciban.kernels import Kernel
from deciban.kernels.items import of_gram, of_texts, to_judge
from deciban.losses import Floats
from deciban.threads import check_halted

from .deviation import TILE, Deviation, between_rows, of_pairs

if TYPE_CHECKING:
    from sklearn.utils import Tags

# Training rows on whose pairs `error_` is measured.
_MEASURED = 256


class Approximation(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Features Φ (n, D) with Φ(x)·Φ(z) ≈ K(x, z), computed in tiles; how nearly is measured, not promised."""

    kernel: str | Kernel | Callable[..., Any]
    random_state: int | np.random.RandomState | None
    kernel_: Kernel
    error_: Deviation
    _n_features_out: int

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = of_gram(self.kernel)
        tags.input_tags.string = of_texts(self.kernel)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getstate__(self) -> Any:
        """A pickle, like a file, knows no devices: arrays of other libraries are NumPy's in it."""
        return keep_on_host(super().__getstate__())

    def transform(self, X: Rows) -> Any:
        """Return the features Φ of examples.

        The memory is that of the result, two tiles of 32 MB or of one row, and a copy of their rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.

        Returns
        -------
        array of shape (n_samples, n_components)
            Dense features, float32 for float32 and else float64; of an array of another library in that library,
            computed on its device.
        """
        check_is_fitted(self)
        return self.features(to_judge(self, X))

    def deviation(self, X: Rows, pairs: ArrayLike | None = None) -> Deviation:
        """Measure the deviation of Φ(x)·Φ(z) from K(x, z), in float64.

        It is the loss of accuracy on data of one's own: give rows that were not used to fit. The memory is Φ, once more
        in float64, and four tiles of 32 MB or of one row.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples, on any device; a Gram matrix for a precomputed kernel, or a list of texts.
        pairs : array-like of int of shape (n_pairs, 2), optional
            Indices of rows. By default all n² pairs.

        Returns
        -------
        Deviation
            Largest, mean and root mean square deviation.

        Raises
        ------
        DataError
            If the kernel is precomputed and X is not the square training matrix, the only one with a column for each
            row.
        """
        check_is_fitted(self)
        rows = to_judge(self, X)
        if of_gram(self.kernel_) and rows.shape[0] != rows.shape[1]:
            raise DataError(
                "the deviation of a precomputed kernel needs K of all pairs of rows, which only a square Gram matrix "
                f"holds; this one is {rows.shape[0]} × {rows.shape[1]}. Give the one that was learnt from"
            )
        features = self.features(rows)
        if pairs is not None:
            return of_pairs(self.kernel_, rows, features, pairs)
        return between_rows(self.kernel_, rows, self.kernel_.centres(rows), features, features)

    @abstractmethod
    def _tile(self, X: Rows) -> Any:
        """Return Φ of a few rows."""

    def features(self, X: Any, dtype: Any = None) -> Any:
        """Return the features Φ of rows that the kernel has accepted, without validation.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Rows, as the kernel takes them.
        dtype : dtype, optional
            Type of the result. By default that of `transform`.

        Returns
        -------
        array of shape (n_samples, n_components)
            Dense features.
        """
        n = int(X.shape[0])
        if elsewhere(X):
            return self._features_elsewhere(X)
        F: Floats = np.empty((n, self._n_features_out), dtype or (X.dtype if X.dtype == np.float32 else np.float64))
        step = max(1, TILE // self._n_features_out)
        for first in range(0, n, step):
            check_halted()
            F[first : first + step] = self._tile(X[first : first + step])
        return F

    def _features_elsewhere(self, X: Any) -> Any:
        xp, step = namespace(X), max(1, TILE // self._n_features_out)
        tiles = [self._tile(take(X, slice(a, a + step))) for a in range(0, int(X.shape[0]), step)]
        there = [xp.astype(tile, X.dtype) if elsewhere(tile) else like(tile, X, dtype=X.dtype) for tile in tiles]
        return xp.concat(there)

    def _measure(self, X: Rows, among: NDArray[np.intp]) -> None:
        """`error_` on up to 256 of the given training rows, evenly taken."""
        rows = among[np.unique(np.linspace(0, len(among) - 1, _MEASURED).astype(np.intp))]
        taken = take(X, rows)
        features = self.features(taken)
        self.error_ = between_rows(self.kernel_, taken, take(self.kernel_.centres(X), rows), features, features)

    def _random(self) -> Any:
        return check_random_state(0 if self.random_state is None else self.random_state)
