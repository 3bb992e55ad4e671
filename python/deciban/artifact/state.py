"""Estimators as plain values and arrays: the layout of files whose estimator has none of its own.

    header    estimator: the tree of the estimator
    tensors   "state.0", "state.1", …: the arrays of the tree, in the order in which it names them

A node of the tree is null, a truth value, a number, a text, a list of nodes, or an object whose only key says what it
is: "float" (one that JSON has not), "tuple", "pairs" (a dictionary), "array" ([tensor, dtype, whether its columns come
first]), "labels" ([values, dtype]), "sparse" ([data, indices, indptr, shape, whether it is a csr_array]), "dtype",
"random" (a generator of NumPy), "bytes", "words" (what a wordbook is made of), "part" ([type, fields]), "estimator"
([name, parameters, attributes, null where it is not fitted]) and "file" (an estimator in a layout of its own).

Times are written as 0 and callbacks are left out, so that the same fit is the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import store
from ..data.rows import is_sparse
from . import registry

Arrays = dict[str, NDArray[Any]]
_PREFIX = "state."
# Parameters of one run, not of what is learnt.
_OF_RUN = ("callback", "n_jobs")
_TIMES = ("seconds", "_seconds")
# What belongs to a process, not to a model: the requests of metadata routing, and what scikit-learn's callbacks keep.
_OF_PROCESS = ("_metadata_request", "_skl_callbacks", "_watch", "_dictionary")


class Writer:
    """Turns estimators into a tree, and their arrays into tensors."""

    def __init__(self) -> None:
        self.arrays: Arrays = {}
        self._known: dict[int, Any] = {}

    def estimator(self, model: Any) -> Any:
        """Return the tree of an estimator; ValueError for what a file cannot keep."""
        name = type(model).__name__
        if name not in registry.ESTIMATORS or type(model) is not registry.estimator(name):
            raise ValueError(
                f"a .deciban file keeps Deciban's own estimators; this is {name}, of {type(model).__module__}. Keep it "
                "with joblib or skops."
            )
        own, given = model._get_param_names(), model.get_typed_params()
        state = model.__getstate__() or {}
        learnt = {key: value for key, value in state.items() if key not in own and key not in _OF_PROCESS}
        layout = registry.layout(name)
        if layout is not None and learnt:
            content = store.to_bytes(layout.header_of(model), layout.arrays_of(model))
            return {"file": self._tensor(np.frombuffer(content, "u1"))}
        parameters = {key: self._parameter(key, value) for key, value in sorted(given.items()) if key not in _OF_RUN}
        return {"estimator": [name, parameters, self._fields(learnt) if learnt else None]}

    def _parameter(self, name: str, value: Any) -> Any:
        try:
            return self.value(value)
        except ValueError as error:
            raise ValueError(f"{name}={value!r}: {error}") from None

    def _fields(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {key: 0.0 if key in _TIMES else self.value(value) for key, value in sorted(given.items())}

    def value(self, value: Any) -> Any:
        """Return the node of a value."""
        if value is None or isinstance(value, bool | str) or type(value) is int:
            return value
        if isinstance(value, float) and not isinstance(value, np.generic):
            return float(value) if math.isfinite(value) else {"float": repr(float(value))}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if type(value) is list:
            return [self.value(each) for each in value]
        if type(value) is tuple:
            return {"tuple": [self.value(each) for each in value]}
        if isinstance(value, Mapping):
            return {"pairs": [[self.value(key), self.value(each)] for key, each in value.items()]}
        return self._special(value)

    def _special(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            return self.value(value.item())
        if isinstance(value, bytes):
            return {"bytes": self._tensor(np.frombuffer(value, "u1"))}
        if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
            return {"dtype": [np.dtype(value).name, isinstance(value, type)]}
        if is_sparse(value) and value.format == "csr":
            parts = [self._array(np.asarray(each)) for each in (value.data, value.indices, value.indptr)]
            return {"sparse": [*parts, [int(n) for n in value.shape], type(value).__name__.endswith("array")]}
        if isinstance(value, np.random.RandomState):
            _, keys, *rest = value.get_state(legacy=True)
            return {"random": [self._array(np.asarray(keys)), *map(float, rest)]}
        if hasattr(value, "get_params"):
            return self.estimator(value)
        return self._part(value)

    def _part(self, value: Any) -> Any:
        name, known = type(value).__name__, registry.part_name(type(value))
        if known is not None:
            return {"part": [known, self._fields(_of_part(value))]}
        if name == "Wordbook":
            hashes, counts, items, names, ends = value.parts()
            arrays = [self._array(np.asarray(each)) for each in (hashes, counts, items, ends)]
            return {"words": [*arrays, self._tensor(np.frombuffer(bytes(names), "u1"))]}
        raise ValueError(f"a .deciban file keeps no {name}, which is code or belongs to another library")

    def _array(self, value: NDArray[Any]) -> Any:
        if value.dtype.kind not in "biuf":
            return {"labels": [[self.value(each) for each in value.ravel().tolist()], value.dtype.str, [*value.shape]]}
        turned = value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous
        return {"array": [self._tensor(value.T if turned else value), value.dtype.name, turned]}

    def _tensor(self, value: NDArray[Any]) -> int:
        """Write an array once, wherever it occurs; return its number."""
        kept = self._known.get(id(value))
        if kept is not None:
            return int(kept[0])
        number = len(self.arrays)
        self.arrays[f"{_PREFIX}{number}"] = np.asarray(
            value, "u1" if value.dtype == bool else value.dtype.newbyteorder("<")
        )
        self._known[id(value)] = number, value  # the array stays alive, and its address its own
        return number


def _of_part(value: Any) -> dict[str, Any]:
    """Return what an object is made of, by name."""
    if isinstance(value, Enum):
        return {"name": value.name}
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, tuple):
        return {name: getattr(value, name) for name in value._fields}  # type: ignore[attr-defined]
    return {key: each for key, each in vars(value).items() if key not in _OF_PROCESS}


# Beyond such sizes sums of squares would leave the range of a float64; a bound that nothing has reached is infinite.
_LARGEST, _UNBOUNDED = np.float64(1e100), ("novikoff_bound_",)


class Reader:
    """Turns a tree back into estimators; ValueError and its like for what does not fit together."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self._known: dict[tuple[int, str, bool], NDArray[Any]] = {}
        self._used: set[str] = set()
        self._bounded = False

    def unused(self) -> list[str]:
        """Return the tensors that nothing read so far is made of."""
        return sorted(self.arrays.keys() - self._used)

    def estimator(self, node: Any) -> Any:
        """Return the estimator of a tree."""
        ((kind, given),) = node.items()
        if kind == "file":
            from .loading import restore

            return restore(store.parse(self._tensor(given).tobytes(), "a model within", tables=True))
        if kind != "estimator":
            raise ValueError(f"{kind!r} where an estimator is expected")
        name, parameters, learnt = given
        cls = registry.estimator(name)
        outside, self._bounded = self._bounded, False
        model = cls(**{key: self.value(each) for key, each in parameters.items()})
        for key, each in (learnt or {}).items():
            # One that shadows a method would change what the model does.
            if not key.isidentifier() or key.startswith("__") or (hasattr(cls, key) and not _is_plain(cls, key)):
                raise ValueError(f"an attribute {key!r}")
            self._bounded = key not in _UNBOUNDED
            model.__dict__[key] = self.value(each)
        self._bounded = outside
        return model

    def _moderate(self, value: Any) -> Any:
        """Return a number or numbers; ValueError where what is learnt leaves no room to compute with it."""
        if self._bounded and not (np.abs(value) <= _LARGEST).all():
            raise ValueError("numbers that are not finite, or too large")
        return value

    def value(self, node: Any) -> Any:
        """Return the value of a node."""
        if node is None or isinstance(node, bool | int | str):
            return node
        if isinstance(node, float):
            return self._moderate(node)
        if isinstance(node, list):
            return [self.value(each) for each in node]
        ((kind, given),) = node.items()
        if kind in ("estimator", "file"):
            return self.estimator(node)
        return _READERS[kind](self, given)

    def _pairs(self, given: Any) -> dict[Any, Any]:
        return {self.value(key): self.value(each) for key, each in given}

    def _tuple(self, given: Any) -> tuple[Any, ...]:
        return tuple(self.value(each) for each in given)

    def _part(self, given: Any) -> Any:
        name, values = given
        kind = registry.part(name)
        own = {key: self.value(each) for key, each in values.items()}
        if issubclass(kind, Enum):
            return kind[own["name"]]
        if is_dataclass(kind):
            if unknown := sorted(own.keys() - {each.name for each in fields(kind)}):
                raise ValueError(f"a {name} with {unknown[0]!r}")
            # What came later has a default, which older files lack.
            wanted = [each for each in fields(kind) if each.init and (each.name in own or not _has_default(each))]
            return registry.part(name)(**{each.name: own[each.name] for each in wanted})
        if issubclass(kind, tuple):
            made = kind(**own)
        else:
            made = object.__new__(kind)
            made.__dict__.update(own)
        if hasattr(made, "require_shapes"):
            made.require_shapes()
        return made

    def _array(self, given: Any) -> NDArray[Any]:
        number, dtype, turned = given
        key = number, dtype, turned
        if key not in self._known:
            found = np.array(self._tensor(number), dtype=np.dtype(dtype))
            if found.dtype.kind == "f":
                self._moderate(found)
            self._known[key] = found.T if turned else found
        return self._known[key]

    def _labels(self, given: Any) -> NDArray[Any]:
        values, dtype, shape = given
        found = np.empty(len(values), dtype=np.dtype(dtype))
        found[:] = [self.value(each) for each in values]
        return found.reshape(shape)

    def _sparse(self, given: Any) -> Any:
        from scipy.sparse import csr_array, csr_matrix

        data, indices, indptr, shape, array = given
        parts = self.value(data), self.value(indices), self.value(indptr)
        found = (csr_array if array else csr_matrix)(parts, shape=tuple(shape))
        found.check_format(full_check=True)
        return found

    def _random(self, given: Any) -> np.random.RandomState:
        keys, position, has_gauss, cached = given
        made = np.random.RandomState(0)
        made.set_state(("MT19937", self.value(keys), int(position), int(has_gauss), cached))
        return made

    def _words(self, given: Any) -> Any:
        from .._core import Wordbook

        hashes, counts, items, ends = (self.value(each) for each in given[:4])
        return Wordbook(hashes, counts, items, self._tensor(given[4]).tobytes(), ends)

    def _tensor(self, number: Any) -> NDArray[Any]:
        name = f"{_PREFIX}{int(number)}"
        self._used.add(name)
        return self.arrays[name]


def _is_plain(cls: type, name: str) -> bool:
    """Return whether a class has only a plain value of this name, or a property that can be set, which an instance may
    have too."""
    value = getattr(cls, name)
    if isinstance(value, property):
        return value.fset is not None
    return value is None or isinstance(value, bool | int | float | str)


def _dtype(_: Reader, given: Any) -> Any:
    name, scalar = given
    return np.dtype(name).type if scalar else np.dtype(name)


_READERS = {
    "float": lambda _, given: float(given),
    "tuple": Reader._tuple,
    "pairs": Reader._pairs,
    "array": Reader._array,
    "labels": Reader._labels,
    "sparse": Reader._sparse,
    "dtype": _dtype,
    "random": Reader._random,
    "bytes": lambda reader, given: reader._tensor(given).tobytes(),
    "words": Reader._words,
    "part": Reader._part,
}


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING
