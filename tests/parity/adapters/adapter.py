"""An estimator that carries scikit-learn's names and does what one of ours does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.base import BaseEstimator


class NotOffered(NotImplementedError):  # noqa: N818
    """An option of scikit-learn's that no option here stands for."""


def refuse(option: str, value: Any, *neutral: Any) -> None:
    """Raise unless `option` has one of the values that change nothing."""
    if not any(value is known or (type(value) is type(known) and value == known) for known in neutral):
        raise NotOffered(f"not offered: {option}={value!r}")


def seed(random_state: Any) -> Any:
    """A seed for ours from whatever scikit-learn takes as one."""
    return int(random_state.randint(2**31 - 1)) if hasattr(random_state, "randint") else random_state


def standing_for(original: type) -> Callable[[type], type]:
    """Give an adapter the name, the parameters and the defaults of `original`."""

    def named(adapter: type) -> type:
        signature = inspect.signature(original.__init__)  # type: ignore[misc]
        names = [name for name in signature.parameters if name != "self"]

        def __init__(self: Any, *args: Any, **more: Any) -> None:  # noqa: N807
            given = signature.bind(self, *args, **more)
            given.apply_defaults()
            for name in names:
                setattr(self, name, given.arguments[name])

        __init__.__signature__ = signature  # type: ignore[attr-defined]
        adapter.__init__ = __init__  # type: ignore[misc]
        adapter.__name__ = adapter.__qualname__ = original.__name__
        adapter.original = original  # type: ignore[attr-defined]
        return adapter

    return named


class Adapter(BaseEstimator):  # type: ignore[misc]
    """A subclass has `model()`, what of ours its parameters ask for, and attributes that ours calls otherwise."""

    used: ClassVar[set[str]] = set()  # which adapters the running test has used

    def model(self) -> Any:
        """The model that these parameters ask for, not fitted."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return self._learn("fit", X, y, sample_weight=sample_weight)

    def _learn(self, method: str, X: Any, y: Any, **more: Any) -> Any:
        Adapter.used.add(type(self).__name__)
        more = {name: value for name, value in more.items() if value is not None}
        keep = "_ours" in self.__dict__ and (method == "partial_fit" or getattr(self, "warm_start", False))
        model = self.model()
        if keep:
            model = self._ours.set_params(**model.get_params(deep=False))
        getattr(model, method)(X, y, **more)
        self._ours = model
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_ours" or name in self._get_param_names():
            raise AttributeError(name)
        Adapter.used.add(type(self).__name__)
        if name.startswith("_") or ("_ours" not in self.__dict__ and name.endswith("_")):
            raise AttributeError(f"{type(self).__name__} is not fitted and has no {name}")
        return getattr(self.__dict__["_ours"] if "_ours" in self.__dict__ else self.model(), name)

    def __sklearn_is_fitted__(self) -> bool:
        return "_ours" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        return self.model().__sklearn_tags__()


class Streaming(Adapter):
    """An adapter whose model also learns a part at a time."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        return self._learn("partial_fit", X, y, classes=classes, sample_weight=sample_weight)
