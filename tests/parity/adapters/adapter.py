"""An estimator with scikit-learn's names and parameters that delegates to one of Deciban's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.base import BaseEstimator


class NotOffered(NotImplementedError):  # noqa: N818
    """An option of scikit-learn's that Deciban does not have."""


def require_neutral(option: str, value: Any, *neutral: Any) -> None:
    """Raise NotOffered unless `option` has one of the values that change nothing."""
    if not any(value is known or (type(value) is type(known) and value == known) for known in neutral):
        raise NotOffered(f"not offered: {option}={value!r}")


def draw_seed(random_state: Any) -> Any:
    """Return a seed for Deciban from whatever scikit-learn takes as one."""
    return int(random_state.randint(2**31 - 1)) if hasattr(random_state, "randint") else random_state


def substitute(original: type) -> Callable[[type], type]:
    """Return a decorator that gives an adapter the name, the parameters and the defaults of `original`."""

    def rename(adapter: type) -> type:
        signature = inspect.signature(original.__init__)  # type: ignore[misc]
        names = [name for name in signature.parameters if name != "self"]

        def __init__(self: Any, *args: Any, **options: Any) -> None:  # noqa: N807
            given = signature.bind(self, *args, **options)
            given.apply_defaults()
            for name in names:
                setattr(self, name, given.arguments[name])

        __init__.__signature__ = signature  # type: ignore[attr-defined]
        adapter.__init__ = __init__  # type: ignore[misc]
        adapter.__name__ = adapter.__qualname__ = original.__name__
        adapter.__doc__ = original.__doc__
        return adapter

    return rename


class Adapter(BaseEstimator):  # type: ignore[misc]
    """Delegate to the estimator that `model` makes; subclasses add attributes that Deciban names otherwise."""

    used: ClassVar[set[str]] = set()
    """The names of the adapters that the running test has used."""

    def model(self) -> Any:
        """Return the estimator of Deciban that these parameters describe, not fitted."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return self._call("fit", X, y, sample_weight=sample_weight)

    def _call(self, method: str, X: Any, y: Any, **options: Any) -> Any:
        """Call `fit` or `partial_fit` of the model, which stays the same where scikit-learn's would."""
        Adapter.used.add(type(self).__name__)
        options = {name: value for name, value in options.items() if value is not None}
        stays = "_fitted" in self.__dict__ and (method == "partial_fit" or getattr(self, "warm_start", False))
        model = self.model()
        if stays:
            model = self._fitted.set_params(**model.get_params(deep=False))
        getattr(model, method)(X, y, **options)
        self._fitted = model
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_fitted" or name in self._get_param_names():
            raise AttributeError(name)
        Adapter.used.add(type(self).__name__)
        fitted = self.__dict__.get("_fitted")
        if name.startswith("_") or (fitted is None and name.endswith("_")):
            raise AttributeError(f"{type(self).__name__} is not fitted and has no {name}")
        return getattr(self.model() if fitted is None else fitted, name)

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        return self.model().__sklearn_tags__()


class Streaming(Adapter):
    """An adapter whose model also learns batch by batch."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        return self._call("partial_fit", X, y, classes=classes, sample_weight=sample_weight)


class Transformer(Adapter):
    """An adapter whose model makes rows of rows, and needs no targets."""

    def fit(self, X: Any, y: Any = None) -> Any:
        return self._call("fit", X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        return self.fit(X, y).transform(X)
