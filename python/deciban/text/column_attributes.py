"""What a fitted vectoriser tells of its columns: their names and weights, and the words of a row."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.rows import check_sparse
from ..data.validation import check_array
from .vocabulary import Columns


class ColumnAttributes:
    """The attributes of `TextVectorizer` that are of its columns."""

    _columns: Columns
    _idf: NDArray[Any]
    n_features_: int
    vocabulary: Any
    use_idf: bool

    @abstractmethod
    def fit(self, texts: Any, y: object = None) -> Self:
        """Choose the columns.

        Parameters
        ----------
        texts : iterable of str or bytes
            The texts, or what `input` says.
        y : None
            Ignored.

        Returns
        -------
        TextVectorizer
            The fitted estimator itself.
        """

    @abstractmethod
    def _require_columns(self) -> None:
        """Raise NotFittedError unless there are columns."""

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """Return the words of each row that are not 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features_)
            Rows.

        Returns
        -------
        list of ndarray
            For each row, the names of its columns that are not 0.
        """
        self._require_columns()
        rows = sparse.csr_array(check_array(check_sparse(X), accept_sparse="csr"))
        names = self.get_feature_names_out()
        return [names[row.indices[row.data != 0]] for row in (rows[i : i + 1] for i in range(rows.shape[0]))]

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Word → column."""
        return {name: j for j, name in enumerate(self.get_feature_names_out())}

    @property
    def fixed_vocabulary_(self) -> bool:
        """Whether the vocabulary was given."""
        return self.vocabulary is not None

    @property
    def idf_(self) -> NDArray[Any]:
        """(d,) the weight of each word."""
        if not hasattr(self, "_idf"):
            raise AttributeError("idf_ is there once a vectoriser with use_idf=True is fitted")
        return self._idf

    @idf_.setter
    def idf_(self, value: Any) -> None:
        if not self.use_idf:
            raise ValueError("`idf_` cannot be set when `user_idf=False`. Set use_idf=True.")
        if not hasattr(self, "n_features_") and self.vocabulary is not None:
            self.fit([])
        idf = np.asarray(value, dtype=np.float64)
        if len(idf) != self.n_features_:
            raise ValueError(f"idf length = {len(idf)} must be equal to vocabulary size = {self.n_features_}")
        self._idf = idf

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the columns: words or, where features are hashed, the most frequent words of each.

        "cheap|loan" is a feature that two words share, "a|b|c|…" one of more than three; "bucket j" is one none of
        whose words was met in `fit` or kept.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_features_,)
            The names.
        """
        self._require_columns()
        return self._columns.names()
