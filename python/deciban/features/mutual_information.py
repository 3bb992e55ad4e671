"""Features chosen by their mutual information with the class."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from deciban._core import information
from deciban.data.declared_types import Estimator, Whole
from deciban.data.frame import called
from deciban.data.numbers import text_refused
from deciban.data.refusal import counted as refusing
from deciban.data.rows import as_rows, for_core, is_sparse, native
from deciban.data.transaction import all_or_nothing
from deciban.distributions import Bernoulli, Categorical, Distribution, Multinomial, StatisticError
from deciban.errors import DataError

from .discrete_features import discrete_mask, repeated
from .frames import in_container
from .held_out import Labelled, Tried, held_out_errors, smallest
from .information import BITS_PER_NAT, Floats, binary_information, categorical_information, word_information
from .neighbour_information import continuous_values, neighbour_information

LIKELIHOODS = ("auto", "bernoulli", "multinomial")


class MutualInformation(SelectorMixin, Estimator):  # type: ignore[misc]
    """Keeps the k features that tell most of the class, each judged alone.

        I_j = Σ_v Σ_c p(x_j = v, c) log [p(x_j = v, c) / (p(x_j = v) p(c))]        in nats; 0 ≤ I_j ≤ H(class)

    Every distinct value v of a feature is a category of its own: presence, counts, codes. The probabilities are
    ratios of counts, so I_j is exact, and too high by about (V − 1)(C − 1) / 2N for V values, by chance alone: a
    continuous feature, whose values are all distinct, seems to tell everything: name it in `discrete_features`, and I_j
    is estimated from the distances of nearest neighbours instead (`neighbour_information`).
    For long texts, presence (X > 0) mostly chooses better words than counts do. Of features that tell the
    same the first are kept. Columns stay in their order.

    Parameters
    ----------
    k : how many to keep, all where there are fewer; "all"; or "auto": the smallest of 10, 30, 100, 300 … d whose
        error is within one standard error of the best, where errors are those of `NaiveBayes` on the kept features
        in 5-fold stratified cross-validation, the features chosen anew from each fold's training counts.
    likelihood : of that naive Bayes: "bernoulli", "multinomial", or "auto": "bernoulli" where all values are 0 or 1.
    discrete_features : which features are tables of values: True for all; False for none; "auto" for all of a sparse
        X and none of a dense one, as in scikit-learn; a mask (d,), or their indices. The others are continuous.
    n_neighbors : of a continuous feature, how many neighbours are looked at.
    random_state : of the folds, and of the noise that keeps values of continuous features apart; None is 0.
    n_jobs : threads, as joblib counts them: -1 all cores, -2 all but one; None is all that joblib and the environment
        leave. The bytes do not depend on it.

    Attributes: `scores_` (d,) in nats, `bits_` the same in bits, `k_` features kept, `errors_` for "auto" the
    (k, error, standard_error) tried, `n_features_in_`, `feature_names_in_`. `sample_weight` means repetition. Dense
    or CSR, never made dense. Errors are ValueErrors that name the row and the feature. Cost: one sort of the nonzeros
    by column; for "auto" six, and a naive Bayes for every fold and size. Manning, Raghavan & Schütze 2008, §13.5.1.

    >>> X = [[1, 0, 2], [1, 1, 0], [0, 0, 2], [0, 1, 0]]
    >>> best = MutualInformation(k=1).fit(X, ["spam", "spam", "ham", "ham"])
    >>> best.bits_.round(6).tolist(), best.transform(X).tolist()
    ([1.0, 0.0, 0.0], [[1], [1], [0], [0]])
    """

    def __init__(
        self,
        k: Whole | str = 10_000,
        *,
        likelihood: str = "auto",
        discrete_features: bool | Any = True,
        n_neighbors: int = 3,
        random_state: int | Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.likelihood = likelihood
        self.discrete_features = discrete_features
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.k == "auto"
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Weigh the features of X (N, d), dense or sparse, against the labels y (N,)."""
        with all_or_nothing(self):
            self._check_parameters()
            X, y = self._numbers(X, y)
            if y.dtype.kind not in "biuUS":  # those are labels, whatever their values
                check_classification_targets(y)
            X = as_rows(X)
            labels, index = np.unique(y, return_inverse=True)
            weight = sample_weight
            if weight is not None:
                weight = _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
            self.scores_ = self._scores(X, index, weight, len(labels))
            self.__dict__.pop("errors_", None)
            if self.k == "auto":
                weight = np.ones(len(index)) if weight is None else weight
                self.errors_ = self._errors(Labelled(X, index, weight, len(labels)))
            self._keep()
        return self

    def _numbers(self, X: Any, y: Any) -> tuple[Any, Any]:
        with text_refused(X, _weighed_as_numbers):
            found: tuple[Any, Any] = validate_data(self, native(X), y, accept_sparse="csr", ensure_all_finite=False)
            if found[0].dtype.kind == "O":  # as polars gives numbers beside text
                found = found[0].astype(np.float64), found[1]
        return found

    @classmethod
    def from_model(cls, model: Any, k: Whole | str = 10_000) -> Self:
        """A fitted selector that goes by the counts of a fitted `NaiveBayes`, without another pass over the data.

        Bernoulli and categorical counts hold the whole table, so I_j is the same as from the data (of examples where
        the feature is not missing). Those of a multinomial model hold how often a word was drawn in each class, not
        in how many examples it stands: there I_j is that of the class and of drawing word j next, see
        `word_information`. Columns that the model leaves out tell nothing. The sums of Poisson and Gaussian features
        are no tables of values: a ValueError.

        >>> from deciban import NaiveBayes
        >>> counts = NaiveBayes("bernoulli").fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
        >>> MutualInformation.from_model(counts, k=1).get_support().tolist()
        [True, False]
        """
        selector = cls(k)
        selector._check_parameters()
        if k == "auto":
            raise ValueError("k='auto' holds examples out, and a model has none: give a whole number or 'all'")
        if not hasattr(type(model), "likelihoods_"):  # of naive Bayes alone: a distribution a column
            raise TypeError(
                f"a fitted NaiveBayes is expected, got {type(model).__name__}: fit the selector on the data"
            )
        check_is_fitted(model)
        selector.n_features_in_ = model.n_features_in_
        if hasattr(model, "feature_names_in_"):
            selector.feature_names_in_ = model.feature_names_in_
        with all_or_nothing(selector):
            selector.scores_ = _counted_information(model)
            selector._keep()
        return selector

    @property
    def bits_(self) -> Floats:
        """(d,) mutual information in bits."""
        check_is_fitted(self)
        bits: Floats = self.scores_ * BITS_PER_NAT
        return bits

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(len(self.scores_), dtype=bool)
        mask[_best_first(self.scores_)[: self.k_]] = True
        return mask

    def _transform(self, X: Any) -> Any:
        selected = super()._transform(native(X))
        return in_container(self, selected, self.get_feature_names_out, X) if is_sparse(X) else selected

    def _check_parameters(self) -> None:
        whole = isinstance(self.k, Integral) and not isinstance(self.k, bool) and self.k >= 1
        if not whole and self.k not in ("all", "auto"):
            raise ValueError(f"k must be a whole number from 1, 'all' or 'auto', got {self.k!r}")
        if self.likelihood not in LIKELIHOODS:
            raise ValueError(f"likelihood must be 'auto', 'bernoulli' or 'multinomial', got {self.likelihood!r}")
        count = isinstance(self.n_neighbors, Integral) and not isinstance(self.n_neighbors, bool)
        if not count or self.n_neighbors < 1:
            raise ValueError(f"n_neighbors must be a whole number from 1, got {self.n_neighbors!r}")

    def _scores(self, X: Any, y: NDArray[np.intp], weight: Floats | None, C: int) -> Floats:
        """(d,) of all features, those that are continuous by their neighbours."""
        discrete = discrete_mask(self.discrete_features, X)
        if discrete.all():
            return self._information(X, y, weight, C)
        if self.k == "auto":
            raise ValueError("k='auto' is for discrete features, which naive Bayes counts: give k as a number")
        told = np.zeros(X.shape[1])
        if discrete.any():
            told[discrete] = self._information(np.ascontiguousarray(X[:, discrete]), y, weight, C)
        _check_finite(X)
        rows = repeated(weight, len(y))
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        values = continuous_values(np.asarray(X[:, ~discrete], dtype=np.float64)[rows], rng)
        told[~discrete] = [neighbour_information(x, y[rows], int(self.n_neighbors)) for x in values.T]
        return told

    def _information(self, X: Any, y: NDArray[np.intp], weight: Floats | None, C: int) -> Floats:
        return refusing(lambda: information(for_core(X), y, weight, C), _expected)

    def _keep(self) -> None:
        d = len(self.scores_)
        self.k_ = smallest(self.errors_) if self.k == "auto" else d if self.k == "all" else min(int(self.k), d)

    def _errors(self, data: Labelled) -> list[Tried]:
        family = self._family(data.X)
        try:
            statistic = family.statistic(data.X)
        except StatisticError as error:
            raise StatisticError(f"{error.text}; or give k as a number", feature=error.feature) from None
        there = data.weight > 0.0
        data, counted = data.rows(there), data._replace(X=statistic).rows(there)
        if len(data.y) < 2:
            raise DataError("k='auto' holds examples out: 2 at least are expected, got 1 sample; give k as a number")

        def best_first(weight: Floats) -> NDArray[np.intp]:
            return _best_first(self._information(data.X, data.y, weight, data.C))

        rng = check_random_state(0 if self.random_state is None else self.random_state)
        return held_out_errors(counted, family, best_first, rng)

    def _family(self, X: Any) -> Distribution:
        likelihood = self.likelihood
        if likelihood == "auto":
            values = X.data if is_sparse(X) else X
            likelihood = "bernoulli" if ((values == 0) | (values == 1)).all() else "multinomial"
        return Bernoulli(binarize=0.0) if likelihood == "bernoulli" else Multinomial()


def _counted_information(model: Any) -> Floats:
    """(d,) what the counts of a naive Bayes know of each feature."""
    names, counts = getattr(model, "feature_names_in_", range(model.n_features_in_)), model.counts_
    told = np.zeros(model.n_features_in_)
    columns = getattr(counts, "columns", (range(len(told)),))
    for js, part in zip(columns, getattr(counts, "parts", (counts,)), strict=True):
        family = model.likelihoods_[names[js[0]]]
        if isinstance(family, Bernoulli):
            told[list(js)] = binary_information(part.seen, np.minimum(part.s, part.seen))
        elif isinstance(family, Categorical):
            told[list(js)] = categorical_information(part.s, part.offsets)
        elif isinstance(family, Multinomial):
            told[list(js)] = word_information(part.n, part.s)
        else:
            raise StatisticError(
                f"{{feature}} is {family.name!r}, and its sums are no table of values: fit the selector on the data, "
                "measurements put into bins",
                feature=js[0],
            )
    return told


def _check_finite(X: Floats) -> None:
    wrong = ~np.isfinite(X)
    if wrong.any():
        row, feature = (int(k) for k in np.argwhere(wrong)[0])
        value = float(X[row, feature])
        text = _expected(value).format(place=f"row {row}, {{feature}} is {value:g}")
        raise StatisticError(text, feature=feature)


def _best_first(scores: Floats) -> NDArray[np.intp]:
    """Features by descending score; of equal ones the first."""
    return np.argsort(-scores, kind="stable")


def _expected(value: float) -> str:
    what = "NaN" if np.isnan(value) else "infinity"
    return f"Input contains {what}: {{place}}; give what is not known a value of its own, or leave the row out"


def _weighed_as_numbers(name: Any) -> str:
    return (
        f"{called(name)} holds text, and features are weighed as numbers: code it first (OrdinalEncoder), or "
        "fit NaiveBayes(likelihood='auto') and take MutualInformation.from_model"
    )
