"""The command that trains a model like one in a file; where its examples lay, the file does not keep."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import escape
from ..tables.typed import ON_REQUEST
from ..text.recipes import DEFAULTS

if TYPE_CHECKING:
    from ..text.settings import TextSettings
    from .inventory import Inventory
    from .table_inventory import TableInventory

_OPTIONS = {"C": "-C", "alpha": "--alpha", "likelihood": "--likelihood"}


def of_texts(found: Inventory) -> str:
    """Return the command for a model of mail or texts; nothing where it has parameters that only Python has."""
    default = DEFAULTS["mail" if found.kind == "mail" else "text", found.model]
    given: Mapping[str, Any] = found.bayes or found.linear or found.kernel or found.network or {}
    usual: Mapping[str, Any] = default.learner.to_json()
    if usual.get("chosen"):  # an alpha that was given is said, also where it is the one that texts start from
        given, usual = map(_without_chosen, (given, usual))
    if any(usual.get(key) != value for key, value in given.items() if key not in _OPTIONS):
        return ""
    examples = [f"{label}=PATH" for label in found.classes]
    if found.origin is not None:
        examples = ["TABLE", "--text", found.origin["text"], "--label", found.origin["label"]]
    parts = [*examples, "--kind", found.kind, "--model", found.model]
    return _join([*parts, *_parameters(given, usual), *_words(found.settings, default.settings)])


def of_table(found: TableInventory) -> str:
    """Return the command for a model of typed columns; nothing where it was not trained on a table in a file."""
    if found.label is None or "layers" in found.parameters:
        return ""
    parts = ["TABLE", "--label", found.label, "--model", found.model]
    parts += [each for own, why in found.ignored.items() if why == ON_REQUEST for each in ("--ignore", own)]
    seed = found.certificate.get("seed")
    from ..table_models.recipes import takes  # here, because models of texts do without scikit-learn

    return _join([*parts, *_parameters(found.parameters, takes(found.model)), *(["--seed", str(seed)] if seed else [])])


def _without_chosen(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters without an alpha that was not given."""
    return {key: value for key, value in values.items() if key != "alpha"} if values.get("chosen") else values


def _parameters(given: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[str]:
    for key, option in _OPTIONS.items():
        if given.get(key) is not None and given[key] != usual.get(key):
            yield from (option, f"{given[key]:.12g}" if type(given[key]) is float else str(given[key]))


def _words(settings: Mapping[str, Any], usual: TextSettings) -> Iterator[str]:
    """Yield how items become features, where that is not the default of the model."""
    shortest, longest = settings["words"]
    if (shortest, longest) != usual.words:
        yield from ("--words", f"{shortest},{longest}")
    if settings["max_features"] != usual.max_features:
        yield from ("--max-features", "all" if settings["max_features"] is None else str(settings["max_features"]))
    if settings["hashed_bits"] is not None:
        yield from ("--hashed", str(settings["hashed_bits"]))
    if settings["binary"] != usual.binary:
        yield "--binary" if settings["binary"] else "--counts"
    if settings.get("key"):
        yield from ("--seed", str(settings["key"]))


def _join(parts: list[str]) -> str:
    return escape(shlex.join(["deciban", "train", *parts]))
