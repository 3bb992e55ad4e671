"""Fisher's axes: the few directions in which classes of one covariance differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deciban.data.devices import ask_on_host
from deciban.data.mixins import put_in_container
from deciban.data.rows import Rows, is_sparse
from deciban.data.validation import check_is_fitted
from deciban.distributions.counts import Floats
from deciban.distributions.priors import class_prior
from deciban.threads import OnThreads

from ..data.offered import offer_unless

if TYPE_CHECKING:
    from .discriminant import GaussianDiscriminant


class Axes(NamedTuple):
    """`directions` (d, k), of variance 1 within the classes, and the `share` (k,) of each in what lies between."""

    directions: Floats
    share: Floats


def _refusal_of_axes(model: GaussianDiscriminant) -> str:
    """Return why there are no axes, or nothing."""
    if model.covariance == "per_class":
        return "transform needs one covariance of all classes: set covariance='shared' or 'diagonal'"
    if model.estimate == "bayes":
        return "transform needs linear log-odds, which Student's t has not: set estimate='ml' or 'map'"
    return ""


class ProjectsOnAxes(OnThreads):
    """A discriminant with one covariance Σ, which also brings rows to the axes on which its classes lie apart.

        max tr(AᵀBA) subject to AᵀΣA = I,     B = Σ_c π_c (μ_c − x̄)(μ_c − x̄)ᵀ,  x̄ = Σ_c π_c μ_c

    A (d, k) holds the first eigenvectors of Σ⁻¹B, at most C − 1. Fisher, Annals of Eugenics 7, 1936; Rao, J. R. Stat.
    Soc. B 10, 1948. Whoever inherits is a `TransformerMixin`, too; this is not, as that would make `transform` a method
    that is always there.
    """

    n_components: int | None
    class_prior: str | ArrayLike
    covariance: str
    estimate: str
    classes_: NDArray[Any]
    counts_: Any
    n_features_in_: int
    _estimated: Any
    _rows_to_judge: Any
    _cast_answer: Any
    fit: Any

    @offer_unless(_refusal_of_axes)
    def transform(self, X: Rows) -> Any:
        """Project rows on the axes on which the classes lie apart.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (N, d)

        Returns
        -------
        Z : (N, k) (x − x̄)·A of uncorrelated columns of variance 1 within the classes; k is `n_components`, or C − 1
            or d if that is less. float32 for float32; a data frame where `set_output` asks for one.

        Raises
        ------
        AttributeError : for a covariance a class, and for estimate="bayes", whose log-odds are not linear.
        NotFittedError : before `fit`.

        Examples
        --------
        >>> from deciban import GaussianDiscriminant
        >>> X = [[0.0, 0.0], [2.0, 2.0], [0.0, 2.0], [5.0, 5.0], [7.0, 7.0], [5.0, 7.0]]
        >>> GaussianDiscriminant().fit(X, [0, 0, 0, 1, 1, 1]).transform(X).round(1).ravel().tolist()
        [-4.3, -1.8, -3.1, 1.8, 4.3, 3.1]
        """
        return put_in_container(self, self._project(X), X)

    @offer_unless(_refusal_of_axes)
    def fit_transform(self, X: Rows, y: ArrayLike, **fit_params: Any) -> Any:
        """Fit, and project the same rows: `fit(X, y).transform(X)`."""
        return self.fit(X, y, **fit_params).transform(X)

    @ask_on_host
    def _project(self, X: Rows) -> Floats:
        rows, axes = self._rows_to_judge(X), self._axes.directions
        if is_sparse(rows):
            values = np.asarray(rows @ axes) - self.xbar_ @ axes
        else:
            values = np.ascontiguousarray(rows - self.xbar_, dtype=np.float64) @ axes
        projected: Floats = self._cast_answer(values, X)
        return projected

    @property
    def xbar_(self) -> Floats:
        """(d,) the mean of the class means, each by its prior: what `transform` takes for 0."""
        mean: Floats = self._estimated.centre + self._priors @ self._shift
        return mean

    @offer_unless(_refusal_of_axes)
    def _offered_axes(self) -> Axes:
        return self._axes

    @property
    def scalings_(self) -> Floats:
        """(d, k) the axes, of variance 1 within the classes, those first that tell the classes best apart."""
        found: Axes = self._offered_axes()
        return found.directions

    @property
    def explained_variance_ratio_(self) -> Floats:
        """(k,) the share of each axis in the variance between the classes."""
        found: Axes = self._offered_axes()
        return found.share

    @property
    def _n_features_out(self) -> int:
        return int(self._axes.share.size)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns of `transform`: "gaussiandiscriminant0" and so on.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the features, which are only validated.

        Returns
        -------
        ndarray of shape (n_components,)
            Names.
        """
        check_is_fitted(self)
        self._offered_axes()
        names: NDArray[Any] = super().get_feature_names_out(input_features)  # type: ignore[misc]
        return names

    # How they are found.

    @property
    def _priors(self) -> Floats:
        priors: Floats = class_prior(self.class_prior, self.counts_.n)
        return priors

    @property
    def _shift(self) -> Floats:
        """(C, d) the class means about the mean of all, with 0 for a class without examples."""
        shift: Floats = np.where(self.counts_.n[:, None] > 0.0, self._estimated.shift, 0.0)
        return shift

    @property
    def _axes(self) -> Axes:
        """By a singular value decomposition of the class means, in units in which Σ = I. Cost: d·C²."""
        found, priors, shift = self._estimated, self._priors, self._shift
        away = np.sqrt(priors)[:, None] * (shift - priors @ shift)
        if self.covariance == "diagonal":
            scale = 1.0 / np.sqrt(found.variance)
            _, size, V = np.linalg.svd(away * scale, full_matrices=False)
            axes = scale[:, None] * V.T
        else:
            L = found.factors[0]
            _, size, V = np.linalg.svd(away @ L, full_matrices=False)
            axes = L @ V.T
        k = min(most_components(self), len(size), self.n_components or len(size))
        axes, total = axes[:, :k], float(np.square(size).sum())
        sign = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(k)])
        share = np.square(size[:k]) / total if total > 0.0 else np.zeros(k)
        return Axes(axes * np.where(sign == 0.0, 1.0, sign), share)


def most_components(model: Any) -> int:
    """Return the largest number of axes: one less than classes, and not more than features."""
    return min(len(model.classes_) - 1, int(model.n_features_in_))


def check_components(model: GaussianDiscriminant) -> None:
    """Raise ValueError for a number of axes that a fitted model cannot have; without a second class it has none
    anyway."""
    k = model.n_components
    if k is None:
        return
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"n_components must be None or a whole number from 1, got {k!r}")
    if k > max(1, most_components(model)):
        raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
