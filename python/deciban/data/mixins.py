"""Kinds of estimators by scikit-learn's rules, without scikit-learn: their tags, `score`, and what they return."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .loaded import sklearn_option
from .rows import Rows

if TYPE_CHECKING:
    from sklearn.utils import Tags


class ClassifierMixin:
    """A classifier, as `sklearn.base.ClassifierMixin` makes one."""

    _in_sklearn = "ClassifierMixin"

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import ClassifierTags

        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        tags.target_tags.required = True
        return tags

    def score(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of examples that are predicted correctly.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels; of several labels a row, all must be predicted.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.

        Returns
        -------
        float
            Accuracy.
        """
        from sklearn.metrics import accuracy_score

        return accuracy_score(y, self.predict(X), sample_weight=sample_weight)  # type: ignore[attr-defined, no-any-return]


class RegressorMixin:
    """A regression model, as `sklearn.base.RegressorMixin` makes one."""

    _in_sklearn = "RegressorMixin"

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import RegressorTags

        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        tags.target_tags.required = True
        return tags

    def score(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the coefficient of determination R² of the predictions: 1 − Σ(y − ŷ)² / Σ(y − ȳ)².

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.

        Returns
        -------
        float
            R², the mean over the outputs.
        """
        from sklearn.metrics import r2_score

        return r2_score(y, self.predict(X), sample_weight=sample_weight)  # type: ignore[attr-defined, no-any-return]


class OutlierMixin:
    """A detector of outliers, as `sklearn.base.OutlierMixin` makes one."""

    _in_sklearn = "OutlierMixin"

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.estimator_type = "outlier_detector"
        return tags

    def fit_predict(self, X: Rows, y: object = None, **fit_params: Any) -> NDArray[np.int64]:
        """Fit the model, and predict the same rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Examples.
        y : None
            Ignored.
        **fit_params : dict
            Other parameters of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 for inliers, -1 for outliers.
        """
        if sklearn_option("enable_metadata_routing", False):  # then it warns of metadata that is not handed on
            from sklearn.base import OutlierMixin as Theirs

            return Theirs.fit_predict(self, X, **fit_params)  # type: ignore[no-any-return]
        return self.fit(X, **fit_params).predict(X)  # type: ignore[attr-defined, no-any-return]


class TransformerMixin:
    """A transformer, as `sklearn.base.TransformerMixin` makes one: `transform` and `fit_transform` return what
    `set_output` asks for."""

    _in_sklearn = "TransformerMixin"
    _sklearn_auto_wrap_output_keys = frozenset({"transform"})  # scikit-learn looks there

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in {"transform", "fit_transform"} & vars(cls).keys():
            setattr(cls, name, _in_container(vars(cls)[name]))

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import TransformerTags

        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.transformer_tags = TransformerTags()
        return tags

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit the transformer, and transform the same rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Examples.
        y : array-like of shape (n_samples,), optional
            Targets.
        **fit_params : dict
            Other parameters of `fit`.

        Returns
        -------
        array of shape (n_samples, n_features_new)
            Transformed rows.
        """
        if sklearn_option("enable_metadata_routing", False):  # then it warns of metadata that is not handed on
            from sklearn.base import TransformerMixin as Theirs

            return Theirs.fit_transform(self, X, y, **fit_params)
        model: Any = self
        return (model.fit(X, **fit_params) if y is None else model.fit(X, y, **fit_params)).transform(X)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Set in what `transform` and `fit_transform` return rows.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            An array or sparse matrix, or a data frame of one of the libraries. By default it stays as it is.

        Returns
        -------
        estimator
            The estimator itself.
        """
        if transform is not None:
            vars(self).setdefault("_sklearn_output_config", {})["transform"] = transform
        return self


def has_container(model: Any) -> bool:
    """Return whether `set_output`, of a model or of all, asks for another container than the default."""
    own = getattr(model, "_sklearn_output_config", {}).get("transform")
    return (own or sklearn_option("transform_output", "default")) != "default"


def put_in_container(model: Any, transformed: Any, original: object) -> Any:
    """Return rows as `set_output` asks for them."""
    if not has_container(model):
        return transformed
    from sklearn.utils._set_output import _wrap_data_with_container

    return _wrap_data_with_container("transform", transformed, original, model)


def _in_container(method: Any) -> Any:
    @wraps(method)
    def wrapped(self: Any, X: Any, *given: Any, **named: Any) -> Any:
        return put_in_container(self, method(self, X, *given, **named), X)

    return wrapped


class OneToOneFeatureMixin:
    """A transformer that returns a column for each feature, under its name."""

    _in_sklearn = "OneToOneFeatureMixin"

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns: those of the features.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the features where X had none; else they must be the same.

        Returns
        -------
        ndarray of shape (n_features,)
            Names.
        """
        from sklearn.base import OneToOneFeatureMixin as Theirs

        return Theirs.get_feature_names_out(self, input_features)  # type: ignore[no-any-return]


class ClassNamePrefixFeaturesOutMixin:
    """A transformer whose columns are called after its class: "nystroem0" and so on."""

    _in_sklearn = "ClassNamePrefixFeaturesOutMixin"

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns: that of the class in lower case, and a number.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the features, which are only validated.

        Returns
        -------
        ndarray of shape (n_components,)
            Names.
        """
        from sklearn.base import ClassNamePrefixFeaturesOutMixin as Theirs

        return Theirs.get_feature_names_out(self, input_features)  # type: ignore[no-any-return]


def is_classifier(model: Any) -> bool:
    """Return whether an estimator of any library is a classifier, as `sklearn.base.is_classifier` does.

    Parameters
    ----------
    model : estimator
        The estimator.

    Returns
    -------
    bool
        Whether its tags say so.
    """
    if isinstance(model, ClassifierMixin):
        return True
    from sklearn.base import is_classifier

    return bool(is_classifier(model))
