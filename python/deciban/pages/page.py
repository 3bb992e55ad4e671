"""The reports there are: of a model of texts or of a table in a file, and of an estimator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..evaluation.importance import Importance
from ..report.inventory import Inventory
from ..report.table_inventory import TableInventory
from ..report.terminal import name
from . import learnt
from .blocks import Command, Facts, Figure, Paragraph, Section
from .measured import Measured
from .proof import certificate
from .report import Report
from .words import Words

TOP = 12
"""So many pieces of evidence are listed for each class."""

Terms = Mapping[str, Sequence[tuple[str, float]]]


@dataclass(frozen=True)
class Extras:
    """What else a page shows: how the model did on examples it had not learnt, or why that is not known; pictures, or
    why there is none; the command line that made it; and what an estimator goes by."""

    measured: Measured | str
    curves: Figure | None = None
    picture: Figure | str = ""
    command: str = ""
    goes_by: Importance | None = None


def of_texts(found: Inventory, extras: Extras, words: Words) -> Report:
    """Of a model of mail or texts."""
    title = words("title.mail" if found.kind == "mail" else "title.text")
    facts = list(learnt.of_texts(found, words))
    terms = {label: [(each.term, each.decibans) for each in some] for label, some in found.evidence.items()}
    return _report(title, facts, found.classes, terms, found.certificate, extras, words)


def of_table(found: TableInventory, extras: Extras, words: Words) -> Report:
    """Of a model of typed columns."""
    title = words("title.label", label=name(found.label)) if found.label else words("title.table")
    facts = list(learnt.of_table(found, words))
    terms = {label: [(each.term, each.decibans) for each in some] for label, some in found.evidence.items()}
    return _report(title, facts, found.classes, terms, found.certificate, extras, words)


def of_estimator(model: Any, terms: Terms, extras: Extras, words: Words) -> Report:
    """Of a fitted estimator."""
    proof = getattr(model, "certificate_", None)
    stored = {} if proof is None else proof.to_json()
    counts = {str(label): float(n) for label, n in stored.get("class_counts", {}).items()}
    facts = list(learnt.of_estimator(model, words))
    return _report(type(model).__name__, facts, counts, terms, stored, extras, words)


def _report(
    title: str,
    facts: Sequence[tuple[str, str]],
    classes: Mapping[str, float],
    terms: Terms,
    proof: Mapping[str, Any],
    extras: Extras,
    words: Words,
) -> Report:
    measured = extras.measured
    claim = "" if isinstance(measured, str) else measured.claim(words)
    sections = [learnt.learnt(facts, classes, words)]
    if isinstance(measured, str):
        sections.append(Section("error", words("error"), [Paragraph(measured)]))
    else:
        sections += measured.sections(words)
    sections += _pictures(extras, words)
    if extras.goes_by is not None:
        sections.append(learnt.goes_by(extras.goes_by, words))
    if terms:
        sections.append(learnt.evidence(terms, words))
    if proof:
        sections += [certificate(proof, words), _again(proof, extras.command, words)]
    return Report(title, claim, _in_order(sections), words)


def _pictures(extras: Extras, words: Words) -> Iterator[Section]:
    if extras.curves is not None:
        yield Section("epochs", words("epochs"), [extras.curves])
    if isinstance(extras.picture, Figure):
        yield Section("picture", words("picture"), [extras.picture])
    elif extras.picture:
        yield Section("picture", words("picture"), [Paragraph(extras.picture)])


def _again(proof: Mapping[str, Any], command: str, words: Words) -> Section:
    """How to get the same model once more, and how to know that it is the same."""
    blocks: list[Any] = [Paragraph(words("again.how"))]
    if command:
        blocks.append(Command(command))
    rows = [
        (words("proof.version"), name(proof.get("version", ""))),
        (words("proof.digest"), name(proof.get("digest", ""))),
    ]
    return Section("again", words("again"), [*blocks, Facts([row for row in rows if row[1]])])


_ORDER = ("error", "learnt", "confusion", "curves", "costs", "reliability", "learning", "epochs", "picture", "evidence")


def _in_order(sections: Sequence[Section]) -> list[Section]:
    """How sure it is comes first; what is not named comes last, as it stands."""
    place = {key: number for number, key in enumerate(_ORDER)}
    return sorted(sections, key=lambda section: place.get(section.key, len(place)))
