"""What scikit-learn's base classes give an estimator, without scikit-learn: parameters, text, tags, requests, output.

Importing scikit-learn takes longer than most fits, and only who uses it asks an estimator what only it understands.
So that is imported where it is asked for; `counterpart.py` has what must be made of scikit-learn's own classes.
"""

from __future__ import annotations

from inspect import getattr_static, signature
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from .counterpart import METHODS, Borrowed, SetsRequest, beside, seen_class
from .documentation import page_template
from .loaded import is_imported, sklearn_option
from .offered import OfferedUnless

if TYPE_CHECKING:
    from sklearn.utils import Tags

# Up to this length scikit-learn prints an estimator on one line.
_LINE = 80


class BaseEstimator:
    """An estimator by scikit-learn's rules, as `sklearn.base.BaseEstimator` is one: its parameters are those of its
    constructor, kept under their names.

    `isinstance(model, sklearn.base.BaseEstimator)` is true, though the class does not inherit from that one: Python
    asks the object, too, and `__class__` says what `counterpart.seen_class` does. `type(model)` is the class itself.
    """

    _in_sklearn = "BaseEstimator"
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def _get_seen_class(self) -> type:
        return seen_class(type(self))

    # No method here says `super()`, which would take `__class__` for its own.
    __class__ = property(_get_seen_class, vars(object)["__class__"].__set__)

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if name[0] == "_" or self._is_listed(name)]

    def _is_listed(self, name: str) -> bool:
        """Return whether a name is there; before scikit-learn is imported, unless that had to be asked."""
        kind = getattr_static(type(self), name, None)
        if is_imported("sklearn") or isinstance(kind, OfferedUnless):
            return hasattr(self, name)
        return not isinstance(kind, SetsRequest | Borrowed)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # As object's does, but that pickle refuses what has another `__class__` than its type.
        if type(self).__reduce__ is not object.__reduce__:
            return self.__reduce__()
        return _make_blank, (type(self),), self.__getstate__()

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(_defaults(cls))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool, default=True
            Whether to return those of nested estimators, too.

        Returns
        -------
        dict
            Parameters by name.
        """
        found: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found.update((f"{name}__{inner}", each) for inner, each in value.get_params().items())
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of nested estimators, as "estimator__parameter".

        Parameters
        ----------
        **params : dict
            Parameters by name.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        ValueError
            If there is no parameter of a name.
        """
        known = self.get_params() if params else {}
        nested: dict[str, dict[str, Any]] = {}
        for given, value in params.items():
            name, inside, inner = given.partition("__")
            if name not in known:
                names = self._get_param_names()
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {names!r}.")
            if inside:
                nested.setdefault(name, {})[inner] = value
            else:
                setattr(self, name, value)
                known[name] = value
        for name, some in nested.items():
            known[name].set_params(**some)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = _on_one_line(self) if sklearn_option("print_changed_only", True) else None
        if text is not None and len(text) <= min(_LINE, N_CHAR_MAX):
            return text
        from sklearn.base import BaseEstimator as Theirs

        return str(Theirs.__repr__(_printable(self), N_CHAR_MAX))

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            regressor_tags=None,
            classifier_tags=None,
        )

    # Metadata. scikit-learn keeps the requests that were set in `_metadata_request`, and clones them.

    def get_metadata_routing(self) -> Any:
        """Return the requests of metadata, as `set_fit_request` and the like set them.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            The requests of each method.
        """
        return self._get_metadata_request()

    def _get_metadata_request(self) -> Any:
        known = {name: value for name, value in vars(self).items() if name == "_metadata_request"}
        return beside(self, known)._get_metadata_request()

    for _method in METHODS:
        locals()[f"set_{_method}_request"] = SetsRequest()
    del _method

    # What notebooks show, with a link to the page of the estimator: scikit-learn asks by these names.

    _doc_link_module = "deciban"
    _doc_link_url_param_generator = None

    @property
    def _doc_link_template(self) -> str:
        return page_template()

    _get_doc_link = Borrowed()
    _repr_html_ = Borrowed()
    _repr_html_inner = Borrowed()
    _repr_mimebundle_ = Borrowed()
    _html_repr = Borrowed()
    _get_params_html = Borrowed()
    _get_fitted_attr_html = Borrowed()


def _make_blank(family: Any) -> Any:
    """Return an object without state, to be read from a pickle."""
    return family.__new__(family)


def _defaults(family: Any) -> dict[str, Any]:
    """Return the parameters of a constructor with their defaults."""
    if family.__init__ is object.__init__:
        return {}
    _, *given = signature(family.__init__).parameters.values()
    for each in given:
        if each.kind is each.VAR_POSITIONAL:
            raise RuntimeError(
                f"{family.__name__} takes *{each.name}: name every parameter in the signature of __init__, as "
                "scikit-learn's rules ask"
            )
    return {each.name: each.default for each in given if each.kind is not each.VAR_KEYWORD}


def _on_one_line(model: BaseEstimator) -> str | None:
    """Return the name with the parameters that are not the defaults; None where one is no plain value."""
    parts, defaults = [], _defaults(type(model))
    for name, value in sorted(model.get_params(deep=False).items()):
        if value is defaults.get(name, _make_blank):
            continue
        if _is_plain(value):
            text: str | None = repr(value)
        elif isinstance(value, BaseEstimator) and type(value).__repr__ is BaseEstimator.__repr__:
            text = _on_one_line(value)
        else:
            return None
        if text is None:
            return None
        if text != repr(defaults.get(name, _make_blank)):
            parts.append(f"{name}={text}")
    return f"{type(model).__name__}({', '.join(parts)})"


def _printable(value: Any) -> Any:
    """Return what scikit-learn prints like one of its estimators."""
    if not isinstance(value, BaseEstimator) or type(value).__repr__ is not BaseEstimator.__repr__:
        return value
    return beside(value, {name: _printable(each) for name, each in value.get_params(deep=False).items()})


# What scikit-learn copies to a clone besides the parameters.
_CLONED = ("_metadata_request", "_sklearn_output_config", "_skl_callbacks", "__sklearn_clone__")


def clone(model: Any) -> Any:
    """Return a new estimator with the same parameters, as `sklearn.base.clone` does.

    Parameters
    ----------
    model : estimator
        An estimator of any library.

    Returns
    -------
    estimator
        The new one, which is not fitted.
    """
    if _has_plain_parameters(model):  # nothing is to be copied
        return type(model)(**model.get_params(deep=False))
    from sklearn.base import clone

    return clone(model)


def _has_plain_parameters(model: Any) -> bool:
    if not isinstance(model, BaseEstimator) or any(hasattr(model, name) for name in _CLONED):
        return False
    return all(_is_plain(value) for value in model.get_params(deep=False).values())


def _is_plain(value: object) -> bool:
    """Return whether a value cannot be changed, and is printed on one line."""
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)
