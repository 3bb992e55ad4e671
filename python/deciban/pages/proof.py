"""A certificate, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..report.terminal import name
from .blocks import Facts, Opened, Section, Table
from .words import Words

# Keys whose texts are the solver's own, in English.
_TOLD = ("advice", "objective")
_FIGURES = (
    ("primal", ".10g"),
    ("dual", ".10g"),
    ("relative_gap", ".1e"),
    ("kkt_violation", ".1e"),
    ("iterations", ",d"),
    ("n", ",.10g"),
    ("d", ",d"),
    ("training_error", ".4g"),
    ("seed", "d"),
)


def facts(proof: Mapping[str, Any], words: Words) -> Facts:
    """The lines of a certificate, as a file's header keeps it, that say something."""
    return Facts(list(_rows(proof, words)), frozenset(words(f"proof.{key}") for key in (*_TOLD, "calibration")))


def _rows(proof: Mapping[str, Any], words: Words) -> Iterator[tuple[str, str]]:
    if proof.get("status"):
        yield words("proof.status"), words.known("status", str(proof["status"]).partition(":")[0])
    for key in _TOLD:
        if proof.get(key):
            yield words(f"proof.{key}"), name(proof[key])
    for key, form in _FIGURES:
        if proof.get(key) is not None:
            yield words(f"proof.{key}"), format(proof[key], form)
    if proof.get("calibration"):
        yield words("proof.calibration"), name(proof["calibration"]["how"])
    for key in ("digest", "version"):
        if proof.get(key):
            yield words(f"proof.{key}"), name(proof[key])


def bounds(proof: Mapping[str, Any], words: Words) -> Iterator[Any]:
    """What is promised of errors to come, and on which conditions; nothing where a file keeps none."""
    found = proof.get("bounds") or ()
    if not found:
        return
    called = [words.known("bound", str(each["name"])) for each in found]
    rows = [(own, _promised(each, words)) for own, each in zip(called, found, strict=True)]
    yield Table([words("bound"), words("bound.says")], rows, right=False)
    conditions = [(own, name(each["condition"])) for own, each in zip(called, found, strict=True) if each["condition"]]
    yield Opened(words("bound.conditions"), [Facts(conditions, frozenset(called))], shut=True)


def _promised(bound: Mapping[str, Any], words: Words) -> str:
    value, excess = bound.get("value"), bound.get("excess")
    if not bound["applies"]:
        return words("bound.not")
    if bound.get("vacuous"):
        return words("bound.vacuous")
    if value is not None:
        return words("bound.value", value=f"{value:.4g}")
    return "–" if excess is None else words("bound.excess", value=f"{excess:.4g}")


def certificate(proof: Mapping[str, Any], words: Words) -> Section:
    """How well the fit is proven."""
    return Section("certificate", words("certificate"), [facts(proof, words), *bounds(proof, words)])
