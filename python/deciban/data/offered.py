"""Methods that some settings of a model do not offer, and that say why not."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any, Generic, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


class OfferedUnless(Generic[Method]):
    """A method that is there unless `reason(model)` says something: then it is an AttributeError with this text.

    `hasattr` is False then, as scikit-learn's rules ask.
    """

    def __init__(self, reason: Callable[[Any], str], method: Method) -> None:
        self.reason, self.method = reason, method
        update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, model: Any, family: Any = None) -> Any:
        if model is None:
            return self.method
        reason = self.reason(model)
        if reason:
            raise AttributeError(reason)
        return MethodType(self.method, model)


def offer_unless(reason: Callable[[Any], str]) -> Callable[[Method], Method]:
    """Decorate a method that a model does not offer where `reason(model)` says why."""

    def decorate(method: Method) -> Method:
        return cast(Method, OfferedUnless(reason, method))

    return decorate
