"""The fields that the headers of .deciban files have, by name: this version writes no file with any other.

What the fields hold is checked by `text_layout` and by whoever restores a model of a table; so are the names within the
sections that are parameters of a model, which it knows itself. This is on the path of one message from the command
line: it loads no NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import DataError, escape

_EVERYWHERE = ("digest", "model", "schema")
_MODEL = ("certificate", "classes")
_TEXTS = (
    *("text", "calibration", "dropped", "uncounted", "generation", "readable_dropped", "readable_uncounted"),
    "origin",
    *("bayes", "linear", "kernel", "network", "online"),
    *_MODEL,
)
_TABLES = {
    "estimator": ("estimator",),
    "linear": ("linear", "table", "information", "origin", *_MODEL),
    "coded": ("coded", "table", "information", "origin", *_MODEL),
    "machine": ("machine", "kernel", "table", *_MODEL),
    "network": ("network", "table", *_MODEL),
    "table": ("table", "bayes", "declared", "calibration", "origin", *_MODEL),
}
"""Beside a section, of which a file of a model of a table has the first that is here."""
_BOUND = ("name", "applies", "value", "excess", "delta", "vacuous", "condition")
_WITHIN: dict[str, tuple[str, ...]] = {
    "certificate": (
        *("objective", "primal", "dual", "relative_gap", "kkt_violation", "iterations", "status", "advice", "n", "d"),
        *("class_counts", "seed", "version", "digest", "training_error", "bounds", "calibration"),
    ),
    "certificate.bounds": _BOUND,
    "certificate.calibration": ("how", "log_loss"),
    "machine": ("style", "parameters"),
    "origin": ("text", "label", "ignored", "leaks", "rows"),
    "origin.rows": ("n", "sums"),
    "table": ("features", "names", "labels", "columns", "kinds", "categories"),
    "table.columns": ("names", "kinds", "categories"),
}


def check_names(header: Mapping[str, Any], name: str) -> None:
    """Raise DataError for a field that no header has; `name` is what the error calls the file."""
    for field in _unknown(header):
        raise DataError(
            f"{name}: expected no field '{escape(field)}' in its header. If a newer version wrote the file, upgrade: "
            "pip install --upgrade deciban. Else train again."
        )


def _unknown(header: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that are unknown, as paths."""
    kind = next((section for section in _TABLES if section in header), "table")
    own = _TABLES[kind] if "text" not in header else _TEXTS
    yield from sorted(header.keys() - {*_EVERYWHERE, *own})
    for path, known in _WITHIN.items():
        node: Any = header
        for key in path.split("."):
            node = node.get(key) if isinstance(node, dict) else None
        for each in node if isinstance(node, list) else [node]:
            if isinstance(each, dict):
                yield from (f"{path}.{key}" for key in sorted(each.keys() - set(known)))
