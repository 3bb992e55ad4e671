"""Parameters as people give them, read as the plain Python types that constructors declare.

`C=1`, `C=np.float32(1)` and `C=1.0` are one parameter. What was given stays where it is, for `get_params` and `clone`;
whoever reads `model.C` gets the float that `C: float` declares, and so does a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from deciban.attached import Saves
from deciban.data.estimator import BaseEstimator
from deciban.data.plain_state import PlainState
from deciban.threads import OnThreads

Whole = int
"""Declares a whole number that may not be written as a float: elsewhere 10.0 would be a share, or a slip."""

_KINDS: Mapping[str, type] = {"bool": bool, "int": int, "float": float, "str": str}

Kinds = frozenset[type]


def plain(value: Any) -> Any:
    """Return `value` without NumPy's scalars, also inside tuples, lists and dictionaries; anything else as it is.

    >>> plain(np.int64(3)), plain({"a": np.float32(0.5)}), plain((np.str_("x"), 2))
    (3, {'a': 0.5}, ('x', 2))
    """
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biufU":
        value = value[()]
    if isinstance(value, np.generic):
        return float(value) if isinstance(value, np.floating) else value.item()
    if type(value) in (tuple, list):
        made = [plain(each) for each in value]
        return value if _same(made, value) else type(value)(made)
    if type(value) is dict:
        pairs = [(plain(key), plain(each)) for key, each in value.items()]
        return value if _same((one for pair in pairs for one in pair), _flat(value)) else dict(pairs)
    return value


def _flat(value: dict[Any, Any]) -> Iterable[Any]:
    return (one for pair in value.items() for one in pair)


def _same(made: Iterable[Any], given: Iterable[Any]) -> bool:
    return all(one is other for one, other in zip(made, given, strict=True))


def convert_to_declared(value: Any, kinds: Kinds, of_each: Kinds = frozenset()) -> Any:
    """Return `value` as one of the declared `kinds` where it stands for exactly one of their values.

    The elements of a tuple or a list become one of the kinds `of_each`.

    A whole number is a float, a whole float an int, 0 and 1 are truth values where neither numbers nor text are
    declared. A float that was given as a whole number is shown as one. A truth value is no number. What fits none of
    the kinds stays as it is, for the check to refuse.

    >>> [convert_to_declared(given, frozenset({kind})) for given, kind in ((1, float), (100.0, int), (1, bool))]
    [1, 100, True]
    """
    if value is None or type(value) in kinds:
        return value
    value = plain(value)
    if of_each and type(value) in (tuple, list):
        made = [convert_to_declared(each, of_each) for each in value]
        return value if _same(made, value) else type(value)(made)
    if type(value) in kinds or isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return value
    if float in kinds and not (int in kinds and isinstance(value, Integral)):
        number = _convert(_Float if isinstance(value, int) else float, value)
        return value if number is None else number
    if int in kinds and value == (whole := _convert(int, value)):
        return whole
    if bool in kinds and not {int, float} & kinds and value in (0, 1):
        return bool(value)
    return value


class _Float(float):
    """A float that was given as a whole number, and is shown so where it is refused."""

    def __repr__(self) -> str:
        return str(int(self))

    __str__ = __repr__


def _convert(kind: Callable[[Any], Any], value: object) -> Any:
    """Return `value` as a number of this kind; None where it is none (infinite, or too large)."""
    try:
        return kind(value)
    except (OverflowError, ValueError):
        return None


def kinds_of(annotation: object) -> Kinds:
    """Return which of bool, int, float and str an annotation such as "float | str | None" names."""
    return _name_types(re.sub(r"\[.*?\]", "", str(annotation)), "|")


def _elements_of(annotation: object) -> Kinds:
    """Return which of them are within "tuple[int, int]" or "Sequence[float]"."""
    return _name_types(" ".join(re.findall(r"(?:tuple|list|Sequence)\[(.*?)\]", str(annotation))), ",")


def _name_types(names: str, separator: str) -> Kinds:
    found = (name.strip() for name in names.split(separator))
    return frozenset(_KINDS[name] for name in found if name in _KINDS)


def type_fields(value: Any) -> None:
    """Give the fields of a frozen dataclass the types that they declare; for its `__post_init__`."""
    for each in fields(value):
        given = getattr(value, each.name)
        known = convert_to_declared(given, kinds_of(each.type), _elements_of(each.type))
        if known is not given:
            object.__setattr__(value, each.name, known)


class Parameter:
    """A parameter of an estimator: kept as given, read as its constructor declares it."""

    def __init__(self, name: str, annotation: object) -> None:
        self.name, self.kinds, self.of_each = name, kinds_of(annotation), _elements_of(annotation)

    def __get__(self, model: Estimator, owner: type | None = None) -> Any:
        if model is None:
            return self
        try:
            given = model.__dict__[self.name]
        except KeyError:
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self.name!r}") from None
        return convert_to_declared(given, self.kinds, self.of_each)

    def __set__(self, model: Estimator, value: object) -> None:
        model.__dict__[self.name] = value

    def __delete__(self, model: Estimator) -> None:
        del model.__dict__[self.name]


class Estimator(PlainState, OnThreads, Saves, BaseEstimator):
    """scikit-learn's estimator, whose parameters are read in the types that its constructor declares, and which
    computes on as many threads as its `n_jobs` says."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" not in vars(cls):
            return
        for name, annotation in cls.__init__.__annotations__.items():
            if name != "return":
                setattr(cls, name, Parameter(name, annotation))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as they were given.

        Parameters
        ----------
        deep : bool, default=True
            Whether to return those of nested estimators, too.

        Returns
        -------
        dict
            Parameters by name.
        """
        found: dict[str, Any] = super().get_params(deep=deep)
        return {name: vars(self).get(name, value) for name, value in found.items()}

    def learning_params(self) -> dict[str, Any]:
        """Return the parameters that the fitted model depends on: not the number of threads.

        Returns
        -------
        dict
            Parameters by name.
        """
        return {name: value for name, value in self.get_params().items() if name != "n_jobs"}

    def get_typed_params(self) -> dict[str, Any]:
        """Return the parameters in the types that the constructor declares, as a file keeps them.

        Returns
        -------
        dict
            Parameters by name.
        """
        found = {name: getattr(self, name) for name in self._get_param_names()}
        return {name: float(value) if type(value) is _Float else value for name, value in found.items()}


Model = TypeVar("Model", bound=type)
_OF_RECORDS = ("__dataclass_fields__", "__dataclass_params__", "__replace__")


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def parameters(model: Model) -> Model:
    """Give an estimator the constructor that its parameters declare, one line each, like `dataclasses.dataclass`.

    `name: type = default` in the body of the class is a parameter, to be given by name below `_: KW_ONLY`. It is in
    the signature, and is stored untouched under its name, as scikit-learn asks. What is fitted is annotated where it is
    assigned, by a base class, or with `field(init=False)`; TypeError for what looks like neither.

    >>> @parameters
    ... class Ridge(Estimator):
    ...     alpha: float = 1.0
    >>> Ridge(alpha=2).get_params(), Ridge().alpha
    ({'alpha': 2}, 1.0)
    """
    made: Any = dataclass(eq=False, repr=False, match_args=False)(model)
    for each in filter(lambda each: each.init, fields(made)):
        if each.default is MISSING or each.name.strip("_") != each.name:
            raise TypeError(
                f"{model.__name__}.{each.name}: expected a default, or field(init=False) for what is fitted"
            )
        setattr(made, each.name, Parameter(each.name, each.type))
    for name in _OF_RECORDS:  # equality, text and copies are those of estimators
        if name in vars(made):
            delattr(made, name)
    return model


__all__ = [
    "Estimator",
    "Parameter",
    "Whole",
    "convert_to_declared",
    "parameters",
    "plain",
    "type_fields",
]
