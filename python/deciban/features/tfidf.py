"""Counts of words weighed by how rare they are: TF-IDF."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.declared_types import Estimator, parameters
from deciban.data.mixins import OneToOneFeatureMixin, TransformerMixin
from deciban.data.numbers import numeric_rows
from deciban.data.validation import check_is_fitted

from .._core import rows_with, weigh_rows
from .frames import in_container

if TYPE_CHECKING:
    from scipy import sparse
    from sklearn.utils import Tags

_NORMS = (None, "l1", "l2")


@parameters
class TfidfTransformer(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Weigh counts of words by term frequency and inverse document frequency.

        x_ij = tf_ij · idf_j / ‖tf_i · idf‖,    idf_j = 1 + ln((1 + N) / (1 + n_j))

    tf_ij is the count of word j in text i, n_j the number of the N texts that have the word (Spärck Jones 1972;
    Salton & Buckley 1988). Without smoothing idf_j = 1 + ln(N / n_j).

    Parameters
    ----------
    norm : {"l1", "l2"} or None, default="l2"
        What each row is divided by: the sum of its magnitudes, its length, or nothing.
    use_idf : bool, default=True
        Whether words are weighed by idf.
    smooth_idf : bool, default=True
        Whether idf counts one text more, which has every word.
    sublinear_tf : bool, default=False
        Whether tf is 1 + ln(count) instead of the count.

    Attributes
    ----------
    idf_ : ndarray of shape (n_features,)
        The weight of each word; only with `use_idf`.
    n_features_in_ : int
        How many words there are.

    Examples
    --------
    >>> from deciban import TfidfTransformer
    >>> counts = [[2, 0], [1, 1], [0, 0], [1, 0]]
    >>> TfidfTransformer(norm=None).fit_transform(counts).toarray().round(3).tolist()
    [[2.446, 0.0], [1.223, 1.916], [0.0, 0.0], [1.223, 0.0]]
    """

    _: KW_ONLY
    norm: str | None = "l2"
    use_idf: bool = True
    smooth_idf: bool = True
    sublinear_tf: bool = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn in how many texts each word is.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts of words.
        y : None
            Ignored.

        Returns
        -------
        TfidfTransformer
            The fitted transformer.
        """
        rows = self._rows(X, reset=True)
        if self.use_idf:
            self._idf = inverse_frequency(rows, smooth=self.smooth_idf)
        return self

    @property
    def idf_(self) -> NDArray[Any]:
        """(d,) the weight of each word."""
        if not hasattr(self, "_idf"):
            raise AttributeError("idf_ is there once a transformer with use_idf=True is fitted")
        return self._idf

    @idf_.setter
    def idf_(self, value: ArrayLike) -> None:
        idf = np.asarray(value, dtype=np.float64)
        if hasattr(self, "n_features_in_") and len(idf) != self.n_features_in_:
            raise ValueError(f"idf length = {len(idf)} must be equal to the number of features = {self.n_features_in_}")
        self._idf, self.n_features_in_ = idf, len(idf)

    def transform(self, X: ArrayLike, copy: bool = True) -> Any:
        """Weigh counts of words.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts of words.
        copy : bool, default=True
            Whether X is left as it is; else its numbers may be overwritten.

        Returns
        -------
        csr_array of shape (n_samples, n_features), or what `set_output` asks for
            The weighed counts.
        """
        check_is_fitted(self, "n_features_in_")
        rows = self._rows(X, reset=False)
        rows = rows.copy() if copy or not rows.data.flags.writeable else rows
        weighed = weigh(rows, self.idf_ if self.use_idf else None, sublinear=self.sublinear_tf, norm=self.norm)
        return in_container(self, weighed, self.get_feature_names_out, X)

    def _rows(self, X: ArrayLike, *, reset: bool) -> sparse.csr_array:
        from scipy import sparse  # here: texts are weighed by the functions below without it

        if self.norm not in _NORMS:
            raise ValueError(f"norm must be 'l1', 'l2' or None; got {self.norm!r}.")
        checked = numeric_rows(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], accept_large_sparse=True, reset=reset
        )
        return checked if isinstance(checked, sparse.csr_array) else sparse.csr_array(checked)


def inverse_frequency(X: sparse.csr_array, *, smooth: bool = True) -> NDArray[Any]:
    """Return (d,) idf of the words of counts (N, d); with a word that is in no text ValueError without smoothing."""
    _, indices = _places(X)
    present = rows_with(indices, np.ascontiguousarray(X.data), X.shape[1]).astype(X.dtype)
    more = float(bool(smooth))
    if not smooth and not present.all():
        gone = int(np.flatnonzero(present == 0.0)[0])
        raise ValueError(
            f"idf is infinite: the word of column {gone} is in no text. Expected each word in one text at least. Use "
            "smooth_idf=True."
        )
    idf: NDArray[Any] = 1.0 + np.log((X.shape[0] + more) / (present + more))
    return idf.astype(X.dtype, copy=False)


def weigh(
    X: sparse.csr_array,
    idf: NDArray[Any] | None,
    *,
    sublinear: bool = False,
    norm: str | None = None,
    n_jobs: int | None = None,
) -> sparse.csr_array:
    """Return the rows of counts as TF-IDF, see `TfidfTransformer`; empty rows stay. X is changed."""
    if sublinear or idf is not None or norm is not None:
        idf = None if idf is None else np.ascontiguousarray(idf, X.dtype)
        X.data = np.ascontiguousarray(X.data)
        weigh_rows(*_places(X), X.data, idf=idf, sublinear=sublinear, norm=norm, n_jobs=n_jobs)
    return X


def _places(X: sparse.csr_array) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return where rows begin, and the columns of their values, as the core takes them: in one type."""
    index = np.result_type(X.indptr, X.indices)
    return np.ascontiguousarray(X.indptr, index), np.ascontiguousarray(X.indices, index)
