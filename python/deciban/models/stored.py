"""Naive Bayes over columns as a .deciban file: what the header and the tensors are, and what is refused.

    header    model "naive-bayes", classes, declared (places in classes), calibration (a `Scaling`, or none),
              certificate, bayes: the parameters of `NaiveBayes`, and table: features (their number), names, labels
              (the type of classes), columns
    state.n   (C,) weight of the classes
    state.k.* the statistics of the k-th group of columns that share a distribution: n, s and missing of `Counts`, with
              sizes of `CategoryCounts`; w, s, q and gone of `Moments`

The counts are the model; all else is derived from them when the file is read, so that a file that does not fit
together is found out there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deciban.calibration.scaling import Scaling
from deciban.certificates.guarantees import read_choice
from deciban.data.columns import Columns
from deciban.data.declared_types import plain
from deciban.data.labels import storable
from deciban.data.lazy_sequences import Numbered, Repeated
from deciban.distributions import CATALOGUE, Categorical, Counts, Gaussian, Mixed, by_name, exact_sums
from deciban.distributions.categorical import CategoryCounts
from deciban.distributions.mixed import MixedStatistics
from deciban.distributions.moments import Moments
from deciban.distributions.priors import check_shapes
from deciban.errors import DataError
from deciban.store import Stored, rebuild

from .layout import fault
from .naive_bayes import NaiveBayes

if TYPE_CHECKING:
    from .generative import Generative


Arrays = dict[str, NDArray[Any]]
_OPTIONAL = ("missing", "gone")


def header_of(model: Any) -> dict[str, Any]:
    """Return what the file's header keeps; ValueError for labels and distributions that a file cannot keep."""
    names, columns = getattr(model, "feature_names_in_", None), model.columns_
    return {
        "model": "naive-bayes",
        "classes": [plain(label) for label in storable(model.classes_.tolist())],
        "declared": np.searchsorted(model.classes_, model._declared).tolist(),
        "bayes": {
            "likelihood": _write_option(model.likelihood),
            "alpha": _to_lists(model._prior().alpha),
            "estimate": model.estimate,
            "class_prior": _prior(model.class_prior),
            "binarize": plain(model.binarize),
            **_further(model),
        },
        "table": {
            "features": int(model.n_features_in_),
            "names": None if names is None else [plain(name) for name in names],
            "labels": "text" if model.classes_.dtype.kind in "UST" else model.classes_.dtype.name,
            "columns": None if columns is None else columns_to(columns),
        },
        "certificate": model.certificate_.to_json(),
        **({} if model.scaling_ is None else {"calibration": model.scaling_.to_json()}),
    }


def arrays_of(model: Generative) -> Arrays:
    """Return what the file's tensors keep; ValueError where the parameters are no longer those of the counts."""
    seen, arrays = model.counts_, {"state.n": np.asarray(model.counts_.n, "<f8")}
    parts = seen.parts if isinstance(seen, MixedStatistics) else (seen,)
    groups = _groups(model._family(), model.n_features_in_)
    if len(parts) != len(groups) or any(
        type(part) is not _kind(family) for part, (family, _) in zip(parts, groups, strict=False)
    ):
        raise ValueError("what was learnt with other parameters cannot be kept with these: fit again")
    for k, part in enumerate(parts):
        for field in fields(part):
            value = getattr(part, field.name)
            if value is not None:
                arrays[f"state.{k}.{field.name}"] = np.asarray(value, "<f8")
    return arrays


def restore(stored: Stored) -> NaiveBayes:
    """Return the model in a file that `store.read` has checked; DataError for what does not fit together."""
    header = stored.header
    wrong = fault(header)
    if wrong:
        raise DataError(f"{stored.name}: expected {wrong}. The file is not one that this program wrote; train again.")
    model = NaiveBayes()
    rebuild(stored, partial(_restore, model))
    return model


@np.errstate(over="raise")
def _restore(model: Generative, header: Mapping[str, Any], arrays: Arrays) -> None:
    bayes, table = header["bayes"], header["table"]
    model.set_params(**{**bayes, "likelihood": _read_option(bayes["likelihood"])})
    columns = None if table["columns"] is None else columns_from(table["columns"])
    model.n_features_in_ = d = table["features"]
    if columns is not None and len(columns.names) != d:
        raise ValueError(f"{d} features and {len(columns.names)} columns")
    if columns is not None and table["names"] != _names(columns):
        raise ValueError("features and columns of other names")
    if table["names"] is not None:  # those of the columns, where there are columns: they are the same text
        model.feature_names_in_ = names_of(table["names"] if columns is None else [*columns.names], d)
    model.columns_ = columns
    told = header.get("calibration")
    model.scaling_ = None if told is None else Scaling.from_json(told)
    model.classes_ = labels_of(header["classes"], table["labels"])
    model._declared = model.classes_[header["declared"]]
    model.counts_ = _statistics(model._family(columns), d, arrays, len(model.classes_))
    model._seconds, model._choice = 0.0, read_choice(header["certificate"])
    check_shapes(model._family(columns), len(model.classes_), d)
    model._family(columns).check_counts(model.counts_)
    model._compiled = model._compile()
    model.certificate_  # noqa: B018  a file whose counts have none is damaged


# --- parameters --------------------------------------------------------------------------------------------


def _further(model: Any) -> dict[str, Any]:
    """Return parameters that older programs do not know, where they are not the usual ones."""
    prior = model._prior()
    found = {"var_smoothing": prior.var_smoothing, "min_categories": _to_lists(prior.min_categories)}
    found["calibration"] = model.calibration
    return {name: value for name, value in found.items() if value}


def _to_lists(value: object) -> Any:
    """Return tuples, and tuples of these, as lists; a number as Python's own."""
    if isinstance(value, tuple):
        return [_to_lists(each) for each in value]
    return float(value) if isinstance(value, float) else plain(value)


def _to_tuples(value: object) -> Any:
    return tuple(map(_to_tuples, value)) if type(value) is list else value


def _prior(prior: object) -> Any:
    return prior if isinstance(prior, str) else np.asarray(prior, dtype=np.float64).tolist()


def _write_option(option: Any) -> Any:
    """Return a likelihood as JSON: a name, [name, its prior], or {"by column": [[column, likelihood], …]}."""
    if option is None or isinstance(option, str):
        return option
    if isinstance(option, Mapping):
        return {"by column": [[plain(name), _write_option(each)] for name, each in option.items()]}
    if type(option) not in CATALOGUE:
        known = ", ".join(family.__name__ for family in CATALOGUE)
        raise ValueError(f"a file keeps the distributions {known}, by name, by object or by column; got {option!r}")
    return [option.name, {name: _to_lists(value) for name, value in asdict(option).items()}]


def _read_option(option: object) -> Any:
    if isinstance(option, dict):
        return {name: _read_option(each) for name, each in option["by column"]}
    if isinstance(option, list):
        name, given = option
        return by_name(name)(**{key: _to_tuples(value) for key, value in given.items()})
    return option


def columns_from(values: Mapping[str, Any]) -> Columns:
    if set(values) != {"names", "kinds", "categories"}:
        raise ValueError("columns that are no columns")
    columns = Columns.from_json(values)
    if not len(columns.names) == len(columns.kinds) == len(columns.categories):
        raise ValueError("columns without a kind")
    numbers = isinstance(columns.kinds, Repeated) and columns.kinds.item in ("number", "whole", "truth")
    if isinstance(columns.names, Numbered) and numbers and columns.categories == Repeated(None, len(columns.names)):
        return columns
    if len(set(columns.names)) < len(columns.names) or not all(type(name) in (str, int) for name in columns.names):
        raise ValueError("columns without a name of their own")
    for kind, known in zip(columns.kinds, columns.categories, strict=True):
        if kind not in ("number", "whole", "truth", "category") or (kind == "category") != (known is not None):
            raise ValueError("a column of no kind")
        if known is not None and not _are_sorted(known):
            raise ValueError("categories that are no labels in order")
    return columns


def _names(columns: Columns) -> list[str] | None:
    """Return the names that scikit-learn's rules ask for: of columns that all have one."""
    names = [name for name in columns.names if isinstance(name, str)]
    return names if len(names) == len(columns.names) else None


def columns_to(columns: Columns) -> dict[str, Any]:
    values = columns.to_json()
    if isinstance(columns.names, Numbered) and isinstance(columns.categories, Repeated):
        return values
    values = {
        name: list(part) for name, part in zip(values, (columns.names, columns.kinds, columns.categories), strict=True)
    }
    labels = [None if known is None else [plain(label) for label in known] for known in values["categories"]]
    return {**values, "names": [plain(name) for name in values["names"]], "categories": labels}


def _are_sorted(labels: Any) -> bool:
    """Return whether these are labels of one type, each once and in order."""
    kinds = {"number" if type(label) in (int, float) else type(label).__name__ for label in labels}
    return len(kinds) <= 1 and kinds <= {"str", "number", "bool"} and list(labels) == sorted(set(labels))


def names_of(names: object, d: int) -> NDArray[Any]:
    """Return (d,) names of features."""
    if type(names) is not list or len(names) != d or not all(type(name) is str for name in names):
        raise ValueError("features without a name")
    return np.array(names, dtype=object)


def labels_of(classes: list[Any], kind: str) -> NDArray[Any]:
    """Return labels of the type that the file tells, each once and in order."""
    if not _are_sorted(classes):
        raise ValueError("classes that are no labels in order")
    labels: NDArray[Any] = np.array(classes) if kind == "text" else np.array(classes, dtype=kind)
    if (kind == "text") != (type(classes[0]) is str and kind != "object") or labels.tolist() != classes:
        raise ValueError(f"classes that are not of the type {kind!r}")
    return labels


# --- counts ------------------------------------------------------------------------------------------------


def _groups(family: object, d: int) -> list[tuple[Any, int]]:
    """Return the distribution of each group of columns, and how many these are."""
    return [(part, len(columns)) for columns, part in family.parts] if isinstance(family, Mixed) else [(family, d)]


def _kind(family: object) -> type[Any]:
    return Moments if isinstance(family, Gaussian) else CategoryCounts if isinstance(family, Categorical) else Counts


def _statistics(family: object, d: int, arrays: Arrays, C: int) -> Any:
    groups = _groups(family, d)
    found = [_part(part, dict(_of(arrays, k)), C, size) for k, (part, size) in enumerate(groups)]
    n = _check_array(arrays["state.n"], (C,))
    names = {"state.n", *(f"state.{k}.{name}" for k in range(len(groups)) for name, _ in _of(arrays, k))}
    if names != set(arrays) or not all(np.array_equal(part.n, n) for part in found):
        raise ValueError("statistics that are not of the same examples")
    if not isinstance(family, Mixed):
        return found[0]
    for part, (known, _) in zip(found, groups, strict=True):
        if isinstance(part, CategoryCounts) and (np.array(part.sizes) > np.maximum(1, known.sizes)).any():
            raise ValueError("more categories counted than known")
    return MixedStatistics(n, tuple(columns for columns, _ in family.parts), tuple(found))


def _of(arrays: Arrays, k: int) -> Iterator[tuple[str, NDArray[Any]]]:
    start = f"state.{k}."
    return ((name.removeprefix(start), array) for name, array in arrays.items() if name.startswith(start))


def _part(family: object, given: Arrays, C: int, d: int) -> Any:
    """Return statistics of one group of d columns, in the shapes that they must have and from 0."""
    kind = _kind(family)
    sizes: tuple[int, ...] = ()
    if kind is CategoryCounts:
        told = _check_array(given.pop("sizes"), (d,))
        if not ((told >= 1.0) & (told < 2.0**31) & (told == np.floor(told))).all():
            raise ValueError("categories whose number is no whole number")
        sizes = tuple(int(size) for size in told)
    shapes: dict[str, tuple[int, ...]] = {
        name: (C, sum(sizes) if sizes and name == "s" else d) for name in ("s", "q", "missing", "gone")
    }
    shapes |= {"n": (C,), "w": (C,)}
    if kind is Moments:  # in parts, of which a sum has two or more
        shapes = {name: (max(2, len(given.get(name, ()))), *shape) for name, shape in shapes.items()}
    wanted = {field.name for field in fields(kind)} - {"sizes"}
    if not wanted - set(_OPTIONAL) <= set(given) <= wanted:
        raise ValueError(f"expected the statistics {', '.join(sorted(wanted))}, got {', '.join(sorted(given))}")
    values = {name: _check_array(array, shapes[name], kind is Moments) for name, array in given.items()}
    if kind is Moments and not all(np.array_equal(exact_sums.total([each]), each) for each in values.values()):
        raise ValueError("sums that are not written in parts")
    made = kind(**values, **({"sizes": sizes} if kind is CategoryCounts else {}))
    if made.missing is not None and (made.missing > made.n[:, None]).any():
        raise ValueError("more examples without a feature than there are")
    if kind is Moments and ((made.w[0] < 0.0).any() or (made.q[0] < 0.0).any()):
        raise ValueError("squares that sum to less than nothing")
    return made


def _check_array(array: NDArray[Any], shape: tuple[int, ...], signed: bool = False) -> NDArray[np.float64]:
    if array.dtype != np.float64 or array.shape != shape:
        raise ValueError(f"expected numbers of the shape {shape}, got {array.dtype.name} of {array.shape}")
    if not np.isfinite(array).all() or (not signed and (array < 0.0).any()):
        raise ValueError("counts that are no counts")
    return np.array(array)
