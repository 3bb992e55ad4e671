"""Checks of the header of a file of a model over columns; `stored` and `linear_table` say what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..data.text_layout import is_scaling

FURTHER = ("var_smoothing", "min_categories", "calibration")
"""Parameters that only some files have."""
PARAMETERS = ("likelihood", "alpha", "estimate", "class_prior", "binarize")


def fault(header: Mapping[str, Any]) -> str:
    """Return what is wrong with the form of the header, or nothing."""
    sections = {"table": ("features", "names", "labels", "columns"), "bayes": PARAMETERS}
    for section, known in sections.items():
        values = header.get(section)
        further = set(FURTHER) if section == "bayes" else set()
        if type(values) is not dict or set(values) - further != set(known):
            return f"{section!r} in its header with the fields {', '.join(sorted(known))}"
    table, bayes = header["table"], header["bayes"]
    classes, declared, names = header.get("classes"), header.get("declared"), table["names"]
    count = len(classes) if type(classes) is list else 0
    places = type(classes) is list and type(declared) is list and all(type(k) is int for k in declared)
    named = names is None or (type(names) is list and all(type(name) is str for name in names))
    checks = {
        "a naive Bayes model of a table": header.get("model") == "naive-bayes" and "text" not in header,
        "'classes' in its header to be labels": 0 < count <= 1 << 16,
        "'declared' in its header to be places of classes in order": places
        and declared == sorted({k for k in declared or () if 0 <= k < count}),
        "'certificate' in its header to be an object": type(header.get("certificate")) is dict,
        "'table.features' in its header to be a whole number": type(table["features"]) is int
        and 0 < table["features"] < 1 << 40,
        "'table.names' in its header to be as many names": named and (names is None or len(names) == table["features"]),
        "'table.labels' in its header to be a type of labels": table["labels"] in _TYPES,
        "'table.columns' in its header to be null or an object": table["columns"] is None
        or type(table["columns"]) is dict,
        "'bayes.likelihood' in its header to be a likelihood": _is_likelihood(bayes["likelihood"]),
        "'bayes.alpha' in its header to be a number": _are_counts(bayes["alpha"]),
        "'bayes.var_smoothing' in its header to be a number": _is_number(bayes.get("var_smoothing", 0.0)),
        "'bayes.min_categories' in its header to be whole numbers": _is_prior(bayes.get("min_categories")),
        "'bayes.calibration' in its header to be null or a name": bayes.get("calibration") in (None, "affine"),
        "'calibration' in its header to be a slope above 0 and an offset for each class": "calibration" not in header
        or is_scaling(header["calibration"], classes),
        "'bayes.binarize' in its header to be null or a number": bayes["binarize"] is None
        or _is_number(bayes["binarize"]),
        "'bayes.class_prior' in its header to be a name or numbers": type(bayes["class_prior"]) in (str, list, float),
    }
    return next((wanted for wanted, right in checks.items() if not right), "")


def find_coded_fault(header: Mapping[str, Any], section: str) -> str:
    """Return what is wrong with the header of a model of coded columns, whose parameters stand in this section, or
    nothing."""
    given, table, classes = header.get(section), header.get("table"), header.get("classes")
    labels = type(classes) is list and 2 <= len(classes) <= 1 << 16 and all(type(label) is str for label in classes)
    checks = {
        "'classes' in its header to be labels in order": labels and classes == sorted(set(classes or ())),
        f"{section!r} in its header to be parameters": type(given) is dict
        and set(given) <= {"C", "alpha", "gamma", *_NAMES}
        and all(type(value) is str if name in _NAMES else _is_number(value) for name, value in given.items()),
        "'table' in its header to be columns": type(table) is dict and set(table) == {"names", "kinds", "categories"},
        "'certificate' in its header to be an object": type(header.get("certificate")) is dict,
        "no text in the header of a model of a table": "text" not in header,
        "'information' in its header to be a number a column": "information" not in header
        or _are_nats(header["information"], table),
    }
    return next((wanted for wanted, right in checks.items() if not right), "")


def _are_nats(values: Any, table: Any) -> bool:
    names = table.get("names") if type(table) is dict else None
    numbers = type(values) is list and all(type(each) is float and 0.0 <= each <= _LARGEST for each in values)
    return numbers and type(names) is list and len(values) == len(names)


# Parameters that are words.
_NAMES = ("activation", "output", "error")
# The squares of larger numbers are beyond a float64.
_LARGEST = 1e150
_TYPES = ("text", "object", "bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
_TYPES += ("float32", "float64")


def _is_number(value: object) -> bool:
    return (type(value) is float and abs(value) <= _LARGEST) or (type(value) is int and abs(value) <= 1 << 53)


def _are_counts(value: object) -> bool:
    """Return whether these are pseudo-counts: a number, a list of them, or lists of one length."""
    if type(value) is list and value and all(type(each) is list for each in value):
        return len(set(map(len, value))) == 1 and all(each and all(map(_is_number, each)) for each in value)
    return _is_number(value) or (type(value) is list and bool(value) and all(map(_is_number, value)))


def _is_prior(value: object) -> bool:
    """Return whether a parameter of a distribution may have this value."""
    if type(value) is list and not all(type(size) is int and 0 < size < 1 << 31 for size in value):
        return _are_counts(value)
    if type(value) is list:
        return True
    return value is None or type(value) is bool or _is_number(value)


def _is_likelihood(option: object, inside: bool = False) -> bool:
    if type(option) is dict:
        pairs = option.get("by column")
        return (
            not inside
            and set(option) == {"by column"}
            and type(pairs) is list
            and all(type(pair) is list and len(pair) == 2 and type(pair[0]) in (str, int) for pair in pairs)
            and all(_is_likelihood(each, inside=True) for _, each in pairs)
        )
    if type(option) is list:
        named = len(option) == 2 and type(option[0]) is str and type(option[1]) is dict
        return named and all(map(_is_prior, option[1].values()))
    return type(option) is str or (inside and option is None)
