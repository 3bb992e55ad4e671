"""Weights as people see them: dense or sparse, in the precision of the rows that were learnt."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from deciban._core import scores
from deciban.data.rows import is_sparse, reals_for_core
from deciban.data.validation import check_is_fitted
from deciban.losses import Floats


def dense(weights: Any) -> Floats:
    """Return weights, dense or sparse, as a float64 array in C order."""
    values = weights.toarray() if is_sparse(weights) else weights
    return np.ascontiguousarray(values, dtype=np.float64)


def answer_type(X: Any, weights: Any) -> Any:
    """Return the type of scores of rows X: single where X and the weights are both in single precision."""
    single = X.dtype == np.float32 and weights.dtype == np.float32
    return np.float32 if single else np.float64


def score_rows(X: Any, weights: Any, intercept: Any, threads: int | None) -> Floats:
    """Return (N, K) X·Wᵀ + b, summed in double precision, in the type of X and W (K, d), which may be sparse."""
    kind, b = answer_type(X, weights), np.atleast_1d(np.asarray(intercept, dtype=np.float64))
    if is_sparse(weights):
        s = X.astype(np.float64, copy=False) @ weights.T.astype(np.float64)
        s = (s.toarray() if is_sparse(s) else np.asarray(s)) + b
    else:
        s = scores(reals_for_core(X), dense(weights), b, n_jobs=threads)
    result: Floats = s.astype(kind, copy=False)
    return result


class SparseWeights:
    """Linear models whose weights may be kept sparse: most of those of an L1 penalty are 0."""

    coef_: Any

    def sparsify(self) -> Self:
        """Keep `coef_` as a SciPy sparse array, which is smaller where more than half of the weights are 0.

        Predictions are the same but for rounding. `fit` and `partial_fit` make weights dense again.

        Returns
        -------
        estimator
            The fitted estimator itself.

        Examples
        --------
        >>> import numpy as np
        >>> from deciban import LogisticRegression
        >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
        >>> model = LogisticRegression(penalty="l1").fit(X, [0, 0, 1, 1]).sparsify()
        >>> model.coef_.nnz, model.predict(X).tolist()
        (1, [0, 0, 1, 1])
        """
        from scipy.sparse import csr_array

        check_is_fitted(self)
        self._set_weights(csr_array(np.atleast_2d(dense(self._get_weights()).astype(self._get_weights().dtype))))
        return self

    def densify(self) -> Self:
        """Keep `coef_` as a NumPy array, as after `fit`: the inverse of `sparsify`.

        Returns
        -------
        estimator
            The fitted estimator itself.

        Examples
        --------
        >>> import numpy as np
        >>> from deciban import LogisticRegression
        >>> model = LogisticRegression().fit(np.array([[0.0], [1.0]]), [0, 1]).sparsify().densify()
        >>> model.coef_.shape
        (1, 1)
        """
        check_is_fitted(self)
        weights = self._get_weights()
        if is_sparse(weights):
            self._set_weights(weights.toarray())
        return self

    def _get_weights(self) -> Any:
        """Return (K, d) the weights that the score is of, dense or sparse."""
        return self.coef_

    def _set_weights(self, weights: Any) -> None:
        self.coef_ = weights
