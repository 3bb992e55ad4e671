"""Features chosen by their mutual information with the class."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban._core import information
from deciban.data.declared_types import Estimator, Whole, parameters
from deciban.data.frame import name_column
from deciban.data.numbers import text_refused
from deciban.data.refusal import check_whole
from deciban.data.refusal import count_or_refuse as refusing
from deciban.data.rows import Rows, as_rows, check_sparse, for_core, is_sparse, native
from deciban.data.samples import check_sample_weight
from deciban.data.transaction import all_or_nothing, named_refusals
from deciban.data.validation import check_classification_targets, check_is_fitted, check_random_state, validate_data
from deciban.distributions import Bernoulli, Categorical, Distribution, Multinomial, StatisticError
from deciban.errors import DataError

from ..data.labelled import WeighedExamples
from .discrete_features import discrete_mask, repeat_rows
from .frames import in_container
from .held_out import CandidateResult, estimate_held_out_errors, smallest
from .information import BITS_PER_NAT, Floats, binary_information, categorical_information, word_information
from .neighbour_information import continuous_values, neighbour_information
from .selector import SelectorMixin
from .value_table import ValueTable

if TYPE_CHECKING:
    from sklearn.utils import Tags

LIKELIHOODS = ("auto", "bernoulli", "multinomial")


@parameters
class MutualInformation(SelectorMixin, Estimator):
    """Select the k features with the most information on the class, each on its own.

        I_j = Σ_v Σ_c p(x_j = v, c) log [p(x_j = v, c) / (p(x_j = v) p(c))]        in nats; 0 ≤ I_j ≤ H(class)

    Every distinct value v of a feature is a category of its own: presence, counts, codes. The probabilities are ratios
    of counts, so I_j is exact, and too high by about (V − 1)(C − 1) / 2N for V values, by chance alone. A continuous
    feature, whose values are all distinct, seems to have all information: name it in `discrete_features`, and I_j is
    estimated from the distances of nearest neighbours instead. For long texts, presence (X > 0) mostly selects better
    words than counts do. Of features with equal information the first are kept; columns stay in their order. X is dense
    or CSR, and never made dense. The cost is a sort of the values that are not 0 by column; for "auto" six, and a naive
    Bayes for every fold and size. Manning, Raghavan & Schütze (2008), § 13.5.1.

    Parameters
    ----------
    k : int, "all" or "auto", default=10_000
        Number of features to keep, all where there are fewer. "auto" is the smallest of 10, 30, 100, 300 … d whose
        error is within one standard error of the best, where errors are those of `NaiveBayes` on the kept features in
        5-fold stratified cross-validation, the features selected anew from the training counts of each fold.
    likelihood : {"auto", "bernoulli", "multinomial"}, default="auto"
        Likelihood of that naive Bayes; "auto" is "bernoulli" where all values are 0 or 1.
    discrete_features : bool, "auto", or array-like, default=True
        Which features are discrete: all, none, all of a sparse X and none of a dense one ("auto"), a mask
        (n_features,), or indices. The others are continuous.
    n_neighbors : int, default=3
        Number of neighbours, for continuous features.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, and of the noise that separates equal values of continuous features; None is 0.
    n_jobs : int, optional
        Number of threads, as joblib counts them: -1 all cores, -2 all but one. By default all that joblib and the
        environment leave. The result does not depend on it.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Mutual information, in nats.
    bits_ : ndarray of shape (n_features,)
        The same in bits.
    k_ : int
        Number of features kept.
    errors_ : list of (int, float, float)
        For "auto", the numbers of features tried, with error and standard error.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X had names.

    Examples
    --------
    >>> X = [[1, 0, 2], [1, 1, 0], [0, 0, 2], [0, 1, 0]]
    >>> best = MutualInformation(k=1).fit(X, ["spam", "spam", "ham", "ham"])
    >>> best.bits_.round(6).tolist(), best.transform(X).tolist()
    ([1.0, 0.0, 0.0], [[1], [1], [0], [0]])
    """

    k: Whole | str = 10_000
    _: KW_ONLY
    likelihood: str = "auto"
    discrete_features: bool | Any = True
    n_neighbors: int = 3
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.k == "auto"
        tags.target_tags.required = True
        return tags

    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Compute the mutual information of each feature with the class, and select.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        MutualInformation
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            self._check_parameters()
            rows, labelled = self._check_numbers(X, y)
            if labelled.dtype.kind not in "biuUS":  # those are labels, whatever their values
                check_classification_targets(labelled)
            rows = as_rows(rows)
            labels, index = np.unique(labelled, return_inverse=True)
            weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
            self.scores_ = self._scores(rows, index, weight, len(labels))
            self.__dict__.pop("errors_", None)
            if self.k == "auto":
                weight = np.ones(len(index)) if weight is None else weight
                self.errors_ = self._errors(WeighedExamples(X=rows, y=index, classes=labels, weight=weight))
            self._keep()
        return self

    def count_values(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ValueTable:
        """Return the table of values and classes of some examples; tables add up, for `fit_to_table`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0; a weight of 2 means twice, 0 as if the example were not there.

        Returns
        -------
        ValueTable
            How often each value of each feature comes with each class.

        Raises
        ------
        ValueError
            For k="auto" and continuous features, which no table tells of.
        """
        self._check_parameters()
        if self.k == "auto":
            raise ValueError("k='auto' holds examples out, and a table has none: give a whole number or 'all'")
        with named_refusals(self):
            rows, labelled = self._check_numbers(X, y)
            rows = as_rows(rows)
            if not discrete_mask(self.discrete_features, rows).all():
                raise ValueError("continuous features need their neighbours, not a table: give discrete_features=True")
            if not np.isfinite(rows.data if is_sparse(rows) else rows).all():
                _check_finite(rows.toarray() if is_sparse(rows) else rows)
            labels, index = np.unique(labelled, return_inverse=True)
            weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
            return ValueTable.of(rows, index, weight, labels)

    def fit_to_table(self, table: ValueTable) -> Self:
        """Compute the mutual information of each feature with the class from a table of all examples, and select.

        Parameters
        ----------
        table : ValueTable
            The sum of what `count_values` returned.

        Returns
        -------
        MutualInformation
            The fitted estimator itself.
        """
        with all_or_nothing(self):
            self.n_features_in_, self.scores_ = table.d, table.information()
            self.__dict__.pop("errors_", None)
            self._keep()
        return self

    def _check_numbers(self, X: Rows, y: ArrayLike) -> tuple[Any, Any]:
        with text_refused(X, _refuse_weights_of_text):
            found: tuple[Any, Any] = validate_data(
                self, native(check_sparse(X)), y, accept_sparse="csr", ensure_all_finite=False
            )
            if found[0].dtype.kind == "O":  # as polars gives numbers beside text
                found = found[0].astype(np.float64), found[1]
        return found

    @classmethod
    def from_model(cls, model: Estimator, k: Whole | str = 10_000) -> Self:
        """Make a fitted selector from the counts of a fitted `NaiveBayes`, without another pass over the data.

        Bernoulli and categorical counts hold the whole table, so I_j is the same as from the data (of examples where
        the feature is not missing). Those of a multinomial model are the draws of each word in each class, not the
        examples that have it: there I_j is that of the class and of drawing word j next. Columns that the model leaves
        out have no information.

        Parameters
        ----------
        model : NaiveBayes
            A fitted model.
        k : int or "all", default=10_000
            Number of features to keep.

        Returns
        -------
        MutualInformation
            The fitted selector.

        Raises
        ------
        ValueError
            If k is "auto", or the model has sums of Poisson or Gaussian features, which are no tables of values.
        TypeError
            If the model is no fitted `NaiveBayes`.

        Examples
        --------
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
            selector.scores_ = _information_of_counts(model)
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
        return super().transform(check_sparse(X))

    def _transform(self, X: Rows) -> Any:
        selected = super()._transform(native(X))
        return in_container(self, selected, self.get_feature_names_out, X) if is_sparse(X) else selected

    def _check_parameters(self) -> None:
        whole = isinstance(self.k, Integral) and not isinstance(self.k, bool) and self.k >= 1
        if not whole and self.k not in ("all", "auto"):
            raise ValueError(f"k must be a whole number from 1, 'all' or 'auto', got {self.k!r}")
        if self.likelihood not in LIKELIHOODS:
            raise ValueError(f"likelihood must be 'auto', 'bernoulli' or 'multinomial', got {self.likelihood!r}")
        check_whole("n_neighbors", self.n_neighbors)

    def _scores(self, X: Any, y: NDArray[np.intp], weight: Floats | None, C: int) -> Floats:
        """Return (d,) of all features, those that are continuous by their neighbours."""
        discrete = discrete_mask(self.discrete_features, X)
        if discrete.all():
            return self._information(X, y, weight, C)
        if self.k == "auto":
            raise ValueError("k='auto' is for discrete features, which naive Bayes counts: give k as a number")
        told = np.zeros(X.shape[1])
        if discrete.any():
            told[discrete] = self._information(np.ascontiguousarray(X[:, discrete]), y, weight, C)
        _check_finite(X)
        rows = repeat_rows(weight, len(y))
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        values = continuous_values(np.asarray(X[:, ~discrete], dtype=np.float64)[rows], rng)
        told[~discrete] = [neighbour_information(x, y[rows], int(self.n_neighbors)) for x in values.T]
        return told

    def _information(self, X: Rows, y: NDArray[np.intp], weight: Floats | None, C: int) -> Floats:
        return refusing(lambda: information(for_core(X), y, weight, C), _error_expected)

    def _keep(self) -> None:
        d = len(self.scores_)
        self.k_ = smallest(self.errors_) if self.k == "auto" else d if self.k == "all" else min(int(self.k), d)

    def _errors(self, data: WeighedExamples) -> list[CandidateResult]:
        family = self._family(data.X)
        try:
            statistic = family.statistic(data.X)
        except StatisticError as error:
            raise StatisticError(f"{error.text}; or give k as a number", feature=error.feature) from None
        there = data.weight > 0.0
        data, counted = data.only(there), replace(data, X=statistic).only(there)
        if len(data.y) < 2:
            raise DataError("k='auto' holds examples out: 2 at least are expected, got 1 sample; give k as a number")

        def best_first(weight: Floats) -> NDArray[np.intp]:
            return _best_first(self._information(data.X, data.y, weight, len(data.classes)))

        rng = check_random_state(0 if self.random_state is None else self.random_state)
        return estimate_held_out_errors(counted, family, best_first, rng)

    def _family(self, X: Any) -> Distribution:
        likelihood = self.likelihood
        if likelihood == "auto":
            values = X.data if is_sparse(X) else X
            likelihood = "bernoulli" if ((values == 0) | (values == 1)).all() else "multinomial"
        return Bernoulli(binarize=0.0) if likelihood == "bernoulli" else Multinomial()


def _information_of_counts(model: Any) -> Floats:
    """Return (d,) what the counts of a naive Bayes know of each feature."""
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
        text = _error_expected(value).format(place=f"row {row}, {{feature}} is {value:g}")
        raise StatisticError(text, feature=feature)


def _best_first(scores: Floats) -> NDArray[np.intp]:
    """Return features by descending score; of equal ones the first."""
    return np.argsort(-scores, kind="stable")


def _error_expected(value: float) -> str:
    what = "NaN" if np.isnan(value) else "infinity"
    return f"Input contains {what}: {{place}}; give what is not known a value of its own, or leave the row out"


def _refuse_weights_of_text(name: Any) -> str:
    return (
        f"{name_column(name)} holds text, and features are weighed as numbers: code it first (OrdinalEncoder), or "
        "fit NaiveBayes(likelihood='auto') and take MutualInformation.from_model"
    )
