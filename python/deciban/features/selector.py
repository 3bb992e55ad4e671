"""What every selector of features does with its mask of those that are kept."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.mixins import TransformerMixin, has_container
from deciban.data.rows import Rows, is_sparse
from deciban.data.validation import validate_data


class SelectorMixin(TransformerMixin):
    """A selector of features, as `sklearn.feature_selection.SelectorMixin` makes one of `_get_support_mask`."""

    @abstractmethod
    def _get_support_mask(self) -> NDArray[np.bool_]:
        """Return (d,) whether each feature is kept."""

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return which features are kept.

        Parameters
        ----------
        indices : bool, default=False
            Whether to return their indices instead of a mask.

        Returns
        -------
        ndarray of bool of shape (n_features,), or of int of shape (n_selected_features,)
            Mask or indices.
        """
        mask = self._get_support_mask()
        return np.flatnonzero(mask) if indices else mask

    def transform(self, X: Rows) -> Any:
        """Return the selected features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_selected_features)
            The columns that are kept.
        """
        if has_container(self):  # then the columns of a frame keep their types
            from sklearn.feature_selection import SelectorMixin as Theirs

            return Theirs.transform(self, X)
        return self._transform(validate_data(self, X, dtype=None, accept_sparse="csr", reset=False))

    def _transform(self, X: Any) -> Any:
        mask = self.get_support()
        if not mask.any():
            warnings.warn(
                "No features were selected: either the data is too noisy or the selection test too strict.",
                UserWarning,
                stacklevel=2,
            )
        if hasattr(X, "iloc"):
            return X.loc[:, mask]
        return X[:, np.flatnonzero(mask)] if is_sparse(X) else X[:, mask]

    def inverse_transform(self, X: Rows) -> Any:
        """Return rows with all features again, 0 where one was left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_selected_features)
            Rows of selected features.

        Returns
        -------
        array or CSC matrix of shape (n_samples, n_features)
            Rows.
        """
        from sklearn.feature_selection import SelectorMixin as Theirs

        return Theirs.inverse_transform(self, X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the features that are kept.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the features where X had none; else they must be the same.

        Returns
        -------
        ndarray of shape (n_selected_features,)
            Names.
        """
        from sklearn.feature_selection import SelectorMixin as Theirs

        return Theirs.get_feature_names_out(self, input_features)  # type: ignore[no-any-return]
